"""Which entries and identifiers pass a filter (chapters 17.4 and 17.7 to 17.10): pure predicates.

`filter_of(condition, surroundings)` makes one filter of an option and its values. A filter is asked only about
entries of the kinds it is for; all filters of a command must hold.
"""

from pubweave.cli.operations.selecting.filters import FILTERS, filter_of
from pubweave.cli.operations.selecting.identifiers import ListedEntry, listed_filter
from pubweave.cli.operations.selecting.model import Filter, FilterCondition, Surroundings

__all__ = [
    "FILTERS",
    "Filter",
    "FilterCondition",
    "ListedEntry",
    "Surroundings",
    "filter_of",
    "listed_filter",
]
