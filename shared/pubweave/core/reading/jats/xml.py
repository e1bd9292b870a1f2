"""From bytes to a safe tree: bounded, never the network, never another file.

Bounds: `max_bytes` for the document, and those of libxml2 without its "huge" mode: 256 levels, 10 MB for one
text or attribute. What feeds and repositories break most often is mended (a blank line before the declaration,
a wrong encoding label, bare ampersands, undeclared prefixes, control characters); anything else is refused with
a sentence.
"""

import re
from typing import Final

from lxml import etree

from pubweave.core.reading.charset import python_name
from pubweave.core.reading.jats.entities import declarations, spell_out
from pubweave.core.reading.jats.errors import MalformedJats

MAX_BYTES: Final = 64 << 20

FORBIDDEN_DOWNLOAD: Final = "does not allow downloading"
"""Part of the comment by which PMC says that a publisher withholds the full text."""

_BLANKS: Final = b" \t\r\n"
_BOM: Final = b"\xef\xbb\xbf"
_ENCODING = re.compile(
    rb"""(<\?xml\s[^>]{0,256}?)\s{1,16}encoding\s{0,16}=\s{0,16}["']([A-Za-z][\w.:-]*)["']"""
)
_BARE_AMPERSAND = re.compile(rb"&(?!#[0-9]{1,7};|#x[0-9A-Fa-f]{1,6};|(?:amp|lt|gt|quot|apos);)")
_BAD_REFERENCE = re.compile(rb"&#(?:x([0-9A-Fa-f]{1,6})|([0-9]{1,7}));")
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_ROOT = re.compile(rb"<([A-Za-z_][\w.:-]*)((?:\s[^<>]*?)?)(/?)>", re.S)
_PREFIX = re.compile(rb"""(?:</?|\s(?=[\w.:-]+\s*=\s*["']))([A-Za-z_][\w.-]*):[A-Za-z_]""")

_NAMESPACES: Final = {
    b"xlink": b"http://www.w3.org/1999/xlink",
    b"mml": b"http://www.w3.org/1998/Math/MathML",
    b"xsi": b"http://www.w3.org/2001/XMLSchema-instance",
    b"ali": b"http://www.niso.org/schemas/ali/1.0/",
    b"oasis": b"http://www.niso.org/standards/z39-96/ns/oasis-exchange/table",
}

_ARTICLE_TAGS: Final = ("article", "book-part", "book-part-wrapper")


def _parser(keep_comments: bool) -> etree.XMLParser:
    return etree.XMLParser(
        load_dtd=False,
        no_network=True,
        resolve_entities=False,
        huge_tree=False,
        remove_comments=not keep_comments,
        remove_pis=True,
        strip_cdata=True,
    )


# made once: lxml gives each thread a context of its own
_PARSERS: Final = (_parser(False), _parser(True))


def _doctype(data: bytes) -> tuple[int, int, bytes] | None:
    """Start, end and internal subset of the document type declaration, if one stands before the root."""
    start = data.find(b"<!DOCTYPE", 0, 65536)
    if start < 0 or _ROOT.search(data, 0, start):
        return None
    place, quote, depth, subset_from, subset_to = start + 9, 0, 0, 0, 0
    end = len(data)
    while place < end:
        byte = data[place]
        if quote:
            quote = 0 if byte == quote else quote
        elif depth and data.startswith(b"<!--", place):
            closed = data.find(b"-->", place)
            if closed < 0:
                break
            place = closed + 2
        elif byte in b"\"'":
            quote = byte
        elif byte == 0x5B:
            depth += 1
            subset_from = subset_from or place + 1
        elif byte == 0x5D:
            depth -= 1
            subset_to = place
        elif byte == 0x3E and depth <= 0:
            return start, place + 1, data[subset_from:subset_to] if subset_from else b""
        if place - start > 1 << 20:
            raise MalformedJats("the document type declaration is longer than 1 MiB")
        place += 1
    raise MalformedJats("the document type declaration does not end")


def _decoded(data: bytes) -> bytes:
    """UTF-16 and UTF-32 as UTF-8, because named entities are sought in bytes; others as they are."""
    for mark, encoding in (
        (b"\xff\xfe\x00\x00", "utf-32"), (b"\x00\x00\xfe\xff", "utf-32"), (b"\xff\xfe", "utf-16"),
        (b"\xfe\xff", "utf-16"), (b"<\x00", "utf-16-le"), (b"\x00<", "utf-16-be"),
    ):  # fmt: skip
        if data.startswith(mark):
            try:
                text = data.decode(encoding)
            except UnicodeDecodeError as error:
                raise MalformedJats(f"the document is no valid {encoding}: {error.reason}") from None
            return _without_encoding(text.encode())
    return data


def _without_encoding(data: bytes) -> bytes:
    """The document without the label that its declaration gives to its encoding."""
    return _ENCODING.sub(rb"\1", data[:256], count=1) + data[256:]


def _prepared(data: bytes, max_bytes: int) -> bytes:
    if len(data) > max_bytes:
        raise MalformedJats(f"the document has {len(data)} bytes, more than the {max_bytes} that are read")
    data = _decoded(data)
    if data[:3] == _BOM:
        data = data[3:]
    if data[:1] in (b" ", b"\n", b"\r", b"\t"):
        data = data.lstrip(_BLANKS)
    if not data:
        raise MalformedJats("the document is empty")
    doctype = _doctype(data)
    declared = None
    if doctype is not None and doctype[2]:
        start, end, subset = doctype
        declared = declarations(subset)
        data = data[:start] + b"\n" * data.count(b"\n", start, end) + data[end:]
    return spell_out(data, declared)


