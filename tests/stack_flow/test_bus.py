"""All services on the real Kafka and Cassandra: the records of the embedded system, also over a restart."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import msgspec
import pytest
from aiokafka import AIOKafkaProducer

from flow.tables import lines_of, row, system_on, table
from pubweave import registry
from pubweave.adapters.cassandra import CassandraPlace, CassandraStorage
from pubweave.adapters.cassandra.views import STATES
from pubweave.adapters.clock import SystemClock
from pubweave.adapters.kafka.admin import apply
from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.adapters.memory import MemoryStorage
from pubweave.contract.codec import UndecodableEvent, encode
from pubweave.contract.dead_letter import DeadLetter
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.identifiers_conflicted import IdentifiersConflicted
from pubweave.contract.publication_updated import PublicationUpdated
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.values import Identifiers
from pubweave.core.record import Record, decode_record, encode_record
from pubweave.core.toolkit.service import Context
from pubweave.doors.fetcher.settings import FetcherSettings
from pubweave.ports import StorageProblem
from pubweave.runtimes.bus.client import following, new_job, replay, submit
from pubweave.runtimes.bus.rebuilding import rebuild, rebuild_state
from pubweave.runtimes.bus.sending import Sender
from pubweave.runtimes.bus.serving import serving
from pubweave.runtimes.bus.system import ALL, BusConfig, BusSystem, open_bus
from pubweave.runtimes.contents import put_back
from pubweave.runtimes.messages.delays import delayed
from pubweave.runtimes.messages.effects import message
from pubweave.runtimes.messages.publication import NO_EVENTS
from simnet.fixture import Running, running
from simnet.universe import Universe
from stack.fixtures import cassandra, kafka, needs_stack
from stack.keyspaces import Emptied
from stack.storages import place
from stack_flow.alone import alone

__all__ = ["alone", "cassandra", "kafka", "place"]

pytestmark = [needs_stack, pytest.mark.usefixtures("alone"), pytest.mark.network, pytest.mark.timeout(400)]

SIZE = 200
SESSION_TIMEOUT_S = 10.0


@pytest.fixture(scope="module")
def universe() -> Universe:
    return Universe(seed=3, size=SIZE)


@asynccontextmanager
async def storage_at(place: CassandraPlace) -> AsyncIterator[CassandraStorage]:
    """Without anything of the tests before."""
    emptied = Emptied(place)
    try:
        yield await emptied.storage()
    finally:
        await emptied.close()


def config_on(net: Running, kafka: KafkaPlace, monkeypatch: pytest.MonkeyPatch, **others: Any) -> BusConfig:
    for name, value in net.environment.items():
        monkeypatch.setenv(name, value)
    return BusConfig(
        kafka=kafka,
        context=Context(),
        resources=registry.API_RESOURCES,
        fetcher=FetcherSettings(no_budgets=True, first_window="skip"),
        session_timeout_s=SESSION_TIMEOUT_S,
        **others,
    )


class Told:
    """Settled lines as they come, each once."""

    def __init__(self, kafka: KafkaPlace, job: str) -> None:
        self.lines: dict[int, SubmissionSettled] = {}
        self._kafka = kafka
        self._job = job

    async def until(self, count: int, bus: BusSystem) -> None:
        async with following(self._kafka, ["submissions-settled"], from_the_start=True) as follower:
            async for event, _, _ in follower.events():
                assert not bus.failure(), bus.failure()
                if isinstance(event, SubmissionSettled) and event.job == self._job:
                    before = self.lines.setdefault(event.line, event)
                    assert (before.outcome, before.version) == (event.outcome, event.version)
                if len(self.lines) >= count:
                    return


async def test_the_table_is_that_of_the_embedded_system(
    universe: Universe, kafka: str, place: CassandraPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """200 identifiers, all services stopped in the middle and started again: outcome and record of each line
    are the same, and so is what stands in Cassandra, and what is rebuilt from the log alone."""
    lines = lines_of(universe, SIZE)
    with running(universe) as net:
        async with system_on(net, monkeypatch=monkeypatch) as system:
            wanted = await table(system, lines)
    clock = SystemClock()
    brokers = KafkaPlace.at(kafka, prefix=f"t{secrets.token_hex(4)}.")
    await apply(brokers)
    job = new_job(clock)
    told = Told(brokers, job)
    with running(universe) as net:
        config = config_on(net, brokers, monkeypatch)
        async with storage_at(place) as storage, Sender(brokers, clock.now_ms) as sender:
            count = await submit(
                sender,
                job,
                (
                    FetchRequested(
                        job=job,
                        line=one.number,
                        identifiers=one.identifiers,
                        provenance=Identifiers(**{kind: "pubweave" for kind, _ in one.identifiers.known()}),
                        submitted_at=clock.now_ms(),
                    )
                    for one in lines
                ),
            )
            async with open_bus(config, storage) as bus:
                await told.until(SIZE // 4, bus)
            async with open_bus(config, storage) as bus:
                await told.until(count, bus)
                await bus.drained(clock)
                assert bus.problems() == []
            found = {}
            for number, settled in sorted(told.lines.items()):
                key = await storage.store.resolve(settled.publication)
                stored = await storage.store.record(key)
                assert stored is not None
                record = await put_back(decode_record(stored.body), storage.blobs)
                found[number] = (settled.outcome, row(record))
            rebuilt = MemoryStorage()
            versions = await rebuild(brokers, rebuilt.store)
            assert [one async for one in rebuilt.store.records()] == [
                one async for one in storage.store.records()
            ]
            assert versions >= await storage.store.count()
            listed = [await storage.views.to_refetch(state, clock.now_ms() + 1) for state in STATES]
            assert sum(map(len, listed)) == await storage.store.count()
            assert await rebuild_state(brokers, rebuilt.store) > 10 * SIZE
            assert [one async for one in rebuilt.store.aliases()] == [
                one async for one in storage.store.aliases()
            ]
            for settled in told.lines.values():
                key = settled.publication
                rows = {one.id for one in await storage.store.rows(key) if not one.id.startswith(NO_EVENTS)}
                assert rows <= {one.id for one in await rebuilt.store.rows(key)}
            assert await storage.store.outcomes(job) == {
                outcome: sum(one.outcome == outcome for one in told.lines.values())
                for outcome in {one.outcome for one in told.lines.values()}
            }

    assert {number: (wanted[number], one) for number, one in found.items() if wanted[number] != one} == {}


async def test_a_missing_topic_is_told_with_the_command(kafka: str) -> None:
    """Faust would ignore it and wait for ever."""
    brokers = KafkaPlace.at(kafka, prefix=f"none{secrets.token_hex(4)}.")

    with pytest.raises(StorageProblem, match="pubweave topics apply"):
        async with open_bus(BusConfig(kafka=brokers, services=("merger",)), None):  # type: ignore[arg-type]
            pass


def test_all_services_are_known() -> None:
    assert {"merger", "materialiser", "scheduler", "fetcher", "europepmc"} <= set(ALL)


async def test_poison_is_put_aside_told_and_can_be_replayed(
    kafka: str, place: CassandraPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Byte for byte, with key, headers and reason; the service goes on, and says over HTTP how it is."""
    clock = SystemClock()
    brokers = KafkaPlace.at(kafka, prefix=f"p{secrets.token_hex(4)}.")
    await apply(brokers)
    config = BusConfig(kafka=brokers, services=("materialiser",), session_timeout_s=SESSION_TIMEOUT_S)
    updated = PublicationUpdated(
        publication="p", version=1, reason="first", record=msgspec.Raw(encode_record(Record(publication="p")))
    )
    broken = [("ce_specversion", b"1.0"), ("ce_type", b"example.pubweave.publication-updated.v1")]
    producer = AIOKafkaProducer(bootstrap_servers=list(brokers.hosts))
    await producer.start()
    await producer.send_and_wait(f"{brokers.prefix}publications", b"\xff{", key=b"p", headers=broken)
    await producer.stop()
    async with (
        storage_at(place) as storage,
        Sender(brokers, clock.now_ms) as sender,
        open_bus(config, storage) as bus,
        serving(bus, "127.0.0.1:0") as port,
        following(brokers, ["dead-letters"], from_the_start=True) as follower,
    ):
        await sender.send([message(updated)], "merger")
        letter, _, _ = await anext(follower.events())
        await bus.drained(clock)
        stored = await storage.store.record("p")
        async with aiohttp.ClientSession() as session:
            answers = {}
            for path in ("healthz", "readyz", "metrics"):
                async with session.get(f"http://127.0.0.1:{port}/{path}") as response:
                    answers[path] = (response.status, await response.text())
        assert isinstance(letter, DeadLetter)
        await replay(
            sender,
            msgspec.structs.replace(
                letter, event_version=1, event_kind="publication-updated", body=encode(updated)
            ),
        )
        with pytest.raises(UndecodableEvent):
            await replay(sender, letter)

    assert (letter.topic, letter.service, letter.body, letter.key) == (
        "publications",
        "materialiser",
        b"\xff{",
        "p",
    )
    assert list(letter.headers) == broken
    assert "id is missing" in letter.reason
    assert stored is not None
    assert answers["healthz"] == (200, "alive")
    assert answers["readyz"] == (200, "ready")
    assert 'pubweave_dead_letters_total{service="materialiser"} 1.0' in answers["metrics"][1]


