"""One service as a Faust app: takes batches, has them heard, lets offsets move when what follows is durable."""

import asyncio
import logging
import tempfile
from collections.abc import Callable
from typing import Any, Final

import faust

from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.ports import Clock, Store
from pubweave.runtimes.bus.health import Health
from pubweave.runtimes.bus.reading import delivered
from pubweave.runtimes.bus.sending import Sender
from pubweave.runtimes.messages.driving import hear_batch
from pubweave.runtimes.messages.effects import Effects, Hearer
from pubweave.runtimes.messages.groups import topics_heard_by

_log = logging.getLogger(__name__)

TAKE: Final = 200
AT_ONCE: Final = 500
"""Questions that a door has under way in one process; more wait in Kafka."""

Failed = Callable[[BaseException], None]


class Worker:
    """One member of one group. `start` and `stop` it.

    :param side_by_side: messages are independent of each other and may take long (doors): each is heard on its
        own and acknowledged when its outcome is durable
    :param linger_s: how long the first message of a batch waits for company
    :param failed: told when it cannot go on
    """

    def __init__(
        self,
        service: str,
        hearer: Hearer,
        place: KafkaPlace,
        sender: Sender,
        store: Store,
        clock: Clock,
        failed: Failed,
        *,
        side_by_side: bool = False,
        session_timeout_s: float = 30.0,
        linger_s: float = 0.0,
        waiting: Callable[[], list[str]] = list,
        taken_over: Callable[[], None] | None = None,
    ) -> None:
        self.service = service
        self._hearer = hearer
        self._place = place
        self._sender = sender
        self._store = store
        self._clock = clock
        self._failed = failed
        self._forget = True
        self._stopping = False
        self._hearing = False
        self._linger_s = linger_s
        self._queue: asyncio.Queue[Any] = asyncio.Queue(maxsize=2 * TAKE)
        self._heard: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._room = asyncio.Semaphore(AT_ONCE)
        self.health = Health(service, clock, self._lag, waiting)
        # Faust makes its folder, though it keeps nothing in it.
        self._folder = tempfile.TemporaryDirectory(prefix="pubweave-")
        self.app: Any = faust.App(
            place.prefix + service,
            broker=[f"kafka://{host}" for host in place.hosts],
            store="memory://",
            datadir=self._folder.name,
            web_enabled=False,
            topic_disable_leader=True,
            topic_allow_declare=False,
            consumer_auto_offset_reset="earliest",
            broker_session_timeout=session_timeout_s,
            broker_heartbeat_interval=session_timeout_s / 10,
            broker_commit_interval=1.0,
            stream_wait_empty=False,
            consumer_max_fetch_size=4 * 1024 * 1024,
            producer_max_request_size=1200 * 1024,
        )
        channel = self.app.topic(
            *(place.prefix + topic for topic in topics_heard_by(service)),
            key_serializer="raw",
            value_serializer="raw",
            allow_empty=True,
        )
        self.app.agent(channel, name=service)(self._side_by_side if side_by_side else self._queued)
        self._taken_over = taken_over
        assigned: Any = self.app.on_partitions_assigned
        assigned.connect(self._assigned, weak=False)

    async def start(self) -> None:
        """Join the group; messages come when the partitions are assigned."""
        self._heard = asyncio.create_task(self._batches())
        self.app.finalize()
        await self.app.maybe_start()

    async def stop(self) -> None:
        """Finish the batch at hand, leave the group; what is queued or under way is heard again by another."""
        self._stopping = True
        if self._heard is not None:
            if not self._hearing:
                self._heard.cancel()
            await asyncio.gather(self._heard, return_exceptions=True)
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.app.stop()
        self._folder.cleanup()

    async def _assigned(self, app: Any, assigned: Any = None, **_: Any) -> None:
        self._forget = True
        if self._taken_over is not None:
            self._taken_over()

    def has_partitions(self) -> bool:
        """It has joined its group and some partitions are its own."""
        return self.app.consumer is not None and bool(self.app.consumer.assignment())

    def _lag(self) -> int:
        consumer = self.app.consumer
        if consumer is None:
            return 0
        return sum(
            max(0, (consumer.highwater(partition) or 0) - (consumer._committed_offset.get(partition) or 0))
            for partition in consumer.assignment()
        )

    # --- how messages are taken

    async def _queued(self, stream: Any) -> None:
        # Not `stream.take`: cancelled at a stop or rebalance, it acknowledges what nobody has done yet.
        async for event in stream.noack().events():
            await self._queue.put(event)

    async def _batches(self) -> None:
        while not self._stopping:
            events = [await self._queue.get()]
            if self._linger_s:
                await self._clock.sleep(self._linger_s)
            while len(events) < TAKE and not self._queue.empty():
                events.append(self._queue.get_nowait())
            if self._forget:
                # Between batches: in the middle of one, rows would be missing that are not durable yet.
                self._forget = False
                self._hearer.forget()
            self._hearing = True
            try:
                await self._hear(events)
                for event in events:
                    event.ack()
            except asyncio.CancelledError:
                raise
            except BaseException as problem:  # noqa: BLE001  # told; nothing is acknowledged any more
                self._failed(problem)
                return
            finally:
                self._hearing = False

    async def _side_by_side(self, stream: Any) -> None:
        async for event in stream.noack().events():
            await self._room.acquire()
            task = asyncio.create_task(self._one(event))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _one(self, event: Any) -> None:
        try:
            await self._hear([event])
            event.ack()
        except asyncio.CancelledError:
            raise
        except BaseException as problem:  # noqa: BLE001  # told, not acknowledged
            self._failed(problem)
        finally:
            self._room.release()

    async def _hear(self, events: list[Any]) -> None:
        batch = [
            delivered(
                event.message.topic.removeprefix(self._place.prefix),
                event.message.key,
                event.message.value,
                event.message.headers,
                event.message.offset,
            )
            for event in events
            if event.message.value is not None
        ]
        dead = await hear_batch(self._hearer, batch, self.apply, self.service, self._clock.now_ms)
        self.health.moved(len(batch), dead)

    async def apply(self, effects: Effects) -> None:
        """See `Effects`: what is referred to, then messages, then what stands for rows, then rows."""
        await asyncio.gather(*(write() for write in effects.first))
        if effects.said:
            await self._sender.send(effects.said, self.service)
        for write in effects.then:
            await write()
        await asyncio.gather(*(self._store.add_rows(key, rows) for key, rows in effects.rows.items()))
