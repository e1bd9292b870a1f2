"""The order of the walk, and what lies below a root (LOCKSS-IN-PRACTICE 2–5).

A unit is a tree of path components, walked in pre-order: a node before its children, children in code point
order of their names. With `/` put below every other character that is plain string order, scheme and host
being components like any other.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

SLASH = "\x02"
"""Stands for `/` in a walk key; `\\x01` is left free for those who add columns behind a key."""

_AFTER_SLASH = "\x03"
_CONTROL = re.compile("[\x00-\x1f\x7f\x85\u2028\u2029\ud800-\udfff]")


class BadUrlError(ValueError):
    """A URL holds a control character and has no place in the order."""


def is_walkable(url: str) -> bool:
    """True if the URL is not empty and holds no control character, no line end and no broken UTF-8."""
    return bool(url) and _CONTROL.search(url) is None


def walk_key(url: str) -> str:
    """The string by which URLs sort into the order of the walk."""
    return url.replace("/", SLASH)


def root_node(root: str) -> str:
    """A root without the slash at its end: `…/a/` and `…/a` are the same node."""
    return root[:-1] if root.endswith("/") else root


def is_below(root: str, url: str) -> bool:
    """True for the root itself and for whatever follows it after a `/`; `…/ab` and `…/a?x` are not below `…/a`."""
    node = root_node(root)

    return url.startswith(node) and (len(url) == len(node) or url[len(node)] == "/")


def root_range(
    items: Sequence[str], root: str, *, key: Callable[[str], str] = lambda item: item
) -> tuple[int, int]:
    """The part of the sorted items that is below the root, as (first, one after the last).

    `key` makes the walk key of an item; by default the items are walk keys.
    """
    node = walk_key(root_node(root))
    first = bisect_left(items, node, key=key)

    return first, bisect_left(items, node + _AFTER_SLASH, lo=first, key=key)


class ArchivalUnit(Protocol):
    """A set of stored URLs with content; the `au` that factories and iterators get."""

    @property
    def params(self) -> dict[str, str]:
        """The unit's parameters as texts: `base_url`, `volume`, …"""
        ...

    def below(self, root: str | None) -> Iterator[tuple[str, str]]:
        """The (URL, media type) below a root, or all of them for None, each once, in the order of the walk.

        The media type is as stored, perhaps with parameters; empty where not known.
        """
        ...

    def has(self, url: str) -> bool:
        """True if this URL, letter for letter, is stored with content."""
        ...


class UnitInMemory:
    """An archival unit held in memory: the order and the repeats of `urls` mean nothing.

    A URL given with different media types keeps the last of them in code point order. `urls` are the distinct
    URLs in the order in which they came, `stored` the same as a set.

    :raises BadUrlError: a URL is empty or holds a control character
    """

    def __init__(self, urls: Iterable[str | tuple[str, str]], params: dict[str, str] | None = None) -> None:
        self.params = dict(params or {})
        self._media_types: dict[str, str] = {}
        distinct: dict[str, str] = {}
        for item in urls:
            url, media_type = (item, "") if isinstance(item, str) else item
            known = distinct.get(url)
            if known is None or media_type > known:
                distinct[url] = media_type
        for url, media_type in distinct.items():
            if not is_walkable(url):
                raise BadUrlError(f"{url!r} is empty or holds a control character")
            if media_type:
                self._media_types[url] = media_type
        self._take(list(distinct))

    @classmethod
    def of_urls(cls, urls: Iterable[str], params: dict[str, str] | None = None) -> UnitInMemory:
        """The unit of URLs without media types that are known to be walkable (`is_walkable`); faster."""
        unit = cls((), params)
        unit._take(list(urls))

        return unit

    def _take(self, urls: list[str]) -> None:
        self.urls = urls
        # A set, not a dictionary: what is not there is asked for most, and that touches less memory.
        self.stored = set(urls)
        if len(self.stored) < len(urls):
            self.urls = list(dict.fromkeys(urls))
        self._sorted: list[str] | None = None

    def urls_below(self, root: str | None) -> list[str]:
        """As `below`, without media types."""
        if self._sorted is None:
            self._sorted = sorted(self.urls, key=walk_key)
        if root is None:
            return self._sorted
        first, end = root_range(self._sorted, root, key=walk_key)

        return self._sorted[first:end]

    def items(self) -> Iterator[tuple[str, str]]:
        """All (URL, media type) pairs in the order in which they came."""
        for url in self.urls:
            yield url, self._media_types.get(url, "")

    def below(self, root: str | None) -> Iterator[tuple[str, str]]:
        for url in self.urls_below(root):
            yield url, self._media_types.get(url, "")

    def media_type(self, url: str) -> str:
        """The media type of a stored URL; empty where it is not known."""
        return self._media_types.get(url, "")

    def has(self, url: str) -> bool:
        return url in self.stored
