"""A process that runs a job and is killed by its own hand after so many events: `python -m flow.victim …`.

Prints JSON lines: `{"durable_until": t}` right before the kill (what had arrived by then, by the monotonic
clock of the machine, was written), or at the end `{"events": n, "table": …}`. Killing by event count reaches every phase, always at the same place.
"""

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from flow.tables import row
from pubweave.contract.values import Identifiers
from pubweave.doors.fetcher.settings import FetcherSettings
from pubweave.ports import Entry
from pubweave.runtimes.embedded.explain import status
from pubweave.runtimes.embedded.system import EmbeddedSystem, JobSettings, Line, SystemConfig, open_system
from simnet.universe import Universe


def count_events(system: EmbeddedSystem, kill_at: int) -> list[int]:
    """Count what is written to the log; at `kill_at` the process ends, inside the open batch."""
    seen = [0]
    durable = [time.monotonic()]
    log, one_round = system.storage.log, system._round
    append = log.append

    async def counted(topic: str, entries: Sequence[Entry]) -> None:
        await append(topic, entries)
        seen[0] += len(entries)
        if kill_at and seen[0] >= kill_at:
            print(json.dumps({"durable_until": durable[0]}), flush=True)
            os.kill(os.getpid(), signal.SIGKILL)

    async def noted() -> None:
        began = time.monotonic()
        await one_round()
        durable[0] = began

    log.append = counted  # type: ignore[method-assign]
    system._round = noted  # type: ignore[method-assign]
    return seen


async def run(database: Path, size: int, seed: int, kill_at: int) -> None:
    config = SystemConfig(
        database=database,
        fetcher=FetcherSettings(no_budgets=True, first_window="skip", connections_per_host=4),
        in_flight=200,
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
