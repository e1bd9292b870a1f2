"""What is known of publications: state rows, who holds which identifier, redirects, finished records."""

from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any, Final

from pubweave.adapters.cassandra.blobs import CHUNK_BYTES
from pubweave.adapters.cassandra.listing import in_order
from pubweave.adapters.cassandra.session import SHELVES, Lookups, Session, shelf_of
from pubweave.adapters.cassandra.stamps import Stamps
from pubweave.contract.digests import content_digest
from pubweave.contract.values import Identifiers
from pubweave.contract.vocabulary import IDENTIFIER_KINDS, EntryKind, IdentifierKind
from pubweave.ports import Row, StoredRecord

_IDS_AT_ONCE: Final = 100
_LOOKED_UP_AT_ONCE: Final = 64
_STATES_AT_ONCE: Final = 20
_HELD_AT_ONCE: Final = 20
"""Identifiers, each in a partition of its own, that one question asks for."""
_RANK: Final = {kind: rank for rank, kind in enumerate(IDENTIFIER_KINDS)}

_HEAD: Final = "SELECT version, reason, updated_at, removed, body, parts, digest FROM {keyspace}.record"


class Publications:
    """The part of the Store that is about publications."""

    def __init__(self, session: Session, stamps: Stamps) -> None:
        self._db = session
        self._stamps = stamps
        self._states = Lookups(self._look_up_states, _STATES_AT_ONCE)

    # State: one partition a publication. Which rows are there is looked up before writing, as only the owner
    # writes; an insert that asks Cassandra itself (IF NOT EXISTS) takes four rounds among the replicas.

    @property
    def rows_in_log(self) -> bool:
        return False

    async def add_rows(self, publication: str, rows: Sequence[Row], *, new: bool = False) -> None:
        wanted: dict[str, bytes] = {}
        for row in rows:
            wanted.setdefault(row.id, row.body)
        ids = [] if new else list(wanted)
        for start in range(0, len(ids), _IDS_AT_ONCE):
            page = ids[start : start + _IDS_AT_ONCE]
            there = await self._db.all(
                "SELECT id FROM {keyspace}.state WHERE publication = ? AND id IN ?", (publication, page)
            )
            for (id_,) in there:
                del wanted[id_]
        lacking = list(wanted.items())
        for start in range(0, len(lacking), _IDS_AT_ONCE):
            await self._db.write_one_partition(
                *(
                    (
                        "INSERT INTO {keyspace}.state (publication, id, added, body) VALUES (?, ?, ?, ?)",
                        (publication, id_, self._stamps.next(), body),
                    )
                    for id_, body in lacking[start : start + _IDS_AT_ONCE]
                )
            )

    async def rows(self, publication: str) -> list[Row]:
        found = await self._states.get(publication) or ()
        return [Row(id_, body) for _, id_, body in sorted(found, key=lambda row: row[:2])]

    async def _look_up_states(self, publications: list[str]) -> dict[str, list[tuple[int, str, bytes]]]:
        found: dict[str, list[tuple[int, str, bytes]]] = {}
        for publication, *row in await self._db.all(
            "SELECT publication, added, id, body FROM {keyspace}.state WHERE publication IN ?",
            (publications,),
        ):
            found.setdefault(publication, []).append((row[0], row[1], row[2]))
        return found

    async def drop_rows(self, publication: str) -> None:
        await self._db.write("DELETE FROM {keyspace}.state WHERE publication = ?", (publication,))

    # Who is who. `holder` is the truth; `held` is the same by publication, and is checked against it.

    async def holders(self, identifiers: Iterable[tuple[IdentifierKind, str]]) -> dict[tuple[str, str], str]:
        by_kind: dict[str, list[str]] = {}
        for kind, value in dict.fromkeys(identifiers):
            by_kind.setdefault(kind, []).append(value)

        async def of(kind: str, values: list[str]) -> list[tuple[tuple[str, str], str]]:
            rows = await self._db.all(
                "SELECT value, publication FROM {keyspace}.holder WHERE kind = ? AND value IN ?",
                (kind, values),
            )
            return [((kind, value), publication) for value, publication in rows]

        pages = await self._db.together(
            of(kind, values[start : start + _HELD_AT_ONCE])
            for kind, values in by_kind.items()
            for start in range(0, len(values), _HELD_AT_ONCE)
        )
        return dict(held for page in pages for held in page)

    async def _holder(self, kind: str, value: str) -> str | None:
        row = await self._db.one(
            "SELECT publication FROM {keyspace}.holder WHERE kind = ? AND value = ?", (kind, value)
        )
        return None if row is None else row[0]

    async def held_by(self, publication: str) -> AsyncIterator[tuple[str, str]]:
        """The identifiers that lead to this very publication."""
        async for kind, value in self._db.rows(
            "SELECT kind, value FROM {keyspace}.held WHERE shelf = ? AND publication = ?",
            (shelf_of(publication), publication),
        ):
            if await self._holder(kind, value) == publication:
                yield kind, value

    async def hold(self, publication: str, identifiers: Iterable[tuple[IdentifierKind, str]]) -> None:
        names = list(dict.fromkeys(identifiers))
        shelf = shelf_of(publication)
        await self._db.write_small(
            *(
                (
                    "INSERT INTO {keyspace}.held (shelf, publication, rank, value, kind) VALUES (?, ?, ?, ?, ?)",
                    (shelf, publication, _RANK[kind], value, kind),
                )
                for kind, value in names
            )
        )
        await self._db.write_small(
            *(
                (
                    "INSERT INTO {keyspace}.holder (kind, value, publication) VALUES (?, ?, ?)",
                    (kind, value, publication),
                )
                for kind, value in names
            )
        )

    async def release(self, publication: str, identifiers: Iterable[tuple[IdentifierKind, str]]) -> None:
        names = list(dict.fromkeys(identifiers))
        held = await self.holders(names)
        await self._db.write_each(
            "DELETE FROM {keyspace}.holder WHERE kind = ? AND value = ?",
            [name for name in names if held.get(name) == publication],
        )
        await self._db.write_each(
            "DELETE FROM {keyspace}.held WHERE shelf = ? AND publication = ? AND rank = ? AND value = ?",
            [(shelf_of(publication), publication, _RANK[kind], value) for kind, value in names],
        )

    async def redirect(self, publication: str, survivor: str) -> None:
        await self._db.write(
            "INSERT INTO {keyspace}.redirect (publication, survivor) VALUES (?, ?)", (publication, survivor)
        )

    async def resolve(self, publication: str) -> str:
        seen = {publication}
        while row := await self._db.one(
            "SELECT survivor FROM {keyspace}.redirect WHERE publication = ?", (publication,)
        ):
            if row[0] in seen:
                break
            publication = row[0]
            seen.add(publication)
        return publication

    async def aliases(self) -> AsyncIterator[tuple[str, str, str]]:
        async def fetch(shelf: int, after: str, limit: int) -> Sequence[Any]:
            """Whole publications, so that a page ends where one ends."""
            rows = await self._db.all(
                """SELECT publication, rank, value, kind FROM {keyspace}.held
                    WHERE shelf = ? AND publication > ? LIMIT ?""",
                (shelf, after, limit),
            )
            if len(rows) < limit:
                return rows
            last = rows[-1][0]
            rest = await self._db.all(
                """SELECT publication, rank, value, kind FROM {keyspace}.held
                    WHERE shelf = ? AND publication = ?""",
                (shelf, last),
            )
            return [row for row in rows if row[0] != last] + rest

        waiting: list[tuple[str, str, str]] = []
        async for publication, _, value, kind in in_order(self._db, fetch):
            waiting.append((kind, value, publication))
            if len(waiting) >= _LOOKED_UP_AT_ONCE:
                for alias in await self._held(waiting):
                    yield alias
                waiting = []
        for alias in await self._held(waiting):
            yield alias

    async def _held(self, aliases: Sequence[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
        """Those that are still true."""
        holders = await self._db.together(self._holder(kind, value) for kind, value, _ in aliases)
        return [alias for alias, holder in zip(aliases, holders, strict=True) if holder == alias[2]]

    # Finished records. A partition is in order of version, the newest first, and is read with LIMIT 1; what
    # is older than the version just written is deleted, for nothing reads it.

    async def put_record(self, record: StoredRecord, kind: EntryKind = "publication") -> None:
        name = (kind, record.publication)
        parts, digest, body = 0, "", record.body
        if len(body) > CHUNK_BYTES:
            digest, body = content_digest(body), b""
            pieces = [
                record.body[start : start + CHUNK_BYTES] for start in range(0, len(record.body), CHUNK_BYTES)
            ]
            parts = len(pieces)
            await self._db.write_each(
                """INSERT INTO {keyspace}.record_part (kind, publication, version, digest, part, body)
                    VALUES (?, ?, ?, ?, ?, ?)""",
                [(*name, record.version, digest, part, piece) for part, piece in enumerate(pieces)],
            )
        older = "kind = ? AND publication = ? AND version < ?"
        await self._db.write_one_partition(
            (
                """INSERT INTO {keyspace}.record
                    (kind, publication, version, reason, updated_at, removed, body, parts, digest)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                (
                    *name,
                    record.version,
                    record.reason,
                    record.updated_at,
                    record.removed,
                    body,
                    parts,
                    digest,
                ),
            ),
            (f"DELETE FROM {{keyspace}}.record WHERE {older}", (*name, record.version)),
        )
        if parts:
            await self._db.write(
                f"DELETE FROM {{keyspace}}.record_part WHERE {older}", (*name, record.version)
            )
        place = (kind, shelf_of(record.publication), record.publication, record.version)
        # Whichever of two versions is listed last, the newest is read.
        await self._db.write_small(
            (
                """INSERT INTO {keyspace}.record_listed (kind, shelf, publication, version, removed)
                    VALUES (?, ?, ?, ?, ?)""",
                (*place, record.removed),
            ),
            (
                """DELETE FROM {keyspace}.record_listed
                    WHERE kind = ? AND shelf = ? AND publication = ? AND version < ?""",
                place,
            ),
        )

    async def record(self, publication: str, kind: EntryKind = "publication") -> StoredRecord | None:
        row = await self._db.one(f"{_HEAD} WHERE kind = ? AND publication = ? LIMIT 1", (kind, publication))
        if row is None:
            return None
        version, reason, updated_at, removed, body, parts, digest = row
        if parts:
            pieces = [
                piece
                async for (piece,) in self._db.rows(
                    """SELECT body FROM {keyspace}.record_part
                        WHERE kind = ? AND publication = ? AND version = ? AND digest = ? AND part < ?""",
                    (kind, publication, version, digest, parts),
                    page=16,
                )
            ]
            body = b"".join(pieces)
        return StoredRecord(publication, version, body, reason, updated_at, removed)

    async def records_of(
        self, publications: Sequence[str], kind: EntryKind = "publication"
    ) -> dict[str, StoredRecord]:
        """The newest versions of several entries by their keys; those that are missing or removed are left out."""
        names = list(dict.fromkeys(publications))
        return {record.publication: record for record in await self._found(names, kind)}

    async def find_publications(self, wanted: Sequence[Identifiers]) -> list[StoredRecord | None]:
        """For each triplet the record that its PMID leads to, else its PMCID, else its DOI (F-DB-10)."""
        return await self._db.together(self._find(one) for one in wanted)

    async def _find(self, wanted: Identifiers) -> StoredRecord | None:
        for kind, value in wanted.known():
            holder = await self._holder(kind, value)
            found = await self.record(await self.resolve(holder)) if holder is not None else None
            if found is not None and not found.removed:
                return found
        return None

    async def records(self, kind: EntryKind = "publication", after: str = "") -> AsyncIterator[StoredRecord]:
        waiting: list[str] = []
        async for publication, _, removed in self._listed(kind, after):
            if removed:
                continue
            waiting.append(publication)
            if len(waiting) >= _LOOKED_UP_AT_ONCE:
                for record in await self._found(waiting, kind):
                    yield record
                waiting = []
        for record in await self._found(waiting, kind):
            yield record

    def _listed(self, kind: EntryKind, after: str) -> AsyncIterator[tuple[str, int, bool]]:
        """Publication, newest version, whether that is a tombstone; in order."""

        async def fetch(shelf: int, after: str, limit: int) -> Sequence[Any]:
            return await self._db.all(
                """SELECT publication, version, removed FROM {keyspace}.record_listed
                    WHERE kind = ? AND shelf = ? AND publication > ?
                    GROUP BY kind, shelf, publication LIMIT ?""",
                (kind, shelf, after, limit),
            )

        return in_order(self._db, fetch, after)

    async def _found(self, publications: Sequence[str], kind: EntryKind) -> list[StoredRecord]:
        found = await self._db.together(self.record(publication, kind) for publication in publications)
        return [record for record in found if record is not None and not record.removed]

    async def count(self, kind: EntryKind = "publication") -> int:
        async def on_shelf(shelf: int) -> int:
            number = 0
            async for _, removed in self._db.rows(
                """SELECT publication, removed FROM {keyspace}.record_listed WHERE kind = ? AND shelf = ?
                    GROUP BY kind, shelf, publication""",
                (kind, shelf),
            ):
                number += not removed
            return number

        return sum(await self._db.together(on_shelf(shelf) for shelf in SHELVES))

    async def drop_record(self, publication: str, kind: EntryKind = "publication") -> None:
        await self._db.write(
            "DELETE FROM {keyspace}.record_listed WHERE kind = ? AND shelf = ? AND publication = ?",
            (kind, shelf_of(publication), publication),
        )
        for table in ("record", "record_part"):
            await self._db.write(
                f"DELETE FROM {{keyspace}}.{table} WHERE kind = ? AND publication = ?", (kind, publication)
            )
