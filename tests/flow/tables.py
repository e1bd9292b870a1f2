"""Finished records as a table that runs can be compared by: everything but keys, times and versions."""

import re
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from pubweave.contract.values import Identifiers, RunSettings
from pubweave.contract.vocabulary import ResourceName
from pubweave.core.record import Record
from pubweave.core.toolkit.service import Context
from pubweave.doors.fetcher.settings import FetcherSettings
from pubweave.doors.renderer import RendererSettings
from pubweave.ports import Clock
from pubweave.registry import API_RESOURCES
from pubweave.runtimes.embedded.jobs import Finished, JobSettings, Line
from pubweave.runtimes.embedded.opening import SystemConfig, open_system
from pubweave.runtimes.embedded.system import EmbeddedSystem
from pubweave.runtimes.readers.settings import ReadersSettings
from simnet.fixture import Process, Running
from simnet.universe import Universe

NO_BROWSER = RendererSettings(executable=Path("there-is-no-browser-here"))
"""So that runs are the same on machines with a browser and without."""
_TIMES = re.compile(r"timestamp|fetch_time")


def timeless(value: Any) -> Any:
    """JSON without times of fetching and without the publication's key."""
    if isinstance(value, dict):
        return {
            name: timeless(inner)
            for name, inner in value.items()
            if not _TIMES.search(name) and name != "publication"
        }
    if isinstance(value, (list, tuple)):
        return [timeless(inner) for inner in value]
    return value


def row(record: Record | None) -> Any:
    """A record as comparable JSON."""
    return None if record is None else timeless(msgspec.to_builtins(record))


def lines_of(universe: Universe, count: int) -> list[Line]:
    """What a user submits for the first publications of a universe."""
    return [
        Line(number, Identifiers(pmid=ids.pmid, pmcid=ids.pmcid, doi=ids.doi.upper()))
        for number, ids in enumerate(universe.submissions(count), start=1)
    ]


@asynccontextmanager
async def system_on(
    net: Running | Process,
    database: Path | None = None,
    *,
    monkeypatch: Any,
    context: Context | None = None,
    in_flight: int = 1000,
    clock: Clock | None = None,
    resources: tuple[ResourceName, ...] | None = API_RESOURCES,
    second_chance: bool = True,
    renderer: RendererSettings = NO_BROWSER,
    readers: ReadersSettings | None = None,
    **fetcher: Any,
) -> AsyncIterator[EmbeddedSystem]:
    """An embedded system whose internet is the simulated one; `resources` None: all there are."""
    for name, value in net.environment.items():
        monkeypatch.setenv(name, value)
    settings = {"no_budgets": True, "first_window": "skip", **fetcher}
    config = SystemConfig(
        database=database,
        context=context or Context(),
        fetcher=FetcherSettings(**settings),
        in_flight=in_flight,
        resources=resources,
        second_chance=second_chance,
        renderer=renderer,
        readers=readers or ReadersSettings(),
    )
    async with open_system(config, clock) as system:
        yield system


async def table(
    system: EmbeddedSystem, lines: Iterable[Line], settings: RunSettings | None = None, job: str = "job"
) -> dict[int, tuple[str, Any]]:
    """Run a job; per line its outcome and its record."""
    finished: list[Finished] = [
        one
        async for one in system.run_job(
            lines, JobSettings(settings=settings or RunSettings(), idempotency_key=job), job=job
        )
    ]
    assert len({one.line for one in finished}) == len(finished), "a line was settled twice"
    return {
        one.line: (one.settled.outcome, row(one.record)) for one in sorted(finished, key=lambda one: one.line)
    }
