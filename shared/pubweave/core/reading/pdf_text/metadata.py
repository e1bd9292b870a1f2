"""Document information and XMP of a PDF as what a publication takes from them (F-PDF-04, F-FILL-08)."""

import re
from collections.abc import Iterable, Mapping
from html import unescape
from typing import TYPE_CHECKING, Final

import msgspec
from lxml import etree

if TYPE_CHECKING:
    Element = etree._Element

MAX_XMP_BYTES: Final = 4 << 20
"""A longer packet is somebody's editing history; nothing in it is read."""

_RDF: Final = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_DC: Final = "{http://purl.org/dc/elements/1.1/}"
_PDF: Final = "{http://ns.adobe.com/pdf/1.3/}"
_OWN_DOI: Final = (
    "{http://prismstandard.org/namespaces/basic/2.0/}doi",
    "{http://prismstandard.org/namespaces/basic/2.1/}doi",
    "{http://prismstandard.org/namespaces/basic/3.0/}doi",
    "{http://crossref.org/crossmark/1.0/}DOI",
    "{http://ns.adobe.com/pdfx/1.3/}doi",
    _DC + "identifier",
)
"""Properties that hold the document's own DOI: PRISM, Crossmark, Adobe's custom properties, Dublin Core."""
_DOI: Final = re.compile(r"(?:doi:\s*|https?://(?:dx\.)?doi\.org/)?(10\.\d{4,9}/\S+)", re.IGNORECASE)
_LANG: Final = "{http://www.w3.org/XML/1998/namespace}lang"

_TAG: Final = re.compile(r"</?[A-Za-z][^<>]*+>")
_TAG_OR_COMMENT: Final = re.compile(r"</?[A-Za-z][^<>]*+>|<!--.*?-->", re.S)
_SEPARATOR: Final = re.compile(r"[,;|]")


class PdfMetadata(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a PDF says of itself, as plain text; "" and () where it says nothing.

    Two layers, because the second is for what is still non-final after the first (F-PDF-04).
    """

    title: str = ""
    """Title of the document information."""
    keywords: tuple[str, ...] = ()
    """Keywords of the document information, split."""
    subject: str = ""
    """Subject of the document information: the abstract, says F-PDF-04."""
    xmp_title: str = ""
    """dc:title."""
    xmp_subjects: tuple[str, ...] = ()
    """dc:subject, then pdf:Keywords."""
    xmp_description: str = ""
    """dc:description."""
    dois: tuple[str, ...] = ()
    """DOIs that XMP gives as the document's own, as they stand there."""


def read_metadata(information: Mapping[str, str | None], xmp: str) -> PdfMetadata:
    """What both layers say.

    :param information: title, keywords, subject under these names
    :param xmp: the packet; one that is broken says as much as can be read of it, and one that cannot be read nothing
    """
    root = _parsed(xmp)
    return PdfMetadata(
        title=plain(information.get("title") or ""),
        keywords=split_keywords([information.get("keywords") or ""]),
        subject=plain(information.get("subject") or ""),
        xmp_title=_one(root, _DC + "title"),
        xmp_subjects=split_keywords([*_all(root, _DC + "subject"), *_all(root, _PDF + "Keywords")]),
        xmp_description=_one(root, _DC + "description"),
        dois=tuple(
            dict.fromkeys(doi for name in _OWN_DOI for value in _all(root, name) if (doi := _doi(value)))
        ),
    )


def plain(value: str) -> str:
    """A value without markup (F-FILL-08), references resolved, in one line."""
    value = unescape(value)
    end = value.rfind("-->") + 1  # behind it nothing is a comment, and looking for one costs
    if end:
        value = _TAG_OR_COMMENT.sub("", value[: end + 2]) + value[end + 2 :]
    return " ".join(unescape(_TAG.sub("", value)).replace("\x00", "").split())


def split_keywords(values: Iterable[str]) -> tuple[str, ...]:
    """Keywords at comma, semicolon and bar (F-PDF-04), markup stripped first; none without a letter or digit, none twice."""
    found: dict[str, None] = {}
    for value in values:
        for one in _SEPARATOR.split(plain(value)):
            if any(map(str.isalnum, one)):
                found.setdefault(one.strip())
    return tuple(found)


def _doi(value: str) -> str:
    found = _DOI.fullmatch(plain(value))
    return found[1] if found else ""


def _parsed(xmp: str) -> "Element | None":
    packet = xmp.strip().strip("\x00")
    if not packet or len(packet) > MAX_XMP_BYTES:
        return None
    parser = etree.XMLParser(
        resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False, recover=True
    )
    try:
        return etree.fromstring(packet.encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def _all(root: "Element | None", name: str) -> list[str]:
    """The values of a property: items of a container, its own text, or attributes of a description."""
    if root is None:
        return []
    found: list[str] = []
    for node in root.iter(name):
        items = list(node.iter(_RDF + "li"))
        default = [item for item in items if item.get(_LANG) == "x-default"]
        texts = (
            ["".join(map(str, one.itertext())) for one in [*default, *items]] if items else [node.text or ""]
        )
        found += texts
    found += [value for node in root.iter(_RDF + "Description") if (value := node.get(name))]
    return found


def _one(root: "Element | None", name: str) -> str:
    return next((text for value in _all(root, name) if (text := plain(value))), "")
