"""Records seen from other sides: by state for refetching, by host, by day of change.

A view is never repaired by hand. `note` adds what a new version of a record says; what older versions said
stays behind and is left out when a reader compares it with the record. `rebuild` makes everything anew from
the records, as an edition of its own, and readers turn to it when it is whole.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, date, datetime
from typing import Any, Final, Literal, get_args

import msgspec

from pubweave.adapters.cassandra.session import SHELVES, Session, shelf_of
from pubweave.adapters.cassandra.store import CassandraStore
from pubweave.contract.values import Thresholds
from pubweave.core.politeness import host_of
from pubweave.core.record import Record, decode_record
from pubweave.ports import StoredRecord

State = Literal["empty", "failed", "incomplete", "final"]
"""Why a record might be fetched again (F-CAN-01): it has nothing; its last fetch had an exception; something
of it is not final; nothing."""
STATES: Final[tuple[State, ...]] = get_args(State)

_EDITION: Final = "views-edition"
_NEXT: Final = "views-edition-being-made"
_FIRST: Final = 0


class Seen(msgspec.Struct, frozen=True):
    """What the views say of a record."""

    publication: str
    version: int
    state: State
    fetched_at: int
    """UNIX ms (`Record.fetch_time`)."""
    hosts: tuple[str, ...]
    """Those of the visited sites, folded (F-HOST-02)."""
    updated_at: int

    @property
    def day(self) -> date:
        """UTC."""
        return datetime.fromtimestamp(self.updated_at / 1000, UTC).date()


def seen(stored: StoredRecord, thresholds: Thresholds | None = None) -> Seen:
    """What the views say of a stored publication; pure.

    :param thresholds: what is enough; the defaults unless given
    """
    record = decode_record(stored.body)
    hosts = {host_of(site.url) for site in record.visited_sites} - {""}
    return Seen(
        stored.publication,
        stored.version,
        _state(record, thresholds or Thresholds()),
        record.fetch_time,
        tuple(sorted(hosts)),
        stored.updated_at,
    )


def _state(record: Record, thresholds: Thresholds) -> State:
    if record.fetch_exception:
        return "failed"
    if record.is_empty():
        return "empty"
    return "final" if record.is_final(thresholds) else "incomplete"


class CassandraViews:
    def __init__(self, session: Session, store: CassandraStore, thresholds: Thresholds | None = None) -> None:
        self._db = session
        self._store = store
        self._thresholds = thresholds
        self._editions_asked: asyncio.Task[set[int]] | None = None

    async def note(self, stored: StoredRecord) -> None:
        """A new version of a publication was stored. Safe to repeat."""
        for edition in await self._editions():
            await self._note(stored, edition)

    async def _editions(self) -> set[int]:
        """That of now and the one being made; asked once for all that are noted at this moment. Not kept: a rebuilding
        relies on it that a record stored after its beginning is noted in both."""
        if self._editions_asked is None:
            self._editions_asked = asyncio.get_running_loop().create_task(self._ask_editions())
        return await asyncio.shield(self._editions_asked)

    async def _ask_editions(self) -> set[int]:
        self._editions_asked = None  # who comes from now on asks anew
        found = dict(
            await self._db.all(
                "SELECT name, value FROM {keyspace}.meta WHERE name IN (?, ?)", (_EDITION, _NEXT)
            )
        )
        return {int(found.get(name) or _FIRST) for name in (_EDITION, _NEXT)}

    async def _note(self, stored: StoredRecord, edition: int) -> None:
        if stored.removed:
            return
        view = seen(stored, self._thresholds)
        shelf = shelf_of(view.publication)
        await self._db.write_small(
            (
                """INSERT INTO {keyspace}.by_state (edition, state, shelf, fetched_at, publication)
                    VALUES (?, ?, ?, ?, ?)""",
                (edition, view.state, shelf, view.fetched_at, view.publication),
            ),
            (
                """INSERT INTO {keyspace}.by_day (edition, day, shelf, updated_at, publication, version)
                    VALUES (?, ?, ?, ?, ?, ?)""",
                (edition, view.day, shelf, view.updated_at, view.publication, view.version),
            ),
            *(
                (
                    "INSERT INTO {keyspace}.by_host (edition, host, publication) VALUES (?, ?, ?)",
                    (edition, host, view.publication),
                )
                for host in view.hosts
            ),
        )

    async def rebuild(self) -> int:
        """Make the views anew from the records, then drop those of before.

        Goes on beside the materialiser, which notes meanwhile in both editions. One process at a time.

        :returns: how many records there are
        """
        before = await self._edition()
        after = before + 1
        await self._drop(after)
        await self._store.set_meta(_NEXT, str(after))
        number = 0
        batch: list[StoredRecord] = []
        async for record in self._store.records():
            batch.append(record)
            number += 1
            if len(batch) >= 64:
                await self._db.together(self._note(one, after) for one in batch)
                batch = []
        await self._db.together(self._note(one, after) for one in batch)
        await self._store.set_meta(_EDITION, str(after))
        await self._store.set_meta(_NEXT, str(after))
        await self._drop(before)
        return number

    async def to_refetch(self, state: State, before_ms: int, limit: int = 1000) -> list[str]:
        """Publications in this state whose fetch time is before that, the oldest of each shelf first."""
        edition = await self._edition()

        async def on_shelf(shelf: int) -> list[Any]:
            return await self._db.all(
                """SELECT fetched_at, publication FROM {keyspace}.by_state
                    WHERE edition = ? AND state = ? AND shelf = ? AND fetched_at < ? LIMIT ?""",
                (edition, state, shelf, before_ms, limit),
            )

        shelves = await self._db.together(on_shelf(shelf) for shelf in SHELVES)
        rows = sorted((row for rows in shelves for row in rows), key=lambda row: (row[0], row[1]))
        checked = await self._db.together(self._now(publication) for _, publication in rows[:limit])
        return [
            view.publication
            for (fetched_at, _), view in zip(rows[:limit], checked, strict=True)
            if view is not None and (view.state, view.fetched_at) == (state, fetched_at)
        ]

    async def of_host(self, host: str) -> AsyncIterator[str]:
        """Publications with a visited site on this host, in order."""
        edition = await self._edition()
        async for (publication,) in self._db.rows(
            "SELECT publication FROM {keyspace}.by_host WHERE edition = ? AND host = ?", (edition, host)
        ):
            view = await self._now(publication)
            if view is not None and host in view.hosts:
                yield publication

    async def top_hosts(self, limit: int = 100) -> list[tuple[str, int]]:
        """Hosts with the most publications; as of the last rebuilding and what was noted since."""
        edition = await self._edition()
        counts: Counter[str] = Counter()
        for of_edition, host in await self._db.all("SELECT DISTINCT edition, host FROM {keyspace}.by_host"):
            if of_edition == edition:
                row = await self._db.one(
                    "SELECT count(*) FROM {keyspace}.by_host WHERE edition = ? AND host = ?", (edition, host)
                )
                counts[host] = row[0]
        return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:limit]

    async def changed_on(self, day: date) -> list[str]:
        """Publications whose newest version is of this day (UTC), in the order of change."""
        edition = await self._edition()

        async def on_shelf(shelf: int) -> list[Any]:
            return await self._db.all(
                """SELECT updated_at, publication, version FROM {keyspace}.by_day
                    WHERE edition = ? AND day = ? AND shelf = ?""",
                (edition, day, shelf),
            )

        shelves = await self._db.together(on_shelf(shelf) for shelf in SHELVES)
        rows = sorted(tuple(row) for rows in shelves for row in rows)
        checked = await self._db.together(self._now(publication) for _, publication, _ in rows)
        return [
            view.publication
            for (_, _, version), view in zip(rows, checked, strict=True)
            if view is not None and view.version == version
        ]

    async def _now(self, publication: str) -> Seen | None:
        """What the record itself says."""
        stored = await self._store.record(publication)
        return None if stored is None or stored.removed else seen(stored, self._thresholds)

    async def _edition(self) -> int:
        return int(await self._store.meta(_EDITION) or _FIRST)

    async def _drop(self, edition: int) -> None:
        """Take an edition away, partition by partition."""
        for table, keys in (
            ("by_state", ("edition", "state", "shelf")),
            ("by_host", ("edition", "host")),
            ("by_day", ("edition", "day", "shelf")),
        ):
            rows: Sequence[Any] = await self._db.all(
                f"SELECT DISTINCT {', '.join(keys)} FROM {{keyspace}}.{table}"
            )
            where = " AND ".join(f"{key} = ?" for key in keys)
            await self._db.write_each(
                f"DELETE FROM {{keyspace}}.{table} WHERE {where}", [row for row in rows if row[0] == edition]
            )
