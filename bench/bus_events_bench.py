"""How many events a second one worker of the bus does, beside an empty Faust agent in the same run.

    python bench/bus_events_bench.py [--lines 400]

One process runs merger, materialiser, scheduler and the resources that ask APIs, on a real Kafka and Cassandra; the
fetcher runs in a second process, the simulated internet in a third, without latency. An event is a message consumed.
The empty agent takes the very messages of that job, as many at a time, and forwards each.

Not held yet, so told without failing: half the rate of the empty agent. Measured on two cores that had much else to do:
500 to 840 events per CPU second (each read, folded and written to Cassandra), beside 6,500 that are only passed on.

Rates are per second of the worker's own CPU time, so that they do not depend on who else uses the machine; those by the
clock on the wall stand beside them. Then: how long a worker that starts again needs until new lines have their
outcomes, with a history of one job and of ten times as much.
"""

import argparse
import asyncio
import os
import secrets
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import faust
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic

from flow.tables import lines_of
from pubweave import registry
from pubweave.adapters.cassandra import CassandraPlace, CassandraStorage
from pubweave.adapters.clock import SystemClock
from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.contract.catalogue import topic_of, topics
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.runtimes.bus.client import following, new_job, submit
from pubweave.runtimes.bus.intake import TAKE
from pubweave.runtimes.bus.sending import Sender
from pubweave.runtimes.bus.system import BusConfig, open_bus
from pubweave.runtimes.embedded.system import Line
from simnet.fixture import process as simulated_internet
from simnet.universe import Universe
from stack.keyspaces import Emptied, keyspace
from stack.leases import Lease
from stack_flow.jobs import new_topics, requests_of
from support import verdict

TESTS: Final = Path(__file__).resolve().parents[1] / "tests"

RATIO_LIMIT: Final = 2.0
"""The empty agent's rate by ours: it may be twice as fast."""
FLOOR_PER_S: Final = 500.0
GROWTH_LIMIT: Final = 1.3
SEED: Final = 1
NEW_LINES: Final = 10
STARTS: Final = 3

SERVICES: Final = ("merger", "materialiser", "scheduler", *registry.API_RESOURCES)


class Cost(NamedTuple):
    events: int
    wall_s: float
    cpu_s: float

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
        await admin.create_topics([NewTopic(name, 12, 1)])
        yield name
    finally:
        await admin.close()


async def what_was_said(brokers: KafkaPlace) -> list[tuple[bytes, bytes, Any]]:
    """Every message of the job: key, value, headers."""
    names = [
        brokers.prefix + name
        for topic in topics()
        for name in topic.names()
        if topic.topic.partition(".")[0] not in ("reply-wanted", "dead-letters")
    ]
    consumer = AIOKafkaConsumer(bootstrap_servers=list(brokers.hosts), enable_auto_commit=False)
    await consumer.start()
    found: list[tuple[bytes, bytes, Any]] = []
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
            found += [(one.key, one.value, one.headers) for many in records.values() for one in many]
    finally:
        await consumer.stop()
    return found


async def empty_agent(brokers: KafkaPlace) -> Cost:
    """The same messages, forwarded by an agent that does nothing else."""
    messages = await what_was_said(brokers)
    mark = f"bench-{secrets.token_hex(4)}"
    done, heard, begun_s, cpu_s = asyncio.Event(), 0, 0.0, 0.0
    producer = AIOKafkaProducer(bootstrap_servers=list(brokers.hosts), compression_type="lz4", linger_ms=2)
    await producer.start()
    async with one_topic(brokers, f"{mark}-in") as source, one_topic(brokers, f"{mark}-out") as target:
        sent = [
            await producer.send(source, value=value, key=key, headers=list(headers))
            for key, value, headers in messages
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
                    await producer.send(
                        target,
                        value=event.message.value,
                        key=event.message.key,
                        headers=list(event.message.headers),
                    )
                    for event in batch
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
    empty = await empty_agent(brokers)
    print(empty.told("an empty agent with the same messages"), flush=True)
    await emptied.close()
    ours, theirs = cost.events / cost.cpu_s, empty.events / empty.cpu_s
    verdict("empty agent by worker, events per CPU second", theirs / ours, RATIO_LIMIT)
    good = verdict("milliseconds of CPU an event", 1000 / ours, 1000 / FLOOR_PER_S, "ms")
    told = f"start to caught up, {count} lines of history by {count // 10}"
    good &= verdict(
        f"{told} ({restarted[1]:.1f} s by {restarted[0]:.1f} s)", restarted[1] / restarted[0], GROWTH_LIMIT
    )
    return good


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lines", type=int, default=400)
    lines = parser.parse_args().lines
    kafka, cassandra = Lease("kafka"), Lease("cassandra")
    try:
        with keyspace(cassandra.take()) as place:
            return 0 if asyncio.run(measured(lines, kafka.take(), place)) else 1
    finally:
        kafka.release()
        cassandra.release()


if __name__ == "__main__":
    sys.exit(main())
