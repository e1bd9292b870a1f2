"""Needs gathered into works: how many at a time, and when a part-full one is handed over (design law 5)."""

from collections import deque

from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.vocabulary import ResourceName
from pubweave.core.toolkit.service import Service
from pubweave.ports import Clock


class Gatherer:
    """Needs of one resource, oldest first; interactive ones before bulk ones.

    A full batch is handed over at once. A part-full one waits while needs still on their way may fill it; the
    one who knows that calls `rest`.
    """

    def __init__(self, service: Service, clock: Clock, *, alone: bool) -> None:
        self.service = service
        self._clock = clock
        self.linger_ms = 0 if alone else service.batching.linger_ms
        self.oldest_s = 0.0
        """When the oldest of the needs that wait came (monotonic seconds)."""
        self._size = 1 if alone else max(1, service.batching.max_needs)
        self._lanes: dict[str, deque[NeedsPart]] = {"interactive": deque(), "bulk": deque()}

    @property
    def name(self) -> ResourceName:
        return self.service.name

    def __len__(self) -> int:
        return sum(map(len, self._lanes.values()))

    def add(self, need: NeedsPart) -> None:
        if not len(self):
            self.oldest_s = self._clock.monotonic_s()
        self._lanes["interactive" if need.lane == "interactive" else "bulk"].append(need)

    def drop(self, needs: set[str]) -> None:
        """Superseded or cancelled before they were asked."""
        for lane, waiting in self._lanes.items():
            if any(need.need in needs for need in waiting):
                self._lanes[lane] = deque(need for need in waiting if need.need not in needs)

    def full(self) -> tuple[NeedsPart, ...] | None:
        """A full batch, if there is one."""
        return self._take(self._size) if len(self) >= self._size else None

    def rest(self) -> tuple[NeedsPart, ...] | None:
        """What there is, up to a full batch."""
        return self._take(self._size) if len(self) else None

    def _take(self, count: int) -> tuple[NeedsPart, ...]:
        taken: list[NeedsPart] = []
        for waiting in self._lanes.values():
            while waiting and len(taken) < count:
                taken.append(waiting.popleft())
        self.oldest_s = self._clock.monotonic_s()
        return tuple(taken)
