"""The formats of `fetch`: each turns finished lines into pieces of output."""

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from pubweave.contract.values import Thresholds
from pubweave.core.record import Record
from pubweave.output.publication import Envelope

if TYPE_CHECKING:
    from rich.console import Console

    from pubweave.output.writer import Piece, Writer

TABLE_ROWS: Final = 200
"""So many lines stand under one heading; a table is laid out when it is complete."""


class ShownLine(NamedTuple):
    """A finished line on its way out."""

    record: Record
    envelope: Envelope


class Shape(Protocol):
    """One format. The pieces together are the whole output."""

    as_finished: bool
    """Lines are wanted as they finish, not in the order of the input."""

    def wants_document(self, record: Record) -> bool:
        """The structured document of its full text is shown, if the envelope brings it."""

    def begin(self) -> "Iterator[Piece]": ...

    def one(self, shown: ShownLine) -> "Iterator[Piece]": ...

    def end(self) -> "Iterator[Piece]": ...


class WriterShape:
    """One of the formats of `output.formats`."""

    def __init__(self, writer: "Writer") -> None:
        self._writer = writer
        self.as_finished = writer.as_finished

    def wants_document(self, record: Record) -> bool:
        return self._writer.wants_document(record)

    def begin(self) -> "Iterator[Piece]":
        return self._writer.begin()

    def one(self, shown: ShownLine) -> "Iterator[Piece]":
        return self._writer.publication(shown.record, shown.envelope)

    def end(self) -> "Iterator[Piece]":
        return self._writer.end()


class PrettyShape:
    """For terminals: a card each, or a table where there are many."""

    as_finished = False

    def __init__(self, thresholds: Thresholds, *, console: "Console", cards: bool) -> None:
        self._thresholds, self._console, self._cards = thresholds, console, cards
        self._rows: list[ShownLine] = []

    def wants_document(self, record: Record) -> bool:
        return False

    def begin(self) -> "Iterator[Piece]":
        yield from ()

    def one(self, shown: ShownLine) -> "Iterator[Piece]":
        from pubweave.cli import pretty

        if self._cards:
            yield pretty.rendered(self._console, pretty.card(shown.record, shown.envelope, self._thresholds))
            return
        self._rows.append(shown)
        if len(self._rows) >= TABLE_ROWS:
            yield self._table()

    def _table(self) -> str:
        from pubweave.cli import pretty

        rows, self._rows = self._rows, []
        return pretty.rendered(self._console, pretty.table(rows, self._thresholds))

    def end(self) -> "Iterator[Piece]":
        from pubweave.cli import pretty

        if self._cards:
            return
        if self._rows:
            yield self._table()
        yield pretty.LEGEND + "\n"


def format_of(given: str | None, out: str | None) -> str:
    """What was asked for; else what the file's name says; else pretty on a terminal and text elsewhere."""
    from pubweave.output.formats import format_of_file

    named = given or (format_of_file(out) if out is not None else "")
    if not named and out is not None and out.lower().endswith(".pretty"):
        return "pretty"
    return named or ("pretty" if out is None and sys.stdout.isatty() else "text")
