"""What reading a page gives, in the order in which the merger is to fold it."""

from __future__ import annotations

import msgspec

from pubweave.contract.findings import Mark
from pubweave.contract.values import CorrespAuthor, Link, Note
from pubweave.contract.vocabulary import IdentifierKind, PartName, TypeName
from pubweave.core.reading.rules.model import Tried


class IdentifierRead(msgspec.Struct, frozen=True):
    """An identifier, valid and as it is stored. `source`: the rule key or meta tag it comes from."""

    kind: IdentifierKind
    value: str
    type: TypeName
    source: str
    marks: tuple[Mark, ...] = ()


class PartRead(msgspec.Struct, frozen=True):
    """A part's content: a text, or for keywords the list. `source` as above."""

    part: PartName
    content: str | tuple[str, ...]
    type: TypeName
    source: str
    marks: tuple[Mark, ...] = ()


class LinkRead(msgspec.Struct, frozen=True):
    """A link with the page it stands on, and the rule key or meta tag it comes from."""

    link: Link
    source: str


class AuthorsRead(msgspec.Struct, frozen=True):
    """Corresponding authors found in one place."""

    authors: tuple[CorrespAuthor, ...]
    type: TypeName
    source: str
    marks: tuple[Mark, ...] = ()


class KeyRead(msgspec.Struct, frozen=True):
    """What one key of the rules gave: how many elements it selected and how large the text is.

    `problem` is said where a regular expression ran out of time.
    """

    key: str
    rule: str
    elements: int
    size: int
    problem: str = ""


class PartMissed(msgspec.Struct, frozen=True):
    """A rule that gave less of a part than stands on the page: characters selected, and characters there."""

    part: PartName
    selected: int
    there: int


class PageFindings(msgspec.Struct, frozen=True):
    """Everything read from one article page.

    `site` is the name of the rules used, empty without rules. `body_size` counts the characters of the full text
    without title and abstract, `body_paragraphs` its elements that are paragraphs by their size. `tried` are the URL patterns that matched, winner and losers; `keys` what
    each key of the rules gave, `missed` what they gave less of than half.
    """

    site: str = ""
    rules_version: str = ""
    identifiers: tuple[IdentifierRead, ...] = ()
    parts: tuple[PartRead, ...] = ()
    links: tuple[LinkRead, ...] = ()
    authors: tuple[AuthorsRead, ...] = ()
    body_size: int = 0
    body_paragraphs: int = 0
    page_title: str = ""
    tried: tuple[Tried, ...] = ()
    keys: tuple[KeyRead, ...] = ()
    missed: tuple[PartMissed, ...] = ()
    notes: tuple[Note, ...] = ()
    """Identifiers of which less was taken than the rules selected (F-ID-16)."""


class WebpageFindings(msgspec.Struct, frozen=True):
    """Everything read from a web page or doc.

    `text_size` (characters of the whole visible text) and `has_noscript` decide about a second fetch with
    JavaScript (F-WEB-21); `by_rules` says whether there were rules for the address.
    """

    title: str = ""
    content: str = ""
    license: str = ""
    language: str = ""
    text_size: int = 0
    has_noscript: bool = False
    is_page: bool = True
    """It is HTML: a browser may show more of it."""
    is_discarded: bool = False
    """A rule empties the content on purpose (F-WEB-12)."""
    unmatched: str = ""
    """The rule's content selector, where it selects nothing and the page was cleaned instead."""
    by_rules: bool = False
    rules_version: str = ""
    tried: tuple[Tried, ...] = ()
    keys: tuple[KeyRead, ...] = ()
