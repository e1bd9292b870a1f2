"""The store made anew from the topics of facts (P-01), resumable: how far each partition was read is kept in the store itself,
so that it is lost with what was written, and never outlives it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, Self

import msgspec
from aiokafka import AIOKafkaConsumer, TopicPartition

from pubweave.adapters.kafka.admin import ready
from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.adapters.kafka.topics import wanted
from pubweave.contract.catalogue import topics
from pubweave.contract.kinds import Event, subject_of
from pubweave.materialiser.handler import Materialiser
from pubweave.ports import Store
from pubweave.runtimes.bus.client import events_in, partitions_of
from pubweave.runtimes.messages.effects import Effects
from pubweave.runtimes.messages.rebuilding import CLAIMS, FACTS, Rebuilder, is_decided
from pubweave.runtimes.messages.webpages import PageRebuilder

AT_ONCE: Final = 500
"""Messages that are read together; after each such lot it is noted how far this is."""

_PARTITIONS_AT_ONCE: Final = 24
"""Brokers send up to 1 MiB of each ahead; who holds what is gathered in memory for so many partitions of `new-ids`."""
_FETCH_WAITS_MS: Final = 20
"""Nothing new is waited for at the end of a partition."""

_OF_STATE: Final = ("decided", "facts", "claims")
_OF_RECORDS: Final = ("pages", "records")


class RebuildingProgress(msgspec.Struct, frozen=True):
    """How far a rebuilding is."""

    step: str
    """What is read: decided, facts, claims, pages or records."""
    done: int
    """Places of the topics, those read before an interruption included. What compaction took away counts as read."""
    total: int
    read: int
    """Done since this process began."""

    @property
    def percent(self) -> int:
        return 100 * self.done // self.total if self.total else 100


Told = Callable[[RebuildingProgress], None]


class _Noted(msgspec.Struct):
    """What the store keeps."""

    offsets: dict[str, dict[str, int]] = msgspec.field(default_factory=dict)
    """By step: the offset to read next, for each `topic/partition`."""
    erased: list[str] = msgspec.field(default_factory=list)
    """Publications that were found erased, of which nothing counts."""


class Rebuilding:
    """One `pubweave rebuild`. Made by `open`. Safe to repeat, and beside running services: rows only grow."""

    def __init__(self, place: KafkaPlace, store: Store, consumer: Any, noted: _Noted, told: Told) -> None:
        self._place = place
        self._store = store
        self._consumer = consumer
        self._noted = noted
        self._told = told
        self._ends: dict[str, dict[TopicPartition, tuple[int, int]]] = {}
        self._done = 0
        self._read = 0
        self.rows = 0
        self.versions = 0

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        place: KafkaPlace,
        store: Store,
        *,
        everything: bool,
        anew: bool = False,
        told: Told = lambda progress: None,
    ) -> AsyncIterator[Self]:
        """
        :param everything: the state of mergers as well, not only records
        :param anew: from the beginning, whatever was done before
        :raises StorageProblem: no Kafka there, a topic is missing, or the store cannot be read
        """
        steps = (*_OF_STATE, *_OF_RECORDS) if everything else _OF_RECORDS
        names = {place.prefix + topic for step in steps for topic in _topics_of(step)}
        await ready(place, [one for one in wanted(prefix=place.prefix) if one.name in names])
        noted = _Noted()
        if not anew and (kept := await store.meta(_name(place))):
            noted = msgspec.json.decode(kept, type=_Noted)
        consumer: Any = AIOKafkaConsumer(
            **place.client(), enable_auto_commit=False, fetch_max_wait_ms=_FETCH_WAITS_MS
        )
        await consumer.start()
        try:
            rebuilding = cls(place, store, consumer, noted, told)
            await rebuilding._measure(steps)
            yield rebuilding
        finally:
            await consumer.stop()

    @property
    def before(self) -> int:
        """How many percent of it were done before this process began."""
        return RebuildingProgress("", self._done - self._read, self._total(), 0).percent if self._done else 0

    async def state(self) -> int:
        """Write what mergers keep: state, who holds which identifier, who became part of whom, lines. For a store that was
        lost; while services run, they go on with what they know.

        :returns: how many rows were read
        :raises StorageProblem: a topic cannot be read, or the store cannot be written
        """
        rebuilder = Rebuilder(self._store, erased=self._noted.erased)

        async def decided(event: Event) -> None:
            if is_decided(event):
                await rebuilder.take("part-candidates", event)

        async def fact(event: Event) -> None:
            await rebuilder.take(FACTS[0], event)

        async def claim(event: Event) -> None:
            await rebuilder.take(CLAIMS, event)

        for step, take in (("decided", decided), ("facts", fact)):
            for partitions in self._left(step):
                async for events in self._lots(step, partitions):
                    await _side_by_side(events, take)
                    self._noted.erased = sorted(rebuilder.erased)
                    await self._note(step, partitions)
        for partitions in self._left("claims"):
            # In their order, and as a whole: a claim that is heard twice could be judged in another way.
            async for events in self._lots("claims", partitions):
                for event in events:
                    await claim(event)
            await rebuilder.hold()
            await self._note("claims", partitions)
        self.rows += rebuilder.rows
        return rebuilder.rows

    async def records(self) -> int:
        """Write every finished record that the log holds, publications as the materialiser would, web pages and docs as
        their owner.

        :returns: how many versions were written
        :raises StorageProblem: a topic cannot be read, or the store cannot be written
        """
        count = 0
        for partitions in self._left("pages"):
            pages = PageRebuilder(self._store)
            async for events in self._lots("pages", partitions):
                for event in events:
                    await pages.take(event)
            count += await pages.finish()
            await self._note("pages", partitions)
        materialiser = Materialiser(self._store)

        async def write(event: Event) -> None:
            effects = Effects()
            await materialiser.hear("publications", event, effects)
            for one in effects.first:
                await one()

        for partitions in self._left("records"):
            async for events in self._lots("records", partitions):
                await _side_by_side(events, write)
                count += len(events)
                await self._note("records", partitions)
        self.versions += count
        return count

    async def finished(self) -> None:
        """Everything that it was opened for is written: the next one begins at the beginning."""
        for step in self._ends:
            self._noted.offsets.pop(step, None)
        if not self._noted.offsets:
            self._noted.erased = []
        await self._keep()

    # --- reading

    async def _measure(self, steps: Sequence[str]) -> None:
        for step in steps:
            places = [
                TopicPartition(self._place.prefix + topic, partition)
                for topic in _topics_of(step)
                for partition in sorted(await partitions_of(self._consumer, self._place.prefix + topic))
            ]
            begins = await self._consumer.beginning_offsets(places)
            ends = await self._consumer.end_offsets(places)
            noted = self._noted.offsets.setdefault(step, {})
            for one in places:
                at = noted.get(self._named(one), 0)
                # Past the end: it is not the topic that was read then.
                noted[self._named(one)] = at if begins[one] <= at <= ends[one] else begins[one]
                self._done += noted[self._named(one)] - begins[one]
            self._ends[step] = {one: (begins[one], ends[one]) for one in places}

    def _total(self) -> int:
        return sum(end - begin for places in self._ends.values() for begin, end in places.values())

    def _left(self, step: str) -> Iterator[list[TopicPartition]]:
        """Partitions that are not read to their end, some at a time."""
        left = [one for one, (_, end) in self._ends[step].items() if self._at(step, one) < end]
        for start in range(0, len(left), _PARTITIONS_AT_ONCE):
            yield left[start : start + _PARTITIONS_AT_ONCE]

    async def _lots(self, step: str, partitions: list[TopicPartition]) -> AsyncIterator[list[Event]]:
        """What these hold from where they were read to, at least up to where they ended when this began."""
        ends = {one: self._ends[step][one][1] for one in partitions}
        at = {one: self._at(step, one) for one in partitions}
        self._consumer.assign(partitions)
        for one, offset in at.items():
            self._consumer.seek(one, offset)
        while any(at[one] < ends[one] for one in partitions):
            polled = await self._consumer.getmany(timeout_ms=200, max_records=AT_ONCE)
            yield [
                event
                for records in polled.values()
                for record in records
                for event in events_in(self._place, record)
            ]
            for one in partitions:
                reached = min(await self._consumer.position(one), ends[one])
                self._done += reached - at[one]
                self._read += reached - at[one]
                at[one] = reached
            self._told(RebuildingProgress(step, self._done, self._total(), self._read))

    async def _note(self, step: str, partitions: list[TopicPartition]) -> None:
        """Everything that was read of these is written."""
        for one in partitions:
            end = self._ends[step][one][1]
            self._noted.offsets[step][self._named(one)] = min(await self._consumer.position(one), end)
        await self._keep()

    def _at(self, step: str, partition: TopicPartition) -> int:
        return self._noted.offsets[step][self._named(partition)]

    async def _keep(self) -> None:
        kept = msgspec.json.encode(self._noted).decode() if self._noted.offsets else ""
        await self._store.set_meta(_name(self._place), kept)

    def _named(self, partition: TopicPartition) -> str:
        return f"{partition.topic.removeprefix(self._place.prefix)}/{partition.partition}"


async def rebuild(place: KafkaPlace, store: Store) -> int:
    """Write every finished record anew; see `Rebuilding.records`.

    :raises StorageProblem: no Kafka there, a topic is missing, or the store cannot be written
    """
    async with Rebuilding.open(place, store, everything=False) as rebuilding:
        count = await rebuilding.records()
        await rebuilding.finished()
    return count


async def rebuild_state(place: KafkaPlace, store: Store) -> int:
    """Write what mergers keep anew; see `Rebuilding.state`.

    :returns: how many rows were read
    :raises StorageProblem: no Kafka there, a topic is missing, or the store cannot be written
    """
    async with Rebuilding.open(place, store, everything=True) as rebuilding:
        count = await rebuilding.state()
        await rebuilding.finished()
    return count


def _name(place: KafkaPlace) -> str:
    return f"rebuilding {place.prefix}"


def _topics_of(step: str) -> list[str]:
    words = {
        "decided": ("part-candidates",),
        "facts": FACTS,
        "claims": (CLAIMS,),
        "pages": ("webpages",),
        "records": ("publications",),
    }[step]
    return [name for topic in topics() if topic.topic.partition(".")[0] in words for name in topic.names()]


async def _side_by_side(events: Iterable[Event], take: Callable[[Event], Awaitable[None]]) -> None:
    """What is about one publication one after the other, publications side by side."""
    about: dict[str, list[Event]] = {}
    for event in events:
        about.setdefault(getattr(event, "publication", "") or subject_of(event), []).append(event)

    async def one(mine: list[Event]) -> None:
        for event in mine:
            await take(event)

    for ended in await asyncio.gather(*map(one, about.values()), return_exceptions=True):
        if isinstance(ended, BaseException):
            raise ended
