"""The embedded system: lines in, finished records out, in one process.

    lines ─► admission ─► engine (merger) ─► gatherers ─► resource services ⇄ fetcher
                             ▲                                   │
                             └───────────── findings ◄───────────┘

Everything that changes state goes through one inbox and is written in one batch a round, so what was
answered is durable before anything that follows from it is asked. After a crash, unsettled lines are taken up
where their rows end, and questions that were on their way are asked on.
"""

import asyncio
import logging
import secrets
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

import msgspec

from pubweave import registry
from pubweave.adapters.clock import SystemClock
from pubweave.adapters.sqlite.storage import SqliteStorage
from pubweave.contract.codec import encode
from pubweave.contract.exchange import Reply, Work
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.resource_done import ResourceDone
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.values import Cooldowns, Identifiers, Link, RunSettings
from pubweave.contract.vocabulary import LaneName, ResourceName
from pubweave.core.merging.decide import Abilities
from pubweave.core.merging.reach import UNREACHED, Reach
from pubweave.core.merging.state import Found
from pubweave.core.reading.rules import RuleBook
from pubweave.core.record import Record, decode_record
from pubweave.core.toolkit.service import Context, Said, Service
from pubweave.doors.fetcher.door import Fetcher
from pubweave.doors.fetcher.regather import RecordedBatch, Regatherer
from pubweave.doors.fetcher.settings import FetcherSettings
from pubweave.doors.fetcher.turns import UnitStatus
from pubweave.doors.pdf_reader import PdfReader, PdfReaderSettings
from pubweave.doors.renderer import Renderer, RendererSettings
from pubweave.ports import Blobs, Clock, Log, Store, StoredJob
from pubweave.runtimes.breaking import broken_door
from pubweave.runtimes.contents import put_back
from pubweave.runtimes.embedded.batcher import Gatherer
from pubweave.runtimes.embedded.delivery import Delivery, Outputs, Settled
from pubweave.runtimes.embedded.doors import Doors
from pubweave.runtimes.messages.effects import AT_DEADLINE
from pubweave.runtimes.missed import log_missed
from pubweave.runtimes.readers.pool import Readers
from pubweave.runtimes.readers.settings import ReadersSettings
from pubweave.runtimes.rows import read_as
from pubweave.runtimes.steps import Here, Steps, said_by

if TYPE_CHECKING:
    from pubweave.runtimes.embedded.webpages import Webpages

_log = logging.getLogger(__name__)

IN_FLIGHT: Final = 200
"""Publications under way at a time. More fill no more batches and finish no sooner, but hold their findings in memory
(docs/performance.md)."""

ADMISSION_STEP: Final = 100
"""Lines are admitted this many at a time while many are under way, so that batches fill."""

ROUND_SIZE: Final = 256
"""How many things the merger hears at most before it makes them durable."""

LONG_ROUND_S: Final = 0.05
"""And for how long at most: what follows is asked only then."""

ROUND_PAUSE_S: Final = 0.003
"""Pause between rounds while questions are under way: what arrives meanwhile is written together."""

BUSY_ROUND_PAUSE_S: Final = 0.02
"""The same while `BUSY_QUESTIONS` or more are under way: nobody waits for this very answer then, and each
round costs a transaction."""

BUSY_QUESTIONS: Final = 16

DOOR_WAITS_MS: Final = 30_000
"""Delays up to this long are the door's to wait for; longer ones are waited for here (design law 6)."""

LINGER_STEP_S: Final = 0.02
"""How often part-full batches are looked at."""

PATIENCE_MS: Final = 20
"""For each question under way a part-full batch waits so long, if that is longer than its `linger_ms`: answers that
may fill it are still to come, and the job takes longer than that anyway. A small job is not kept waiting."""

LONGEST_PATIENCE_MS: Final = 10_000


class Door(Protocol):
    """What the system needs of the fetcher."""

    async def fetch(self, wanted: ReplyWanted) -> Reply: ...


class Storage(Protocol):
    """One file, or one memory, with the three ports that hold something."""

    @property
    def log(self) -> Log: ...

    @property
    def store(self) -> Store: ...

    @property
    def blobs(self) -> Blobs: ...


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


