"""Rounds of the merger: the only place where state changes.

What is to be heard goes through one inbox, and is written in one batch a round: what was answered is durable before
anything that follows from it is asked.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from pubweave.ports import Clock, Store
from pubweave.runtimes.embedded.delivery import Delivery, RoundOutputs
from pubweave.runtimes.embedded.tasks import Tasks

ROUND_SIZE: Final = 256
"""How many things the merger hears at most before it makes them durable."""

LONG_ROUND_S: Final = 0.05
"""And for how long at most: what follows is asked only then."""

ROUND_PAUSE_S: Final = 0.003
"""Pause between rounds while questions are under way: what arrives meanwhile is written together."""

BUSY_ROUND_PAUSE_S: Final = 0.02
"""The same while `BUSY_QUESTIONS` or more are under way: nobody waits for this very answer then, and each
round costs a transaction."""

BUSY_QUESTIONS: Final = 16

Item: TypeAlias = Callable[[], Awaitable[None]]
"""Something to be heard, in a round."""


class Rounds:
    """The inbox, and the loop that empties it."""

    def __init__(
        self,
        store: Store,
        delivery: Delivery,
        clock: Clock,
        tasks: Tasks,
        follow: Callable[[RoundOutputs], None],
        under_way: Callable[[], int],
    ) -> None:
        """
        :param follow: does what follows from a round, once that is durable
        :param under_way: how many questions there are
        """
        self._store = store
        self._delivery = delivery
        self._clock = clock
        self._tasks = tasks
        self._follow = follow
        self._under_way = under_way
        self._inbox: deque[Item] = deque()
        self._hearing = False
        """A round is under way; it lets others run in between, who must not take what it holds for done."""
        self._lock = asyncio.Lock()
        self._wake = asyncio.Event()
        self._loop: asyncio.Task[None] | None = None

    @property
    def idle(self) -> bool:
        """Nothing is heard, nor to be heard."""
        return not (self._inbox or self._hearing)

    def put(self, item: Item) -> None:
        """Have something heard in one of the next rounds."""
        self._inbox.append(item)
        self._wake.set()

    def wake(self) -> None:
        """Look whether there is something to be heard."""
        self._wake.set()

    def begin(self) -> None:
        self._loop = asyncio.create_task(self._run(), name="merger")

    async def end(self) -> None:
        """Everything put so far is written. Safe to repeat."""
        loop, self._loop = self._loop, None
        if loop is not None:
            async with self._lock:
                loop.cancel()
            await asyncio.gather(loop, return_exceptions=True)
        while self._inbox and self._tasks.failure is None:
            await self._round()

    async def _run(self) -> None:
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                while self._inbox:
                    await self._round()
                    await asyncio.sleep(self._pause_s())
        except asyncio.CancelledError:
            raise
        except Exception as problem:  # noqa: BLE001  # whoever runs a job raises it
            self._tasks.fail(problem)

    def _pause_s(self) -> float:
        questions = self._under_way()
        return BUSY_ROUND_PAUSE_S if questions >= BUSY_QUESTIONS else ROUND_PAUSE_S if questions else 0

    async def _round(self) -> None:
        async with self._lock:
            self._hearing = True
            try:
                enough_s = self._clock.monotonic_s() + LONG_ROUND_S
                async with self._store.batch():
                    for _ in range(ROUND_SIZE):
                        await self._inbox.popleft()()
                        # Hosts that have answered can be asked on meanwhile.
                        await asyncio.sleep(0)
                        if not self._inbox or self._clock.monotonic_s() >= enough_s:
                            break
                    out = await self._delivery.flush()
            finally:
                self._hearing = False
            self._follow(out)
        self._tasks.moved()
