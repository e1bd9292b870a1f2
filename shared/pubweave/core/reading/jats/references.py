"""References as data: people, title, source, place and identifiers of every entry of a reference list."""

import re
from typing import TYPE_CHECKING, Any, Final

from pubweave.core.reading.jats.document import Content, Reference, ReferencePerson
from pubweave.core.reading.jats.text import attribute, plain_text

if TYPE_CHECKING:
    from lxml import etree

    Element = etree._Element

_CITATIONS: Final = ("element-citation", "mixed-citation", "citation", "nlm-citation")
_SIMPLE: Final = {
    "year": "year", "volume": "volume", "issue": "issue", "fpage": "first_page", "lpage": "last_page",
    "elocation-id": "elocation_id", "source": "source", "publisher-name": "publisher",
}  # fmt: skip
_TITLES: Final = frozenset({"article-title", "chapter-title", "part-title", "data-title", "trans-title"})
_DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>]+")


def _text(element: "Element") -> str:
    if len(element):
        return plain_text(element)
    text = element.text
    return " ".join(text.split()) if text else ""


def _person(element: "Element", role: str) -> ReferencePerson:
    surname = given = ""
    for child in element:
        tag = child.tag
        if tag == "surname":
            text = child.text
            # nearly all names are one clean word
            surname = text if text and text.isalpha() and not len(child) else _text(child)
        elif tag == "given-names":
            text = child.text
            given = text if text and text.isalpha() and not len(child) else _text(child)
    if surname:
        return ReferencePerson(surname, given, "", role)
    return ReferencePerson("", "", _text(element), role)


def clean_doi(text: str) -> str:
    """A DOI out of the ways in which reference lists write it; "" if there is none."""
    found = _DOI.search(text)
    if not found:
        return ""
    doi = found[0].rstrip(".,;")
    return doi[:-1] if doi.endswith(")") and doi.count("(") < doi.count(")") else doi


def _identifier(made: Reference, kind: str, text: str) -> None:
    if kind == "doi":
        made.doi = made.doi or clean_doi(text)
    elif kind == "pmid" and text.isdecimal():
        made.pmid = made.pmid or text
    elif kind in ("pmc", "pmcid"):
        digits = text.upper().removeprefix("PMC")
        if digits.isdecimal():
            made.pmcid = made.pmcid or f"PMC{digits}"
    elif text:
        made.other_ids = {**made.other_ids, kind or "id": text}


def _walk(element: "Element", made: Reference, role: str) -> None:
    people = made.people
    for child in element:
        tag: Any = child.tag
        if tag == "name" or tag == "string-name" or tag == "collab":
            people.append(_person(child, role))
            continue
        field = _SIMPLE.get(tag)
        if field is not None:
            if not getattr(made, field):
                setattr(made, field, _text(child))
        elif tag == "person-group":
            _walk(child, made, child.get("person-group-type") or role)
        elif tag in _TITLES:
            if not made.title:
                made.title = _text(child)
        elif tag == "pub-id" or tag == "object-id":
            _identifier(made, (child.get("pub-id-type") or "").lower(), _text(child))
        elif tag == "ext-link" or tag == "uri":
            href = attribute(child, "href") or _text(child)
            kind = (child.get("ext-link-type") or "").lower()
            if kind == "doi" or "doi.org/" in href:
                made.doi = made.doi or clean_doi(href)
            elif kind in ("pmid", "pmc", "pmcid"):
                _identifier(made, kind, href)
            elif href and href not in made.urls:
                made.urls.append(href)
        elif tag == "etal":
            made.et_al = True
        elif tag == "comment" and not len(child):
            if not made.doi:
                made.doi = clean_doi(child.text or "")
        elif isinstance(tag, str) and len(child):
            _walk(child, made, role)


def read_references(element: "Element", content: Content) -> list[Reference]:
    """The references of one `ref`: one for each citation in it (1a, 1b), alternatives of the same counting as one."""
    label: str | None = None
    citations: list[Element] = []
    for child in element:
        tag: Any = child.tag
        if tag == "label" and label is None:
            label = _text(child)
            continue
        if tag == "citation-alternatives":
            best = child.find("element-citation")
            if best is None:
                best = next((one for one in child if isinstance(one.tag, str)), None)
            if best is not None:
                citations.append(best)
        elif tag in _CITATIONS:
            citations.append(child)
    found = []
    for citation in citations:
        kind = citation.get("publication-type") or citation.get("citation-type") or ""
        made = Reference(
            element.get("id") or "", content.id, label or "", kind, people=[], urls=[], other_ids={}
        )
        _walk(citation, made, "author")
        if not made.doi and citation.tag != "element-citation" and "10." in (content.text or ""):
            made.doi = clean_doi(str(content.text)) if len(citations) == 1 else ""
        found.append(made)
    # a reference given twice, once for reading and once taken apart, is one
    structured = [made for made in found if made.people or made.title or made.source or made.year]
    return structured or found[:1]
