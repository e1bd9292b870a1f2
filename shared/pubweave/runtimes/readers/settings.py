"""How many processes read, what bounds them, and what they are given to read."""

import os
from pathlib import Path
from typing import Final

import msgspec

from pubweave.contract.resources import DECLARATIONS
from pubweave.contract.vocabulary import ResourceName

DEAR: Final[frozenset[ResourceName]] = frozenset(one.name for one in DECLARATIONS if one.slow_to_read)
"""Resources that read web pages and JATS: parsing, judging and cleaning them takes long for their length."""


class ReadersSettings(msgspec.Struct, frozen=True):
    """Bounds hold for one reply, unless a sentence says otherwise."""

    workers: int = 0
    """Processes that read side by side; 0: as many as there are processors but one, and at least one."""
    cpu_s: int = 30
    """Processor time."""
    deadline_s: float = 60.0
    """Time by the clock, waiting for a free process not counted."""
    memory_mb: int = 1_024
    """Address space of a process, in units of 2^20 bytes; the interpreter and its libraries take about 60. Half of what
    the container may use, where that is less."""
    steps_per_worker: int = 5_000
    """After so many a process is replaced, so that what it leaked is given back."""
    dear_bytes: int = 8 * 1024
    """From this length a page or a full text is read beside: it takes several times as long as handing it over
    (docs/performance.md)."""
    long_bytes: int = 128 * 1024
    """The same for everything else, most of which is read about as fast as it is handed over."""
    resident_mb: int = 96
    """A process that holds more when it has read a reply is replaced, unless it has read fewer than `steps_at_least`."""
    steps_at_least: int = 200
    quarantine: Path | None = None
    """Folder for replies that killed their process, with the reason; None: they are remembered until the end of
    this process, without their bytes."""

    @property
    def processes(self) -> int:
        """How many there are at most."""
        return self.workers or max(1, processors() - 1)

    @property
    def bound_mb(self) -> int:
        """How much address space a process really has. Where a container has too little, all its processes are ended."""
        limit = allowed("memory.max")[0]
        return self.memory_mb if limit is None else min(self.memory_mb, limit // 2 >> 20)


def processors() -> int:
    """How many this process may use, in a container as many as that has."""
    try:
        found = len(os.sched_getaffinity(0))
    except AttributeError:  # not every system tells
        found = os.cpu_count() or 1
    quota, period = (*allowed("cpu.max"), None)[:2]
    return found if quota is None or period is None else min(found, max(1, quota // period))


def allowed(name: str, folder: Path = Path("/sys/fs/cgroup")) -> tuple[int | None, ...]:
    """A limit of the container, as Linux's control groups (version 2) tell it; None: there is none."""
    try:
        words = (folder / name).read_text(encoding="ascii").split()
    except OSError:
        return (None,)
    return tuple(int(word) if word.isdecimal() else None for word in words) or (None,)
