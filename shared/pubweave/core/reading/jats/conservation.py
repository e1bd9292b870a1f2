"""The law of conservation: every word of the article stands once in the flow, or left it for a reason of this list.

The walk keeps a ledger: every piece of text in document order, either *flow* (with the text as emitted) or *dropped*
(with a reason). Checked on every document, without white space, letter by letter:

1. the ledger's pieces, joined, are the text that libxml2 gives for the same elements: nothing lost, nothing added,
   nothing twice, document order;
2. the strings of the finished document are the ledger's flow: what was booked as emitted is what stands there.
"""

from collections import Counter
from typing import TYPE_CHECKING, Final

from lxml import etree

from pubweave.core.reading.jats.document import Content, Section
from pubweave.core.reading.jats.text import BLANKS

if TYPE_CHECKING:
    from collections.abc import Iterator

REASONS: Final = {
    "superscript-citation": "B-13",
    "formula": "B-13",
    "alternative-title": "B-11",
    "metadata": "B-10",
    "abstract-title": "B-28",
    "table-in-figure": "B-52",
}
"""Why a text may leave the flow, and the row of the specification that orders it. Closed: the law knows no other."""

_UNICODE_BLANKS: Final = tuple(blank.encode() for blank in BLANKS)
_ASCII_BLANKS: Final = b" \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f"


def letters(text: bytes, length: int = -1) -> bytes:
    """A text in UTF-8 without white space; blanks of Unicode are sought until `length` bytes are left."""
    text = text.translate(None, _ASCII_BLANKS)
    for blank in _UNICODE_BLANKS:
        if len(text) == length:
            break
        text = text.replace(blank, b"")
    return text


def raw_bytes(element: "etree._Element") -> bytes:
    """All text of an element, its tail not, as libxml2 gives it, in UTF-8."""
    return etree.tostring(element, method="text", encoding="utf-8", with_tail=False)


def raw_text(element: "etree._Element") -> str:
    """All text of an element, its tail not, as libxml2 gives it."""
    return str(etree.tostring(element, method="text", encoding="unicode", with_tail=False))


class Ledger:
    """What was emitted and what was left out, in the order of the walk.

    `pieces` are normalised texts, emitted or dropped; `glued` counts those that stand in the middle of a word.
    """

    __slots__ = ("dropped", "flow", "glued", "pieces")

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.flow: list[str] = []
        self.dropped: list[tuple[str, str]] = []
        self.glued = 0

    def drop(self, reason: str, text: str) -> None:
        """Book a text that leaves the flow.

        :raises KeyError: the reason is not of the closed list
        """
        REASONS[reason]
        self.pieces.append(text)
        self.dropped.append((reason, text))


def strings_of(sections: list[Section]) -> list[str]:
    """The flow of finished sections: every string that stands for text of the article, copies left out.

    Copies are what the specification orders twice: `xml`, the program's spellings, a group's caption before the
    captions of its second and further members (B-41, B-52), the `text` of supplementary material, pictures and films
    that stand alone beside their `label` and `caption` (B-31, B-32).
    """
    found: list[str] = []
    add = found.append
    for section in sections:
        if section.label:
            add(section.label)
        # the titles "Title" and "Abstract" are not the article's (B-28)
        if section.title and not (section.implicit and section.tag in _GIVEN_TITLES):
            add(section.title)
        if section.caption:
            add(section.caption)
        if section.asides:
            found.extend(section.asides)
        for content in section.contents:
            if content.tag in OBJECTS:
                found.extend(text for text in _object_strings(content) if text)
                continue
            text = content.text
            if text:
                add(text)
            if content.asides:
                found.extend(content.asides)
            if content.alternative:
                add(content.alternative)
    return found


_GIVEN_TITLES: Final = frozenset({"title", "abstract"})
WITH_ALL_TEXT: Final = frozenset({"supplementary-material", "graphic", "media"})
"""Content elements whose `text` begins with a copy of their label and caption (B-31, B-32)."""
OBJECTS: Final = WITH_ALL_TEXT | {"fig", "table"}


def _own(text: object, group: object) -> str:
    whole = text if isinstance(text, str) else ""
    return whole[len(group) :].lstrip() if isinstance(group, str) and group else whole


def named_text(content: Content) -> str:
    """Label and caption on one line: how the `text` of the elements of `WITH_ALL_TEXT` begins."""
    return " ".join(text for text in (content.label, content.caption) if text)


def _object_strings(content: Content) -> "Iterator[str]":
    if (content.group_label or content.group_caption) and not content.group_copy:
        yield content.group_label or ""
        yield content.group_caption or ""
    yield _own(content.label, content.group_label)
    yield _own(content.caption, content.group_caption)
    if content.table_columns_:
        yield from content.table_columns_
    if content.table_values_:
        for row in content.table_values_:
            yield from row
    if content.tag in WITH_ALL_TEXT:
        yield (content.text or "")[len(named_text(content)) :].lstrip()
    else:
        yield content.text or ""
    yield content.footer or ""
    yield content.attrib or ""
    yield content.permissions or ""
    if content.asides:
        yield from content.asides
    yield content.alternative or ""


def first_difference(expected: bytes, found: bytes) -> str:
    """Where two texts part, with a little of both."""
    place, end = 0, min(len(expected), len(found))
    step = 1 << 14
    while place < end and expected[place : place + step] == found[place : place + step]:
        place += step
    while place < end and expected[place] == found[place]:
        place += 1
    place = min(place, end)

    def around(text: bytes) -> str:
        return text[max(0, place - 20) : place + 40].decode("utf-8", "replace")

    return f"at letter {place}: the article has {around(expected)!r}, the ledger {around(found)!r}"


def check_part(name: str, source: bytes, pieces: list[str]) -> tuple[str | None, int]:
    """None if the normalised pieces are the source, letter by letter and in order; otherwise where they part.

    And how many blanks stand in the pieces, from which their words can be counted.
    """
    joined = "".join(pieces).encode()
    found = joined.translate(None, b" ")
    expected = letters(source, len(found))
    problem = None if expected == found else f"{name}: {first_difference(expected, found)}"
    return problem, len(joined) - len(found)


def check_emitted(sections: list[Section], flow: list[str]) -> tuple[str | None, int]:
    """Whether finished sections hold exactly the booked flow; and how many strings stand in another order."""
    emitted = strings_of(sections)
    if emitted == flow:
        return None, 0
    here, booked = Counter(emitted), Counter(flow)
    if here == booked:
        return None, sum(1 for one, other in zip(emitted, flow, strict=True) if one != other)
    lost, added = booked - here, here - booked
    sample = [f"lost {text[:60]!r}" for text in list(lost)[:3]] + [
        f"added {text[:60]!r}" for text in list(added)[:3]
    ]
    return "document: " + "; ".join(sample), 0
