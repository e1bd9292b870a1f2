"""Ctrl-C and polite requests to end, for commands that store what they do while they do it."""

import asyncio
import signal
import threading
from collections.abc import Coroutine
from types import FrameType, TracebackType
from typing import Any, Self, TypeVar

import click

_Result = TypeVar("_Result")


class Interrupted(click.ClickException):
    """Ctrl-C, or a polite request to end. The exit status is 128 and the number of the signal, as shells have it."""

    def __init__(self, signal_number: int, sentence: str) -> None:
        super().__init__(f"interrupted; {sentence}")
        self.exit_code = 128 + signal_number


def run_until_told(
    work: Coroutine[Any, Any, _Result],
    sentence: str = "what was found is stored, and the same command goes on from there",
) -> _Result:
    """Run it in an event loop of its own. SIGTERM ends it as Ctrl-C does: with databases closed and temporary files gone.

    A second signal of either kind ends what runs at that moment, even where it does not let the event loop go on.

    :param sentence: what a person who interrupts it wants to know
    :raises Interrupted: it was told to end
    """
    with _Signals() as signals:
        try:
            return asyncio.run(signals.heeding(work))
        except KeyboardInterrupt:
            raise Interrupted(signals.last or signal.SIGINT, sentence) from None
        except asyncio.CancelledError:
            raise Interrupted(signals.last or signal.SIGTERM, sentence) from None


class _Signals:
    """Heeds SIGINT and SIGTERM alike: the first cancels the work, the second raises KeyboardInterrupt where the program
    stands, the third is the system's.

    No handler of the event loop's own: that one waits while a reply is being read.
    """

    def __init__(self) -> None:
        self.last = 0
        self._task: asyncio.Task[Any] | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                # Whoever starts a program in the background makes it deaf to Ctrl-C, and so it stays.
                if signal.getsignal(number) in (signal.default_int_handler, signal.SIG_DFL):
                    self._before[number] = signal.signal(number, self._told)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    async def heeding(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        self._task = asyncio.current_task()
        return await work

    def _told(self, number: int, frame: FrameType | None) -> None:
        first, self.last = self.last == 0, number
        if first and self._task is not None and not self._task.done():
            self._task.cancel()
            # so that a loop in which nothing happens wakes up and sees it
            self._task.get_loop().call_soon_threadsafe(lambda: None)
            return
        for each in self._before:
            signal.signal(each, signal.SIG_DFL)
        raise KeyboardInterrupt
