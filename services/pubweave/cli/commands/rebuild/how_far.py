"""How far a rebuilding is: one line on a terminal, which goes away; nothing elsewhere."""

import sys
import time
from typing import TYPE_CHECKING, Final, Self

import click

from pubweave.cli.progress import duration, rate

if TYPE_CHECKING:
    from pubweave.runtimes.bus.rebuilding import RebuildingProgress

_EVERY_S: Final = 0.5
_WIPE: Final = "\r\x1b[K"


def sentence(progress: "RebuildingProgress", passed_s: float) -> str:
    """`41 %, facts, 3,200/s, about 2 min 10 s left`."""
    parts = [f"{progress.percent} %", progress.step]
    if progress.read and passed_s > 0:
        per_s = progress.read / passed_s
        parts.append(rate(per_s))
        left_s = (progress.total - progress.done) / per_s
        if left_s >= 1:
            parts.append(f"about {duration(left_s)} left")
    return ", ".join(parts)


class HowFar:
    """Called with where it is."""

    def __init__(self) -> None:
        self._shows = sys.stderr.isatty()
        self._began_s = time.monotonic()
        self._shown_s = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shows:
            click.echo(_WIPE, nl=False, err=True)

    def say(self, sentence: str) -> None:
        """Above the line that moves."""
        click.echo(f"{_WIPE if self._shows else ''}pubweave: {sentence}", err=True)

    def __call__(self, progress: "RebuildingProgress") -> None:
        now_s = time.monotonic()
        if self._shows and now_s - self._shown_s >= _EVERY_S:
            self._shown_s = now_s
            click.echo(f"{_WIPE}pubweave: {sentence(progress, now_s - self._began_s)}", nl=False, err=True)
