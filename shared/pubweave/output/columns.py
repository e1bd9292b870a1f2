"""Publications and web pages as rows of a table: one column a value, names as in JSON."""

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from pubweave.contract.values import Thresholds
from pubweave.contract.vocabulary import PartName
from pubweave.core.record import Part, Record
from pubweave.core.webpage_record import WebpageRecord
from pubweave.output.authors import author_words
from pubweave.output.publication import LISTS, Envelope, Selection, json_key
from pubweave.output.text import elements
from pubweave.output.times import date, instant

Cell: TypeAlias = str | int | bool | None
"""None: not known."""


class PublicationRow(NamedTuple):
    """What the columns of a publication are made of."""

    record: Record
    envelope: Envelope
    thresholds: Thresholds


class Column(NamedTuple):
    name: str
    of: Callable[[PublicationRow], Cell]


class PageColumn(NamedTuple):
    name: str
    of: Callable[[WebpageRecord, Thresholds], Cell]


def _when(unix_ms: int) -> Cell:
    return instant(unix_ms) if unix_ms > 0 else None


def _listed(texts: list[str]) -> str:
    return "; ".join(texts)


def _content(name: PartName, *, plain: bool) -> Callable[[PublicationRow], Cell]:
    """The content; elements of a list are divided by `; ` (with metadata as in text output)."""
    if name in LISTS:
        return lambda row: _listed(elements(name, row.record.part(name), plain=plain))
    return lambda row: row.record.part(name).text


def _of_part(name: PartName, read: Callable[[Part], Cell]) -> Callable[[PublicationRow], Cell]:
    return lambda row: read(row.record.part(name))


def _part_columns(name: PartName, *, plain: bool) -> list[Column]:
    key = json_key(name)
    columns = [Column(key, _content(name, plain=plain))]
    if not plain:
        columns += [
            Column(f"{key}Type", _of_part(name, lambda part: part.type)),
            Column(f"{key}Url", _of_part(name, lambda part: part.url)),
            Column(f"{key}Time", _of_part(name, lambda part: _when(part.timestamp))),
        ]
    return columns


_FIELDS: Final[tuple[Column, ...]] = (
    Column("oa", lambda row: row.record.oa),
    Column("preprint", lambda row: row.record.preprint),
    Column("journalTitle", lambda row: row.record.journal_title),
    Column("pubDate", lambda row: date(row.record.pub_date) if row.record.pub_date != -1 else None),
    Column(
        "citationsCount", lambda row: row.record.citations_count if row.record.citations_count >= 0 else None
    ),
    Column("citationsTime", lambda row: _when(row.record.citations_timestamp)),
    Column("correspAuthor", lambda row: _listed(list(map(author_words, row.record.corresp_author)))),
    Column("notices", lambda row: _listed([notice.kind for notice in row.record.notices])),
    Column("visitedSites", lambda row: " ".join(site.url for site in row.record.visited_sites)),
    Column("empty", lambda row: row.record.is_empty()),
    Column("usable", lambda row: row.record.is_usable(row.thresholds)),
    Column("final", lambda row: row.record.is_final(row.thresholds)),
    Column("totallyFinal", lambda row: row.record.is_totally_final(row.thresholds)),
    Column("fetchTime", lambda row: _when(row.record.fetch_time)),
    Column("retryCounter", lambda row: row.record.retry_counter),
    Column("fetchException", lambda row: row.record.fetch_exception),
    Column("publication", lambda row: row.record.publication),
    Column("version", lambda row: row.envelope.version or None),
    Column("outcome", lambda row: row.envelope.outcome or None),
)


def publication_columns(selection: Selection) -> list[Column]:
    """The chosen parts, each with type, address and time unless plain; then the fields."""
    columns = [
        column for name in selection.shown_parts for column in _part_columns(name, plain=selection.plain)
    ]
    return [*columns, *(_FIELDS if selection.with_fields else ())]


_PLAIN_PAGE: Final[tuple[PageColumn, ...]] = (
    PageColumn("startUrl", lambda page, _: page.start_url),
    PageColumn("title", lambda page, _: page.title),
    PageColumn("content", lambda page, _: page.content),
)
_PAGE: Final[tuple[PageColumn, ...]] = (
    _PLAIN_PAGE[0],
    PageColumn("finalUrl", lambda page, _: page.final_url),
    PageColumn("contentType", lambda page, _: page.content_type),
    PageColumn("statusCode", lambda page, _: page.status_code or None),
    *_PLAIN_PAGE[1:],
    PageColumn("contentTime", lambda page, _: _when(page.content_time)),
    PageColumn("license", lambda page, _: page.license),
    PageColumn("language", lambda page, _: page.language),
    PageColumn("empty", lambda page, _: page.is_empty()),
    PageColumn("usable", lambda page, usual: page.is_usable(usual.webpageMinLength)),
    PageColumn("final", lambda page, usual: page.is_final(usual.webpageMinLength)),
    PageColumn("broken", lambda page, _: page.is_broken()),
    PageColumn("fetchTime", lambda page, _: _when(page.fetch_time)),
    PageColumn("retryCounter", lambda page, _: page.retry_counter),
    PageColumn("fetchException", lambda page, _: page.fetch_exception),
)


def page_columns(selection: Selection) -> tuple[PageColumn, ...]:
    return _PLAIN_PAGE if selection.plain else _PAGE
