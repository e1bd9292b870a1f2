"""How a worker takes the messages of its partitions: in batches, or side by side."""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Final, Protocol, TypeAlias

from pubweave.ports import Clock
from pubweave.runtimes.bus.fairness import Fair
from pubweave.runtimes.bus.order import MessagePart, Ticket

_log = logging.getLogger(__name__)

TAKE: Final = 200
"""From how many events on a batch takes no further message."""

BUFFER: Final = 2 * TAKE
"""How many wait in the process; more wait in Kafka."""

AT_ONCE: Final = 500
"""Questions that a door has under way in one process."""

SHARE: Final = 50
"""Of these so many of one site: it has few connections, and the others are not to wait for it."""

HELD: Final = 5_000
"""Questions that a door holds; beyond that those of the largest site are put off."""

Message: TypeAlias = Ticket[Any] | MessagePart[Any]
Hear: TypeAlias = Callable[[Sequence[Message]], Awaitable[None]]
"""Hears messages, makes what follows durable, and acknowledges them."""


class Intake(Protocol):
    """Between Faust's stream and the hearer."""

    async def put(self, message: Message) -> None:
        """A message has come; waits while there is no room."""

    async def run(self) -> None:
        """Until cancelled or stopped.

        :raises Exception: a message could not be heard; it is not acknowledged
        """

    async def let_go(self, grace_s: float) -> None:
        """The partitions go to others: what waits is dropped, what is at hand may end within this time."""

    async def stop(self) -> None:
        """End; what is at hand in a batch is done before."""


class Feed(Protocol):
    """What waits for all other messages, and for room."""

    def take(self, most: int) -> list[Message]:
        """Up to so many of them, as many as may be heard now."""


class HeardBatches:
    """As many messages as are there are heard together, one batch after the other.

    :param linger_s: how long the first message of a batch waits for company
    :param size: how many events a message holds
    :param feed: what comes after all others, if there is such; whoever has one calls `look` when it has something
    """

    def __init__(
        self,
        hear: Hear,
        clock: Clock,
        *,
        linger_s: float = 0.0,
        size: Callable[[Message], int] = lambda message: 1,
        feed: Feed | None = None,
    ) -> None:
        self._hear = hear
        self._size = size
        self._clock = clock
        self._linger_s = linger_s
        self._feed = feed
        self._waiting: deque[Message] = deque()
        self._came = asyncio.Event()
        self._space = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._stopping = False

    async def put(self, message: Message) -> None:
        while len(self._waiting) >= BUFFER:
            self._space.clear()
            await self._space.wait()
        self._waiting.append(message)
        self._came.set()

    def look(self) -> None:
        """There may be something to take from the feed."""
        self._came.set()

    async def run(self) -> None:
        while not self._stopping:
            batch = self._next()
            if not batch:
                self._came.clear()
                await self._came.wait()
                if self._linger_s:
                    await self._clock.sleep(self._linger_s)
                continue
            self._idle.clear()
            try:
                await self._hear(batch)
            finally:
                self._idle.set()

    async def let_go(self, grace_s: float) -> None:
        self._waiting.clear()
        self._space.set()
        try:
            async with asyncio.timeout(grace_s):
                await self._idle.wait()
        except TimeoutError:
            pass  # it ends later, and is not acknowledged: another does the same

    async def stop(self) -> None:
        self._stopping = True
        await self._idle.wait()

    def _next(self) -> list[Message]:
        batch: list[Message] = []
        events = 0
        while self._waiting and events < TAKE:
            message = self._waiting.popleft()
            if not message.is_void:
                batch.append(message)
                events += self._size(message)
        self._space.set()
        if self._feed is not None and events < TAKE:
            batch += self._feed.take(TAKE - events)
        return batch


class SideBySide:
    """Messages are independent of each other and may take long (doors): each is heard by itself, sites in turn.

    :param site: whose turn a message waits for
    :param put_off: says messages again later, and acknowledges them: those of a site too large to be held
    """

    def __init__(self, hear: Hear, site: Callable[[Message], str], put_off: Hear) -> None:
        self._hear = hear
        self._site = site
        self._put_off = put_off
        self._fair: Fair[Message] = Fair(SHARE)
        self._tasks: set[asyncio.Task[None]] = set()
        self._came = asyncio.Event()
        self._failure: BaseException | None = None

    async def put(self, message: Message) -> None:
        self._fair.add(self._site(message), message)
        self._came.set()
        if len(self._fair) > HELD:
            _, surplus = self._fair.surplus()
            await self._put_off([one for one in surplus if not one.is_void])

    async def run(self) -> None:
        while True:
            while len(self._tasks) < AT_ONCE and (found := self._fair.next()) is not None:
                site, message = found
                task = asyncio.create_task(self._one(message))
                self._tasks.add(task)
                task.add_done_callback(partial(self._ended, site))
            self._came.clear()
            await self._came.wait()
            if self._failure is not None:
                raise self._failure

    async def let_go(self, grace_s: float) -> None:
        self._fair.clear()
        await self._cancel()

    async def stop(self) -> None:
        self._fair.clear()
        await self._cancel()

    async def _cancel(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _one(self, message: Message) -> None:
        try:
            if not message.is_void:
                await self._hear([message])
        except asyncio.CancelledError:
            raise
        except BaseException as problem:  # noqa: BLE001  # told by `run`; not acknowledged
            self._failure = self._failure or problem

    def _ended(self, site: str, task: "asyncio.Task[None]") -> None:
        self._fair.finished(site)
        self._tasks.discard(task)
        self._came.set()
