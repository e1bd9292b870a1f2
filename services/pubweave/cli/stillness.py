"""Says when a job on the bus does not move, and which command tells why."""

from typing import TYPE_CHECKING, Final

from pubweave.output.terminal import say

if TYPE_CHECKING:
    from pubweave.ports import Clock


STILL_S: Final = 60.0
"""A job without a new outcome for so long is told of; then after twice that time, and so on."""


class Stillness:
    """Says when a job does not move, and who says why."""

    def __init__(self, clock: "Clock", job: str) -> None:
        self._clock = clock
        self._job = job
        self._moved_s = clock.monotonic_s()
        self._after_s = STILL_S

    def look(self, moved: bool) -> None:
        now_s = self._clock.monotonic_s()
        if moved:
            self._moved_s, self._after_s = now_s, STILL_S
        elif now_s - self._moved_s >= self._after_s:
            say(
                f"no further outcome for {now_s - self._moved_s:.0f} s; `pubweave status --cluster --job {self._job}` "
                "says what is on its way and what hangs"
            )
            self._after_s *= 2
