"""Running heads, page numbers and stamps: what stands at the edge of many pages is no text of the article."""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from pubweave.core.reading.pdf_text.model import PdfBlock, PdfPage

EDGE: Final = 0.12
"""How much of a page's height, from above and from below, is edge."""
SHARE: Final = 0.3
"""On which share of the pages a line must repeat."""
ENOUGH: Final = 4
"""On how many pages it must repeat at most, however long the document is (heads change with the chapter)."""
NUMBERED: Final = 0.4
"""On which share of the pages a page number must stand alone."""
SAME_HEIGHT: Final = 0.015
"""How far, as share of the page's height, repeated lines may be from one another."""
_OTHERS: Final = 2
_TURNED: Final = 4
_MARGIN: Final = 0.1
_STAMP_HEIGHT: Final = 0.25

_DIGITS: Final = re.compile(r"\d+")
_NOISE: Final = re.compile(r"[\W_]+")
_LABEL: Final = re.compile(r"(?:fig(?:ure)?|table|scheme|box|chart|plate|equation|appendix)s?\d*[#]?[a-z]?")
_NUMBER: Final = re.compile(
    r"[-–—|\s]*(?:(?:page|p\.?)\s*)?(\d{1,6})(?:\s*(?:of|/)\s*\d{1,5})?[-–—|\s]*", re.I
)
_PAGE_WORD: Final = re.compile(r"page \d{1,5}(?: (?:of|/) \d{1,5})?", re.I)

Spot = tuple[int, int, int]
"""Page, block, line; all from 0."""


def without_furniture(pages: Sequence[PdfPage]) -> list[PdfPage]:
    """The pages without running heads and feet, page numbers and margin stamps."""
    edges = list(_at_edges(pages))
    dropped = _outermost(edges, _repeated(edges, len(pages)) | _page_numbers(edges, len(pages)))
    return [
        PdfPage(page.width, page.height, tuple(_kept(page, at, dropped))) for at, page in enumerate(pages)
    ]


def _kept(page: PdfPage, at: int, dropped: set[Spot]) -> Iterator[PdfBlock]:
    for number, block in enumerate(page.blocks):
        if _is_margin_stamp(block, page):
            continue
        lines = [line for line, _ in enumerate(block.lines) if (at, number, line) not in dropped]
        if len(lines) == len(block.lines):
            yield block
        elif lines:
            height = (block.y1 - block.y0) / len(block.lines)
            top, bottom = block.y0 + lines[0] * height, block.y0 + (lines[-1] + 1) * height
            yield PdfBlock(block.x0, top, block.x1, bottom, tuple(block.lines[line] for line in lines))


def _at_edges(pages: Sequence[PdfPage]) -> Iterator[tuple[Spot, float, str]]:
    """Every line at the upper and lower edge: spot, height as share of the page's, text."""
    for at, page in enumerate(pages):
        if page.height <= 0:
            continue
        upper, lower = EDGE * page.height, (1 - EDGE) * page.height
        for number, block in enumerate(page.blocks):
            if (block.y0 > upper and block.y1 < lower) or _is_turned(block):
                continue
            for line, text in enumerate(block.lines):
                y = block.y_of(line)
                if y <= upper or y >= lower:
                    yield (at, number, line), y / page.height, text


def _repeated(edges: Sequence[tuple[Spot, float, str]], pages: int) -> set[Spot]:
    wanted = max(2, min(ENOUGH, round(SHARE * pages)))
    alike: dict[str, list[tuple[float, Spot]]] = defaultdict(list)
    for spot, y, text in edges:
        key = _NOISE.sub("", _DIGITS.sub("0", text.casefold()))
        if (len(key) > 2 and not key.isdigit() and not _LABEL.fullmatch(key)) or not key:
            alike[key or text].append((y, spot))
    dropped: set[Spot] = set()
    for places in alike.values():
        if len(places) < wanted:
            continue
        places.sort()
        for group in _of_one_height(places):
            if len({spot[0] for spot in group}) >= wanted:
                dropped.update(group)
    return dropped


def _outermost(edges: Sequence[tuple[Spot, float, str]], alike: set[Spot]) -> set[Spot]:
    """Of lines that repeat, those that nothing but a few others stand outside of.

    The head of a table that goes on over several pages repeats as well, but amid the table.
    """
    found: set[Spot] = set()
    by_edge: dict[tuple[int, bool], list[tuple[float, Spot]]] = defaultdict(list)
    for spot, y, _ in edges:
        by_edge[spot[0], y < 0.5].append((min(y, 1 - y), spot))
    for places in by_edge.values():
        others: list[float] = []
        for inwards, spot in sorted(places):
            if spot not in alike:
                others.append(inwards)
            elif len(others) <= _OTHERS or others[_OTHERS] > inwards - SAME_HEIGHT / 2:
                found.add(spot)
    return found


def _of_one_height(places: Sequence[tuple[float, Spot]]) -> Iterator[list[Spot]]:
    """Sorted places in groups: a gap of more than `SAME_HEIGHT` starts another."""
    group: list[Spot] = []
    before = -1.0
    for y, spot in places:
        if group and y - before > SAME_HEIGHT:
            yield group
            group = []
        group.append(spot)
        before = y
    yield group


def _page_numbers(edges: Sequence[tuple[Spot, float, str]], pages: int) -> set[Spot]:
    """Lone numbers at the edge that count the pages: on enough of them, as far from the page's own place.

    Numbers of a chart's axis do so by chance, but not on many pages.
    """
    by_offset: dict[int, list[Spot]] = defaultdict(list)
    dropped: set[Spot] = set()
    for spot, _, text in edges:
        found = _NUMBER.fullmatch(text)
        if found is None:
            continue
        if _PAGE_WORD.fullmatch(text):
            dropped.add(spot)
        else:
            by_offset[int(found[1]) - spot[0]].append(spot)
    counted = max(by_offset.values(), key=len, default=[])
    if len({spot[0] for spot in counted}) >= max(2, math.ceil(NUMBERED * pages)):
        dropped.update(counted)
    return dropped


def _is_turned(block: PdfBlock) -> bool:
    """Whether its lines run up or down the page: a stamp, or a column of a table that lies on its side."""
    return block.y1 - block.y0 > _TURNED * (block.x1 - block.x0)


def _is_margin_stamp(block: PdfBlock, page: PdfPage) -> bool:
    """A line turned by 90 degrees in the outer margin: arXiv's stamp, a publisher's download note."""
    if not _is_turned(block) or block.y1 - block.y0 < _STAMP_HEIGHT * page.height or len(block.lines) > 3:
        return False
    return block.x1 < _MARGIN * page.width or block.x0 > (1 - _MARGIN) * page.width
