"""Tables as grids: row and column spans resolved, bounded; header rows and notes apart."""

from typing import TYPE_CHECKING, Any, Final

from pubweave.core.reading.jats.document import Content, Grid, TableNote
from pubweave.core.reading.jats.text import OASIS, plain_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

    Element = etree._Element

MAX_GRID_CELLS: Final = 200_000
"""Cells of one grid; a table whose spans ask for more is given as it stands, marked `cut`."""

_LABEL: Final = frozenset({"label"})


def _local(element: "Element") -> str:
    tag: Any = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else "#"


def _number(text: "str | None", default: int) -> int:
    text = (text or "").strip()
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 7 else default


def _columns(table: "Element") -> dict[str, int]:
    """Names of the columns of a CALS table, from 0."""
    names: dict[str, int] = {}
    place = -1
    for element in table.iter(*(space + "colspec" for space in OASIS)):
        place = _number(element.get("colnum"), place + 2) - 1
        names.setdefault(element.get("colname") or "", place)
    return names


def _rows(group: "Element", heading: bool) -> "Iterator[tuple[Element, bool]]":
    for child in group:
        name = _local(child)
        if name in ("tr", "row"):
            yield child, heading
        elif name in ("thead", "tbody", "tfoot", "tgroup"):
            yield from _rows(child, heading=name == "thead")


def _spans(cell: "Element", names: dict[str, int]) -> tuple[int, int]:
    if (
        not names
        and cell.get("colspan") is None
        and cell.get("rowspan") is None
        and cell.get("morerows") is None
    ):
        return 1, 1
    start, end = names.get(cell.get("namest") or "", -1), names.get(cell.get("nameend") or "", -1)
    across = end - start + 1 if end >= start >= 0 else _number(cell.get("colspan"), 1)
    down = _number(cell.get("morerows"), 0) + 1 if cell.get("morerows") else _number(cell.get("rowspan"), 1)
    return max(1, across), max(0, down)


def _texts(rows: "list[tuple[Element, bool]]", content: Content) -> list[list[str]]:
    """The cell texts, taken from the content element where they fit one to one, else read again."""
    columns, values = content.table_columns_, content.table_values_
    if isinstance(columns, list) and isinstance(values, list):
        found: list[list[str]] = []
        head = body = 0
        for row, heading in rows:
            count = len(row)
            if heading:
                found.append(columns[head : head + count])
                head += count
            else:
                found.append(values[body] if body < len(values) else [])
                body += 1
            if len(found[-1]) != count:
                break
        else:
            if head == len(columns) and body == len(values):
                return found
    return [[plain_text(cell) for cell in row] for row, _ in rows]


def _hang(line: list[str], above: dict[int, tuple[int, str]], below: dict[int, tuple[int, str]]) -> None:
    """Put cells that hang down from rows above where the line has come to."""
    while len(line) in above:
        left, text = above.pop(len(line))
        if left > 1:
            below[len(line)] = (left - 1, text)
        line.append(text)


def read_grid(wrap: "Element", content: Content) -> Grid | None:
    """The grid of a `table-wrap` (its first table), None if it has none (a picture)."""
    tables = list(wrap.iter("table", *(space + "table" for space in OASIS)))
    notes = [
        TableNote(plain_text(note.find("label")), plain_text(note, _LABEL), note.get("id") or "")
        for foot in wrap.iter("table-wrap-foot")
        for note in foot.iter("fn")
    ]
    notes = [note for note in notes if note.text or note.label]
    rows = [row for table in tables for row in _rows(table, heading=False)]
    if not rows:
        return Grid(content.id, [], notes=notes) if notes else None
    texts = _texts(rows, content)
    names = _columns(tables[0])
    header_rows = 0
    for _, heading in rows:
        if not heading:
            break
        header_rows += 1

    grid: list[list[str]] = []
    above: dict[int, tuple[int, str]] = {}
    made = 0
    for (row, _), cells in zip(rows, texts, strict=True):
        line: list[str] = []
        below: dict[int, tuple[int, str]] = {}
        left_rows = len(rows) - len(grid)
        for cell, text in zip(row, cells, strict=False):
            _hang(line, above, below)
            across, down = _spans(cell, names)
            down = left_rows if down == 0 else min(down, left_rows)
            if made + len(line) + across > MAX_GRID_CELLS:
                return Grid(content.id, texts, header_rows, notes, cut=True)
            for _ in range(across):
                if down > 1:
                    below[len(line)] = (down - 1, text)
                line.append(text)
                if len(line) in above:
                    break
        _hang(line, above, below)
        for place in sorted(above):
            if made + place > MAX_GRID_CELLS:
                return Grid(content.id, texts, header_rows, notes, cut=True)
            line.extend("" for _ in range(place - len(line)))
            _hang(line, above, below)
        above = below
        made += len(line)
        grid.append(line)
    width = max(map(len, grid))
    if width * len(grid) > MAX_GRID_CELLS:
        return Grid(content.id, texts, header_rows, notes, cut=True)
    for line in grid:
        line.extend("" for _ in range(width - len(line)))
    return Grid(content.id, grid, header_rows, notes)
