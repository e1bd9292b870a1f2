"""Everything that is looked up. Lists are read in pages, so that no reader holds the file while others write."""

import json
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

from pubweave.adapters.sqlite.connection import Connection
from pubweave.adapters.sqlite.ids import packed, unpacked
from pubweave.contract.values import Identifiers
from pubweave.contract.vocabulary import IDENTIFIER_KINDS, EntryKind, IdentifierKind
from pubweave.core.merging.state import ROW_KINDS
from pubweave.ports import Attempt, Row, StoredJob, StoredRecord, StoredSubmission

_PAGE: Final = 500

_KIND_ORDER: Final = "CASE kind WHEN 'pmid' THEN 0 WHEN 'pmcid' THEN 1 ELSE 2 END"
_SUBMISSION: Final = "SELECT job, line, body, publication, settled, outcome FROM submission"
_JOB: Final = "SELECT job, idempotency_key, correlation_id, created_at, body, lines, finished_at FROM job"
_ROWS_IN_LOG: Final = f"""SELECT id, kind, version, body FROM entry
    WHERE key = ? AND kind IN ({", ".join(f"'{kind}'" for kind in sorted({*ROW_KINDS, "removal-requested"}))}) AND body IS NOT NULL
    ORDER BY place"""
_RECORD: Final = "SELECT publication, version, body, reason, updated_at, removed FROM record"


