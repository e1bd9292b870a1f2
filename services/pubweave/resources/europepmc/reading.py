"""Europe PMC's search replies, core form, JSON and XML: the same records from both (F-EPMC-05…09).

Field names: https://europepmc.org/RestfulWebService, and the replies themselves (versions 4 to 6.9).
"""

import re
from html import unescape
from typing import TYPE_CHECKING, Any, Final

import msgspec

from pubweave.contract.values import CorrespAuthor
from pubweave.core.reading.emails import Affiliated, authors_with_emails
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
    authors: tuple[CorrespAuthor, ...] = ()
    """Those whose e-mail address stands in an affiliation (F-CA-09)."""


class SearchAnswer(msgspec.Struct, frozen=True):
    hit_count: int
    """As the source counts; -1 if it does not say."""
    records: tuple[SearchRecord, ...]


# --- text

_ATTRIBUTES = r"""(?:\s+[\w:.-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'))*\s*/?"""
_INLINE: Final = "i|b|u|s|em|strong|sub|sup|sc|tt|small|big|span|font|italic|bold|underline|monospace|roman|a|mark|inf|math"
_BLOCK: Final = "p|br|div|sec|title|ul|ol|li|table|tr|td|th|tbody|thead|hr|abstracttext"
_ENTITY: Final = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_HEADING_OPENS: Final = re.compile(rf"<[hH][1-6]{_ATTRIBUTES}>")
_HEADING_ENDS: Final = re.compile(r"</[hH][1-6]\s*+>")
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
        *headed, last = _HEADING_ENDS.split(text)
        text = ". ".join([*(part.rstrip() for part in headed), last])
        if "<" in text:  # most have headings only
            text = _INLINE_TAG.sub("", text)
            text = _BLOCK_TAG.sub(" ", text)
    return " ".join(text.split())


# --- JSON


class _ReplyJournal(msgspec.Struct):
    title: str | None = None


class _JournalInfo(msgspec.Struct):
    journal: _ReplyJournal | None = None


class _Keywords(msgspec.Struct):
    keyword: list[str] = []


class _Heading(msgspec.Struct):
    descriptorName: str | None = None
    majorTopic_YN: str | None = None


class _Headings(msgspec.Struct):
    meshHeading: list[_Heading] = []


class _Types(msgspec.Struct):
    pubType: list[str] = []


class _ReplyComment(msgspec.Struct):
    type: str | None = None
    source: str | None = None
    id: str | None = None
    reference: str | None = None


class _Comments(msgspec.Struct):
    commentCorrection: list[_ReplyComment] = []


class _AuthorId(msgspec.Struct):
    type: str | None = None
    value: str | None = None


class _ReplyAffiliation(msgspec.Struct):
    affiliation: str | None = None


class _Affiliations(msgspec.Struct):
    authorAffiliation: list[_ReplyAffiliation | str] = []


class _ReplyAuthor(msgspec.Struct):
    fullName: str | None = None
    firstName: str | None = None
    lastName: str | None = None
    collectiveName: str | None = None
    authorId: _AuthorId | None = None
    affiliation: str | None = None
    """Until 2020."""
    authorAffiliationDetailsList: _Affiliations | None = None


class _Authors(msgspec.Struct):
    author: list[_ReplyAuthor] = []


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
    affiliation: str | None = None
    """The first author's."""
    authorList: msgspec.Raw = msgspec.Raw()
    """Taken apart only where it has an e-mail address: it is the largest member, and most have none."""


class _Results(msgspec.Struct):
    result: list[_Result]


class _Wrapper(msgspec.Struct):
    resultList: _Results
    hitCount: int = -1


_json: Final = msgspec.json.Decoder(_Wrapper, strict=False)
_authors_json: Final = msgspec.json.Decoder(_Authors, strict=False)


def _named(first: str, last: str, full: str) -> str:
    return " ".join(part for part in (first, last) if part) or full


def _first_with(authors: list[Affiliated], affiliation: str) -> tuple[CorrespAuthor, ...]:
    """The affiliation of the record is the first author's."""
    if "@" in affiliation:
        first = authors[0] if authors else Affiliated("", ())
        authors = [first._replace(affiliations=(*first.affiliations, affiliation)), *authors[1:]]
    return authors_with_emails(authors)


def _authors_from_json(result: _Result) -> tuple[CorrespAuthor, ...]:
    """F-CA-09; a list of authors in a form that is not known has none that can be told."""
    raw, affiliation = bytes(result.authorList), result.affiliation or ""
    if b"@" not in raw and "@" not in affiliation:
        return ()
    try:
        listed = _authors_json.decode(raw).author if raw else []
    except (msgspec.DecodeError, UnicodeDecodeError):
        listed = []
    authors = []
    for one in listed:
        details = one.authorAffiliationDetailsList
        texts = [
            text
            for each in (details.authorAffiliation if details else ())
            if (text := each if isinstance(each, str) else each.affiliation)
        ]
        name = _named(one.firstName or "", one.lastName or "", one.fullName or one.collectiveName or "")
        orcid = one.authorId.value if one.authorId and one.authorId.type == "ORCID" else ""
        authors.append(Affiliated(name, texts or ([one.affiliation] if one.affiliation else []), orcid or ""))
    return _first_with(authors, affiliation)


def _from_json(result: _Result, has_emails: bool) -> SearchRecord:
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
        authors=_authors_from_json(result) if has_emails else (),
    )


def read_json(body: bytes) -> SearchAnswer:
    """Read a JSON reply.

    :raises MalformedSearchReply: not JSON, or not shaped like a search answer (a bare version number too)
    """
    try:
        wrapper = _json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise MalformedSearchReply(f"not a search answer: {error}") from None
    has_emails = b"@" in body
    return SearchAnswer(
        wrapper.hitCount, tuple(_from_json(result, has_emails) for result in wrapper.resultList.result)
    )


# --- XML


def _text(element: "Element | None") -> str:
    if element is None:
        return ""
    return (element.text or "") if not len(element) else "".join(map(str, element.itertext()))


def _member(parent: "Element | None", name: str) -> "Element | None":
    return None if parent is None else parent.find(name)


def _authors_from_xml(authors: "list[Element]", affiliation: str) -> tuple[CorrespAuthor, ...]:
    told = [[_text(one) for one in author.iter("affiliation")] for author in authors]
    if "@" not in affiliation and not any("@" in text for texts in told for text in texts):
        return ()
    found = []
    for author, texts in zip(authors, told, strict=True):
        first, last = _text(author.find("firstName")).strip(), _text(author.find("lastName")).strip()
        full = _text(author.find("fullName")).strip() or _text(author.find("collectiveName")).strip()
        id_ = author.find("authorId")
        orcid = _text(id_).strip() if id_ is not None and id_.get("type") == "ORCID" else ""
        found.append(Affiliated(_named(first, last, full), texts, orcid))
    return _first_with(found, affiliation)


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
        authors=_authors_from_xml(all_in("authorList", "author"), text("affiliation")),
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
