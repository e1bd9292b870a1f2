"""Jobs and their lines."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any, Final

from pubweave.adapters.cassandra.session import Lookups, Session
from pubweave.adapters.cassandra.stamps import Stamps
from pubweave.ports import StoredJob, StoredSubmission

_BLOCK_LINES: Final = 1000
"""A partition's lines: a megabyte or so, and no more tombstones in `submission_open` than Cassandra reads
without complaint (1,000)."""
_BLOCKS_KNOWN: Final = 10_000
_LINES_AT_ONCE: Final = 200
_ONE_SHELF: Final = 0

_EARLIER_US: Final = 1 << 50
"""What settles a line always wins over what does not, whenever it was written: the write timestamp of
unsettled lines is this much (36 years) earlier than now."""

_JOB: Final = (
    "SELECT job, idempotency_key, correlation_id, created_at, body, lines, finished_at FROM {keyspace}.job"
)
_LINE: Final = "SELECT job, line, body, publication, settled, outcome FROM {keyspace}.submission"


class Submissions:
    """The part of the Store that is about jobs. `submission` is the truth; the tables of open and waiting lines
    are written before a line is and cleared after it is settled, and are checked against it."""

    def __init__(self, session: Session, stamps: Stamps) -> None:
        self._db = session
        self._stamps = stamps
        self._blocks: dict[tuple[str, int], asyncio.Task[None]] = {}
        """Blocks that this process lists, or has listed; the last ones."""
        self._lines = Lookups(self._look_up_lines, _LINES_AT_ONCE)

    async def put_job(self, job: StoredJob) -> None:
        await self._db.write(
            """INSERT INTO {keyspace}.job_by_key (shelf, idempotency_key, created_at, job)
                VALUES (?, ?, ?, ?)""",
            (_ONE_SHELF, job.idempotency_key, job.created_at, job.job),
        )
        await self._db.write(
            """INSERT INTO {keyspace}.job
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
        row = await self._db.one(f"{_JOB} WHERE job = ?", (job,))
        return StoredJob(*row) if row else None

    async def unfinished_job(self, idempotency_key: str) -> StoredJob | None:
        async for name, created_at in self._db.rows(
            "SELECT job, created_at FROM {keyspace}.job_by_key WHERE shelf = ? AND idempotency_key = ?",
            (_ONE_SHELF, idempotency_key),
            page=20,
        ):
            job = await self.job(name)
            if (
                job is not None
                and (job.idempotency_key, job.created_at) == (idempotency_key, created_at)
                and not job.finished_at
            ):
                return job
        return None

    async def jobs(self) -> AsyncIterator[StoredJob]:
        found = [StoredJob(*row) for row in await self._db.all(_JOB)]
        for job in sorted(found, key=lambda job: (job.created_at, job.job)):
            yield job

    async def put_submission(self, submission: StoredSubmission) -> None:
        place = (submission.job, submission.line // _BLOCK_LINES, submission.line)
        await self._list(place[:2])
        stamp = self._stamps.next()
        if not submission.outcome:
            stamp -= _EARLIER_US
            await self._db.write_small(
                (
                    "INSERT INTO {keyspace}.submission_open (job, block, line) VALUES (?, ?, ?) USING TIMESTAMP ?",
                    (*place, stamp),
                ),
                *(
                    [
                        (
                            """INSERT INTO {keyspace}.submission_waiting (publication, job, line)
                                VALUES (?, ?, ?) USING TIMESTAMP ?""",
                            (submission.publication, submission.job, submission.line, stamp),
                        )
                    ]
                    if submission.publication
                    else ()
                ),
            )
        await self._db.write_small(
            (
                """INSERT INTO {keyspace}.submission (job, block, line, publication, outcome, settled, body)
                    VALUES (?, ?, ?, ?, ?, ?, ?) USING TIMESTAMP ?""",
                (
                    *place,
                    submission.publication,
                    submission.outcome,
                    submission.settled,
                    submission.body,
                    stamp,
                ),
            )
        )
        if submission.outcome:
            await self._db.write_small(
                (
                    """DELETE FROM {keyspace}.submission_open USING TIMESTAMP ?
                        WHERE job = ? AND block = ? AND line = ?""",
                    (stamp, *place),
                ),
                *(
                    [
                        (
                            """DELETE FROM {keyspace}.submission_waiting USING TIMESTAMP ?
                                WHERE publication = ? AND job = ? AND line = ?""",
                            (stamp, submission.publication, submission.job, submission.line),
                        )
                    ]
                    if submission.publication
                    else ()
                ),
            )

    async def _list(self, place: tuple[str, int]) -> None:
        listing = self._blocks.get(place)
        if listing is None:
            if len(self._blocks) >= _BLOCKS_KNOWN:
                self._blocks.clear()
            text = "INSERT INTO {keyspace}.submission_block (job, block) VALUES (?, ?)"
            listing = self._blocks[place] = asyncio.get_running_loop().create_task(
                self._db.write(text, place)
            )
        try:
            await asyncio.shield(listing)
        except BaseException:
            if listing.done() and self._blocks.get(place) is listing:
                del self._blocks[place]
            raise

    async def submission(self, job: str, line: int) -> StoredSubmission | None:
        return await self._lines.get((job, line))

    async def _look_up_lines(self, places: list[tuple[str, int]]) -> dict[tuple[str, int], StoredSubmission]:
        blocks: dict[tuple[str, int], list[int]] = {}
        for job, line in places:
            blocks.setdefault((job, line // _BLOCK_LINES), []).append(line)
        found = await self._db.together(
            self._db.all(f"{_LINE} WHERE job = ? AND block = ? AND line IN ?", (*block, lines))
            for block, lines in blocks.items()
        )
        stored = [StoredSubmission(*row) for rows in found for row in rows]
        return {(one.job, one.line): one for one in stored}

    async def submissions(
        self, job: str, *, unsettled: bool = False, after: int = -1
    ) -> AsyncIterator[StoredSubmission]:
        for block in reversed(await self._blocks_of(job)):
            if (block + 1) * _BLOCK_LINES - 1 <= after:
                continue
            where = "WHERE job = ? AND block = ? AND line > ?"
            if not unsettled:
                async for row in self._db.rows(f"{_LINE} {where}", (job, block, after)):
                    yield StoredSubmission(*row)
                continue
            open_ = await self._db.all(
                f"SELECT line FROM {{keyspace}}.submission_open {where}", (job, block, after)
            )
            if not open_:
                continue
            async for row in self._db.rows(
                f"{_LINE} WHERE job = ? AND block = ? AND line IN ?",
                (job, block, [line for (line,) in open_]),
            ):
                submission = StoredSubmission(*row)
                if not submission.outcome:
                    yield submission

    async def _blocks_of(self, job: str) -> list[int]:
        """Blocks of a job, the last first."""
        rows = await self._db.all("SELECT block FROM {keyspace}.submission_block WHERE job = ?", (job,))
        return [block for (block,) in rows]

    async def submissions_of(self, publication: str) -> list[StoredSubmission]:
        if not publication:
            return await self._waiting_for_none()
        rows = await self._db.all(
            "SELECT job, line FROM {keyspace}.submission_waiting WHERE publication = ?", (publication,)
        )
        found = await self._db.together(self.submission(job, line) for job, line in rows)
        return [
            line
            for line in found
            if line is not None and not line.outcome and line.publication == publication
        ]

    async def last_line(self, job: str) -> int:
        for block in await self._blocks_of(job):
            row = await self._db.one(
                "SELECT line FROM {keyspace}.submission WHERE job = ? AND block = ? ORDER BY line DESC LIMIT 1",
                (job, block),
            )
            if row:
                return int(row[0])
        return -1

    async def outcomes(self, job: str = "") -> dict[str, int]:
        jobs = [job] if job else await self._jobs_with_lines()

        async def in_block(job: str, block: int) -> Counter[str]:
            found: Counter[str] = Counter()
            async for (outcome,) in self._db.rows(
                "SELECT outcome FROM {keyspace}.submission WHERE job = ? AND block = ?", (job, block)
            ):
                found[outcome] += 1
            return found

        total: Counter[str] = Counter()
        for one in jobs:
            blocks = await self._blocks_of(one)
            for counted in await self._db.together(in_block(one, block) for block in blocks):
                total.update(counted)
        return dict(total)

    async def _jobs_with_lines(self) -> list[str]:
        rows: list[Any] = await self._db.all("SELECT DISTINCT job FROM {keyspace}.submission_block")
        return sorted(job for (job,) in rows)

    async def _waiting_for_none(self) -> list[StoredSubmission]:
        """Lines that lead nowhere yet. Rare, and asked for by nobody in the normal course: reads every job."""
        return [
            line
            for job in await self._jobs_with_lines()
            async for line in self.submissions(job, unsettled=True)
            if not line.publication
        ]
