"""From the bytes of a page or a document to text: which character set, and how it was found out.

The order is the one of browsers: byte order mark, HTTP header, what the page says of itself (meta or XML
declaration), and only then guessing. Names mean what the Encoding Standard says they mean (`iso-8859-1` is
windows-1252).
"""

from __future__ import annotations

import codecs
import re
from typing import Literal

import charset_normalizer
import msgspec

How = Literal["bom", "header", "meta", "utf-8", "guessed", "fallback"]

SNIFFED_BYTES = 4096
"""How far into the page its own declaration is looked for; browsers look at 1024, real pages have it later."""

GUESSED_BYTES = 16_384
"""How much of a page is guessed from."""

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_BE, "utf-16-be"), (codecs.BOM_UTF16_LE, "utf-16-le"))
_IN_HEADER = re.compile(r"charset\s*+=\s*+(?:[\"']\s*+)?([^\s\"';,]+)", re.IGNORECASE)
_IN_PAGE = re.compile(rb"<meta\b[^>]*?charset\s*+=\s*+(?:[\"']\s*+)?([^\s\"'/>;]+)", re.IGNORECASE)
_IN_XML = re.compile(rb"^\s*<\?xml\b[^>]*?encoding\s*=\s*[\"']([^\"']+)[\"']", re.IGNORECASE)

# Encoding Standard, section 4.2, as far as Python's names differ in meaning.
_MEANT = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}


_NO_CHARSETS = frozenset(("idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape", "utf-7"))
"""Codecs of Python that no browser takes for a character set; some cost by the square, some refuse every text."""
_LONGEST_NAME = 40


class DecodedPage(msgspec.Struct, frozen=True):
    """The text, Python's name of the character set, and how it was found.

    `utf8` is the body itself where it already is the text in UTF-8.
    """

    text: str
    charset: str
    how: How
    utf8: bytes | None = None


def decode_page(body: bytes, content_type: str = "") -> DecodedPage:
    """The page as text. Never fails: what cannot be decoded becomes U+FFFD.

    `content_type` is the HTTP header's value. A declared UTF-8 that the bytes are not is passed over for the next
    declaration.
    """
    for mark, charset in _BOMS:
        if body.startswith(mark):
            return DecodedPage(body[len(mark) :].decode(charset, "replace"), charset, "bom")
    declared: list[tuple[str, How]] = []
    if said := _IN_HEADER.search(content_type):
        declared.append((said[1], "header"))
    head = body[:SNIFFED_BYTES]
    if in_page := _IN_PAGE.search(head) or _IN_XML.search(head):
        # A page that can be read as ASCII up to its declaration is not UTF-16, whatever it says.
        name = in_page[1].decode("ascii", "replace")
        declared.append(("utf-8" if name.lower().startswith("utf-16") else name, "meta"))
    last_resort: tuple[str, How] | None = None
    for name, how in declared:
        known = python_name(name)
        if known is None:
            continue
        try:
            return DecodedPage(body.decode(known), known, how, body if known == "utf-8" else None)
        except UnicodeError:
            last_resort = last_resort or (known, how)
    try:
        return DecodedPage(body.decode("utf-8"), "utf-8", "utf-8", body)
    except UnicodeDecodeError:
        pass
    if last_resort is not None:
        return DecodedPage(body.decode(last_resort[0], "replace"), *last_resort)
    best = charset_normalizer.from_bytes(body[:GUESSED_BYTES]).best()
    if best is not None:
        known = python_name(best.encoding) or "cp1252"
        return DecodedPage(body.decode(known, "replace"), known, "guessed")
    return DecodedPage(body.decode("cp1252", "replace"), "cp1252", "fallback")


def python_name(label: str) -> str | None:
    """Python's name for a label found on the web; None if it is none, or no character set of texts."""
    name = label.strip()
    if len(name) > _LONGEST_NAME:
        return None
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        return None
    if found.name.replace("_", "-") in _NO_CHARSETS or not getattr(found, "_is_text_encoding", True):
        return None
    return _MEANT.get(found.name, found.name)
