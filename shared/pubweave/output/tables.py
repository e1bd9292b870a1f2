"""Cells of tables that other programs read: CSV and TSV."""

import re
from typing import Final

_STARTS_A_FORMULA: Final = re.compile(r"[=+\-@\t\r\n]")


def defused(cell: str) -> str:
    """A cell that a spreadsheet would run as a formula gets an apostrophe in front, which it does not show
    (OWASP, CSV injection). Numbers stay as they are."""
    if not _STARTS_A_FORMULA.match(cell.lstrip(" \u00a0\ufeff")) or _is_number(cell):
        return cell
    return "'" + cell


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"[+-]?\d+(?:\.\d+)?", cell) is not None
