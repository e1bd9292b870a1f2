"""What the meta tags of an article page say: seven vocabularies, in order (chapter 11).

A tag's name stands in `name` or `property`, in any case, with `.` or `:` between its parts; its value in
`content`. The type of what a tag gives is the worse of the vocabulary's and the page's own (F-META-06).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from pubweave.contract.vocabulary import IDENTIFIER_KINDS, IdentifierKind, TypeName
from pubweave.core.identifiers import identifier_in_text
from pubweave.core.reading.layout import without_markup
from pubweave.core.types import worse

Value = Literal["pmid", "pmcid", "doi", "title", "keywords", "abstract", "page_link", "pdf_link", "email"]


@dataclass(frozen=True, slots=True)
class TagVocabulary:
    """Names of one vocabulary's tags by what they hold; links have types of their own."""

    type: TypeName
    tags: dict[Value, tuple[str, ...]]
    page_link_type: TypeName = "na"
    pdf_link_type: TypeName = "na"

    @property
    def names(self) -> Iterator[str]:
        """All tags of the vocabulary."""
        return itertools.chain.from_iterable(self.tags.values())


VOCABULARIES: tuple[TagVocabulary, ...] = (
    TagVocabulary(
        "citation",
        {
            "pmid": ("citation_pmid",),
            "pmcid": ("citation_pmcid",),
            "doi": ("citation_doi",),
            "title": ("citation_title",),
            "keywords": ("citation_keywords", "citation_keyword"),
            "abstract": ("citation_abstract",),
            "page_link": ("citation_fulltext_html_url", "citation_full_html_url"),
            "pdf_link": ("citation_pdf_url",),
            "email": ("citation_author_email",),
        },
        page_link_type="link_citation",
        pdf_link_type="pdf_citation",
    ),
    TagVocabulary(
        "eprints",
        {
            "pmid": ("eprints.pubmed_id",),
            "title": ("eprints.title",),
            "keywords": ("eprints.keywords",),
            "abstract": ("eprints.abstract",),
            "page_link": ("eprints.document_url",),
        },
        page_link_type="link_eprints",
        pdf_link_type="pdf_eprints",
    ),
    TagVocabulary(
        "bepress",
        {
            "doi": ("bepress_citation_doi",),
            "title": ("bepress_citation_title",),
            "pdf_link": ("bepress_citation_pdf_url",),
        },
        pdf_link_type="pdf_bepress",
    ),
    TagVocabulary(
        "dc",
        {
            "doi": ("dc.doi", "dc.identifier", "dc.identifier.doi"),
            "title": ("dc.title",),
            "keywords": ("dc.subject",),
            "abstract": ("dc.description", "dc.description.abstract"),
        },
    ),
    TagVocabulary("og", {"title": ("og.title",), "abstract": ("og.description",)}),
    TagVocabulary("twitter", {"title": ("twitter.title",), "abstract": ("twitter.description",)}),
    TagVocabulary(
        "meta",
        {
            "doi": ("doi",),
            "title": ("title",),
            "keywords": ("keywords",),
            "abstract": ("description", "meta.description", "abstract"),
            "page_link": ("fulltext_html",),
            "pdf_link": ("fulltext_pdf",),
        },
        page_link_type="link_meta",
        pdf_link_type="pdf_meta",
    ),
)
"""In the order in which they are applied (F-META-03, F-META-04)."""

DESCRIPTIONS = ("description", "meta.description", "dc.description", "og.description", "twitter.description")
"""Tags that describe the page; the longest one goes before cleaned text (F-CLN-13)."""

_PUBLISHER = ("citation_publisher", "dc.publisher")
_JOURNAL = (
    "citation_journal_title",
    "citation_journal_abbrev",
    "dc.source",
    "prism.publicationname",
    "og.site_name",
)
"""Tags that name the publisher, the journal or site."""

_NEARLY = 20
"""Characters by which two spellings of a title may differ."""
_TITLES = tuple(one.tags["title"] for one in VOCABULARIES)

_OTHER_DOIS = ("prism.doi",)
"""Tags by which a page is known to be an article's, and which no vocabulary reads."""

_KNOWN = frozenset(
    [
        *DESCRIPTIONS,
        *_PUBLISHER,
        *_OTHER_DOIS,
        *_JOURNAL,
        *itertools.chain.from_iterable(one.names for one in VOCABULARIES),
    ]
)

# Sites whose tags are known to be wrong (F-META-08): what is not taken, by vocabulary.
_EXCEPTIONS: tuple[tuple[re.Pattern[str], Value, frozenset[TypeName]], ...] = (
    (re.compile(r"(?:.+\.)?biomedcentral\.com"), "keywords", frozenset(("dc",))),
    (re.compile(r"(?:www\.)?nature\.com"), "abstract", frozenset(("dc", "og", "twitter", "meta"))),
    (re.compile(r"(?:.+\.)?sciencemag\.org"), "abstract", frozenset(("dc", "og"))),
    (re.compile(r"(?:.+\.)?onlinelibrary\.wiley\.com"), "abstract", frozenset(("og",))),
    (re.compile(r"citeseerx\..+"), "keywords", frozenset(("meta",))),
)

_KEYWORD_ENDS = re.compile(r"[,;|]")


class MetaFound(msgspec.Struct, frozen=True):
    """One value: what it is, its text (for keywords: the single words), its type, and the tags it stood in."""

    value: Value
    content: tuple[str, ...]
    type: TypeName
    tags: tuple[str, ...]


