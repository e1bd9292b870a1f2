"""Crossref's works (JSON of api.crossref.org/works): every member may be missing, and an odd work costs itself only."""

import re
from collections.abc import Mapping
from typing import Final

import msgspec

from pubweave.core.reading.dates import UNKNOWN, date_parts_ms
from pubweave.core.reading.jats.plain import MalformedJats, articles, parse_xml, read_plain
from pubweave.core.reading.layout import without_markup

_PREFIX: Final = re.compile(r"(</?)\w{1,20}:")
"""`<jats:p>`, `<ns3:p>`: the prefixes are declared nowhere."""

_HEADINGS: Final = frozenset({"abstract", "summary"})


class MalformedReply(Exception):
    """The reply holds no works; the text says what is wrong."""


class CrossrefDate(msgspec.Struct, frozen=True, rename="kebab"):
    date_parts: tuple[tuple[int | None, ...], ...] = ()

    @property
    def ms(self) -> int:
        """UNIX ms of 00:00 UTC; `UNKNOWN` where not even the year is said."""
        parts = ["" if part is None else str(part) for part in (self.date_parts or ((),))[0][:3]]
        return date_parts_ms(*parts, *[""] * (3 - len(parts)))


class Tie(msgspec.Struct, frozen=True, rename="kebab"):
    """A relation to another work."""

    id_type: str = ""
    id: str = ""


class Update(msgspec.Struct, frozen=True):
    """A retraction, correction or the like."""

    doi: str = msgspec.field(default="", name="DOI")
    type: str = ""


class Deposited(msgspec.Struct, frozen=True, rename="kebab"):
    """A work as its publisher deposited it."""

    doi: str = msgspec.field(name="DOI")
    type: str = ""
    subtype: str | None = None
    title: tuple[str, ...] | None = None
    abstract: str | None = None
    container_title: tuple[str, ...] | None = None
    published: CrossrefDate | None = None
    issued: CrossrefDate | None = None
    posted: CrossrefDate | None = None
    is_referenced_by_count: int = -1
    relation: Mapping[str, tuple[Tie, ...]] | None = None
    update_to: tuple[Update, ...] | None = None
    updated_by: tuple[Update, ...] | None = None

    @property
    def plain_title(self) -> str:
        return _first(self.title)

    @property
    def journal(self) -> str:
        return _first(self.container_title)

    @property
    def plain_abstract(self) -> str:
        return read_abstract(self.abstract or "")

    @property
    def is_bare(self) -> bool:
        """Nothing but the DOI is there."""
        return not (self.title or self.abstract or self.container_title or self.published_ms != UNKNOWN)

    @property
    def published_ms(self) -> int:
        """When it came out first, in print or online."""
        dates = (date.ms for date in (self.published, self.issued, self.posted) if date is not None)
        return next((ms for ms in dates if ms != UNKNOWN), UNKNOWN)


class _List(msgspec.Struct, frozen=True):
    items: tuple[msgspec.Raw, ...]


class _ListReply(msgspec.Struct, frozen=True):
    message: _List


class _OneReply(msgspec.Struct, frozen=True):
    message: msgspec.Raw


_LIST: Final = msgspec.json.Decoder(_ListReply)
_ONE: Final = msgspec.json.Decoder(_OneReply)
_WORK: Final = msgspec.json.Decoder(Deposited)


def read_list(body: bytes) -> list[Deposited]:
    """The works of a list. One that is not what it should be is left out, as if the list had not named it.

    :raises MalformedReply: no list
    """
    try:
        items = _LIST.decode(body).message.items
    except msgspec.MsgspecError as problem:
        raise MalformedReply(str(problem)) from problem
    found = []
    for item in items:
        try:
            found.append(_WORK.decode(item))
        except msgspec.MsgspecError:
            continue
    return found


def read_one(body: bytes) -> Deposited:
    """:raises MalformedReply: no work"""
    try:
        return _WORK.decode(_ONE.decode(body).message)
    except msgspec.MsgspecError as problem:
        raise MalformedReply(str(problem)) from problem


def _first(texts: tuple[str, ...] | None) -> str:
    """Titles are lists; the first is the work's own, others are translations."""
    return next((plain for text in texts or () if (plain := without_markup(text))), "")


def read_abstract(markup: str) -> str:
    """An abstract, which is a piece of JATS, as text: a paragraph each, without the heading "Abstract"."""
    if "<" not in markup:
        return without_markup(markup)
    abstract = _PREFIX.sub(r"\1", markup)
    article = (
        f"<article><front><article-meta><abstract>{abstract}</abstract></article-meta></front></article>"
    )
    try:
        (read,) = articles(parse_xml(article.encode()))
    except (MalformedJats, ValueError):
        return without_markup(markup)
    paragraphs = [without_markup(text) for text in read_plain(read).abstract.split("\n\n")]
    if paragraphs and paragraphs[0].strip(".: ").casefold() in _HEADINGS:
        del paragraphs[0]
    return "\n\n".join(filter(None, paragraphs))
