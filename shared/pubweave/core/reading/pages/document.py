"""A parsed page and what every reader of pages asks of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pubweave.core.reading.layout import collapse, text_of
from pubweave.core.reading.meta_tags import MetaTags
from pubweave.core.reading.pages.charset import decode_page
from pubweave.core.reading.pages.findings import KeyRead
from pubweave.core.reading.selectors import PatternTooSlow, Selector

_SELF_CLOSED = re.compile(r"<([A-Za-z][\w:-]*)((?:\s[^<>]*?)?)\s*/>")
_VOID = frozenset(
    (
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
    )
)
_LINE_ENDS = re.compile(r"[\t\r\n]+")


def as_html(text: str) -> str:
    """The page as an HTML parser reads it right: in XHTML `<a id="x"/>` is closed, in HTML it is open.

    Only what says of itself that it is XML is touched.
    """
    if not text[:64].lstrip("\ufeff \t\r\n").startswith("<?xml"):
        return text
    return _SELF_CLOSED.sub(
        lambda found: found[0] if found[1].lower() in _VOID else f"<{found[1]}{found[2]}></{found[1]}>", text
    )


class Page:
    """One page, parsed. `url` is the final address."""

    def __init__(self, html: bytes | str, url: str, content_type: str = "") -> None:
        text = html if isinstance(html, str) else decode_page(html, content_type).text
        self.url = url
        self.tree = LexborHTMLParser(as_html(text))
        self.read: list[KeyRead] = []

    @cached_property
    def meta(self) -> MetaTags:
        """The page's meta tags."""
        return MetaTags(self.tree)

    @cached_property
    def base_url(self) -> str:
        """What addresses on the page are relative to: `<base href>`, else the final address (F-SELX-02)."""
        base = self.tree.css_first("base[href]")
        return self.url if base is None else self.absolute(base, self.url)

    @cached_property
    def title(self) -> str:
        """The text of `<title>` up to the first `<` (A-48)."""
        node = self.tree.css_first("title")
        return "" if node is None else collapse((node.text() or "").split("<", 1)[0])

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
            self.read.append(KeyRead(key, selector.text, 0, 0, "a regular expression ran out of time"))
            return []
        if not found:
            self.note(key, selector.text, 0, 0)
        return found

    def note(self, key: str, rule: str, elements: int, size: int) -> None:
        """Remember what a key gave."""
        self.read.append(KeyRead(key, rule, elements, size))

    def first_text(self, selectors: Mapping[str, Selector], key: str) -> str:
        """The text of the first element that the key selects, in one line (F-SEL-02)."""
        found = self.all(selectors, key)
        if not found:
            return ""
        text = text_of(found[0])
        self.note(key, selectors[key].text, len(found), len(text))
        return text

    def all_texts(self, selectors: Mapping[str, Selector], key: str) -> list[str]:
        """The texts of all elements that the key selects, each in one line, empty ones left out (F-SEL-03)."""
        found = self.all(selectors, key)
        if not found:
            return []
        texts = [text for node in found if (text := text_of(node))]
        self.note(key, selectors[key].text, len(found), sum(map(len, texts)))
        return texts
