"""XML that is no page: feeds and data, as the text in it (a browser would show tags, and hints about itself)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from pubweave.core.reading.jats.errors import MalformedJats
from pubweave.core.reading.jats.xml import parse_xml
from pubweave.core.reading.layout import collapse, formatted_text
from pubweave.core.reading.pages.document import parsed

if TYPE_CHECKING:
    from lxml import etree

    Element = etree._Element

_PROLOGUE: Final = re.compile(
    rb"(?:[\s\xef\xbb\xbf]++|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*+(?:\[.*?\]\s*+)?>)*+", re.S | re.I
)
_ROOT: Final = re.compile(rb"<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)")
_FEEDS: Final = frozenset(("rss", "feed", "RDF"))
_SAID_OF_ITEMS: Final = ("title", "subtitle", "description", "summary", "encoded", "content", "tagline")
_ITEMS: Final = frozenset(("item", "entry"))
_MARKUP: Final = re.compile(r"<[a-zA-Z/][^<>]*>|&[a-zA-Z#]\w*;")
_HEAD: Final = 1 << 16


class XmlRead(NamedTuple):
    """A feed's own title, else ""; and the text, items a paragraph each, what they say a line each."""

    title: str
    content: str


def is_xml(body: bytes, content_type: str = "") -> bool:
    """Whether a reply is XML and no page, by what it says of itself and by its root element."""
    type_ = content_type.partition(";")[0].strip().lower()
    if type_ == "application/xhtml+xml":
        return False
    head = body[:_HEAD]
    prologue = _PROLOGUE.match(head)
    root = _ROOT.match(head, prologue.end() if prologue is not None else 0)
    if (
        root is None
        or root[1].lower() == b"html"
        or (prologue is not None and b"<!doctype html" in prologue[0].lower())
    ):
        return False
    if root[1].decode("ascii", "replace") in _FEEDS:
        return True
    if type_ in ("text/xml", "application/xml") or type_.endswith("+xml"):
        return True
    return type_ in ("", "text/plain") and head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<?xml")


def read_xml(body: bytes) -> XmlRead | None:
    """The text of XML; None if it is broken beyond mending, or would blow up."""
    try:
        root = parse_xml(body)
    except MalformedJats:
        return None
    if _name(root) in _FEEDS:
        return _feed(root)
    return XmlRead("", "\n".join(_lines(root)))


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _text(element: Element) -> str:
    """The text of an element; markup that stands in it as letters, as feeds have it, is read as such."""
    text = "".join(map(str, element.itertext()))
    if _MARKUP.search(text) is None:
        return collapse(text)
    body = parsed(text).body
    return formatted_text(body) if body is not None else collapse(text)


def _feed(root: Element) -> XmlRead:
    titles = (_text(element) for element in root.iter() if _name(element) == "title")
    title = next(titles, "")
    paragraphs: list[str] = []
    for element in root.iter():
        name = _name(element)
        is_item = name in _ITEMS
        if not is_item and name != "channel" and element is not root:
            continue
        said: dict[str, None] = {}
        for wanted in _SAID_OF_ITEMS:
            for child in element:
                if _name(child) == wanted and (text := _text(child)) and (is_item or text != title):
                    said[text] = None
        if said:
            paragraphs.append("\n".join(_longest_first_kept(list(said))))
    return XmlRead(title, "\n\n".join(paragraphs))


def _longest_first_kept(texts: list[str]) -> list[str]:
    """Without those that another one holds whole: a feed gives a summary, and the text that begins with it."""
    return [one for one in texts if not any(one is not other and one in other for other in texts)]


def _lines(root: Element) -> Iterator[str]:
    """A line for each element with words of its own."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        children = [child for child in element if isinstance(child.tag, str)]
        mixed = bool((element.text or "").strip()) or any((child.tail or "").strip() for child in children)
        if not children or mixed:
            if text := _text(element):
                yield text
        else:
            waiting.extend(reversed(children))
