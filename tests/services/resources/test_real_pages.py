"""The page resources on recorded replies: publishers' pages, walls, the DOI resolver's and Unpaywall's answers."""

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

import msgspec
import pytest

from core.reading.benches import bench
from core.reading.test_rules_on_recorded_pages import CASES
from core.reading.test_site_rules import RULES
from pubweave.contract.exchange import Reply
from pubweave.contract.link_found import LinkFound
from pubweave.contract.part_candidate import PartCandidate
from pubweave.contract.resource_done import ResourceDone
from pubweave.contract.values import Link
from pubweave.core.reading.rules import RuleBook, RuleFile, load_rules
from pubweave.core.toolkit.service import Context
from pubweave.resources.pmc_html.handler import page as pmc_page
from services.resources.builders import arbitrary_need, found, run
from services.resources.situations import service_of
from shared_data import SHARED_DATA, needs_shared_data, shared_data

LABELS = Path(__file__).resolve().parents[2] / "core" / "reading" / "recorded_pages.tsv"
PAGE = "https://publisher.example/article"


@cache
def labels() -> dict[str, tuple[str, str]]:
    """What a recorded page is, and the DOI that led to it, by the name of its file."""
    lines = [line.split("\t") for line in LABELS.read_text().splitlines() if not line.startswith("#")]
    return {path.rsplit("/", 1)[-1]: (label, doi) for path, label, _, doi, *_ in lines}


@cache
def rules_of(site: str) -> RuleBook:
    """Our rules of one site, for every address."""
    text = (RULES / "sites" / f"{site}.yaml").read_text()
    everywhere = re.sub(r"urls:\n(?:  - .*\n)+", "urls:\n  - ^.\n", text)
    return load_rules([RuleFile("site", f"{site}.yaml", everywhere)])


def read(page: bytes, doi: str, rules: RuleBook | None):
    """(outcome, candidates by part, the first of each) of a page reached by its DOI, or by a link without one."""
    if doi:
        resource, need = "doi", arbitrary_need("doi", "doi", doi=doi)
    else:
        resource, need = "links", arbitrary_need("links", "doi")
        need = msgspec.structs.replace(need, ask=None, link=Link(PAGE, "link"))

    def reply_to(wanted):
        if wanted.work.step == "resolve":
            return Reply(outcome="found", url=wanted.request.url, status=302, headers=(("location", PAGE),))
        return found(wanted, page, "text/html")

    events, _ = run(service_of(resource).step, [need], reply_to, Context(rules=rules))
    parts: dict[str, PartCandidate] = {}
    for event in events:
        if isinstance(event, PartCandidate):
            parts.setdefault(event.part, event)
    assert isinstance(events[-1], ResourceDone)
    return events[-1], parts


@needs_shared_data
@pytest.mark.parametrize(("site", "depth", "name"), CASES, ids=[name for _, _, name in CASES])
def test_a_publishers_page_gives_what_stands_on_it(site, depth, name):
    """An article is `found` with its full text; an abstract page is `abstract-only`, and no full text is final."""
    page = shared_data("publisher-html", f"{name}.html").read_bytes()
    label, doi = labels()[f"{name}.html"]
    done, parts = read(page, doi, rules_of(site))
    final = [
        part for part in parts.values() if part.type in ("doi", "link") and "never-final" not in part.marks
    ]

    assert ("found" if label == "article" else "abstract-only") == done.outcome
    assert done.success
    assert parts["title"].type in ("doi", "link")
    if label != "article" or depth == "full":
        assert ("fulltext" in {part.part for part in final}) == (label == "article")
    if depth != "title":
        assert parts["theAbstract"].type in ("doi", "link")
    if depth == "full":
        assert parts["fulltext"].size >= 10_000


@needs_shared_data
@pytest.mark.parametrize("resource", ["europepmc_html", "pmc_html"])
def test_a_page_of_pmcs_earlier_layout_gives_the_article(resource):
    """Europe PMC's page of 2014 held PMC's own markup: title, abstract, keywords and text, without thanks and references."""
    page = shared_data("html-pubmed-pmc-epmc", "europepmc__PMC4160115.html").read_bytes()
    need = arbitrary_need(resource, "pmcid", pmcid="PMC4160115")
    events, _ = run(
        service_of(resource).step, [need], lambda wanted: found(wanted, page, "text/html"), Context()
    )
    parts = {event.part: event for event in events if isinstance(event, PartCandidate)}

    assert parts["doi"].text == "10.1097/SLA.0000000000000894"
    assert parts["title"].text.startswith("Addressing the Appropriateness of ")
    assert len(parts["keywords"].words) == 5
    assert 1900 <= parts["theAbstract"].size <= 2100
    assert 27_000 <= parts["fulltext"].size <= 28_000
    assert not re.search("authors thank|Author contributions|REFERENCES", parts["fulltext"].text)


