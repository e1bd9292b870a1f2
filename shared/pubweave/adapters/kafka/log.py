"""The log on Kafka: appending, and reading what is there from the beginning (rebuilding, erasing, looking).

Who follows topics for ever is a member of a consumer group in the runtime, and does not use this.

* A number (`Logged.offset`) is the partition in the upper bits and Kafka's offset + 1 in the lower 48. A cursor
  runs through a topic partition by partition: in a topic of one partition it can also follow, in a topic of
  many it can only read what is there.
* Appending writes what is given, also a repeat; readers leave repeats out. Each reader remembers the last
  half a million ids of a partition: what repeats an older one is given again, and is harmless to everybody
  who handles facts by id. Compaction removes repeats sooner or later.
* All or none holds for what fits into one batch of one partition (64 KiB). Beyond it, whoever was cut off
  appends the same again, which changes nothing else. Transactions would promise more, and would let one
  writer that hangs hold up every reader of the topic.
* Erasing writes a tombstone under each record key; the broker drops the bytes when it compacts.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final, NamedTuple

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, OffsetAndMetadata, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

from pubweave.adapters.kafka.place import KafkaPlace, partition_of
from pubweave.contract.catalogue import topic_of
from pubweave.contract.cloudevents import SOURCE_PREFIX, TYPE_PREFIX, Attributes, to_headers
from pubweave.contract.digests import quick_digest
from pubweave.ports import Entry, Logged, StorageProblem

OFFSET_BITS: Final = 48
_MASK: Final = (1 << OFFSET_BITS) - 1
_PAGE_BYTES: Final = 4 * 1024 * 1024
_FETCH_WAIT_MS: Final = 20
_REMEMBERED: Final = 500_000
_BATCH_BYTES: Final = 64 * 1024
"""No topic takes less (`topics.configs`); an entry that is longer goes by itself."""
_LARGEST_BYTES: Final = 16 * 1024 * 1024
_TYPE: Final = re.compile(re.escape(TYPE_PREFIX) + r"(.*)\.v([0-9]+)", re.DOTALL)

_PARTITION_KEY: Final = "partitionkey"
"""CloudEvents' documented extension for what a message is partitioned by."""


class _LoggedMessage(NamedTuple):
    offset: int
    """Kafka's."""
    record_key: str
    logged: Logged
    removed: bool
    """A tombstone."""


class _Partition:
    """What a reader knows of one partition."""

    def __init__(self) -> None:
        self.next = 0
        """Everything before this offset was looked through."""
        self._ids: dict[str, None] = {}
        self._repeats: set[int] = set()
        self._erased: dict[str, int] = {}
        """Record keys, and where their last tombstone lies."""

    def note(self, message: _LoggedMessage) -> None:
        if message.removed:
            self._erased[message.record_key] = message.offset
            return
        name = quick_digest(message.logged.entry.key, message.logged.entry.id)
        if name in self._ids:
            self._repeats.add(message.offset)
            return
        self._ids[name] = None
        if len(self._ids) > _REMEMBERED:
            del self._ids[next(iter(self._ids))]

    def shows(self, message: _LoggedMessage, for_ever: bool) -> bool:
        """Neither a repeat nor erased.

        :param for_ever: what was erased once does not come back under the same key: keys are of one event
        """
        if message.removed or message.offset in self._repeats:
            return False
        erased = self._erased.get(message.record_key)
        return erased is None or not (for_ever or message.offset < erased)


