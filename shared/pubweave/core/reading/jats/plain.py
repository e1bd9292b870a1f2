"""What the resources europepmc_fulltext and pmc read from a JATS article: identifiers, title, keywords, abstract,
text from introduction to conclusions, corresponding authors (F-EFT-03…12, chapter 10, F-PT-04, F-PT-09).
"""

import re
from typing import TYPE_CHECKING, Final

import msgspec
from lxml import etree

from pubweave.core.reading.jats.abstracts import own_abstracts
from pubweave.core.reading.jats.corresponding import PlainAuthor, corresponding_authors
from pubweave.core.reading.jats.errors import MalformedJats
from pubweave.core.reading.jats.text import plain_text
from pubweave.core.reading.jats.xml import FORBIDDEN_DOWNLOAD, articles, complete_articles, parse_xml

if TYPE_CHECKING:
    Element = etree._Element

__all__ = [
    "MalformedJats",
    "PlainArticle",
    "PlainAuthor",
    "articles",
    "complete_articles",
    "parse_xml",
    "read_plain",
]


class PlainArticle(msgspec.Struct, frozen=True):
    """One article as plain text; "" and () where it says nothing.

    `pmid`, `pmcid` (with prefix) and `doi` (prefix removed, case as written) are valid or "" (F-ID-02…05, F-EFT-04).
    `body` is the text without title and abstract, its paragraphs joined by an empty line. `has_body` is false for
    articles of which only the front (or a scan) is given. `restricted`: PMC says that the publisher withholds
    the text.
    """

    pmid: str
    pmcid: str
    doi: str
    title: str
    subtitle: str
    keywords: tuple[str, ...]
    abstract: str
    body: str
    journal_title: str
    corresp_authors: tuple[PlainAuthor, ...]
    has_body: bool
    restricted: bool


_PMID: Final = re.compile(r"[1-9][0-9]*")
_PMCID: Final = re.compile(r"(?:PMC)?([1-9][0-9]*)", re.I)
_DOI: Final = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:)?(10\.[^\s/]+/\S*)")

_TITLE_MARKS: Final = frozenset({"fn"})
_BACK_WITHOUT: Final = frozenset(
    {"ref-list", "fn-group", "ack", "app", "app-group", "bio", "bio-group", "sig-block"}
)
_BACK_READ: Final = frozenset({"glossary", "notes", "sec", "def-list"})
_FLOATS: Final = frozenset({"floats-group", "floats-wrap"})


def front_of(article: "Element") -> "Element | None":
    """The element that holds the metadata of this very article, never of a sub-article."""
    for tag in ("front", "front-stub", "book-part-meta"):
        # asked ten times an article: `find` would interpret its argument as a path each time
        for found in article.iterchildren(tag):
            return found
    return None


def meta_of(article: "Element") -> "Element | None":
    """`article-meta`, or what stands for it in stubs and chapters."""
    front = front_of(article)
    if front is None or front.tag != "front":
        return front
    return next(front.iterchildren("article-meta"), front)


def identifiers(meta: "Element | None") -> tuple[str, str, str]:
    """PMID, PMCID (with prefix) and DOI of the article itself, each valid or ""."""
    pmid = pmcid = doi = ""
    for found in () if meta is None else meta:
        if found.tag == "article-id":
            kind = (found.get("pub-id-type") or "").lower()
            text = plain_text(found)
            if kind == "pmid" and not pmid and _PMID.fullmatch(text):
                pmid = text
            elif kind in ("pmc", "pmcid") and not pmcid:
                number = _PMCID.fullmatch(text)
                pmcid = f"PMC{number[1]}" if number else ""
            elif kind == "doi" and not doi:
                match = _DOI.fullmatch(text)
                doi = match[1] if match else ""
        elif found.tag == "book-part-id":
            match = _DOI.fullmatch(plain_text(found))
            if not doi and match and (found.get("book-part-id-type") or found.get("pub-id-type")) == "doi":
                doi = match[1]
    return pmid, pmcid, doi


