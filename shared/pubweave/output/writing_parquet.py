"""Parquet for data frames and query engines: typed columns, nested parts, in row groups as they fill.

Needs the extra `parquet` (pyarrow, Apache-2.0, about 170 MB installed).
"""

import io
from collections.abc import Iterator
from typing import Any, Final

from pubweave.core.record import Record
from pubweave.core.webpage_record import WebpageRecord
from pubweave.output.publication import (
    LISTS,
    Envelope,
    Selection,
    identifiers_object,
    json_key,
    publication_object,
)
from pubweave.output.webpage import webpage_object
from pubweave.output.writer import DocumentFrame, NotInThisFormat, PageKind, Piece, Writer

_ROWS: Final = 1_000
_CHARACTERS: Final = 16 << 20
"""A row group is written when it has so many rows, or so much text."""


class _Pieces(io.RawIOBase):
    """What pyarrow writes, until somebody takes it."""

    def __init__(self) -> None:
        self._waiting: list[bytes] = []
        self._written = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._waiting.append(bytes(data))
        self._written += len(self._waiting[-1])
        return len(self._waiting[-1])

    def tell(self) -> int:
        return self._written

    def take(self) -> Iterator[bytes]:
        waiting, self._waiting = self._waiting, []
        yield from waiting


class ParquetWriter(Writer):
    """Columns are the members of JSON's objects, times are timestamps, parts and terms are nested."""

    name = "parquet"
    sentence = "typed columns for data frames"
    suffixes = (".parquet", ".pq")
    media_type = "application/vnd.apache.parquet"
    holds = frozenset({"publications", "webpages", "docs", "publicationIds"})
    one_list = True
    binary = True
    extra = "parquet"

    def __init__(self, selection: Selection, frame: DocumentFrame | None = None) -> None:
        """:raises NotInThisFormat: the extra is not installed"""
        super().__init__(selection, frame)
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise NotInThisFormat(
                "parquet needs an extra; pip install 'pubweave[parquet]' installs it"
            ) from None
        self._arrow: Any = pyarrow
        self._sink = _Pieces()
        self._schema = _schema(pyarrow, self.frame.lists[0], selection)
        self._writer: Any = None
        self._rows: list[dict[str, Any]] = []
        self._characters = 0

    def begin(self) -> Iterator[Piece]:
        self._writer = self._arrow.parquet.ParquetWriter(self._sink, self._schema, compression="zstd")
        yield from self._sink.take()

    def _row(self, row: dict[str, Any], characters: int) -> Iterator[Piece]:
        self._rows.append(row)
        self._characters += characters
        if len(self._rows) >= _ROWS or self._characters >= _CHARACTERS:
            yield from self._group()

    def _group(self) -> Iterator[Piece]:
        if self._rows:
            self._writer.write_table(self._arrow.Table.from_pylist(self._rows, schema=self._schema))
        self._rows, self._characters = [], 0
        yield from self._sink.take()

    def publication(self, record: Record, envelope: Envelope | None = None) -> Iterator[Piece]:
        row = publication_object(record, self.frame.thresholds, self.selection, envelope)
        size = sum(len(part.text) for _, part in record.parts())
        return self._row(_without_human(row), size)

    def webpage(self, record: WebpageRecord, kind: PageKind) -> Iterator[Piece]:
        row = webpage_object(record, self.frame.thresholds, plain=self.selection.plain)
        return self._row(_without_human(row), len(record.content))

    def identifiers(self, record: Record) -> Iterator[Piece]:
        return self._row(identifiers_object(record, plain=self.selection.plain), 0)

    def end(self) -> Iterator[Piece]:
        yield from self._group()
        self._writer.close()
        yield from self._sink.take()


def _without_human(value: dict[str, Any]) -> dict[str, Any]:
    """Without the second spelling of times, which are of their own type here; lone surrogates as `?`."""
    return {name: _clean(inner) for name, inner in value.items() if not name.endswith("Human")}


def _clean(value: Any) -> Any:
    match value:
        case str():
            return value if value.isascii() else value.encode(errors="replace").decode()
        case dict():
            return _without_human(value)
        case list():
            return [_clean(inner) for inner in value]
        case _:
            return value


def _schema(arrow: Any, wanted: str, selection: Selection) -> Any:
    text, flag, number = arrow.string(), arrow.bool_(), arrow.int64()
    time = arrow.timestamp("ms", tz="UTC")

    def struct(**fields: Any) -> Any:
        return arrow.struct(list(fields.items()))

    def content(name: str) -> Any:
        match name:
            case "keywords":
                return arrow.list_(text)
            case "mesh":
                return arrow.list_(struct(term=text, majorTopic=flag, uniqueId=text))
            case "efo" | "go":
                return arrow.list_(struct(term=text, count=number, uri=text))
            case _:
                return text

    def part(name: str) -> Any:
        return struct(
            **{"list" if name in LISTS else "content": content(name)},
            type=text,
            url=text,
            timestamp=time,
            size=number,
            empty=flag,
            usable=flag,
            final=flag,
        )

    if wanted == "publicationIds":
        names = identifiers_object(Record(publication=""), plain=selection.plain)
        return arrow.schema([(name, text) for name in names])
    if wanted in ("webpages", "docs"):
        fields = {"startUrl": text, "title": text, "content": text}
        if not selection.plain:
            fields = {
                "fetchTime": time,
                "retryCounter": number,
                "fetchException": flag,
                "startUrl": text,
                "finalUrl": text,
                "contentType": text,
                "statusCode": number,
                "contentTime": time,
                "license": text,
                "language": text,
                "titleLength": number,
                "contentLength": number,
                "title": text,
                **dict.fromkeys(("empty", "usable", "final", "broken"), flag),
                "content": text,
                "pubweave": struct(outcome=text, evidence=text, rulesVersion=text),
            }
        return arrow.schema(list(fields.items()))
    parts = {json_key(name): (content if selection.plain else part)(name) for name in selection.shown_parts}
    if not selection.with_fields:
        return arrow.schema(list(parts.items()))
    fields = {
        "fetchTime": time,
        "retryCounter": number,
        "fetchException": flag,
        "oa": flag,
        "journalTitle": text,
        "pubDate": time,
        "citationsCount": number,
        "citationsTimestamp": time,
        "correspAuthor": arrow.list_(struct(name=text, orcid=text, email=text, phone=text, uri=text)),
        "visitedSites": arrow.list_(struct(**{"url": text, "type": text, "from": text, "timestamp": time})),
        **dict.fromkeys(("empty", "usable", "final", "totallyFinal"), flag),
    }
    ours = struct(
        publication=text,
        version=number,
        reason=text,
        known=flag,
        preprint=flag,
        relations=arrow.list_(struct(kind=text, source=text, id=text, doi=text)),
        notices=arrow.list_(struct(kind=text, source=text, id=text, reference=text)),
        submission=struct(
            line=number, pmid=text, pmcid=text, doi=text, outcome=text, note=text, correlationId=text
        ),
    )
    return arrow.schema([*fields.items(), *parts.items(), ("pubweave", ours)])