class MetaTags:
    """The meta tags of a page that some vocabulary knows, by folded name, values in the order of the page."""

    def __init__(self, page: LexborHTMLParser | Iterable[LexborNode]) -> None:
        """Read the tags of a page, or `<meta>` elements found before."""
        self._values: dict[str, list[str]] = {}
        for node in page.css("meta") if isinstance(page, LexborHTMLParser) else page:
            attributes = node.attributes
            content = attributes.get("content")
            if not content:
                continue
            one, other = attributes.get("name"), attributes.get("property")
            names = [folded(name) for name in (one, other) if name]
            for name in names if len(names) < 2 or names[0] != names[1] else names[:1]:
                if name in _KNOWN and (value := content.strip()):
                    self._values.setdefault(name, []).append(value)

    def has_any(self, names: Iterable[str]) -> bool:
        """Whether the page has a tag with one of the names."""
        return not self._values.keys().isdisjoint(names)

    def values(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """(tag, value) of all tags with one of the names, name by name, each value once."""
        seen: set[str] = set()
        found = []
        for name in names:
            for value in self._values.get(name, ()):
                if value not in seen:
                    seen.add(value)
                    found.append((name, value))
        return found

    def description(self) -> str:
        """The longest description of the page, markup stripped; empty if there is none (F-CLN-13)."""
        texts = [without_markup(value) for _, value in self.values(DESCRIPTIONS)]
        return max(texts, key=len, default="")


def folded(name: str) -> str:
    """A tag's name as it is compared (F-META-02)."""
    return name.strip().lower().replace(":", ".")


def split_keywords(text: str) -> list[str]:
    """Single keywords of a text, split at comma, semicolon and bar (F-META-07)."""
    return [word for part in _KEYWORD_ENDS.split(text) if (word := part.strip())]


def read_meta_tags(tags: MetaTags, final_url: str, page_type: TypeName) -> list[MetaFound]:
    """What the tags of an article page give, identifiers of all vocabularies first (F-META-04).

    `final_url` decides about the site exceptions (F-META-08). On pages reached by `link_oadoi` there are no keywords
    (F-META-09). Addresses are as written; making them absolute is the caller's.
    """
    host = (urlsplit(final_url).hostname or "").lower()
    found: list[MetaFound] = []
    spoken = [vocabulary for vocabulary in VOCABULARIES if tags.has_any(vocabulary.names)]
    for vocabulary in spoken:
        type_ = worse(vocabulary.type, page_type)
        for kind in IDENTIFIER_KINDS:
            identifier = _identifier(kind, tags.values(vocabulary.tags.get(kind, ())))
            if identifier is not None:
                found.append(MetaFound(kind, (identifier[1],), type_, (identifier[0],)))
    for vocabulary in spoken:
        found.extend(_of_vocabulary(vocabulary, tags, host, page_type))
    return found


def _identifier(kind: IdentifierKind, values: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
    for tag, value in values:
        identifier = identifier_in_text(kind, value)
        if identifier:
            return tag, identifier
    return None


def _of_vocabulary(
    vocabulary: TagVocabulary, tags: MetaTags, host: str, page_type: TypeName
) -> list[MetaFound]:
    type_ = worse(vocabulary.type, page_type)
    found: list[MetaFound] = []

    def taken(value: Value) -> list[tuple[str, str]]:
        if value not in vocabulary.tags or _is_exception(host, value, vocabulary.type):
            return []
        texts = [(tag, without_markup(text)) for tag, text in tags.values(vocabulary.tags[value])]
        return [(tag, text) for tag, text in texts if text]

    if titles := taken("title"):
        tag, text = titles[0]
        found.append(MetaFound("title", (text,), type_, (tag,)))
    if page_type != "link_oadoi" and (values := taken("keywords")):
        words = tuple(dict.fromkeys(word for _, text in values for word in split_keywords(text)))
        if words and not (vocabulary.type == "meta" and _are_of_the_site(words, tags)):
            found.append(MetaFound("keywords", words, type_, _names(values)))
    if values := [one for one in taken("abstract") if not _is_title(one[1], tags)]:
        text = "\n\n".join(dict.fromkeys(text for _, text in values))
        found.append(MetaFound("abstract", (text,), type_, _names(values)))
    links: tuple[tuple[Value, TypeName], ...] = (
        ("page_link", vocabulary.page_link_type),
        ("pdf_link", vocabulary.pdf_link_type),
    )
    for value, link_type in links:
        for tag, url in tags.values(vocabulary.tags.get(value, ())):
            found.append(MetaFound(value, (url,), worse(link_type, page_type), (tag,)))
    for tag, email in tags.values(vocabulary.tags.get("email", ())):
        found.append(MetaFound("email", (email,), type_, (tag,)))
    return found


def _are_of_the_site(words: Iterable[str], tags: MetaTags) -> bool:
    """Whether keywords are the same on all pages of a site: those are that name its publisher, or the journal only.

    A journal's name alone says nothing: articles in "Gene Therapy" are about it, too.
    """
    said = set(map(_letters, words))
    publishers = {_letters(name) for _, name in tags.values(_PUBLISHER)}
    return not said.isdisjoint(publishers) or said <= {_letters(name) for _, name in tags.values(_JOURNAL)}


def _is_title(text: str, tags: MetaTags) -> bool:
    """Whether a description only repeats the title, as sites do that have no better one."""
    titles = (without_markup(title) for names in _TITLES for _, title in tags.values(names))
    near = [title for title in titles if abs(len(title) - len(text)) < _NEARLY]
    return bool(near) and _letters(text) in map(_letters, near)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def _names(values: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tag for tag, _ in values))


def _is_exception(host: str, value: Value, type_: TypeName) -> bool:
    return any(
        value == excepted and type_ in types and pattern.fullmatch(host)
        for pattern, excepted, types in _EXCEPTIONS
    )
