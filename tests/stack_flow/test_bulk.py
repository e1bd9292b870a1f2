"""The lane for large jobs, which is read at the pace of what ends: every line enters, whatever happens meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from pubweave.adapters.cassandra import CassandraPlace
from pubweave.adapters.clock import SystemClock
from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.submissions_entered import SubmissionsEntered
from pubweave.contract.values import Identifiers
from pubweave.runtimes.bus.client import following, new_job, submit
from pubweave.runtimes.bus.sending import Sender
from pubweave.runtimes.bus.system import BusConfig, BusPorts, BusSystem, open_bus
from pubweave.runtimes.embedded.jobs import Line
from pubweave.runtimes.messages.effects import message
from simnet.universe import Universe
from stack.fixtures import cassandra, kafka, needs_stack
from stack.keyspaces import Emptied
from stack.storages import place
from stack_flow.alone import alone
from stack_flow.bulk import Moment, bulk_job, wanted_of
from stack_flow.jobs import differences, new_topics, requests_of

__all__ = ["alone", "cassandra", "kafka", "place"]

pytestmark = [needs_stack, pytest.mark.usefixtures("alone"), pytest.mark.network, pytest.mark.timeout(300)]

SIZE = 1_000
LARGE = 600
"""Twice as many as may be under way in a merger."""
PATIENCE_S = 60.0
"""Entering so many takes a few seconds."""


@asynccontextmanager
async def only_mergers(place: KafkaPlace, storage: BusPorts, in_flight: int) -> AsyncIterator[BusSystem]:
    """Nobody answers what they ask, so nothing is ever settled."""
    async with open_bus(BusConfig(kafka=place, services=("merger",), in_flight=in_flight), storage) as bus:
        yield bus


async def submitted(place: KafkaPlace, size: int) -> str:
    """A job of the lane `bulk`."""
    job, clock = new_job(SystemClock()), SystemClock()
    lines = [Line(n, Identifiers(pmid=str(30_000_000 + n))) for n in range(1, size + 1)]
    async with Sender(place, clock.now_ms) as sender:
        await submit(sender, job, requests_of(job, lines, "bulk"))
    return job


async def entered(place: KafkaPlace, size: int) -> set[int]:
    """Lines that have entered: as soon as there are so many, or those that were there when patience ended."""
    found: set[int] = set()
    try:
        async with (
            asyncio.timeout(PATIENCE_S),
            following(place, ["part-candidates"], from_the_start=True) as follower,
        ):
            async for event, _, _ in follower.events():
                if isinstance(event, SubmissionsEntered):
                    found.update(one.line for one in event.lines)
                if len(found) >= size:
                    break
    except TimeoutError:
        pass
    return found


async def test_every_line_enters_where_there_is_room_for_all(kafka: str, place: CassandraPlace) -> None:
    """1,000 lines and nobody but mergers: all enter. Of such a job 80 to 99 lines were lost, and another hundred
    unread."""
    brokers, emptied = await new_topics(kafka), Emptied(place)
    await submitted(brokers, SIZE)
    async with only_mergers(brokers, await emptied.storage(), in_flight=SIZE) as bus:
        found = await entered(brokers, SIZE)
        assert bus.failure() is None
    await emptied.close()

    assert len(found) == SIZE


async def test_lines_enter_at_the_pace_of_those_that_end(kafka: str, place: CassandraPlace) -> None:
    """Two members, so many lines under way in each and no more, but for those that entered before partitions moved; when
    lines are settled, others enter. A member that goes leaves its lines to the other."""
    brokers, emptied, clock = await new_topics(kafka), Emptied(place), SystemClock()
    size, in_flight = 300, 40
    job = await submitted(brokers, size)
    storage = await emptied.storage()
    found: set[int] = set()
    ended: set[int] = set()
    most = 0
    async with (
        asyncio.timeout(PATIENCE_S * 2),
        Sender(brokers, clock.now_ms) as sender,
        following(brokers, ["part-candidates"], from_the_start=True) as follower,
        only_mergers(brokers, storage, in_flight) as bus,
    ):
        async with only_mergers(brokers, storage, in_flight):
            async for batch in follower.batches():
                found.update(
                    one.line
                    for event in batch
                    if isinstance(event, SubmissionsEntered)
                    for one in event.lines
                )
                most = max(most, len(found - ended))
                assert most <= 4 * in_flight
                if len(found - ended) > in_flight:
                    await settled(sender, job, found - ended)
                    ended |= found
                if len(found) >= size // 2:
                    break
        async for batch in follower.batches():
            found.update(
                one.line for event in batch if isinstance(event, SubmissionsEntered) for one in event.lines
            )
            if len(found) == size:
                break
            await settled(sender, job, found)
        assert bus.failure() is None
        assert bus.problems() == []
    await emptied.close()


async def test_killed_and_stopped_mergers_lose_no_line_of_a_large_job(
    kafka: str, place: CassandraPlace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The shorter form of `bulk.py`: one merger is killed, the other stands still until the lane is read by another,
    while lines enter; each line has the outcome and the record that one process gives it."""
    universe = Universe(seed=6, size=LARGE)
    wanted = await wanted_of(universe, LARGE, monkeypatch)
    troubles = [Moment(LARGE // 4, "kill", 0), Moment(LARGE // 2, "pause", 1)]
    found = await bulk_job(kafka, place, tmp_path / "job", universe, LARGE, troubles)

    assert differences(wanted, found) == {}


async def settled(sender: Sender, job: str, lines: set[int]) -> None:
    """Say that these have ended, as a merger does at the end of the chain."""
    said = [
        SubmissionSettled(job=job, line=n, identifiers=Identifiers(pmid=str(n)), outcome="finished")
        for n in sorted(lines)
    ]
    await sender.send([message(one) for one in said], "merger")
