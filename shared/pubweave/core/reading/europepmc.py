"""Europe PMC's search replies, core form, JSON and XML: the same records from both (F-EPMC-05…09).

Field names: https://europepmc.org/RestfulWebService, and the replies themselves (versions 4 to 6.9).
"""

import re
from html import unescape
from typing import TYPE_CHECKING, Any, Final

import msgspec

from pubweave.core.reading.jats.errors import MalformedJats
from pubweave.core.reading.jats.xml import parse_xml

if TYPE_CHECKING:
    from lxml import etree

    Element = etree._Element


class MalformedSearchReply(ValueError):
    """The reply is not a search answer: no JSON or XML, or without a result list."""


class Comment(msgspec.Struct, frozen=True):
    """One tie to another record (`commentCorrection`), as it stands there."""

    type: str
    source: str
    id: str
    reference: str


class SearchRecord(msgspec.Struct, frozen=True):
    """One result. Identifiers as given, not validated; titles, keywords and abstract without markup."""

    source: str
    id: str
    pmid: str
    pmcid: str
    doi: str
    title: str
    keywords: tuple[str, ...]
    mesh: tuple[tuple[str, bool], ...]
    """(descriptor, major topic)"""
    abstract: str
    journal_title: str
    first_publication_date: str
    cited_by_count: str
    """As written; not every number is a count (F-PT-23)."""
    flags: tuple[str, str, str, str]
    """isOpenAccess, hasTextMinedTerms, inEPMC, hasPDF: `Y`, `N` or ""."""
    publication_types: tuple[str, ...]
    comments: tuple[Comment, ...]


class SearchAnswer(msgspec.Struct, frozen=True):
    hit_count: int
    """As the source counts; -1 if it does not say."""
    records: tuple[SearchRecord, ...]


# --- text

_ATTRIBUTES = r"""(?:\s+[\w:.-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'))*\s*/?"""
_INLINE: Final = "i|b|u|s|em|strong|sub|sup|sc|tt|small|big|span|font|italic|bold|underline|monospace|roman|a|mark|inf|math"
_BLOCK: Final = "p|br|div|sec|title|ul|ol|li|table|tr|td|th|tbody|thead|hr|abstracttext"
_ENTITY: Final = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_HEADING_OPENS: Final = re.compile(rf"<h[1-6]{_ATTRIBUTES}>", re.IGNORECASE)
_HEADING_ENDS: Final = re.compile(r"(?:(?<!\s)\s++)?</h[1-6]\s*+>", re.IGNORECASE)
_INLINE_TAG: Final = re.compile(rf"</?(?:{_INLINE}|mml:\w+){_ATTRIBUTES}>", re.IGNORECASE)
_BLOCK_TAG: Final = re.compile(rf"</?(?:{_BLOCK}){_ATTRIBUTES}>", re.IGNORECASE)


def plain(text: str) -> str:
    """A title, keyword or abstract as a person reads it, on one line.

    Headings become a sentence of their own (F-SEL-07), other tags go, entities are characters. Only known tags
    with well-formed attributes are markup: "p<b and c>d" is left alone.
    """
    if "&" in text:
        text = _ENTITY.sub(lambda entity: unescape(entity[0]), text)
    if "<" in text:
        text = _HEADING_OPENS.sub(" ", text)
        text = _HEADING_ENDS.sub(". ", text)
        text = _INLINE_TAG.sub("", text)
        text = _BLOCK_TAG.sub(" ", text)
    return " ".join(text.split())


# --- JSON


class _Journal(msgspec.Struct):
    title: str | None = None


class _JournalInfo(msgspec.Struct):
    journal: _Journal | None = None


class _Keywords(msgspec.Struct):
    keyword: list[str] = []


class _Heading(msgspec.Struct):
    descriptorName: str | None = None
    majorTopic_YN: str | None = None


class _Headings(msgspec.Struct):
    meshHeading: list[_Heading] = []


class _Types(msgspec.Struct):
    pubType: list[str] = []


class _Comment(msgspec.Struct):
    type: str | None = None
    source: str | None = None
    id: str | None = None
    reference: str | None = None


class _Comments(msgspec.Struct):
    commentCorrection: list[_Comment] = []


class _Result(msgspec.Struct):
    source: str | None = None
    id: str | None = None
    pmid: str | None = None
    pmcid: str | None = None
    doi: str | None = None
    DOI: str | None = None
    """Its name until 2019."""
    title: str | None = None
    keywordList: _Keywords | None = None
    meshHeadingList: _Headings | None = None
    abstractText: str | None = None
    journalInfo: _JournalInfo | None = None
    firstPublicationDate: str | None = None
    citedByCount: Any = None
    isOpenAccess: str | None = None
    hasTextMinedTerms: str | None = None
    inEPMC: str | None = None
    hasPDF: str | None = None
    pubTypeList: _Types | None = None
    commentCorrectionList: _Comments | None = None


