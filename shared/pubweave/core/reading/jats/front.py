"""The fields of the document that come from the front matter (B-10, B-11, B-60…B-62)."""

import functools
from typing import TYPE_CHECKING, Any, Final

import msgspec

from pubweave.core.reading.jats.document import Affiliation, Author, Warning_
from pubweave.core.reading.jats.plain import front_of, identifiers, meta_of
from pubweave.core.reading.jats.text import parts_text, plain_text

if TYPE_CHECKING:
    from lxml import etree

    Element = etree._Element

DATE_ORDER: Final = ("pmc-release", "epub", "ppub", "collection")
"""Kinds of publication dates in the order in which they are looked at (B-60)."""

_DATE_RANKS: Final = {kind: rank for rank, kind in enumerate(DATE_ORDER)}

MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTH_NUMBERS: Final = {name.lower(): number for number, name in enumerate(MONTHS, 1)}
_LABEL: Final = frozenset({"label"})
_COLLECTIVES: Final = frozenset({"collab", "collab-alternatives", "anonymous", "on-behalf-of"})
_NESTED: Final = frozenset({"contrib-group", "contrib"})


class Date(msgspec.Struct, frozen=True):
    """A publication date in the documented forms (B-61, B-62)."""

    text: str
    alternative: str
    status: str
    year: str


class Front(msgspec.Struct):
    """What the front says."""

    pmid: str = ""
    pmcid: str = ""
    doi: str = ""
    other: dict[str, str] = {}
    journal: str = ""
    medline_ta: str = ""
    issue: str = ""
    volume: str = ""
    start_page: str = ""
    end_page: str = ""
    affiliations: list[Affiliation] = []
    authors: list[Author] = []
    date: Date = Date("", "", "not found", "")
    pmc_release_date: str = ""
    keywords: list[str] = []
    warnings: list[Warning_] = []


def child_text(element: "Element | None", name: str) -> str:
    """The text of the first child of that name, "" if there is none."""
    return "" if element is None else plain_text(element.find(name))


def child_texts(element: "Element") -> dict[Any, str]:
    """The text of the first child of each name."""
    found: dict[Any, str] = {}
    for child in element:
        tag = child.tag
        if tag not in found:
            if len(child):
                found[tag] = plain_text(child)
            else:
                text = child.text
                found[tag] = " ".join(text.split()) if text else ""
    return found


def children_by_tag(element: "Element") -> "dict[Any, list[Element]]":
    """The children of an element under their names, in document order."""
    found: dict[Any, list[Element]] = {}
    for child in element:
        found.setdefault(child.tag, []).append(child)
    return found


def month_number(text: str) -> int | None:
    """A month by number or by its English name, long or short."""
    text = text.strip().rstrip(".")
    if text.isdecimal():
        return int(text) if 1 <= int(text) <= 12 else None
    return _MONTH_NUMBERS.get(text[:3].lower())


def iso_date(element: "Element | None") -> str:
    """A date as ISO text, as long as it is known: 2011, 2011-04, 2011-04-05; "" without a year."""
    if element is None:
        return ""
    parts = child_texts(element)
    year = parts.get("year", "")
    if not year:
        given = element.get("iso-8601-date") or ""
        return given if given[:4].isdecimal() else ""
    month, day = month_number(parts.get("month", "")), parts.get("day", "")
    if month is None:
        return year
    return f"{year}-{month:02d}" + (f"-{int(day):02d}" if day.isdecimal() else "")


def read_date(element: "Element") -> Date:
    """One `pub-date`: day and month as written, 1 where missing (then the status is `incomplete`)."""
    parts = child_texts(element)
    year, month, day = (parts.get(name, "") for name in ("year", "month", "day"))
    if not year:
        return Date("", "", "unparseable", "")
    status = "ok" if month and day else "incomplete"
    month, day = month or "1", day or "1"
    number = month_number(month)
    if number is None or not day.isdecimal() or not 1 <= int(day) <= 31 or not year.isdecimal():
        return Date("", "", "unparseable", year if year.isdecimal() else "")
    return Date(f"{day}-{month}-{year}", f"{year} {MONTHS[number - 1]} {day}", status, year)


def publication_date(dates: "list[Element]") -> Date:
    """Of the `pub-date` elements the first complete one in the documented order, else the last one tried (B-60)."""
    best: Date | None = None
    for element in sorted(dates, key=_rank):
        found = read_date(element)
        if found.status == "ok":
            return found
        # an unreadable date is no reason to forget a readable one
        if best is None or found.status != "unparseable" or best.status == "unparseable":
            best = found
    return best or Date("", "", "not found", "")


def _rank(date: "Element") -> int:
    return min(
        _DATE_RANKS.get(date.get("pub-type") or "", len(DATE_ORDER)),
        _DATE_RANKS.get(date.get("date-type") or "", len(DATE_ORDER)),
    )


@functools.lru_cache(maxsize=4096)
def initials_of(given_names: str) -> str:
    """The first letters of given names: "Anna-Maria J" gives "AMJ"."""
    parts = given_names.replace("-", " ").replace(".", " ").split()
    if len(parts) == 1 and parts[0].isupper() and len(parts[0]) <= 3:
        return parts[0]
    return "".join(part[0].upper() for part in parts if part[0].isalpha())


