"""Replaying batches: needs are handed over in the companies in which the recorded run asked for them.

Which needs meet in a batch depends on when replies come, so a second run would ask other questions than the
first, and a recording would not hold them. The recorder therefore notes for which needs each request was, and
a replaying runtime gathers by that note: then every question is asked again word for word.
"""

import hashlib
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence

import msgspec

from pubweave.contract.exchange import Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.vocabulary import ResourceName


class RecordedBatch(msgspec.Struct, frozen=True):
    """The needs that one recorded request was the first to ask for, in their order there."""

    resource: str
    needs: tuple[str, ...]
    """`need_mark` of each."""


def need_mark(need: NeedsPart) -> str:
    """What a need is for, the same in every run: 12 hexadecimal digits."""
    asked = need.link.url if need.link is not None else need.value
    return _digits(need.ask or "", asked, *need.missing)


def noted(work: Work) -> str:
    """The note of one request: resource and step, and of each need what it is for and which it is."""
    needs = (f"{need_mark(need)}/{_digits(need.need)}" for need in work.needs)
    return " ".join([f"{work.resource}/{work.step}", *needs])


def batches(notes: Iterable[str]) -> list[RecordedBatch]:
    """The batches that notes in the order of recording tell of. A need counts where it was asked for first;
    repetitions and smaller questions after that follow of themselves."""
    seen: set[str] = set()
    found: list[RecordedBatch] = []
    for note in notes:
        asker, *entries = note.split(" ")
        fresh: list[str] = []
        for entry in entries:
            mark, _, need = entry.partition("/")
            if need not in seen:
                seen.add(need)
                fresh.append(mark)
        if fresh:
            found.append(RecordedBatch(asker.partition("/")[0], tuple(fresh)))
    return found


class Companies:
    """Finds the recorded request for at least the needs of a work: its reply holds their answers, too.

    Needed where a company is not complete: a need that was superseded before it was asked this time, and not
    last time.
    """

    def __init__(self) -> None:
        self._companies: list[tuple[str, str, str, frozenset[str]]] = []
        self._with: defaultdict[str, list[int]] = defaultdict(list)

    def add(self, key: str, place: str, note: str) -> None:
        """`key` and `place` of a recorded request (its address without query), and its note."""
        asker, *entries = note.split(" ")
        marks = frozenset(entry.partition("/")[0] for entry in entries)
        for mark in marks:
            self._with[mark].append(len(self._companies))
        self._companies.append((key, place, asker, marks))

    def key(self, place: str, work: Work) -> str:
        """The key of the smallest company that holds all needs of the work, one of the same step if there is;
        "" if none was asked at this place for the same resource."""
        asker = f"{work.resource}/{work.step}"
        marks = frozenset(map(need_mark, work.needs))
        if not marks:
            return ""
        rarest = min((self._with.get(mark, []) for mark in marks), key=len)
        found = [
            (other != asker, len(company), number)
            for number in rarest
            for _, at, other, company in [self._companies[number]]
            if at == place and other.partition("/")[0] == work.resource and marks <= company
        ]
        return self._companies[min(found)[2]][0] if found else ""


class Regatherer:
    """Gathers the needs of one resource as they were recorded; takes the place of a runtime's gatherer.

    A batch is full when all its needs have come. A part-full one, and needs that the recording does not know,
    are handed over only when nothing else is under way (`linger_ms` is without end).
    """

    linger_ms = 10**12

    def __init__(self, name: ResourceName, recorded: Sequence[RecordedBatch]) -> None:
        self.name = name
        self.oldest_s = 0.0
        self._batches = [batch for batch in recorded if batch.resource == name]
        self._places: defaultdict[str, deque[tuple[int, int]]] = defaultdict(deque)
        for number, batch in enumerate(self._batches):
            for position, mark in enumerate(batch.needs):
                self._places[mark].append((number, position))
        self._waiting: dict[int, dict[int, NeedsPart]] = {}
        self._full: deque[int] = deque()
        self._unknown: deque[NeedsPart] = deque()

    def __len__(self) -> int:
        return len(self._unknown) + sum(map(len, self._waiting.values()))

    def add(self, need: NeedsPart) -> None:
        places = self._places.get(need_mark(need))
        if not places:
            self._unknown.append(need)
            return
        number, position = places.popleft()
        company = self._waiting.setdefault(number, {})
        company[position] = need
        if len(company) == len(self._batches[number].needs):
            self._full.append(number)

    def drop(self, needs: set[str]) -> None:
        """Superseded or cancelled before they were asked."""
        self._unknown = deque(need for need in self._unknown if need.need not in needs)
        for number, company in list(self._waiting.items()):
            left = {position: need for position, need in company.items() if need.need not in needs}
            if len(left) < len(company):
                self._waiting[number] = left
                if number in self._full:
                    self._full.remove(number)
                if not left:
                    del self._waiting[number]

    def full(self) -> tuple[NeedsPart, ...] | None:
        """A batch all of whose needs are there."""
        return self._take(self._full.popleft()) if self._full else None

    def rest(self) -> tuple[NeedsPart, ...] | None:
        """When nothing more will come: the fullest batch, and after all batches what is not known, one by one."""
        if self._full:
            return self.full()
        if self._waiting:
            return self._take(max(self._waiting, key=lambda number: (len(self._waiting[number]), -number)))
        return (self._unknown.popleft(),) if self._unknown else None

    def _take(self, number: int) -> tuple[NeedsPart, ...]:
        company = self._waiting.pop(number)
        return tuple(company[position] for position in sorted(company))


def _digits(*pieces: str) -> str:
    return hashlib.blake2b("\x00".join(pieces).encode("utf-8", "replace"), digest_size=6).hexdigest()
