"""The default cleaning: find the boxes in which the page's own text stands, and drop what else is in them.

1. Boxes that say of themselves that they hold something else (comments, navigation, captions …), and boxes that
   look like a series of teasers, are dropped, unless they hold most of what could be text.
2. Each block is worth its characters, less those in links; a box is worth what its blocks are, the less the deeper
   they lie. The box worth most is the heart; boxes beside it and beside what is around it join if they are like
   it or hold text of the same order.
3. Of the blocks there, lists of links with their headings, in front the page's title, and behind the site's own closing
   lines are left out.

If that leaves next to nothing, the first step is done without, but for what frames every page of a site.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from selectolax.lexbor import LexborHTMLParser

from pubweave.core.reading.cleaning.blocks import Block, Box, PageLayout, Role
from pubweave.core.reading.cleaning.classic import Mode
from pubweave.core.reading.cleaning.ends import without_bare_headings, without_end
from pubweave.core.reading.cleaning.words import (
    is_picture_credit,
    kind,
    may_name_boilerplate,
    may_name_roles,
    named_role,
    names_abstract,
    names_boilerplate,
    names_caption,
    names_frame,
    names_line_about_text,
    names_references,
)
from pubweave.core.reading.layout import collapse

_BOILERPLATE_TAGS = frozenset(("nav", "aside", "footer", "form", "menu"))
_FRAME_TAGS = frozenset(("nav", "footer", "menu"))
_NEVER_IN_FRAMES = frozenset(("h1", "main", "article"))
_TEXT_TAGS = frozenset(("p", "h2", "h3", "h4", "pre", "li", "td", "blockquote", "dd", "dt"))
_LIST_TAGS = frozenset(("li", "td", "th", "dd"))
_NEVER_LINK_LISTS = frozenset(("td", "th", "p", "pre"))
_NEVER_TEASERS = frozenset(("p", "li", "td", "th", "tr", "h2", "h3", "h4", "pre", "blockquote"))
_OWN_LINES = frozenset(
    ("li", "td", "th", "dt", "dd", "tr", "div", "span", "address", "figcaption", "caption")
)

# A box that holds at least this share of the page's text is not dropped for its name.
_TOO_MUCH_FOR_BOILERPLATE = 0.4
_TOO_MUCH_FOR_DOUBT = 0.1
_FRAME = 1000
"""Characters up to which a navigation or footer is one however little else there is on the page."""
# What a block is worth to the boxes around its own, level by level; hardly anything to what is around an item.
_A_LEVEL_UP = 0.6
_OUT_OF_AN_ITEM = 0.2
# From which worth, as a share of the heart's, another box joins. An article's sections differ more in length than the
# boxes around a text are alike it.
_JOINS: dict[Mode, float] = {"webpage": 0.2, "publication": 0.04}
# With less than this share of the page's text the heart is one of many sections, and the page is taken whole.
_HEARTLESS: dict[Mode, float] = {"webpage": 0.2, "publication": 0.5}
_WHOLE = 0.75
_LINKED = 0.8
_TEASER_SIZE = 1000
_LEAD = 120
_LINE = 150
_SHORT = 250
_LONGEST_NAMED = 8000
"""Characters above which a box that names itself abstract or caption is the page that has one."""


def main_blocks(tree: LexborHTMLParser, mode: Mode, *, with_hidden: bool = False) -> list[Block]:
    """The blocks of the main text in the order of the page, in publication mode with captions and without references;
    the tree is left as it is. `with_hidden`: what is not shown at first counts as well."""
    body = tree.body
    if body is None:
        return []
    layout = PageLayout(body, with_hidden)
    size = _size(layout.blocks)
    if not size:
        return []
    node = tree.css_first("title")
    title = collapse(node.text()) if node is not None else ""
    page = _MainText(layout, mode, title)
    kept = page.kept()
    if _size(kept) < min(_SHORT, size * 0.8):
        kept = page.kept(whole=True)
    if _size(kept) < min(_SHORT, size * 0.1):
        kept = (
            _MainText(layout, mode, title, by_name="frames").kept()
            or _MainText(layout, mode, title, by_name="none").kept()
        )
    if mode == "publication":
        _name_roles(layout)
        return kept
    return without_end(without_bare_headings(kept, layout.blocks))


def _name_roles(layout: PageLayout) -> None:
    """Say of blocks in boxes that name themselves abstract or caption that they are such."""
    boxes = layout.boxes
    named = may_name_roles(
        [f"{box.tag} {box.attributes}" if box.tag == "figcaption" else box.attributes for box in boxes]
    )
    sizes: Counter[tuple[Role, str]] = Counter()
    found: list[tuple[Role, Box, list[Block]]] = []
    for number in named:
        box = boxes[number]
        role: Role = "caption" if box.tag == "figcaption" else named_role(box.attributes)
        inside = layout.blocks[box.first : box.last]
        size = _size(inside)
        if role and size <= _LONGEST_NAMED:
            sizes[role, box.classes] += size
            found.append((role, box, inside))
    for role, box, inside in found:
        # A class of all paragraphs is a style, whatever it is called.
        if role == "caption" or not box.classes or sizes[role, box.classes] <= _LONGEST_NAMED:
            for block in inside:
                block.role = role


def _size(blocks: list[Block]) -> int:
    return sum(block.size for block in blocks)


def _worth(block: Block) -> float:
    is_link = block.link_size > 0.5 * block.size
    worth = -block.size / 2 if is_link else block.size - 1.2 * block.link_size - 25
    return 0.6 * worth if block.tag in _LIST_TAGS else worth


def text_of_blocks(blocks: Sequence[Block]) -> str:
    """Blocks in lines and paragraphs."""
    pieces: list[str] = []
    before: Block | None = None
    for block in blocks:
        if before is not None:
            same_run = before.tag in _OWN_LINES and block.tag in _OWN_LINES
            pieces.append("\n" if same_run else "\n\n")
        pieces.append(block.lines)
        before = block
    return "".join(pieces)


class _MainText:
    """One attempt at finding the main text."""

    def __init__(
        self, layout: PageLayout, mode: Mode, title: str, by_name: Literal["all", "frames", "none"] = "all"
    ) -> None:
        self.boxes = layout.boxes
        self.blocks = layout.blocks
        self.mode = mode
        self.title = title
        self.worth = [_worth(block) for block in self.blocks]
        self.children: list[list[int]] = [[] for _ in self.boxes]
        for number, box in enumerate(self.boxes):
            if number:
                self.children[box.parent].append(number)
        self.dropped = bytearray(len(self.boxes))
        if by_name != "none":
            self._drop_frames()
        if by_name == "all":
            self._drop_by_name()
            self._drop_teasers()
        self._weigh()

    def _drop(self, number: int) -> None:
        end = self.boxes[number].end
        self.dropped[number:end] = b"\x01" * (end - number)

    def _drop_frames(self) -> None:
        """Short navigations and footers, if anything is left."""
        if self.mode == "publication":
            return
        frames = [
            number
            for number, box in enumerate(self.boxes)
            if number
            and (box.tag in _FRAME_TAGS or (box.attributes and names_frame(box.attributes)))
            and _size(self._inside(box)) <= _FRAME
            and not any(inner.tag in _NEVER_IN_FRAMES for inner in self.boxes[number + 1 : box.end])
        ]
        for number in frames:
            self._drop(number)
        if all(self.dropped[block.box] or self._is_aside(block) for block in self.blocks):
            self.dropped[:] = bytes(len(self.dropped))

    def _drop_by_name(self) -> None:
        gains = [0.0]
        for worth in self.worth:
            gains.append(gains[-1] + max(0.0, worth))
        most = _TOO_MUCH_FOR_BOILERPLATE * gains[-1]
        few = _TOO_MUCH_FOR_DOUBT * gains[-1]
        as_page = self.mode == "webpage"
        for number, box in enumerate(self.boxes):
            if not number or self.dropped[number]:
                continue
            gain = gains[box.last] - gains[box.first]
            said = box.attributes
            if as_page:
                if (
                    box.tag == "figcaption"
                    or (said and gain < few and names_caption(said))
                    or (said and names_line_about_text(said) and _size(self._inside(box)) < _LINE)
                ):
                    self._drop(number)
                    continue
            elif said and gain < most and names_references(said):
                self._drop(number)
                continue
            if (gain < most and (box.tag in _BOILERPLATE_TAGS or (said and names_boilerplate(said)))) or (
                gain < few and said and may_name_boilerplate(said)
            ):
                self._drop(number)

    def _inside(self, box: Box) -> list[Block]:
        return self.blocks[box.first : box.last]

    def _drop_teasers(self) -> None:
        """Three and more boxes of a kind side by side, most of them short and with a linked heading."""
        for inner in self.children:
            if len(inner) < 3:
                continue
            kinds: dict[tuple[str, str], list[int]] = {}
            for number in inner:
                box = self.boxes[number]
                if not (self.dropped[number] or box.tag in _NEVER_TEASERS or self._is_section(box)):
                    kinds.setdefault((box.tag, kind(box.attributes)), []).append(number)
            for alike in kinds.values():
                if len(alike) >= 3:
                    teasers = [number for number in alike if self._is_teaser(number)]
                    if len(teasers) >= 3 and len(teasers) > 0.6 * len(alike):
                        for number in teasers:
                            self._drop(number)

    def _is_section(self, box: Box) -> bool:
        return box.tag == "section" and self.mode == "publication"

    def _is_teaser(self, number: int) -> bool:
        inside = self._inside(self.boxes[number])
        return _size(inside) < _TEASER_SIZE and any(
            block.link_size > 0.6 * block.size and block.size > 14 for block in inside
        )

    def _weigh(self) -> None:
        """`value` of each box counts what lies deep less; `text` and `prose` (not in lists) count all alike."""
        boxes = self.boxes
        self.value = [0.0] * len(boxes)
        self.text = [0.0] * len(boxes)
        self.prose = [0.0] * len(boxes)
        for block, worth in zip(self.blocks, self.worth, strict=True):
            number = block.box
            if self.dropped[number]:
                continue
            if worth > 0:
                self.text[number] += worth
                if block.tag not in _LIST_TAGS:
                    self.prose[number] += worth
            if block.tag in _TEXT_TAGS:
                number = boxes[number].parent
            share = 1.0
            while number >= 0 and share > 0.01:
                self.value[number] += worth * share
                share *= _OUT_OF_AN_ITEM if boxes[number].tag in ("article", "li") else _A_LEVEL_UP
                number = boxes[number].parent
        for number in range(len(boxes) - 1, 0, -1):
            above = boxes[number].parent
            self.text[above] += self.text[number]
            self.prose[above] += self.prose[number]

    def _region(self) -> list[int]:
        """The boxes that hold the main text, in document order."""
        boxes = self.boxes
        heart = max(range(len(boxes)), key=lambda number: (self.value[number], number))
        found = [heart]
        level = self.value[heart]
        inner = heart
        while (above := boxes[inner].parent) >= 0:
            joining = [
                number
                for number in self.children[above]
                if number != inner and not self.dropped[number] and self._joins(number, inner, level)
            ]
            found.extend(joining)
            level = max([level, *(self.value[number] for number in joining)])
            inner = above
        if sum(self.text[number] for number in found) < _HEARTLESS[self.mode] * self.text[0]:
            return [max(number for number in range(len(boxes)) if self.text[number] >= _WHOLE * self.text[0])]
        return sorted(found)

    def _joins(self, number: int, beside: int, level: float) -> bool:
        value = self.value[number]
        if value > 0 and self.mode == "publication" and names_abstract(self.boxes[number].attributes):
            return True
        if (
            value > _JOINS[self.mode] * level
            and value > 0.3 * self.text[number]
            and self.prose[number] > 0.5 * self.text[number]
        ):
            return True
        one, other = self.boxes[number], self.boxes[beside]
        alike = one.tag == other.tag and one.classes == other.classes
        return alike and value > 0 and (one.classes != "" or self.prose[number] > 0.5 * self.text[number])

    def kept(self, whole: bool = False) -> list[Block]:
        """The blocks of the main text, in document order; `whole`: of the page, as far as nothing is dropped."""
        seen = 0
        found: list[Block] = []
        for number in [0] if whole else self._region():
            box = self.boxes[number]
            found.extend(
                block
                for block in self.blocks[max(seen, box.first) : box.last]
                if not (self.dropped[block.box] or self._is_aside(block))
            )
            seen = max(seen, box.last)
        lead = self._lead(found[0]) if found else []
        return _without_link_paragraphs(self._without_title(lead + found))

    def _lead(self, first: Block) -> list[Block]:
        """The standfirst: prose between the page's heading and its text, in a box of its own."""
        end = self.blocks.index(first)
        start = max((at for at in range(end) if self.blocks[at].tag == "h1"), default=end)
        return [
            block
            for block in self.blocks[start:end]
            if not self.dropped[block.box]
            and block.size >= _LEAD
            and block.link_size < 0.2 * block.size
            and block.tag not in _LIST_TAGS
            and block.tag != "h1"
            and not self._is_aside(block)
        ]

    def _is_aside(self, block: Block) -> bool:
        if block.link_size > _LINKED * block.size and block.size < 200 and block.tag not in _NEVER_LINK_LISTS:
            return True
        if block.text.startswith("<"):  # a tag that the page's author wrote as text
            return True
        return self.mode == "webpage" and block.size < 200 and is_picture_credit(block.text)

    def _without_title(self, blocks: list[Block]) -> list[Block]:
        """The page's title has a part of its own; it and its repetition are no text as long as none has come."""
        first = next((at for at, block in enumerate(blocks) if block.size > 100 and block.tag != "h1"), 0)
        before = [
            block
            for block in blocks[:first]
            if block.tag != "h1" and not (block.size > 10 and block.text in self.title)
        ]
        return before + blocks[first:]


def _without_link_paragraphs(blocks: list[Block]) -> list[Block]:
    """Three and more paragraphs in a row that are only links lead elsewhere, as does the short line before them."""
    found: list[Block] = []
    at = 0
    while at < len(blocks):
        end = at
        while end < len(blocks) and blocks[end].tag == "p" and blocks[end].link_size > 0.8 * blocks[end].size:
            end += 1
        if end - at >= 3:
            if found and found[-1].size < 40:
                found.pop()
            at = end
        else:
            found.append(blocks[at])
            at += 1
    return found
