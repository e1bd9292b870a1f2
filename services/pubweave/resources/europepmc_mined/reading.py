"""Text-mined terms: replies of Europe PMC's annotations API (XML and JSON) and of the older summary endpoints.

Sources: https://europepmc.org/AnnotationsApi; F-MIN-03, F-MIN-04, F-MIN-06, D-12, D-13.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

import msgspec

from pubweave.contract.values import MinedTerm
from pubweave.core.reading.jats.errors import MalformedJats
from pubweave.core.reading.jats.xml import parse_xml

if TYPE_CHECKING:
    from lxml import etree

    Element = etree._Element


class MalformedAnnotations(ValueError):
    """The reply is no list of annotated articles."""


class Annotation(msgspec.Struct, frozen=True):
    """One annotation: what the text says, how often, and the address of its first tag."""

    type: str
    exact: str
    uri: str
    frequency: int


class AnnotatedArticle(msgspec.Struct, frozen=True):
    """One article of a reply."""

    names: tuple[str, ...]
    """The article ids it can have been asked by: `MED:123`, `PMC:PMC123`."""
    annotations: tuple[Annotation, ...]


def _names(source: str, ext_id: str, pmcid: str) -> tuple[str, ...]:
    """PMCIDs come with and without prefix, and as `extId` of source PMC."""
    numbers = (pmcid, ext_id if source == "PMC" else "")
    names = [f"{source}:{ext_id}"] if source and ext_id else []
    names += ["PMC:PMC" + number.upper().removeprefix("PMC") for number in numbers if number]
    return tuple(dict.fromkeys(names))


def _frequency(text: str) -> int:
    """1 where nothing or no number is given; what a number says otherwise (F-MIN-03)."""
    text = text.strip()
    try:
        return int(text) if text else 1
    except ValueError:
        return 1


# --- JSON


class _Tag(msgspec.Struct):
    uri: str | None = None


class _ReplyAnnotation(msgspec.Struct):
    type: str | None = None
    exact: str | None = None
    tags: list[_Tag] | None = None
    frequency: Any = None


class _Article(msgspec.Struct):
    source: str | None = None
    extId: str | None = None
    pmcid: str | None = None
    annotations: list[_ReplyAnnotation] | None = None


_json: Final = msgspec.json.Decoder(list[_Article])


def read_json(body: bytes) -> list[AnnotatedArticle]:
    """Read a JSON reply.

    :raises MalformedAnnotations: not JSON, or not a list of articles
    """
    try:
        articles = _json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise MalformedAnnotations(f"not a list of annotated articles: {error}") from None
    return [
        AnnotatedArticle(
            _names(article.source or "", article.extId or "", article.pmcid or ""),
            tuple(
                Annotation(
                    one.type or "",
                    one.exact or "",
                    (one.tags[0].uri or "") if one.tags else "",
                    1 if one.frequency is None else _frequency(str(one.frequency)),
                )
                for one in article.annotations or ()
            ),
        )
        for article in articles
    ]


# --- XML


def _text(element: "Element | None") -> str:
    return "" if element is None else element.text or ""


def _annotation(element: "Element") -> Annotation:
    type_ = exact = uri = ""
    frequency = 1
    for member in element:
        match member.tag:
            case "exact":
                exact = member.text or ""
            case "type":
                type_ = member.text or ""
            case "tags" if len(member):
                uri = _text(member[0].find("uri"))
            case "frequency":
                frequency = _frequency(member.text or "")
    return Annotation(type_.strip(), exact, uri.strip(), frequency)


def read_xml(body: bytes) -> list[AnnotatedArticle]:
    """Read an XML reply.

    :raises MalformedAnnotations: not well-formed, or not a list of articles
    """
    try:
        root = parse_xml(body)
    except MalformedJats as error:
        raise MalformedAnnotations(str(error)) from None
    if root.tag not in ("List", "ArrayList"):
        raise MalformedAnnotations(f"<{root.tag}> where a list of annotated articles was expected")
    articles = []
    for item in root:
        if item.tag == "error":
            raise MalformedAnnotations(f"an error instead of articles: {_text(item).strip()[:200]}")
        found = item.find("annotations")
        articles.append(
            AnnotatedArticle(
                _names(
                    _text(item.find("source")).strip(),
                    _text(item.find("extId")).strip(),
                    _text(item.find("pmcid")).strip(),
                ),
                tuple(_annotation(one) for one in (() if found is None else found)),
            )
        )
    return articles


# --- terms


def mined_terms(annotations: Iterable[Annotation]) -> tuple[MinedTerm, ...]:
    """Group by address: count is the sum of frequencies, term the most frequent exact text (F-MIN-03, 04).

    Most frequent first. Ties, of terms and of spellings, keep the order of first appearance.
    """
    groups: dict[str, dict[str, int]] = {}
    for one in annotations:
        exact = " ".join(one.exact.split())
        if exact and one.uri and one.frequency > 0:
            spellings = groups.setdefault(one.uri, {})
            spellings[exact] = spellings.get(exact, 0) + one.frequency
    terms = [
        MinedTerm(max(spellings, key=spellings.__getitem__), sum(spellings.values()), uri)
        for uri, spellings in groups.items()
    ]
    return tuple(sorted(terms, key=lambda term: -term.count))


# --- the older endpoints

_EFO_URI: Final = "http://www.ebi.ac.uk/efo/"
_OBO_URI: Final = "http://purl.obolibrary.org/obo/"


def _uri_of_id(database: str, id_: str) -> str:
    """EFO and GO ids become the addresses that the annotations API gives (D-13)."""
    id_ = id_.strip()
    if not id_:
        return ""
    if database.upper().startswith("GO"):
        digits = "".join(letter for letter in id_ if letter.isdigit())
        return f"{_OBO_URI}GO_{digits}" if digits else ""
    if id_.isdigit():
        id_ = f"EFO_{id_}"
    return _EFO_URI + id_.replace(":", "_")


def read_old_summary(body: bytes) -> tuple[MinedTerm, ...]:
    """The terms of a `textMinedTerms` reply; a term with several database ids counts for the first.

    :raises MalformedAnnotations: not well-formed, or not a reply of that endpoint
    """
    try:
        root = parse_xml(body)
    except MalformedJats as error:
        raise MalformedAnnotations(str(error)) from None
    if root.tag != "responseWrapper":
        raise MalformedAnnotations(f"<{root.tag}> where a summary of terms was expected")
    found = []
    for entry in root.iter("tmSummary"):
        ids = next(entry.iter("dbId"), None)
        uri = _uri_of_id(_text(entry.find("dbName")), _text(ids))
        found.append(Annotation("", _text(entry.find("term")), uri, _frequency(_text(entry.find("count")))))
    return mined_terms(found)
