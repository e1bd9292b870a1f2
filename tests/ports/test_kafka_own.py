"""What the log on Kafka promises beyond the port: many partitions, other writers, erasing, what is refused."""

import asyncio
import itertools
from collections.abc import AsyncIterator

import msgspec
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

from ports.streams import digest, entry
from pubweave.adapters.kafka import KafkaLog, KafkaPlace
from pubweave.adapters.kafka.admin import apply
from pubweave.adapters.kafka.log import OFFSET_BITS
from pubweave.adapters.kafka.place import partition_of
from pubweave.adapters.kafka.topics import Wanted
from pubweave.contract.catalogue import record_key, topic_of
from pubweave.contract.cloudevents import from_headers, headers
from pubweave.contract.codec import encode, event_id
from pubweave.contract.publication_updated import PublicationUpdated
from pubweave.ports import Entry, StorageProblem
from stack.fixtures import kafka, needs_stack
from stack.processes import me

__all__ = ["kafka"]

pytestmark = needs_stack

PARTITIONS = 4
numbers = itertools.count()


@pytest.fixture
async def place(kafka: str) -> KafkaPlace:
    """Empty topics under names that no other test has."""
    place = KafkaPlace.at(kafka, prefix=f"own-{me().pid}-{next(numbers)}.")
    compacted = {"cleanup.policy": "compact", "max.message.bytes": "200000"}
    await apply(
        place, [Wanted(place.prefix + name, PARTITIONS, compacted) for name in ("many", "publications")]
    )
    return place


@pytest.fixture
async def log(place: KafkaPlace) -> AsyncIterator[KafkaLog]:
    log = KafkaLog(place, service="merger")
    yield log
    await log.close()


async def raw(place: KafkaPlace, topic: str) -> list[object]:
    """All messages of a topic as the broker has them."""
    consumer = AIOKafkaConsumer(
        place.prefix + topic, bootstrap_servers=list(place.hosts), auto_offset_reset="earliest"
    )
    await consumer.start()
    try:
        ends = await consumer.end_offsets(consumer.assignment())
        found: list[object] = []
        while len(found) < sum(ends.values()):
            for page in (await consumer.getmany(timeout_ms=1000)).values():
                found += page
        return found
    finally:
        await consumer.stop()


async def test_keys_stay_in_order_over_many_partitions(log: KafkaLog) -> None:
    """All of a key are in its partition, in the order of appending; a cursor runs through all partitions."""
    given = [entry(digest(number), key=f"key{number % 10}") for number in range(100)]
    for start in range(0, 100, 7):
        await log.append("many", given[start : start + 7])
    pages = []
    after = 0
    while page := await log.read("many", after, limit=9):
        pages.append(page)
        after = page[-1].offset
    read = [logged for page in pages for logged in page]

    assert sorted(logged.entry.id for logged in read) == [one.id for one in given]
    assert [logged.offset for logged in read] == sorted(logged.offset for logged in read)
    assert all(len(page) == 9 for page in pages[:-1])
    assert {logged.offset >> OFFSET_BITS for logged in read} == set(range(PARTITIONS))
    for key in {one.key for one in given}:
        of_key = await log.of_key("many", key)

        assert [logged.entry for logged in of_key] == [one for one in given if one.key == key]
        assert {logged.offset >> OFFSET_BITS for logged in of_key} == {partition_of(key, PARTITIONS)}


async def test_a_cursor_over_many_partitions_is_remembered(log: KafkaLog, place: KafkaPlace) -> None:
    """Also by a reader that starts later; each group has its own."""
    await log.append("many", [entry(digest(number), key=str(number)) for number in range(40)])
    read = await log.read("many")
    await log.commit("rebuild", "many", read[5].offset)
    await log.commit("rebuild", "many", read[25].offset)
    await log.commit("rebuild", "many", read[5].offset)
    later = KafkaLog(place)

    assert await later.committed("rebuild", "many") == read[25].offset
    assert await later.committed("other", "many") == 0
    assert await later.read("many", read[25].offset) == read[26:]

    await later.close()


async def test_what_a_reader_knows_is_not_needed_by_the_next(log: KafkaLog, place: KafkaPlace) -> None:
    """Repeats and erased entries are left out by whoever comes new to the topic, from wherever it reads."""
    await log.append("many", [entry("1"), entry("2")])
    await log.append("many", [entry("1"), entry("3")])
    await log.erase("many", "a")
    await log.append("many", [entry("2"), entry("4")])
    seen = [logged.entry.id for logged in await log.read("many")]
    later = KafkaLog(place)
    first = await later.read("many")

    assert seen == ["4"]
    assert [logged.entry.id for logged in first] == ["4"]
    assert await later.read("many", first[-1].offset - 1) == first

    await later.close()


