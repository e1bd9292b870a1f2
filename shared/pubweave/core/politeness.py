"""Politeness units (design law 6): what budgets and the one-connection rule are counted by."""

from functools import lru_cache
from urllib.parse import urlsplit


# Each request asks this half a dozen times of the same address.
@lru_cache(maxsize=512)
def host_of(url: str) -> str:
    """The host of an address, folded: lower case, without a leading `www.` (F-HOST-02); "" if none."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    return host.removeprefix("www.").rstrip(".")


def politeness_unit(url: str, family: str = "") -> str:
    """The API family where one is named, else the folded host; `-` for an address without a host."""
    return family or host_of(url) or "-"