class KafkaLog:
    """One producer, one reader, and one member for each group that commits. Made without connecting; what is
    needed is started when it is needed. `close` it.

    :param service: who says it, in the headers
    """

    def __init__(self, place: KafkaPlace, service: str = "log") -> None:
        self._place = place
        self._source = SOURCE_PREFIX + service
        self._admin: Any = None
        self._producer: Any = None
        self._reader: Any = None
        self._groups: dict[str, Any] = {}
        self._numbers: dict[str, int] = {}
        """How many partitions a topic has, which does not change while somebody uses it."""
        self._committing = asyncio.Lock()
        self._looking = asyncio.Lock()
        self._reading = asyncio.Lock()
        self._known: dict[TopicPartition, _Partition] = {}

    async def append(self, topic: str, entries: Sequence[Entry]) -> None:
        """See `Log.append`, and above for what all or none means here.

        :raises StorageProblem: no such topic, no answer, or an entry longer than the topic takes
        """
        if not entries:
            return
        messages = [(self._partition_key(entry), self._record_key(topic, entry), entry) for entry in entries]
        await self._send(
            topic,
            [(key, record_key, entry.body, self._headers(entry)) for key, record_key, entry in messages],
        )

    async def read(self, topic: str, after: int = 0, limit: int = 1000) -> list[Logged]:
        found: list[Logged] = []
        first, start = after >> OFFSET_BITS, after & _MASK
        for partition in await self._partitions(topic):
            if partition < first or len(found) >= limit:
                continue
            async for message in self._shown(topic, partition, start if partition == first else 0):
                found.append(message.logged)
                if len(found) >= limit:
                    break
        return found

    async def of_key(self, topic: str, key: str) -> list[Logged]:
        """Reads the key's whole partition."""
        return [message.logged for message in await self._of_key(topic, key)]

    async def _of_key(self, topic: str, key: str) -> list[_LoggedMessage]:
        if not (partitions := await self._partitions(topic)):
            return []
        partition = partition_of(key, len(partitions))
        return [
            message async for message in self._shown(topic, partition, 0) if message.logged.entry.key == key
        ]

    async def erase(self, topic: str, key: str) -> int:
        found = await self._of_key(topic, key)
        names = dict.fromkeys(message.record_key for message in found)
        if names:
            await self._send(topic, [(key, name, None, []) for name in names])
        return len(found)

    async def commit(self, group: str, topic: str, offset: int) -> None:
        async with self._committing:
            if offset <= await self._committed(group, topic):
                return
            place = TopicPartition(self._place.prefix + topic, offset >> OFFSET_BITS)
            member = await self._member(group)
            member.assign([place])
            await self._do(member.commit({place: OffsetAndMetadata(offset & _MASK, "")}))

    async def committed(self, group: str, topic: str) -> int:
        """In a topic of many partitions: how far a cursor is that runs through one after the other."""
        async with self._committing:
            return await self._committed(group, topic)

    async def _committed(self, group: str, topic: str) -> int:
        member = await self._member(group)
        for partition in reversed(await self._partitions(topic)):
            place = TopicPartition(self._place.prefix + topic, partition)
            member.assign([place])
            if offset := await self._do(member.committed(place)):
                return (partition << OFFSET_BITS) | int(offset)
        return 0

    async def close(self) -> None:
        """Safe to repeat."""
        clients = [self._producer, self._reader, *self._groups.values()]
        admin, self._admin, self._producer, self._reader = self._admin, None, None, None
        self._groups.clear()
        for client in clients:
            if client is not None:
                await client.stop()
        if admin is not None:
            await admin.close()

    # Messages.

    def _partition_key(self, entry: Entry) -> str:
        """What belongs to nobody may lie anywhere."""
        return entry.key or entry.id

    def _record_key(self, topic: str, entry: Entry) -> str:
        if not self._is_of_event(topic):
            return entry.key
        return f"{entry.key}/{entry.id}" if entry.key else entry.id

    def _is_of_event(self, topic: str) -> bool:
        """Each event has a record key of its own, as `catalogue.record_key` says."""
        try:
            return topic_of(topic).record_key == "event"
        except KeyError:  # not a topic of the catalogue
            return True

    def _headers(self, entry: Entry) -> list[tuple[str, bytes]]:
        told = Attributes(
            id=entry.id,
            source=self._source,
            type=f"{TYPE_PREFIX}{entry.kind}.v{entry.version}",
            subject=entry.key,
            datacontenttype="application/json",
            others=((_PARTITION_KEY, entry.key),),
        )
        return to_headers(told)

    def _message(self, partition: int, record: Any) -> _LoggedMessage:
        """As the runtime and this log write them; of a stranger's message as much as it says."""
        headers = {name: value.decode("utf-8", "replace") for name, value in record.headers}
        record_key = (record.key or b"").decode("utf-8", "replace")
        id_ = headers.get("ce_id", "")
        kind = _TYPE.fullmatch(headers.get("ce_type", ""))
        if _PARTITION_KEY in (name.removeprefix("ce_") for name in headers):
            key = headers[f"ce_{_PARTITION_KEY}"]
        elif id_ and record_key == id_:
            key = ""
        else:
            key = record_key.removesuffix(f"/{id_}")
        entry = Entry(key, id_, kind[1] if kind else "", int(kind[2]) if kind else 0, record.value or b"")
        number = (partition << OFFSET_BITS) | (record.offset + 1)
        return _LoggedMessage(record.offset, record_key, Logged(number, entry), record.value is None)

    # Sending.

    async def _send(
        self, topic: str, messages: Sequence[tuple[str, str, bytes | None, list[tuple[str, bytes]]]]
    ) -> None:
        partitions = await self._partitions(topic)
        if not partitions:
            raise StorageProblem(
                f"The topic {self._place.prefix}{topic} is missing on the Kafka at {self._place.told()}: "
                f"run `pubweave topics apply --kafka {','.join(self._place.hosts)}`."
            )
        producer = await self._sender()
        batches: dict[int, Any] = {}
        for key, record_key, value, headers in messages:
            partition = partition_of(key, len(partitions))
            record = {"key": record_key.encode("utf-8", "surrogatepass"), "value": value, "headers": headers}
            batch = batches.get(partition)
            if batch is None or batch.append(timestamp=None, **record) is None:
                if batch is not None:
                    await self._send_batch(topic, partition, batch)
                batch = batches[partition] = producer.create_batch()
                batch.append(timestamp=None, **record)
        for partition, batch in batches.items():
            await self._send_batch(topic, partition, batch)

    async def _send_batch(self, topic: str, partition: int, batch: Any) -> None:
        batch.close()
        sent = self._producer.send_batch(batch, self._place.prefix + topic, partition=partition)
        await self._do(await self._do(sent))

    async def _sender(self) -> Any:
        if self._producer is None:
            self._producer = await self._started(
                AIOKafkaProducer(
                    **self._place.client(),
                    enable_idempotence=True,
                    compression_type="zstd",
                    max_batch_size=_BATCH_BYTES,
                    max_request_size=_LARGEST_BYTES,
                )
            )
        return self._producer

    # Reading.

    async def _shown(self, topic: str, partition: int, start: int) -> AsyncIterator[_LoggedMessage]:
        """What a partition shows from an offset to its end of now. Reads what is new twice: what comes later
        decides what is shown of what came earlier."""
        place = TopicPartition(self._place.prefix + topic, partition)
        known = self._known.setdefault(place, _Partition())
        reader = await self._opened_reader()
        end = (await self._do(reader.end_offsets([place])))[place]
        async with self._looking:
            async for message in self._all(place, known.next, end):
                known.note(message)
                known.next = message.offset + 1
            known.next = max(known.next, end)
        for_ever = self._is_of_event(topic)
        async for message in self._all(place, start, end):
            if known.shows(message, for_ever):
                yield message

    async def _all(self, place: TopicPartition, start: int, end: int) -> AsyncIterator[_LoggedMessage]:
        """Messages from an offset up to an end; compaction may have left gaps."""
        reader = await self._opened_reader()
        at = max(start, (await self._do(reader.beginning_offsets([place])))[place])
        while at < end:
            # Assigned for one page only: another reading may come in between, and an idle reader would ask on.
            async with self._reading:
                reader.assign([place])
                reader.seek(place, at)
                page = (await self._do(reader.getmany(place, timeout_ms=1000))).get(place, [])
                at = page[-1].offset + 1 if page else max(at, await self._do(reader.position(place)))
                reader.unsubscribe()
            for record in page:
                if record.offset < end:
                    yield self._message(place.partition, record)

    async def _opened_reader(self) -> Any:
        if self._reader is None:
            self._reader = await self._started(
                AIOKafkaConsumer(
                    **self._place.client(),
                    enable_auto_commit=False,
                    auto_offset_reset="earliest",
                    # A question after the last message is still waiting there when the next one is asked.
                    fetch_max_wait_ms=_FETCH_WAIT_MS,
                    max_partition_fetch_bytes=_PAGE_BYTES,
                )
            )
        return self._reader

    async def _member(self, group: str) -> Any:
        if group not in self._groups:
            self._groups[group] = await self._started(
                AIOKafkaConsumer(
                    **self._place.client(),
                    group_id=self._place.prefix + group,
                    enable_auto_commit=False,
                )
            )
        return self._groups[group]

    async def _partitions(self, topic: str) -> range:
        """Those of a topic; none if there is no such topic."""
        name = self._place.prefix + topic
        if name not in self._numbers:
            if self._admin is None:
                self._admin = await self._started(AIOKafkaAdminClient(**self._place.client()))
            (found,) = await self._do(self._admin.describe_topics([name]))
            if found["error_code"]:
                return range(0)
            self._numbers[name] = len(found["partitions"])
        return range(self._numbers[name])

    # Asking.

    async def _started(self, client: Any) -> Any:
        try:
            await client.start()
        except KafkaError as error:
            await (client.close() if isinstance(client, AIOKafkaAdminClient) else client.stop())
            raise StorageProblem(
                f"No Kafka answers at {self._place.told()} ({type(error).__name__}): "
                "look whether it runs and whether the address is right."
            ) from error
        return client

    async def _do(self, step: Any) -> Any:
        try:
            return await step
        except KafkaError as error:
            raise StorageProblem(
                f"The Kafka at {self._place.told()} could not do what was asked "
                f"({type(error).__name__}: {error}): look whether it runs; what was begun can be done again."
            ) from error
