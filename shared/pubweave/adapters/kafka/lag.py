"""How far each consumer group is behind: what the broker knows, without asking any service."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeVar

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import CoordinatorNotAvailableError, GroupLoadInProgressError, KafkaError

from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.ports import StorageAway, StorageProblem

_Found = TypeVar("_Found")

_ATTEMPTS: Final = 60
_PAUSE_S: Final = 0.5


async def lags(place: KafkaPlace, groups: Mapping[str, Sequence[str]]) -> dict[str, dict[str, int]]:
    """Messages that nobody has done yet, by group and topic; 0 where nothing waits.

    A message counts until its group has said that it is done, so those under way count, too; of a compacted topic
    those that compaction took away may count.

    :param groups: groups with the topics that each hears; all without the place's prefix, and the topics must be there
    :raises StorageProblem: no Kafka there, or it does not tell
    """
    admin = AIOKafkaAdminClient(**place.client())
    consumer: Any = AIOKafkaConsumer(**place.client(), enable_auto_commit=False)
    try:
        await admin.start()
        await consumer.start()
        names = sorted({place.prefix + topic for topics in groups.values() for topic in topics})
        described = await admin.describe_topics(names)
        places = [
            TopicPartition(topic["topic"], partition["partition"])
            for topic in described
            for partition in topic["partitions"]
        ]
        begins, ends = await consumer.beginning_offsets(places), await consumer.end_offsets(places)
        found: dict[str, dict[str, int]] = {}
        for group, topics in groups.items():
            done = await soon(partial(admin.list_consumer_group_offsets, place.prefix + group))
            found[group] = dict.fromkeys(topics, 0)
            for one in places:
                topic = one.topic.removeprefix(place.prefix)
                if topic in found[group]:
                    at = max(done[one].offset if one in done else 0, begins[one])
                    found[group][topic] += max(0, ends[one] - at)
        return found
    except KafkaError as error:
        problem = StorageAway if error.retriable else StorageProblem
        raise problem(
            f"The Kafka at {place.told()} does not say what waits ({type(error).__name__}: {error}): "
            "look whether it runs and whether the address is right."
        ) from error
    finally:
        await consumer.stop()
        await admin.close()


async def soon(look: Callable[[], Awaitable[_Found]]) -> _Found:
    """A cluster that has just started makes room for groups when it is first asked about one.

    :raises KafkaError: that of the last attempt
    """
    for _ in range(_ATTEMPTS):
        try:
            return await look()
        except (CoordinatorNotAvailableError, GroupLoadInProgressError):
            await asyncio.sleep(_PAUSE_S)
    return await look()
