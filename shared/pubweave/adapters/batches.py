"""Who may write: one batch at a time, and what is inside it. For adapters of one process."""

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from types import TracebackType

from pubweave.ports import StorageProblem

_inside: ContextVar[frozenset[object]] = ContextVar("pubweave_batches", default=frozenset())


class Batches:
    """Batches of a storage, one after the other.

    A batch belongs to the task that opened it and to the tasks that this one starts inside: their writes
    and batches join it. Writes and batches of other tasks wait until it has ended. An exception that
    leaves a joined batch dooms the whole: it is undone even if somebody caught the exception.
    """

    def __init__(self, keep: Callable[[], None], undo: Callable[[], None]) -> None:
        self._keep = keep
        self._undo = undo
        self._lock = asyncio.Lock()
        self._open: object | None = None
        self._doomed = False

    @property
    def open(self) -> bool:
        """What is written now becomes durable at the end of a batch."""
        return self._open is not None

    def batch(self) -> "_OpenBatch":
        return _OpenBatch(self)

    def joined(self) -> bool:
        """This task is inside the open batch."""
        return self._open is not None and self._open in _inside.get()

    async def turn(self) -> None:
        """Return when this task may write: inside the open batch, or when there is none."""
        if self._open is not None:
            if self._open not in _inside.get():
                while self._open is not None:
                    async with self._lock:
                        pass
            elif self._doomed:
                raise StorageProblem(_DOOMED)

    def doom(self) -> None:
        """Nothing of the open batch can be kept any more."""
        self._doomed = self._open is not None


_DOOMED = "A part of this batch could not be stored, so nothing of it was; begin it again."


class _OpenBatch:
    def __init__(self, batches: Batches) -> None:
        self._batches = batches
        self._token: object | None = None

    async def __aenter__(self) -> None:
        batches = self._batches
        if batches.joined():
            return
        await batches._lock.acquire()
        self._token = batches._open = object()
        batches._doomed = False
        _inside.set(_inside.get() | {self._token})

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        batches = self._batches
        if self._token is None:
            if error is not None:
                batches.doom()
            return
        try:
            if error is not None:
                batches._undo()
            elif batches._doomed:
                batches._undo()
                raise StorageProblem(_DOOMED)
            else:
                batches._keep()
        finally:
            batches._open = None
            batches._doomed = False
            _inside.set(_inside.get() - {self._token})
            batches._lock.release()
