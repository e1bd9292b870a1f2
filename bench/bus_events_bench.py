"""How many events a second one worker of the bus does, beside an empty Faust agent in the same run.

    python bench/bus_events_bench.py [--lines 400]

One process runs merger, materialiser, scheduler and the resources that ask APIs, on a real Kafka and Cassandra; the
fetcher runs in a second process, the simulated internet in a third, without latency. An event is a message consumed.
Beside it, with the very messages of that job and as many at a time:

* an empty agent, which forwards each as it came;
* the bare floor, an agent that does no more than what is asked of any worker: it decodes each event strictly, names it,
  writes its row to Cassandra with the driver as it is (rows of one publication in one statement; then once more with
  each in its own), encodes it and forwards it with its headers;
* the floor, which also reads the replies among them as the resources do, though it drops what it finds.

None of these folds, decides, looks anything up, or writes records, views, contents and who holds which identifier; each
is one Faust app that has all its messages before it, where the worker has one a service, and waits for answers.

Half the rate of the empty agent is told without failing (docs/decisions/015). What is held is half the rate of the floor.

Rates are per second of the worker's own CPU time, so that they do not depend on who else uses the machine; those by the
clock on the wall stand beside them. Then: how long a worker that starts again needs until new lines have their
outcomes, with a history of one job and of ten times as much.
"""

import argparse
import asyncio
import logging
import os
import secrets
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import faust
import msgspec
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from cassandra import ConsistencyLevel
from cassandra.cluster import EXEC_PROFILE_DEFAULT, Cluster, ExecutionProfile
from cassandra.policies import DCAwareRoundRobinPolicy, TokenAwarePolicy
from cassandra.query import BatchStatement, BatchType

from flow.tables import lines_of
from pubweave import registry
from pubweave.adapters.cassandra import CassandraPlace, CassandraStorage
from pubweave.adapters.clock import SystemClock
from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.contract.catalogue import topic_of, topics
from pubweave.contract.cloudevents import attributes, from_headers, to_headers
from pubweave.contract.codec import decode, named
from pubweave.contract.kinds import subject_of
from pubweave.contract.reply_received import ReplyReceived
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.vocabulary import RESOURCE_NAMES
from pubweave.core.toolkit.service import Context
from pubweave.ports import Blobs
from pubweave.runtimes.bus.client import following, new_job, submit
from pubweave.runtimes.bus.intake import TAKE
from pubweave.runtimes.bus.sending import Sender
from pubweave.runtimes.bus.system import BusConfig, open_bus
from pubweave.runtimes.collecting import collect_less_often
from pubweave.runtimes.embedded.jobs import Line
from simnet.fixture import process as simulated_internet
from simnet.universe import Universe
from stack.keyspaces import Emptied, keyspace
from stack.leases import Lease
from stack_flow.jobs import new_topics, requests_of
from support import verdict

TESTS: Final = Path(__file__).resolve().parents[1] / "tests"

RATIO_LIMIT: Final = 2.0
"""The rate of what does less by ours: it may be twice as fast."""
FLOOR_PER_S: Final = 500.0
GROWTH_LIMIT: Final = 1.3
SEED: Final = 1
NEW_LINES: Final = 10
PATIENCE_S: Final = 300.0
"""And a second for each line: ten times what it takes on a machine of its own."""
STARTS: Final = 3

PARTITIONS: Final = 12


class Said(NamedTuple):
    """A message."""

    key: bytes
    value: bytes
    headers: Any
    partition: int = 0
    said_ms: int = 0


SERVICES: Final = ("merger", "materialiser", "scheduler", *registry.API_RESOURCES)


class Cost(NamedTuple):
    events: int
    wall_s: float
    cpu_s: float

    @property
    def rate(self) -> float:
        """Events per CPU second."""
        return self.events / self.cpu_s

    def told(self, what: str) -> str:
        return (
            f"{what:44} {self.events:7d} events, {self.wall_s:6.1f} s, {self.cpu_s:6.1f} s CPU: "
            f"{self.events / self.wall_s:6.0f} /s, {self.events / self.cpu_s:6.0f} per CPU second"
        )


