"""The tables of `pubweave test run` (rules/tests), made of what was recorded of the real services.

`python -m e2e.tables` (in tests/) asks each resource alone about every identifier and page that was recorded, and
writes the sizes that came: numbers, identifiers and addresses, no word of anybody's text. A line says what the service
gave on the day it was recorded; the test beside this module finds the lines that our readers give otherwise today.
"""

import asyncio
import gzip
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from e2e.recorded_web import RecordedWeb
from pubweave.adapters.clock import SystemClock
from pubweave.cli.commands.test.trial import TESTED, Tested, publication_sizes
from pubweave.contract.exchange import Reply, Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.values import Identifiers, Link, Place, RunSettings
from pubweave.contract.vocabulary import PART_NAMES, PartName
from pubweave.core.identifiers import is_pmcid, is_pmid
from pubweave.core.reading.pages import read_webpage
from pubweave.core.toolkit.service import Context, Said
from pubweave.registry import service
from pubweave.runtimes.embedded.alone import ask_alone, folded
from shared_data import shared_data
from webpages.test_real_pages import PAGES

TABLES: Final = Path(__file__).parents[2] / "rules" / "tests"

Row = dict[str, str]


def identifiers(web: RecordedWeb, tested: Tested) -> Iterator[tuple[str, Identifiers, Link | None]]:
    """Everything that was recorded for a resource, as it is asked with."""
    match tested.name:
        case "europepmc-xml":
            yield from ((name, Identifiers(pmcid=name), None) for name in sorted(web.jats))
        case "pubmed-xml":
            yield from ((name, Identifiers(pmid=name), None) for name in sorted(web.pubmed, key=int))
        case "pubmed-html":
            yield from (
                (name, Identifiers(pmid=name), None) for name in sorted(web.old_pages) if is_pmid(name)
            )
        case "europepmc-html":
            yield from (
                (name, Identifiers(pmcid=name), None) for name in sorted(web.old_pages) if is_pmcid(name)
            )
        case "pmc-html":
            yield from ((name, Identifiers(pmcid=name), None) for name in sorted(web.pages_of_pmc))
        case "pmc-xml":
            yield from ((name, Identifiers(pmcid=name), None) for name in sorted(web.of_pmc))
        case "oadoi":
            yield from ((name, Identifiers(doi=name), None) for name in sorted(web.unpaywall))
        case "site":
            for page in sorted([*web.pages.values(), *web.without_doi], key=lambda page: page.url):
                if page.status == 200:
                    yield page.url, Identifiers(), Link(url=page.url, type="doi")


async def rows_of(web: RecordedWeb, tested: Tested) -> AsyncIterator[Row]:
    """One row for each that gave an answer."""
    assert tested.resource is not None
    context = Context(unpaywall_email="ada@lake.example", rules=web.rules, meta_tags=False)
    run = RunSettings(parts=PART_NAMES)
    for name, known, link in identifiers(web, tested):
        resource = tested.resource
        alone = await ask_alone(web, context, resource, known, run, SystemClock(), link)
        # A table cannot say "not known": an address with commas stands last, an identifier with one nowhere.
        first = tested.columns[0] == "id"
        # That nothing was mined is an answer.
        good = (
            ("found", "abstract-only", "empty")
            if resource == "europepmc_mined"
            else ("found", "abstract-only")
        )
        if alone.outcome in good and not (first and "," in name):
            sizes = publication_sizes(alone)
            yield {column: name if column == "id" else sizes[column] for column in tested.columns}


async def batched_rows(
    web: RecordedWeb, name: str, pmids: Iterable[str], *parts: tuple[PartName, ...]
) -> list[Row]:
    """Europe PMC's search and annotations were recorded as JSON, which is asked for in batches; a need for each of `parts`."""
    tested = TESTED[name]
    assert tested.resource is not None
    run = RunSettings(parts=PART_NAMES)
    needs = tuple(
        NeedsPart(
            publication=pmid,
            need=f"{pmid} {number}",
            place=Place(0, 1, 1, 1, 1, number),
            resource=tested.resource,
            identifiers=Identifiers(pmid=pmid),
            ask="pmid",
            missing=missing,
            settings=run,
        )
        for pmid in sorted(pmids, key=int)
        for number, missing in enumerate(parts)
    )
    found: dict[str, list[Said]] = {need.publication: [] for need in needs}
    of_need = {need.need: need.publication for need in needs}
    waiting = [
        Work(resource=tested.resource, needs=needs[start : start + 50]) for start in range(0, len(needs), 50)
    ]
    asked: list[tuple[Work, Reply | None]] = [(work, None) for work in waiting]
    while asked:
        for said in service(tested.resource).step(*asked.pop(), Context()):
            if isinstance(said, ReplyWanted):
                asked.append((said.work, await web.fetch(said)))
            else:
                found[of_need[said.need]].append(said)
    rows = []
    for pmid, said_of_it in found.items():
        alone = folded(said_of_it, Identifiers(pmid=pmid), run, 0)
        # That nothing was mined is an answer.
        if alone.outcome == "found" or (alone.outcome == "empty" and tested.resource == "europepmc_mined"):
            sizes = publication_sizes(alone)
            rows.append({column: pmid if column == "id" else sizes[column] for column in tested.columns})
    return rows


def webpage_rows(web: RecordedWeb) -> list[Row]:
    """Pages of tools and databases that there are rules for."""
    rows = []
    for url, body in sorted(_webpages(web)):
        found = read_webpage(body, url, web.rules)
        if found.by_rules:
            sizes = {
                key: str(len(getattr(found, key))) for key in ("title", "content", "license", "language")
            }
            rows.append({**sizes, "id": url})
    return rows


def _webpages(web: RecordedWeb) -> Iterator[tuple[str, bytes]]:
    """The recorded pages by address: that which a person has found for them, or one they give that the rules know."""
    for path in shared_data("webpages").glob("*.html*"):
        body = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        if path.name in PAGES:
            yield PAGES[path.name].url, body
            continue
        tree = LexborHTMLParser(body)
        said = [
            node.attributes.get(name) or ""
            for selector, name in (("link[rel=canonical]", "href"), ('meta[property="og:url"]', "content"))
            for node in tree.css(selector)
        ]
        known = [url for url in said if url.startswith("http") and web.rules.webpage_for(url).rule]
        yield from ((url, body) for url in known[:1])


async def all_rows(web: RecordedWeb) -> dict[str, list[Row]]:
    """The rows of every table that has any, by its name."""
    tables = {
        TESTED["europepmc"].table: await batched_rows(
            web, "europepmc", filter(is_pmid, web.core), PART_NAMES
        ),
        TESTED["europepmc-mined"].table: await batched_rows(
            web,
            "europepmc-mined",
            [article["extId"] for article in web.annotated.values() if article["source"] == "MED"],
            ("efo",),
            ("go",),
        ),
        TESTED["webpage"].table: webpage_rows(web),
    }
    for tested in TESTED.values():
        if tested.resource is not None:
            rows = [row async for row in rows_of(web, tested)]
            if rows:
                tables[tested.table] = rows
    return tables


def text_of(rows: list[Row]) -> str:
    """A table as `pubweave test run` reads it: the last column takes the rest of its line, commas and all."""
    columns = list(rows[0])
    return "".join(",".join(row.get(column, column) for column in columns) + "\n" for row in [{}, *rows])


def main() -> None:
    TABLES.mkdir(exist_ok=True)
    for name, rows in asyncio.run(all_rows(RecordedWeb())).items():
        (TABLES / name).write_text(text_of(rows))
        print(f"{name}: {len(rows)} lines")


if __name__ == "__main__":
    main()
