"""References as data: people, title, source, place and identifiers of every entry of a reference list."""

import re
from typing import TYPE_CHECKING, Any, Final

from pubweave.core.reading.jats.document import Content, Reference, ReferencePerson
from pubweave.core.reading.jats.text import attribute, plain_text

if TYPE_CHECKING:
    from lxml import etree

    Element = etree._Element

CITATIONS: Final = ("element-citation", "mixed-citation", "citation", "nlm-citation")
SIMPLE: Final = {
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


TELLING: Final = frozenset(
    {
        *SIMPLE,
        *_TITLES,
        "pub-id",
        "object-id",
        "ext-link",
        "uri",
        "etal",
        "comment",
        "name",
        "string-name",
        "collab",
    }
)
"""Elements of a citation that `read_part` makes something of, beside those that only hold others."""


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


def read_part(child: "Element", tag: Any, made: Reference, role: str) -> None:
    """What one element of a citation tells about it, with all that is in it; its tag is given for speed."""
    if tag == "name" or tag == "string-name" or tag == "collab":
        made.people.append(_person(child, role))
        return
    field = SIMPLE.get(tag)
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


def _walk(element: "Element", made: Reference, role: str) -> None:
    for child in element:
        read_part(child, child.tag, made, role)


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
        elif tag in CITATIONS:
            citations.append(child)
    found = [begin_reference(element, citation, label or "") for citation in citations]
    for citation, made in zip(citations, found, strict=True):
        _walk(citation, made, "author")
    if sorted(citation.tag for citation in citations) == ["element-citation", "mixed-citation"]:
        found = [_of_twins(*(found if citations[0].tag == "element-citation" else reversed(found)))]
    return finish_references(found, citations[-1].tag if citations else "", content)


def _of_twins(apart: Reference, mixed: Reference) -> Reference:
    """One reference that is given twice: what is taken apart tells, with identifiers that only the other has."""
    made, other = (apart, mixed) if _is_structured(apart) else (mixed, apart)
    made.doi = made.doi or other.doi
    made.pmid = made.pmid or other.pmid
    made.pmcid = made.pmcid or other.pmcid
    made.other_ids = {**other.other_ids, **made.other_ids}
    made.urls = made.urls or other.urls
    return made


def _is_structured(made: Reference) -> bool:
    return bool(made.people or made.title or made.source or made.year)


def begin_reference(element: "Element", citation: "Element", label: str) -> Reference:
    """An empty entry for one citation of a `ref`."""
    kind = citation.get("publication-type") or citation.get("citation-type") or ""
    return Reference(element.get("id") or "", "", label, kind, people=[], urls=[], other_ids={})


def finish_references(found: list[Reference], last_tag: Any, content: Content) -> list[Reference]:
    """Those of the citations of one `ref` that stand, told where their text is."""
    for made in found:
        made.content = content.id
    if len(found) == 1 and not found[0].doi and last_tag != "element-citation":
        text = content.text
        if isinstance(text, str) and "10." in text:
            found[0].doi = clean_doi(text)
    # a reference given twice, once for reading and once taken apart, is one
    structured = [made for made in found if _is_structured(made)]
    return structured or found[:1]
