"""Counting over the entries of a run: hosts, and the table of parts and types (chapter 19)."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

from pubweave.contract.vocabulary import PART_NAMES, TYPE_NAMES, EntryKind
from pubweave.core.politeness import host_of
from pubweave.core.record import Record
from pubweave.core.selecting.model import Entry


class Hosts:
    """How often each host occurs, per kind (F-TOP-01, F-TOP-02).

    :param counts: which addresses are counted: all, or only those with or without rules (F-TOP-03)
    """

    def __init__(self, counts: Callable[[EntryKind, str], bool]) -> None:
        self._counts = counts
        self._hosts: dict[EntryKind, Counter[str]] = {}

    def add(self, kind: EntryKind, entry: Entry) -> None:
        """Of a publication the visited sites, of a page its final address, else its start address (A-22)."""
        hosts = self._hosts.setdefault(kind, Counter())
        urls = (
            [site.url for site in entry.visited_sites]
            if isinstance(entry, Record)
            else [entry.final_url or entry.start_url]
        )
        for url in urls:
            if self._counts(kind, url) and (host := host_of(url)):
                hosts[host] += 1

    def top(self, kind: EntryKind, *, head: int | None, tail: int | None) -> list[tuple[str, int]]:
        """(host, count), most frequent first, those of one frequency by alphabet; limited (F-TOP-04)."""
        found = sorted(self._hosts.get(kind, Counter()).items(), key=lambda item: (-item[1], item[0]))
        first = found if head is None else found[:head]
        return first if tail is None else first[max(0, len(first) - tail) :]


class PartTable:
    """How many parts of the publications are of which type (F-PTB-01)."""

    HEADER: Final = f"type,{','.join(PART_NAMES)},total"

    def __init__(self) -> None:
        self._cells: Counter[tuple[str, str]] = Counter()

    def add(self, record: Record) -> None:
        for name, part in record.parts():
            self._cells[part.type, name] += 1

    def lines(self) -> Iterator[str]:
        """CSV, a row for every type, also where it is all zeros."""
        yield self.HEADER
        for type_ in TYPE_NAMES:
            row = [self._cells[type_, name] for name in PART_NAMES]
            yield ",".join((type_, *map(str, row), str(sum(row))))
