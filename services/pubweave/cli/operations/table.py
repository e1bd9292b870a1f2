"""The one table: all 297 options of chapter 17, and what newer versions of PubFetcher added."""

from typing import Final

from pubweave.cli.operations.ends import END_ROWS
from pubweave.cli.operations.filters import FILTER_ROWS
from pubweave.cli.operations.lists import LIST_ROWS
from pubweave.cli.operations.model import Operation
from pubweave.cli.operations.one_offs import ONE_OFF_ROWS, TEST_ROWS

OPERATIONS: Final[tuple[Operation, ...]] = (
    *ONE_OFF_ROWS,
    *LIST_ROWS,
    *FILTER_ROWS,
    *END_ROWS,
    *TEST_ROWS,
)
"""In the order in which they are carried out."""

BY_NAME: Final[dict[str, Operation]] = {operation.name: operation for operation in OPERATIONS}

ALIASES: Final[dict[str, dict[str, str]]] = {
    "sort-ids": {"asc": "asc-ids", "desc": "desc-ids"},
    "sort": {"asc": "asc", "desc": "desc", "time-asc": "asc-time", "time-desc": "desc-time"},
}
"""Modern options whose value says which operation is meant."""

WITHOUT_EFFECT: Final[dict[str, tuple[int, str]]] = {
    "quick": (0, "deadlines and the number of attempts are those of the settings"),
    "selenium": (1, "pages are rendered by a door of their own, if it is installed"),
    "seleniumGeckodriver": (1, "no Firefox is used"),
    "seleniumFirefox": (1, "no Firefox is used"),
}
"""Options of newer versions that do nothing here: how many arguments they take, and why they do nothing."""
