"""A page as the texts that a reader sees one below the other, and the boxes they stand in.

A *block* is a run of text that no block element and no double line break interrupts; a *box* is a block element
with the boxes around it. One walk over the tree makes both; everything the cleaner decides, it decides on them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Literal

from selectolax.lexbor import LexborNode

from pubweave.core.reading.layout import collapse

INLINE = frozenset(
    (
        "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "dfn", "em", "font", "i", "ins", "kbd",
        "label", "mark", "nobr", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike", "strong", "sub", "sup",
        "time", "tt", "u", "var", "wbr", "del", "center", "amp-fit-text", "object",
    )
)  # fmt: skip
"""Elements whose text belongs to the block around them, unless they hold a block themselves."""

SKIPPED = frozenset(
    (
        "script", "style", "noscript", "template", "iframe", "embed", "applet", "svg", "canvas", "audio", "video",
        "map", "button", "select", "option", "textarea", "input", "datalist", "progress", "meter", "head", "link", "meta",
        "title", "noembed", "noframes", "dialog", "-comment", "-doctype", "img", "picture", "source", "track", "param",
        "area", "base", "col", "colgroup", "frame", "frameset", "math",
    )
)  # fmt: skip
"""Elements that hold no running text of the page."""


_BREAK = "\0"
"""Stands for `<br>` until a block is closed. No text of a parsed page has it: parsers drop U+0000."""
_LONG = 300
_TELLING = ("id", "class", "role", "itemprop")
_MORE_TELLING = frozenset(("id", "role", "itemprop"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_HIDING = frozenset(("hidden", "aria-hidden", "style"))


Role = Literal["", "abstract", "caption"]


class Box:
    """A block element. `attributes` are the words of its id, class, role and itemprop; `classes`
    those of its class; `parent` is a box's number.

    The blocks inside are those from `first` to before `last`; the boxes inside those from its own number to before
    `end`.
    """

    __slots__ = ("attributes", "classes", "end", "first", "last", "parent", "tag")

    def __init__(self, tag: str, attributes: str, classes: str, parent: int, first: int) -> None:
        self.tag = tag
        self.attributes = attributes
        self.classes = classes
        self.parent = parent
        self.first = first
        self.last = first
        self.end = 0


class Block:
    """A run of text in one line, and as `lines` where `<br>` parts it. Sizes count characters; `link_size` those
    inside links. `tag` is that of its box. `role` says what boxes around it name it."""

    __slots__ = ("box", "lines", "link_size", "role", "size", "tag", "text")

    def __init__(self, text: str, lines: str, link_size: int, tag: str, box: int) -> None:
        self.text = text
        self.lines = lines
        self.size = len(text)
        # Nobody links a whole long paragraph: the page has forgotten to close a link.
        self.link_size = 0 if link_size > 0.95 * self.size > _LONG else min(link_size, self.size)
        self.tag = tag
        self.box = box
        self.role: Role = ""


class PageLayout:
    """The boxes and blocks of a page, both in document order; box 0 is the body. What is hidden at first (`HIDDEN`) is only there
    if it is asked for."""

    __slots__ = ("blocks", "boxes")

    def __init__(self, body: LexborNode, with_hidden: bool = False) -> None:
        self.boxes: list[Box] = []
        self.blocks: list[Block] = []
        self._walk(body, with_hidden)

    def _walk(self, body: LexborNode, with_hidden: bool) -> None:
        boxes, blocks = self.boxes, self.blocks
        boxes.append(Box("body", "", "", -1, 0))
        here = 0
        pieces: list[str] = []
        link_size = 0
        in_link = 0
        breaks = 0
        # Iterators over children, with what to do when they are used up: leave a box, a link, or nothing.
        stack: list[tuple[Iterator[LexborNode], int]] = [(body.iter(include_text=True), 0)]
        leave_box, leave_link = 1, 2
        while stack:
            children, leaving = stack[-1]
            node = next(children, None)
            if node is None:
                stack.pop()
                if leaving == leave_link:
                    in_link -= 1
                elif leaving == leave_box:
                    if pieces:
                        self._close(pieces, link_size, here)
                        pieces, link_size = [], 0
                    box = boxes[here]
                    box.last = len(blocks)
                    box.end = len(boxes)
                    here = box.parent
                continue
            tag = node.tag or ""
            if tag == "-text":
                text = node.text_content or ""
                if text.isspace():
                    if pieces:
                        pieces.append(" ")
                    continue
                breaks = 0
                pieces.append(text)
                if in_link:
                    link_size += len(text.strip())
            elif tag == "br":
                breaks += 1
                if breaks > 1 and pieces:
                    self._close(pieces, link_size, here)
                    pieces, link_size = [], 0
                else:
                    pieces.append(_BREAK)
            elif tag in INLINE:
                if tag == "a" and not (node.attributes.get("href") or "#").startswith("#"):
                    in_link += 1
                    stack.append((node.iter(include_text=True), leave_link))
                else:
                    stack.append((node.iter(include_text=True), 0))
            elif tag == "button" and boxes[here].tag in _HEADINGS:  # the heading of a panel
                stack.append((node.iter(include_text=True), 0))
            elif tag in SKIPPED and not (with_hidden and tag == "noscript"):
                continue
            else:
                if pieces:
                    self._close(pieces, link_size, here)
                    pieces, link_size = [], 0
                attributes = node.attributes
                if attributes:
                    if not (_HIDING.isdisjoint(attributes) or with_hidden) and _is_hidden(attributes):
                        continue
                    said = classes = attributes.get("class") or ""
                    if not _MORE_TELLING.isdisjoint(attributes):
                        said = " ".join([word for name in _TELLING if (word := attributes.get(name))])
                else:
                    said = classes = ""
                boxes.append(Box(tag, said, classes, here, len(blocks)))
                here = len(boxes) - 1
                stack.append((node.iter(include_text=True), leave_box))
        if pieces:
            self._close(pieces, link_size, 0)
        boxes[0].last = len(blocks)
        boxes[0].end = len(boxes)

    def _close(self, pieces: list[str], link_size: int, here: int) -> None:
        box = self.boxes[here]
        text = "".join(pieces)
        if not text.isascii():
            text = unicodedata.normalize("NFC", text)
        if box.tag == "pre":
            text = lines = text.replace(_BREAK, "\n").strip("\n")
        elif _BREAK in text:
            parts = [part for raw in text.split(_BREAK) if (part := collapse(raw))]
            text, lines = " ".join(parts), "\n".join(parts)
        else:
            text = lines = collapse(text)
        if text:
            self.blocks.append(Block(text, lines, link_size, box.tag, here))


HIDDEN = "[hidden], [aria-hidden=true], [style*='display:none'], [style*='display: none'], noscript"
"""Selects what is shown only when a reader, or a script, asks for it."""


def _is_hidden(attributes: dict[str, str | None]) -> bool:
    if "hidden" in attributes or attributes.get("aria-hidden") == "true":
        return True
    style = attributes.get("style")
    return style is not None and "display:none" in style.replace(" ", "").lower()