@needs_shared_data
def test_pages_of_pmc_give_the_article() -> None:
    """Its pages of 2024 to 2026: at least 90 % of the article's words, hardly any others, final."""
    measuring = bench("pages_fulltext")
    pages = [
        page for page in measuring.labelled() if page.first and page.name.startswith(("pmc__", "biomcp_pmc_"))
    ]
    found = list(measuring.measured(pages, pmc_page().rules))

    assert len(found) == 5
    assert [one.page.name for one in found if not (one.is_right and one.is_final)] == []


@needs_shared_data
def test_no_recorded_wall_gives_anything():
    """Challenge pages and error pages, whatever their status was: no part of any type."""
    seen = Counter()
    for path in sorted((SHARED_DATA / "http-errors").glob("*")):
        page = path.read_bytes()
        label, _ = labels().get(path.name, ("", ""))
        if label in ("bot-wall", "error"):
            done, parts = read(page, "10.5555/X", None)
            seen[label] += 1

            assert parts == {}, path.name
            assert not done.success
            assert done.outcome in ("blocked", "absent", "malformed", "empty")

    assert seen["bot-wall"] >= 2
    assert seen["error"] >= 5


@needs_shared_data
def test_recorded_redirects_of_the_resolver_lead_on():
    """302 and 303 of doi.org: the address that its page names is asked next; its 404 is `absent`."""
    led = 0
    for path in sorted((SHARED_DATA / "doi-org").glob("*doi.org_10*.html")):
        status = int(path.stem.rsplit("_", 1)[1])
        body = path.read_bytes()
        named = re.search(rb'(?i)href="(http[^"]+)"', body)
        location = named[1].decode().replace("&amp;", "&") if named is not None else ""

        def reply_to(wanted, status=status, body=body, location=location):
            if wanted.work.step != "resolve":
                return Reply(outcome="timeout", url=wanted.request.url, fetched_at=1)
            if status == 404:
                return Reply(outcome="absent", url=wanted.request.url, status=404, body=body)
            return msgspec.structs.replace(
                found(wanted, body, "text/html"), status=status, headers=(("location", location),)
            )

        events, asked = run(service_of("doi").step, [arbitrary_need("doi", "doi", doi="10.5555/X")], reply_to)
        (done,) = events

        assert isinstance(done, ResourceDone)
        if status == 404:
            assert done.outcome == "absent"
        else:
            led += 1
            assert asked[1].request.url == location
            assert asked[1].request.robots

    assert led >= 4


@needs_shared_data
def test_recorded_records_of_unpaywall_are_read_whole():
    """Every location of every record becomes its links, in order, the best one first; title and openness as said."""
    read_ = 0
    for path in sorted((SHARED_DATA / "unpaywall").glob("unpaywall_*10.*.json")):
        record = json.loads(path.read_bytes())
        if "oa_locations" not in record:
            continue
        read_ += 1
        events, _ = run(
            service_of("unpaywall").step,
            [arbitrary_need("unpaywall", "doi", doi=record["doi"].upper())],
            lambda wanted, path=path: found(wanted, path.read_bytes(), "application/json"),
            Context(unpaywall_email="ada@lake.example"),
        )
        pages, pdfs = [], []
        for place in record["oa_locations"]:
            pdf = place.get("url_for_pdf")
            pages += [url for url in (place["url"], place["url_for_landing_page"]) if url and url != pdf]
            pdfs += [pdf] if pdf else []
        links = [event.link for event in events if isinstance(event, LinkFound)]
        titles = [
            event.text for event in events if isinstance(event, PartCandidate) and event.part == "title"
        ]

        assert list(dict.fromkeys(pages)) == list(
            dict.fromkeys(link.url for link in links if link.type == "link_oadoi")
        )
        assert list(dict.fromkeys(pdfs)) == list(
            dict.fromkeys(link.url for link in links if link.type == "pdf_oadoi")
        )
        if record["best_oa_location"]:
            best = record["best_oa_location"]
            assert links[0].url in (best["url"], best["url_for_landing_page"], best["url_for_pdf"])
        assert bool(titles) == bool(record["title"])
        assert not any("<" in title for title in titles)
        assert any(getattr(event, "field", "") == "oa" for event in events) == bool(record["is_oa"])

    assert read_ >= 44
