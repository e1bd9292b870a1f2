"""JSON: one document as chapter 18.2 has it, or one object a line."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from pubweave.core.record import Record
from pubweave.core.webpage_record import WebpageRecord
from pubweave.output.json_document import JsonDocument, line
from pubweave.output.publication import Envelope, Selection, identifiers_object, publication_object
from pubweave.output.webpage import webpage_object
from pubweave.output.writer import (
    ADDRESSES,
    EVERY_LIST,
    HOSTS,
    LIST_NAMES,
    PAGES,
    DocumentFrame,
    ListName,
    PageKind,
    Piece,
    Writer,
)


class JsonWriter(Writer):
    """Chapter 18.2: `version`, `argv`, then the lists that were asked for, each at its place even if it is empty."""

    name = "json"
    sentence = "one JSON document, as specified"
    suffixes = (".json",)
    media_type = "application/json"
    holds = EVERY_LIST

    def __init__(self, selection: Selection, frame: DocumentFrame | None = None) -> None:
        super().__init__(selection, frame)
        self._document = JsonDocument()
        self._waiting = [name for name in LIST_NAMES if name in self.frame.lists]
        self._open: ListName | None = None

    def begin(self) -> Iterator[Piece]:
        yield self._document.head(self.frame.argv)

    def _into(self, wanted: ListName) -> Iterator[Piece]:
        """Go on to a list; those that were passed by are empty.

        :raises ValueError: the list is over, or nobody asked for it
        """
        while self._open != wanted:
            if wanted not in self._waiting:
                raise ValueError(f"{wanted} is over already, or is not among the lists of the frame")
            yield from self._next()

    def _next(self) -> Iterator[Piece]:
        yield from self._close()
        self._open = self._waiting.pop(0)
        yield self._document.begin(self._open)

    def _close(self) -> Iterator[Piece]:
        if self._open is not None:
            yield self._document.end()
            self._open = None

    def _element(self, wanted: ListName, value: Mapping[str, Any] | str) -> Iterator[Piece]:
        yield from self._into(wanted)
        yield self._document.element(value)

    def publication(self, record: Record, envelope: Envelope | None = None) -> Iterator[Piece]:
        return self._element(
            "publications", publication_object(record, self.frame.thresholds, self.selection, envelope)
        )

    def webpage(self, record: WebpageRecord, kind: PageKind) -> Iterator[Piece]:
        return self._element(
            PAGES[kind], webpage_object(record, self.frame.thresholds, plain=self.selection.plain)
        )

    def identifiers(self, record: Record) -> Iterator[Piece]:
        return self._element("publicationIds", identifiers_object(record, plain=self.selection.plain))

    def address(self, start_url: str, kind: PageKind) -> Iterator[Piece]:
        return self._element(ADDRESSES[kind], start_url)

    def hosts(
        self, kind: Literal["publication", "webpage", "doc"], counts: Iterable[tuple[str, int]]
    ) -> Iterator[Piece]:
        yield from self._into(HOSTS[kind])
        for host, count in counts:
            yield self._document.element({"count": count, "host": host})

    def end(self) -> Iterator[Piece]:
        while self._waiting:
            yield from self._next()
        yield from self._close()
        yield self._document.tail()


class JsonLinesWriter(Writer):
    """One object a line, the same as an element of the JSON document's lists; what no list tells is said by a
    last member `kind` (`webpage` or `doc`)."""

    name = "jsonl"
    sentence = "one JSON object a line, each as it finishes"
    suffixes = (".jsonl", ".ndjson")
    media_type = "application/jsonl"
    holds = EVERY_LIST
    as_finished = True

    def begin(self) -> Iterator[Piece]:
        yield from ()

    def publication(self, record: Record, envelope: Envelope | None = None) -> Iterator[Piece]:
        yield line(publication_object(record, self.frame.thresholds, self.selection, envelope))

    def webpage(self, record: WebpageRecord, kind: PageKind) -> Iterator[Piece]:
        shown = webpage_object(record, self.frame.thresholds, plain=self.selection.plain)
        yield line(shown | {"kind": kind})

    def identifiers(self, record: Record) -> Iterator[Piece]:
        yield line(identifiers_object(record, plain=self.selection.plain))

    def address(self, start_url: str, kind: PageKind) -> Iterator[Piece]:
        yield line({"kind": kind, "startUrl": start_url})

    def hosts(
        self, kind: Literal["publication", "webpage", "doc"], counts: Iterable[tuple[str, int]]
    ) -> Iterator[Piece]:
        for host, count in counts:
            yield line({"kind": kind, "count": count, "host": host})

    def end(self) -> Iterator[Piece]:
        yield from ()
