"""Jobs of web pages: every line has one outcome, also over an interruption (design law 3)."""

import secrets

import msgspec

from pubweave.contract.codec import encode, named, version_of
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.kinds import Event, kind_of
from pubweave.contract.routing import topic_for
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.values import Cooldowns, Identifiers, RunSettings
from pubweave.contract.vocabulary import PageKind
from pubweave.core.webpage_fold import page_key
from pubweave.ports import Clock, Entry, StoredJob, StoredSubmission
from pubweave.runtimes.embedded.system import Storage
from pubweave.runtimes.rows import read_as


class PageJob:
    """One job, made or gone on with by `open`; calls write at once, or with the batch of the caller."""

    def __init__(self, storage: Storage, clock: Clock, stored: StoredJob, entry: PageKind) -> None:
        self._storage = storage
        self._clock = clock
        self._stored = stored
        self._entry = entry

    @classmethod
    async def open(
        cls,
        storage: Storage,
        clock: Clock,
        entry: PageKind,
        idempotency_key: str,
        correlation_id: str,
        body: bytes,
    ) -> "PageJob":
        """The unfinished job with this key, or a new one.

        :param body: what holds for its lines, as JSON
        """
        stored = await storage.store.unfinished_job(idempotency_key)
        if stored is None:
            now = clock.now_ms()
            stored = StoredJob(
                f"{now:012x}{secrets.token_hex(4)}", idempotency_key, correlation_id, now, body
            )
            await storage.store.put_job(stored)
        return cls(storage, clock, stored, entry)

    async def enter(
        self, number: int, url: str, settings: RunSettings, cooldowns: Cooldowns
    ) -> SubmissionSettled | None:
        """Take a line in; what became of it already, if it is known from before an interruption."""
        found = await self._storage.store.submission(self._stored.job, number)
        if found is not None:
            return read_as(SubmissionSettled, found.settled) if found.settled else None
        requested = FetchRequested(
            job=self._stored.job,
            line=number,
            url=url,
            entry=self._entry,
            settings=settings,
            cooldowns=cooldowns,
            correlation_id=self._stored.correlation_id,
            submitted_at=self._clock.now_ms(),
        )
        key = page_key(self._entry, url)
        async with self._storage.store.batch():
            await self._write(requested.submission, requested)
            await self._storage.store.put_submission(
                StoredSubmission(requested.job, number, encode(requested), key)
            )
        return None

    async def settle(
        self, number: int, url: str, *, version: int, fetched: bool, parked: str = "", refused: str = ""
    ) -> None:
        """A line has its outcome.

        :param refused: why nobody asked its address
        """
        found = await self._storage.store.submission(self._stored.job, number)
        if found is None or found.settled:
            return
        event = SubmissionSettled(
            job=self._stored.job,
            line=number,
            identifiers=Identifiers(),
            outcome="parked" if parked else "refused" if refused else "finished",
            publication=page_key(self._entry, url),
            version=version,
            reason=parked or refused,
            fetched=fetched,
            correlation_id=self._stored.correlation_id,
            settled_at=self._clock.now_ms(),
        )
        async with self._storage.store.batch():
            await self._write(f"{event.job}.{event.line:09d}", event)
            await self._storage.store.put_submission(
                msgspec.structs.replace(found, settled=encode(event), outcome=event.outcome)
            )

    async def close(self, lines: int) -> None:
        """Every line has its outcome."""
        finished = msgspec.structs.replace(self._stored, lines=lines, finished_at=self._clock.now_ms())
        await self._storage.store.put_job(finished)

    async def _write(self, key: str, event: Event) -> None:
        name, body = named(event)
        entry = Entry(key, name, kind_of(event), version_of(event), body)
        await self._storage.log.append(topic_for(event), [entry])