def _mended(data: bytes) -> bytes:
    """The document with its commonest breakages mended; called only after a first parse failed."""
    declared = _ENCODING.search(data, 0, 256)
    encoding = python_name(declared[2].decode()) if declared else "utf-8"
    try:
        if encoding is None:
            raise LookupError
        data.decode(encoding)
    except (UnicodeError, LookupError):
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            text = data.decode("cp1252", "replace")
        data = _without_encoding(text.encode())
    data = _CONTROL.sub(b"", data)

    def legal(match: re.Match[bytes]) -> bytes:
        number = int(match[1], 16) if match[1] else int(match[2])
        legal_character = number in (9, 10, 13) or 0x20 <= number < 0xD800 or 0xE000 <= number <= 0xFFFD
        return match[0] if legal_character or 0x10000 <= number <= 0x10FFFF else b""

    data = _BAD_REFERENCE.sub(legal, data)
    data = _BARE_AMPERSAND.sub(b"&amp;", data)
    root = _ROOT.search(data)
    if root is not None:
        used = {prefix for prefix in _PREFIX.findall(data) if prefix not in (b"xml", b"xmlns")}
        missing = sorted(prefix for prefix in used if b"xmlns:" + prefix not in root[2])
        spaces = b"".join(
            b' xmlns:%s="%s"' % (prefix, _NAMESPACES.get(prefix, b"urn:undeclared:" + prefix))
            for prefix in missing[:100]
        )
        data = data[: root.end(1)] + spaces + data[root.end(1) :]
    return data


def parse_xml(data: bytes, *, max_bytes: int = MAX_BYTES) -> "etree._Element":
    """The root element of a JATS document or of a reply that wraps articles.

    Comments and processing instructions are left out (but the comment that says a publisher withholds the text
    is kept), named entities are characters. Wrappers (`pmc-articleset`, OAI) are accepted: see `articles`.

    :raises MalformedJats: empty, too large, too deep, entity bomb, or not well-formed beyond mending
    """
    prepared = _prepared(data, max_bytes)
    keep_comments = FORBIDDEN_DOWNLOAD.encode() in prepared
    try:
        return _tidied(etree.fromstring(prepared, _PARSERS[keep_comments]), keep_comments)
    except etree.XMLSyntaxError as error:
        reason = _reason(error)
    if "Resource limit" in reason or "Excessive depth" in reason:
        raise MalformedJats(f"the document is beyond the limits of a safe reading: {reason}")
    try:
        return _tidied(etree.fromstring(_mended(prepared), _PARSERS[keep_comments]), keep_comments)
    except etree.XMLSyntaxError:
        raise MalformedJats(f"the document is not well-formed XML: {reason}") from None


def _tidied(root: "etree._Element", comments: bool) -> "etree._Element":
    """The tree without comments, but for PMC's, which go to the end of their article."""
    if comments:
        found = [
            (next(comment.iterancestors("article"), root), comment.text or "")
            for comment in root.iter(etree.Comment)
        ]
        etree.strip_elements(root, etree.Comment, with_tail=False)
        for place, text in found:
            if FORBIDDEN_DOWNLOAD in text:
                place.append(etree.Comment(text))
    return root


def _reason(error: etree.XMLSyntaxError) -> str:
    text = str(error.msg or error)
    return " ".join(text.split())[:300]


def _without_namespace(root: "etree._Element", namespace: str) -> None:
    """Take the wrongly put namespace of JATS elements off, in place."""
    prefix = f"{{{namespace}}}"
    for element in root.iter(prefix + "*"):
        element.tag = str(element.tag)[len(prefix) :]


def articles(root: "etree._Element") -> list["etree._Element"]:
    """The articles of a reply in document order (BITS chapters count as articles); [] if there is none.

    JATS elements in a namespace of their own (which no JATS has, and some feeds write) lose it, in place.
    """
    if root.tag in _ARTICLE_TAGS:
        return [root]
    found = [element for element in root.iter("article", "book-part") if not _inside_article(element)]
    if found:
        return found
    for element in root.iter("{*}article", "{*}book-part"):
        name = str(element.tag)
        if name[0] == "{":
            _without_namespace(root, name[1:].partition("}")[0])
            return articles(root)
    return []


def _inside_article(element: "etree._Element") -> bool:
    return next(element.iterancestors("article", "book-part"), None) is not None


def complete_articles(data: bytes, *, max_bytes: int = MAX_BYTES) -> tuple[list["etree._Element"], bool]:
    """The whole articles of a reply, and whether the reply breaks off after (or amid) them.

    :raises MalformedJats: too large, too deep, an entity bomb, or not even the start of XML
    """
    try:
        return articles(parse_xml(data, max_bytes=max_bytes)), False
    except MalformedJats:
        prepared = _prepared(data, max_bytes)
    found: list[etree._Element] = []
    parser = etree.XMLPullParser(
        events=("end",), tag=("article", "{*}article"), load_dtd=False, no_network=True, resolve_entities=False,
        remove_comments=FORBIDDEN_DOWNLOAD.encode() not in prepared, remove_pis=True,
    )  # fmt: skip
    try:
        parser.feed(prepared)
        parser.close()
    except etree.XMLSyntaxError as error:
        reason = _reason(error)
        if "Resource limit" in reason or "Excessive depth" in reason:
            raise MalformedJats(f"the document is beyond the limits of a safe reading: {reason}") from None
    found.extend(element for _, element in parser.read_events() if isinstance(element, etree._Element))
    if not found and prepared[:1] != b"<":
        raise MalformedJats("the document is not XML")
    return [article for element in found for article in articles(element)], True
