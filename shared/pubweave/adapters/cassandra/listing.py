"""Shelves read as one: what lies in many partitions, each in order, comes out in the order of all."""

import heapq
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, Final

from pubweave.adapters.cassandra.session import SHELVES, Session

PAGE: Final = 200

Fetch = Callable[[int, str, int], Awaitable[Sequence[Any]]]
"""(shelf, after, limit) → rows that begin with the publication, in order."""


async def in_order(session: Session, fetch: Fetch, after: str = "") -> AsyncIterator[Any]:
    """Rows of all shelves by publication. The next page of a shelf is fetched when its last row was given, so
    that no more than a page of each is in memory."""
    firsts = await session.together(fetch(shelf, after, PAGE) for shelf in SHELVES)
    heap: list[tuple[bytes, int, int]] = []
    pages = dict(zip(SHELVES, firsts, strict=True))
    for shelf, page in pages.items():
        if page:
            heapq.heappush(heap, (_sorted(page[0][0]), shelf, 0))
    while heap:
        _, shelf, at = heapq.heappop(heap)
        page = pages[shelf]
        yield page[at]
        at += 1
        if at == len(page) and len(page) >= PAGE:
            page = pages[shelf] = await fetch(shelf, page[-1][0], PAGE)
            at = 0
        if at < len(page):
            heapq.heappush(heap, (_sorted(page[at][0]), shelf, at))


def _sorted(name: str) -> bytes:
    """Cassandra orders texts by their UTF-8 bytes (which is also the order of their code points)."""
    return name.encode("utf-8", "surrogatepass")
