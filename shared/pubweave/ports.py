"""What is asked for: the four promises that adapters keep, each with one contract suite in tests/ports, and the way out.

Methods are coroutines where an adapter may have to wait for a server. Nothing here knows how it is kept.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol, TypeAlias

import msgspec

from pubweave.contract.delayed import Delayed
from pubweave.contract.exchange import Reply
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.values import BlobRef
from pubweave.contract.vocabulary import EntryKind, IdentifierKind


class StorageProblem(Exception):
    """The storage cannot do what was asked; its text is one sentence for the user that says what to do.

    Nothing of the batch that was being written has been stored.
    """


class StorageAway(StorageProblem):
    """Nobody answers where the storage should be, or not in time; it may be starting."""


class Clock(Protocol):
    """Time, injected (P-27)."""

    def now_ms(self) -> int:
        """UNIX time in milliseconds, UTC."""

    def monotonic_s(self) -> float:
        """Seconds that only go forward; for measuring and for deadlines within the process."""

    async def sleep(self, seconds: float) -> None:
        """Return after `seconds` (at once if not positive)."""


class Blobs(Protocol):
    """Contents by digest (`core.digests.content_digest`); compressed, in chunks where the adapter needs it."""

    async def put(self, content: bytes) -> BlobRef:
        """Store and name a content. Safe to repeat: the same content has the same name."""

    async def get(self, digest: str) -> bytes:
        """The content, checked against its digest.

        :raises KeyError: no such blob
        :raises StorageProblem: it is there but damaged
        """

    async def has(self, digest: str) -> bool: ...

    async def delete(self, digest: str) -> None:
        """Remove it, for good. Safe to repeat."""


class Entry(msgspec.Struct, frozen=True):
    """One fact to be appended."""

    key: str
    """What orders and partitions it: a publication, an identifier, a politeness unit."""
    id: str
    """The event's id; an entry whose id the topic already has under this key is skipped. (An id is a digest
    over what names its key, so nobody uses one under two keys.)"""
    kind: str
    version: int
    body: bytes


class Logged(msgspec.Struct, frozen=True):
    """One fact as stored. `offset` grows within the topic; gaps are allowed."""

    offset: int
    entry: Entry


class Log(Protocol):
    """The facts, in order, for ever (P-01)."""

    async def append(self, topic: str, entries: Sequence[Entry]) -> None:
        """Add the entries in this order, all or none. Safe to repeat (see `Entry.id`)."""

    async def read(self, topic: str, after: int = 0, limit: int = 1000) -> list[Logged]:
        """Up to `limit` entries with an offset above `after`, in order."""

    async def of_key(self, topic: str, key: str) -> list[Logged]:
        """All entries of one key, in order. May be slow on adapters without an index (Kafka)."""

    async def commit(self, group: str, topic: str, offset: int) -> None:
        """Remember that `group` has done everything up to and including `offset`. Never goes back."""

    async def committed(self, group: str, topic: str) -> int:
        """What `commit` remembered; 0 at the beginning."""

    async def erase(self, topic: str, key: str) -> int:
        """Take the bytes of all entries of this key out, for good; their ids stay taken.

        :returns: how many entries were erased
        """


class Row(msgspec.Struct, frozen=True):
    """One grow-only row of a publication's state: an event under its id."""

    id: str
    body: bytes


class StoredRecord(msgspec.Struct, frozen=True):
    """A materialised entry. `body` is `core.record.Record` (or the web page's Struct) as JSON."""

    publication: str
    version: int
    body: bytes
    reason: str = ""
    updated_at: int = 0
    removed: bool = False
    """A tombstone: `body` is empty."""


class StoredJob(msgspec.Struct, frozen=True):
    job: str
    idempotency_key: str
    correlation_id: str
    created_at: int
    body: bytes
    """Settings of the job as JSON."""
    lines: int = -1
    """How many lines it has; -1 while it is not read to its end."""
    finished_at: int = 0


class StoredSubmission(msgspec.Struct, frozen=True):
    """A line of a job and what became of it. `settled` is the `submission-settled` event, or empty."""

    job: str
    line: int
    body: bytes
    """The `fetch-requested` event."""
    publication: str = ""
    settled: bytes = b""
    outcome: str = ""


class Attempt(msgspec.Struct, frozen=True):
    """How one request to the outside ended; written before its reply is answered."""

    ask: str
    unit: str
    host: str
    outcome: str
    status: int
    started_at: int
    ended_at: int
    bytes: int = 0
    evidence: str = ""


