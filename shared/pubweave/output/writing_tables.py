"""Tables for spreadsheets and data frames: CSV (RFC 4180) and TSV (IANA text/tab-separated-values)."""

import re
from collections.abc import Iterable, Iterator
from typing import ClassVar, Final, Literal

from pubweave.core.record import Record
from pubweave.core.webpage_record import WebpageRecord
from pubweave.output.columns import Cell, PublicationRow, page_columns, publication_columns
from pubweave.output.publication import Envelope, Selection, identifiers_object
from pubweave.output.tables import defused
from pubweave.output.text import one_line
from pubweave.output.writer import EVERY_LIST, DocumentFrame, PageKind, Piece, Writer

_QUOTE: Final = '"'
_TWICE: Final = '""'
_QUOTED: Final = re.compile('[,"\r\n]')


class CsvWriter(Writer):
    """A header, then a row an entry. One kind of entries a table; cells that would run as formulas are defused."""

    name = "csv"
    sentence = "a table for spreadsheets"
    suffixes: ClassVar[tuple[str, ...]] = (".csv",)
    media_type = "text/csv"
    holds = EVERY_LIST
    one_list = True

    def __init__(self, selection: Selection, frame: DocumentFrame | None = None) -> None:
        super().__init__(selection, frame)
        self._publication = publication_columns(selection)
        self._page = page_columns(selection)
        self._identifiers = list(identifiers_object(Record(publication=""), plain=selection.plain))

    def begin(self) -> Iterator[Piece]:
        match self.frame.lists[0]:
            case "publications":
                yield self._line(column.name for column in self._publication)
            case "webpages" | "docs":
                yield self._line(column.name for column in self._page)
            case "publicationIds":
                yield self._line(self._identifiers)
            case "webpageUrls" | "docUrls":
                yield self._line(["startUrl"])
            case _:
                yield self._line(["host", "count"])

    def publication(self, record: Record, envelope: Envelope | None = None) -> Iterator[Piece]:
        row = PublicationRow(record, envelope or Envelope(), self.frame.thresholds)
        yield self._line(column.of(row) for column in self._publication)

    def webpage(self, record: WebpageRecord, kind: PageKind) -> Iterator[Piece]:
        yield self._line(column.of(record, self.frame.thresholds) for column in self._page)

    def identifiers(self, record: Record) -> Iterator[Piece]:
        yield self._line(identifiers_object(record, plain=self.selection.plain).values())

    def address(self, start_url: str, kind: PageKind) -> Iterator[Piece]:
        yield self._line([start_url])

    def hosts(
        self, kind: Literal["publication", "webpage", "doc"], counts: Iterable[tuple[str, int]]
    ) -> Iterator[Piece]:
        for host, count in counts:
            yield self._line([host, count])

    def end(self) -> Iterator[Piece]:
        yield from ()

    def _line(self, cells: Iterable[Cell]) -> str:
        return csv_line(map(cell_text, cells))


class TsvWriter(CsvWriter):
    """As CSV, divided by tabs; tabs and line ends inside cells are spaces, for the format has no quotes."""

    name = "tsv"
    sentence = "a table for line tools"
    suffixes = (".tsv", ".tab")
    media_type = "text/tab-separated-values"

    def _line(self, cells: Iterable[Cell]) -> str:
        return "\t".join(one_line(cell_text(cell)) for cell in cells) + "\n"


def csv_line(texts: Iterable[str]) -> str:
    """One line of RFC 4180, as `csv.writer` writes it; that looks at each character of a full text by itself."""
    line = ",".join(f'"{text.replace(_QUOTE, _TWICE)}"' if _QUOTED.search(text) else text for text in texts)
    return (line or '""') + "\r\n"


def cell_text(cell: Cell) -> str:
    """A cell as text: nothing where nothing is known, `true` and `false`, formulas defused."""
    match cell:
        case None:
            return ""
        case bool():
            return "true" if cell else "false"
        case int():
            return str(cell)
        case _:
            return defused(cell)