@contextmanager
def fetcher(brokers: KafkaPlace, place: CassandraPlace, environment: dict[str, str]) -> Iterator[None]:
    """In a process of its own."""
    path = os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH", "")]))
    arguments = [brokers.hosts[0], brokers.prefix, ",".join(place.hosts), place.keyspace, "", "fetcher"]
    running = subprocess.Popen(
        [sys.executable, "-m", "stack_flow.member", *arguments],
        env={**os.environ, **environment, "PYTHONPATH": path},
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        running.kill()
        running.wait()


async def outcomes(brokers: KafkaPlace, lines: Sequence[Line]) -> None:
    """Submit them; returns when each has its outcome."""
    clock = SystemClock()
    job = new_job(clock)
    async with following(brokers, ["submissions-settled"]) as follower:
        async with Sender(brokers, clock.now_ms) as sender:
            count = await submit(sender, job, requests_of(job, lines))
        settled: set[int] = set()
        async for events in follower.batches():
            settled |= {one.line for one in events if isinstance(one, SubmissionSettled) and one.job == job}
            if len(settled) == count:
                return


def config(brokers: KafkaPlace) -> BusConfig:
    return BusConfig(
        kafka=brokers, services=SERVICES, resources=registry.API_RESOURCES, session_timeout_s=10.0
    )


async def worker(brokers: KafkaPlace, storage: CassandraStorage, lines: Sequence[Line]) -> Cost:
    """From the moment its partitions are its own."""
    clock = SystemClock()
    async with open_bus(config(brokers), storage) as bus:
        while not all(one.has_partitions() for one in bus.workers):
            await clock.sleep(0.1)
        wall_s, cpu_s = time.perf_counter(), time.process_time()
        await outcomes(brokers, lines)
        await bus.drained(clock)
        return Cost(
            sum(one.health.done for one in bus.workers),
            time.perf_counter() - wall_s,
            time.process_time() - cpu_s,
        )


@asynccontextmanager
async def one_topic(brokers: KafkaPlace, name: str) -> AsyncIterator[str]:
    admin = AIOKafkaAdminClient(bootstrap_servers=list(brokers.hosts))
    await admin.start()
    try:
        await admin.create_topics([NewTopic(name, PARTITIONS, 1)])
        yield name
    finally:
        await admin.close()


async def what_was_said(brokers: KafkaPlace) -> list[Said]:
    """Every message of the job, in the order in which they were said."""
    names = [
        brokers.prefix + name
        for topic in topics()
        for name in topic.names()
        if topic.topic.partition(".")[0] not in ("reply-wanted", "dead-letters")
    ]
    consumer = AIOKafkaConsumer(bootstrap_servers=list(brokers.hosts), enable_auto_commit=False)
    await consumer.start()
    found: list[Said] = []
    try:
        partitions = [
            TopicPartition(name, number)
            for name in names
            for number in range(topic_of(name.removeprefix(brokers.prefix)).partitions)
        ]
        consumer.assign(partitions)
        await consumer.seek_to_beginning(*partitions)
        total = sum((await consumer.end_offsets(partitions)).values())
        while len(found) < total:
            records = await consumer.getmany(timeout_ms=500)
            found += [
                Said(one.key, one.value, list(one.headers), one.partition % PARTITIONS, one.timestamp)
                for many in records.values()
                for one in many
            ]
    finally:
        await consumer.stop()
    return sorted(found, key=lambda one: one.said_ms)


class Handling(Protocol):
    """What an agent does with a batch before it forwards it."""

    async def __call__(self, batch: Sequence[Any]) -> Sequence[Said]:
        """:returns: what is forwarded"""


async def nothing(batch: Sequence[Any]) -> list[Said]:
    return [Said(one.message.key, one.message.value, list(one.message.headers)) for one in batch]


class Floor:
    """What is asked of any worker, with as little as possible around it.

    :param raw: a session of the driver
    :param blobs: where long replies lie, if replies are to be read as well
    :param together: rows of one publication go in one statement
    """

    def __init__(self, raw: Any, table: str, blobs: Blobs | None, together: bool) -> None:
        self._raw = raw
        self._blobs = blobs
        self._together = together
        self._context = Context()
        self._insert = raw.prepare(f"INSERT INTO {table} (publication, id, added, body) VALUES (?, ?, ?, ?)")

    async def __call__(self, batch: Sequence[Any]) -> list[Said]:
        going: list[Said] = []
        rows: dict[str, list[tuple[str, str, int, bytes]]] = {}
        for number, one in enumerate(batch):
            kind, version = from_headers(one.message.headers).kind_and_version()
            event = decode(kind, version, one.message.value)
            name, body = named(event)
            key = getattr(event, "publication", "") or subject_of(event)
            rows.setdefault(key if self._together else f"{number}", []).append((key, name, number, body))
            if self._blobs is not None and isinstance(event, ReplyReceived):
                await self._read(event, self._blobs)
            headers = to_headers(attributes(event, "floor", 0))
            going.append(Said(f"{key}/{name}".encode(), body, headers))
        await asyncio.gather(*(self._written(of_one) for of_one in rows.values()))
        return going

    async def _read(self, event: ReplyReceived, blobs: Blobs) -> None:
        """What is found is not kept: it is among the messages already."""
        reply = event.reply
        if reply.blob is not None:
            reply = msgspec.structs.replace(reply, body=await blobs.get(reply.blob.digest), blob=None)
        for name in RESOURCE_NAMES:
            if name == event.work.resource:
                registry.service(name).step(event.work, reply, self._context)

    async def _written(self, rows: Sequence[tuple[str, str, int, bytes]]) -> None:
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[None] = loop.create_future()
        if len(rows) == 1:
            statement = self._insert.bind(rows[0])
        else:
            statement = BatchStatement(batch_type=BatchType.UNLOGGED)
            for row in rows:
                statement.add(self._insert, row)
        self._raw.execute_async(statement).add_callbacks(
            lambda _: loop.call_soon_threadsafe(answer.set_result, None),
            lambda error: loop.call_soon_threadsafe(answer.set_exception, error),
        )
        await answer


@contextmanager
def floor(place: CassandraPlace, blobs: Blobs | None = None, *, together: bool = True) -> Iterator[Floor]:
    """On a table of its own, beside that of publications and like it."""
    host, _, port = place.hosts[0].rpartition(":")
    profile = ExecutionProfile(
        load_balancing_policy=TokenAwarePolicy(DCAwareRoundRobinPolicy(local_dc=place.local_dc)),
        consistency_level=ConsistencyLevel.name_to_value[place.consistency],
    )
    cluster: Any = Cluster(
        [host], port=int(port), protocol_version=5, execution_profiles={EXEC_PROFILE_DEFAULT: profile}
    )
    try:
        raw = cluster.connect()
        table = f"{place.keyspace}.bench_floor"
        raw.execute(
            f"""CREATE TABLE {table} (publication text, id text, added bigint, body blob,
                PRIMARY KEY (publication, id))"""
        )
        try:
            yield Floor(raw, table, blobs, together)
        finally:
            raw.execute(f"DROP TABLE {table}")
    finally:
        cluster.shutdown()


async def agent(brokers: KafkaPlace, messages: Sequence[Said], handle: Handling) -> Cost:
    """These messages through a Faust agent that forwards what `handle` makes of them."""
    mark = f"bench-{secrets.token_hex(4)}"
    done, heard, begun_s, cpu_s = asyncio.Event(), 0, 0.0, 0.0
    producer = AIOKafkaProducer(bootstrap_servers=list(brokers.hosts), compression_type="lz4", linger_ms=2)
    await producer.start()
    async with one_topic(brokers, f"{mark}-in") as source, one_topic(brokers, f"{mark}-out") as target:
        sent = [
            await producer.send(
                source, value=one.value, key=one.key, headers=one.headers, partition=one.partition
            )
            for one in messages
        ]
        await asyncio.gather(*sent)
        app: Any = faust.App(
            mark,
            broker=[f"kafka://{host}" for host in brokers.hosts],
            store="memory://",
            datadir=f"/tmp/{mark}",
            web_enabled=False,
            topic_disable_leader=True,
            topic_allow_declare=False,
            consumer_auto_offset_reset="earliest",
            stream_wait_empty=False,
        )
        channel = app.topic(source, key_serializer="raw", value_serializer="raw")

        async def forward(stream: Any) -> None:
            nonlocal heard, begun_s, cpu_s
            async for batch in stream.take_events(TAKE, within=0.05):
                if not heard:
                    begun_s, cpu_s = time.perf_counter(), time.process_time()
                heard += len(batch)
                going = [
                    await producer.send(target, value=one.value, key=one.key, headers=one.headers)
                    for one in await handle(batch)
                ]
                await asyncio.gather(*going)
                if heard >= len(messages):
                    done.set()

        app.agent(channel, name="forward")(forward)
        app.finalize()
        await app.maybe_start()
        await done.wait()
        cost = Cost(heard, time.perf_counter() - begun_s, time.process_time() - cpu_s)
        await app.stop()
    await producer.stop()
    return cost


async def caught_up_s(brokers: KafkaPlace, storage: CassandraStorage, lines: Sequence[Line]) -> float:
    """From the start of a worker until new lines have their outcomes; the best of some starts."""
    found = []
    for start in range(STARTS):
        began_s = time.perf_counter()
        async with open_bus(config(brokers), storage):
            await outcomes(brokers, lines[start * NEW_LINES : (start + 1) * NEW_LINES])
            found.append(time.perf_counter() - began_s)
    return min(found)


def told(what: str, value: float) -> None:
    print(f"{what:62} {value:8.2f} ×", flush=True)


async def measured(count: int, kafka: str, place: CassandraPlace) -> bool:
    history = lines_of(Universe(seed=SEED, size=count), count)
    others = lines_of(Universe(seed=SEED + 1, size=2 * STARTS * NEW_LINES), 2 * STARTS * NEW_LINES)
    emptied = Emptied(place)
    storage = await emptied.storage()
    brokers = await new_topics(kafka)
    restarted: list[float] = []
    with (
        simulated_internet("--seed", str(SEED), "--size", str(count)) as net,
        fetcher(brokers, place, net.environment),
    ):
        await worker(brokers, storage, history[: count // 10])
        restarted.append(await caught_up_s(brokers, storage, others[: STARTS * NEW_LINES]))
        cost = await worker(brokers, storage, history[count // 10 :])
        restarted.append(await caught_up_s(brokers, storage, others[STARTS * NEW_LINES :]))
    print(cost.told("one worker"), flush=True)
    print(f"{'':44} {(count - count // 10) / cost.wall_s:.1f} records/s end to end")
    messages = await what_was_said(brokers)
    with floor(place, storage.blobs) as does:
        reading = await agent(brokers, messages, does)
    print(reading.told("the floor, which reads replies as well"), flush=True)
    with floor(place) as does:
        bare = await agent(brokers, messages, does)
    print(bare.told("the bare floor: decode, row, encode, forward"), flush=True)
    with floor(place, together=False) as does:
        single = await agent(brokers, messages, does)
    print(single.told("the same, each row in its own statement"), flush=True)
    empty = await agent(brokers, messages, nothing)
    print(empty.told("an empty agent with the same messages"), flush=True)
    await emptied.close()
    told_rates = " : ".join(f"{one.rate / cost.rate:.2f}" for one in (cost, reading, bare, single, empty))
    print(f"{'':44} worker : floor : bare floor : each row by itself : empty agent = {told_rates}")
    print(
        f"{'':44} of what the empty agent does, the bare floor does {bare.rate / empty.rate:.2f}, "
        f"with each row by itself {single.rate / empty.rate:.2f}, with reading {reading.rate / empty.rate:.2f}, "
        f"the worker {cost.rate / empty.rate:.2f}"
    )
    told("told, not held: empty agent by worker", empty.rate / cost.rate)
    told("told, not held: bare floor by worker", bare.rate / cost.rate)
    good = verdict("floor by worker, events per CPU second", reading.rate / cost.rate, RATIO_LIMIT)
    good &= verdict("milliseconds of CPU an event", 1000 / cost.rate, 1000 / FLOOR_PER_S, "ms")
    growing = f"start to caught up, {count} lines of history by {count // 10}"
    good &= verdict(
        f"{growing} ({restarted[1]:.1f} s by {restarted[0]:.1f} s)", restarted[1] / restarted[0], GROWTH_LIMIT
    )
    return good


async def in_time(running: Coroutine[Any, Any, bool], lines: int) -> bool:
    """False if it does not end: a server that is gone is waited for without end."""
    try:
        async with asyncio.timeout(PATIENCE_S + lines):
            return await running
    except TimeoutError:
        print(f"FAILED: it did not end within {PATIENCE_S + lines:.0f} s", file=sys.stderr)
        return False


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lines", type=int, default=400)
    lines = parser.parse_args().lines
    collect_less_often()  # as the command line does
    # What Faust's parts say while they look for each other, and notes about single publications.
    logging.getLogger("aiokafka").setLevel(logging.CRITICAL)
    logging.getLogger("pubweave").setLevel(logging.ERROR)
    kafka, cassandra = Lease("kafka"), Lease("cassandra")
    try:
        with keyspace(cassandra.take()) as place:
            return 0 if asyncio.run(in_time(measured(lines, kafka.take(), place), lines)) else 1
    finally:
        kafka.release()
        cassandra.release()


if __name__ == "__main__":
    sys.exit(main())
