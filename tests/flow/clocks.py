"""A clock for tests that do not want to wait."""

import asyncio

from pubweave.adapters.clock import SystemClock

SHORT_S = 0.5


class HurriedClock(SystemClock):
    """The machine's clock, which leaps over every longer sleep: who sleeps an hour wakes at once, an hour later."""

    def __init__(self) -> None:
        self._leapt_s = 0.0

    def now_ms(self) -> int:
        return super().now_ms() + round(self._leapt_s * 1000)

    def monotonic_s(self) -> float:
        return super().monotonic_s() + self._leapt_s

    async def sleep(self, seconds: float) -> None:
        if seconds <= SHORT_S:
            await super().sleep(seconds)
            return
        await asyncio.sleep(0)
        self._leapt_s += seconds
