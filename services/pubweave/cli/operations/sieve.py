"""All filters of content of a command, as one: an entry passes if every filter holds (F-CLI-12)."""

import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

from pubweave.cli.operations.worklist import KINDS
from pubweave.contract.vocabulary import EntryKind
from pubweave.core.selecting import Filter
from pubweave.core.selecting.model import Entry

_log = logging.getLogger(__name__)


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

    async def passes(
        self, kind: EntryKind, entry: Entry, with_texts: Callable[[Entry], Awaitable[Entry]]
    ) -> bool:
        """Whether it passes. Texts kept beside the record are fetched only if a filter reads them."""
        self._seen[kind] += 1
        left = self._left[kind]
        whole = False
        for filter_, number in self._filters[kind]:
            if filter_.needs_texts and not whole:
                entry, whole = await with_texts(entry), True
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
