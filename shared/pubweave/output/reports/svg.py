"""Plots as inline SVG: bars, and nothing that a page's policy would have to allow."""

from collections.abc import Mapping, Sequence
from typing import Final

from pubweave.output.html_escape import escape_attribute, escape_text

_ROW: Final = 26
_BAR: Final = 16
_WIDTH: Final = 820
_LABEL: Final = 190
_NUMBER: Final = 80
_ROOM: Final = _WIDTH - _LABEL - _NUMBER


def bars(title: str, rows: Sequence[tuple[str, Mapping[str, int]]], series: Mapping[str, str]) -> str:
    """Horizontal stacked bars, all on one scale.

    :param rows: label, and for each series its count
    :param series: the name of each series and its words in the legend; `fill-<name>` is its class
    """
    largest = max((sum(counts.values()) for _, counts in rows), default=0) or 1
    shown = [name for name in series if any(counts.get(name) for _, counts in rows)]
    legend = 26 if len(series) > 1 else 0
    height = legend + _ROW * len(rows) + 8
    pieces = [
        f'<figure><figcaption>{escape_text(title)}</figcaption>\n<svg viewBox="0 0 {_WIDTH} {height}" '
        f'width="100%" role="img" aria-label="{escape_attribute(title)}">\n'
    ]
    if legend:
        pieces.append(_legend([(name, series[name]) for name in shown]))
    for number, (label, counts) in enumerate(rows):
        top = legend + number * _ROW
        pieces.append(
            f'<text x="{_LABEL - 10}" y="{top + 16}" text-anchor="end">{escape_text(_short(label))}</text>'
        )
        left = float(_LABEL)
        for name in shown:
            count = counts.get(name, 0)
            if count:
                width = count / largest * _ROOM
                pieces.append(
                    f'<rect class="fill-{name}" x="{left:.1f}" y="{top + 4}" width="{max(width, 0.7):.1f}" '
                    f'height="{_BAR}"><title>{escape_text(f"{label}: {series[name]} {count:,}")}</title></rect>'
                )
                left += width
        total = sum(counts.get(name, 0) for name in series)
        pieces.append(f'<text class="quiet" x="{left + 8:.1f}" y="{top + 16}">{total:,}</text>\n')
    return "".join([*pieces, "</svg></figure>\n"])


def _legend(series: Sequence[tuple[str, str]]) -> str:
    pieces = []
    left = _LABEL
    for name, words in series:
        pieces.append(
            f'<rect class="fill-{name}" x="{left}" y="2" width="11" height="11"></rect>'
            f'<text x="{left + 16}" y="12">{escape_text(words)}</text>'
        )
        left += 30 + 7 * len(words)
    return "".join(pieces) + "\n"


def _short(label: str) -> str:
    return label if len(label) <= 28 else label[:27] + "…"
