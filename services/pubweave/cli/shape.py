"""The formats of `fetch`: each turns finished lines into text, piece by piece."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Protocol

from pubweave.contract.values import Thresholds
from pubweave.core.record import Record
from pubweave.output.json_document import JsonDocument, line
from pubweave.output.publication import Envelope, Selection, publication_object
from pubweave.output.text import between, publication_text

if TYPE_CHECKING:
    from rich.console import Console

Format = Literal["json", "jsonl", "text", "pretty"]
FORMATS: Final[tuple[Format, ...]] = ("json", "jsonl", "text", "pretty")

TABLE_ROWS: Final = 200
"""So many lines stand under one heading; a table is laid out when it is complete."""


class Shown(NamedTuple):
    """A finished line on its way out."""

    record: Record
    envelope: Envelope


class Shape(Protocol):
    """One format. The pieces together are the whole output."""

    as_finished: bool
    """Lines are wanted as they finish, not in the order of the input."""

    def begin(self) -> str: ...

    def one(self, shown: Shown) -> str: ...

    def end(self) -> str: ...


class JsonShape:
    """Chapter 18.2."""

    as_finished = False

    def __init__(self, argv: Sequence[str], selection: Selection, thresholds: Thresholds) -> None:
        self._argv, self._selection, self._thresholds = argv, selection, thresholds
        self._document = JsonDocument()

    def begin(self) -> str:
        return self._document.head(self._argv) + self._document.begin("publications")

    def one(self, shown: Shown) -> str:
        return self._document.element(
            publication_object(shown.record, self._thresholds, self._selection, shown.envelope)
        )

    def end(self) -> str:
        return self._document.end() + self._document.tail()


class JsonLinesShape:
    """One publication object a line, each as it finishes."""

    as_finished = True

    def __init__(self, selection: Selection, thresholds: Thresholds) -> None:
        self._selection, self._thresholds = selection, thresholds

    def begin(self) -> str:
        return ""

    def one(self, shown: Shown) -> str:
        return line(publication_object(shown.record, self._thresholds, self._selection, shown.envelope))

    def end(self) -> str:
        return ""


class TextShape:
    """Chapter 18.3."""

    as_finished = False

    def __init__(self, selection: Selection) -> None:
        self._selection = selection
        self._first = True

    def begin(self) -> str:
        return ""

    def one(self, shown: Shown) -> str:
        before = "" if self._first else between(self._selection)
        self._first = False
        return before + publication_text(shown.record, self._selection)

    def end(self) -> str:
        return ""


class PrettyShape:
    """For terminals: a card each, or a table where there are many."""

    as_finished = False

    def __init__(self, thresholds: Thresholds, *, console: "Console", cards: bool) -> None:
        self._thresholds, self._console, self._cards = thresholds, console, cards
        self._rows: list[Shown] = []

    def begin(self) -> str:
        return ""

    def one(self, shown: Shown) -> str:
        from pubweave.cli import pretty

        if self._cards:
            return pretty.rendered(self._console, pretty.card(shown.record, shown.envelope, self._thresholds))
        self._rows.append(shown)
        return self._table() if len(self._rows) >= TABLE_ROWS else ""

    def _table(self) -> str:
        from pubweave.cli import pretty

        rows, self._rows = self._rows, []
        return pretty.rendered(self._console, pretty.table(rows, self._thresholds))

    def end(self) -> str:
        from pubweave.cli import pretty

        if self._cards:
            return ""
        return (self._table() if self._rows else "") + pretty.LEGEND + "\n"


def format_of(given: str | None, out: str | None) -> Format:
    """What was asked for; else what the file's name says; else pretty on a terminal and text elsewhere."""
    for name in FORMATS:
        if given == name or (given is None and out is not None and out.lower().endswith(f".{name}")):
            return name
    if given is None and out is None and sys.stdout.isatty():
        return "pretty"
    return "text"
