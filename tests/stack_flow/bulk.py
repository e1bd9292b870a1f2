"""Large jobs on a Kafka and a Cassandra, three times undisturbed and three times with processes killed and stopped: every
line has its one outcome. Many minutes long, so not part of the ordinary tests: `make test-bulk`.

`PUBWEAVE_BULK_LINES` says how many lines, `PUBWEAVE_BULK_RUNS` how many runs of each kind.
"""

import asyncio
import os
import random
from collections import Counter
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from flow.tables import lines_of, system_on, table
from pubweave.adapters.cassandra import CassandraPlace
from pubweave.adapters.kafka.lag import lags
from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.contract.dead_letter import DeadLetter
from pubweave.runtimes.bus.client import following
from pubweave.runtimes.messages.groups import PACED, group_of
from simnet.fixture import running
from simnet.universe import Universe
from stack.fixtures import cassandra, kafka, needs_stack
from stack.keyspaces import Emptied
from stack.storages import place
from stack_flow.alone import alone
from stack_flow.jobs import Job, Table, differences, new_topics, watched
from stack_flow.member import LEAN
from stack_flow.troubles import SESSION_TIMEOUT_S, Members, members

__all__ = ["alone", "cassandra", "kafka", "place"]

pytestmark = [needs_stack, pytest.mark.usefixtures("alone"), pytest.mark.network, pytest.mark.timeout(7200)]

SIZE = int(os.environ.get("PUBWEAVE_BULK_LINES", "5000"))
RUNS = int(os.environ.get("PUBWEAVE_BULK_RUNS", "3"))
KILLS, PAUSES = 5, 1

MEMBERS: Final[tuple[tuple[str, ...], ...]] = (
    ("merger", "materialiser"),
    ("merger", "europepmc", "scheduler"),
    ("fetcher",),
)
LANE_S: Final = 60.0
"""How long it may take after the last outcome until it is known how far the lane is done."""


class Moment(NamedTuple):
    """Something that happens to a process when so many needs have been sent."""

    at: int
    what: str
    whom: int


def moments(seed: int, size: int, *, kills: int, pauses: int) -> list[Moment]:
    """Spread over the time in which lines enter. Mergers are hit twice as often as all others."""
    rng = random.Random(seed)
    whats = ["kill"] * kills + ["pause"] * pauses
    return sorted(
        Moment(rng.randrange(size // 50, size * 9 // 10), what, rng.randrange(len(MEMBERS))) for what in whats
    )


class Disturbing:
    """What happens to the processes, as the job goes on."""

    def __init__(self, troubles: list[Moment], processes: Members) -> None:
        self.left = list(troubles)
        self._processes = processes
        self._resume: list[tuple[float, int]] = []

    async def seen(self, job: Job) -> None:
        now_s = asyncio.get_running_loop().time()
        self._processes.look_after()
        while self._resume and now_s > self._resume[0][0]:
            self._processes.resume(self._resume.pop(0)[1])
        while self.left and len(job.needs) >= self.left[0].at:
            trouble = self.left.pop(0)
            if trouble.what == "kill":
                self._processes.kill(trouble.whom)
            else:
                self._processes.pause(trouble.whom)
                self._resume.append((now_s + 1.2 * SESSION_TIMEOUT_S, trouble.whom))


async def bulk_job(
    kafka: str, place: CassandraPlace, folder: Path, universe: Universe, size: int, troubles: list[Moment]
) -> Table:
    """Outcome and record of each line of a job that three processes do, the lane read to its end and nothing put aside.

    :param troubles: all of them have happened
    """
    brokers, emptied = await new_topics(kafka), Emptied(place)
    storage = await emptied.storage()
    await asyncio.to_thread(folder.mkdir)
    told = [kafka, brokers.prefix, ",".join(place.hosts), place.keyspace, "", "lean"]
    began_s = asyncio.get_running_loop().time()
    with running(universe) as net, members(told, net.environment, folder, MEMBERS) as processes:
        disturbing = Disturbing(troubles, processes)
        try:
            job = await watched(brokers, lines_of(universe, size), disturbing.seen, "bulk")
            await read_to_its_end(brokers)
        except BaseException:
            print(processes.said())
            raise
        found = await job.table(storage)
        unanswered = await job.needs_without_one_outcome(storage)
        letters = await dead_letters(brokers)
        took_s = asyncio.get_running_loop().time() - began_s
        print(
            f"{folder.name}: {len(found)} of {size} lines in {took_s:.0f} s, "
            f"{dict(Counter(outcome for outcome, _ in found.values()))}, {job.events} events, "
            f"{', '.join(f'{one.what} {one.whom} at {one.at}' for one in troubles) or 'undisturbed'}, "
            f"{processes.ended_by_themselves} processes ended by themselves"
        )
    await emptied.close()
    assert disturbing.left == []
    assert unanswered == []
    assert letters == []
    return found


async def read_to_its_end(brokers: KafkaPlace) -> None:
    """Until the lane has nothing left that is not done.

    :raises TimeoutError: that does not come
    """
    lane = PACED["merger"].topic
    group = group_of("merger", lane)
    async with asyncio.timeout(LANE_S):
        while (await lags(brokers, {group: [lane]}))[group][lane]:
            pass


async def dead_letters(brokers: KafkaPlace) -> list[DeadLetter]:
    async with following(brokers, ["dead-letters"], from_the_start=True) as follower:
        return [
            event async for event, _, _ in follower.events(to_the_end=True) if isinstance(event, DeadLetter)
        ]


async def wanted_of(universe: Universe, size: int, monkeypatch: pytest.MonkeyPatch) -> Table:
    """What one process makes of it."""
    with running(universe) as net:
        async with system_on(net, monkeypatch=monkeypatch, resources=LEAN) as system:
            return await table(system, lines_of(universe, size))


async def test_large_jobs_lose_no_line(
    kafka: str, place: CassandraPlace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Run after run, each on topics of its own: the same outcome and record of each line as in one process."""
    universe = Universe(seed=6, size=SIZE)
    wanted = await wanted_of(universe, SIZE, monkeypatch)
    for number in range(1, RUNS + 1):
        for kind, troubles in (
            ("undisturbed", []),
            ("disturbed", moments(number, SIZE, kills=KILLS, pauses=PAUSES)),
        ):
            folder = tmp_path / f"{kind}-{number}"
            found = await bulk_job(kafka, place, folder, universe, SIZE, troubles)
            assert differences(wanted, found) == {}, folder.name
