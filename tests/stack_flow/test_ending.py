"""`pubweave db remove` and `erase` on the real Kafka and Cassandra, as a person runs them."""

import asyncio
import json
import os
import secrets
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer, TopicPartition

from flow.tables import lines_of
from pubweave.adapters.cassandra import CassandraPlace, CassandraStorage
from pubweave.adapters.clock import SystemClock
from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.contract.catalogue import topics
from pubweave.contract.erasure_requested import ErasureRequested
from pubweave.contract.exchange import Reply, Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.reply_received import ReplyReceived
from pubweave.contract.values import BlobRef, Identifiers, Place, Thresholds
from pubweave.core.record import Part, Record, encode_record
from pubweave.core.webpage_record import WebpageRecord
from pubweave.output.webpage import webpage_object
from pubweave.ports import StoredRecord
from pubweave.runtimes.bus.changing import Changing
from pubweave.runtimes.bus.client import following
from pubweave.runtimes.bus.sending import Sender
from pubweave.runtimes.messages.effects import message
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


class Services:
    """`pubweave work all` beside, and commands that talk to it."""

    def __init__(self, kafka: str, place: CassandraPlace, folder: Path) -> None:
        self.brokers = KafkaPlace.at(kafka, prefix=f"e{secrets.token_hex(4)}.")
        asyncio.run(prepare(self.brokers, place))
        self.on = ["--kafka", kafka, "--prefix", self.brokers.prefix]
        self.stored = ["--cassandra", ",".join(place.hosts), "--keyspace", place.keyspace]
        self.base = f"cassandra://{','.join(place.hosts)}/{place.keyspace}"
        self._folder = folder
        self._environment: dict[str, str] = {}

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command("main", *words, module="main"),
            env=self._environment,
            cwd=self._folder,
            capture_output=True,
            text=True,
            check=False,
        )

    @contextmanager
    def running(self, universe: Universe) -> Iterator[None]:
        """Until the end, which they must reach in order."""
        with running(universe) as net:
            self._environment = {**os.environ, **net.environment, "HOME": str(self._folder)}
            self._environment |= {"PUBWEAVE_KAFKA": self.on[1], "PUBWEAVE_PREFIX": self.brokers.prefix}
            work = subprocess.Popen(
                command("main", "work", "all", *self.on, *self.stored, module="main"),
                env=self._environment,
                cwd=self._folder,
                stderr=subprocess.PIPE,
                text=True,
            )
            try:
                yield
            finally:
                work.send_signal(signal.SIGTERM)
                _, said = work.communicate()
            assert work.returncode == 0, said

    def dumped(self) -> dict[str, list[dict[str, Any]]]:
        found: dict[str, list[dict[str, Any]]] = json.loads(self("db", "dump", self.base).stdout)
        return found

    def publications(self) -> dict[str, dict[str, str]]:
        """By title, the identifiers of what the cluster has."""
        return {
            one["title"]["content"]: {kind: one[kind]["content"] for kind in ("pmid", "pmcid", "doi")}
            for one in self.dumped()["publications"]
        }


def file_of(universe: Universe, folder: Path) -> str:
    """Lines to submit."""
    ids = folder / "ids.txt"
    given = [one.identifiers for one in lines_of(universe, SIZE)]
    ids.write_text("".join(f"{one.pmid}\t{one.pmcid}\t{one.doi}\n" for one in given))
    return str(ids)


