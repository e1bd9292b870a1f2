"""The recorded replies of the real services as a door: what was recorded is answered, all else is not there.

`python -m e2e.recorded [N]` (in tests/) fetches everything that was recorded and prints which parts came out and
the first N records, to be compared with the sources by eye.
"""

import asyncio
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from lxml import etree

from pubweave.adapters.sqlite import SqliteStorage
from pubweave.contract.exchange import Reply, Request
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.values import Identifiers
from pubweave.contract.vocabulary import PART_NAMES
from pubweave.core.identifiers import is_pmcid, is_pmid, normalise_doi
from pubweave.registry import API_RESOURCES
from pubweave.runtimes.embedded.jobs import Finished, Line
from pubweave.runtimes.embedded.system import EmbeddedSystem
from services.resources.test_real_replies import _as_json, core_records
from shared_data import shared_data

_PARSER = etree.XMLParser(load_dtd=False, no_network=True, resolve_entities=False, recover=True)


class Recorded:
    """An index of shared/data, and a door over it."""

    def __init__(self) -> None:
        self.core: dict[str, dict[str, Any]] = {}
        self.asked: Counter[str] = Counter()
        for _, record in core_records():
            for name in (record.get("pmid"), record.get("pmcid"), record.get("doi") or record.get("DOI")):
                if isinstance(name, str):
                    self.core.setdefault(normalise_doi(name), _as_json(record))
        self.jats = {
            path.stem: path.read_bytes()
            for path in sorted(shared_data("europepmc-fulltext").glob("PMC*.xml"))
        }
        self.of_pmc = [name for name in self.jats if name in _given_by_pmc()]
        self.annotated: dict[str, dict[str, Any]] = {}
        """The fullest answer recorded of each article, by the name it is asked for with."""
        for path in sorted(shared_data("europepmc-annotations").glob("annotations_*.json")):
            for article in json.loads(path.read_bytes()):
                name = f"{article['source']}:{article['extId']}"
                if len(article["annotations"]) >= len(self.annotated.get(name, {}).get("annotations", ())):
                    self.annotated[name] = article
        self.pubmed: dict[str, bytes] = {}
        for path in sorted(shared_data("pubmed-efetch").glob("*.xml")):
            for article in _pubmed_articles(path.read_bytes()):
                pmid = article.findtext("MedlineCitation/PMID") or article.findtext("BookDocument/PMID")
                if pmid:
                    self.pubmed.setdefault(pmid, etree.tostring(article))

    def lines(self) -> list[Line]:
        """Every identifier that something was recorded for."""
        names = list({id(record): name for name, record in self.core.items()}.values())
        names += [name for name in self.jats if name not in self.core]
        names += [name for name in self.pubmed if name not in self.core]
        return [
            Line(
                number,
                Identifiers(
                    pmid=name if is_pmid(name) else "",
                    pmcid=name if is_pmcid(name) else "",
                    doi="" if is_pmid(name) or is_pmcid(name) else name,
                ),
            )
            for number, name in enumerate(dict.fromkeys(names), start=1)
        ]

    async def fetch(self, wanted: ReplyWanted) -> Reply:
        request = wanted.request
        body, kind = self._answer(request)
        if body is None:
            return Reply(outcome="absent", url=request.url, final_url=request.url, status=404, fetched_at=1)
        return Reply(
            outcome="found",
            url=request.url,
            final_url=request.url,
            status=200,
            content_type=kind,
            body=body,
            fetched_at=1,
        )

    def _answer(self, request: Request) -> tuple[bytes | None, str]:
        url = urlsplit(request.url)
        form = dict(request.form) or {name: values[0] for name, values in parse_qs(url.query).items()}
        self.asked[url.path.rsplit("/", 1)[-1]] += 1
        if "fullTextXML" in url.path:
            return self.jats.get(url.path.split("/")[-2]), "application/xml"
        if "annotations" in url.path:
            return self._annotated(form), "application/json"
        if "search" in url.path:
            return self._search(form)
        if "efetch" in url.path and form.get("db") == "pubmed":
            found = [self.pubmed[one] for one in form["id"].split(",") if one in self.pubmed]
            return b"<PubmedArticleSet>" + b"".join(found) + b"</PubmedArticleSet>", "text/xml"
        if "efetch" in url.path:
            articles = [self.jats[f"PMC{one}"] for one in form["id"].split(",") if f"PMC{one}" in self.jats]
            inner = b"".join(etree.tostring(etree.fromstring(one, _PARSER)) for one in articles)
            return b"<pmc-articleset>" + inner + b"</pmc-articleset>", "text/xml"
        return None, ""

    def _annotated(self, form: dict[str, str]) -> bytes:
        """Of each article the annotations of the types that are asked for, as the service chooses them."""
        types = form["type"].split(",") if "type" in form else None
        told = [
            self.annotated[name] for name in form.get("articleIds", "").split(",") if name in self.annotated
        ]
        for article in told:
            chosen = [one for one in article["annotations"] if types is None or one["type"] in types]
            told[told.index(article)] = {**article, "annotations": chosen}
        return json.dumps(told).encode()

    def _search(self, form: dict[str, str]) -> tuple[bytes, str]:
        query = unquote(form["query"])
        asked = re.findall(r'(?:ext_id|pmcid|doi):"?([^"\s)]+)"?', query, re.IGNORECASE)
        found = {id(one): one for name in asked if (one := self.core.get(normalise_doi(name)))}
        if form.get("format", "").lower() == "json":
            told = {"version": "6.9", "hitCount": len(found), "resultList": {"result": list(found.values())}}
            return json.dumps(told).encode(), "application/json"
        return b"<responseWrapper><hitCount>0</hitCount><resultList/></responseWrapper>", "application/xml"


