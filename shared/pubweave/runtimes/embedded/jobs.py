"""Jobs: lines in, their outcomes out.

Lines are admitted as long as there is room, told their outcomes, given their second chance when all others have theirs,
and parked at a deadline. After a crash, unsettled lines are taken up where their rows end.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Iterable
from functools import partial
from typing import Final

import msgspec

from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.values import Cooldowns, Identifiers, Link, RunSettings
from pubweave.contract.vocabulary import LaneName
from pubweave.core.merging.reach import UNREACHED, Reach
from pubweave.core.record import Record, decode_record
from pubweave.ports import Clock, Store, StoredJob
from pubweave.runtimes.contents import put_back
from pubweave.runtimes.embedded.delivery import Delivery, Settled
from pubweave.runtimes.embedded.questions import Questions
from pubweave.runtimes.embedded.rounds import Rounds
from pubweave.runtimes.embedded.storage import Storage
from pubweave.runtimes.embedded.tasks import Tasks
from pubweave.runtimes.messages.effects import AT_DEADLINE
from pubweave.runtimes.rows import read_as

IN_FLIGHT: Final = 200
"""Publications under way at a time. More fill no more batches and finish no sooner, but hold their findings in memory
(docs/performance.md)."""

ADMISSION_STEP: Final = 100
"""Lines are admitted this many at a time while many are under way, so that batches fill."""


class Line(msgspec.Struct, frozen=True):
    """One line of what the user gave."""

    number: int
    """From 1, as in the input."""
    identifiers: Identifiers
    text: str = ""
    """As typed."""
    links: tuple[Link, ...] = ()
    provenance: Identifiers = Identifiers()
    """Where the identifiers are from; of those not said here, what the job says (F-ID-21)."""


class Finished(msgspec.Struct, frozen=True):
    """A line has its outcome."""

    line: int
    settled: SubmissionSettled
    record: Record | None
    """With its long texts put back; None only if there is no record (parked before anything came)."""


class Progress(msgspec.Struct, frozen=True):
    """Where a job stands; its counts add up to `read` at every instant."""

    total: int | None
    read: int
    settled: int
    by_outcome: dict[str, int]
    in_flight: int
    rate_per_s: float
    eta_s: float | None
    waiting: list[str]


class JobSettings(msgspec.Struct, frozen=True):
    """What holds for every line of a job."""

    settings: RunSettings = RunSettings()
    cooldowns: Cooldowns = Cooldowns()
    correlation_id: str = ""
    idempotency_key: str = ""
    deadline_at: int = 0
    lane: LaneName = "interactive"
    provenance: str = "pubweave"
    """What stands as provenance of the supplied identifiers (F-ID-21)."""


class _JobProgress:
    __slots__ = ("by_outcome", "read", "settled", "started_s", "total")

    def __init__(self, total: int | None, started_s: float) -> None:
        self.total = total
        self.started_s = started_s
        self.read = 0
        self.settled = 0
        self.by_outcome: dict[str, int] = {}


class EmbeddedJobs:
    """The jobs of one system."""

    def __init__(
        self,
        storage: Storage,
        delivery: Delivery,
        clock: Clock,
        tasks: Tasks,
        rounds: Rounds,
        questions: Questions,
        in_flight: int,
        describe_waiting: Callable[[], list[str]],
    ) -> None:
        """:param describe_waiting: what else is waited for, in sentences"""
        self._storage = storage
        self._delivery = delivery
        self._clock = clock
        self._tasks = tasks
        self._rounds = rounds
        self._questions = questions
        self._in_flight = in_flight
        self._describe_waiting = describe_waiting
        self._admitting = 0
        """Lines that are about to be heard."""
        self._subscribers: dict[str, asyncio.Queue[Settled | None]] = {}
        self._progress: dict[str, _JobProgress] = {}
        tasks.when_failed(self._wake_all)

    def _wake_all(self) -> None:
        for queue in self._subscribers.values():
            queue.put_nowait(None)

    async def run(
        self,
        lines: Iterable[Line],
        job_settings: JobSettings | None = None,
        *,
        job: str = "",
        total: int | None = None,
    ) -> AsyncIterator[Finished]:
        """Submit the lines and give each one's outcome as it comes.

        An unfinished job with the same idempotency key is gone on with: `lines` must then be the same, and
        those that have their outcome already come first. Identifiers that are stored already are fetched
        if can-fetch says so.

        :raises StorageProblem: the storage failed; what was written before stays
        """
        wanted = job_settings or JobSettings()
        stored = await open_job(
            self._storage.store,
            self._clock,
            wanted.idempotency_key,
            wanted.correlation_id,
            msgspec.json.encode(wanted),
            job=job,
        )
        queue: asyncio.Queue[Settled | None] = asyncio.Queue()
        if not self._subscribers:
            self._questions.reach = Reach()
        self._subscribers[stored.job] = queue
        progress = self._progress[stored.job] = _JobProgress(total, self._clock.monotonic_s())
        admission = self._tasks.spawn(self._admit(stored, wanted, lines, progress))
        timer = self._tasks.spawn(self._watch_deadline(stored, wanted)) if wanted.deadline_at else None
        try:
            while True:
                settled = await queue.get()
                self._tasks.raise_failure()
                if settled is None:
                    break
                record = settled.record
                yield Finished(
                    settled.event.line,
                    settled.event,
                    await put_back(record, self._storage.blobs) if record is not None else None,
                )
        finally:
            self._subscribers.pop(stored.job, None)
            admission.cancel()
            if timer is not None:
                timer.cancel()

    async def _admit(
        self, stored: StoredJob, wanted: JobSettings, lines: Iterable[Line], progress: _JobProgress
    ) -> None:
        last = await self._storage.store.last_line(stored.job)
        if last >= 0:
            await self._take_up(stored, progress)
        step = min(ADMISSION_STEP, self._in_flight)
        batch: list[FetchRequested] = []
        for line in lines:
            if line.number <= last:
                continue
            if self._questions.reach.nobody:
                break
            batch.append(self._requested(stored, wanted, line))
            if len(batch) >= step:
                await self._submit(batch, progress)
                batch = []
        if not self._questions.reach.nobody:
            await self._submit(batch, progress)
        await self._last_lines(stored, progress)

    def _requested(self, stored: StoredJob, wanted: JobSettings, line: Line) -> FetchRequested:
        return FetchRequested(
            job=stored.job,
            line=line.number,
            identifiers=line.identifiers,
            provenance=Identifiers(
                **{
                    kind: line.provenance.get(kind) or wanted.provenance
                    for kind, _ in line.identifiers.known()
                }
            ),
            settings=wanted.settings,
            cooldowns=wanted.cooldowns,
            links=line.links,
            correlation_id=stored.correlation_id,
            idempotency_key=stored.idempotency_key,
            deadline_at=wanted.deadline_at,
            lane=wanted.lane,
            submitted_at=self._clock.now_ms(),
        )

    async def _submit(self, batch: list[FetchRequested], progress: _JobProgress) -> None:
        await self._room(len(batch))
        progress.read += len(batch)
        self._admitting += len(batch)
        self._rounds.put(partial(self._submit_now, batch))
        await asyncio.sleep(0)

    async def _submit_now(self, batch: list[FetchRequested]) -> None:
        for requested in batch:
            await self._delivery.submit(requested)
            await asyncio.sleep(0)
        self._admitting -= len(batch)

    async def _take_up(self, stored: StoredJob, progress: _JobProgress) -> None:
        """After a crash: outcomes that are there are given out, the rest goes on where its rows end."""
        store = self._storage.store
        await self._questions.take_up()
        async for submission in store.submissions(stored.job):
            progress.read += 1
            if submission.settled:
                event = read_as(SubmissionSettled, submission.settled)
                record = await store.record(event.publication)
                self.tell(
                    Settled(
                        event,
                        decode_record(record.body) if record is not None and not record.removed else None,
                    )
                )
                continue
            await self._room(1)
            self._rounds.put(
                partial(
                    self._delivery.resume,
                    read_as(FetchRequested, submission.body),
                    submission.publication,
                )
            )

    async def _last_lines(self, stored: StoredJob, progress: _JobProgress) -> None:
        """When every other line has its outcome, those with fetchException get their second chance."""
        store = self._storage.store
        await self._quiet()
        if self._questions.reach.nobody:
            await self._park_all(stored.job, UNREACHED)
            await self._quiet()
        async for submission in store.submissions(stored.job, unsettled=True):
            await self._room(1)
            requested = read_as(FetchRequested, submission.body)
            self._rounds.put(partial(self._delivery.second_chance, requested, submission.publication))
        await self._quiet()
        async for submission in store.submissions(stored.job, unsettled=True):
            requested = read_as(FetchRequested, submission.body)
            self._rounds.put(
                partial(
                    self._delivery.park,
                    requested,
                    submission.publication,
                    "nothing is under way for it any more, and it has no outcome: please report this",
                )
            )
        await self._quiet()
        await store.put_job(
            msgspec.structs.replace(stored, lines=progress.read, finished_at=self._clock.now_ms())
        )
        if stored.job in self._subscribers:
            self._subscribers[stored.job].put_nowait(None)

    async def _watch_deadline(self, stored: StoredJob, wanted: JobSettings) -> None:
        await self._clock.sleep((wanted.deadline_at - self._clock.now_ms()) / 1000)
        await self._park_all(stored.job, AT_DEADLINE)

    async def _park_all(self, job: str, reason: str) -> None:
        """Every line of a job that has no outcome ends as it is."""
        async for submission in self._storage.store.submissions(job, unsettled=True):
            requested = read_as(FetchRequested, submission.body)
            self._rounds.put(partial(self._delivery.park, requested, submission.publication, reason))

    async def end_early(self) -> None:
        """Nobody can be reached: what is left of all jobs is not asked for."""
        for job in list(self._subscribers):
            await self._park_all(job, UNREACHED)

    def progress(self, job: str = "") -> Progress:
        """Where a job stands (the only one, if none is named)."""
        of_job = self._progress.get(job) or next(reversed(self._progress.values()), _JobProgress(None, 0.0))
        seconds = max(1e-9, self._clock.monotonic_s() - of_job.started_s)
        rate = of_job.settled / seconds
        left = None if of_job.total is None else of_job.total - of_job.settled
        return Progress(
            total=of_job.total,
            read=of_job.read,
            settled=of_job.settled,
            by_outcome=dict(of_job.by_outcome),
            in_flight=of_job.read - of_job.settled,
            rate_per_s=rate,
            eta_s=left / rate if left is not None and rate > 0 else None,
            waiting=[*self._describe_waiting(), *self._questions.asked_later()],
        )

    def tell(self, settled: Settled) -> None:
        """Give a line's outcome to whoever runs its job."""
        progress = self._progress.get(settled.event.job)
        if progress is not None:
            progress.settled += 1
            outcome = settled.event.outcome
            progress.by_outcome[outcome] = progress.by_outcome.get(outcome, 0) + 1
        queue = self._subscribers.get(settled.event.job)
        if queue is not None:
            queue.put_nowait(settled)

    async def _room(self, count: int) -> None:
        """Back-pressure: wait until that many more publications may be under way."""
        await self._tasks.until(
            lambda: self._delivery.under_way + self._admitting + count <= max(self._in_flight, count)
        )

    async def _quiet(self) -> None:
        """Wait until nothing is under way."""
        self._rounds.wake()
        await self._tasks.until(lambda: self._rounds.idle and self._questions.idle)


async def open_job(
    store: Store, clock: Clock, idempotency_key: str, correlation_id: str, body: bytes, *, job: str = ""
) -> StoredJob:
    """The unfinished job with this name or key, or a new one.

    :param body: what holds for its lines, as JSON
    """
    found = None
    if job:
        found = await store.job(job)
    elif idempotency_key:
        found = await store.unfinished_job(idempotency_key)
    if found is not None:
        return found
    now_ms = clock.now_ms()
    name = job or f"{now_ms:012x}{secrets.token_hex(4)}"
    stored = StoredJob(name, idempotency_key, correlation_id, now_ms, body)
    await store.put_job(stored)
    return stored
