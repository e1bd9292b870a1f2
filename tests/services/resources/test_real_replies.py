"""The recorded replies of the real services, where they are at hand."""

import json
import re
from xml.sax.saxutils import escape

from lxml import etree

from pubweave.contract.part_candidate import PartCandidate
from pubweave.contract.resource_done import ResourceDone
from pubweave.resources.europepmc.reading import read_json
from pubweave.resources.europepmc.reading import read_xml as read_search_xml
from pubweave.resources.europepmc_mined.reading import mined_terms, read_xml
from pubweave.resources.pubmed_html.reading import NoRecordPage, read_page
from pubweave.resources.pubmed_xml.reading import MalformedPubmedReply, read
from services.resources.builders import arbitrary_need, found, run
from services.resources.situations import service_of
from shared_data import needs_shared_data, shared_data

pytestmark = needs_shared_data


def _unwrapped(value):
    """getpapers wrote every value of the XML into an array; undo that, but for real lists."""
    if isinstance(value, list):
        return _unwrapped(value[0]) if len(value) == 1 else [_unwrapped(one) for one in value]
    if isinstance(value, dict):
        return {name: _unwrapped(one) for name, one in value.items()}
    return value


LISTS = ("keyword", "meshHeading", "pubType", "commentCorrection")


def _as_json(record):
    """As the JSON form has it: items of lists are arrays even if there is one."""
    if isinstance(record, dict):
        return {
            name: [_as_json(one) for one in (value if isinstance(value, list) else [value])]
            if name in LISTS
            else _as_json(value)
            for name, value in record.items()
        }
    return record


def _as_xml(record):
    if not isinstance(record, dict):
        return escape(str(record))
    return "".join(
        "".join(f"<{name}>{_as_xml(one)}</{name}>" for one in (value if isinstance(value, list) else [value]))
        for name, value in record.items()
        if name[0].isalpha()
    )


def core_records():
    for path in sorted(shared_data("europepmc-search").glob("getpapers_*.json")):
        yield path.name, _unwrapped(json.loads(path.read_text(encoding="utf-8")))
    for name in (
        "epmc_core_MED_39466770_retracted.json",
        "epmc_core_PPR_179288_preprint.json",
        "search_cancer_core.json",
    ):
        results = json.loads(shared_data("europepmc-search", name).read_text(encoding="utf-8"))["resultList"][
            "result"
        ]
        for number, record in enumerate(results):
            yield f"{name} {number}", record


def test_europepmc_core_records_say_the_same_in_json_and_xml():
    """Every recorded core record, read from both forms; what it holds comes out."""
    count = 0
    for name, record in core_records():
        json_body = json.dumps({"hitCount": 1, "resultList": {"result": [_as_json(record)]}}).encode()
        xml_body = f"<responseWrapper><hitCount>1</hitCount><resultList><result>{_as_xml(record)}</result></resultList></responseWrapper>"
        from_json = read_json(json_body)

        assert read_search_xml(xml_body.encode()) == from_json, name
        (read_record,) = from_json.records

        assert bool(record.get("title")) == bool(read_record.title), name
        assert bool(record.get("abstractText")) == bool(read_record.abstract), name
        assert re.search(r"</?\w+>|&\w+;", read_record.title + read_record.abstract) is None, name
        count += 1

    assert count == 72


def test_the_retracted_article_and_the_preprint_are_told_with_their_source():
    for name, pmid, doi, told in (
        (
            "epmc_core_MED_39466770_retracted.json",
            "39466770",
            "",
            {"notice": ("retracted", "MED", "41926417")},
        ),
        (
            "epmc_core_PPR_179288_preprint.json",
            "",
            "10.1101/2020.06.22.20137273",
            {"preprint": True, "relation": ("preprint-of", "MED", "32678530")},
        ),
    ):
        record = json.loads(shared_data("europepmc-search", name).read_text(encoding="utf-8"))["resultList"][
            "result"
        ][0]
        body = f"<responseWrapper><hitCount>1</hitCount><resultList><result>{_as_xml(record)}</result></resultList></responseWrapper>".encode()
        need = arbitrary_need("europepmc", "pmid" if pmid else "doi", pmid=pmid, doi=doi)
        events, _ = run(service_of("europepmc").step, [need], lambda wanted, body=body: found(wanted, body))
        fields = {event.field: event for event in events if hasattr(event, "field")}
        said = {}
        if "preprint" in fields:
            said["preprint"] = fields["preprint"].flag
        for kind in ("notice", "relation"):
            if kind in fields:
                value = getattr(fields[kind], kind)
                said[kind] = (value.kind, value.source, value.id)

        assert told == said


