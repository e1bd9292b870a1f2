"""The fetcher: the one door through which everything on the web is asked.

Hears `reply-wanted`; asks the web over HTTP(S), each host on its own turn and each API within its budget; says
`reply-received`, always exactly one, with one word for how it went and the evidence. Never decides what a
reply means for a publication, never asks a private address, and never asks faster than the resources' budgets allow.

    turns.py      who may ask now: connections per host, sliding windows, daily quotas, Retry-After
    wire.py       one request on the wire: deadlines, sizes, TLS, proxies, addresses that are refused
    outcomes.py   THE table: what is seen, and what it is called
    bodies.py     decompressed within bounds, and judged against what was asked for
    door.py       `FetcherDoor`: redirects, cookies, second attempts, one row for each
    recorder.py   every exchange as WARC; replay.py and regather.py repeat a run from it
"""

from typing import TYPE_CHECKING, Any

from pubweave.doors.fetcher.settings import FetcherSettings

if TYPE_CHECKING:
    from pubweave.doors.fetcher.door import FetcherDoor

__all__ = ["FetcherDoor", "FetcherSettings"]


def __getattr__(name: str) -> Any:
    """`FetcherDoor` brings aiohttp with it: loaded when first wanted, so that settings stay cheap to import."""
    if name == "FetcherDoor":
        from pubweave.doors.fetcher.door import FetcherDoor

        return FetcherDoor
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
