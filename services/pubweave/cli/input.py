"""Everything a user submits: arguments, files and pipes, surveyed first where they can be read twice."""

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import xxhash

from pubweave.cli.idfile import Item, Source, items, of_arguments, source_of
from pubweave.cli.idlines import Problem
from pubweave.cli.problems import Refused
from pubweave.contract.values import Identifiers


class Given(NamedTuple):
    """One line that can be fetched."""

    number: int
    """Counted through all sources; for a single file the number of its line."""
    identifiers: Identifiers
    text: str


class Survey(NamedTuple):
    """What a first reading found."""

    lines: int | None
    """How many lines can be fetched; None where a pipe must be read to know."""
    bad: int
    digest: str
    """Names this very input; empty for one that can be read only once."""


class Input:
    """The lines of a job. `survey` first, then `lines` once.

    :param report: hears a sentence for each bad line and each repaired one
    """

    def __init__(
        self, arguments: tuple[str, ...], files: Sequence[str], report: Callable[[str], None]
    ) -> None:
        self._arguments = arguments
        self._sources = [source_of(file) for file in files]
        self._report = report
        self._open = ExitStack()
        self.bad = 0
        """Lines that cannot be fetched, so far."""
        if sum(source.path is None for source in self._sources) > 1:
            raise Refused("--ids - is given twice; standard input can be read once")

    def __enter__(self) -> "Input":
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def _twice(self, source: Source) -> bool:
        """A regular file can be read again."""
        return source.path is not None and not (source.path.exists() and not _regular(source.path))

    def survey(self, *, keep: bool) -> Survey:
        """Read through what can be read twice and report its bad lines.

        :param keep: pipes too: their bytes are kept in a temporary file
        :raises Refused: a source cannot be read at all
        """
        if keep:
            self._sources = [
                source if self._twice(source) else self._kept(source) for source in self._sources
            ]
        hasher = xxhash.xxh3_128()
        count = 0
        for item in of_arguments(self._arguments):
            count += self._look(item)
            hasher.update(f"{item.text}\0".encode(errors="surrogateescape"))
        once = False
        for source in self._sources:
            if not self._twice(source):
                once = True
                continue
            for item in items(source):
                count += self._look(item)
                hasher.update(f"{item.number}\0{item.text}\0".encode(errors="surrogateescape"))
        return Survey(None if once else count, self.bad, "" if once else hasher.hexdigest())

    def _kept(self, source: Source) -> Source:
        stream = sys.stdin.buffer if source.path is None else self._open.enter_context(source.path.open("rb"))
        kept = self._open.enter_context(tempfile.NamedTemporaryFile(prefix="pubweave-ids-"))  # noqa: SIM115
        shutil.copyfileobj(stream, kept)
        kept.flush()
        return Source(source.name, Path(kept.name))

    def _look(self, item: Item) -> bool:
        """Report what is to be reported; whether the line can be fetched."""
        at = f"{item.source} {'argument' if item.source == 'command line' else 'line'} {item.number}"
        if isinstance(item.result, Problem):
            self.bad += 1
            self._report(f"{at}: {item.result.sentence}")
            return False
        if item.result.notice:
            self._report(f"{at}: {item.result.notice}")
        return True

    def lines(self) -> Iterator[Given]:
        """What can be fetched, in order. Pipes report their bad lines now."""
        passed, last = 0, 0
        for source in (None, *self._sources):
            surveyed = source is None or self._twice(source)
            for item in of_arguments(self._arguments) if source is None else items(source):
                last = passed + item.number
                good = not isinstance(item.result, Problem) if surveyed else self._look(item)
                if good and not isinstance(item.result, Problem):
                    yield Given(last, item.result.identifiers, item.text)
            passed = last


def _regular(path: Path) -> bool:
    return path.is_file() or path.is_dir()
