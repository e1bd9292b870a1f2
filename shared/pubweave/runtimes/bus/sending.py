"""Events to Kafka: where they go, what their headers say, and waiting until the brokers have them."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final, Self

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError

from pubweave.adapters.kafka.place import KafkaPlace, partition_of
from pubweave.contract.catalogue import topic_of
from pubweave.ports import StorageProblem
from pubweave.runtimes.messages.effects import Message, Tombstone
from pubweave.runtimes.messages.frames import Frame, body_of, framed, headers_of

_LARGEST_BYTES: Final = 1200 * 1024
"""Above the catalogue's largest message with its headers."""
_LINGER_MS: Final = 2


class Sender:
    """A producer of one process. Use `async with`."""

    def __init__(self, place: KafkaPlace, now_ms: Callable[[], int]) -> None:
        self._place = place
        self._now_ms = now_ms
        self._producer: Any = None

    async def __aenter__(self) -> Self:
        self._producer = AIOKafkaProducer(
            **self._place.client(),
            enable_idempotence=True,
            acks="all",
            compression_type="lz4",
            max_request_size=_LARGEST_BYTES,
            linger_ms=_LINGER_MS,
        )
        await self._producer.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._producer.stop()

    async def send(self, messages: Sequence[Message], service: str) -> None:
        """Send and wait until the brokers have them all. Those that may go together do (`frames`).

        :raises StorageProblem: they do not take them
        """
        try:
            sent = [await self._begin(one, service) for one in framed(messages)]
            await asyncio.gather(*sent)
        except KafkaError as error:
            raise StorageProblem(
                f"The Kafka at {self._place.told()} does not take messages ({type(error).__name__}: {error})."
            ) from error

    async def bury(self, gone: Sequence[Tombstone]) -> None:
        """Send records without value, and wait until the brokers have them all.

        :raises StorageProblem: they do not take them
        """
        try:
            await asyncio.gather(*[await self._begin_to_bury(one) for one in dict.fromkeys(gone)])
        except KafkaError as error:
            raise StorageProblem(
                f"The Kafka at {self._place.told()} does not take messages ({type(error).__name__}: {error})."
            ) from error

    async def _begin_to_bury(self, one: Tombstone) -> Any:
        return await self._producer.send(
            self._place.prefix + one.topic,
            value=None,
            key=one.record_key.encode("utf-8", "surrogatepass"),
            partition=partition_of(one.key, topic_of(one.topic).partitions),
        )

    async def _begin(self, sent: Message | Frame, service: str) -> Any:
        now_ms = self._now_ms()
        partition = partition_of(sent.key, topic_of(sent.topic).partitions) if sent.key else None
        return await self._producer.send(
            self._place.prefix + sent.topic,
            value=body_of(sent, service, now_ms),
            key=sent.record_key.encode("utf-8", "surrogatepass"),
            partition=partition,
            headers=headers_of(sent, service, now_ms),
        )
