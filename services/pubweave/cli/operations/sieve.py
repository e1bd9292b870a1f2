"""All filters of content of a command, as one: an entry passes if every filter holds (F-CLI-12)."""

import logging
from collections.abc import Iterable
from typing import Final

from pubweave.cli.operations.selecting import Filter
from pubweave.cli.operations.selecting.model import Entry
from pubweave.cli.operations.worklist import KINDS
from pubweave.contract.vocabulary import EntryKind

_log = logging.getLogger(__name__)

PASSED: Final = -1
REFUSED: Final = -2


class Sieve:
    """Filters in the order of the table; counts what each one leaves."""

    def __init__(self, filters: Iterable[Filter]) -> None:
        found = list(filters)
        self._filters: Final[dict[EntryKind, list[tuple[Filter, int]]]] = {
            kind: [(filter_, number) for number, filter_ in enumerate(found) if kind in filter_.kinds]
            for kind in KINDS
        }
        self._names = [filter_.name for filter_ in found]
        self._left: dict[EntryKind, list[int]] = {kind: [0] * len(found) for kind in KINDS}
        self._seen: dict[EntryKind, int] = dict.fromkeys(KINDS, 0)

    def passes_bare(self, kind: EntryKind, entry: Entry) -> int:
        """How far an entry comes without its texts: `PASSED`, `REFUSED`, or the place of the first filter that
        wants to read them, for `passes_whole` to go on from."""
        self._seen[kind] += 1
        left = self._left[kind]
        for place, (filter_, number) in enumerate(self._filters[kind]):
            if filter_.needs_texts:
                return place
            if not filter_.holds(entry):
                return REFUSED
            left[number] += 1
        return PASSED

    def passes_whole(self, kind: EntryKind, entry: Entry, place: int) -> bool:
        """Whether an entry with its texts passes the filters from that place on."""
        left = self._left[kind]
        for filter_, number in self._filters[kind][place:]:
            if not filter_.holds(entry):
                return False
            left[number] += 1
        return True

    def tell(self) -> None:
        """How many entries there were before and after each filter (F-LOG-08)."""
        for kind in KINDS:
            before = self._seen[kind]
            for filter_, number in self._filters[kind]:
                if self._seen[kind]:
                    _log.info("--%s: %d of %d %ss left", filter_.name, self._left[kind][number], before, kind)
                before = self._left[kind][number]
