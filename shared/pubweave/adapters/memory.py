"""Log, store and blobs in memory: for tests and for the simulated runtime. Nothing outlives the process."""

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from pubweave.adapters.batches import Batches
from pubweave.contract.digests import content_digest
from pubweave.contract.values import BlobRef
from pubweave.contract.vocabulary import IDENTIFIER_KINDS, EntryKind, IdentifierKind
from pubweave.ports import Attempt, Entry, Logged, Row, StoredJob, StoredRecord, StoredSubmission


class Journal:
    """How to undo what an open batch has written; shared by log, store and blobs of one storage."""

    def __init__(self) -> None:
        self._steps: list[Callable[[], None]] = []
        self.batches = Batches(keep=self._steps.clear, undo=self._undo)

    def _undo(self) -> None:
        while self._steps:
            self._steps.pop()()

    def note(self, step: Callable[[], None]) -> None:
        """Remember how to undo one write, if a batch is open."""
        if self.batches.open:
            self._steps.append(step)

    def put(self, mapping: dict[Any, Any], key: Any, value: Any) -> None:
        if key in mapping:
            before = mapping[key]
            self.note(lambda: mapping.__setitem__(key, before))
        else:
            self.note(lambda: mapping.pop(key))
        mapping[key] = value

    def drop(self, mapping: dict[Any, Any], key: Any) -> None:
        """Remove it, if it is there. Undone, it stands at the end: only rows and logs promise an order."""
        if key in mapping:
            before = mapping.pop(key)
            self.note(lambda: mapping.__setitem__(key, before))


class MemoryLog:
    """Topics as lists; the offset of an entry is its number, from 1."""

    def __init__(self, journal: Journal | None = None) -> None:
        self._journal = journal or Journal()
        self._entries: defaultdict[str, list[Logged]] = defaultdict(list)
        self._by_key: defaultdict[tuple[str, str], list[Logged]] = defaultdict(list)
        self._ids: set[tuple[str, str, str]] = set()
        self._committed: dict[tuple[str, str], int] = {}
        self._erased: set[tuple[str, int]] = set()

    async def append(self, topic: str, entries: Sequence[Entry]) -> None:
        await self._journal.batches.turn()
        for entry in entries:
            name = (topic, entry.key, entry.id)
            if name in self._ids:
                continue
            logged = Logged(len(self._entries[topic]) + 1, entry)
            self._ids.add(name)
            self._entries[topic].append(logged)
            self._by_key[topic, entry.key].append(logged)
            self._journal.note(lambda name=name: self._take_back(*name))  # type: ignore[misc]

    def _take_back(self, topic: str, key: str, id_: str) -> None:
        self._ids.remove((topic, key, id_))
        self._entries[topic].pop()
        self._by_key[topic, key].pop()

    async def read(self, topic: str, after: int = 0, limit: int = 1000) -> list[Logged]:
        found: list[Logged] = []
        entries = self._entries.get(topic, [])
        for logged in entries[max(after, 0) :]:
            if len(found) >= limit:
                break
            if (topic, logged.offset) not in self._erased:
                found.append(logged)
        return found

    async def of_key(self, topic: str, key: str) -> list[Logged]:
        return [
            logged
            for logged in self._by_key.get((topic, key), [])
            if (topic, logged.offset) not in self._erased
        ]

    async def commit(self, group: str, topic: str, offset: int) -> None:
        await self._journal.batches.turn()
        if offset > self._committed.get((group, topic), 0):
            self._journal.put(self._committed, (group, topic), offset)

    async def committed(self, group: str, topic: str) -> int:
        return self._committed.get((group, topic), 0)

    async def erase(self, topic: str, key: str) -> int:
        await self._journal.batches.turn()
        found = await self.of_key(topic, key)
        for logged in found:
            place = (topic, logged.offset)
            self._erased.add(place)
            index = logged.offset - 1
            empty = Logged(logged.offset, Entry(key, logged.entry.id, "", 0, b""))
            self._entries[topic][index] = empty
            siblings = self._by_key[topic, key]
            position = siblings.index(logged)
            siblings[position] = empty

            def undo(
                place: tuple[str, int] = place,
                logged: Logged = logged,
                siblings: list[Logged] = siblings,
                position: int = position,
            ) -> None:
                self._erased.discard(place)
                self._entries[place[0]][place[1] - 1] = logged
                siblings[position] = logged

            self._journal.note(undo)
        return len(found)


