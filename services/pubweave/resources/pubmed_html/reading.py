"""PubMed's page of one record: the design since 2020, and the one before it (F-PMH-02, F-PMH-03)."""

import re
from typing import Final

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from pubweave.core.reading.pages.document import bounded


class NoRecordPage(ValueError):
    """The page does not show one record."""


class NothingFound(NoRecordPage):
    """The page says that there is no such record."""


class PubmedPage(msgspec.Struct, frozen=True):
    """What the page says. Identifiers as given; texts on one line each."""

    pmid: str
    pmcid: str
    doi: str
    title: str
    keywords: tuple[str, ...]
    mesh: tuple[tuple[str, bool], ...]
    """(descriptor, major topic)"""
    abstract: str
    """Paragraphs, joined by an empty line."""


_NO_RESULTS: Final = (
    ".results-amount, .altered-search-explanation, .query-error-message, .no-results, .empresults"
)
"""Where the page says in words that nothing was found."""
_NO_RESULTS_WORDS: Final = (
    "no results were found",
    "no results found",
    "it retrieved zero results",
    "was not found in pubmed",
    "were not found in pubmed",
)
_NO_RESULTS_COUNT: Final = (
    ("meta[name='log_resultcount']", "content"),
    ("[data-results-amount]", "data-results-amount"),
)
"""And where it says so in numbers: (selector, attribute)."""
_OLD_DOI: Final = re.compile(r"\bdoi:\s*(10\.\S+?)\.?(?=\s|$)")


def _line(node: LexborNode | None) -> str:
    return "" if node is None else " ".join(node.text(deep=True).split())


def _first(page: LexborHTMLParser, selector: str) -> str:
    return _line(page.css_first(selector))


def _keywords(text: str) -> tuple[str, ...]:
    """ "Keywords: a; b; c." as its parts."""
    _, label, rest = text.partition(":")
    words = rest if label and text.lower().startswith("keyword") else text
    return tuple(word for part in words.strip().removesuffix(".").split(";") if (word := part.strip()))


def _mesh(buttons: list[LexborNode]) -> tuple[tuple[str, bool], ...]:
    """One entry a descriptor: its qualifiers have buttons of their own ("Asthma / drug therapy*")."""
    found: dict[str, bool] = {}
    for button in buttons:
        descriptor = _line(button).partition("/")[0].strip()
        major = descriptor.endswith("*")
        descriptor = descriptor.removesuffix("*").strip()
        if descriptor:
            found[descriptor] = found.get(descriptor, False) or major
    return tuple(found.items())


def _today(page: LexborHTMLParser) -> PubmedPage:
    keywords = next(
        (text for node in page.css("#abstract > p") if (text := _line(node)).lower().startswith("keyword")),
        "",
    )
    paragraphs = (_line(node) for node in page.css("#eng-abstract > p"))
    return PubmedPage(
        pmid=_first(page, "#full-view-identifiers .pubmed .current-id"),
        pmcid=_first(page, "#full-view-identifiers .pmc .id-link"),
        doi=_first(page, "#full-view-identifiers .doi .id-link"),
        title=_first(page, "h1.heading-title"),
        keywords=_keywords(keywords) if keywords else (),
        mesh=_mesh(page.css("#mesh-terms button")),
        abstract="\n\n".join(text for text in paragraphs if text),
    )


def _before_2020(page: LexborHTMLParser, record: LexborNode) -> PubmedPage:
    names = [_line(node) for node in record.css(".rprtid dt")]
    values = [_line(node) for node in record.css(".rprtid dd")]
    ids = dict(zip(names, values, strict=False)) if len(names) == len(values) else {}
    doi = _OLD_DOI.search(_line(record.css_first(".cit")))
    paragraphs = (_line(node) for node in record.css(".abstr abstracttext") or record.css(".abstr p"))
    keywords = record.css_first(".keywords p")
    return PubmedPage(
        pmid=ids.get("PMID:", "") or _first(page, ".rprtid dd"),
        pmcid=ids.get("PMCID:", ""),
        doi=doi[1] if doi else "",
        title=_line(record.css_first("h1")),
        keywords=_keywords(_line(keywords)) if keywords is not None else (),
        mesh=(),
        abstract="\n\n".join(text for text in paragraphs if text),
    )


def _says_nothing_found(page: LexborHTMLParser) -> bool:
    """The page of a search without results: the number it notes for its own statistics, or one of its sentences."""
    for selector, attribute in _NO_RESULTS_COUNT:
        node = page.css_first(selector)
        if node is not None and (told := (node.attributes.get(attribute) or "").strip()).isdecimal():
            return not told.strip("0")
    said = " ".join(_line(node) for node in page.css(_NO_RESULTS)).lower()
    return any(words in said for words in _NO_RESULTS_WORDS) or (
        _first(page, "title").lower().startswith("no results")
    )


def read_page(body: bytes) -> PubmedPage:
    """Read a page.

    :raises NothingFound: PubMed says that nothing was found
    :raises NoRecordPage: neither design's place for a record is there (search results, a wall, an error page)
    """
    page = LexborHTMLParser(bounded(body.decode("utf-8", "replace")))
    if page.css_first("#article-details") is not None:
        return _today(page)
    record = page.css_first(".rprt.abstract")
    if record is None:
        if _says_nothing_found(page):
            raise NothingFound("PubMed found nothing")
        title = _first(page, "title")
        raise NoRecordPage(f"no record on the page ({title[:80]})" if title else "no record on the page")
    return _before_2020(page, record)