def efetch_files():
    for path in sorted(shared_data("pubmed-efetch").glob("*.xml")):
        yield path, path.read_bytes()


def test_every_pubmed_record_is_read_with_its_own_identifiers():
    """At least 290 articles and 5 book articles; identifiers of references never get in (fault 25)."""
    records, others = [], []
    for path, body in efetch_files():
        try:
            found_records, cut = read(body)
        except MalformedPubmedReply:
            others.append(path.name)
            continue

        assert not cut, path.name
        root = etree.fromstring(body, etree.XMLParser(load_dtd=False, no_network=True))
        for record, element in zip(
            found_records, root.iter("PubmedArticle", "PubmedBookArticle"), strict=True
        ):
            for references in list(element.iter("ReferenceList")):
                references.getparent().remove(references)
            own = {id_.text for id_ in element.iter("ArticleId", "ELocationID")}

            assert set(filter(None, record.article_ids)) <= own
        records += found_records

    assert len(records) >= 295
    assert sum(bool(record.article_ids[2]) for record in records) >= 184
    assert sum(not record.title for record in records) <= 1
    # What is no efetch reply (a web page, esearch, esummary, an ID converter) is not taken for one.
    assert not [name for name in others if "_efetch_" in name and name != "sulpub_efetch_small_30759e.xml"]
    assert len(others) >= 7


def test_retractions_of_pubmed_are_told():
    records, _ = read(shared_data("pubmed-efetch", "fatcat_pubmedsample_2019.xml").read_bytes())
    retracted = {
        record.pmid for record in records for entry in record.corrections if entry.type == "RetractionIn"
    }

    assert retracted == {
        record.pmid for record in records if "Retracted Publication" in record.publication_types
    }
    assert len(retracted) >= 2


def test_a_pubmed_set_of_many_is_cut_anywhere_and_read_up_to_its_last_whole_record():
    body = shared_data("pubmed-efetch", "fatcat_pubmedsample_2019.xml").read_bytes()
    whole, _ = read(body)
    for part in range(1, 20):
        length = len(body) * part // 20
        ended = body[:length].count(b"</PubmedArticle>")
        records, cut = read(body[:length])

        assert cut
        assert list(records) == list(whole[:ended])


def test_all_recorded_annotations_are_read():
    """47 replies, 1,574 annotations; each reply names its article by PMCID, with or without prefix."""
    count = 0
    for path in sorted(shared_data("europepmc-annotations").glob("*.xml")):
        (article,) = read_xml(path.read_bytes())
        count += len(article.annotations)

        assert f"PMC:{path.name.partition('_')[0]}" in article.names
        assert sum(term.count for term in mined_terms(article.annotations)) == sum(
            bool(one.exact.strip() and one.uri) for one in article.annotations
        )

    assert count == 1574


def test_recorded_articles_come_out_as_full_texts():
    """Each recorded fullTextXML asked by its own PMCID: an answer, its title first, no reference list."""
    ends = {}
    for path in sorted(shared_data("europepmc-fulltext").glob("*.xml")):
        need = arbitrary_need("europepmc_fulltext", "pmcid", pmcid="PMC1")
        body = path.read_bytes()
        events, asked = run(
            service_of("europepmc_fulltext").step, [need], lambda wanted, body=body: found(wanted, body)
        )
        done = events[-1]

        assert isinstance(done, ResourceDone)
        ends.setdefault(done.outcome, []).append(path.name)
        parts = {event.part: event for event in events if isinstance(event, PartCandidate)}
        if "fulltext" in parts and "title" in parts:
            assert parts["fulltext"].text.startswith(parts["title"].text), path.name
        if done.outcome == "abstract-only" and "fulltext" in parts:
            assert parts["fulltext"].marks == ("never-final",)
        if done.outcome == "malformed":
            assert len(asked) == 2

    assert len(ends["found"]) > 100
    assert len(ends.get("malformed", [])) <= 1, ends["malformed"]


def test_pubmed_pages_before_2020_are_read():
    """Four of the five recorded pages; the oldest design (2010) has no place that names the record."""
    pages = {}
    for path in sorted(shared_data("html-pubmed-pmc-epmc").glob("pubmed__*.html")):
        try:
            pages[path.name] = read_page(path.read_bytes())
        except NoRecordPage:
            continue

    assert {"1234567", "23175652", "25817406", "22188593"} == {page.pmid for page in pages.values()}
    assert all(page.title for page in pages.values())
    assert sum(len(page.abstract) > 500 for page in pages.values()) == 3
