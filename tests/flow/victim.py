"""A process that runs a job and is killed by its own hand after so many events: `python -m flow.victim …`.

Prints JSON lines: `{"on_the_wire": n}` right before the kill (identifiers that had been asked for and whose
answers were not written yet), or at the end `{"events": n, "table": …}`. Killing by event count reaches every phase, always at the same place.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from flow.tables import row
from pubweave.contract.exchange import Reply
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.values import Identifiers
from pubweave.doors.fetcher.settings import FetcherSettings
from pubweave.ports import Entry
from pubweave.registry import API_RESOURCES
from pubweave.runtimes.embedded.explain import status
from pubweave.runtimes.embedded.jobs import JobSettings, Line
from pubweave.runtimes.embedded.opening import SystemConfig, open_system
from pubweave.runtimes.embedded.system import EmbeddedSystem
from simnet.universe import Universe


def count_events(system: EmbeddedSystem, kill_at: int) -> list[int]:
    """Count what is written to the log; at `kill_at` the process ends, inside the open batch.

    Watches from outside what has been put on the wire and whose answer is not durable yet.
    """
    seen = [0]
    on_the_wire: dict[str, int] = {}
    answered: list[str] = []
    asking: ContextVar[ReplyWanted] = ContextVar("asking")
    door: Any = system.door._fetcher  # type: ignore[attr-defined]
    log, append = system.storage.log, system.storage.log.append
    fetch, exchange = door.fetch, door._wire.exchange
    questions, rounds = system.questions, system.rounds
    note, one_round = questions._note, rounds._round

    async def counted(topic: str, entries: Sequence[Entry]) -> None:
        await append(topic, entries)
        seen[0] += len(entries)
        if kill_at and seen[0] >= kill_at:
            print(json.dumps({"on_the_wire": sum(on_the_wire.values())}), flush=True)
            os.kill(os.getpid(), signal.SIGKILL)

    async def watched_fetch(wanted: ReplyWanted) -> Reply:
        asking.set(wanted)
        reply: Reply = await fetch(wanted)
        return reply

    async def watched_exchange(*args: Any, **kwargs: Any) -> Any:
        wanted = asking.get()
        on_the_wire[wanted.ask] = len({need.value for need in wanted.work.needs})
        return await exchange(*args, **kwargs)

    async def watched_note(asked: str, *rest: Any) -> None:
        answered.append(asked)
        await note(asked, *rest)

    async def watched_round() -> None:
        await one_round()
        for asked in answered:
            on_the_wire.pop(asked, None)
        answered.clear()

    log.append = counted  # type: ignore[method-assign]
    door.fetch, door._wire.exchange = watched_fetch, watched_exchange
    questions._note, rounds._round = watched_note, watched_round  # type: ignore[method-assign]
    return seen


async def run(database: Path, size: int, seed: int, kill_at: int) -> None:
    config = SystemConfig(
        database=database,
        fetcher=FetcherSettings(no_budgets=True, first_window="skip", connections_per_host=4),
        in_flight=200,
        resources=API_RESOURCES,
    )
    lines = [
        Line(number, Identifiers(pmid=ids.pmid, pmcid=ids.pmcid, doi=ids.doi.upper()))
        for number, ids in enumerate(Universe(seed=seed, size=size).submissions(size), start=1)
    ]
    async with open_system(config) as system:
        seen = count_events(system, kill_at)
        table = {}
        async for one in system.run_job(lines, JobSettings(idempotency_key="job"), job="job"):
            table[one.line] = (one.settled.outcome, row(one.record))
        told = await status(system.storage.store)
        assert told.reconciled, told.differences
        needs = {resource: {o: n for o, n in counts.items() if o} for resource, counts in told.needs.items()}
        print(json.dumps({"events": seen[0], "table": sorted(table.items()), "needs": needs}), flush=True)


if __name__ == "__main__":
    asyncio.run(run(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])))
