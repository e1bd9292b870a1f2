"""Scripts and styles that pages of one site have in common: asked for once in a while, not once for each page."""

from collections import OrderedDict
from typing import Final

from pubweave.contract.exchange import Reply
from pubweave.ports import Clock

KEPT_S: Final = 600.0
MOST_BYTES: Final = 64 << 20
LARGEST_BYTES: Final = 4 << 20


class Shelf:
    """Replies by address, those used last; bounded in bytes and time. Only what was `found` is kept."""

    def __init__(self, clock: Clock, *, most_bytes: int = MOST_BYTES) -> None:
        self._clock = clock
        self._most_bytes = most_bytes
        self._bytes = 0
        self._kept: OrderedDict[str, tuple[float, Reply]] = OrderedDict()

    def get(self, url: str) -> Reply | None:
        """What was put there, if it is not too old."""
        kept = self._kept.get(url)
        if kept is None:
            return None
        if kept[0] + KEPT_S < self._clock.monotonic_s():
            self._drop(url)
            return None
        self._kept.move_to_end(url)
        return kept[1]

    def put(self, url: str, reply: Reply) -> None:
        """Keep it; what was not used for longest makes room."""
        if reply.outcome != "found" or len(reply.body) > LARGEST_BYTES:
            return
        if url in self._kept:
            self._drop(url)
        self._kept[url] = (self._clock.monotonic_s(), reply)
        self._bytes += len(reply.body)
        while self._bytes > self._most_bytes:
            self._drop(next(iter(self._kept)))

    def _drop(self, url: str) -> None:
        self._bytes -= len(self._kept.pop(url)[1].body)
