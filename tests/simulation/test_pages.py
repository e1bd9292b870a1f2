"""Web pages and docs on the simulated bus: the embedded system's records, whatever happens to the machines."""

from collections.abc import Mapping
from typing import Final

import msgspec
import pytest

from pubweave import registry
from pubweave.adapters.clock import SystemClock
from pubweave.adapters.memory import MemoryStorage
from pubweave.contract.exchange import Reply
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.line_standing import LineStanding
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.submissions_entered import SubmissionsEntered
from pubweave.contract.values import Cooldowns
from pubweave.contract.vocabulary import PageKind
from pubweave.contract.webpage_accepted import WebpageAccepted
from pubweave.contract.webpage_read import WebpageRead
from pubweave.core.toolkit.service import Context
from pubweave.core.webpage_record import WebpageRecord, decode_webpage
from pubweave.runtimes.embedded.webpages import PageLine, PageWishes, Webpages
from pubweave.runtimes.messages.webpages import PageRebuilder
from simulation.running import WILD, needs, settled
from simulation.system import NO_FAULTS, Faults, SimulatedSystem
from webpages.site import html

PAGES: Final = tuple(registry.page_service(entry) for entry in ("webpage", "doc"))
HOST: Final = "http://tool.example"

LONG: Final = html("Long", "word " * 3000).body
ANSWERS: Final[Mapping[str, Reply]] = {
    "/good": Reply("found", "", status=200, content_type="text/html", body=html("Good").body),
    "/long": Reply("found", "", status=200, content_type="text/html", body=LONG),
    "/empty": Reply("found", "", status=200, content_type="text/html", body=b"<html></html>"),
    "/gone": Reply("absent", "", status=404, content_type="text/html", evidence="HTTP 404"),
    "/busy": Reply("unavailable", "", status=503, evidence="HTTP 503", web_fetch_exception=True),
    "/ever": Reply("unavailable", "", status=503, evidence="HTTP 503", web_fetch_exception=True),
    "/later": Reply("rate-limited", "", status=429, retry_after_ms=90_000, web_fetch_exception=True),
}


class World:
    """Answers by path; `/busy` is unavailable in the first run of a page, and there in every other. There is no browser.

    The same question has the same answer, however often it comes: what a crash repeats is no second try.
    """

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def fetch(self, wanted: ReplyWanted) -> Reply:
        url = wanted.request.url
        self.asked.append(url)
        if wanted.door == "renderer":
            return Reply("no-door", url, fetched_at=5)
        path = url.removeprefix(HOST).partition("#")[0]
        (need,) = wanted.work.needs
        healed = path == "/busy" and need.place.run > 1
        answer = ANSWERS["/good" if healed else path]
        final = {"final_url": url} if answer.status else {}
        return msgspec.structs.replace(answer, url=url, fetched_at=5, **final)


class Changing:
    """A site whose pages say how often they were asked."""

    def __init__(self) -> None:
        self._asked = 0

    async def fetch(self, wanted: ReplyWanted) -> Reply:
        self._asked += 1
        url = wanted.request.url
        body = html(f"Answer {self._asked}").body
        return Reply(
            "found", url, final_url=url, status=200, content_type="text/html", body=body, fetched_at=5
        )


def line(number: int, path: str, entry: PageKind = "webpage", **more: object) -> FetchRequested:
    named = {"job": "job", **more}
    return FetchRequested(line=number, url=HOST + path, entry=entry, submitted_at=number, **named)  # type: ignore[arg-type]


LINES: Final = (
    line(1, "/good"),
    line(2, "/good"),
    line(3, "/good", "doc"),
    line(4, "/long"),
    line(5, "/empty"),
    line(6, "/gone"),
    line(7, "/busy"),
    line(8, "/busy", "doc"),
    line(9, "/busy"),
    line(10, "/good#again"),
)


async def ran(seed: int, faults: Faults, lines: tuple[FetchRequested, ...] = LINES) -> SimulatedSystem:
    system = SimulatedSystem(seed, [], World(), faults=faults, pages=PAGES)
    system.submit(*lines)
    system.close_job("job", len(lines))
    await system.run()
    return system


async def records(storage: MemoryStorage) -> dict[tuple[str, str], WebpageRecord]:
    """Without the times, which are those of the run."""
    found = {}
    for entry in ("webpage", "doc"):
        async for stored in storage.store.records(entry):
            record = decode_webpage(stored.body)
            found[entry, record.start_url] = msgspec.structs.replace(record, fetch_time=0)
    return found


async def embedded() -> dict[tuple[str, str], WebpageRecord]:
    """The same lines in one process."""
    storage = MemoryStorage()
    async with Webpages(storage, World(), Context(), SystemClock()) as pages:
        for entry in ("webpage", "doc"):
            some = [PageLine(one.line, one.url) for one in LINES if one.entry == entry]
            assert len([one async for one in pages.fetch(some, PageWishes(entry=entry))]) == len(some)
    return await records(storage)


@pytest.mark.parametrize("faults", [NO_FAULTS, WILD])
async def test_records_are_those_of_one_process_whatever_happens(faults: Faults) -> None:
    """Design law 1: order, repeats, crashes and moving partitions change nothing but times."""
    expected = await embedded()
    for seed in range(25):
        system = await ran(seed, faults)

        assert await records(system.storage) == expected, f"seed {seed}"


