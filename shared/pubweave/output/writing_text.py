"""Plain text, entry after entry (chapter 18.3)."""

from collections.abc import Iterable, Iterator
from typing import Literal

from pubweave.core.record import Record
from pubweave.core.webpage_record import WebpageRecord
from pubweave.output.publication import Envelope
from pubweave.output.text import SEPARATOR, between, identifiers_text, publication_text
from pubweave.output.webpage import between_webpages, webpage_text
from pubweave.output.writer import EVERY_LIST, PageKind, Piece, Writer


class TextWriter(Writer):
    """A line between two entries, unless each of both is one line (F-TXT-06)."""

    name = "text"
    sentence = "plain text, for people and line tools"
    suffixes = (".txt", ".text")
    media_type = "text/plain"
    holds = EVERY_LIST

    _before = ""
    """What the next entry has to set itself off from."""

    def begin(self) -> Iterator[Piece]:
        yield from ()

    def _entry(self, text: str, between: str) -> Iterator[Piece]:
        yield self._before + text
        self._before = between

    def publication(self, record: Record, envelope: Envelope | None = None) -> Iterator[Piece]:
        return self._entry(publication_text(record, self.selection, envelope), between(self.selection))

    def webpage(self, record: WebpageRecord, kind: PageKind) -> Iterator[Piece]:
        return self._entry(webpage_text(record, plain=self.selection.plain), between_webpages())

    def identifiers(self, record: Record) -> Iterator[Piece]:
        yield identifiers_text(record, plain=self.selection.plain)

    def address(self, start_url: str, kind: PageKind) -> Iterator[Piece]:
        yield start_url + "\n"

    def hosts(
        self, kind: Literal["publication", "webpage", "doc"], counts: Iterable[tuple[str, int]]
    ) -> Iterator[Piece]:
        """F-TOP-01; the three lists stand apart when several are printed."""
        lines = "".join(f"{host}\t{count}\n" for host, count in counts)
        return self._entry(lines, f"{SEPARATOR}\n")

    def end(self) -> Iterator[Piece]:
        yield from ()
