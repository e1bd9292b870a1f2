"""PubMed's efetch XML: articles and book articles (F-PMX-02…04; NLM's PubMed DTD)."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import msgspec

from pubweave.contract.values import CorrespAuthor
from pubweave.core.reading.dates import UNKNOWN, date_parts_ms
from pubweave.core.reading.emails import Affiliated, authors_with_emails
from pubweave.core.reading.jats.errors import MalformedJats
from pubweave.core.reading.jats.xml import parse_xml

if TYPE_CHECKING:
    from lxml import etree

    Element = etree._Element


class MalformedPubmedReply(ValueError):
    """The reply is not a set of PubMed records."""


class Correction(msgspec.Struct, frozen=True):
    """One `CommentsCorrections` entry."""

    type: str
    """`RefType`, for example `RetractionIn`."""
    pmid: str
    reference: str


class PubmedRecord(msgspec.Struct, frozen=True):
    """One record. Identifiers as given; texts on one line each, inline markup dropped, its text kept."""

    pmid: str
    article_ids: tuple[str, str, str]
    """pubmed, pmc, doi of the record's own `ArticleIdList`, never of its references (fault 25)."""
    title: str
    keywords: tuple[str, ...]
    mesh: tuple[tuple[str, bool, str], ...]
    """(descriptor, major topic, unique id)"""
    abstract: str
    """All `AbstractText`, joined by an empty line (F-SEL-03)."""
    journal_title: str
    published_ms: int
    """`ArticleDate`, as UNIX ms; -1 if there is none."""
    publication_types: tuple[str, ...]
    corrections: tuple[Correction, ...]
    authors: tuple[CorrespAuthor, ...] = ()
    """Those whose e-mail address stands in an affiliation (F-CA-09)."""


_SETS: Final = ("PubmedArticleSet", "PubmedBookArticleSet")
_RECORDS: Final = ("PubmedArticle", "PubmedBookArticle")
_END_TAGS: Final = (b"</PubmedArticle>", b"</PubmedBookArticle>")
_AUTHOR_KEYWORDS: Final = (None, "NOTNLM")
"""Owners of keyword lists that authors made (F-PT-05); NASA's, KIE's and PIP's are older index vocabularies."""


def _line(element: "Element | None") -> str:
    if element is None:
        return ""
    text = (element.text or "") if not len(element) else "".join(map(str, element.itertext()))
    return " ".join(text.split())


def _doi_of_location(article: "Element | None") -> str:
    if article is not None:
        for location in article.iterfind("ELocationID"):
            if location.get("EIdType") == "doi" and location.get("ValidYN", "Y") == "Y":
                return _line(location)
    return ""


def _ids(holder: "Element | None", article: "Element | None") -> tuple[str, str, str]:
    found: dict[str, str] = {}
    for id_ in () if holder is None else holder:
        found.setdefault(id_.get("IdType", "pubmed"), (id_.text or "").strip())
    return found.get("pubmed", ""), found.get("pmc", ""), found.get("doi") or _doi_of_location(article)


def _keywords(parent: "Element") -> tuple[str, ...]:
    return tuple(
        _line(keyword)
        for group in parent.iterchildren("KeywordList")
        if group.get("Owner") in _AUTHOR_KEYWORDS
        for keyword in group.iterchildren("Keyword")
    )


def _mesh(citation: "Element") -> tuple[tuple[str, bool, str], ...]:
    headings = citation.find("MeshHeadingList")
    names = () if headings is None else headings.iter("DescriptorName")
    return tuple((_line(name), name.get("MajorTopicYN") == "Y", name.get("UI", "")) for name in names)


def _abstract(record: "Element") -> str:
    return "\n\n".join(text for part in record.iter("AbstractText") if (text := _line(part)))


def _published(article: "Element") -> int:
    day = article.find("ArticleDate")
    if day is None:
        return UNKNOWN
    return date_parts_ms(day.findtext("Year") or "", day.findtext("Month") or "", day.findtext("Day") or "")


def _corrections(citation: "Element") -> tuple[Correction, ...]:
    group = citation.find("CommentsCorrectionsList")
    return tuple(
        Correction(entry.get("RefType", ""), _line(entry.find("PMID")), _line(entry.find("RefSource")))
        for entry in (() if group is None else group)
        if entry.get("RefType") != "Cites"
    )


def _telling(affiliations: "Iterator[Element]") -> list[str]:
    """Those with an e-mail address, each on one line."""
    return [_line(one) for one in affiliations if "@" in (one.text or "") or (len(one) and "@" in _line(one))]


