"""Text of an element as one line: inline markup joins, blocks are set apart by a blank (B-12, B-13)."""

from typing import TYPE_CHECKING, Any, Final

from lxml import etree

if TYPE_CHECKING:
    Out = list[str]

MATHML: Final = "{http://www.w3.org/1998/Math/MathML}"
OASIS: Final = (
    "{http://www.niso.org/standards/z39-96/ns/oasis-exchange/table}",
    "{http://docs.oasis-open.org/ns/oasis-exchange/table}",
)
XLINK: Final = "{http://www.w3.org/1999/xlink}"
XML: Final = "{http://www.w3.org/XML/1998/namespace}"

BLANKS: Final = (
    "\xa0", "\u2009", "\u2003", "\u2002", "\u202f", "\u200a", "\u2005", "\u3000", "\u2006", "\u2008", "\u2004", "\u2007",
    "\u2001", "\u2000", "\u2028", "\u2029", "\u205f", "\x85", "\u1680",
)  # fmt: skip
"""The blanks of Unicode beyond ASCII, the commonest first."""


def one_line(text: str) -> str:
    """Collapse line ends, tabs, no-break and repeated spaces to one space, and trim (B-12).

    Of text from XML: there, control characters other than tab and line ends do not exist.
    """
    # most texts are clean already: looking is cheaper than taking the words apart
    if text.isascii():
        if "  " in text or "\n" in text or "\t" in text or "\r" in text:
            return " ".join(text.split())
    elif "  " in text or not text.isprintable():  # a blank that is not the space is not printable
        return " ".join(text.split())
    return text.strip()


INLINE, BLOCK, SKIP, ALTERNATIVES, ENTITY = range(5)

#: elements whose text must not touch its neighbours'
BLOCKS: Final = (
    "p", "title", "label", "caption", "sec", "list", "list-item", "def-list", "def-item", "term", "def", "fig",
    "fig-group", "table-wrap", "table-wrap-group", "table-wrap-foot", "table", "thead", "tbody", "tfoot", "tr", "td", "th",
    "caption", "disp-quote", "disp-formula", "disp-formula-group", "boxed-text", "statement", "verse-group",
    "verse-line", "speech", "speaker", "break", "fn", "fn-group", "supplementary-material", "media", "attrib",
    "preformat", "code", "array", "chem-struct-wrap", "question", "question-wrap", "answer", "answer-set",
    "explanation", "ref", "ref-list", "citation", "element-citation", "mixed-citation", "nlm-citation", "note",
    "notes", "glossary", "app", "ack", "bio", "subtitle", "article-title", "trans-title", "alt-title", "term-head",
    "def-head", "sig", "sig-block", "author-comment", "person-group", "name", "string-name", "surname",
    "given-names", "related-article", "related-object", "product", "address", "addr-line", "index-entry",
    *(space + name for space in OASIS for name in ("table", "tgroup", "thead", "tbody", "row", "entry")),
)  # fmt: skip

#: what is not prose: identifiers, rights, words for a machine or in place of a picture, LaTeX programs
NOT_PROSE: Final = (
    "tex-math",
    "object-id",
    "permissions",
    "alt-text",
    "long-desc",
    "processing-meta",
    "counts",
)

PLAIN_ROLES: Final[dict[Any, int]] = {
    **dict.fromkeys(BLOCKS, BLOCK),
    **dict.fromkeys(NOT_PROSE, SKIP),
    "alternatives": ALTERNATIVES,
    "citation-alternatives": ALTERNATIVES,
    "name-alternatives": ALTERNATIVES,
    "aff-alternatives": ALTERNATIVES,
    "collab-alternatives": ALTERNATIVES,
    MATHML + "annotation": SKIP,
    MATHML + "annotation-xml": SKIP,
    "annotation": SKIP,
    etree.Comment: SKIP,
    etree.ProcessingInstruction: SKIP,
    etree.Entity: ENTITY,
}

_role = PLAIN_ROLES.get


def gather(element: "etree._Element", out: "Out", without: "frozenset[str] | None" = None) -> None:
    """Append the text of `element` to `out`: pieces as they stand, blanks around blocks."""
    text = element.text
    if text:
        out.append(text)
    for child in element:
        tag = child.tag
        role = _role(tag, INLINE)
        if without is not None and tag in without:
            pass
        elif role == INLINE:
            gather(child, out, without)
        elif role == BLOCK:
            out.append(" ")
            gather(child, out, without)
            out.append(" ")
        elif role == ALTERNATIVES:
            for one in child:
                piece: Out = []
                if _role(one.tag) != SKIP:
                    gather(one, piece, without)
                if piece and "".join(piece).strip():
                    out.extend((" ", *piece, " "))
                    break
        elif role == ENTITY:
            out.append(child.text or "")
        text = child.tail
        if text:
            out.append(text)


def plain_text(element: "etree._Element | None", without: "frozenset[str] | None" = None) -> str:
    """The prose of an element on one line, trimmed; "" for None."""
    if element is None:
        return ""
    if not len(element):
        text = element.text
        return " ".join(text.split()) if text else ""
    out: Out = []
    gather(element, out, without)
    return one_line("".join(out))


FORMATS: Final = frozenset(
    {"italic", "bold", "sup", "sub", "sc", "underline", "monospace", "roman", "sans-serif", "styled-content", "strike",
     "overline", "x", "named-content"}
)  # fmt: skip
"""Markup inside words: it never sets a blank."""


def _gather_parts(element: "etree._Element", out: "Out", without: frozenset[str]) -> None:
    text = element.text
    if text:
        out.append(text)
    bare = not text
    for child in element:
        tag = child.tag
        if tag in without or not isinstance(tag, str):
            out.append(" ")
        elif tag in FORMATS:
            gather(child, out)
        else:
            if bare:
                out.append(" ")
            _gather_parts(child, out, without)
        text = child.tail
        if text:
            out.append(text)
        bare = not text and tag not in FORMATS


def parts_text(element: "etree._Element | None", without: frozenset[str] = frozenset()) -> str:
    """Text of an element whose parts follow each other without punctuation (addresses): they are set apart."""
    if element is None:
        return ""
    if not len(element):
        text = element.text
        return " ".join(text.split()) if text else ""
    out: Out = []
    _gather_parts(element, out, without)
    return one_line("".join(out))


def attribute(element: "etree._Element", name: str) -> str:
    """An attribute by its local name, in its right namespace or (as some feeds write) in another or none."""
    value = element.get(XLINK + name) or element.get(name)
    if value is None:
        for key, other in element.attrib.items():
            if str(key).rpartition("}")[2] == name:
                return str(other)
        return ""
    return value
