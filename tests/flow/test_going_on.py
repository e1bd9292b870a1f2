"""What was asked for together when a job was stopped is asked for together, and once, when it goes on."""

import asyncio
from collections.abc import Callable

import msgspec

from pubweave.adapters.clock import ManualClock
from pubweave.adapters.sqlite.storage import SqliteStorage
from pubweave.contract.exchange import Reply
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.values import Identifiers
from pubweave.runtimes.embedded.jobs import JobSettings, Line
from pubweave.runtimes.embedded.system import EmbeddedSystem

LINES = [Line(number, Identifiers(pmid=str(number))) for number in range(1, 9)]
JOB = JobSettings(idempotency_key="job")


class DownForMany:
    """A source that is down; the tests see what it is asked, and may let it be silent."""

    def __init__(self, silent: Callable[[ReplyWanted], bool] = lambda wanted: False) -> None:
        self.asked: list[tuple[str, ...]] = []
        self._silent = silent
        self.silences = 0
        self.was_silent = asyncio.Event()

    async def fetch(self, wanted: ReplyWanted) -> Reply:
        self.asked.append(tuple(need.value for need in wanted.work.needs))
        if self._silent(wanted):
            self.silences += 1
            self.was_silent.set()
            await asyncio.Event().wait()
        return Reply(outcome="unavailable", url=wanted.request.url, status=500, fetched_at=5)


def system_over(storage: SqliteStorage, door: DownForMany) -> EmbeddedSystem:
    return EmbeddedSystem.over(storage, door, resources=("europepmc",), second_chance=False)


async def outcomes(system: EmbeddedSystem) -> list[str]:
    return [one.settled.outcome async for one in system.run_job(LINES, JOB, job="job")]


async def test_halves_of_a_batch_go_on_as_halves() -> None:
    """Stopped while the two halves of a failed batch are on their way, the job asks these two again, and then the
    smaller ones that follow; nothing is asked for besides, and the job ends (issue 4: surplus asks)."""
    storage = SqliteStorage.in_memory()
    stopped = DownForMany(silent=lambda wanted: len(wanted.work.needs) == 4)
    async with system_over(storage, stopped) as system:
        job = asyncio.create_task(outcomes(system))
        while stopped.silences < 2:
            await asyncio.wait_for(stopped.was_silent.wait(), 20)
            await asyncio.sleep(0)
        job.cancel()
        await asyncio.gather(job, return_exceptions=True)

    door = DownForMany()
    async with system_over(storage, door) as system, asyncio.timeout(20):
        settled = await outcomes(system)
    await storage.close()

    assert len(settled) == len(LINES)
    assert [len(needs) for needs in stopped.asked] == [8, 4, 4]
    assert sorted(len(needs) for needs in door.asked) == [1] * 8 + [2] * 4 + [4] * 2


async def test_one_is_told_who_is_waited_for() -> None:
    """A source asks to be left alone for longer than a door waits: the progress says whom the job waits for, and
    until when; when it is over, the question is asked again."""

    class Busy(DownForMany):
        async def fetch(self, wanted: ReplyWanted) -> Reply:
            await super().fetch(wanted)
            return Reply(outcome="rate-limited", url=wanted.request.url, status=429, retry_after_ms=100_000)

    storage, door, clock = SqliteStorage.in_memory(), Busy(), ManualClock(1_700_000_000_000)
    system = EmbeddedSystem.over(storage, door, clock=clock, resources=("europepmc",), second_chance=False)
    async with system, asyncio.timeout(20):
        job = asyncio.create_task(outcomes(system))
        while not system.progress().waiting:
            await clock.advance(0)
        waiting = system.progress().waiting
        while not job.done():
            await clock.advance(50)
    await storage.close()

    assert waiting == ["europepmc: asked again at 22:15:00 UTC, 1 question"]
    assert len(door.asked) == 4
    assert len(await job) == len(LINES)


async def test_lines_of_one_publication_share_its_second_chance() -> None:
    """F-CAN-09: what failed is fetched once more at the end of the job, once for all lines that name it, and each of
    them gets what came of it."""
    nothing = b"<responseWrapper><hitCount>0</hitCount><resultList/></responseWrapper>"

    class BackSoon(DownForMany):
        async def fetch(self, wanted: ReplyWanted) -> Reply:
            reply = await super().fetch(wanted)
            if len(self.asked) == 1:
                return msgspec.structs.replace(reply, outcome="timeout", fetch_exception=True)
            return msgspec.structs.replace(reply, outcome="found", status=200, body=nothing)

    storage, door = SqliteStorage.in_memory(), BackSoon()
    lines = [Line(number, Identifiers(pmid="1")) for number in (1, 2, 3)]
    system = EmbeddedSystem.over(storage, door, resources=("europepmc",))
    async with system, asyncio.timeout(20):
        settled = [
            (one.line, one.settled.outcome, one.settled.version, one.record and one.record.fetch_exception)
            async for one in system.run_job(lines, JOB, job="job")
        ]
    await storage.close()

    assert sorted(settled) == [(number, "known-nowhere", 2, False) for number in (1, 2, 3)]
    assert door.asked == [("1",), ("1",)]
