"""The pipeline's lists, on disk where they are long: identifiers to work on, and the entries that were got.

Held in a private temporary SQLite database, which sorts a million rows without holding them. Of an entry only
its place and what it is sorted by are kept; the record itself stays where it was got from.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple

from pubweave.cli.operations.selecting import ListedEntry
from pubweave.contract.values import Identifiers
from pubweave.contract.vocabulary import EntryKind
from pubweave.core.identifiers import sort_key

KINDS: Final[tuple[EntryKind, ...]] = ("publication", "webpage", "doc")

Order = Literal["asc", "desc", "asc-time", "desc-time"]

_LISTED: Final = """CREATE TABLE listed (
        number INTEGER PRIMARY KEY, kind TEXT NOT NULL, pmid TEXT NOT NULL, pmcid TEXT NOT NULL,
        doi TEXT NOT NULL, pmid_url TEXT NOT NULL, pmcid_url TEXT NOT NULL, doi_url TEXT NOT NULL,
        url TEXT NOT NULL, sort TEXT NOT NULL, kept INTEGER NOT NULL, base TEXT NOT NULL, key TEXT NOT NULL)"""
# `place` is the kind's number above the bits of the place among the entries of the kind.
_ENTRY: Final = """CREATE TABLE entry (
        place INTEGER PRIMARY KEY, way INTEGER NOT NULL, key TEXT NOT NULL, sort TEXT NOT NULL,
        fetch_time INTEGER NOT NULL, citations_count INTEGER, citations_timestamp INTEGER)"""
_TABLES: Final = (
    "PRAGMA journal_mode = OFF",
    "PRAGMA synchronous = OFF",
    "PRAGMA temp_store = FILE",
    "PRAGMA cache_size = -32768",
    _LISTED,
    "CREATE UNIQUE INDEX listed_once ON listed (kind, pmid, pmcid, doi, url)",
    _ENTRY,
    "CREATE TABLE fetched (number INTEGER PRIMARY KEY, key TEXT NOT NULL)",
)
_PAGE: Final = 500
_KIND_BITS: Final = 60


class Numbered(NamedTuple):
    """An element of an identifier list."""

    number: int
    """In the order of the list."""
    listed: ListedEntry
    base: str = ""
    """The database that it was taken from, and …"""
    key: str = ""
    """… its key there."""


class EntryRow(NamedTuple):
    """An entry that was got."""

    number: int
    """Names the entry."""
    way: int
    """Which way of getting brought it; says where its record is."""
    key: str
    citations_count: int | None
    """Counted since, by --update-citations-count."""
    citations_timestamp: int | None


def sort_text(listed: ListedEntry) -> str:
    """A text that sorts as 2.4 wants: publications by their identifiers, pages by address."""
    if listed.url:
        return listed.url
    first, number, *rest = sort_key(listed.identifiers)
    assert isinstance(number, tuple)
    kind, value = number
    digits = f"{len(str(value)):06d}{value}" if kind == 0 else str(value)
    return "\0".join((f"{first}{kind}{digits}", *map(str, rest)))


class Worklist:
    """The three lists of identifiers and the three of entries."""

    def __init__(self) -> None:
        self._db = sqlite3.connect("", isolation_level=None)
        for statement in _TABLES:
            self._db.execute(statement).fetchall()
        self._db.execute("BEGIN")
        self._got: list[tuple[int, int, str, str, int]] = []
        """Entries that are not in the table yet."""
        self._tallies: dict[EntryKind, int] = dict.fromkeys(KINDS, 0)

    def close(self) -> None:
        self._db.close()

    # Identifiers.

    def add(self, kind: EntryKind, listed: ListedEntry, *, kept: bool, base: str = "", key: str = "") -> None:
        """Add to the end of a list, unless it is there already (F-CLI-60).

        :param kept: it passes the filters; if it does not it still stands for its repetitions
        """
        known, where = listed.identifiers, listed.provenance
        row = (
            kind,
            known.pmid,
            known.pmcid,
            known.doi,
            where.pmid,
            where.pmcid,
            where.doi,
            listed.url,
            sort_text(listed),
            kept,
            base,
            key,
        )
        statement = (
            "INSERT OR IGNORE INTO listed (kind, pmid, pmcid, doi, pmid_url, pmcid_url, doi_url, url, sort, "
            "kept, base, key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        )
        self._db.execute(statement, row)

    def has(self, kind: EntryKind, listed: ListedEntry) -> bool:
        """Whether a list has it already."""
        known = listed.identifiers
        found = self._db.execute(
            "SELECT 1 FROM listed WHERE kind = ? AND pmid = ? AND pmcid = ? AND doi = ? AND url = ?",
            (kind, known.pmid, known.pmcid, known.doi, listed.url),
        )
        return found.fetchone() is not None

    def drop(self, numbers: Iterable[int]) -> None:
        """Take elements out of the lists."""
        self._db.executemany("DELETE FROM listed WHERE number = ?", ((number,) for number in numbers))

    def order(self, *, descending: bool) -> None:
        """Sort the lists (F-CLI-90, F-CLI-91)."""
        direction = "DESC" if descending else "ASC"
        self._db.execute("DELETE FROM listed WHERE NOT kept")
        self._db.execute("DROP INDEX listed_once")
        self._db.execute("ALTER TABLE listed RENAME TO unsorted")
        self._db.execute(_LISTED)
        self._db.execute(
            "INSERT INTO listed SELECT NULL, kind, pmid, pmcid, doi, pmid_url, pmcid_url, doi_url, url, sort, "
            f"kept, base, key FROM unsorted ORDER BY sort {direction}, number"
        )
        self._db.execute("DROP TABLE unsorted")

    def limit(self, *, head: int | None, tail: int | None) -> None:
        """Keep the first `head` of each list, and of them the last `tail`."""
        for kind in KINDS:
            if head is not None:
                self._db.execute(
                    "DELETE FROM listed WHERE kind = ? AND kept AND number NOT IN "
                    "(SELECT number FROM listed WHERE kind = ? AND kept ORDER BY number LIMIT ?)",
                    (kind, kind, head),
                )
            if tail is not None:
                self._db.execute(
                    "DELETE FROM listed WHERE kind = ? AND kept AND number NOT IN "
                    "(SELECT number FROM listed WHERE kind = ? AND kept ORDER BY number DESC LIMIT ?)",
                    (kind, kind, tail),
                )

    def count(self, kind: EntryKind) -> int:
        """How many elements a list has."""
        return int(
            self._db.execute("SELECT count(*) FROM listed WHERE kind = ? AND kept", (kind,)).fetchone()[0]
        )

    def pages(self, kind: EntryKind, size: int = _PAGE) -> Iterator[list[Numbered]]:
        """A list in its order, some elements at a time."""
        last = -1
        while rows := self._db.execute(
            "SELECT number, pmid, pmcid, doi, pmid_url, pmcid_url, doi_url, url, base, key FROM listed NOT INDEXED "
            "WHERE kind = ? AND kept AND number > ? ORDER BY number LIMIT ?",
            (kind, last, size),
        ).fetchall():
            last = rows[-1][0]
            yield [
                Numbered(
                    row[0],
                    ListedEntry(Identifiers(*row[1:4]), Identifiers(*row[4:7]), row[7]),
                    row[8],
                    row[9],
                )
                for row in rows
            ]

    def elements(self, kind: EntryKind) -> Iterator[Numbered]:
        """A list in its order."""
        for page in self.pages(kind):
            yield from page

    # What a job has fetched, until it is filtered.

    def forget_fetched(self) -> None:
        """Before the next job."""
        self._db.execute("DELETE FROM fetched")

    def was_fetched(self, number: int, key: str) -> None:
        """An element of a list was fetched; it came out under this key."""
        self._db.execute("INSERT OR REPLACE INTO fetched VALUES (?, ?)", (number, key))

    def fetched(self, size: int = _PAGE) -> Iterator[list[tuple[int, str]]]:
        """(number, key) in the order of the list, some at a time (F-CLI-116)."""
        last = -1
        while rows := self._db.execute(
            "SELECT number, key FROM fetched WHERE number > ? ORDER BY number LIMIT ?", (last, size)
        ).fetchall():
            last = rows[-1][0]
            yield rows

    # Entries.

    def got(
        self, kind: EntryKind, place: int, way: int, key: str, listed: ListedEntry | None, fetch_time: int
    ) -> None:
        """An entry was got, and passes the filters.

        :param place: where it belongs among the entries of its kind
        :param listed: by what it is sorted; None where nobody will sort
        """
        sort = sort_text(listed) if listed is not None else ""
        self._got.append((_first(kind) + place, way, key, sort, fetch_time))
        if len(self._got) >= _PAGE:
            self._write_entries()

    def _write_entries(self) -> None:
        self._db.executemany(
            "INSERT INTO entry (place, way, key, sort, fetch_time) VALUES (?, ?, ?, ?, ?)", self._got
        )
        self._got.clear()

    def tally(self, kind: EntryKind) -> None:
        """An entry was got that nobody will look at."""
        self._tallies[kind] += 1

    def order_entries(self, orders: Iterable[Order]) -> None:
        """Sort the entries of each kind; what was sorted by first breaks the ties of the next (17.11)."""
        self._write_entries()
        clauses = []
        for order in reversed(list(orders)):
            column = "fetch_time" if order.endswith("-time") else "sort"
            clauses.append(f"{column} {'DESC' if order.startswith('desc') else 'ASC'}")
        self._db.execute("ALTER TABLE entry RENAME TO unsorted")
        self._db.execute(_ENTRY)
        for kind in KINDS:
            self._db.execute(
                "INSERT INTO entry SELECT ? + row_number() OVER (ORDER BY "
                f"{', '.join(clauses)}, place), way, key, sort, fetch_time, citations_count, "
                "citations_timestamp FROM unsorted WHERE place BETWEEN ? AND ?",
                (_first(kind), *_range(kind)),
            )
        self._db.execute("DROP TABLE unsorted")

    def count_entries(self, kind: EntryKind) -> int:
        """How many entries of a kind there are."""
        self._write_entries()
        found = self._db.execute("SELECT count(*) FROM entry WHERE place BETWEEN ? AND ?", _range(kind))
        return int(found.fetchone()[0]) + self._tallies[kind]

    def limit_entries(self, *, head: int | None, tail: int | None) -> None:
        """Keep the first `head` of each kind, and of them the last `tail`."""
        self._write_entries()
        for kind in KINDS:
            for limit, direction in ((head, "ASC"), (tail, "DESC")):
                if limit is not None:
                    self._db.execute(
                        "DELETE FROM entry WHERE place BETWEEN ? AND ? AND place NOT IN (SELECT place FROM entry "
                        f"WHERE place BETWEEN ? AND ? ORDER BY place {direction} LIMIT ?)",
                        (*_range(kind), *_range(kind), limit),
                    )

    def entries(self, kind: EntryKind, size: int = _PAGE) -> Iterator[list[EntryRow]]:
        """The entries of a kind in their order, some at a time."""
        self._write_entries()
        after, last = _range(kind)
        while rows := self._db.execute(
            "SELECT place, way, key, citations_count, citations_timestamp FROM entry "
            "WHERE place BETWEEN ? AND ? ORDER BY place LIMIT ?",
            (after, last, size),
        ).fetchall():
            after = rows[-1][0] + 1
            yield [EntryRow(*row) for row in rows]

    def counted(self, number: int, count: int, timestamp: int) -> None:
        """An entry's citations were counted anew."""
        self._db.execute(
            "UPDATE entry SET citations_count = ?, citations_timestamp = ? WHERE place = ?",
            (count, timestamp, number),
        )


def _first(kind: EntryKind) -> int:
    return KINDS.index(kind) << _KIND_BITS


def _range(kind: EntryKind) -> tuple[int, int]:
    """The first and last place that an entry of a kind can have."""
    return _first(kind), _first(kind) + (1 << _KIND_BITS) - 1
