"""Named awkward streams: what a log is given in the tests of every adapter, and what it must then hold."""

from typing import NamedTuple

from pubweave.ports import Entry


class Stream(NamedTuple):
    """Appends, one after the other, and the ids that must be read afterwards, in order."""

    name: str
    appends: tuple[tuple[Entry, ...], ...]
    ids: tuple[str, ...]


def entry(id_: str, key: str = "a", body: bytes = b"{}", kind: str = "delayed", version: int = 1) -> Entry:
    return Entry(key, id_, kind, version, body)


def digest(number: int) -> str:
    """An id as real events have it: 32 hexadecimal digits."""
    return f"{number:032x}"


STREAMS = (
    Stream("nothing", (), ()),
    Stream("empty", ((), (entry("1", body=b""),), ()), ("1",)),
    Stream("duplicate-in-one-append", ((entry("1"), entry("1"), entry("2")),), ("1", "2")),
    Stream(
        "duplicate-in-a-later-append", ((entry("1"), entry("2")), (entry("1"), entry("3"))), ("1", "2", "3")
    ),
    Stream(
        "duplicate-with-another-body", ((entry("1", body=b"first"),), (entry("1", body=b"second"),)), ("1",)
    ),
    Stream("all-duplicates", ((entry("1"),), (entry("1"),), (entry("1"),)), ("1",)),
    Stream(
        "late",
        ((entry("1", "a"), entry("2", "b"), entry("3", "b")), (entry("0", "a"),)),
        ("1", "2", "3", "0"),
    ),
    Stream(
        "out-of-order",
        (tuple(entry(digest(number)) for number in (3, 1, 2)),),
        (digest(3), digest(1), digest(2)),
    ),
    Stream(
        "unknown-version",
        ((entry("1", kind="from-the-future", version=99, body=b"\x00\xff not json"),),),
        ("1",),
    ),
    Stream(
        "ids-that-look-like-digests",
        ((entry(digest(10)), entry(digest(10).upper()), entry(digest(10)[:-1])),),
        (digest(10), digest(10).upper(), digest(10)[:-1]),
    ),
    Stream("odd-text", ((entry("ä/€ \t'\"", key="κλειδί;--", body="ﬂ\u0000𝒳".encode()),),), ("ä/€ \t'\"",)),
)
