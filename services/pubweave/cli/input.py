"""Everything a user submits: arguments, files and pipes; surveyed to the end before anything is done."""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import xxhash

from pubweave.cli.problems import Refused
from pubweave.contract.values import Identifiers
from pubweave.input.identifier_lines import Problem
from pubweave.input.identifier_lists import IdentifierSource, Item, items, of_arguments, opened, source_of


class GivenLine(NamedTuple):
    """One line that can be fetched."""

    number: int
    """Counted through all sources; for a single file the number of its line."""
    identifiers: Identifiers
    text: str


class Survey(NamedTuple):
    """What the first reading found."""

    good: int
    """Lines that can be fetched."""
    bad: int
    """Lines that cannot; each has been reported."""
    digest: str
    """Names this very input."""


class Input:
    """The lines of a job, in constant memory: `survey` first, then `lines`.

    What can be read only once (a pipe, standard input) is kept in a temporary file, so that an interrupted
    job is recognised when the same input comes again.

    :param report: hears a sentence for each bad line and each repaired one
    """

    def __init__(
        self, arguments: tuple[str, ...], files: Sequence[str], report: Callable[[str], None]
    ) -> None:
        self._arguments = arguments
        self._sources = [source_of(file) for file in files]
        self._report = report
        self._open = ExitStack()
        if sum(source.path is None for source in self._sources) > 1:
            raise Refused("--ids - is given twice; standard input can be read once")

    def __enter__(self) -> "Input":
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def _all(self) -> Iterator[tuple[int, Item]]:
        """Every item with its number through all sources."""
        passed = 0
        for found in (of_arguments(self._arguments), *map(items, self._sources)):
            last = passed
            for item in found:
                last = passed + item.number
                yield last, item
            passed = last

    def survey(self) -> Survey:
        """Read everything and report what is wrong.

        :raises Refused: a source cannot be read at all
        """
        self._sources = [self._readable_twice(source) for source in self._sources]
        hasher = xxhash.xxh3_128()
        good = bad = 0
        for number, item in self._all():
            hasher.update(f"{number}\0{item.text}\0".encode(errors="surrogateescape"))
            sentence = item.result.sentence if isinstance(item.result, Problem) else item.result.notice
            if sentence:
                what = "argument" if item.source == "command line" else "line"
                self._report(f"{item.source} {what} {item.number}: {sentence}")
            if isinstance(item.result, Problem):
                bad += 1
            else:
                good += 1
        return Survey(good, bad, hasher.hexdigest())

    def _readable_twice(self, source: IdentifierSource) -> IdentifierSource:
        if source.path is not None and (source.path.is_file() or not source.path.exists()):
            return source
        with opened(source) as stream:
            kept = self._open.enter_context(tempfile.NamedTemporaryFile(prefix="pubweave-"))  # noqa: SIM115
            try:
                shutil.copyfileobj(stream, kept)
                kept.flush()
            except OSError as problem:
                raise Refused(
                    f"{source.name} cannot be kept in {tempfile.gettempdir()}: "
                    f"{(problem.strerror or str(problem)).lower()}"
                ) from None
        return IdentifierSource(source.name, Path(kept.name))

    def lines(self) -> Iterator[GivenLine]:
        """What can be fetched, in order."""
        for number, item in self._all():
            if not isinstance(item.result, Problem):
                yield GivenLine(number, item.result.identifiers, item.text)
