"""The clocks keep the promises of clocks."""

import asyncio

import pytest

from ports.clock_contract import ClockContract
from pubweave.adapters.clock import ManualClock, SystemClock
from pubweave.ports import Clock


class TestSystemClock(ClockContract):
    @pytest.fixture
    def clock(self) -> Clock:
        return SystemClock()

    async def let_pass(self, clock: Clock, seconds: float) -> None:
        await asyncio.sleep(seconds)


class TestManualClock(ClockContract):
    @pytest.fixture
    def clock(self) -> Clock:
        return ManualClock()

    async def let_pass(self, clock: Clock, seconds: float) -> None:
        assert isinstance(clock, ManualClock)
        await clock.advance(seconds)

    async def test_stands_still_by_itself(self) -> None:
        """Nobody wakes before the clock is moved."""
        clock = ManualClock()
        sleeper = asyncio.ensure_future(clock.sleep(1))
        await asyncio.sleep(0)

        assert clock.sleeping == 1
        assert clock.now_ms() == 1_700_000_000_000

        await clock.advance(0.999)

        assert not sleeper.done()

        await clock.advance(0.001)

        assert sleeper.done()
        assert clock.now_ms() == 1_700_000_001_000

    async def test_wakes_in_order_and_at_the_right_moment(self) -> None:
        """One large step is the same as many small ones: whoever wakes sees its own time, and can sleep on."""
        clock = ManualClock(now_ms=0)
        woken: list[tuple[str, int]] = []

        async def walker(name: str, *waits_s: float) -> None:
            for wait_s in waits_s:
                await clock.sleep(wait_s)
                woken.append((name, clock.now_ms()))

        walkers = [asyncio.ensure_future(walker("a", 1, 2)), asyncio.ensure_future(walker("b", 2, 2))]
        await clock.advance(10)
        await asyncio.gather(*walkers)

        assert woken == [("a", 1000), ("b", 2000), ("a", 3000), ("b", 4000)]
        assert clock.now_ms() == 10_000

    async def test_goes_to_the_next_sleeper(self) -> None:
        """`advance_to_next` moves exactly as far as somebody waits, and says if nobody does."""
        clock = ManualClock(now_ms=0)
        sleeper = asyncio.ensure_future(clock.sleep(5))
        given_up = asyncio.ensure_future(clock.sleep(1))
        await asyncio.sleep(0)
        given_up.cancel()

        assert await clock.advance_to_next()
        assert sleeper.done()
        assert clock.now_ms() == 5000
        assert not await clock.advance_to_next()