def test_removed_and_erased_publications_are_gone_and_can_be_submitted_anew(
    kafka: str, place: CassandraPlace, tmp_path: Path
) -> None:
    """One publication is removed, another erased, while the services run: neither leads anywhere, of the second the topics
    that keep facts have no record after a compaction and Cassandra has no byte; both can be had again."""
    ran, universe = Services(kafka, place, tmp_path), Universe(seed=6, size=SIZE)
    ids, base, on = file_of(universe, tmp_path), ran.base, ran.on
    with ran.running(universe):
        submitted = ran("submit", "--ids", ids, "--wait", *on)
        assert submitted.returncode == 0, submitted.stderr
        before = ran.publications()
        some = next(known["doi"] for known in before.values() if known["doi"])
        explained = json.loads(ran("explain", some, "--db", base, "--format", "json").stdout)
        assert explained["needs"], "what each source answered"
        assert {ladder["part"] for ladder in explained["ladders"]} >= {"title", "doi"}
        assert ran("status", "--db", base).returncode == 0
        removed, erased = [title for title, known in sorted(before.items()) if known["doi"] and title][:2]
        words = [word for word in before[erased].values() if word]

        told = ran("db", "remove", base, before[removed]["doi"], *on)
        assert (told.returncode, told.stderr) == (0, f"1 removed from {base}\n")
        told = ran("db", "erase", base, before[erased]["doi"], *on)
        assert told.returncode == 0, told.stderr
        assert f"1 erased from {base}, with " in told.stderr
        assert ran.publications() == {
            title: known for title, known in before.items() if title not in (removed, erased)
        }
        for title in (removed, erased):
            assert ran("db", "contains", base, before[title]["doi"]).stdout == "false\n"
        left = asyncio.run(after_compaction(ran.brokers))
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

        told = ran("db", "erase", base, before[removed]["doi"], *on)
        assert told.returncode == 0, "also what was removed before is found"
        words = [word for word in before[removed].values() if word]
        noted = [row for row in asyncio.run(rows_naming(words, place)) if "'erased'" not in row]
        assert noted == []
        assert ran("db", "erase", base, before[removed]["doi"], *on).returncode == 1

        assert ran("submit", "--ids", ids, "--wait", *on).returncode == 0
        missing = ran("db", "remove", base, "10.9999/none", *on)
    assert ran.publications() == before
    assert ran("status", "--db", base).returncode == 0, "the numbers still add up"
    assert (missing.returncode, "doi 10.9999/NONE is not in the database" in missing.stderr) == (1, True)


def test_records_and_pages_are_put_into_a_running_cluster(
    kafka: str, place: CassandraPlace, tmp_path: Path
) -> None:
    """A record that is there is overwritten, a new one gets a key of its own, two that a record joins become one; a page is
    put and removed."""
    ran, universe = Services(kafka, place, tmp_path), Universe(seed=6, size=SIZE)
    ids, base, on = file_of(universe, tmp_path), ran.base, ran.on
    with ran.running(universe):
        assert ran("submit", "--ids", ids, "--wait", *on).returncode == 0
        before = ran.dumped()["publications"]
        one, other, third = [
            entry for entry in before if entry["pmid"]["content"] and entry["doi"]["content"]
        ][:3]
        pmid = one["pmid"]["content"]
        other["title"]["content"] = "Put in place"
        other["title"]["size"] = len("Put in place")
        third["doi"] = one["doi"]
        new = json.loads(json.dumps(other))
        for kind, value in (("pmid", "99999901"), ("pmcid", "PMC99999901"), ("doi", "10.9999/NEW")):
            new[kind] |= {"content": value, "size": len(value)}
        new["title"] |= {"content": "Never seen", "size": len("Never seen")}
        page = webpage_object(WebpageRecord("https://tool.example/", title="A tool"), Thresholds())
        file = tmp_path / "some.json"
        file.write_text(json.dumps({"version": {}, "publications": [other, new, third], "webpages": [page]}))

        told = ran("db", "put", base, str(file), *on)
        assert told.returncode == 0, told.stderr
        assert "4 put into" in told.stderr
        assert "are one publication by the identifiers put" in told.stderr
        found = ran.publications()
        kept = [entry for entry in before if entry not in (one, other, third)]
        assert len(found) == len(kept) + 3
        assert found["Put in place"]["pmid"] == other["pmid"]["content"]
        assert found["Never seen"] == {"pmid": "99999901", "pmcid": "PMC99999901", "doi": "10.9999/NEW"}
        assert ran("db", "contains", base, pmid).stdout == "false\n"
        joined = json.loads(ran("db", "get", base, one["doi"]["content"]).stdout)
        assert joined["pmid"]["content"] == third["pmid"]["content"]
        assert ran("db", "get", base, "https://tool.example/", "--webpages").returncode == 0
        told = ran("db", "remove", base, "https://tool.example/", "--webpages", *on)
        assert told.returncode == 0, told.stderr
        assert ran("db", "get", base, "https://tool.example/", "--webpages").returncode == 1
        again = ran("db", "put", base, str(file), "--keep", *on)
        told = ran("db", "erase", base, "https://tool.example/", "--webpages", *on)
        assert told.returncode == 0, told.stderr
        left = asyncio.run(after_compaction(ran.brokers))
        assert [
            value for records in left.values() for value in records.values() if b"tool.example" in value
        ] == []
        assert asyncio.run(rows_naming(["tool.example"], place)) == []
        piped = ran("pipe", "--pub", "99999901", "--db", base, "--remove", base)
        assert piped.returncode == 0, piped.stderr
        assert ran("db", "contains", base, "99999901").stdout == "false\n"
    assert "1 put into" in again.stderr, "the page"
    assert "3 that were there already" in again.stderr


