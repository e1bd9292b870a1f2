"""Looking at the topics of a cluster, and carrying out a plan for them."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any, Final

from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import KafkaError

from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.adapters.kafka.topics import FoundTopic, Plan, Wanted, not_ready, plan, wanted
from pubweave.ports import StorageAway, StorageProblem

_OWN: Final = 1
"""`DYNAMIC_TOPIC_CONFIG` in an answer of DescribeConfigs (Kafka protocol, `config_source`)."""
_EXISTS: Final = 36
_TIMEOUT_MS: Final = 30_000
_POLL_MS: Final = 50


@asynccontextmanager
async def _client(place: KafkaPlace) -> AsyncIterator[Any]:
    client = AIOKafkaAdminClient(**place.client(), request_timeout_ms=_TIMEOUT_MS)
    try:
        await client.start()
        yield client
    except KafkaError as error:
        problem = StorageAway if error.retriable else StorageProblem
        raise problem(
            f"The Kafka at {place.told()} does not do what is asked ({type(error).__name__}: {error}): "
            "look whether it runs and whether the address is right."
        ) from error
    finally:
        await client.close()


async def needed(place: KafkaPlace, topics: Iterable[Wanted] | None = None) -> Plan:
    """What must be done so that the cluster has the topics of the catalogue.

    :param topics: these instead
    :raises StorageProblem: no cluster there
    """
    asked = tuple(wanted(prefix=place.prefix) if topics is None else topics)
    async with _client(place) as client:
        return plan(asked, await _found(client, [topic.name for topic in asked]))


async def apply(place: KafkaPlace, topics: Iterable[Wanted] | None = None, copies: int = 0) -> Plan:
    """Create what is missing and change what differs. Safe to repeat, and beside another who does it.

    :param copies: how many brokers keep each new topic; 0 = three, or as many as there are
    :returns: what was done, when all brokers know of it; its `problems` were left as they are
    :raises StorageProblem: no cluster there, or it refused
    """
    asked = tuple(wanted(prefix=place.prefix) if topics is None else topics)
    async with _client(place) as client:
        todo = plan(asked, await _found(client, [topic.name for topic in asked]))
        if todo.create:
            brokers = len((await client.describe_cluster())["brokers"])
            made = await client.create_topics(
                [
                    NewTopic(
                        topic.name,
                        topic.partitions,
                        copies or min(3, brokers),
                        topic_configs=dict(topic.configs),
                    )
                    for topic in todo.create
                ]
            )
            _look(place, ((name, code, text) for name, code, text in made.topic_errors if code != _EXISTS))
        if todo.change:
            answers = await client.alter_configs(
                [
                    ConfigResource(ConfigResourceType.TOPIC, change.name, dict(change.configs))
                    for change in todo.change
                ]
            )
            _look(
                place,
                ((name, code, text) for answer in answers for code, text, _, name in answer.resources),
            )
        await _visible(client, asked, place)
        return todo


async def _visible(client: Any, asked: tuple[Wanted, ...], place: KafkaPlace) -> None:
    """The controller answers before all brokers have heard of it: wait until they have."""
    names = [topic.name for topic in asked]
    for _ in range(_TIMEOUT_MS // _POLL_MS):
        left = plan(asked, await _found(client, names))
        if not left.create and not left.change:
            return
        await asyncio.sleep(_POLL_MS / 1000)
    raise StorageProblem(
        f"The Kafka at {place.told()} took the topics but does not show them ({left.sentences()[0]}): "
        "look at its log and apply again."
    )


async def ready(place: KafkaPlace, topics: Iterable[Wanted] | None = None) -> None:
    """Return if a service may start on these topics (all of the catalogue unless given).

    :raises StorageProblem: one is missing or cannot be used; the text has the command to run
    """
    if sentence := not_ready(await needed(place, topics), ",".join(place.hosts), place.prefix):
        raise StorageProblem(sentence)


def _look(place: KafkaPlace, answers: Iterable[tuple[str, int, str]]) -> None:
    for name, code, text in answers:
        if code:
            raise StorageProblem(
                f"The Kafka at {place.told()} refuses the topic {name}: {text or f'error {code}'}."
            )


async def _found(client: Any, names: list[str]) -> dict[str, FoundTopic]:
    """Those of these topics that are there."""
    described = {one["topic"]: one for one in await client.describe_topics(names) if not one["error_code"]}
    if not described:
        return {}
    answers = await client.describe_configs(
        [ConfigResource(ConfigResourceType.TOPIC, name) for name in described]
    )
    found: dict[str, FoundTopic] = {}
    for answer in answers:
        for code, _, _, name, entries in answer.resources:
            if code:  # deleted in between
                continue
            partitions = described[name]["partitions"]
            found[name] = FoundTopic(
                len(partitions),
                len(partitions[0]["replicas"]),
                {entry[0]: entry[1] for entry in entries},
                tuple(entry[0] for entry in entries if entry[3] == _OWN),
            )
    return found