def _given_by_pmc() -> set[str]:
    """Articles that were got of NCBI, by efetch or as part of its open-access packages."""
    lines = shared_data("PROVENANCE.tsv").read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines if line.startswith("europepmc-fulltext\tPMC"))
    return {row[1].removesuffix(".xml") for row in rows if row[9].startswith(("pmc-oa", "ncbi"))}


def _pubmed_articles(body: bytes) -> Iterator[Any]:
    try:
        root = etree.fromstring(body, _PARSER)
    except etree.XMLSyntaxError:
        return
    if root is not None:
        yield from root.iter("PubmedArticle", "PubmedBookArticle")


async def fetch_all(recorded: Recorded) -> list[Finished]:
    """One job over everything that was recorded."""
    storage = SqliteStorage.in_memory()
    async with EmbeddedSystem.over(storage, recorded, resources=API_RESOURCES) as system:
        done = [one async for one in system.run_job(recorded.lines())]
    await storage.close()
    return sorted(done, key=lambda one: one.line)


def report(done: list[Finished]) -> Counter[tuple[str, str]]:
    """How many records have which part from which type."""
    return Counter(
        (name, part.type)
        for one in done
        if one.record is not None
        for name, part in one.record.parts()
        if not part.is_empty
    )


def main() -> None:
    recorded = Recorded()
    done = asyncio.run(fetch_all(recorded))
    counts = report(done)
    print(f"{len(done)} identifiers: {dict(Counter(one.settled.outcome for one in done))}")
    for name in PART_NAMES:
        print(f"  {name:12}", {type_: count for (part, type_), count in counts.items() if part == name})
    with_text = [one for one in done if one.record is not None and not one.record.theAbstract.is_empty]
    for one in with_text[:: max(1, len(with_text) // int(sys.argv[1]))] if len(sys.argv) > 1 else []:
        record = one.record
        assert record is not None
        print(
            f"\n{record.identifiers.known()} {record.journal_title} oa={record.oa} cited={record.citations_count}"
        )
        print(f"  {record.title.text} [{record.title.type}]")
        print(f"  {record.keywords.words[:6]} | {[term.term for term in record.mesh.mesh][:4]}")
        print(f"  {record.theAbstract.text[:300]!r} [{record.theAbstract.type}]")
        print(f"  full text: {record.fulltext.size} {record.fulltext.text[-160:]!r} [{record.fulltext.type}]")
        print(f"  {record.corresp_author} {record.notices}")


if __name__ == "__main__":
    main()
