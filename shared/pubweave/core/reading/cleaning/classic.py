"""The specified cleaning: delete what names itself a menu, a footer, a login form … (chapter 8.2).

Elements are judged from the outside in by the words of their `id`, `class`, `role` and `aria-label`; a deleted
element goes with all below it. What is left is laid out in lines and paragraphs.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pubweave.core.reading.layout import formatted_text

Mode = Literal["publication", "webpage"]

# F-CLN-11
_MENU = "breadcrumbs?|menu|menubar|nav|navbar|navigation|navigationbar"
_SPECIFIER = "bottom|left|main|my|page|right|side|site|sub|tool|top"
_WEAK = (
    "accordion|aside|bars?|complementary|hidden|invisible|jump|linklist|links|login|pagination|path|related|search|"
    "secondary|skip|social|socialmedia|tabs?"
)
_REFERENCE = "refs?|reflist|references?|related"

_STRONG_WORD = re.compile(
    f"{_MENU}|(?:{_MENU}|{_SPECIFIER}|{_WEAK})(?:{_MENU})|(?:{_MENU})(?:{_SPECIFIER}|{_WEAK})|footer"
)
_WEAK_WORD = re.compile(
    f"(?:{_WEAK})(?:{_WEAK}|{_SPECIFIER})?|(?:{_SPECIFIER})(?:{_WEAK})|"
    f"(?:{_SPECIFIER}|{_WEAK})?(?:{_MENU}).*|.*(?:{_MENU})(?:{_SPECIFIER}|{_WEAK})?"
)
_REFERENCE_WORD = re.compile(f"(?:{_REFERENCE}).*|.*(?:{_REFERENCE})")
_STRONG_TAGS = frozenset(("nav", "menu", "aside", "footer"))
_STRONG_ROLES = frozenset(("navigation", "menu", "menubar", "menuitem", "complementary", "contentinfo"))
_WEAK_ROLES = frozenset(("tab", "search"))
_MAIN_TAGS = frozenset(("main", "article"))
_MAIN_NAMES = frozenset(("main", "maincontent", "maincontents", "content", "contents", "article"))
_TITLE_TAGS = frozenset(("h1", "h2"))
_TITLE_NAMES = frozenset(("title", "heading"))

_BORDER = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])|[\s_-]+")
_AROUND = re.compile(r"^[^A-Za-z]+|[^A-Za-z]+$")


def tokens(value: str) -> list[str]:
    """The words of an attribute value, in lower case (F-CLN-01)."""
    return [word.lower() for word in _BORDER.split(value) if word]


def has_reference_word(value: str) -> bool:
    """Whether an `id` or `class` has a word that begins or ends like one for references (F-CLN-09)."""
    return _judged(value)[2]


@lru_cache(maxsize=16384)
def _judged(value: str) -> tuple[bool, bool, bool]:
    """Whether an `id` or `class` has a strong, a weak, a reference word (F-CLN-02, 05, 09)."""
    words = tokens(value)
    return (
        any(_STRONG_WORD.fullmatch(word) for word in words),
        any(_WEAK_WORD.fullmatch(word) for word in words),
        any(_REFERENCE_WORD.fullmatch(word) for word in words),
    )


@lru_cache(maxsize=16384)
def _bare(value: str) -> str:
    return _AROUND.sub("", value).lower()


class _ElementSigns:
    """What the attributes of an element say."""

    __slots__ = ("class_", "id", "roles", "tag")

    def __init__(self, node: LexborNode) -> None:
        self.tag = node.tag or ""
        attributes = node.attributes
        self.id = attributes.get("id") or ""
        self.class_ = attributes.get("class") or ""
        self.roles = frozenset(tokens(f"{attributes.get('role') or ''} {attributes.get('aria-label') or ''}"))

    @property
    def is_strong(self) -> bool:
        return (
            self.tag in _STRONG_TAGS
            or _judged(self.id)[0]
            or _judged(self.class_)[0]
            or not self.roles.isdisjoint(_STRONG_ROLES)
        )

    @property
    def is_weak(self) -> bool:
        return _judged(self.id)[1] or _judged(self.class_)[1] or not self.roles.isdisjoint(_WEAK_ROLES)

    @property
    def is_reference(self) -> bool:
        return _judged(self.id)[2] or _judged(self.class_)[2]

    @property
    def is_main(self) -> bool:
        return (
            self.tag in _MAIN_TAGS
            or _bare(self.id) in _MAIN_NAMES
            or _bare(self.class_) in _MAIN_NAMES
            or not self.roles.isdisjoint(_MAIN_TAGS)
        )

    @property
    def is_title(self) -> bool:
        return self.tag in _TITLE_TAGS or _bare(self.id) in _TITLE_NAMES or _bare(self.class_) in _TITLE_NAMES


def classic_text(tree: LexborHTMLParser, mode: Mode) -> str:
    """The page's text without what is judged not to be content; the tree loses it too.

    Reference lists are dropped in publication mode only (F-CLN-09).
    """
    body = tree.body
    if body is None:
        return ""
    above_main = _above_main(body)
    doomed: list[LexborNode] = []
    top = _ElementSigns(body)
    # Node, and whether a main or title element stands above it.
    waiting = [(child, top.is_main or top.is_title) for child in reversed(list(body.iter()))]
    while waiting:
        node, protected = waiting.pop()
        if not node.is_element_node:
            continue
        element = _ElementSigns(node)
        if _is_deleted(node, element, mode, protected or node.mem_id in above_main):
            doomed.append(node)
            continue
        protected = protected or element.is_main or element.is_title
        waiting.extend((child, protected) for child in reversed(list(node.iter())))
    for node in doomed:
        node.decompose()
    return formatted_text(body)


def _is_deleted(node: LexborNode, element: _ElementSigns, mode: Mode, protected: bool) -> bool:
    if element.tag == "noscript" and "javascript" in (node.html or "").lower():
        return True
    if element.is_strong or (mode == "publication" and element.is_reference):
        return True
    return element.is_weak and not (protected or element.is_main or element.is_title)


def _above_main(body: LexborNode) -> set[int]:
    """The elements below which a main element stands (F-CLN-06)."""
    found: set[int] = set()
    for node in body.css("main, article, [id], [class], [role], [aria-label]"):
        if _ElementSigns(node).is_main:
            above = node.parent
            while above is not None and above.mem_id not in found:
                found.add(above.mem_id)
                above = above.parent
    return found
