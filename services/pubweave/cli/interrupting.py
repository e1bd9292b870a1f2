"""Ctrl-C and polite requests to end, for commands that store what they do while they do it."""

import asyncio
import signal
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

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

    :param sentence: what a person who interrupts it wants to know
    :raises Interrupted: it was told to end
    """
    try:
        return asyncio.run(_heeding(work))
    except KeyboardInterrupt:
        raise Interrupted(signal.SIGINT, sentence) from None
    except asyncio.CancelledError:
        raise Interrupted(signal.SIGTERM, sentence) from None


async def _heeding(work: Coroutine[Any, Any, _Result]) -> _Result:
    task = asyncio.current_task()
    if task is not None and threading.current_thread() is threading.main_thread():
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await work
