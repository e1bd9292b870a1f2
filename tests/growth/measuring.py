"""How the cost of reading grows with what is read: CPU time at one size and at four times that size."""

import math
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, NamedTuple

STEP: Final = 4
MOST: Final = 8.0
"""What four times the size may cost, as a multiple: four is linear, sixteen is square."""
TRIES: Final = 5
FLOOR_S: Final = 0.02
"""CPU seconds below which a cost is told to be nothing: a clock of milliseconds cannot tell how it grows."""
PATIENCE_S: Final = 1.5
"""CPU seconds after which a measurement is broken off and counts as this much, or more."""


class _TooLong(BaseException):
    """Raised by the timer in the middle of the work; a `BaseException`, so that no reader takes it for its own."""


@contextmanager
def _within(limit_s: float) -> Iterator[None]:
    def ring(_number: int, _frame: FrameType | None) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, limit_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def cpu_s(work: Callable[[], object], limit_s: float = PATIENCE_S) -> float:
    """CPU seconds of this process, user and system; `limit_s` where it took longer.

    Regular expressions look for signals as they go back and forth, so even an exponential one is broken off.
    """
    began = time.process_time()
    try:
        with _within(limit_s):
            work()
    except _TooLong:
        return max(limit_s, time.process_time() - began)
    return time.process_time() - began


class Growth(NamedTuple):
    """What was measured: CPU seconds at one size and at `STEP` times that size."""

    small_s: float
    large_s: float

    @property
    def factor(self) -> float:
        """How many times as much four times the size costs; 0 where the cost is nothing."""
        return self.large_s / max(self.small_s, 1e-6) if self.large_s >= FLOOR_S else 0.0

    @property
    def is_bounded(self) -> bool:
        return self.factor <= MOST

    def __str__(self) -> str:
        grown = f"x{self.factor:.1f}" if self.factor else "-"
        return f"{self.small_s * 1000:9.1f} ms {self.large_s * 1000:9.1f} ms {grown:>7}"


def growth(run: Callable[[str], object], text: Callable[[int], str], size: int) -> Growth:
    """The growth from `size` to four times that, the best of up to five tries.

    What takes nothing at the larger size is measured once; what looks linear is believed at once, since noise makes
    a process slower, never faster.
    """
    large, small = text(size * STEP), text(size)
    if len(large) > 2 * STEP * size + 200:
        raise AssertionError(f"a text of {size * STEP} characters was wanted, not {len(large)}")
    best = Growth(PATIENCE_S, cpu_s(lambda: run(large)))
    if best.large_s < FLOOR_S:
        return Growth(0.0, best.large_s)
    best = Growth(cpu_s(lambda: run(small)), best.large_s)
    for _ in range(TRIES - 1):
        if best.large_s >= PATIENCE_S or best.is_bounded:
            break
        best = Growth(
            min(best.small_s, cpu_s(lambda: run(small))), min(best.large_s, cpu_s(lambda: run(large)))
        )
    return Growth(best.small_s, math.inf) if best.large_s >= PATIENCE_S else best  # nobody knows how long