class MemoryBlobs:
    """Contents in a dictionary, as they are."""

    def __init__(self, journal: Journal | None = None) -> None:
        self._journal = journal or Journal()
        self._contents: dict[str, bytes] = {}

    async def put(self, content: bytes) -> BlobRef:
        digest = content_digest(content)
        await self._journal.batches.turn()
        if digest not in self._contents:
            self._journal.put(self._contents, digest, bytes(content))
        return BlobRef(digest=digest, bytes=len(content))

    async def get(self, digest: str) -> bytes:
        return self._contents[digest]

    async def has(self, digest: str) -> bool:
        return digest in self._contents

    async def delete(self, digest: str) -> None:
        await self._journal.batches.turn()
        self._journal.drop(self._contents, digest)


class MemoryStore:
    """Every table a dictionary."""

    def __init__(self, journal: Journal | None = None) -> None:
        self._journal = journal or Journal()
        self._rows: dict[str, dict[str, Row]] = {}
        self._holders: dict[tuple[str, str], str] = {}
        self._redirects: dict[str, str] = {}
        self._records: dict[tuple[str, str], StoredRecord] = {}
        self._jobs: dict[str, StoredJob] = {}
        self._submissions: dict[tuple[str, int], StoredSubmission] = {}
        self._pending: dict[str, bytes] = {}
        self._answers: dict[str, bytes] = {}
        self._attempts: dict[tuple[str, str], int] = {}
        self._needs: dict[tuple[str, str], int] = {}
        self._quotas: dict[tuple[str, str], int] = {}
        self._meta: dict[str, str] = {}

    def batch(self) -> AbstractAsyncContextManager[None]:
        return self._journal.batches.batch()

    @property
    def rows_in_log(self) -> bool:
        return False

    async def add_rows(self, publication: str, rows: Sequence[Row], *, new: bool = False) -> None:
        await self._journal.batches.turn()
        if rows and publication not in self._rows:
            self._journal.put(self._rows, publication, {})
        for row in rows:
            if row.id not in self._rows[publication]:
                self._journal.put(self._rows[publication], row.id, row)

    async def rows(self, publication: str) -> list[Row]:
        return list(self._rows.get(publication, {}).values())

    async def drop_rows(self, publication: str) -> None:
        await self._journal.batches.turn()
        self._journal.drop(self._rows, publication)

    async def holders(self, identifiers: Iterable[tuple[IdentifierKind, str]]) -> dict[tuple[str, str], str]:
        return {name: self._holders[name] for name in identifiers if name in self._holders}

    async def hold(self, publication: str, identifiers: Iterable[tuple[IdentifierKind, str]]) -> None:
        await self._journal.batches.turn()
        for name in identifiers:
            self._journal.put(self._holders, name, publication)

    async def release(self, publication: str, identifiers: Iterable[tuple[IdentifierKind, str]]) -> None:
        await self._journal.batches.turn()
        for name in identifiers:
            if self._holders.get(name) == publication:
                self._journal.drop(self._holders, name)

    async def redirect(self, publication: str, survivor: str) -> None:
        await self._journal.batches.turn()
        self._journal.put(self._redirects, publication, survivor)

    async def resolve(self, publication: str) -> str:
        seen = {publication}
        while (survivor := self._redirects.get(publication)) is not None and survivor not in seen:
            seen.add(survivor)
            publication = survivor
        return publication

    async def aliases(self) -> AsyncIterator[tuple[str, str, str]]:
        kinds: tuple[str, ...] = IDENTIFIER_KINDS
        for (kind, value), publication in sorted(
            self._holders.items(), key=lambda item: (item[1], kinds.index(item[0][0]), item[0][1])
        ):
            yield kind, value, publication

    async def put_record(self, record: StoredRecord, kind: EntryKind = "publication") -> None:
        await self._journal.batches.turn()
        before = self._records.get((kind, record.publication))
        if before is None or record.version >= before.version:
            self._journal.put(self._records, (kind, record.publication), record)

    async def record(self, publication: str, kind: EntryKind = "publication") -> StoredRecord | None:
        return self._records.get((kind, publication))

    async def records(self, kind: EntryKind = "publication", after: str = "") -> AsyncIterator[StoredRecord]:
        for (of_kind, publication), record in sorted(self._records.items(), key=lambda item: item[0]):
            if of_kind == kind and publication > after and not record.removed:
                yield record

    async def count(self, kind: EntryKind = "publication") -> int:
        return sum(of_kind == kind and not record.removed for (of_kind, _), record in self._records.items())

    async def drop_record(self, publication: str, kind: EntryKind = "publication") -> None:
        await self._journal.batches.turn()
        self._journal.drop(self._records, (kind, publication))

    async def put_job(self, job: StoredJob) -> None:
        await self._journal.batches.turn()
        self._journal.put(self._jobs, job.job, job)

    async def job(self, job: str) -> StoredJob | None:
        return self._jobs.get(job)

    async def unfinished_job(self, idempotency_key: str) -> StoredJob | None:
        found = [
            job
            for job in self._jobs.values()
            if job.idempotency_key == idempotency_key and not job.finished_at
        ]
        return max(found, key=lambda job: (job.created_at, job.job), default=None)

    async def jobs(self) -> AsyncIterator[StoredJob]:
        for job in sorted(self._jobs.values(), key=lambda job: (job.created_at, job.job)):
            yield job

    async def put_submission(self, submission: StoredSubmission) -> None:
        await self._journal.batches.turn()
        name = (submission.job, submission.line)
        before = self._submissions.get(name)
        if before is None or submission.outcome or not before.outcome:
            self._journal.put(self._submissions, name, submission)

    async def submission(self, job: str, line: int) -> StoredSubmission | None:
        return self._submissions.get((job, line))

    async def submissions(
        self, job: str, *, unsettled: bool = False, after: int = -1
    ) -> AsyncIterator[StoredSubmission]:
        for (of_job, line), submission in sorted(self._submissions.items(), key=lambda item: item[0]):
            if of_job == job and line > after and not (unsettled and submission.outcome):
                yield submission

    async def submissions_of(self, publication: str) -> list[StoredSubmission]:
        found = [
            submission
            for submission in self._submissions.values()
            if submission.publication == publication and not submission.outcome
        ]
        return sorted(found, key=lambda submission: (submission.job, submission.line))

    async def last_line(self, job: str) -> int:
        return max((line for of_job, line in self._submissions if of_job == job), default=-1)

    async def outcomes(self, job: str = "") -> dict[str, int]:
        return dict(
            Counter(
                submission.outcome
                for submission in self._submissions.values()
                if not job or submission.job == job
            )
        )

    async def put_pending(self, ask: str, body: bytes) -> None:
        await self._journal.batches.turn()
        self._journal.put(self._pending, ask, body)

    async def drop_pending(self, asks: Iterable[str]) -> None:
        await self._journal.batches.turn()
        for ask in asks:
            self._journal.drop(self._pending, ask)

    async def pending(self) -> list[tuple[str, bytes]]:
        return list(self._pending.items())

    async def put_answer(self, ask: str, body: bytes) -> None:
        await self._journal.batches.turn()
        self._journal.put(self._answers, ask, body)

    async def answer(self, ask: str) -> bytes:
        return self._answers.get(ask, b"")

    async def drop_answers(self, asks: Iterable[str]) -> None:
        await self._journal.batches.turn()
        for ask in asks:
            self._journal.drop(self._answers, ask)

    async def add_attempts(self, attempts: Sequence[Attempt]) -> None:
        await self._journal.batches.turn()
        for attempt in attempts:
            name = (attempt.host, attempt.outcome)
            self._journal.put(self._attempts, name, self._attempts.get(name, 0) + 1)

    async def attempts(self) -> dict[tuple[str, str], int]:
        return dict(self._attempts)

    async def count_needs(self, counts: dict[tuple[str, str], int]) -> None:
        await self._journal.batches.turn()
        for name, number in counts.items():
            self._journal.put(self._needs, name, self._needs.get(name, 0) + number)

    async def needs(self) -> dict[tuple[str, str], int]:
        return dict(self._needs)

    async def book_quota(self, family: str, day: str, booked: int) -> None:
        await self._journal.batches.turn()
        self._journal.put(self._quotas, (family, day), booked)

    async def quota(self, family: str, day: str) -> int:
        return self._quotas.get((family, day), 0)

    async def meta(self, name: str) -> str:
        return self._meta.get(name, "")

    async def set_meta(self, name: str, value: str) -> None:
        await self._journal.batches.turn()
        self._journal.put(self._meta, name, value)

    async def close(self) -> None:
        """Nothing to do: what is in memory goes with the process."""


class MemoryStorage:
    """Log, store and blobs that share their batches, as those of one SQLite file do."""

    def __init__(self) -> None:
        journal = Journal()
        self.log = MemoryLog(journal)
        self.store = MemoryStore(journal)
        self.blobs = MemoryBlobs(journal)

    async def close(self) -> None:
        await self.store.close()
