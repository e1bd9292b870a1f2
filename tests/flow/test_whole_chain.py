"""All resources, from Europe PMC to PDFs, with the real fetcher and PDF reader on the simulated internet: which part
comes from which source is what the universe says, request for request, and no wall ever fills a part."""

from collections import Counter

import pytest

from flow.clocks import ImpatientClock
from flow.judge import THRESHOLDS, whole_chain, wrong
from flow.tables import lines_of, system_on, table
from flow.test_embedded import without_addresses
from pubweave.contract.values import RunSettings
from pubweave.core.record import is_final
from pubweave.runtimes.embedded.explain import status
from pubweave.runtimes.embedded.jobs import JobSettings, Line
from simnet.chain import API, walk
from simnet.expectation import expected
from simnet.facts import Face, PdfKind
from simnet.faults import Fault, Kind
from simnet.fixture import running
from simnet.floor import needed_asks
from simnet.profile import BY_THE_PAGE, Profile
from simnet.universe import Universe

pytestmark = pytest.mark.network

SIZE, BLOCKS = 1000, 4


@pytest.fixture(scope="module")
def universe() -> Universe:
    return Universe(seed=11, size=SIZE)


@pytest.mark.parametrize("block", range(BLOCKS))
async def test_every_part_is_from_the_source_that_the_universe_says(
    universe: Universe, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousand publications through everything: types and contents, fields, visited sites, the questions that were asked,
    and numbers that reconcile."""
    count, start = SIZE // BLOCKS, block * SIZE // BLOCKS
    submissions = universe.submissions(count, start)
    lines = [
        Line(number, line.identifiers)
        for number, line in enumerate(lines_of(universe, start + count)[start:], start=1)
    ]
    with running(universe) as net:
        async with system_on(net, monkeypatch=monkeypatch, context=whole_chain(), resources=None) as system:
            done = {one.line: one async for one in system.run_job(lines)}
            told = await status(system.storage.store)
        asked = net.log.asks()
        robots = Counter(entry.host for entry in net.log.requests("robots"))
    walks = [found for ids in submissions if (found := walk(universe, ids))]
    needed = needed_asks(walks)
    # What ended with fetchException has its second chance at the end; its PMID may have been found meanwhile.
    again = {("europepmc", value) for one in walks for value, _ in one.ids.values()}

    assert wrong(expected(universe, submissions), done) == []
    assert needed - asked == set()
    assert asked - needed - again == set()
    assert told.reconciled, told.differences
    assert max(robots.values()) == 1, "robots.txt is asked for once a host"


async def test_a_visited_host_is_not_visited_again_without_need(
    universe: Universe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F-DOI-08: in a second fetch, the page of a host that was visited is left alone once the full text is final; where it is
    not, the page is read again."""
    chosen = [
        (walked.final("fulltext"), line)
        for line, ids in zip(lines_of(universe, SIZE), universe.submissions(), strict=True)
        if (walked := walk(universe, ids))
        and walked.visited
        and not walked.final("theAbstract")
        # Where doi.org leads to another DOI first, the host is known only when the page has been fetched.
        and all(page.way != "alias" for page in walked.publication.pages.values())
    ]
    lines = [line for final, line in chosen if final][:40] + [line for final, line in chosen if not final][
        :20
    ]
    with running(universe) as net:
        async with system_on(
            net, monkeypatch=monkeypatch, context=whole_chain(), resources=None, second_chance=False
        ) as system:
            first = {one.line: one.record async for one in system.run_job(lines)}
            net.reset()
            async for _ in system.run_job(lines, JobSettings(idempotency_key="again"), job="again"):
                pass
        resolved = {name.lower() for resource, name in net.log.asks() if resource == "doi"}
        pages = {name for resource, name in net.log.asks() if resource == "publisher"}
    left_alone = read_again = 0
    for record in first.values():
        assert record is not None
        visited = [site.url for site in record.visited_sites if site.type == "doi"]
        if not visited or record.doi.text.lower() not in resolved:
            continue
        if is_final("fulltext", record.fulltext, THRESHOLDS):
            left_alone += 1
            assert visited[0] not in pages
        else:
            read_again += visited[0] in pages

    assert left_alone >= 15
    assert read_again >= 5


async def test_latencies_never_change_a_record_of_the_whole_chain(
    universe: Universe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages, open copies and PDFs that overtake each other, over more connections and with fewer publications under way,
    give the same records and ask the same."""
    lines = lines_of(universe, 120)
    with running(universe) as net:
        async with system_on(net, monkeypatch=monkeypatch, context=whole_chain(), resources=None) as system:
            calm = await table(system, lines)
        asked = net.log.asks()
    with running(universe, latency_s=0.004, jitter=0.9) as net:
        async with system_on(
            net,
            monkeypatch=monkeypatch,
            context=whole_chain(),
            resources=None,
            in_flight=40,
            connections_per_host=4,
        ) as system:
            hurried = await table(system, lines)
        asked_in_a_hurry = net.log.asks()

    assert without_addresses(hurried) == without_addresses(calm)
    assert asked_in_a_hurry == asked


async def test_nothing_is_filled_from_walls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where every page is a login, consent or bot wall, a soft 404 or another article, and every PDF is locked, broken, a login
    page or of another article, nothing of a page's or PDF's type is in any record; what was met is said."""
    walls: dict[Face, float] = {"login": 0.2, "consent": 0.2, "bot": 0.2, "soft-404": 0.2, "other": 0.2}
    pdfs: dict[PdfKind, float] = {"locked": 0.25, "broken": 0.25, "login": 0.25, "wrong": 0.25}
    walled = Universe(13, 160, Profile(faces=walls, copy_faces=walls, pdfs=pdfs))
    kept = [number for number in range(walled.size) if walled.publication(number).kind not in BY_THE_PAGE]
    submissions = [walled.publication(number).submitted for number in kept]
    every = lines_of(walled, walled.size)
    lines = [Line(line, every[number].identifiers) for line, number in enumerate(kept, start=1)]
    with running(walled) as net:
        async with system_on(net, monkeypatch=monkeypatch, context=whole_chain(), resources=None) as system:
            done = {one.line: one async for one in system.run_job(lines)}
            told = await status(system.storage.store)
    types = {
        part.type
        for one in done.values()
        if one.record is not None
        for _, part in one.record.parts()
        if not part.is_empty
    }

    assert wrong(expected(walled, submissions), done) == []
    assert types <= {
        "europepmc",
        "europepmc_xml",
        "pubmed_xml",
        "pubmed_html",
        "pmc_xml",
        "oadoi",
        "link_oadoi",
        "external",
    }
    assert {"blocked", "absent", "empty"} <= set(told.needs["doi"])
    assert "found" not in told.needs["doi"]
    assert {"blocked", "malformed", "wrong-type", "empty"} <= set(told.needs["pdf"])
    assert not any(record.visited_sites for one in done.values() if (record := one.record))


@pytest.mark.parametrize(
    ("kind", "outcome"), [("503", "refused-by-robots"), ("tarpit", "timeout"), ("reset", "reset")]
)
async def test_where_robots_txt_cannot_be_had_no_page_is_asked_for(
    universe: Universe, kind: Kind, outcome: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RFC 9309, 2.3.1.4: pages and PDFs are refused for now; records are those of the sources that need no robots.txt."""
    submissions = universe.submissions(40)
    with running(universe, faults=[Fault(kind, "robots")]) as net:
        async with system_on(
            net,
            monkeypatch=monkeypatch,
            context=whole_chain(),
            resources=None,
            second_chance=False,
            clock=ImpatientClock(),
        ) as system:
            settings = JobSettings(settings=RunSettings(timeout_ms=2500))
            done = {one.line: one async for one in system.run_job(lines_of(universe, 40), settings)}
            told = await status(system.storage.store)
        asked = {resource for resource, _ in net.log.asks()}
    without_pages = expected(universe, submissions, resources=API | {"unpaywall"})
    wrong_types = [
        (line, part, record.part(part).type, type_)
        for line, one in enumerate(without_pages, start=1)
        if (record := done[line].record) is not None
        for part, type_ in one.types.items()
        if record.part(part).type != type_
    ]

    assert wrong_types == []
    assert not asked & {"publisher", "publisher_pdf"}
    assert told.needs["doi"][outcome] >= 10
    assert told.reconciled, told.differences
