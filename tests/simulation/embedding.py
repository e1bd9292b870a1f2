"""The simulated bus with the face of the embedded system, so that its flow suite runs on it unchanged."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pubweave import registry
from pubweave.adapters.clock import SystemClock
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.values import Identifiers
from pubweave.contract.vocabulary import ResourceName
from pubweave.core.record import decode_record
from pubweave.core.toolkit.service import Context
from pubweave.doors.fetcher.door import FetcherDoor
from pubweave.doors.fetcher.settings import FetcherSettings
from pubweave.ports import Blobs, Clock, Store
from pubweave.runtimes.contents import put_back
from pubweave.runtimes.embedded.jobs import Finished, JobSettings, Line
from simnet.fixture import Process, Running
from simulation.system import SimulatedSystem

SEED = 11


def requests_of(lines: Iterable[Line], job: str, wanted: JobSettings, now_ms: int) -> list[FetchRequested]:
    """The lines as they are said on a bus."""
    return [
        FetchRequested(
            job=job,
            line=line.number,
            identifiers=line.identifiers,
            links=line.links,
            provenance=Identifiers(**{kind: wanted.provenance for kind, _ in line.identifiers.known()}),
            settings=wanted.settings,
            cooldowns=wanted.cooldowns,
            correlation_id=wanted.correlation_id,
            deadline_at=wanted.deadline_at,
            lane=wanted.lane,
            submitted_at=now_ms,
        )
        for line in lines
    ]


async def finished(settled: SubmissionSettled, store: Store, blobs: Blobs) -> Finished:
    """With the record that the line led to, its long texts put back."""
    stored = await store.record(await store.resolve(settled.publication))
    record = decode_record(stored.body) if stored is not None and stored.body else None
    return Finished(settled.line, settled, await put_back(record, blobs) if record is not None else None)


class SimulatedFace:
    """What the flow suite uses of a system."""

    def __init__(self, system: SimulatedSystem, clock: Clock) -> None:
        self.system = system
        self.storage = system.storage
        self._clock = clock
        self._jobs = 0

    async def run_job(
        self,
        lines: Iterable[Line],
        wanted: JobSettings | None = None,
        *,
        job: str = "",
        total: int | None = None,
    ) -> AsyncIterator[Finished]:
        """Outcomes in the order in which they are said."""
        self._jobs += 1
        name = job or f"job{self._jobs:03d}"
        requests = requests_of(lines, name, wanted or JobSettings(), self.system.clock.now_ms())
        before = self._said()
        self.system.submit(*requests)
        self.system.close_job(name, len(requests))
        order: dict[int, SubmissionSettled] = {}
        while await self.system.step():
            if self._said() > before:
                before = self._said()
                told = [one for one in self._told() if one.job == name]
                order.update({one.line: one for one in told if one.line not in order})
        assert len(order) == len(requests), "not every line has an outcome"
        for one in order.values():
            yield await finished(one, self.storage.store, self.storage.blobs)

    def _said(self) -> int:
        return sum(map(len, self.system.log.get("submissions-settled", [])))

    def _told(self) -> list[SubmissionSettled]:
        return [
            one for one in self.system.events("submissions-settled") if isinstance(one, SubmissionSettled)
        ]


class Simulations:
    """`system_on` of the flow suite; what is kept in a file there is kept here by its name."""

    def __init__(self) -> None:
        self._kept: dict[Path, SimulatedSystem] = {}
        self._door: Any = None

    @asynccontextmanager
    async def system_on(
        self,
        net: Running | Process,
        database: Path | None = None,
        *,
        monkeypatch: Any,
        context: Context | None = None,
        in_flight: int = 1000,
        clock: Clock | None = None,
        resources: tuple[ResourceName, ...] | None = registry.API_RESOURCES,
        second_chance: bool = True,
        **fetcher: Any,
    ) -> AsyncIterator[SimulatedFace]:
        for name, value in net.environment.items():
            monkeypatch.setenv(name, value)
        real = SystemClock()
        kept = self._kept.get(database) if database is not None else None
        door = _Door()
        system = kept or SimulatedSystem(
            SEED,
            [registry.service(name) for name in resources or registry.ON],
            door,
            context=context,
            second_chance=second_chance,
            in_flight=in_flight,
            at_once=200,
        )
        if kept is None:
            system.clock.advance(real.now_ms() - system.clock.now_ms())
        if database is not None:
            self._kept[database] = system
        settings = FetcherSettings(**{"no_budgets": True, "first_window": "skip", **fetcher})
        async with FetcherDoor(settings, real, system.storage.store) as opened:
            system._door.fetcher = opened  # type: ignore[attr-defined]
            yield SimulatedFace(system, real)


class _Door:
    """The fetcher of the moment."""

    fetcher: FetcherDoor

    async def fetch(self, wanted: Any) -> Any:
        return await self.fetcher.fetch(wanted)
