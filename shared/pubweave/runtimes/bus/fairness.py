"""Whose question a door takes next: sites in turn, none with more than its share under way."""

from collections import OrderedDict, deque
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Fair(Generic[Item]):
    """Items of many sites. One huge site does not keep the others behind it waiting.

    :param share: how many of one site may be under way
    """

    def __init__(self, share: int) -> None:
        self._share = share
        self._waiting: OrderedDict[str, deque[Item]] = OrderedDict()
        self._under_way: dict[str, int] = {}
        self._count = 0

    def add(self, site: str, item: Item) -> None:
        self._waiting.setdefault(site, deque()).append(item)
        self._count += 1

    def next(self) -> tuple[str, Item] | None:
        """The first item of the next site that may have one more under way; None if there is no such site."""
        for site, items in self._waiting.items():
            if self._under_way.get(site, 0) < self._share:
                item = items.popleft()
                self._count -= 1
                if items:
                    self._waiting.move_to_end(site)
                else:
                    del self._waiting[site]
                self._under_way[site] = self._under_way.get(site, 0) + 1
                return site, item
        return None

    def finished(self, site: str) -> None:
        """One of those under way has ended."""
        left = self._under_way.get(site, 0) - 1
        if left > 0:
            self._under_way[site] = left
        else:
            self._under_way.pop(site, None)

    def surplus(self) -> tuple[str, list[Item]]:
        """Take out the later half of the site with the most items waiting."""
        if not self._waiting:
            return "", []
        site = max(self._waiting, key=lambda name: len(self._waiting[name]))
        items = self._waiting[site]
        found = [items.pop() for _ in range(len(items) // 2)]
        self._count -= len(found)
        return site, found[::-1]

    def clear(self) -> None:
        """Nobody waits any more; those under way go on."""
        self._waiting.clear()
        self._count = 0

    def __len__(self) -> int:
        """How many wait."""
        return self._count
