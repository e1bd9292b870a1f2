"""The flow suite of the embedded system, unchanged, on the real bus: all services in this process, on a real Kafka and
Cassandra.

Left out, with the reasons of `simulation/test_flow_suite.py`, and what takes minutes here and is held there.
"""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from flow import test_embedded, test_laws, test_rendered
from flow.tables import NO_BROWSER
from pubweave import registry
from pubweave.adapters.cassandra import CassandraPlace, CassandraStorage
from pubweave.adapters.clock import SystemClock
from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.contract.publication_updated import PublicationUpdated
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.vocabulary import ResourceName
from pubweave.core.toolkit.service import Context
from pubweave.doors.fetcher.settings import FetcherSettings
from pubweave.doors.renderer import RendererSettings
from pubweave.ports import Clock
from pubweave.runtimes.bus.client import following, submit
from pubweave.runtimes.bus.sending import Sender
from pubweave.runtimes.bus.system import DOORS, BusConfig, open_bus
from pubweave.runtimes.embedded.jobs import Finished, JobSettings, Line
from services.doors.renderer.conftest import needs_browser
from simnet.fixture import Process, Running
from simulation.embedding import finished, requests_of
from simulation.test_flow_suite import run
from stack.fixtures import cassandra, kafka, needs_stack
from stack.keyspaces import Emptied
from stack.storages import place
from stack_flow.alone import alone
from stack_flow.jobs import new_topics

__all__ = ["alone", "cassandra", "kafka", "place"]

pytestmark = [needs_stack, pytest.mark.usefixtures("alone"), pytest.mark.network, pytest.mark.timeout(600)]

SUITE: list[tuple[Callable[..., Any], dict[str, Any]]] = [
    (test_embedded.test_latencies_never_change_a_record, {"jitter": 0.9}),
    (test_embedded.test_known_publications_are_not_fetched_again, {}),
    (test_embedded.test_only_requested_parts_cost_requests, {}),
    (test_embedded.test_the_structured_document_stands_beside_the_full_text, {}),
    (test_laws.test_an_exception_gets_one_second_chance_at_the_end, {}),
    (test_laws.test_an_empty_entry_is_tried_four_times, {}),
]


class BusFace:
    """What the flow suite uses of a system."""

    def __init__(self, brokers: KafkaPlace, storage: CassandraStorage) -> None:
        self.storage = storage
        self._brokers = brokers
        self._jobs = 0

    async def run_job(
        self,
        lines: Iterable[Line],
        wanted: JobSettings | None = None,
        *,
        job: str = "",
        total: int | None = None,
    ) -> AsyncIterator[Finished]:
        """Outcomes in the order in which they are said, each when its record can be looked up."""
        self._jobs += 1
        clock = SystemClock()
        name = job or f"job{self._jobs:03d}"
        requests = requests_of(lines, name, wanted or JobSettings(), clock.now_ms())
        settled: dict[int, SubmissionSettled] = {}
        versions: dict[str, int] = {}
        async with following(
            self._brokers, ["submissions-settled", "publications"], from_the_start=True
        ) as follower:
            async with Sender(self._brokers, clock.now_ms) as sender:
                await submit(sender, name, requests)
            async for events in follower.batches():
                for event in events:
                    if isinstance(event, PublicationUpdated):
                        versions[event.publication] = max(versions.get(event.publication, 0), event.version)
                    elif isinstance(event, SubmissionSettled) and event.job == name:
                        settled.setdefault(event.line, event)
                if len(settled) == len(requests) and await self._are_stored(settled, versions):
                    break
        for one in settled.values():
            yield await finished(one, self.storage.store, self.storage.blobs)

    async def _are_stored(self, settled: dict[int, SubmissionSettled], versions: dict[str, int]) -> bool:
        for one in settled.values():
            stored = await self.storage.store.record(one.publication)
            if one.version and (stored is None or stored.version < versions.get(one.publication, 1)):
                return False
        return True


class Buses:
    """`system_on` of the flow suite; what is kept in a file there is kept here by its name."""

    def __init__(self, kafka: str, place: CassandraPlace) -> None:
        self._kafka = kafka
        self._place = place
        self._kept: dict[Path, tuple[KafkaPlace, CassandraStorage]] = {}
        self._emptied = Emptied(place)

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
        renderer: RendererSettings = NO_BROWSER,
        **fetcher: Any,
    ) -> AsyncIterator[BusFace]:
        for name, value in net.environment.items():
            monkeypatch.setenv(name, value)
        kept = self._kept.get(database) if database is not None else None
        brokers, storage = kept or (await new_topics(self._kafka), await self._emptied.storage())
        if database is not None:
            self._kept[database] = brokers, storage
        names = resources or registry.ON
        config = BusConfig(
            kafka=brokers,
            services=("merger", "materialiser", "scheduler", *DOORS, *names),
            resources=names,
            context=context or Context(),
            fetcher=FetcherSettings(**{"no_budgets": True, "first_window": "skip", **fetcher}),
            renderer=renderer,
            second_chance=second_chance,
            in_flight=in_flight,
            session_timeout_s=10.0,
        )
        async with open_bus(config, storage):
            yield BusFace(brokers, storage)

    async def close(self) -> None:
        await self._emptied.close()


@needs_browser
async def test_pages_of_scripts_are_read_in_the_browser(
    kafka: str, place: CassandraPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test of the whole chain with its browser, unchanged: publishers' pages that scripts make, and no request more."""
    buses = Buses(kafka, place)
    try:
        test = test_rendered.test_pages_of_scripts_are_read_in_the_browser
        await run(test, {}, buses.system_on, {"monkeypatch": monkeypatch})
    finally:
        await buses.close()


@pytest.mark.parametrize(("test", "given"), SUITE, ids=[test.__name__ for test, _ in SUITE])
async def test_holds_on_the_bus(
    test: Callable[..., Any],
    given: dict[str, Any],
    kafka: str,
    place: CassandraPlace,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    buses = Buses(kafka, place)
    try:
        await run(test, given, buses.system_on, {"monkeypatch": monkeypatch, "tmp_path": tmp_path})
    finally:
        await buses.close()
