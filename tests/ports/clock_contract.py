"""What every `Clock` promises."""

import asyncio

import pytest

from pubweave.ports import Clock


class ClockContract:
    @pytest.fixture
    def clock(self) -> Clock:
        raise NotImplementedError("the adapter's class gives a clock")

    async def let_pass(self, clock: Clock, seconds: float) -> None:
        """Let this time pass on the clock, for others too."""
        raise NotImplementedError("the adapter's class lets time pass")

    def test_tells_milliseconds_since_1970(self, clock: Clock) -> None:
        """UNIX time in whole milliseconds, not seconds, not microseconds."""
        assert isinstance(clock.now_ms(), int)
        assert 1_600_000_000_000 < clock.now_ms() < 4_100_000_000_000

    async def test_goes_forward(self, clock: Clock) -> None:
        """Both readings go forward when time passes."""
        before_ms, before_s = clock.now_ms(), clock.monotonic_s()
        await self.let_pass(clock, 0.01)

        assert clock.monotonic_s() > before_s
        assert clock.now_ms() >= before_ms

    async def test_sleeps_as_long_as_asked(self, clock: Clock) -> None:
        """`sleep` returns when its time has passed, not before."""
        before_s = clock.monotonic_s()
        sleeper = asyncio.ensure_future(clock.sleep(0.01))
        await self.let_pass(clock, 0.02)
        await sleeper

        assert clock.monotonic_s() - before_s >= 0.01

    @pytest.mark.parametrize("seconds", [0, -1, -0.5])
    async def test_does_not_sleep_where_there_is_no_time(self, clock: Clock, seconds: float) -> None:
        """A wait that is over returns at once, without anybody moving the clock."""
        await clock.sleep(seconds)