def _authors(article: "Element") -> tuple[CorrespAuthor, ...]:
    """F-CA-09. Until 1988, and in some records after, there is one affiliation of the article: the first author's."""
    if not _telling(article.iter("Affiliation")):
        return ()
    of_article = _telling(article.iterchildren("Affiliation"))
    authors: list[Affiliated] = []
    for listed in article.iterchildren("AuthorList"):
        for one in listed.iterchildren("Author"):
            authors.append(_affiliated(one, of_article if not authors else []))
    return authors_with_emails(authors or [Affiliated("", of_article)])


def _affiliated(author: "Element", of_article: list[str]) -> Affiliated:
    said: dict[str, str] = {}
    orcid = ""
    affiliations: list[str] = []
    for child in author:
        if child.tag == "AffiliationInfo" or child.tag == "Affiliation":
            affiliations += _telling(child.iter("Affiliation"))
        elif child.tag != "Identifier":
            said[child.tag] = child.text or ""
        elif child.get("Source") == "ORCID":
            orcid = orcid or _line(child)
    given = said.get("ForeName") or said.get("Initials", "")
    name = f"{given} {said.get('LastName', '')}".strip() or said.get("CollectiveName", "")
    return Affiliated(name, affiliations + of_article, orcid)


def _article(record: "Element") -> PubmedRecord | None:
    citation = record.find("MedlineCitation")
    article = None if citation is None else citation.find("Article")
    if citation is None or article is None:
        return None
    types = article.find("PublicationTypeList")
    return PubmedRecord(
        pmid=_line(citation.find("PMID")),
        article_ids=_ids(record.find("PubmedData/ArticleIdList"), article),
        title=_line(article.find("ArticleTitle")),
        keywords=_keywords(citation),
        mesh=_mesh(citation),
        abstract=_abstract(citation),
        journal_title=_line(article.find("Journal/Title")),
        published_ms=_published(article),
        publication_types=() if types is None else tuple(_line(type_) for type_ in types),
        corrections=_corrections(citation),
        authors=_authors(article),
    )


def _book(record: "Element") -> PubmedRecord | None:
    """A chapter or a whole book; the title is the chapter's, else the book's."""
    document = record.find("BookDocument")
    if document is None:
        return None
    ids = record.find("PubmedBookData/ArticleIdList")
    return PubmedRecord(
        pmid=_line(document.find("PMID")),
        article_ids=_ids(document.find("ArticleIdList") if ids is None else ids, document.find("Book")),
        title=_line(document.find("ArticleTitle")) or _line(document.find("Book/BookTitle")),
        keywords=_keywords(document),
        mesh=(),
        abstract=_abstract(document),
        journal_title="",
        published_ms=UNKNOWN,
        publication_types=tuple(_line(type_) for type_ in document.iterfind("PublicationType")),
        corrections=(),
        authors=_authors(document),
    )


def _records(root: "Element") -> tuple[PubmedRecord, ...]:
    if root.tag not in _SETS and root.tag not in _RECORDS:
        raise MalformedPubmedReply(f"<{root.tag}> where PubMed records were expected")
    records = []
    for element in root if root.tag in _SETS else (root,):
        record = _article(element) if element.tag == "PubmedArticle" else _book(element)
        if record is not None:
            records.append(record)
        elif element.tag in ("ERROR", "error"):
            raise MalformedPubmedReply(
                f"an error among the records: {' '.join((element.text or '').split())[:200]}"
            )
    return tuple(records)


def _up_to_last_whole(body: bytes) -> bytes:
    """A cut reply as if it had ended after its last whole record; empty if there is none."""
    end = max(body.rfind(tag) + len(tag) if tag in body else 0 for tag in _END_TAGS)
    name = next((name for name in _SETS if f"<{name}".encode() in body[:2000]), "")
    return body[:end] + f"</{name}>".encode() if end and name else b""


def read(body: bytes) -> tuple[tuple[PubmedRecord, ...], bool]:
    """The records of a reply, and whether it breaks off after the last of them.

    :raises MalformedPubmedReply: not XML, something else than PubMed records, or cut before the first record ends
    """
    try:
        return _records(parse_xml(body)), False
    except MalformedJats as error:
        problem = str(error)
    whole = _up_to_last_whole(body)
    if not whole:
        raise MalformedPubmedReply(problem)
    try:
        return _records(parse_xml(whole)), True
    except MalformedJats:
        raise MalformedPubmedReply(problem) from None
