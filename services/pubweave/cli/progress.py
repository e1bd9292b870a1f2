"""What is going on, while it is: a bar on a terminal, a line every few seconds elsewhere; on stderr."""

import sys
from typing import TYPE_CHECKING, Final, Protocol

from pubweave.output.terminal import Styled, echo, said, screen

if TYPE_CHECKING:
    from rich.progress import TaskID

    from pubweave.runtimes.embedded.jobs import Progress

LINE_EVERY_S: Final = 5.0
BAR_EVERY_S: Final = 0.2
_WAITING_SHOWN: Final = 3


class ProgressView(Protocol):
    """How a person sees the progress."""

    every_s: float
    """How often `update` is worth calling."""

    def start(self) -> None: ...

    def update(self, progress: "Progress") -> None: ...

    def say(self, sentence: str) -> None:
        """A notice, above whatever moves."""

    def stop(self) -> None: ...


def duration(seconds: float) -> str:
    """`8 s`, `3 min 20 s`, `2 h 05 min`."""
    whole = int(seconds + 0.5)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def rate(per_s: float) -> str:
    """`12/s`, or by the minute where that is slow."""
    if per_s >= 10:
        return f"{per_s:,.0f}/s"
    return f"{per_s:.1f}/s" if per_s >= 1 else f"{per_s * 60:.1f}/min"


def sentence(progress: "Progress") -> str:
    """Where a job stands, on one line."""
    of = f" of {progress.total:,}" if progress.total is not None else ""
    parts = [f"{progress.settled:,}{of} done"]
    if progress.total:
        parts[0] += f" ({100 * progress.settled // progress.total} %)"
    if progress.settled and progress.rate_per_s > 0:
        parts.append(rate(progress.rate_per_s))
    if progress.eta_s is not None and progress.eta_s >= 1:
        parts.append(f"about {duration(progress.eta_s)} left")
    if progress.in_flight:
        parts.append(f"{progress.in_flight:,} under way")
    text = ", ".join(parts)
    waiting = waits(progress)
    return f"{text}; waiting for {waiting}" if waiting else text


def waits(progress: "Progress", shown: int = _WAITING_SHOWN) -> str:
    """What it waits for, the first few."""
    more = len(progress.waiting) - shown
    return "; ".join(progress.waiting[:shown]) + (f"; and {more} more" if more > 0 else "")


class Silent:
    every_s = 60.0

    def start(self) -> None:
        pass

    def update(self, progress: "Progress") -> None:
        pass

    def say(self, sentence: str) -> None:
        echo(said(sentence), err=True)

    def stop(self) -> None:
        pass


class ProgressLines(Silent):
    """For logs and pipes; a line is not repeated while nothing moves."""

    every_s = LINE_EVERY_S

    def __init__(self) -> None:
        self._last = ""

    def update(self, progress: "Progress") -> None:
        text = sentence(progress)
        if text != self._last:
            self.say(text)
        self._last = text


class Bar:
    """For terminals."""

    every_s = BAR_EVERY_S

    def __init__(self, total: int | None) -> None:
        from rich.progress import BarColumn, Progress, TextColumn
        from rich.table import Column

        self._console = screen(stderr=True)
        self._total = total
        self._bar = Progress(
            TextColumn(
                "[bold]{task.completed:,.0f}[/][dim]{task.fields[of]}[/]", table_column=Column(no_wrap=True)
            ),
            BarColumn(bar_width=24, table_column=Column(no_wrap=True, min_width=24)),
            TextColumn("{task.fields[pace]}", table_column=Column(no_wrap=True)),
            TextColumn(
                "[dim]{task.fields[waiting]}[/]",
                table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1),
            ),
            expand=True,
            console=self._console,
            transient=True,
            redirect_stdout=False,
        )
        self._task: TaskID | None = None

    def start(self) -> None:
        of = f"/{self._total:,}" if self._total is not None else ""
        self._task = self._bar.add_task("", total=self._total, of=of, pace="", waiting="")
        self._bar.start()

    def update(self, progress: "Progress") -> None:
        from rich.markup import escape

        if self._task is None:
            return
        pace = []
        if progress.settled and progress.rate_per_s > 0:
            pace.append(rate(progress.rate_per_s))
        if progress.eta_s is not None and progress.eta_s >= 1:
            pace.append(f"{duration(progress.eta_s)} left")
        waiting = waits(progress, shown=1)
        self._bar.update(
            self._task,
            completed=progress.settled,
            pace=" · ".join(pace),
            waiting=f"waits for {escape(waiting)}" if waiting else f"{progress.in_flight:,} under way",
        )

    def say(self, sentence: str) -> None:
        from rich.text import Text

        told = said(sentence)
        text = Text.from_ansi(told) if isinstance(sentence, Styled) else Text(told)
        self._console.print(text, soft_wrap=True)

    def stop(self) -> None:
        self._bar.stop()


def view_for(total: int | None, *, quiet: bool, results_on_screen: bool) -> ProgressView:
    """The bar only where nothing else writes to the same terminal."""
    if quiet:
        return Silent()
    if sys.stderr.isatty() and not results_on_screen:
        return Bar(total)
    return ProgressLines()
