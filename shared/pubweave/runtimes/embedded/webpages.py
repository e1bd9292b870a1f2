"""Web pages and docs in the embedded system: addresses in, finished pages out (chapters 13 and 14).

    lines ─► merger (runtimes.messages.webpages) ─► resource webpages or docs ⇄ doors ─► merger ─► store

What is decided of a page is decided as on the bus; here is how many are asked at a time, and how long.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from functools import partial
from typing import Final, Self, TypeAlias
from weakref import WeakValueDictionary

import msgspec

from pubweave import registry
from pubweave.contract.digests import quick_digest
from pubweave.contract.exchange import Reply, Request
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.values import Cooldowns, RunSettings
from pubweave.contract.vocabulary import PageKind
from pubweave.contract.webpage_read import WebpageRead
from pubweave.core.merging.decide import Abilities
from pubweave.core.merging.webpage_fold import Folded, accept, after_fetch, need_of
from pubweave.core.reading.rules import RuleBook
from pubweave.core.toolkit.answering import wanted
from pubweave.core.toolkit.service import Context
from pubweave.core.toolkit.webpage_asking import JavaScript, first_work
from pubweave.core.webpage_record import WebpageRecord
from pubweave.ports import Clock, Fetching, StoredJob
from pubweave.runtimes.breaking import broken_door
from pubweave.runtimes.embedded.delivery import Delivery
from pubweave.runtimes.embedded.jobs import open_job
from pubweave.runtimes.embedded.storage import Storage
from pubweave.runtimes.embedded.webpage_store import WebpageStore
from pubweave.runtimes.messages.resources import DOOR_WAITS_MS
from pubweave.runtimes.messages.webpages import key_of
from pubweave.runtimes.rows import read_as
from pubweave.runtimes.steps import Here, Steps

_log = logging.getLogger(__name__)


Heard: TypeAlias = Callable[[], Awaitable[None]]

_NEVER_AGAIN: Final = Cooldowns(-1, -1, -1, 0)


class PageLine(msgspec.Struct, frozen=True):
    """One address of what the user gave."""

    number: int
    """From 1, as in the input."""
    url: str


class PageWishes(msgspec.Struct, frozen=True):
    """What holds for every page of a job."""

    entry: PageKind = "webpage"
    settings: RunSettings = RunSettings()
    cooldowns: Cooldowns = Cooldowns()
    fresh: bool = False
    """Fetch anew whatever is stored; the answer takes its place (F-CLI-111, F-CLI-112)."""
    second_chance: bool = True
    """F-CAN-09: pages with fetchException once more at the end."""
    javascript: JavaScript = "rules"
    correlation_id: str = ""
    idempotency_key: str = ""
    """Names this very job, so that it is gone on with after an interruption; empty: its lines are not counted."""
    deadline_at: int = 0
    """UNIX ms after which what is unfinished ends as it is; 0 = none."""


class PageFinished(msgspec.Struct, frozen=True):
    """A line has its page."""

    line: int
    url: str
    record: WebpageRecord
    """As it is stored, with its content; of a page that was never fetched just its address."""
    fetched: bool
    """False where what is stored was good enough (F-CAN-01), or a line before had the same address."""
    outcome: str = ""
    """Of this fetch; empty where nothing was asked."""
    evidence: str = ""
    parked: bool = False
    """Not finished at the deadline."""
    version: int = 0
    """Of the record as it is stored; 0: it is not."""
    unreached: bool = False
    """No request reached a host; it is no fetch that counts."""


class Webpages:
    """Fetches pages over a storage and doors that somebody else opened and will close.

    One page is never fetched twice at a time (F-HOST-05); how many are asked at a time is `in_flight`.
    """

    def __init__(
        self,
        storage: Storage,
        door: Fetching,
        context: Context,
        clock: Clock,
        *,
        in_flight: int = 1000,
        steps: Steps | None = None,
    ) -> None:
        self.store = WebpageStore(storage, clock)
        self._storage = storage
        self._door = door
        self._context = context
        self._clock = clock
        self._in_flight = max(1, in_flight)
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """Pages that somebody is at."""
        self._steps = steps or Here()
        self._no_browser_said = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Nothing is open."""

    async def fetch(
        self, lines: Iterable[PageLine], wishes: PageWishes | None = None
    ) -> AsyncIterator[PageFinished]:
        """Fetch what can-fetch lets, store it, and give each line's page as it comes.

        Lines with the same address give the same page; it is asked for once. With an idempotency key they are lines of
        a job: an unfinished one with this key is gone on with, and what had its outcome already is told first.

        :raises StorageProblem: the storage failed; what was written before stays
        """
        wishes = wishes or PageWishes()
        stored = await open_job(
            self._storage.store,
            self._clock,
            wishes.idempotency_key,
            wishes.correlation_id,
            msgspec.json.encode(wishes),
        )
        job = _WebpageLines(self, wishes, stored)
        try:
            async for finished in job.run(lines):
                yield finished
        finally:
            await job.close()

    async def read(
        self, url: str, wishes: PageWishes | None = None, rules: RuleBook | None = None
    ) -> WebpageRecord:
        """One page, read and not stored (F-CLI-31).

        :param rules: instead of those in force
        """
        wishes = wishes or PageWishes()
        accepted = accept(
            Folded(), wishes.entry, url, wishes.settings, wishes.cooldowns, self._clock.now_ms(), fresh=True
        )
        assert accepted is not None, "a fresh fetch is always accepted"
        context = self._context if rules is None else msgspec.structs.replace(self._context, rules=rules)
        need = need_of(accepted, wishes.deadline_at)
        return after_fetch(None, accepted, await self.ask(need, wishes.javascript, context))

    async def document(
        self,
        url: str,
        *,
        form: tuple[tuple[str, str], ...] | None = None,
        javascript: bool = False,
        timeout_ms: int = 15_000,
    ) -> Reply:
        """What an address answers, as it comes: nothing is read, kept or tried again (F-CLI-28…30, F-NET-08).

        :param form: pairs to be sent by POST; None: a GET
        """
        request = Request(
            url=url,
            method="GET" if form is None else "POST",
            form=form or (),
            robots=True,
            timeout_ms=timeout_ms,
            javascript=javascript,
        )
        return await self._reply(
            wanted(request, "webpages", (), door="renderer" if javascript else "fetcher")
        )

    async def ask(
        self, need: NeedsPart, javascript: JavaScript, context: Context | None = None
    ) -> WebpageRead:
        """The one outcome of a need, whatever happens on the way."""
        work, reply = first_work(need, javascript), None
        service = registry.page_service("doc" if need.resource == "docs" else "webpage")
        context = context or self._context
        while True:
            (said,) = await self._steps.page_said(service, work, reply, context, self._clock.now_ms())
            if isinstance(said, WebpageRead):
                return said
            work, reply = said.work, await self._reply(said)

    async def _reply(self, question: ReplyWanted) -> Reply:
        url = question.request.url
        if question.delay_ms > DOOR_WAITS_MS:
            _log.warning("%s: asked again in %d s (%s)", question.unit, question.delay_ms // 1000, url)
            await self._clock.sleep(question.delay_ms / 1000)
        try:
            reply = await self._door.fetch(question)
        except Exception as bug:  # noqa: BLE001  # a door that breaks costs one question, not the run
            return broken_door(question, bug, self._clock.now_ms())
        if reply.outcome == "no-door" and question.door == "renderer" and not self._no_browser_said:
            self._no_browser_said = True
            _log.warning("There is no browser here: pages that want one are read without JavaScript")
        if not reply.fetched_at:
            reply = msgspec.structs.replace(reply, fetched_at=self._clock.now_ms())
        return reply


class _WebpageLines:
    """The lines of one call of `fetch`, as many under way as are allowed. What is decided of them the merger decides."""

    def __init__(self, pages: Webpages, wishes: PageWishes, stored: StoredJob) -> None:
        self._pages = pages
        self._wishes = wishes
        self._stored = stored
        storage = pages._storage
        self._store = storage.store
        self._delivery = Delivery(
            storage.store,
            storage.log,
            storage.blobs,
            pages._clock,
            Abilities(frozenset()),
            second_chance=wishes.second_chance,
        )
        self._round = asyncio.Lock()
        self._done: asyncio.Queue[PageFinished | BaseException | None] = asyncio.Queue()
        self._room = asyncio.Semaphore(pages._in_flight)
        self._unread = asyncio.Semaphore(pages._in_flight)
        """Pages that nobody has taken yet: who reads them slowly gets no memory full of them."""
        self._running: dict[asyncio.Task[None], FetchRequested] = {}
        self._seen: set[str] = set()
        self._withheld: list[FetchRequested] = []
        self._feeding: asyncio.Task[None] | None = None
        self._timer: asyncio.Task[None] | None = None
        self._over = False
        """The deadline has passed."""

    async def run(self, lines: Iterable[PageLine]) -> AsyncIterator[PageFinished]:
        self._feeding = asyncio.create_task(self._feed(lines))
        if self._wishes.deadline_at:
            self._timer = asyncio.create_task(self._watch_deadline())
        while (finished := await self._done.get()) is not None:
            if isinstance(finished, BaseException):
                raise finished
            self._unread.release()
            yield finished

    async def close(self) -> None:
        """Stop asking."""
        tasks = [task for task in (self._feeding, self._timer, *self._running) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _watch_deadline(self) -> None:
        clock = self._pages._clock
        await clock.sleep((self._wishes.deadline_at - clock.now_ms()) / 1000)
        self._over = True
        running = dict(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        for requested in running.values():
            await self._settle(partial(self._delivery.submit, requested))  # if it was not yet
        async for stored in self._store.submissions(self._stored.job, unsettled=True):
            await self._park(read_as(FetchRequested, stored.body))

    async def _feed(self, lines: Iterable[PageLine]) -> None:
        count = 0
        try:
            for line in lines:
                count += 1
                stored = await self._store.submission(self._stored.job, line.number)
                if stored is not None and stored.settled:
                    await self._tell(read_as(SubmissionSettled, stored.settled))
                elif stored is not None:
                    requested = read_as(FetchRequested, stored.body)
                    await self._begin(
                        requested, partial(self._delivery.resume, requested, stored.publication)
                    )
                else:
                    requested = self._requested(line)
                    await self._begin(requested, partial(self._delivery.submit, requested))
                self._seen.add(quick_digest(line.url))
            await self._all_ended()
            for requested in self._withheld:
                chance = partial(self._delivery.second_chance, requested, key_of(requested))
                await self._begin(requested, chance)
            await self._all_ended()
            if self._over and self._timer is not None:
                await self._timer  # which is telling what it has ended
            finished = msgspec.structs.replace(
                self._stored, lines=count, finished_at=self._pages._clock.now_ms()
            )
            await self._store.put_job(finished)
            self._done.put_nowait(None)
        except Exception as problem:  # noqa: BLE001  # whoever runs the job raises it
            self._done.put_nowait(problem)

    def _requested(self, line: PageLine) -> FetchRequested:
        wishes = self._wishes
        known = quick_digest(line.url) in self._seen  # it has its turn in this job: what comes of it is given
        return FetchRequested(
            job=self._stored.job,
            line=line.number,
            url=line.url,
            entry=wishes.entry,
            settings=wishes.settings,
            cooldowns=_NEVER_AGAIN if known else wishes.cooldowns,
            correlation_id=self._stored.correlation_id,
            deadline_at=wishes.deadline_at,
            submitted_at=self._pages._clock.now_ms(),
            fresh=wishes.fresh and not known,
        )

    async def _begin(self, requested: FetchRequested, heard: Heard) -> None:
        await self._room.acquire()
        if self._over:
            self._room.release()
            await self._settle(partial(self._delivery.submit, requested))
            await self._park(requested)
            return
        task = asyncio.create_task(self._one(requested, heard))
        self._running[task] = requested
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        del self._running[task]
        self._room.release()
        if not task.cancelled() and (problem := task.exception()) is not None:
            self._done.put_nowait(problem)

    async def _one(self, requested: FetchRequested, heard: Heard) -> None:
        """A line from its beginning to what comes of it; one that has the address of another waits for that one."""
        lock = self._pages._locks.setdefault(key_of(requested), asyncio.Lock())
        async with lock:  # it lives as long as somebody holds or awaits it
            needs = await self._settle(heard)
            while needs:
                read = await self._pages.ask(needs[0], self._wishes.javascript)
                needs = await self._settle(partial(self._delivery.hear_of_page, read), read)

    async def _settle(self, heard: Heard, read: WebpageRead | None = None) -> list[NeedsPart]:
        """Hear something, make what follows durable, and tell it; what is to be asked is given."""
        async with self._round, self._store.batch():
            await heard()
            out = await self._delivery.flush()
        for standing in out.withheld:
            if standing.requested is not None and standing.job == self._stored.job:
                self._withheld.append(standing.requested)
        for settled in out.settled:
            if settled.event.job == self._stored.job:
                await self._tell(settled.event, read)
        return out.needs

    async def _park(self, requested: FetchRequested) -> None:
        await self._settle(partial(self._delivery.park, requested, key_of(requested)))

    async def _tell(self, settled: SubmissionSettled, read: WebpageRead | None = None) -> None:
        url = settled.publication.partition(" ")[2]
        record = await self._pages.store.get(self._wishes.entry, url) or WebpageRecord(url)
        parked = settled.outcome == "parked"
        outcome, evidence = (record.outcome, record.evidence) if settled.fetched else ("", "")
        if parked:
            outcome, evidence = "cancelled", settled.reason
        await self._unread.acquire()
        self._done.put_nowait(
            PageFinished(
                settled.line,
                url,
                record,
                fetched=settled.fetched,
                outcome=outcome,
                evidence=evidence,
                parked=parked,
                version=settled.version,
                unreached=read is not None and read.unreached,
            )
        )

    async def _all_ended(self) -> None:
        while self._running:
            await asyncio.wait(list(self._running))