class Store(Protocol):
    """Everything that is looked up. One owner writes the state of one publication or identifier."""

    def batch(self) -> AbstractAsyncContextManager[None]:
        """What is written inside becomes durable together where the adapter can do that (SQLite: also the
        log and the blobs of the same file), elsewhere in the order of writing. An exception inside undoes
        it where the adapter can."""

    # State of publications: grow-only rows.

    @property
    def rows_in_log(self) -> bool:
        """True where this store and the log are one file: `rows` then finds rows of a state
        (`core.merging.state.ROW_KINDS`) that were appended to the log under that key, and they need not be added."""

    async def add_rows(self, publication: str, rows: Sequence[Row], *, new: bool = False) -> None:
        """Add rows; one whose id is there already is skipped.

        :param new: none of them is there, as the only one who writes rows of this publication knows, having read them;
            an adapter need not look
        """

    async def rows(self, publication: str) -> list[Row]:
        """All rows of a publication: those added, in their order, then those found in the log."""

    async def drop_rows(self, publication: str) -> None:
        """For `erase` only."""

    # Who is who.

    async def holders(self, identifiers: Iterable[tuple[IdentifierKind, str]]) -> dict[tuple[str, str], str]:
        """Which publication holds each identifier; those nobody holds are left out."""

    async def hold(self, publication: str, identifiers: Iterable[tuple[IdentifierKind, str]]) -> None:
        """These identifiers lead to this publication from now on."""

    async def release(self, publication: str, identifiers: Iterable[tuple[IdentifierKind, str]]) -> None:
        """These identifiers no longer lead to this publication; another's are left alone."""

    async def redirect(self, publication: str, survivor: str) -> None:
        """This key leads to the survivor from now on."""

    async def resolve(self, publication: str) -> str:
        """Follow redirects to the end; the key itself if there are none."""

    def aliases(self) -> AsyncIterator[tuple[str, str, str]]:
        """All (kind, identifier, publication), ordered by publication then kind."""

    # Finished records, by version.

    async def put_record(self, record: StoredRecord, kind: EntryKind = "publication") -> None:
        """Store one version; an older version than the newest there never hides it."""

    async def record(self, publication: str, kind: EntryKind = "publication") -> StoredRecord | None:
        """The newest version (which may be a tombstone)."""

    def records(self, kind: EntryKind = "publication", after: str = "") -> AsyncIterator[StoredRecord]:
        """The newest version of each publication that is not a tombstone, ordered by publication."""

    async def count(self, kind: EntryKind = "publication") -> int:
        """How many `records` gives."""

    async def drop_record(self, publication: str, kind: EntryKind = "publication") -> None:
        """For `erase` only: all versions."""

    # Jobs and their lines.

    async def put_job(self, job: StoredJob) -> None: ...

    async def job(self, job: str) -> StoredJob | None: ...

    async def unfinished_job(self, idempotency_key: str) -> StoredJob | None:
        """The newest job with this key that is not finished."""

    def jobs(self) -> AsyncIterator[StoredJob]:
        """All, oldest first."""

    async def put_submission(self, submission: StoredSubmission) -> None:
        """Store or replace a line; a settled line is never unsettled."""

    async def submission(self, job: str, line: int) -> StoredSubmission | None: ...

    def submissions(
        self, job: str, *, unsettled: bool = False, after: int = -1
    ) -> AsyncIterator[StoredSubmission]:
        """Lines of a job in order; with `unsettled` only those without an outcome."""

    async def submissions_of(self, publication: str) -> list[StoredSubmission]:
        """Lines that lead to a publication and are not settled yet."""

    async def last_line(self, job: str) -> int:
        """The highest line stored; -1 if there is none."""

    async def outcomes(self, job: str = "") -> dict[str, int]:
        """How many lines have which outcome ("" = none yet), of one job or of all."""

    # What is under way and how the outside behaves.

    async def put_pending(self, ask: str, body: bytes) -> None:
        """A question on its way (`reply-wanted`), so that it can be asked on after a crash."""

    async def drop_pending(self, asks: Iterable[str]) -> None: ...

    async def pending(self) -> list[tuple[str, bytes]]: ...

    async def put_answer(self, ask: str, body: bytes) -> None:
        """What was answered to a question, so that it is not asked again if it comes again after a crash
        (design law 6). Kept until it is dropped."""

    async def answer(self, ask: str) -> bytes:
        """What `put_answer` kept; empty if there is none."""

    async def drop_answers(self, asks: Iterable[str]) -> None: ...

    async def add_attempts(self, attempts: Sequence[Attempt]) -> None: ...

    async def attempts(self) -> dict[tuple[str, str], int]:
        """How many attempts by (host, outcome)."""

    async def count_needs(self, counts: dict[tuple[str, str], int]) -> None:
        """Add to the number of needs by (resource, outcome); outcome "" counts those sent."""

    async def needs(self) -> dict[tuple[str, str], int]: ...

    async def book_quota(self, family: str, day: str, booked: int) -> None:
        """Remember how many requests of a daily quota are used (absolute number), before they are sent."""

    async def quota(self, family: str, day: str) -> int: ...

    async def meta(self, name: str) -> str:
        """A value of the store itself (schema version, creator); "" if there is none."""

    async def set_meta(self, name: str, value: str) -> None: ...

    async def close(self) -> None: ...


Write: TypeAlias = Callable[[], Awaitable[object]]
"""One durable effect; safe to repeat."""


class WhatFollows(Protocol):
    """What a service notes while it hears messages; whoever drives it makes it durable, in this order."""

    first: list[Write]
    """What must be found again when the same is heard again."""
    then: list[Write]
    """What says that this was heard. One after the other."""

    def say_again(self, waited: Delayed) -> None:
        """Say, between the two, what has waited long enough."""


class Fetching(Protocol):
    """The one door that speaks to other hosts; the other doors and the runtimes ask it."""

    async def fetch(self, wanted: ReplyWanted) -> Reply:
        """One reply for one question; never raises but CancelledError."""
