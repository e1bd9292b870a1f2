"""What waits for all others is read apart from them, no faster than there is room (large jobs).

The topic is read with plain aiokafka and not through Faust, where it could only be held back by pausing partitions: a
running Faust consumer drops what it has in hand of a partition that is paused, and the offset moves past it. Whoever
is not asked for more simply reads no more.

A feeder belongs to no consumer group that shares out partitions. It reads those whose numbers the worker has of its other
topics, which have as many partitions, so that the process that lets a line enter also hears that it has been settled.
Offsets are committed under a group of its own. Each says that everything before it is done, so whoever commits last,
nothing is lost: at worst lines are read again, and recognised.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, Final

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition
from aiokafka.errors import KafkaError

from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.ports import Clock
from pubweave.runtimes.bus.intake import Message
from pubweave.runtimes.bus.order import Order, Ticket

_log = logging.getLogger(__name__)

HELD: Final = 200
"""So many messages wait in the process for room; then no more are read. Those of one reading come together."""

LOOK_S: Final = 0.5
"""How often it is looked whether there is room again, and something to commit."""

COMMIT_S: Final = 3.0
"""How long a commit may take when partitions go to others; else some messages are done again."""

KEEP_S: Final = 3600.0
"""So often offsets are committed though nothing has moved: Kafka forgets those of a group without members in time."""

AWAY_S: Final = 5.0
"""How long it waits while no broker answers, before it tries again."""

Failed = Callable[[BaseException], None]


class Fed:
    """A message, in the shape of Faust's events."""

    __slots__ = ("_acknowledge", "message")

    def __init__(self, record: Any, acknowledge: Callable[[Any], None]) -> None:
        self.message = record
        self._acknowledge = acknowledge

    def ack(self) -> None:
        """It is done, and so is all before it."""
        self._acknowledge(self.message)


class Feeder:
    """Reads one topic for one worker.

    :param group: whose offsets they are, without the place's prefix
    :param topic: without the place's prefix
    :param room: how many messages may be heard now
    :param came: called when there may be something to take
    :param failed: told when it cannot go on
    """

    def __init__(
        self,
        place: KafkaPlace,
        group: str,
        topic: str,
        room: Callable[[], int],
        came: Callable[[], None],
        clock: Clock,
        failed: Failed,
    ) -> None:
        self._place = place
        self._group = place.prefix + group
        self._topic = place.prefix + topic
        self._room = room
        self._came = came
        self._clock = clock
        self._failed = failed
        self._reading: _Assignment | None = None
        self._task: asyncio.Task[None] | None = None

    async def take_over(self, partitions: Iterable[int]) -> None:
        """Read these from now on and no others, each from where everything before is done."""
        await self.let_go()
        mine = [TopicPartition(self._topic, number) for number in sorted(set(partitions))]
        if mine:
            self._reading = _Assignment(mine)
            self._task = asyncio.create_task(self._run(self._reading))

    def hold(self) -> None:
        """Give nothing any more; what was given may still end, and counts."""
        if self._reading is not None:
            self._reading.is_held = True
            self._reading.waiting.clear()

    async def let_go(self) -> None:
        """The partitions go to others: how far they are done is committed, the rest is theirs."""
        reading, task = self._reading, self._task
        self._reading = self._task = None
        if reading is None or task is None:
            return
        reading.end()
        try:
            async with asyncio.timeout(COMMIT_S):
                await reading.commit()
        except (TimeoutError, KafkaError):
            _log.info("%s could not say how far it came; some messages are done again", self._group)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    def take(self, most: int) -> list[Message]:
        """Up to so many messages, and no more than there is room for. They are read again by whoever has the partitions
        next, unless they are done."""
        reading = self._reading
        if reading is None or not reading.waiting:
            return []
        most = min(most, self._room())
        found: list[Message] = [reading.waiting.popleft() for _ in range(min(most, len(reading.waiting)))]
        reading.space.set()
        return found

    def lag(self) -> int:
        """Messages of its partitions that are not done, as far as it knows."""
        return self._reading.lag() if self._reading is not None else 0

    def reasons(self) -> list[str]:
        """Why it may stand still."""
        if self._reading is None or not self._reading.waiting or self._room() > 0:
            return []
        return [f"{self._topic}: as many of its lines are under way as may be"]

    async def _run(self, reading: "_Assignment") -> None:
        try:
            while True:
                try:
                    await self._read(reading)
                except KafkaError as problem:
                    if not problem.retriable:
                        raise
                    _log.warning("%s cannot be read for the moment: %r", self._topic, problem)
                    await self._clock.sleep(AWAY_S)
        except Exception as problem:  # noqa: BLE001  # told; nothing is committed any more
            self._failed(problem)

    async def _read(self, reading: "_Assignment") -> None:
        consumer: Any = AIOKafkaConsumer(
            **self._place.client(),
            group_id=self._group,
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            max_poll_records=HELD,
        )
        await consumer.start()
        try:
            consumer.assign(reading.partitions)
            await reading.begin(consumer)
            kept_s = self._clock.monotonic_s()
            while True:
                if len(reading.waiting) < HELD:
                    polled = await consumer.getmany(timeout_ms=int(LOOK_S * 1000))
                    reading.add(polled)
                else:
                    await reading.some_space(LOOK_S)
                if reading.waiting:
                    self._came()  # also where room has come with time
                if keep := self._clock.monotonic_s() - kept_s > KEEP_S:
                    kept_s = self._clock.monotonic_s()
                await reading.commit(keep=keep)
        finally:
            await consumer.stop()


