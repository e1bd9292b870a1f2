"""What people do with a running bus: submit, follow, look at dead letters."""

import secrets
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, TypeAlias

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, RecordsToDelete
from aiokafka.errors import KafkaError

from pubweave.adapters.kafka.admin import ready
from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.adapters.kafka.topics import wanted
from pubweave.contract.codec import UndecodableEvent, decode
from pubweave.contract.dead_letter import DeadLetter
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.job_closed import JobClosed
from pubweave.contract.kinds import Event
from pubweave.ports import Clock, StorageProblem
from pubweave.runtimes.bus.sending import Sender
from pubweave.runtimes.messages.delivered import delivered
from pubweave.runtimes.messages.effects import message
from pubweave.runtimes.messages.frames import opened

SENT_TOGETHER: Final = 500

Cursor: TypeAlias = dict[str, int]
"""Where to read on: the offset for each `topic/partition`."""


def new_job(clock: Clock) -> str:
    """A name for a job; names sort by time."""
    return f"{clock.now_ms():012x}{secrets.token_hex(4)}"


async def submit(sender: Sender, job: str, lines: Iterable[FetchRequested]) -> int:
    """Put the lines of a job on the bus and close it.

    :returns: how many there were
    :raises StorageProblem: the brokers do not take them
    """
    count = 0
    waiting: list[FetchRequested] = []
    for line in lines:
        count += 1
        waiting.append(line)
        if len(waiting) >= SENT_TOGETHER:
            await sender.send([message(one) for one in waiting], "cli")
            waiting = []
    closed = message(JobClosed(job=job, lines=count))
    await sender.send([*(message(one) for one in waiting), closed], "cli")
    return count


async def replay(sender: Sender, letter: DeadLetter) -> None:
    """Say the event of a dead letter again, where it was going.

    :raises UndecodableEvent: it still cannot be read
    :raises StorageProblem: the brokers do not take it
    """
    event = decode(letter.event_kind, letter.event_version, letter.body)
    await sender.send([message(event)], "cli")


async def drop_letters(place: KafkaPlace, number: int) -> None:
    """Take away the dead letters up to this one, which Kafka keeps in the order of their coming.

    :raises StorageProblem: the brokers do not do it
    """
    admin = AIOKafkaAdminClient(**place.client())
    try:
        await admin.start()
        await admin.delete_records(
            {TopicPartition(f"{place.prefix}dead-letters", 0): RecordsToDelete(before_offset=number + 1)}
        )
    except KafkaError as error:
        raise StorageProblem(
            f"The Kafka at {place.told()} does not take dead letters away ({type(error).__name__}: {error})."
        ) from error
    finally:
        await admin.close()


class Follower:
    """Reads topics from some point on, in no group: whoever follows takes nothing from others."""

    def __init__(self, consumer: Any, place: KafkaPlace, cursor: Cursor) -> None:
        self.cursor = cursor
        """How far was read: everything that was given, and nothing else."""
        self._consumer = consumer
        self._place = place

    async def events(self, *, to_the_end: bool = False) -> AsyncIterator[tuple[Event, int, int]]:
        """Events as they come, each with its partition and offset; what cannot be read is left out.

        :param to_the_end: stop where the topics ended when this began
        """
        ends: dict[TopicPartition, int] = {}
        if to_the_end:
            ends = await self._consumer.end_offsets(list(self._consumer.assignment()))
        while True:
            if to_the_end and not [
                one for one, end in ends.items() if await self._consumer.position(one) < end
            ]:
                return
            polled = await self._consumer.getmany(timeout_ms=200, max_records=500)
            for partition, records in polled.items():
                for record in records:
                    for event in events_in(self._place, record):
                        yield event, partition.partition, record.offset
                    self._is_read(record)

    async def batches(self) -> AsyncIterator[list[Event]]:
        """What came together, for ever; an empty list when nothing came for a moment."""
        while True:
            polled = await self._consumer.getmany(timeout_ms=200, max_records=2000)
            records = [record for many in polled.values() for record in many]
            found = [event for record in records for event in events_in(self._place, record)]
            for record in records:
                self._is_read(record)
            yield found

    def _is_read(self, record: Any) -> None:
        topic = record.topic.removeprefix(self._place.prefix)
        self.cursor[f"{topic}/{record.partition}"] = record.offset + 1


def events_in(place: KafkaPlace, record: Any) -> list[Event]:
    """What a record of Kafka says: several events if it is a frame, none if it is a tombstone; without what cannot be read."""
    if record.value is None:
        return []
    topic = record.topic.removeprefix(place.prefix)
    found = []
    for one in opened(delivered(topic, record.key, record.value, record.headers, record.offset)):
        try:
            if not one.problem:
                found.append(decode(one.kind, one.version, one.body))
        except UndecodableEvent:
            continue
    return found


@asynccontextmanager
async def following(
    place: KafkaPlace, topics: Sequence[str], *, from_the_start: bool = False, cursor: Cursor | None = None
) -> AsyncIterator[Follower]:
    """Follow topics from now on, or from their beginning, or from where somebody ended before.

    :param cursor: partitions that it does not name are followed as without it

    :raises StorageProblem: no Kafka there, or a topic is missing
    """
    names = {place.prefix + topic for topic in topics}
    await ready(place, [one for one in wanted(prefix=place.prefix) if one.name in names])
    consumer = AIOKafkaConsumer(**place.client(), enable_auto_commit=False)
    await consumer.start()
    try:
        places = [
            TopicPartition(place.prefix + topic, partition)
            for topic in topics
            for partition in sorted(await partitions_of(consumer, place.prefix + topic))
        ]
        consumer.assign(places)
        if from_the_start:
            await consumer.seek_to_beginning(*places)
        else:
            await consumer.seek_to_end(*places)
        reached: Cursor = {}
        for one in places:
            name = f"{one.topic.removeprefix(place.prefix)}/{one.partition}"
            if cursor is not None and name in cursor:
                consumer.seek(one, cursor[name])
            reached[name] = await consumer.position(one)  # the end of now, not of the first poll
        yield Follower(consumer, place, reached)
    finally:
        await consumer.stop()


async def partitions_of(consumer: Any, topic: str) -> set[int]:
    """The numbers of a topic's partitions, by its full name."""
    await consumer._client.add_topic(topic)
    found: set[int] = consumer.partitions_for_topic(topic) or set()
    return found