async def test_what_waits_is_said_once_by_two_schedulers(kafka: str, place: CassandraPlace) -> None:
    """Each keeps what lies on its own partitions; when it is due, it is said where it was going."""
    clock = SystemClock()
    brokers = KafkaPlace.at(kafka, prefix=f"w{secrets.token_hex(4)}.")
    await apply(brokers)
    config = BusConfig(kafka=brokers, services=("scheduler",), session_timeout_s=SESSION_TIMEOUT_S)
    records = [
        PublicationUpdated(
            publication=f"p{number}", version=1, reason="first", record=msgspec.Raw(b"{}"), updated_at=7
        )
        for number in range(4)
    ]
    conflicts = [
        IdentifiersConflicted(
            id_kind="doi",
            value=f"10.1/{n}",
            holder="a",
            claimant="b",
            holder_final=Identifiers(),
            claimant_final=Identifiers(),
        )
        for n in range(4)
    ]
    async with (
        storage_at(place) as storage,
        Sender(brokers, clock.now_ms) as sender,
        open_bus(config, storage) as one,
        open_bus(config, storage) as other,
        following(brokers, ["publications", "identifiers-conflicted"], from_the_start=True) as follower,
    ):
        while not all(bus.workers[0].has_partitions() for bus in (one, other)):
            await clock.sleep(0.1)
        due_at = clock.now_ms() + 1500
        await sender.send([message(delayed(event, due_at)) for event in (*records, *conflicts)], "merger")
        said: list[object] = []
        async for event, _, _ in follower.events():
            said.append(event)
            if len(said) == 8:
                break
        too_early = clock.now_ms() < due_at
        await one.drained(clock)
        await other.drained(clock)
        async with following(
            brokers, ["publications", "identifiers-conflicted"], from_the_start=True
        ) as again:
            count = [event async for event, _, _ in again.events(to_the_end=True)]
        assert await storage.store.pending() == []

    assert not too_early
    assert len(count) == 8