async def test_an_erasure_names_the_contents_that_are_its_publication_s_alone(
    kafka: str, place: CassandraPlace
) -> None:
    """Long texts and raw replies that nothing else refers to; what was kept of the outside and names it is taken away."""
    brokers = KafkaPlace.at(kafka, prefix=f"a{secrets.token_hex(4)}.")
    await prepare(brokers, place)
    storage, clock = await CassandraStorage.open(place), SystemClock()
    own, shared, raw, raw_of_both = [
        await storage.blobs.put(text.encode() * 900) for text in ("own ", "shared ", "raw ", "both ")
    ]

    def record(key: str, pmid: str, **texts: BlobRef) -> StoredRecord:
        parts = {name: Part(type="europepmc", size=3600, blob=blob) for name, blob in texts.items()}
        pmids = Part(type="europepmc", size=len(pmid), text=pmid)
        return StoredRecord(key, 1, encode_record(Record(publication=key, pmid=pmids, **parts)))

    def reply(ask: str, blob: BlobRef, *keys: str) -> ReplyReceived:
        place_ = Place(epoch=1, run=1, generation=1, pass_=1, resource=1, link=0)
        needs = tuple(
            NeedsPart(
                publication=key,
                need=f"{key}/1",
                place=place_,
                resource="europepmc",
                identifiers=Identifiers(),
            )
            for key in keys
        )
        return ReplyReceived(
            ask=ask,
            reply=Reply(outcome="found", url="u", blob=blob),
            work=Work(resource="europepmc", needs=needs),
        )

    try:
        store = storage.store
        await store.put_record(record("k1", "7770001", fulltext=own, theAbstract=shared))
        await store.put_record(record("k2", "7770002", theAbstract=shared))
        await store.hold("k1", [("pmid", "7770001")])
        await store.put_answer("one", b"names 7770001")
        await store.put_answer("other", b"names 7770002")
        async with Sender(brokers, clock.now_ms) as sender:
            said = [reply("a", raw, "k1"), reply("b", raw_of_both, "k1"), reply("c", raw_of_both, "k1", "k2")]
            await sender.send([message(one) for one in said], "cli")
            (wiped,) = await Changing(storage, brokers, sender, clock).erase(Identifiers(pmid="7770001"))
        async with following(brokers, ["part-candidates"], from_the_start=True) as follower:
            (request,) = [event async for event, _, _ in follower.events(to_the_end=True)]

        assert isinstance(request, ErasureRequested)
        assert (request.publication, set(request.contents)) == ("k1", {own.digest, raw.digest})
        assert (wiped.contents, wiped.shared) == (1, 1)
        assert (await store.answer("one"), await store.answer("other")) == (b"", b"names 7770002")
    finally:
        await storage.close()
