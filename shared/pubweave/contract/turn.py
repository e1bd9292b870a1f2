"""Whose turn a question waits for (design law 6): questions to one site are asked by one owner."""

from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

_SECOND_LEVEL: Final = frozenset(
    {"ac", "co", "com", "edu", "go", "gob", "gov", "gouv", "ne", "net", "nom", "or", "org"}
)
"""Words before a country under which sites are registered."""


@lru_cache(maxsize=10_000)
def site_of(host: str) -> str:
    """The registered name that a host belongs to, nearly: its last two labels, three under `ac.uk` and the like.

    Too coarse is safe: everything that shares a budget or a connection (the hosts of one API family, the families
    of one host) must have one owner; that unrelated hosts share it as well costs nothing but spread.
    """
    labels = host.rstrip(".").lower().split(".")
    if ":" in host or labels[-1].isdigit():
        return host
    short = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL
    return ".".join(labels[-3 if short else -2 :])


def turn_of(url: str) -> str:
    """The site of an address; `-` for an address without a host."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        host = ""
    return site_of(host) or "-"
