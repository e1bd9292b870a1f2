"""Time that passes only when the simulation says so."""


class SimulatedClock:
    """Stands still between steps; nobody sleeps on it."""

    def __init__(self, now_ms: int = 1_000_000) -> None:
        self._now_ms = now_ms

    def advance(self, ms: int) -> None:
        self._now_ms += ms

    def now_ms(self) -> int:
        return self._now_ms

    def monotonic_s(self) -> float:
        return self._now_ms / 1000

    async def sleep(self, seconds: float) -> None:
        """:raises AssertionError: whoever waits must send a delayed event"""
        if seconds > 0:
            raise AssertionError(f"a consumer sleeps for {seconds} s")