class _Results(msgspec.Struct):
    result: list[_Result]


class _Wrapper(msgspec.Struct):
    resultList: _Results
    hitCount: int = -1


_json: Final = msgspec.json.Decoder(_Wrapper, strict=False)


def _from_json(result: _Result) -> SearchRecord:
    journal = result.journalInfo.journal if result.journalInfo else None
    keywords = result.keywordList.keyword if result.keywordList else ()
    mesh = result.meshHeadingList.meshHeading if result.meshHeadingList else ()
    types = result.pubTypeList.pubType if result.pubTypeList else ()
    comments = result.commentCorrectionList.commentCorrection if result.commentCorrectionList else ()
    count = result.citedByCount
    return SearchRecord(
        source=result.source or "",
        id=result.id or "",
        pmid=result.pmid or "",
        pmcid=result.pmcid or "",
        doi=result.doi or result.DOI or "",
        title=plain(result.title or ""),
        keywords=tuple(plain(word) for word in keywords),
        mesh=tuple((plain(one.descriptorName or ""), one.majorTopic_YN == "Y") for one in mesh),
        abstract=plain(result.abstractText or ""),
        journal_title=plain((journal.title if journal else None) or ""),
        first_publication_date=result.firstPublicationDate or "",
        cited_by_count="" if count is None or isinstance(count, bool) else str(count),
        flags=(
            result.isOpenAccess or "",
            result.hasTextMinedTerms or "",
            result.inEPMC or "",
            result.hasPDF or "",
        ),
        publication_types=tuple(types),
        comments=tuple(
            Comment(one.type or "", one.source or "", one.id or "", one.reference or "") for one in comments
        ),
    )


def read_json(body: bytes) -> SearchAnswer:
    """Read a JSON reply.

    :raises MalformedSearchReply: not JSON, or not shaped like a search answer (a bare version number too)
    """
    try:
        wrapper = _json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise MalformedSearchReply(f"not a search answer: {error}") from None
    return SearchAnswer(wrapper.hitCount, tuple(_from_json(result) for result in wrapper.resultList.result))


# --- XML


def _text(element: "Element | None") -> str:
    if element is None:
        return ""
    return (element.text or "") if not len(element) else "".join(map(str, element.itertext()))


def _member(parent: "Element | None", name: str) -> "Element | None":
    return None if parent is None else parent.find(name)


def _from_xml(result: "Element") -> SearchRecord:
    members: dict[str, Element] = {}
    for child in result:
        members.setdefault(child.tag, child)

    def text(name: str) -> str:
        return _text(members.get(name)).strip()

    def all_in(name: str, item: str) -> "list[Element]":
        holder = members.get(name)
        return [] if holder is None else holder.findall(item)

    return SearchRecord(
        source=text("source"),
        id=text("id"),
        pmid=text("pmid"),
        pmcid=text("pmcid"),
        doi=text("doi") or text("DOI"),
        title=plain(text("title")),
        keywords=tuple(plain(_text(one)) for one in all_in("keywordList", "keyword")),
        mesh=tuple(
            (plain(_text(one.find("descriptorName"))), _text(one.find("majorTopic_YN")).strip() == "Y")
            for one in all_in("meshHeadingList", "meshHeading")
        ),
        abstract=plain(text("abstractText")),
        journal_title=plain(_text(_member(_member(members.get("journalInfo"), "journal"), "title"))),
        first_publication_date=text("firstPublicationDate"),
        cited_by_count=text("citedByCount"),
        flags=(text("isOpenAccess"), text("hasTextMinedTerms"), text("inEPMC"), text("hasPDF")),
        publication_types=tuple(_text(one) for one in all_in("pubTypeList", "pubType")),
        comments=tuple(
            Comment(
                _text(one.find("type")).strip(),
                _text(one.find("source")).strip(),
                _text(one.find("id")).strip(),
                _text(one.find("reference")),
            )
            for one in all_in("commentCorrectionList", "commentCorrection")
        ),
    )


def read_xml(body: bytes) -> SearchAnswer:
    """Read an XML reply.

    :raises MalformedSearchReply: not well-formed, or without a result list (a bare version number, a web page)
    """
    try:
        root = parse_xml(body)
    except MalformedJats as error:
        raise MalformedSearchReply(str(error)) from None
    results = root.find("resultList")
    if root.tag != "responseWrapper" or results is None:
        raise MalformedSearchReply(f"not a search answer: <{root.tag}> without a result list")
    count = _text(root.find("hitCount")).strip()
    return SearchAnswer(
        int(count) if count.isascii() and count.isdigit() else -1,
        tuple(_from_xml(result) for result in results.findall("result")),
    )
