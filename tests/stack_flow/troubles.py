"""Processes of services, and what happens to them: kills, pauses, restarts of servers, at moments of the job."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

MEMBERS: Final[tuple[tuple[str, ...], ...]] = (
    ("merger", "materialiser", "europepmc", "pmc", "doi", "pdf"),
    ("merger", "scheduler", "europepmc_mined", "pubmed_html", "unpaywall", "links", "pdf_reader"),
    ("fetcher", "pdf_reader", "renderer", "pubmed_xml", "europepmc", "links"),
    ("fetcher", "materialiser", "europepmc_fulltext", "pubmed_xml", "doi", "renderer"),
)
"""Four processes; most services run in two of them."""

SCALED: Final = ("europepmc_fulltext",)
"""What is run by three processes for a while."""

SESSION_TIMEOUT_S: Final = 10.0


class Trouble(NamedTuple):
    """Something that happens when so many events have been said."""

    at: int
    what: str
    """kill, pause, kafka, cassandra, more, fewer"""
    whom: int = 0
    """Which of the processes."""


def drawn(seed: int, events: int, *, kills: int, pauses: int, others: Sequence[str] = ()) -> list[Trouble]:
    """Moments spread over all phases of a job of so many events, in order.

    :param others: what else happens, in this order
    """
    rng = random.Random(seed)
    whats = ["kill"] * kills + ["pause"] * pauses
    rng.shuffle(whats)
    first, last = events // 50, events * 3 // 4
    found = [Trouble(rng.randrange(first, last), what, rng.randrange(len(MEMBERS))) for what in whats]
    moments = sorted(rng.randrange(first, last) for _ in others)
    found += [Trouble(at, what) for at, what in zip(moments, others, strict=True)]
    return sorted(found)


class Members:
    """Processes of services. One that ends by itself is started again, as every supervisor does."""

    def __init__(self, arguments: Sequence[str], environment: dict[str, str], folder: Path) -> None:
        self._arguments = list(arguments)
        tests = str(Path(__file__).parents[1])
        path = os.pathsep.join(filter(None, [tests, os.environ.get("PYTHONPATH", "")]))
        self._environment = {**os.environ, **environment, "PYTHONPATH": path}
        self._folder = folder
        self._running: list[subprocess.Popen[bytes]] = []
        self._ending: list[subprocess.Popen[bytes]] = []
        self._services: list[tuple[str, ...]] = []
        self._paused: set[int] = set()
        self.ended_by_themselves = 0

    def start(self, services: Sequence[str]) -> None:
        self._services.append(tuple(services))
        self._running.append(self._spawn(len(self._running)))

    def _spawn(self, number: int) -> "subprocess.Popen[bytes]":
        with (self._folder / f"member-{number}.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "stack_flow.member", *self._arguments, *self._services[number]],
                env=self._environment,
                stdout=log,
                stderr=log,
            )

    def kill(self, number: int) -> None:
        """Kill it and start another in its place."""
        self._running[number].send_signal(signal.SIGKILL)
        self._running[number].wait()
        self._paused.discard(number)
        self._running[number] = self._spawn(number)

    def pause(self, number: int) -> None:
        self._paused.add(number)
        self._running[number].send_signal(signal.SIGSTOP)

    def resume(self, number: int) -> None:
        """It goes on with what it was at, though its partitions are others' now."""
        if number in self._paused:
            self._paused.discard(number)
            self._running[number].send_signal(signal.SIGCONT)

    def end_last(self) -> None:
        """Ask the one started last to end."""
        self._services.pop()
        process = self._running.pop()
        process.send_signal(signal.SIGTERM)
        self._ending.append(process)

    def look_after(self) -> None:
        """Start again what has ended."""
        for number, process in enumerate(self._running):
            if process.poll() is not None:
                self.ended_by_themselves += 1
                self._running[number] = self._spawn(number)

    def end(self) -> None:
        for process in (*self._running, *self._ending):
            process.send_signal(signal.SIGKILL)
            process.wait()

    def said(self) -> str:
        """The ends of what they wrote."""
        return "\n".join(
            f"{log.name}: " + "\n".join(log.read_text(errors="replace").splitlines()[-15:])
            for log in sorted(self._folder.glob("member-*.log"))
        )


@contextmanager
def members(
    arguments: Sequence[str],
    environment: dict[str, str],
    folder: Path,
    which: Sequence[Sequence[str]] = MEMBERS,
) -> Iterator[Members]:
    made = Members(arguments, environment, folder)
    try:
        for services in which:
            made.start(services)
        yield made
    finally:
        made.end()