async def test_every_line_has_one_outcome_and_every_run_one_answer() -> None:
    """Design law 3; lines with one address share a run, web pages and docs do not."""
    for seed in range(25):
        system = await ran(seed, WILD)
        outcomes = settled(system)
        runs = {
            (one.publication, one.epoch, one.run)
            for one in system.events("webpages")
            if isinstance(one, WebpageAccepted)
        }
        answered = {
            (one.publication, one.epoch, one.run)
            for one in system.events("webpages")
            if isinstance(one, WebpageRead)
        }

        assert {one.outcome for one in outcomes.values()} == {"finished"}, f"seed {seed}"
        assert sorted(outcomes) == list(range(1, 11)), f"seed {seed}"
        assert runs == answered, f"seed {seed}"
        assert len(runs) == 10, f"seed {seed}"  # eight pages, two of them twice
        assert len(needs(system)) == 10, f"seed {seed}"


async def test_a_second_chance_comes_when_all_others_have_outcomes() -> None:
    """F-CAN-09 on the bus: withheld, then fetched once more; retryCounter 1, the flag gone."""
    system = await ran(3, NO_FAULTS)
    found = await records(system.storage)
    withheld = {
        one.line for one in system.events("jobs") if isinstance(one, LineStanding) and one.said == "withheld"
    }

    assert withheld == {7, 8, 9}
    for entry in ("webpage", "doc"):
        busy = found[entry, f"{HOST}/busy"]
        assert (busy.title, busy.retry_counter, busy.fetch_exception) == ("Good", 1, False)


async def test_a_second_chance_is_given_once_and_not_before_its_time() -> None:
    """A page that never heals ends after two runs; the second begins with the line that enters once more, however
    often the first is repeated."""
    lines = (line(1, "/ever"), line(2, "/good"), line(3, "/gone"))
    for seed in range(25):
        system = await ran(seed, WILD, lines)
        told = [
            one
            for one in system.events("webpages")
            if one.publication == f"webpage {HOST}/ever"  # type: ignore[union-attr]
        ]
        runs = [one.run for one in told if isinstance(one, WebpageAccepted)]
        chance = next(
            at
            for at, one in enumerate(told)
            if isinstance(one, SubmissionsEntered) and one.lines[0].second_chance
        )
        second = next(at for at, one in enumerate(told) if isinstance(one, WebpageAccepted) and one.run == 2)

        assert set(runs) == {1, 2}, f"seed {seed}"
        assert chance < second, f"seed {seed}"
        assert sorted(settled(system)) == [1, 2, 3], f"seed {seed}"


async def test_of_two_answers_to_one_run_the_first_counts() -> None:
    """A crash may ask twice, and a page may have changed meanwhile: record and outcome rest on one of them."""
    differed = 0
    for seed in range(25):
        system = SimulatedSystem(seed, [], Changing(), faults=WILD, pages=PAGES)
        system.submit(*(line(n, f"/{n}") for n in range(1, 6)))
        await system.run()
        found = await records(system.storage)
        for number in range(1, 6):
            read = [
                one
                for one in system.events("webpages")
                if isinstance(one, WebpageRead) and one.url == f"{HOST}/{number}"
            ]
            differed += len({one.title for one in read}) > 1

            assert found["webpage", f"{HOST}/{number}"].title == read[0].title, f"seed {seed}"
        assert {one.version for one in settled(system).values()} == {1}, f"seed {seed}"

    assert differed, "the faults never made a page be asked twice"


async def test_what_is_good_is_not_asked_again() -> None:
    """F-CAN-05 over jobs: the line ends with what is there."""
    system = await ran(1, NO_FAULTS, (line(1, "/good"),))
    system.submit(FetchRequested(job="later", line=1, url=f"{HOST}/good", entry="webpage"))
    system.close_job("later", 1)
    await system.run()
    told = {(one.job, one.fetched) for one in system.events("submissions-settled")}  # type: ignore[union-attr]

    assert told == {("job", True), ("later", False)}
    assert len(needs(system)) == 1


async def test_a_server_that_asks_to_wait_is_waited_for_by_the_scheduler() -> None:
    """Nobody sleeps; three times, then the page says so."""
    lines = (line(1, "/later", cooldowns=Cooldowns(retryLimit=0)),)
    for faults in (NO_FAULTS, WILD):
        system = await ran(2, faults, lines)
        (page,) = (await records(system.storage)).values()

        assert (page.outcome, page.fetch_exception) == ("rate-limited", True)
        assert system.events("delayed")
        assert system.clock.now_ms() > 270_000
        assert settled(system)[1].outcome == "finished"


async def test_at_its_deadline_a_page_is_parked() -> None:
    """The line is told; what comes later is stored all the same."""
    system = await ran(4, NO_FAULTS, (line(1, "/later", deadline_at=60_000),))

    assert (settled(system)[1].outcome, settled(system)[1].reason) == (
        "parked",
        "not finished at its deadline",
    )


async def test_the_log_makes_the_pages_of_the_bus_anew() -> None:
    """P-01: the facts of the topic, in any order, are all there is to know."""
    system = await ran(6, WILD)
    target = MemoryStorage()
    rebuilder = PageRebuilder(target.store)
    said = system.events("webpages")
    for event in [*reversed(said), *said]:
        await rebuilder.take(event)

    assert await rebuilder.finish() == 8
    for entry in ("webpage", "doc"):
        assert [one async for one in target.store.records(entry)] == [
            one async for one in system.storage.store.records(entry)
        ]
