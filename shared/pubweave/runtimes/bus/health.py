"""Is it alive? By progress: what has something to do and does nothing, without a reason, is not."""

from collections import deque
from collections.abc import Callable
from typing import Final

from pubweave.ports import Clock

STALLED_S: Final = 60.0
DEAD_WINDOW: Final = 200
BROKEN_LIMIT: Final = 50
"""When so many of the last `DEAD_WINDOW` messages broke the service, the fault is with the service."""


class Poisoned(Exception):
    """The service breaks on what it hears: going on would move the topic into the dead letters."""


class Health:
    """Of one service in this process.

    :param lag: how many messages of its partitions it has not done
    :param waiting: reasons for which it may stand still (budgets, Retry-After, robots)
    """

    def __init__(
        self,
        service: str,
        clock: Clock,
        lag: Callable[[], int],
        waiting: Callable[[], list[str]] = list,
    ) -> None:
        self.service = service
        self.done = 0
        self.dead = 0
        self._clock = clock
        self._lag = lag
        self._waiting = waiting
        self._moved_s = clock.monotonic_s()
        self._recent: deque[bool] = deque(maxlen=DEAD_WINDOW)

    def moved(self, messages: int, dead: int = 0, broken: int = 0) -> None:
        """So many messages are done, so many of them by putting them aside.

        :param broken: so many were put aside since the service broke on them. What is put aside because of what it is
            costs itself alone, however much of it strangers send.
        :raises Poisoned: the service broke on too many of the last ones
        """
        self._moved_s = self._clock.monotonic_s()
        self.done += messages
        self.dead += dead
        self._recent.extend([True] * broken + [False] * (messages - broken))
        if sum(self._recent) >= BROKEN_LIMIT:
            raise Poisoned(
                f"{self.service} broke on {sum(self._recent)} of its last {len(self._recent)} messages, so it stops: "
                "look at `pubweave dead-letters list`, then start it again"
            )

    def lag(self) -> int:
        return self._lag()

    def waiting(self) -> list[str]:
        """Why it may stand still."""
        return self._waiting()

    def problem(self) -> str:
        """Why it is not alive; "" if it is."""
        idle_s = self._clock.monotonic_s() - self._moved_s
        lag = self._lag()
        if lag <= 0:
            self._moved_s = self._clock.monotonic_s()
            return ""
        if idle_s < STALLED_S or self._waiting():
            return ""
        return f"{self.service}: {lag} messages wait, and none was done for {idle_s:.0f} s"
