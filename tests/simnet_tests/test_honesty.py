"""What stands in real replies stands in simulated ones: paths of elements and keys, resource by resource.

A path that more than one recorded reply in twenty has and no simulated one has fails, unless it is waived here
with a reason.
"""

import json
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from shared_data import needs_shared_data, shared_data
from simnet.replies import annotations, europepmc, jats, pubmed_xml, unpaywall
from simnet.universe import Universe

RARE = 0.05
UNIVERSE = Universe(1, 2000)
PARSER = etree.XMLParser(load_dtd=False, no_network=True, recover=True, huge_tree=True)

XML2JS = "written by xml2js, which turned attributes into keys; the value is there as `type` and `value`"
OF_2015 = "spelling of the XML replies of 2015-19; the JSON of 6.9 spells it otherwise, and the XML form here has it"
BEFORE_2019 = "affiliations moved to authorAffiliationDetailsList in 6.9"
SCIELO = "SciELO and publishers' feeds only, not what Europe PMC or PMC send"

WAIVED: dict[str, dict[str, str]] = {
    "europepmc-search": {
        ".authorIdList.authorId.$": XML2JS,
        ".authorIdList.authorId.$.type": XML2JS,
        ".authorIdList.authorId._": XML2JS,
        ".authorList.author.authorId.$": XML2JS,
        ".authorList.author.authorId.$.type": XML2JS,
        ".authorList.author.authorId._": XML2JS,
        ".journalInfo.journal.ESSN": OF_2015,
        ".journalInfo.journal.ISSN": OF_2015,
        ".journalInfo.journal.NLMid": OF_2015,
        ".journalInfo.journal.ISOAbbreviation": OF_2015,
        ".authorList.author.affiliation": BEFORE_2019,
        ".luceneScore": "of the years before 2016",
    },
    "europepmc-fulltext": {},
    "europepmc-annotations": {},
    "pubmed-efetch": {},
    "unpaywall": {},
}


def xml_paths(element: Any, prefix: str = "") -> set[str]:
    """Every element path and attribute path below and with this element, without namespaces."""
    here = f"{prefix}/{etree.QName(element).localname}"
    found = {here, *(f"{here}/@{etree.QName(name).localname}" for name in element.attrib)}
    for child in element:
        if isinstance(child.tag, str):
            found |= xml_paths(child, here)
    return found


def key_paths(value: Any, prefix: str = "") -> set[str]:
    """Every path of keys; array positions do not count."""
    if isinstance(value, dict):
        found = {f"{prefix}.{key}" for key in value}
        return found.union(*(key_paths(child, f"{prefix}.{key}") for key, child in value.items()))
    if isinstance(value, list):
        return set().union(*(key_paths(child, prefix) for child in value))
    return set()


def parsed(path: Path) -> Any:
    """The root element, or None for what is not XML."""
    try:
        return etree.fromstring(path.read_bytes().lstrip(), PARSER)
    except etree.XMLSyntaxError:
        return None


def recorded_search() -> Iterable[set[str]]:
    folder = shared_data("europepmc-search")
    for path in [
        *folder.glob("getpapers*.json"),
        *folder.glob("epmc_core*.json"),
        folder / "search_cancer_core.json",
    ]:
        reply = json.loads(path.read_bytes())
        for result in reply["resultList"]["result"] if "resultList" in reply else [reply]:
            yield key_paths(result)


def recorded_full_text() -> Iterable[set[str]]:
    for path in shared_data("europepmc-fulltext").glob("*.xml"):
        root = parsed(path)
        if root is None:
            continue
        articles = [root] if etree.QName(root).localname == "article" else root.findall("{*}article")
        for article in articles:
            yield {path for path in xml_paths(article) if "@" not in path}


def recorded_annotations() -> Iterable[set[str]]:
    for path in shared_data("europepmc-annotations").glob("*.xml"):
        yield xml_paths(parsed(path))


def recorded_pubmed() -> Iterable[set[str]]:
    for path in shared_data("pubmed-efetch").glob("*.xml"):
        root = parsed(path)
        if root is not None:
            for record in root.iter("PubmedArticle", "PubmedBookArticle"):
                yield xml_paths(record)


def recorded_unpaywall() -> Iterable[set[str]]:
    for path in shared_data("unpaywall").glob("*.json"):
        reply = json.loads(path.read_bytes())
        for one in [result["response"] for result in reply["results"]] if "results" in reply else [reply]:
            yield key_paths(one)


def simulated_search() -> Iterable[set[str]]:
    return (key_paths(europepmc.core(p, record)) for p in UNIVERSE for record in p.records)


def simulated_full_text() -> Iterable[set[str]]:
    for publication in UNIVERSE:
        facts = publication.europepmc_fulltext
        if facts and publication.index < 240:
            root = etree.fromstring(jats.full_text_xml(publication, facts).lstrip(), PARSER)
            yield {path for path in xml_paths(root) if "@" not in path}


def simulated_annotations() -> Iterable[set[str]]:
    for publication in UNIVERSE:
        for source in ("PMC", "MED"):
            item = annotations.item(publication, f"{source}:x", [])
            if item and publication.index < 300:
                yield xml_paths(etree.fromstring(annotations.reply_xml([item])))


def simulated_pubmed() -> Iterable[set[str]]:
    for publication in UNIVERSE:
        if publication.pubmed:
            root = etree.fromstring(
                pubmed_xml.reply([pubmed_xml.record(publication, publication.pubmed)]), PARSER
            )
            yield from (xml_paths(record) for record in root)


def simulated_unpaywall() -> Iterable[set[str]]:
    for publication in UNIVERSE:
        if publication.unpaywall:
            yield key_paths(
                json.loads(unpaywall.found(publication, publication.unpaywall, publication.ids.doi))
            )


RESOURCES = {
    "europepmc-search": (recorded_search, simulated_search),
    "europepmc-fulltext": (recorded_full_text, simulated_full_text),
    "europepmc-annotations": (recorded_annotations, simulated_annotations),
    "pubmed-efetch": (recorded_pubmed, simulated_pubmed),
    "unpaywall": (recorded_unpaywall, simulated_unpaywall),
}


@cache
def compared(resource: str) -> tuple[int, Counter[str], frozenset[str]]:
    """How many replies were recorded, how many of them have each path, and the paths of the simulated ones."""
    recorded, simulated = RESOURCES[resource]
    replies = list(recorded())
    return len(replies), Counter(path for paths in replies for path in paths), frozenset().union(*simulated())


@needs_shared_data
@pytest.mark.parametrize("resource", RESOURCES)
def test_nothing_common_in_real_replies_is_missing_in_simulated_ones(resource: str) -> None:
    """Every path in more than 5 % of the recorded replies occurs here too, but for waivers with a reason."""
    replies, common, ours = compared(resource)
    missing = {
        path: f"{count / replies:.0%} of {replies}"
        for path, count in sorted(common.items())
        if count > RARE * replies and path not in ours and path not in WAIVED[resource]
    }

    assert missing == {}


@needs_shared_data
@pytest.mark.parametrize("resource", RESOURCES)
def test_no_waiver_is_idle(resource: str) -> None:
    """A waived path is common in real replies and missing here; otherwise the waiver goes."""
    replies, common, ours = compared(resource)
    idle = [path for path in WAIVED[resource] if common[path] <= RARE * replies or path in ours]

    assert idle == []