class SqliteStore:
    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def batch(self) -> AbstractAsyncContextManager[None]:
        return self._db.batch()

    # State of publications. A row of a state is a fact of the log as well, and the log is in this file: written
    # once, it is read from there. The table holds what is no fact, and the rows of files made before.

    @property
    def rows_in_log(self) -> bool:
        return True

    async def add_rows(self, publication: str, rows: Sequence[Row], *, new: bool = False) -> None:
        await self._db.write_all(
            "INSERT INTO state (publication, id, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [(publication, packed(row.id), row.body) for row in rows],
        )

    async def rows(self, publication: str) -> list[Row]:
        rows = self._db.all(
            "SELECT id, body FROM state WHERE publication = ? ORDER BY number", (publication,)
        )
        entries = self._db.all(_ROWS_IN_LOG, (publication,))
        return [
            *(Row(unpacked(id_), body) for id_, body in rows),
            *(
                Row(unpacked(id_), b"%b %d %b" % (kind.encode(), version, body))
                for id_, kind, version, body in entries
            ),
        ]

    async def drop_rows(self, publication: str) -> None:
        async with self._db.batch():
            await self._db.wiping()
            await self._db.write("DELETE FROM state WHERE publication = ?", (publication,))

    # Who is who.

    async def holders(self, identifiers: Iterable[tuple[IdentifierKind, str]]) -> dict[tuple[str, str], str]:
        found: dict[tuple[str, str], str] = {}
        for name in identifiers:
            if row := self._db.one("SELECT publication FROM holder WHERE kind = ? AND value = ?", name):
                found[name] = row[0]
        return found

    async def hold(self, publication: str, identifiers: Iterable[tuple[IdentifierKind, str]]) -> None:
        await self._db.write_all(
            """INSERT INTO holder (kind, value, publication) VALUES (?, ?, ?)
                ON CONFLICT DO UPDATE SET publication = excluded.publication""",
            [(kind, value, publication) for kind, value in identifiers],
        )

    async def release(self, publication: str, identifiers: Iterable[tuple[IdentifierKind, str]]) -> None:
        await self._db.write_all(
            "DELETE FROM holder WHERE kind = ? AND value = ? AND publication = ?",
            [(kind, value, publication) for kind, value in identifiers],
        )

    async def redirect(self, publication: str, survivor: str) -> None:
        await self._db.write("INSERT OR REPLACE INTO redirect VALUES (?, ?)", (publication, survivor))

    async def resolve(self, publication: str) -> str:
        seen = {publication}
        while row := self._db.one("SELECT survivor FROM redirect WHERE publication = ?", (publication,)):
            if row[0] in seen:
                break
            publication = row[0]
            seen.add(publication)
        return publication

    async def aliases(self) -> AsyncIterator[tuple[str, str, str]]:
        last = ""
        while publications := self._db.all(
            "SELECT DISTINCT publication FROM holder WHERE publication > ? ORDER BY publication LIMIT ?",
            (last, _PAGE),
        ):
            first, last = publications[0][0], publications[-1][0]
            for row in self._db.all(
                f"""SELECT kind, value, publication FROM holder WHERE publication BETWEEN ? AND ?
                    ORDER BY publication, {_KIND_ORDER}, value""",
                (first, last),
            ):
                yield row

    # Finished records: only the newest version is kept, for nothing reads another.

    async def put_record(self, record: StoredRecord, kind: EntryKind = "publication") -> None:
        await self._db.write(
            """INSERT INTO record (kind, publication, version, removed, updated_at, reason, body)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (kind, publication) DO UPDATE SET version = excluded.version,
                    removed = excluded.removed, updated_at = excluded.updated_at,
                    reason = excluded.reason, body = excluded.body
                WHERE excluded.version >= version""",
            (
                kind,
                record.publication,
                record.version,
                record.removed,
                record.updated_at,
                record.reason,
                record.body,
            ),
        )

    async def record(self, publication: str, kind: EntryKind = "publication") -> StoredRecord | None:
        row = self._db.one(f"{_RECORD} WHERE kind = ? AND publication = ?", (kind, publication))
        return _record(row) if row else None

    async def records(self, kind: EntryKind = "publication", after: str = "") -> AsyncIterator[StoredRecord]:
        while rows := self._db.all(
            f"{_RECORD} WHERE kind = ? AND publication > ? ORDER BY publication LIMIT ?",
            (kind, after, _PAGE // 10),
        ):
            after = rows[-1][0]
            for row in rows:
                if not row[5]:
                    yield _record(row)

    async def records_of(
        self, publications: Sequence[str], kind: EntryKind = "publication"
    ) -> dict[str, StoredRecord]:
        """The newest versions of several entries by their keys; those that are missing or removed are left out."""
        rows = self._db.all(
            f"{_RECORD} WHERE kind = ? AND publication IN (SELECT value FROM json_each(?)) AND NOT removed",
            (kind, _json_list(publications)),
        )
        return {row[0]: _record(row) for row in rows}

    async def find_publications(self, wanted: Sequence[Identifiers]) -> list[StoredRecord | None]:
        """For each triplet the record that its PMID leads to, else its PMCID, else its DOI (F-DB-10).

        One question for a page of triplets, not one for each identifier.
        """
        found: list[StoredRecord | None] = [None] * len(wanted)
        for kind in IDENTIFIER_KINDS:
            places = [place for place, one in enumerate(wanted) if found[place] is None and one.get(kind)]
            if not places:
                continue
            holders = dict(
                self._db.all(
                    """SELECT value, publication FROM holder
                        WHERE kind = ? AND value IN (SELECT value FROM json_each(?))""",
                    (kind, _json_list([wanted[place].get(kind) for place in places])),
                )
            )
            redirected = {
                row[0]
                for row in self._db.all(
                    "SELECT publication FROM redirect WHERE publication IN (SELECT value FROM json_each(?))",
                    (_json_list(list(holders.values())),),
                )
            }
            keys = {
                value: await self.resolve(key) if key in redirected else key for value, key in holders.items()
            }
            records = await self.records_of(list(keys.values()))
            for place in places:
                found[place] = records.get(keys.get(wanted[place].get(kind), ""))
        return found

    async def count(self, kind: EntryKind = "publication") -> int:
        return int(
            self._db.one(
                """SELECT (SELECT count(*) FROM record WHERE kind = ?)
                    - (SELECT count(*) FROM record WHERE kind = ? AND removed)""",
                (kind, kind),
            )[0]
        )

    async def drop_record(self, publication: str, kind: EntryKind = "publication") -> None:
        async with self._db.batch():
            await self._db.wiping()
            await self._db.write("DELETE FROM record WHERE kind = ? AND publication = ?", (kind, publication))

    # Jobs and their lines.

    async def put_job(self, job: StoredJob) -> None:
        await self._db.write(
            """INSERT OR REPLACE INTO job
                (job, idempotency_key, correlation_id, created_at, body, lines, finished_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)""",
            (
                job.job,
                job.idempotency_key,
                job.correlation_id,
                job.created_at,
                job.body,
                job.lines,
                job.finished_at,
            ),
        )

    async def job(self, job: str) -> StoredJob | None:
        row = self._db.one(f"{_JOB} WHERE job = ?", (job,))
        return StoredJob(*row) if row else None

    async def unfinished_job(self, idempotency_key: str) -> StoredJob | None:
        row = self._db.one(
            f"""{_JOB} WHERE idempotency_key = ? AND NOT finished_at
                ORDER BY created_at DESC, job DESC LIMIT 1""",
            (idempotency_key,),
        )
        return StoredJob(*row) if row else None

    async def jobs(self) -> AsyncIterator[StoredJob]:
        for row in self._db.all(f"{_JOB} ORDER BY created_at, job"):
            yield StoredJob(*row)

    async def put_submission(self, submission: StoredSubmission) -> None:
        await self._db.write(
            """INSERT INTO submission (job, line, publication, outcome, settled, body)
                VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET publication = excluded.publication,
                    outcome = excluded.outcome, settled = excluded.settled, body = excluded.body
                WHERE excluded.outcome <> '' OR outcome = ''""",
            (
                submission.job,
                submission.line,
                submission.publication,
                submission.outcome,
                submission.settled,
                submission.body,
            ),
        )

    async def submission(self, job: str, line: int) -> StoredSubmission | None:
        row = self._db.one(f"{_SUBMISSION} WHERE job = ? AND line = ?", (job, line))
        return StoredSubmission(*row) if row else None

    async def submissions(
        self, job: str, *, unsettled: bool = False, after: int = -1
    ) -> AsyncIterator[StoredSubmission]:
        where = "job = ? AND line > ?" + (" AND outcome = ''" if unsettled else "")
        while rows := self._db.all(f"{_SUBMISSION} WHERE {where} ORDER BY line LIMIT ?", (job, after, _PAGE)):
            after = rows[-1][1]
            for row in rows:
                yield StoredSubmission(*row)

    async def submissions_of(self, publication: str) -> list[StoredSubmission]:
        rows = self._db.all(
            f"{_SUBMISSION} WHERE publication = ? AND outcome = '' ORDER BY job, line", (publication,)
        )
        return [StoredSubmission(*row) for row in rows]

    async def last_line(self, job: str) -> int:
        row = self._db.one("SELECT max(line) FROM submission WHERE job = ?", (job,))
        return -1 if row[0] is None else int(row[0])

    async def outcomes(self, job: str = "") -> dict[str, int]:
        if job:
            rows = self._db.all(
                "SELECT outcome, count(*) FROM submission WHERE job = ? GROUP BY outcome", (job,)
            )
        else:
            rows = self._db.all("SELECT outcome, count(*) FROM submission GROUP BY outcome")
        return dict(rows)

    # What is under way and how the outside behaves.

    async def put_pending(self, ask: str, body: bytes) -> None:
        await self._db.write(
            "INSERT INTO pending VALUES (?, ?) ON CONFLICT DO UPDATE SET body = excluded.body", (ask, body)
        )

    async def drop_pending(self, asks: Iterable[str]) -> None:
        await self._db.write_all("DELETE FROM pending WHERE ask = ?", [(ask,) for ask in asks])

    async def pending(self) -> list[tuple[str, bytes]]:
        return self._db.all("SELECT ask, body FROM pending ORDER BY rowid")

    async def put_answer(self, ask: str, body: bytes) -> None:
        await self._db.write("INSERT OR REPLACE INTO answer VALUES (?, ?)", (ask, body))

    async def answer(self, ask: str) -> bytes:
        rows = self._db.all("SELECT body FROM answer WHERE ask = ?", (ask,))
        return bytes(rows[0][0]) if rows else b""

    async def drop_answers(self, asks: Iterable[str]) -> None:
        await self._db.write_all("DELETE FROM answer WHERE ask = ?", [(ask,) for ask in asks])

    async def add_attempts(self, attempts: Sequence[Attempt]) -> None:
        await self._db.write_all(
            """INSERT INTO attempt (ask, unit, host, outcome, status, started_at, ended_at, bytes, evidence)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            [
                (
                    attempt.ask,
                    attempt.unit,
                    attempt.host,
                    attempt.outcome,
                    attempt.status,
                    attempt.started_at,
                    attempt.ended_at,
                    attempt.bytes,
                    attempt.evidence,
                )
                for attempt in attempts
            ],
        )

    async def attempts(self) -> dict[tuple[str, str], int]:
        return _counts(self._db.all("SELECT host, outcome, count(*) FROM attempt GROUP BY host, outcome"))

    async def count_needs(self, counts: dict[tuple[str, str], int]) -> None:
        await self._db.write_all(
            """INSERT INTO need_count VALUES (?, ?, ?)
                ON CONFLICT DO UPDATE SET number = number + excluded.number""",
            [(resource, outcome, number) for (resource, outcome), number in counts.items()],
        )

    async def needs(self) -> dict[tuple[str, str], int]:
        return _counts(self._db.all("SELECT resource, outcome, number FROM need_count"))

    async def book_quota(self, family: str, day: str, booked: int) -> None:
        await self._db.write("INSERT OR REPLACE INTO quota VALUES (?, ?, ?)", (family, day, booked))

    async def quota(self, family: str, day: str) -> int:
        row = self._db.one("SELECT booked FROM quota WHERE family = ? AND day = ?", (family, day))
        return row[0] if row else 0

    async def meta(self, name: str) -> str:
        row = self._db.one("SELECT value FROM meta WHERE name = ?", (name,))
        return row[0] if row else ""

    async def set_meta(self, name: str, value: str) -> None:
        await self._db.write("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    async def close(self) -> None:
        self._db.close()


def _record(row: tuple[Any, ...]) -> StoredRecord:
    publication, version, body, reason, updated_at, removed = row
    return StoredRecord(publication, version, body, reason, updated_at, bool(removed))


def _counts(rows: list[tuple[str, str, int]]) -> dict[tuple[str, str], int]:
    return {(first, second): number for first, second, number in rows}


def _json_list(texts: Sequence[str]) -> str:
    """For `json_each`: a list of any length as one value of a statement."""
    return json.dumps(texts, ensure_ascii=False)