async def test_erasing_leaves_a_tombstone_for_each_record(log: KafkaLog, place: KafkaPlace) -> None:
    """Under the very keys that the records have, so that compaction drops the bytes of all of them."""
    await log.append("many", [entry("1"), entry("2"), entry("3", "b")])
    await log.erase("many", "a")
    messages = await raw(place, "many")
    tombstones = {message.key for message in messages if message.value is None}

    assert tombstones == {b"a/1", b"a/2"}
    assert {message.key for message in messages if message.value is not None} == {b"a/1", b"a/2", b"b/3"}


async def test_an_erased_publication_can_begin_anew(log: KafkaLog) -> None:
    """In the topic of records the key is the publication itself: what comes after the tombstone is shown."""
    await log.append("publications", [entry("1", "p")])
    await log.erase("publications", "p")
    await log.append("publications", [entry("2", "p")])

    assert [logged.entry.id for logged in await log.of_key("publications", "p")] == ["2"]


async def test_messages_are_cloud_events(log: KafkaLog, place: KafkaPlace) -> None:
    """Others can read what we append without knowing us."""
    await log.append("many", [entry("1", "p", b"{}", "gate-flag", 2)])
    (message,) = await raw(place, "many")
    told = from_headers(message.headers)

    assert (told.id, told.kind_and_version(), told.subject) == ("1", ("gate-flag", 2), "p")
    assert told.source.endswith("/services/merger")


async def test_what_the_services_say_is_read_the_same_way(log: KafkaLog, place: KafkaPlace) -> None:
    """An event with the headers and the keys of the catalogue, written by another producer."""
    event = PublicationUpdated(publication="p7", version=1, reason="fetched", record=msgspec.Raw(b"{}"))
    topic = topic_of("publications")
    producer = AIOKafkaProducer(bootstrap_servers=list(place.hosts))
    await producer.start()
    await producer.send_and_wait(
        f"{place.prefix}publications",
        key=record_key(topic, event).encode(),
        value=encode(event),
        headers=headers(event, "merger", 0),
        partition=partition_of("p7", PARTITIONS),
    )
    await producer.stop()
    (logged,) = await log.of_key("publications", "p7")

    assert logged.entry == Entry("p7", event_id(event), "publication-updated", 1, encode(event))


async def test_appends_of_many_batches_are_whole(log: KafkaLog) -> None:
    """More than fits into one batch; in order."""
    given = [entry(digest(number), body=bytes([number % 256]) * 50_000) for number in range(60)]
    await log.append("many", given)

    assert [logged.entry for logged in await log.of_key("many", "a")] == given


async def test_readers_at_once_do_not_disturb_each_other(log: KafkaLog) -> None:
    """They share one connection."""
    given = [entry(digest(number), key=str(number)) for number in range(50)]
    await log.append("many", given)
    everything = await log.read("many")
    read = await asyncio.gather(
        *(log.read("many") for _ in range(5)), *(log.of_key("many", "7") for _ in range(5))
    )

    assert read == [everything] * 5 + [await log.of_key("many", "7")] * 5
    assert len(everything) == 50


async def test_a_missing_topic_is_named_with_the_command_to_run(log: KafkaLog) -> None:
    """Nothing makes it by accident."""
    with pytest.raises(
        StorageProblem, match=r"nowhere is missing on the Kafka at .*: run `pubweave topics apply"
    ):
        await log.append("nowhere", [entry("1")])


async def test_an_entry_that_is_too_long_is_refused(log: KafkaLog) -> None:
    """Said as it is, and what comes after it goes on."""
    import random

    with pytest.raises(StorageProblem, match="could not do what was asked"):
        await log.append("many", [entry("1", body=random.Random(1).randbytes(300_000))])
    await log.append("many", [entry("2")])

    assert [logged.entry.id for logged in await log.read("many")] == ["2"]


async def test_no_broker_is_told_in_one_sentence() -> None:
    """With the address and what to look at; closing is safe to repeat."""
    log = KafkaLog(KafkaPlace.at("127.0.0.1:1"))
    with pytest.raises(StorageProblem, match=r"No Kafka answers at 127\.0\.0\.1:1"):
        await log.read("facts")
    await log.close()
    await log.close()
