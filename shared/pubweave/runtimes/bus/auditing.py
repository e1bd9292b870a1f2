"""The audit of a cluster by reading its topics: how far each service has come, where the topics end, then what they hold."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, Final

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

from pubweave.adapters.kafka.admin import ready
from pubweave.adapters.kafka.lag import soon
from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.adapters.kafka.topics import wanted
from pubweave.contract.codec import UndecodableEvent, decode
from pubweave.ports import StorageAway, StorageProblem
from pubweave.runtimes.bus.audit import Audit, HeardUpTo, Said, Stage, Table
from pubweave.runtimes.messages.delivered import delivered
from pubweave.runtimes.messages.frames import opened
from pubweave.runtimes.messages.groups import groups_of, topics_heard_by

_TOGETHER: Final = 2_000
_POLL_MS: Final = 500
_QUIET_POLLS: Final = 60
"""So many polls in a row without a message, though some are to come, mean that nobody answers."""


async def audited(place: KafkaPlace, services: Sequence[str], now_ms: int, job: str = "") -> Table:
    """Reconcile what was submitted with what became of it. Takes nothing from the services that run.

    :param services: all that there are
    :param now_ms: the clock, UNIX ms
    :param job: tell of this one only
    :raises StorageProblem: no Kafka there, a topic is missing, or it does not tell
    """
    await ready(place, wanted(prefix=place.prefix))
    hearing = {topic: service for service in services for topic in topics_heard_by(service)}
    admin = AIOKafkaAdminClient(**place.client())
    consumer: Any = AIOKafkaConsumer(**place.client(), enable_auto_commit=False)
    try:
        await admin.start()
        await consumer.start()
        # In this order: what a service had done before it was looked at is in the topics before they end.
        heard = await soon(lambda: _heard(admin, place, services))
        described = await admin.describe_topics([topic.name for topic in wanted(prefix=place.prefix)])
        places = [
            TopicPartition(topic["topic"], partition["partition"])
            for topic in described
            for partition in topic["partitions"]
        ]
        ends = await consumer.end_offsets(places)
        audit = Audit(heard, hearing, now_ms, job)
        for stage in audit.stages():
            async for said in _read(consumer, place, stage, ends):
                audit.take(said)
        return audit.table()
    except KafkaError as error:
        problem = StorageAway if error.retriable else StorageProblem
        raise problem(
            f"The Kafka at {place.told()} does not tell what waits ({type(error).__name__}: {error}): "
            "look whether it runs and whether the address is right."
        ) from error
    finally:
        await consumer.stop()
        await admin.close()


async def _heard(admin: Any, place: KafkaPlace, services: Sequence[str]) -> dict[tuple[str, int], HeardUpTo]:
    """How far each partition was heard, and whether anybody is there who hears it."""
    found: dict[tuple[str, int], HeardUpTo] = {}
    for service in services:
        # One by one: of an answer about several, aiokafka 0.14 reads the first only as it is.
        (answer,) = await admin.describe_consumer_groups([place.prefix + service])
        _, _, state, *_ = answer.groups[0]
        there = state not in ("Dead", "Empty")
        for group, topics in groups_of(service).items():
            # Of topics of which nothing was heard it is noted, too, whether anybody is there.
            found |= {(topic, 0): HeardUpTo(0, there) for topic in topics}
            for one, done in (await admin.list_consumer_group_offsets(place.prefix + group)).items():
                topic = one.topic.removeprefix(place.prefix)
                if topic in topics:
                    found[topic, one.partition] = HeardUpTo(done.offset, there)
    return found


async def _read(
    consumer: Any, place: KafkaPlace, stage: Stage, ends: Mapping[TopicPartition, int]
) -> AsyncIterator[Said]:
    """What a stage wants, up to the ends; one batch is in memory at a time."""
    names = {place.prefix + topic for topic in stage.topics}
    left = {one: end for one, end in ends.items() if one.topic in names and end > 0}
    begins: dict[TopicPartition, int] = await consumer.beginning_offsets(list(left)) if left else {}
    if stage.since_ms > 0 and left:
        since = await consumer.offsets_for_times(dict.fromkeys(left, stage.since_ms))
        begins = {one: found.offset if (found := since.get(one)) is not None else left[one] for one in left}
    left = {one: end for one, end in left.items() if begins[one] < end}
    consumer.assign(list(left))
    for one in left:
        consumer.seek(one, begins[one])
    quiet = 0
    while left:
        polled = await consumer.getmany(*left, timeout_ms=_POLL_MS, max_records=_TOGETHER)
        for partition, records in polled.items():
            for record in records:
                if record.offset < left[partition]:
                    for said in _said(record, place, stage):
                        yield said
        left = {one: end for one, end in left.items() if await consumer.position(one) < end}
        quiet = 0 if polled else quiet + 1
        if quiet >= _QUIET_POLLS:
            raise StorageAway(f"The Kafka at {place.told()} stopped answering while its topics were read.")


def _said(record: Any, place: KafkaPlace, stage: Stage) -> Iterator[Said]:
    """The events of the message that matter and can be read."""
    if record.value is None:
        return
    topic = record.topic.removeprefix(place.prefix)
    for found in opened(delivered(topic, record.key, record.value, record.headers, record.offset)):
        if found.problem or (stage.kinds and found.kind not in stage.kinds):
            continue
        if stage.of is not None and found.key.rpartition("/")[0] not in stage.of:
            continue
        try:
            event = decode(found.kind, found.version, found.body)
        except UndecodableEvent:
            continue
        yield Said(topic, record.partition, record.offset, record.timestamp, found.key, event)