def contributors(meta: "Element") -> "list[Element]":
    """The `contrib` elements of an article, those nested in a group's `collab` too, in document order."""
    return [found for group in meta.iterfind("contrib-group") for found in group.iter("contrib")]


def affiliation_elements(meta: "Element") -> "list[Element]":
    """The `aff` elements of the article: beside, within and between its contributors."""
    found: list[Element] = []
    for child in meta:
        if child.tag == "aff":
            found.append(child)
        elif child.tag in ("contrib-group", "aff-alternatives"):
            found.extend(child.iter("aff"))
    return found


def _affiliations(meta: "Element") -> list[Affiliation]:
    return [
        Affiliation(aff.get("id") or "", child_text(aff, "label"), parts_text(aff, _LABEL).strip(" ,;"))
        for aff in affiliation_elements(meta)
    ]


def _author(contributor: "Element") -> Author:
    ids: list[str] = []
    name = other = None
    for child in contributor:
        tag = child.tag
        if tag == "xref":
            if child.get("ref-type") == "aff":
                ids.extend((child.get("rid") or "").split())
        elif tag == "name" or tag == "string-name":
            name = child if name is None else name
        elif tag == "name-alternatives" and name is None:
            name = child.find("name")
            if name is None:
                name = child.find("string-name")
        elif tag == "aff":
            if child.get("id"):
                ids.append(child.get("id") or "")
        elif tag in _COLLECTIVES and other is None:
            other = child
    if name is not None:
        last = given = suffix = initials = ""
        for part in name:
            tag = part.tag
            if tag == "surname":
                last = plain_text(part)
            elif tag == "given-names":
                given, initials = plain_text(part), part.get("initials") or ""
            elif tag == "suffix":
                suffix = plain_text(part)
        if not last:
            whole = plain_text(name)
            return Author(ids, whole, given, whole, "")
        whole = f"{given} {last}" if given else last
        return Author(
            ids, last, given, f"{whole} {suffix}" if suffix else whole, initials or initials_of(given)
        )
    if other is not None:
        whole = plain_text(other, _NESTED) or ("Anonymous" if other.tag == "anonymous" else "")
        return Author(ids, "", "", whole, "")
    return Author(ids, "", "", "", "")


def _is_author(contributor: "Element") -> bool:
    """Only contrib-type "author" (B-11); none at all is an author too: old dialects do not say."""
    kind = contributor.get("contrib-type")
    if kind is None:
        group = contributor.getparent()
        kind = group.get("content-type") if group is not None else None
        return kind in (None, "author", "authors")
    return kind == "author"


def read_front(article: "Element") -> Front:
    """The documented metadata of one article; what is doubtful becomes a warning (B-06)."""
    front, meta = front_of(article), meta_of(article)
    result = Front(other={}, affiliations=[], authors=[], keywords=[], warnings=[])
    warn = result.warnings.append
    if front is None or meta is None:
        warn(Warning_("no-front", "the article has no front matter"))
        return result
    result.pmid, result.pmcid, result.doi = identifiers(meta)
    children = children_by_tag(meta)
    for found in children.get("article-id", ()):
        kind = found.get("pub-id-type") or ""
        if kind not in ("pmid", "pmc", "pmcid", "doi") and kind not in result.other:
            result.other[kind] = plain_text(found)
    for name, value in (("pmcid", result.pmcid), ("pmid", result.pmid), ("doi", result.doi)):
        if not value:
            warn(Warning_(f"no-{name}", f"the article has no {name.upper()}"))

    journal = front.find("journal-meta")
    if journal is not None:
        titles = list(journal.iter("journal-title"))
        result.journal = plain_text(titles[0]) if titles else ""
        if len(titles) > 1:
            warn(Warning_("several-journal-titles", f"{len(titles)} journal titles; the first is taken"))
        ids = {
            found.get("journal-id-type") or "": plain_text(found) for found in journal.iterfind("journal-id")
        }
        result.medline_ta = next(
            (ids[kind] for kind in ("nlm-ta", "iso-abbrev") if ids.get(kind)), next(iter(ids.values()), "")
        )
    for field, name in (
        ("issue", "issue"),
        ("volume", "volume"),
        ("start_page", "fpage"),
        ("end_page", "lpage"),
    ):
        elements = children.get(name, [])
        setattr(result, field, plain_text(elements[0]) if elements else "")
        if len(elements) > 1:
            warn(Warning_(f"several-{name}", f"several {name} elements; the first is taken"))

    result.affiliations = _affiliations(meta)
    result.authors = [_author(found) for found in contributors(meta) if _is_author(found)]
    if not result.authors:
        warn(Warning_("no-authors", "the article names no author"))
    result.date = publication_date(children.get("pub-date", []))
    if result.date.status != "ok":
        warn(Warning_("date", f"publication date {result.date.status}"))
    for date in children.get("pub-date", ()):
        if "pmc-release" in (date.get("pub-type"), date.get("date-type")):
            result.pmc_release_date = iso_date(date)
    for keyword in front.iter("kwd", "compound-kwd"):
        text = plain_text(keyword)
        if text:
            result.keywords.append(text)
    if meta.find("title-group/article-title") is None and meta.find("title-group/title") is None:
        warn(Warning_("no-title", "the article has no title"))
    return result


def medline_pgn(start: str, end: str) -> str:
    """`start-end`, `start-?`, `?-end` or "" (B-10)."""
    return f"{start or '?'}-{end or '?'}" if start or end else ""