def _titles(meta: "Element") -> tuple[str, str]:
    group = meta.find("title-group")
    if group is None:
        return "", ""
    title = group.find("article-title")
    if title is None:
        title = group.find("title")
    text = plain_text(title, _TITLE_MARKS)
    if title is not None and any(mark.get("ref-type") == "fn" for mark in title.iter("xref")):
        text = _without_notes(title)
    return text, plain_text(group.find("subtitle"), _TITLE_MARKS)


def _without_notes(title: "Element") -> str:
    """A title without the marks (*, †) that point to its footnotes."""
    copy = etree.fromstring(etree.tostring(title, with_tail=False))
    for mark in list(copy.iter("xref")):
        parent = mark.getparent()
        if mark.get("ref-type") == "fn" and parent is not None:
            before = mark.getprevious()
            if before is None:
                parent.text = (parent.text or "") + (mark.tail or "")
            else:
                before.tail = (before.tail or "") + (mark.tail or "")
            parent.remove(mark)
    return plain_text(copy, _TITLE_MARKS)


def _keywords(front: "Element") -> tuple[str, ...]:
    found: dict[str, None] = {}
    for keyword in front.iter("kwd", "compound-kwd", "unstructured-kwd-group"):
        text = plain_text(keyword)
        for one in re.split(r"[;,]", text) if keyword.tag == "unstructured-kwd-group" else (text,):
            if one.strip():
                found.setdefault(one.strip())
    return tuple(found)


def _paragraphs(element: "Element", out: list[str], without: frozenset[str] | None = None) -> None:
    """The texts of an element's children, sections descended into, signatures left out (F-EFT-08)."""
    for child in element:
        tag = child.tag
        if tag == "sec":
            _paragraphs(child, out, without)
        elif tag == "sig-block" or tag in _FLOATS or not isinstance(tag, str) or (without and tag in without):
            continue
        else:
            text = plain_text(child, without)
            if text:
                out.append(text)


def _abstract(article: "Element", meta: "Element") -> str:
    found: dict[str, None] = {}
    for one in own_abstracts(article, meta):
        out: list[str] = []
        _paragraphs(one, out)
        if not len(one) and (one.text or "").strip():
            out.append(plain_text(one))
        found.setdefault("\n\n".join(out))
    return "\n\n".join(filter(None, found))


def _scanned(body: "Element") -> bool:
    """Whether a body holds nothing but the pages of a scan."""
    return all(
        child.tag in ("supplementary-material", "graphic") or not isinstance(child.tag, str) for child in body
    )


def _floats(article: "Element", out: list[str]) -> None:
    for place in (article, *article.iterfind("body"), *article.iterfind("back")):
        for child in place:
            if child.tag in _FLOATS:
                _paragraphs(child, out)


def read_plain(article: "Element") -> PlainArticle:
    """Read one article as `articles` gives it. Nothing is taken from sub-articles, responses or references."""
    front, meta, body, back = front_of(article), meta_of(article), article.find("body"), article.find("back")
    out: list[str] = []
    if body is not None:
        if (body.text or "").strip():
            out.append(" ".join((body.text or "").split()))
        _paragraphs(body, out)
    has_body = bool(out) and body is not None and not _scanned(body)
    if back is not None:
        for child in back:
            if child.tag in _BACK_READ:
                _paragraphs(child, out, _BACK_WITHOUT)
    _floats(article, out)
    pmid, pmcid, doi = identifiers(meta)
    title, subtitle = _titles(meta) if meta is not None else ("", "")
    return PlainArticle(
        pmid=pmid,
        pmcid=pmcid,
        doi=doi,
        title=title,
        subtitle=subtitle,
        keywords=() if front is None else _keywords(front),
        abstract="" if meta is None else _abstract(article, meta),
        body="\n\n".join(out) if has_body else "",
        journal_title="" if front is None else _journal_title(front),
        corresp_authors=() if meta is None else corresponding_authors(meta),
        has_body=has_body,
        restricted=not has_body and _restricted(article),
    )


def _journal_title(front: "Element") -> str:
    for found in front.iter("journal-title"):
        text = plain_text(found)
        if text:
            return text
    return ""


def _restricted(article: "Element") -> bool:
    return any(FORBIDDEN_DOWNLOAD in (comment.text or "") for comment in article.iter(etree.Comment))
