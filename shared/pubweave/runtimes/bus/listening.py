"""What is said to one process: the partition of its address, read from its start on, in no consumer group."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

from aiokafka import AIOKafkaConsumer, TopicPartition

from pubweave.adapters.kafka.place import KafkaPlace, partition_of
from pubweave.contract.catalogue import topic_of
from pubweave.contract.codec import UndecodableEvent, decode
from pubweave.contract.reply_received import ReplyReceived
from pubweave.runtimes.bus.turns import end
from pubweave.runtimes.messages.asking import Asking
from pubweave.runtimes.messages.delivered import delivered

TOPIC: Final = "page-replies"


@asynccontextmanager
async def listening(
    place: KafkaPlace, asking: Asking, failed: Callable[[BaseException], None]
) -> AsyncIterator[None]:
    """Hand the process its answers while inside; nothing that is asked inside is missed.

    :param failed: told when it cannot go on
    """
    mine = TopicPartition(place.prefix + TOPIC, partition_of(asking.address, topic_of(TOPIC).partitions))
    consumer: Any = AIOKafkaConsumer(**place.client(), enable_auto_commit=False)
    await consumer.start()
    try:
        await consumer._client.add_topic(mine.topic)  # else who leads it is not known yet
        consumer.assign([mine])
        await consumer.seek_to_end(mine)
        await consumer.position(mine)  # the end of now, before anything is asked
        hearing = asyncio.create_task(_hear(consumer, asking, failed))
        try:
            yield
        finally:
            await end(hearing)
    finally:
        await consumer.stop()


async def _hear(consumer: Any, asking: Asking, failed: Callable[[BaseException], None]) -> None:
    try:
        async for record in consumer:
            found = delivered(TOPIC, record.key, record.value, record.headers, record.offset)
            try:
                event = None if found.problem else decode(found.kind, found.version, found.body)
            except UndecodableEvent:
                continue  # of another version: whoever waits for it, it is not this process
            if isinstance(event, ReplyReceived):
                asking.heard(event)
    except Exception as problem:  # noqa: BLE001  # told to whoever runs the services
        failed(problem)