_Item: TypeAlias = Callable[[], Awaitable[None]]


class _JobProgress:
    __slots__ = ("by_outcome", "read", "settled", "started_s", "total")

    def __init__(self, total: int | None, started_s: float) -> None:
        self.total = total
        self.started_s = started_s
        self.read = 0
        self.settled = 0
        self.by_outcome: dict[str, int] = {}


class EmbeddedSystem:
    """Made by `open` or `over`; `close` it, or use `async with`."""

    def __init__(
        self,
        storage: Storage,
        door: Door,
        services: Iterable[Service],
        context: Context,
        clock: Clock,
        *,
        in_flight: int = IN_FLIGHT,
        second_chance: bool = True,
        describe_waiting: Callable[[], list[str]] | None = None,
        recorded: Sequence[RecordedBatch] = (),
        steps: Steps | None = None,
    ) -> None:
        self.storage = storage
        self._door = door
        self._context = context
        self._clock = clock
        self._in_flight = max(1, in_flight)
        self._describe_waiting = describe_waiting or list
        self.services: dict[ResourceName, Service] = {service.name: service for service in services}
        self.abilities = Abilities(frozenset(self.services), context.max_links)
        self.delivery = Delivery(
            storage.store, storage.log, storage.blobs, clock, self.abilities, second_chance=second_chance
        )
        self._gatherers: dict[ResourceName, Gatherer | Regatherer] = {
            name: Regatherer(name, recorded) if recorded else Gatherer(service, clock, alone=context.no_batch)
            for name, service in self.services.items()
        }
        self._outstanding: dict[ResourceName, int] = dict.fromkeys(self.services, 0)
        self._inbox: deque[_Item] = deque()
        self._steps = steps or Here()
        self._hearing = False
        """A round is under way; it lets others run in between, who must not take what it holds for done."""
        self._round_lock = asyncio.Lock()
        self._wake = asyncio.Event()
        self._moved = asyncio.Event()
        self._admitting = 0
        self._timer: asyncio.TimerHandle | None = None
        self._asked_for: dict[str, set[str]] = {}
        self._asked_for_resource: dict[str, ResourceName] = {}
        """Questions on their way, the needs that wait for each, and whose it is."""
        self._on_their_way: dict[str, ReplyWanted] = {}
        """Questions of before a crash, by the needs they are asked for."""
        self._taken_up: set[str] = set()
        """Those of them that are asked again already: each need comes by itself, the question is one."""
        self._later: dict[str, tuple[str, int]] = {}
        """Questions that wait before they are asked (again): by ask, whose turn it is then and when (UNIX ms)."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop_task: asyncio.Task[None] | None = None
        self._failure: BaseException | None = None
        self._reach = Reach()
        self._closing = False
        """Nothing is asked any more; what is heard is written still."""
        self._subscribers: dict[str, asyncio.Queue[Settled | None]] = {}
        self._started_at = clock.monotonic_s()
        self._progress: dict[str, _JobProgress] = {}

    @classmethod
    def over(
        cls,
        storage: Storage,
        door: Door,
        context: Context | None = None,
        *,
        clock: Clock | None = None,
        in_flight: int = IN_FLIGHT,
        resources: Iterable[ResourceName] | None = None,
        second_chance: bool = True,
        describe_waiting: Callable[[], list[str]] | None = None,
        recorded: Sequence[RecordedBatch] = (),
        steps: Steps | None = None,
    ) -> "EmbeddedSystem":
        """A system over a storage and a door that somebody else opened and will close.

        :param recorded: when the door replays: which needs were asked for together
        :param steps: where replies are read; None: here, at once
        """
        names = registry.RESOURCES if resources is None else resources
        return cls(
            storage,
            door,
            [registry.service(name) for name in names],
            context or Context(),
            clock or SystemClock(),
            in_flight=in_flight,
            second_chance=second_chance,
            describe_waiting=describe_waiting,
            recorded=recorded,
            steps=steps,
        )

    async def __aenter__(self) -> "EmbeddedSystem":
        self._loop_task = asyncio.create_task(self._rounds(), name="merger")
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop asking; everything heard so far is written, and what was to be asked is asked when the job goes on.
        Safe to repeat."""
        self._closing = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()
        loop_task, self._loop_task = self._loop_task, None
        if loop_task is not None:
            async with self._round_lock:
                loop_task.cancel()
            await asyncio.gather(loop_task, return_exceptions=True)
        while self._inbox and self._failure is None:
            await self._round()

    # --- jobs

    def use_rules(self, rules: RuleBook | None) -> None:
        """Other rules for pages from now on, without a restart; what is being read is read to its end."""
        self._context = msgspec.structs.replace(self._context, rules=rules)

    def webpages(self) -> "Webpages":
        """Web pages and docs over the same storage and doors; to be closed before the system."""
        from pubweave.runtimes.embedded.webpages import Webpages

        return Webpages(
            self.storage,
            self._door,
            self._context,
            self._clock,
            in_flight=self._in_flight,
            steps=self._steps,
        )

    @property
    def rules(self) -> RuleBook | None:
        """The rules for pages in force."""
        return self._context.rules

    async def run_job(
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
            self.storage.store,
            self._clock,
            wanted.idempotency_key,
            wanted.correlation_id,
            msgspec.json.encode(wanted),
            job=job,
        )
        queue: asyncio.Queue[Settled | None] = asyncio.Queue()
        if not self._subscribers:
            self._reach = Reach()
        self._subscribers[stored.job] = queue
        progress = self._progress[stored.job] = _JobProgress(total, self._clock.monotonic_s())
        admission = self._spawn(self._admit(stored, wanted, lines, progress))
        timer = self._spawn(self._watch_deadline(stored, wanted)) if wanted.deadline_at else None
        try:
            while True:
                settled = await queue.get()
                self._raise_failure()
                if settled is None:
                    break
                record = settled.record
                yield Finished(
                    settled.event.line,
                    settled.event,
                    await put_back(record, self.storage.blobs) if record is not None else None,
                )
        finally:
            self._subscribers.pop(stored.job, None)
            admission.cancel()
            if timer is not None:
                timer.cancel()

    async def _admit(
        self, stored: StoredJob, wanted: JobSettings, lines: Iterable[Line], progress: _JobProgress
    ) -> None:
        last = await self.storage.store.last_line(stored.job)
        if last >= 0:
            await self._take_up(stored, progress)
        step = min(ADMISSION_STEP, self._in_flight)
        batch: list[FetchRequested] = []
        for line in lines:
            if line.number <= last:
                continue
            if self._reach.nobody:
                break
            batch.append(self._requested(stored, wanted, line))
            if len(batch) >= step:
                await self._submit(batch, progress)
                batch = []
        if not self._reach.nobody:
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
        self._put(partial(self._submit_now, batch))
        await asyncio.sleep(0)

    async def _submit_now(self, batch: list[FetchRequested]) -> None:
        for requested in batch:
            await self.delivery.submit(requested)
            await asyncio.sleep(0)
        self._admitting -= len(batch)

    async def _take_up(self, stored: StoredJob, progress: _JobProgress) -> None:
        """After a crash: outcomes that are there are given out, the rest goes on where its rows end."""
        store = self.storage.store
        for _, body in await store.pending():
            wanted = read_as(ReplyWanted, body)
            for need in wanted.work.needs:
                self._on_their_way[need.need] = wanted
        async for submission in store.submissions(stored.job):
            progress.read += 1
            if submission.settled:
                event = read_as(SubmissionSettled, submission.settled)
                record = await store.record(event.publication)
                self._tell(
                    Settled(
                        event,
                        decode_record(record.body) if record is not None and not record.removed else None,
                    )
                )
                continue
            await self._room(1)
            self._put(
                partial(
                    self.delivery.resume,
                    read_as(FetchRequested, submission.body),
                    submission.publication,
                )
            )

    async def _last_lines(self, stored: StoredJob, progress: _JobProgress) -> None:
        """When every other line has its outcome, those with fetchException get their second chance."""
        store = self.storage.store
        await self._quiet()
        if self._reach.nobody:
            await self._park_all(stored.job, UNREACHED)
            await self._quiet()
        async for submission in store.submissions(stored.job, unsettled=True):
            await self._room(1)
            requested = read_as(FetchRequested, submission.body)
            self._put(partial(self.delivery.second_chance, requested, submission.publication))
        await self._quiet()
        async for submission in store.submissions(stored.job, unsettled=True):
            requested = read_as(FetchRequested, submission.body)
            self._put(
                partial(
                    self.delivery.park,
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
        async for submission in self.storage.store.submissions(job, unsettled=True):
            requested = read_as(FetchRequested, submission.body)
            self._put(partial(self.delivery.park, requested, submission.publication, reason))

    async def _end_early(self) -> None:
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
            waiting=[*self._describe_waiting(), *self._asked_later()],
        )

    def _asked_later(self) -> list[str]:
        """Who will be asked again, and when: nobody else knows of these questions meanwhile."""
        units: dict[str, list[int]] = {}
        for unit, at_ms in self._later.values():
            units.setdefault(unit, []).append(at_ms)
        return [
            f"{unit}: asked again at {datetime.fromtimestamp(min(times) / 1000, UTC):%H:%M:%S} UTC, "
            + ("1 question" if len(times) == 1 else f"{len(times)} questions")
            for unit, times in units.items()
        ]

    # --- rounds of the merger: the only place where state changes

    def _put(self, item: _Item) -> None:
        self._inbox.append(item)
        self._wake.set()

    async def _rounds(self) -> None:
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                while self._inbox:
                    await self._round()
                    await asyncio.sleep(self._round_pause_s())
        except asyncio.CancelledError:
            raise
        except Exception as problem:  # noqa: BLE001  # whoever runs a job raises it
            self._failure = problem
            for queue in self._subscribers.values():
                queue.put_nowait(None)
            self._moved.set()

    def _round_pause_s(self) -> float:
        questions = self._outstanding_now()
        return BUSY_ROUND_PAUSE_S if questions >= BUSY_QUESTIONS else ROUND_PAUSE_S if questions else 0

    async def _round(self) -> None:
        async with self._round_lock:
            self._hearing = True
            try:
                enough_s = self._clock.monotonic_s() + LONG_ROUND_S
                async with self.storage.store.batch():
                    for _ in range(ROUND_SIZE):
                        await self._inbox.popleft()()
                        # Hosts that have answered can be asked on meanwhile.
                        await asyncio.sleep(0)
                        if not self._inbox or self._clock.monotonic_s() >= enough_s:
                            break
                    out = await self.delivery.flush()
            finally:
                self._hearing = False
            self._dispatch(out)
        self._moved.set()

    def _dispatch(self, out: Outputs) -> None:
        if out.superseded:
            self._let_go(out.superseded)
        for note in out.notes:
            _log.warning(note)
        for conflict in out.conflicts:
            _log.error(
                "Two publications claim the %s %s; a person should look: %s has it, %s wanted it",
                conflict.id_kind,
                conflict.value,
                conflict.holder,
                conflict.claimant,
            )
        for need in out.needs:
            wanted = self._on_their_way.pop(need.need, None)
            if wanted is None:
                if need.need not in out.superseded:
                    self._gatherers[need.resource].add(need)
                continue
            if wanted.ask not in self._taken_up:
                self._taken_up.add(wanted.ask)
                self._outstanding[need.resource] += 1
                self._spawn(self._ask(wanted))
        for settled in out.settled:
            self._tell(settled)
        self._hand_over()

    def _let_go(self, needs: set[str]) -> None:
        """Needs that nobody waits for: not asked if they have not been; a question on its way for nothing
        else runs to its end (its attempt has an outcome too), but nothing waits for it."""
        for gatherer in self._gatherers.values():
            gatherer.drop(needs)
        for ask, left in list(self._asked_for.items()):
            if left & needs:
                left -= needs
                if not left:
                    resource = self._asked_for_resource.pop(ask)
                    del self._asked_for[ask]
                    self._outstanding[resource] -= 1

    def _tell(self, settled: Settled) -> None:
        progress = self._progress.get(settled.event.job)
        if progress is not None:
            progress.settled += 1
            outcome = settled.event.outcome
            progress.by_outcome[outcome] = progress.by_outcome.get(outcome, 0) + 1
        queue = self._subscribers.get(settled.event.job)
        if queue is not None:
            queue.put_nowait(settled)

    # --- works: needs in batches, steps, questions

    def _hand_over(self) -> None:
        """Full batches at once; part-full ones when nothing under way could fill them, or after a while."""
        if self._closing:
            return
        quiet = not (self._inbox or self._hearing or self._admitting or self._outstanding_now())
        now = self._clock.monotonic_s()
        patience_ms = min(PATIENCE_MS * self._outstanding_now(), LONGEST_PATIENCE_MS)
        later = False
        for name, gatherer in self._gatherers.items():
            while (needs := gatherer.full()) is not None:
                self._begin(name, needs)
                quiet = False
            waited_ms = 1000 * (now - gatherer.oldest_s) if len(gatherer) else 0.0
            if len(gatherer) and (quiet or waited_ms >= max(patience_ms, gatherer.linger_ms)):
                needs = gatherer.rest()
                if needs is not None:
                    self._begin(name, needs)
                    quiet = False
            later = later or bool(len(gatherer))
        if later and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(LINGER_STEP_S, self._tick)

    def _outstanding_now(self) -> int:
        return sum(self._outstanding.values())

    def _tick(self) -> None:
        self._timer = None
        self._hand_over()

    def _begin(self, name: ResourceName, needs: tuple[NeedsPart, ...]) -> None:
        work = Work(resource=name, needs=needs)
        self._outstanding[name] += 1
        self._step(work, None, "")

    def _step(self, work: Work, reply: Reply | None, asked: str) -> None:
        """One pure step of a resource; what it says goes to the merger, what it wants is asked."""
        self._take(work, said_by(self.services[work.resource], work, reply, self._context), asked)

    def _take(self, work: Work, said: list[Said], asked: str) -> None:
        log_missed(work, said)
        wanted = [one for one in said if isinstance(one, ReplyWanted)]
        found = [one for one in said if not isinstance(one, ReplyWanted)]
        self._outstanding[work.resource] += len(wanted) - 1
        self._put(partial(self._note, asked, wanted if asked else [], found))
        for one in wanted:
            self._spawn(self._ask(one))

    async def _note(self, asked: str, wanted: list[ReplyWanted], found: list[Found | ResourceDone]) -> None:
        store = self.storage.store
        if asked:
            await store.drop_pending([asked])
        for one in wanted:
            await store.put_pending(one.ask, encode(one))
        if found:
            await self.delivery.hear(found)

    async def _ask(self, wanted: ReplyWanted) -> None:
        if self._closing:
            return
        if self._reach.nobody:  # its lines are being parked
            self._outstanding[wanted.work.resource] -= 1
            self._put(partial(self._note, wanted.ask, [], []))
            return
        if wanted.ask in self._asked_for:  # the same question is on its way: its reply answers both
            self._outstanding[wanted.work.resource] -= 1
            self._moved.set()
            return
        self._asked_for[wanted.ask] = {need.need for need in wanted.work.needs}
        self._asked_for_resource[wanted.ask] = wanted.work.resource
        if wanted.delay_ms > DOOR_WAITS_MS:
            self._later[wanted.ask] = (wanted.unit, self._clock.now_ms() + wanted.delay_ms)
            try:
                await self._clock.sleep(wanted.delay_ms / 1000)
            finally:
                del self._later[wanted.ask]
        try:
            reply = await self._door.fetch(wanted)
        except Exception as bug:  # noqa: BLE001  # a door that breaks costs one question, not the run
            reply = broken_door(wanted, bug, self._clock.now_ms())
        if self._reach.heard(wanted.unit, reply):
            self._spawn(self._end_early())
        said: list[Said] = []
        if wanted.ask in self._asked_for:
            service = self.services[wanted.work.resource]
            said = await self._steps.said(service, wanted.work, reply, self._context)
        if wanted.ask in self._asked_for:  # still: meanwhile its needs may have been let go
            del self._asked_for[wanted.ask], self._asked_for_resource[wanted.ask]
            self._take(wanted.work, said, wanted.ask)
        else:
            self._put(partial(self._note, wanted.ask, [], []))

    # --- waiting for each other

    def _spawn(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (problem := task.exception()) is not None and self._failure is None:
            self._failure = problem
            for queue in self._subscribers.values():
                queue.put_nowait(None)

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    async def _until(self, reached: Callable[[], bool]) -> None:
        while not reached():
            self._raise_failure()
            self._moved.clear()
            await self._moved.wait()
        self._raise_failure()

    async def _room(self, count: int) -> None:
        """Back-pressure: wait until that many more publications may be under way."""
        await self._until(
            lambda: self.delivery.under_way + self._admitting + count <= max(self._in_flight, count)
        )

    async def _quiet(self) -> None:
        """Wait until nothing is under way."""
        self._wake.set()
        await self._until(
            lambda: (
                not self._inbox
                and not self._hearing
                and not self._admitting
                and not self._outstanding_now()
                and not any(map(len, self._gatherers.values()))
            )
        )


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


class SystemConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What `open_system` needs to know."""

    database: Path | None
    """The SQLite file; None: in memory, gone at the end."""
    create: bool = True
    """Make the file if it is not there (F-DB-16 holds where this is false)."""
    context: Context = Context()
    fetcher: FetcherSettings = FetcherSettings()
    in_flight: int = IN_FLIGHT
    """Publications under way at a time."""
    second_chance: bool = True
    resources: tuple[ResourceName, ...] | None = None
    """Which resources there are to ask; None: all."""
    pdf_reader: PdfReaderSettings = PdfReaderSettings()
    """Its processes are started when there is a PDF to be read."""
    renderer: RendererSettings = RendererSettings()
    """Its browsers are started when there is a page to be rendered."""
    readers: ReadersSettings = ReadersSettings()
    """Its processes are started when there is a long reply to be read."""


@asynccontextmanager
async def open_system(config: SystemConfig, clock: Clock | None = None) -> AsyncIterator[EmbeddedSystem]:
    """A system over its own database and fetcher, closed at the end.

    :raises StorageProblem: the database cannot be opened; the text says what to do
    :raises FetcherProblem: a setting of the fetcher cannot be used
    """
    clock = clock or SystemClock()
    storage = (
        SqliteStorage.in_memory()
        if config.database is None
        else SqliteStorage.open(config.database, create=config.create)
    )
    try:
        async with (
            Fetcher(config.fetcher, clock, storage.store) as fetcher,
            PdfReader(config.pdf_reader) as pdf_reader,
            Renderer(config.renderer) as renderer,
            Readers(config.readers) as readers,
        ):
            context = config.context
            if not renderer.is_here:
                # To ask for a browser that is not here costs nothing; the page is then asked for once, not twice.
                context = msgspec.structs.replace(context, browser_first=True)
            system = EmbeddedSystem.over(
                storage,
                Doors(fetcher, pdf_reader, renderer),
                context,
                clock=clock,
                in_flight=config.in_flight,
                resources=config.resources,
                second_chance=config.second_chance,
                describe_waiting=lambda: waiting_sentences(fetcher.status()),
                recorded=fetcher.recorded_batches,
                steps=readers,
            )
            async with system:
                yield system
    finally:
        await storage.close()


def waiting_sentences(units: Sequence[UnitStatus]) -> list[str]:
    """What is being waited for, most urgent first, as short sentences for a person."""
    busiest = sorted(units, key=lambda unit: -(unit.queued + unit.in_flight))
    return [
        f"{unit.unit}: {_reason(unit)}, {unit.queued} queued, {unit.in_flight} in flight"
        for unit in busiest
        if unit.queued or unit.in_flight
    ]


def _reason(unit: UnitStatus) -> str:
    if not unit.waiting:
        return "answering"
    return f"{unit.waiting} ({unit.allowance})" if unit.allowance else unit.waiting
