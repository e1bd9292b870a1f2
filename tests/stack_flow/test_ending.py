"""`pubweave db remove` and `erase` on the real Kafka and Cassandra, as a person runs them."""

import asyncio
import json
import os
import secrets
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from aiokafka import AIOKafkaConsumer, TopicPartition

from flow.tables import lines_of
from pubweave.adapters.cassandra import CassandraPlace, CassandraStorage
from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.contract.catalogue import topics
from simnet.fixture import running
from simnet.universe import Universe
from stack.fixtures import cassandra, kafka, needs_stack
from stack.storages import place
from stack_flow.alone import alone
from stack_flow.test_commands import command, prepare

__all__ = ["alone", "cassandra", "kafka", "place"]

pytestmark = [needs_stack, pytest.mark.usefixtures("alone"), pytest.mark.network, pytest.mark.timeout(400)]

SIZE = 6
COMPACTED = [name for topic in topics() if topic.compacted for name in topic.names()]


async def after_compaction(place: KafkaPlace) -> dict[str, dict[bytes, bytes]]:
    """By topic, what a compaction leaves: of each key the last record, unless that has no value."""
    consumer = AIOKafkaConsumer(**place.client(), enable_auto_commit=False, auto_offset_reset="earliest")
    await consumer.start()
    left: dict[str, dict[bytes, bytes]] = {}
    try:
        partitions = [
            TopicPartition(place.prefix + topic.topic, number)
            for topic in topics()
            if topic.compacted and topic.names() == (topic.topic,)
            for number in range(topic.partitions)
        ] + [
            TopicPartition(place.prefix + name, number)
            for topic in topics()
            if topic.compacted and topic.names() != (topic.topic,)
            for name in topic.names()
            for number in range(topic.partitions)
        ]
        consumer.assign(partitions)
        ends = await consumer.end_offsets(partitions)
        while [one for one, end in ends.items() if await consumer.position(one) < end]:
            for one, records in (await consumer.getmany(timeout_ms=500)).items():
                kept = left.setdefault(one.topic.removeprefix(place.prefix), {})
                for record in records:
                    kept.pop(record.key, None)
                    if record.value is not None:
                        kept[record.key] = record.value
    finally:
        await consumer.stop()
    return left


async def rows_naming(words: Sequence[str], place: CassandraPlace) -> list[str]:
    """Of all rows of all tables those that name one of these."""
    storage = await CassandraStorage.open(place)
    try:
        tables = await storage.session.direct(
            f"SELECT table_name FROM system_schema.tables WHERE keyspace_name = '{place.keyspace}'"
        )
        return [
            f"{table}: {row}"
            for (table,) in tables
            async for row in storage.session.rows(f"SELECT * FROM {{keyspace}}.{table}")
            if named(words, repr(row).encode())
        ]
    finally:
        await storage.close()


def named(words: Sequence[str], content: bytes) -> list[str]:
    return [word for word in words if word.encode() in content]


def test_removed_and_erased_publications_are_gone_and_can_be_submitted_anew(
    kafka: str, place: CassandraPlace, tmp_path: Path
) -> None:
    """One publication is removed, another erased, while the services run: neither leads anywhere, of the second the topics
    that keep facts have no record after a compaction and Cassandra has no byte; both can be had again."""
    brokers = KafkaPlace.at(kafka, prefix=f"e{secrets.token_hex(4)}.")
    asyncio.run(prepare(brokers, place))
    universe = Universe(seed=6, size=SIZE)
    given = lines_of(universe, SIZE)
    ids = tmp_path / "ids.txt"
    ids.write_text(
        "".join(f"{one.identifiers.pmid}\t{one.identifiers.pmcid}\t{one.identifiers.doi}\n" for one in given)
    )
    on = ["--kafka", kafka, "--prefix", brokers.prefix]
    stored = ["--cassandra", ",".join(place.hosts), "--keyspace", place.keyspace]
    base = f"cassandra://{','.join(place.hosts)}/{place.keyspace}"
    with running(universe) as net:
        environment = {**os.environ, **net.environment, "HOME": str(tmp_path)}

        def ran(*words: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                command("main", *words, module="main"),
                env=environment,
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=False,
            )

        def publications() -> dict[str, dict[str, str]]:
            """By title, the identifiers of what the cluster has."""
            found = json.loads(ran("db", "dump", base).stdout)["publications"]
            return {
                one["title"]["content"]: {kind: one[kind]["content"] for kind in ("pmid", "pmcid", "doi")}
                for one in found
            }

        work = subprocess.Popen(
            command("main", "work", "all", *on, *stored, module="main"),
            env=environment,
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            submitted = ran("submit", "--ids", str(ids), "--wait", *on)
            assert submitted.returncode == 0, submitted.stderr
            before = publications()
            removed, erased = [title for title, known in sorted(before.items()) if known["doi"] and title][:2]
            words = [word for word in before[erased].values() if word]

            told = ran("db", "remove", base, before[removed]["doi"], *on)
            assert (told.returncode, told.stderr) == (0, f"1 removed from {base}\n")
            told = ran("db", "erase", base, before[erased]["doi"], *on)
            assert told.returncode == 0, told.stderr
            assert f"1 erased from {base}, with " in told.stderr
            assert publications() == {
                title: known for title, known in before.items() if title not in (removed, erased)
            }
            for title in (removed, erased):
                assert ran("db", "contains", base, before[title]["doi"]).stdout == "false\n"
            left = asyncio.run(after_compaction(brokers))
            assert {name for name in left if left[name]} <= set(COMPACTED)
            assert {
                topic: key
                for topic, records in left.items()
                for key, value in records.items()
                if named(words, value)
            } == {}
            # Until the last look, ten minutes later, it is noted which records of the log were taken away.
            noted = [row for row in asyncio.run(rows_naming(words, place)) if "'erased'" not in row]
            assert noted == []

            assert ran("submit", "--ids", str(ids), "--wait", *on).returncode == 0
            missing = ran("db", "remove", base, "10.9999/none", *on)
        finally:
            work.send_signal(signal.SIGTERM)
            _, said = work.communicate()
        assert work.returncode == 0, said
        assert publications() == before
        assert (missing.returncode, "doi 10.9999/NONE is not in the database" in missing.stderr) == (1, True)
