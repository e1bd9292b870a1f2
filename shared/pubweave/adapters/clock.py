"""Clocks: the machine's, and one that a test moves by hand."""

import asyncio
import heapq
import itertools
import time


class SystemClock:
    """The clock of the machine."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def monotonic_s(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        if seconds > 0:
            await asyncio.sleep(seconds)


class ManualClock:
    """A clock that stands still until `advance` moves it; `sleep` returns when it has been moved that far."""

    def __init__(self, now_ms: int = 1_700_000_000_000) -> None:
        self._started_ms = now_ms
        self._elapsed_s = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._number = itertools.count()

    def now_ms(self) -> int:
        return self._started_ms + round(self._elapsed_s * 1000)

    def monotonic_s(self) -> float:
        return self._elapsed_s

    @property
    def sleeping(self) -> int:
        """How many wait for the clock."""
        return sum(not future.done() for _, _, future in self._sleepers)

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            return
        waker: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._elapsed_s + seconds, next(self._number), waker))
        await waker

    async def advance(self, seconds: float, *, turns: int = 20) -> None:
        """Move on, waking sleepers at their times and in their order; whoever was woken runs before the
        clock moves further, for at most `turns` turns of the event loop."""
        until_s = self._elapsed_s + seconds
        await _turns(turns)
        while self._sleepers and self._sleepers[0][0] <= until_s:
            due_s, _, waker = heapq.heappop(self._sleepers)
            self._elapsed_s = max(self._elapsed_s, due_s)
            if not waker.done():
                waker.set_result(None)
                await _turns(turns)
        self._elapsed_s = until_s

    async def advance_to_next(self, *, turns: int = 20) -> bool:
        """Move on to the next sleeper and wake it; false if nobody sleeps."""
        await _turns(turns)
        while self._sleepers and self._sleepers[0][2].done():
            heapq.heappop(self._sleepers)
        if not self._sleepers:
            return False
        await self.advance(self._sleepers[0][0] - self._elapsed_s, turns=turns)
        return True


async def _turns(turns: int) -> None:
    for _ in range(turns):
        await asyncio.sleep(0)
