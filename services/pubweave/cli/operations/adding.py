"""Identifiers into the lists: from the command line, from text files, from databases, in this order (17.3)."""

import logging
from collections.abc import Iterator
from typing import Final

from pubweave.cli.addresses import problem_of
from pubweave.cli.operations.grammar import GivenCommand, listed_conditions
from pubweave.cli.operations.selecting import Filter, ListedEntry, listed_filter
from pubweave.cli.operations.sources import DatabaseSource
from pubweave.cli.operations.worklist import KINDS, Worklist
from pubweave.contract.values import Identifiers
from pubweave.contract.vocabulary import EntryKind
from pubweave.input.identifier_lines import Problem
from pubweave.input.identifier_lists import MAX_LINE, Item, items, of_arguments, opened, raw_lines, source_of
from pubweave.version import IDENTIFICATION

_log = logging.getLogger(__name__)

OPTION_OF: Final[dict[EntryKind, str]] = {"publication": "pub", "webpage": "web", "doc": "doc"}


_NEED_LISTS: Final = (
    *("asc-ids", "desc-ids", "head-ids", "tail-ids", "remove-ids", "in-db", "not-in-db", "count-ids"),
    *("out-ids", "txt-ids-pub", "txt-ids-web", "txt-ids-doc"),
    *("fetch", "fetch-put", "db-fetch", "db-fetch-end"),
)
"""Operations that look at the identifier lists as such."""


def taken_whole(given: GivenCommand) -> frozenset[EntryKind]:
    """The kinds of which a whole database is listed only to be loaded from it.

    Their lists need not be made: what the database has is read once, in the same order.
    """
    if any(given.has(name) for name in _NEED_LISTS):
        return frozenset()
    return frozenset(
        kind
        for kind, option in OPTION_OF.items()
        if given.several(f"{option}-db") == given.several("db") != []
        and not given.has(option)
        and not given.has(f"{option}-file")
    )


class Adding:
    """Fills a worklist and filters it as it goes.

    :ivar bad: how many lines and arguments are no identifiers; each has been told
    """

    def __init__(self, given: GivenCommand, worklist: Worklist) -> None:
        self._given = given
        self._worklist = worklist
        self._whole = taken_whole(given)
        self._filters: dict[EntryKind, list[Filter]] = {kind: [] for kind in KINDS}
        for condition in listed_conditions(given):
            filter_ = listed_filter(condition)
            for kind in filter_.kinds:
                self._filters[kind].append(filter_)
        self._left: dict[EntryKind, list[int]] = {}
        self.bad = 0
        self.kinds: frozenset[EntryKind] = frozenset(
            kind
            for kind in KINDS
            if any(given.has(f"{OPTION_OF[kind]}{ending}") for ending in ("", "-file", "-db"))
        )
        """The kinds for which something was given (F-CLI-101)."""

    @property
    def filters(self) -> bool:
        """There are filters of identifiers."""
        return any(self._filters.values())

    async def run(self) -> None:
        """:raises Refused: a file cannot be read
        :raises StorageProblem: a database cannot be opened
        """
        for kind in KINDS:
            good = bad = 0
            for item in self._items(kind):
                if isinstance(item.result, Problem):
                    bad += 1
                    what = "argument" if item.source == "command line" else "line"
                    _log.error("%s %s %d: %s", item.source, what, item.number, item.result.sentence)
                    continue
                if item.result.notice:
                    _log.warning("%s %d: %s", item.source, item.number, item.result.notice)
                good += 1
                known = item.result.identifiers
                where = Identifiers(**{name: IDENTIFICATION for name, _ in known.known()})
                self._add(kind, ListedEntry(known, where))
            for address, problem in self._addresses(kind):
                if problem:
                    bad += 1
                    _log.error("%s", problem)
                else:
                    good += 1
                    self._add(kind, ListedEntry(url=address))
            self.bad += bad
            if good or bad:
                _log.info("%s: %d identifiers given, %d that are none", kind, good, bad)
        for kind in KINDS:
            if kind not in self._whole:
                await self._from_databases(kind)

    def wants(self, kind: EntryKind, listed: ListedEntry) -> bool:
        """Whether it passes the filters of identifiers."""
        counts = self._left.setdefault(kind, [0] * (1 + len(self._filters[kind])))
        counts[0] += 1
        for number, filter_ in enumerate(self._filters[kind], start=1):
            if not filter_.holds(listed):
                return False
            counts[number] += 1
        return True

    def _add(self, kind: EntryKind, listed: ListedEntry, base: str = "", key: str = "") -> None:
        if not self._worklist.has(kind, listed):
            self._worklist.add(kind, listed, kept=self.wants(kind, listed), base=base, key=key)

    def tell(self) -> None:
        """How many identifiers there were before and after each filter (F-LOG-08)."""
        for kind in KINDS:
            before, *left = self._left.get(kind, [0])
            for filter_, after in zip(self._filters[kind], left, strict=False):
                _log.info("--%s: %d of %d %ss left", filter_.name, after, before, kind)
                before = after

    def _items(self, kind: EntryKind) -> Iterator[Item]:
        if kind != "publication":
            return
        yield from of_arguments(tuple(self._given.several("pub")))
        for file in self._given.several("pub-file"):
            yield from items(source_of(file))

    def _addresses(self, kind: EntryKind) -> Iterator[tuple[str, str]]:
        """(address, what is wrong with it)."""
        if kind == "publication":
            return
        option = OPTION_OF[kind]
        for number, text in enumerate(self._given.several(option), start=1):
            yield _checked(text, f"--{option} argument {number}")
        for file in self._given.several(f"{option}-file"):
            source = source_of(file)
            with opened(source) as stream:
                for number, text, whole in raw_lines(source, stream):
                    place = f"{source.name} line {number}"
                    if not whole:
                        yield "", f"{place}: is longer than {MAX_LINE:,} characters"
                    elif text.strip() and not text.strip().startswith("#"):
                        yield _checked(text, place)

    async def _from_databases(self, kind: EntryKind) -> None:
        for path in self._given.several(f"{OPTION_OF[kind]}-db"):
            source = await DatabaseSource.open(path)
            try:
                async for key, listed in source.listed(kind):
                    self._add(kind, listed, path, key)
            finally:
                await source.close()


def _checked(text: str, place: str) -> tuple[str, str]:
    """A web address as it is kept, trimmed and else as given (F-ID-06), and what is wrong with it."""
    address = text.strip()
    problem = problem_of(address)
    return address, f"{place}: {problem}" if problem else ""
