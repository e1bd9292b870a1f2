"""Numbers of microseconds that only rise within a process."""

import threading

from pubweave.ports import Clock


class Stamps:
    """Write timestamps where the store decides itself which of two writes wins."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = 0
        self._lock = threading.Lock()

    def next(self) -> int:
        """Microseconds since 1970, above every one given before."""
        with self._lock:
            self._last = max(self._last + 1, self._clock.now_ms() * 1000)
            return self._last
