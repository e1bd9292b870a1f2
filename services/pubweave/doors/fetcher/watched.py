"""A file of the operator's that is read again when it changes, so that no restart is needed."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Final, Generic, TypeVar

from pubweave.doors.fetcher.settings import FetcherProblem
from pubweave.ports import Clock

_log = logging.getLogger(__name__)
_T = TypeVar("_T")

LOOKED_AT_EVERY_S: Final = 1.0


class Watched(Generic[_T]):
    """What a file says, as of a second ago at most.

    A file that cannot be read, or has a mistake in it, is refused at the start; later the last that could be used
    stays in force, and that is logged once for each change.
    """

    def __init__(self, path: Path, read: Callable[[Path], _T], clock: Clock) -> None:
        """:raises Exception: whatever `read` raises for a file that cannot be used"""
        self._path = path
        self._read = read
        self._clock = clock
        self._state = _state(path)
        self.value = read(path)
        self._looked_s = clock.monotonic_s()

    def changed(self) -> bool:
        """Look, if that is due; true if `value` is another than before."""
        if self._clock.monotonic_s() - self._looked_s < LOOKED_AT_EVERY_S:
            return False
        self._looked_s = self._clock.monotonic_s()
        state = _state(self._path)
        if state == self._state:
            return False
        self._state = state
        try:
            self.value = self._read(self._path)
        except FetcherProblem as problem:
            _log.error("%s It is left as it was before.", problem)
            return False
        _log.info("%s has changed and was read again", self._path)
        return True


def _state(path: Path) -> tuple[int, int, int]:
    """Zeros for a file that is not there."""
    try:
        status = path.stat()
    except OSError:
        return 0, 0, 0
    return status.st_mtime_ns, status.st_size, status.st_ino
