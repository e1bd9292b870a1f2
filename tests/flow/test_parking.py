"""What is parked at a deadline is unfinished, not answered: it is asked when its publication is fetched again."""

import asyncio

import pytest

from flow.worlds import CHAIN_RESOURCES, THRESHOLDS, Known, World, question, say
from pubweave.adapters.clock import ManualClock
from pubweave.adapters.sqlite.storage import SqliteStorage
from pubweave.contract.exchange import Reply
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.values import Identifiers, RunSettings
from pubweave.core.merging.decide import Abilities, Walked, record_of, walk
from pubweave.core.merging.state import PublicationState
from pubweave.core.record import Record
from pubweave.merger.handler import advance, answer_claim, hear_request, send, unanswered
from pubweave.runtimes.embedded.delivery import Delivery
from pubweave.runtimes.embedded.jobs import JobSettings, Line
from pubweave.runtimes.embedded.system import EmbeddedSystem

ABILITIES = Abilities(frozenset(CHAIN_RESOURCES))
ARTICLE = {
    ("europepmc", "pmid", "1"): Known(
        parts=[
            ("pmcid", "europepmc", "PMC1", ()),
            ("title", "europepmc", 9, ()),
            ("theAbstract", "europepmc", 300, ()),
        ],
        gates={"isOpenAccess": True, "hasTextMinedTerms": True},
    ),
    ("europepmc_fulltext", "pmcid", "PMC1"): Known(parts=[("fulltext", "europepmc_xml", 70, ())]),
    ("europepmc_mined:efo", "pmcid", "PMC1"): Known(parts=[("efo", "europepmc", 2, ())]),
    ("europepmc_mined:go", "pmcid", "PMC1"): Known(parts=[("go", "europepmc", 3, ())]),
}


def requested(line: int) -> FetchRequested:
    return FetchRequested(
        f"job{line}", line, Identifiers(pmid="1"), settings=RunSettings(thresholds=THRESHOLDS)
    )


def answered(state: PublicationState, most: int) -> Walked:
    """Go on until so many answers have come."""
    world = World(1, Identifiers(pmid="1"), requested(1).settings, ARTICLE)
    for answers in range(most + 1):
        advanced = advance(state, ABILITIES)
        for claim in advanced.claims:
            state.add(answer_claim(claim, "granted"))
        send(state, advanced.walked)
        pending = [need for need in state.sent.values() if not state.has_outcome(need.need)]
        if not pending or answers == most:
            break
        for event in say(pending[0], world.answer(*question(pending[0])), Reply(outcome="found", url="u")):
            if not isinstance(event, ReplyWanted):
                state.add(event)
    return walk(state, ABILITIES)


def begin(state: PublicationState, line: int) -> None:
    accepted = hear_request(state, requested(line), 1000 * line, ABILITIES).accepted
    assert accepted is not None
    state.add(accepted)


def contents(record: Record) -> dict[str, tuple[str, int]]:
    return {name: (part.type, part.size) for name, part in record.parts()}


@pytest.mark.parametrize("answers", range(4))
def test_what_was_parked_is_fetched_whole_the_next_time(answers: int) -> None:
    """However far it had come, with title and abstract final already: nothing that was cancelled counts as
    answered (design law 3), and it is a new fetch, not a retry."""
    whole = PublicationState("p")
    begin(whole, 1)
    expected = record_of(whole, answered(whole, 50))
    state = PublicationState("p")
    begin(state, 1)
    answered(state, answers)
    for done in unanswered(state, "cancelled"):
        state.add(done)

    parked = walk(state, ABILITIES)
    begin(state, 2)
    walked = answered(state, 50)

    assert (parked.finished, parked.asks) == (True, ())
    assert walked.finished
    assert contents(record_of(state, walked)) == contents(expected)
    assert record_of(state, walked).retry_counter == 0


class Silent:
    """A door behind which nobody answers."""

    def __init__(self) -> None:
        self.asked: list[NeedsPart] = []

    async def fetch(self, wanted: ReplyWanted) -> Reply:
        self.asked += wanted.work.needs
        await asyncio.Event().wait()
        raise AssertionError


async def test_lines_that_come_after_the_deadline_are_parked_unasked() -> None:
    """A job with more lines than may be under way at a time ends at its deadline, too: those that had no turn yet
    are parked with the others, and nothing is asked for them."""
    storage, door, clock = SqliteStorage.in_memory(), Silent(), ManualClock(1_000_000)
    lines = [Line(number, Identifiers(pmid=str(number))) for number in range(1, 31)]
    system = EmbeddedSystem.over(storage, door, clock=clock, resources=("europepmc",), in_flight=10)

    async def job() -> list[tuple[int, str, str]]:
        settings = JobSettings(deadline_at=1_060_000)
        return [
            (one.line, one.settled.outcome, one.settled.reason)
            async for one in system.run_job(lines, settings, job="job")
        ]

    async with system, asyncio.timeout(30):
        running = asyncio.create_task(job())
        while not door.asked:
            await clock.advance(1)
        await clock.advance(60)
        while not running.done():
            await clock.advance(1)
        settled = await running
    await storage.close()

    assert sorted(settled) == [(line.number, "parked", "not finished at its deadline") for line in lines]
    assert {need.value for need in door.asked} == {str(number) for number in range(1, 11)}


async def test_what_is_settled_is_not_parked_and_what_is_parked_does_not_go_on() -> None:
    """Deadlines, second chances and crashes may meet: a line has one outcome all the same."""
    storage, clock = SqliteStorage.in_memory(), ManualClock(1_000_000)
    engine = Delivery(storage.store, storage.log, storage.blobs, clock, Abilities(frozenset({"europepmc"})))
    one = requested(1)
    async with storage.store.batch():
        await engine.submit(one)
        await engine.park(one, one.submission, "too late")
        await engine.park(one, one.submission, "too late")
        await engine.second_chance(one, one.submission)
        await engine.resume(one, one.submission)
        out = await engine.flush()
    await storage.close()

    assert [settled.event.outcome for settled in out.settled] == ["parked"]
    assert [need.need for need in out.needs if need.need not in out.superseded] == []
