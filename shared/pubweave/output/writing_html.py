"""HTML for people (chapter 18.4): one self-contained page, entry after entry."""

from collections.abc import Iterable, Iterator
from typing import Literal

from pubweave.contract.vocabulary import IDENTIFIER_KINDS
from pubweave.core.record import Record
from pubweave.core.webpage_record import WebpageRecord
from pubweave.output.html_entries import (
    address_item,
    identifiers_item,
    identifiers_row,
    publication_html,
    webpage_html,
)
from pubweave.output.html_escape import escape_text
from pubweave.output.html_page import head, tail
from pubweave.output.publication import Envelope
from pubweave.output.writer import EVERY_LIST, PageKind, Piece, Writer

_ENDS = {"table": "</table></div>\n", "ul": "</ul>\n", "": ""}


class HtmlWriter(Writer):
    """Rows of identifiers share a table, items a list; everything else is an article."""

    name = "html"
    sentence = "one page for the browser, with search"
    suffixes = (".html", ".htm")
    media_type = "text/html"
    holds = EVERY_LIST

    _entries = 0
    _open = ""
    """`table` or `ul`, while one is open."""

    def wants_document(self, record: Record) -> bool:
        structured = record.fulltext.document is not None
        return structured and not self.selection.plain and "fulltext" in self.selection.shown_parts

    def begin(self) -> Iterator[Piece]:
        yield head(self.frame.title)

    def _inside(self, element: str, start: str = "") -> str:
        """What closes what is open and opens `element`, unless that is open already."""
        if self._open == element:
            return ""
        ended, self._open = _ENDS[self._open], element
        return ended + start

    def _row(self, record: Record, kinds: Iterable[str]) -> str:
        start = '<div class="scroll"><table class="wide"><tr><th>PMID</th><th>PMCID</th><th>DOI</th></tr>\n'
        return self._inside("table", start) + identifiers_row(record, kinds)

    def publication(self, record: Record, envelope: Envelope | None = None) -> Iterator[Piece]:
        chosen = self.selection.parts
        if self.selection.plain and chosen and all(name in IDENTIFIER_KINDS for name in chosen):
            yield self._row(record, chosen)  # F-HTML-02
            return
        self._entries += 1
        yield self._inside("") + publication_html(record, self.selection, self._entries, envelope)

    def webpage(self, record: WebpageRecord, kind: PageKind) -> Iterator[Piece]:
        self._entries += 1
        yield self._inside("") + webpage_html(record, plain=self.selection.plain, number=self._entries)

    def identifiers(self, record: Record) -> Iterator[Piece]:
        if self.selection.plain:
            yield self._row(record, IDENTIFIER_KINDS)
        else:
            yield self._inside("ul", "<ul>\n") + identifiers_item(record)

    def address(self, start_url: str, kind: PageKind) -> Iterator[Piece]:
        yield self._inside("ul", "<ul>\n") + address_item(start_url)

    def hosts(
        self, kind: Literal["publication", "webpage", "doc"], counts: Iterable[tuple[str, int]]
    ) -> Iterator[Piece]:
        words = {"publication": "publications", "webpage": "web pages", "doc": "docs"}
        yield self._inside("")
        yield f"<table><caption>Hosts of {words[kind]}</caption>"
        yield '<tr><th>Host</th><th class="number">Count</th></tr>\n'
        for host, count in counts:
            yield f'<tr class="entry"><td>{escape_text(host)}</td><td class="number">{count:,}</td></tr>\n'
        yield "</table>\n"

    def end(self) -> Iterator[Piece]:
        yield self._inside("") + tail()
