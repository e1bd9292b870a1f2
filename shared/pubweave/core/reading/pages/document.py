"""A parsed page and what every reader of pages asks of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from pubweave.core.reading.charset import decode_page
from pubweave.core.reading.cleaning import HIDDEN, Block, main_blocks
from pubweave.core.reading.layout import collapse, text_of
from pubweave.core.reading.meta_tags import MetaTags
from pubweave.core.reading.pages.findings import KeyRead
from pubweave.core.reading.selectors import PatternTooSlow, Selector

_SELF_CLOSED = re.compile(
    r"<((?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b)[A-Za-z][\w:-]*+)"
    r"([^<>]*+)(?<=/)>",
    re.IGNORECASE,
)
_USUAL_SIZE = 200_000
_WINDOW = 16_384
_MANY = 2_000
_DEEP = 20_000
_TAG = re.compile(r"<([A-Za-z][\w:-]*+)[^<>]*+>")
_ANY_TAG = re.compile(r"<(/?)([A-Za-z][\w:-]*+)[^<>]*+>")
# Elements that hold nothing, or that the next of their kind closes.
_LEAVES = frozenset(
    (
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
        "p", "li", "dd", "dt", "option", "tr", "td", "th", "path", "use", "script", "a",
    )
)  # fmt: skip
_TOO_SLOW = "a regular expression ran out of time"
_LINE_ENDS = re.compile(r"[\t\r\n]+")


def as_html(text: str) -> str:
    """The page as an HTML parser reads it right: in XHTML `<a id="x"/>` is closed, in HTML it is open.

    Only what says of itself that it is XML is touched.
    """
    if not text[:64].lstrip("\ufeff \t\r\n").startswith("<?xml"):
        return text
    return _SELF_CLOSED.sub(lambda found: f"<{found[1]}{found[2][:-1]}></{found[1]}>", text)


def bounded(text: str) -> str:
    """The page without what is made to choke parsers: tags with thousands of attributes, elements nested by the
    ten thousand. Both take a parser time by their square. Pages of usual size are not looked at."""
    if len(text) < _USUAL_SIZE:
        return text
    # A tag that long fills at least one of these windows.
    if any(text.find(">", at, at + _WINDOW) < 0 for at in range(0, len(text) - _WINDOW, _WINDOW)):
        text = _TAG.sub(lambda found: found[0] if found[0].count("=") < _MANY else f"<{found[1]}>", text)
    tags = text.count("<")
    if tags > _DEEP and tags - 2 * text.count("</") > _DEEP:
        depth = 0
        for found in _ANY_TAG.finditer(text):
            name = found[2].lower()
            if name in _LEAVES:
                continue
            depth = max(0, depth - 1) if found[1] else depth + 1
            if depth > _DEEP:
                return text[: found.start()]
    return text


def parsed(text: str | bytes) -> LexborHTMLParser:
    """The page's tree. Without mutation events, which nobody listens to, the parse takes a fifth less."""
    return LexborHTMLParser(text, options=LexborDocumentOptions.WO_EVENTS)


class Page:
    """One page, parsed. `url` is the final address, `text` what came, as text."""

    def __init__(self, html: bytes | str, url: str, content_type: str = "") -> None:
        self.url = url
        if isinstance(html, str):
            self.text = html
            self.tree = parsed(bounded(as_html(html)))
        else:
            decoded = decode_page(html, content_type)
            self.text = decoded.text
            text = bounded(as_html(decoded.text))
            self.tree = parsed(decoded.utf8 if decoded.utf8 is not None and text is decoded.text else text)
        self.read: list[KeyRead] = []

    @cached_property
    def _said_of_itself(self) -> dict[str, list[LexborNode]]:
        """Title, base and meta elements by tag: one walk over the tree for all of them."""
        found: dict[str, list[LexborNode]] = {"title": [], "base": [], "meta": []}
        for node in self.tree.css("meta, base[href], title"):
            found[node.tag or ""].append(node)
        return found

    @cached_property
    def blocks(self) -> list[Block]:
        """The page's main text, as of a publication."""
        return main_blocks(self.tree, "publication")

    @cached_property
    def blocks_with_hidden(self) -> list[Block]:
        """The main text as of a reader who has opened every tab and panel; nothing where the page hides nothing."""
        if self.tree.css_first(HIDDEN) is None:
            return []
        return main_blocks(self.tree, "publication", with_hidden=True)

    @cached_property
    def folded(self) -> str:
        """The page as the parser understood it, as HTML in small letters."""
        return (self.tree.html or "").lower()

    @cached_property
    def meta(self) -> MetaTags:
        """The page's meta tags."""
        return MetaTags(self._said_of_itself["meta"])

    @cached_property
    def base_url(self) -> str:
        """What addresses on the page are relative to: `<base href>`, else the final address (F-SELX-02)."""
        bases = self._said_of_itself["base"]
        return self.absolute(bases[0], self.url) if bases else self.url

    @cached_property
    def title(self) -> str:
        """The text of `<title>` up to the first `<` (A-48)."""
        titles = self._said_of_itself["title"]
        return collapse((titles[0].text() or "").split("<", 1)[0]) if titles else ""

    def absolute(self, node: LexborNode, base: str | None = None) -> str:
        """The element's `href` as absolute address; empty where there is none or it cannot be one."""
        return self.absolute_url(node.attributes.get("href") or "", base)

    def absolute_url(self, href: str, base: str | None = None) -> str:
        """An address as absolute one; empty where it is none that can be fetched."""
        href = _LINE_ENDS.sub("", href.strip())
        if not href:
            return ""
        try:
            found = urljoin(self.base_url if base is None else base, href)
            split = urlsplit(found)
        except ValueError:
            return ""
        return found if split.scheme in ("http", "https", "ftp") and split.hostname else ""

    def all(self, selectors: Mapping[str, Selector], key: str) -> list[LexborNode]:
        """All elements that a key of the rules selects; a selector that runs out of time selects none."""
        selector = selectors.get(key)
        if selector is None:
            return []
        try:
            found = selector.select(self.tree, self.base_url)
        except PatternTooSlow:
            self.read.append(KeyRead(key, selector.text, 0, 0, _TOO_SLOW))
            return []
        if not found:
            self.note(key, selector.text, 0, 0)
        return found

    def note(self, key: str, rule: str, elements: int, size: int) -> None:
        """Remember what a key gave."""
        self.read.append(KeyRead(key, rule, elements, size))

    def first_text(self, selectors: Mapping[str, Selector], key: str) -> str:
        """The text of the first element that the key selects, in one line (F-SEL-02)."""
        selector = selectors.get(key)
        if selector is None:
            return ""
        try:
            found = selector.select_first(self.tree, self.base_url)
        except PatternTooSlow:
            self.read.append(KeyRead(key, selector.text, 0, 0, _TOO_SLOW))
            return ""
        text = text_of(found) if found is not None else ""
        self.note(key, selector.text, int(found is not None), len(text))
        return text

    def all_texts(self, selectors: Mapping[str, Selector], key: str) -> list[str]:
        """The texts of all elements that the key selects, each in one line, empty ones left out (F-SEL-03)."""
        found = self.all(selectors, key)
        if not found:
            return []
        texts = [text for node in found if (text := text_of(node))]
        self.note(key, selectors[key].text, len(found), sum(map(len, texts)))
        return texts