class _Assignment:
    """What one assignment of partitions brings."""

    def __init__(self, partitions: list[TopicPartition]) -> None:
        self.partitions = partitions
        self.waiting: deque[Ticket[Any]] = deque()
        self.space = asyncio.Event()
        self.is_held = False
        self._consumer: Any = None
        self._order: Order[Fed] = Order()
        self._done: dict[TopicPartition, int] = {}
        """Where each partition goes on: everything before is done."""
        self._committed: dict[TopicPartition, int] = {}
        self._committing = asyncio.Lock()

    async def begin(self, consumer: Any) -> None:
        """Read from where everything before is done. What a consumer before this one gave is given again."""
        self._order.end()
        self.waiting.clear()
        self._done = {one: await consumer.position(one) for one in self.partitions}
        self._committed = dict(self._done)
        self._order = Order()
        self._consumer = consumer
        if self.is_held:
            self._order.end()

    def add(self, polled: dict[TopicPartition, list["ConsumerRecord[Any, Any]"]]) -> None:
        if self.is_held:
            return
        for partition, records in polled.items():
            for record in records:
                self.waiting.append(self._order.take(partition, record.offset, Fed(record, self._is_done)))

    def _is_done(self, record: "ConsumerRecord[Any, Any]") -> None:
        self._done[TopicPartition(record.topic, record.partition)] = record.offset + 1

    async def some_space(self, timeout_s: float) -> None:
        """Until something was taken, or for so long."""
        self.space.clear()
        try:
            async with asyncio.timeout(timeout_s):
                await self.space.wait()
        except TimeoutError:
            pass

    async def commit(self, *, keep: bool = False) -> None:
        """Say how far everything is done.

        :param keep: also where nothing has moved
        :raises KafkaError: the brokers do not take it
        """
        async with self._committing:
            ends = {one: end for one, end in self._done.items() if keep or self._committed.get(one) != end}
            if ends and self._consumer is not None:
                await self._consumer.commit(ends)
                self._committed |= ends

    def lag(self) -> int:
        if self._consumer is None:
            return 0
        return sum(max(0, (self._consumer.highwater(one) or 0) - end) for one, end in self._done.items())

    def end(self) -> None:
        """Nothing that ends from now on moves an offset."""
        self.is_held = True
        self.waiting.clear()
        self._order.end()
