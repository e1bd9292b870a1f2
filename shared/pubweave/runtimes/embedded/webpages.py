"""Web pages and docs in the embedded system: addresses in, finished pages out (chapters 13 and 14).

    lines ─► can-fetch ─► resource webpages or docs ⇄ doors ─► fold ─► store

A page is one run: what was accepted and what it gave are written together, so a crash loses at most the pages that
were under way, and these are simply fetched again.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Self
from weakref import WeakValueDictionary

import msgspec

from pubweave import registry
from pubweave.contract.exchange import Reply, Request, Work
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.values import Cooldowns, RunSettings
from pubweave.contract.vocabulary import PageKind
from pubweave.contract.webpage_accepted import WebpageAccepted
from pubweave.contract.webpage_read import WebpageRead
from pubweave.core.answering import wanted
from pubweave.core.digests import quick_digest
from pubweave.core.reading.rules import RuleBook
from pubweave.core.service import Context
from pubweave.core.webpage_asking import (
    JavaScript,
    WebpageSaid,
    WebpageStep,
    broken_page,
    first_work,
)
from pubweave.core.webpage_fold import RESOURCES, Folded, accept, after_fetch, need_of, why_refused
from pubweave.core.webpage_record import WebpageRecord
from pubweave.ports import Clock
from pubweave.runtimes.embedded.page_jobs import PageJob
from pubweave.runtimes.embedded.page_store import PageStore, content_put_back
from pubweave.runtimes.embedded.system import DOOR_WAITS_MS, STEP_IN_THREAD_BYTES, Door, Storage

_log = logging.getLogger(__name__)


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
        self, storage: Storage, door: Door, context: Context, clock: Clock, *, in_flight: int = 1000
    ) -> None:
        self.store = PageStore(storage, clock)
        self._storage = storage
        self._door = door
        self._context = context
        self._clock = clock
        self._in_flight = max(1, in_flight)
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """Pages that somebody is at."""
        self._reader = ThreadPoolExecutor(1, "page-reader")
        self._no_browser_said = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._reader.shutdown(wait=False, cancel_futures=True)

    async def fetch(
        self, lines: Iterable[PageLine], wishes: PageWishes | None = None
    ) -> AsyncIterator[PageFinished]:
        """Fetch what can-fetch lets, store it, and give each line's page as it comes.

        Lines with the same address give the same page; it is asked for once. With an idempotency key they are lines of
        a job: an unfinished one with this key is gone on with, and what had its outcome already is told first.

        :raises StorageProblem: the storage failed; what was written before stays
        """
        wishes = wishes or PageWishes()
        book = None
        if wishes.idempotency_key:
            book = await PageJob.open(
                self._storage,
                self._clock,
                wishes.entry,
                wishes.idempotency_key,
                wishes.correlation_id,
                msgspec.json.encode(wishes),
            )
        job = _Job(self, wishes, book)
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
        return after_fetch(None, accepted, await self.ask(accepted, wishes, context))

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

    async def one(self, url: str, wishes: PageWishes, known: bool) -> PageFinished:
        """Fetch one page if can-fetch lets it; the line number is the caller's to set.

        :param known: it had its turn in this job: what is stored is given
        """
        entry = wishes.entry
        key = f"{entry} {url}"
        lock = self._locks.setdefault(key, asyncio.Lock())  # lives as long as somebody holds or awaits it
        async with lock:
            folded = await self.store.folded(entry, url)
            accepted = None
            if not known:
                accepted = accept(
                    folded,
                    entry,
                    url,
                    wishes.settings,
                    wishes.cooldowns,
                    self._clock.now_ms(),
                    fresh=wishes.fresh,
                    correlation_id=wishes.correlation_id,
                    gone=await self.store.gone(folded),
                )
            read = None
            if accepted is not None:
                read = await self.ask(accepted, wishes)
                resource = RESOURCES[entry]
                counts: dict[tuple[str, str], int] = {(resource, ""): 1, (resource, read.outcome): 1}
                folded = await self.store.keep(entry, url, [accepted, read], counts)
        record = folded.record or WebpageRecord(url)
        return PageFinished(
            line=0,
            url=url,
            record=await content_put_back(record, self._storage.blobs),
            fetched=read is not None,
            outcome=read.outcome if read is not None else "",
            evidence=read.evidence if read is not None else "",
            version=folded.version,
            unreached=read is not None and read.unreached,
        )

    async def ask(
        self, accepted: WebpageAccepted, wishes: PageWishes, context: Context | None = None
    ) -> WebpageRead:
        """The one outcome of a run, whatever happens on the way."""
        need = need_of(accepted, wishes.deadline_at)
        work = first_work(need, wishes.javascript)
        step = registry.page_service(wishes.entry).step
        said = self._said(step, work, None, context or self._context)
        while True:
            one = said[0]
            if isinstance(one, WebpageRead):
                return one
            reply = await self._reply(one)
            if len(reply.body) > STEP_IN_THREAD_BYTES:
                loop = asyncio.get_running_loop()
                said = await loop.run_in_executor(
                    self._reader, self._said, step, one.work, reply, context or self._context
                )
            else:
                said = self._said(step, one.work, reply, context or self._context)

    def _said(
        self, step: WebpageStep, work: Work, reply: Reply | None, context: Context
    ) -> list[WebpageSaid]:
        try:
            return step(work, reply, context)
        except Exception as bug:  # noqa: BLE001  # a page that breaks its reader costs itself, not the run
            _log.error("The resource %s broke on a page; please report this", work.resource, exc_info=bug)
            at_ms = reply.fetched_at if reply is not None else self._clock.now_ms()
            return [*broken_page(work, bug, at_ms)]

    async def _reply(self, question: ReplyWanted) -> Reply:
        url = question.request.url
        if question.delay_ms > DOOR_WAITS_MS:
            _log.warning("%s: asked again in %d s (%s)", question.unit, question.delay_ms // 1000, url)
            await self._clock.sleep(question.delay_ms / 1000)
        try:
            reply = await self._door.fetch(question)
        except Exception as bug:  # noqa: BLE001  # a door that breaks costs one question, not the run
            _log.error("A door broke on %s; please report this", url, exc_info=bug)
            return Reply(
                outcome="failed",
                url=url,
                fetched_at=self._clock.now_ms(),
                fetch_exception=True,
                web_fetch_exception=True,
                evidence=f"{type(bug).__name__}: {bug}",
            )
        if reply.outcome == "no-door" and question.door == "renderer" and not self._no_browser_said:
            self._no_browser_said = True
            _log.warning("There is no browser here: pages that want one are read without JavaScript")
        if not reply.fetched_at:
            reply = msgspec.structs.replace(reply, fetched_at=self._clock.now_ms())
        return reply


class _Job:
    """The lines of one call of `fetch`, as many under way as are allowed."""

    def __init__(self, pages: Webpages, wishes: PageWishes, book: PageJob | None) -> None:
        self._pages = pages
        self._wishes = wishes
        self._book = book
        self._done: asyncio.Queue[PageFinished | BaseException | None] = asyncio.Queue()
        self._room = asyncio.Semaphore(pages._in_flight)
        self._unread = asyncio.Semaphore(pages._in_flight)
        """Pages that nobody has taken yet: who reads them slowly gets no memory full of them."""
        self._running: dict[asyncio.Task[None], tuple[PageLine, PageFinished | None]] = {}
        self._seen: set[str] = set()
        self._again: list[tuple[PageLine, PageFinished]] = []
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
        for task, (line, first) in running.items():
            if task.cancelled():
                await self._leave(line, first)

    async def _feed(self, lines: Iterable[PageLine]) -> None:
        count = 0
        try:
            # Lines that come after one under way with the same address wait for its lock and ask nothing.
            for line in lines:
                count += 1
                digest = quick_digest(line.url)
                if await self._is_told(line):
                    self._seen.add(digest)
                    continue
                await self._begin(line, known=digest in self._seen)
                self._seen.add(digest)
            await self._all_ended()
            for line, first in self._again:
                await self._begin(line, first=first)
            await self._all_ended()
            if self._over and self._timer is not None:
                await self._timer  # which is telling what it has ended
            if self._book is not None:
                await self._book.close(count)
            self._done.put_nowait(None)
        except Exception as problem:  # noqa: BLE001  # whoever runs the job raises it
            self._done.put_nowait(problem)

    async def _is_told(self, line: PageLine) -> bool:
        """Its outcome is known from before an interruption; else it is entered in the job."""
        if self._book is None:
            return False
        wishes = self._wishes
        settled = await self._book.enter(line.number, line.url, wishes.settings, wishes.cooldowns)
        if settled is None:
            return False
        record = await self._pages.store.get(wishes.entry, line.url) or WebpageRecord(line.url)
        parked = settled.outcome == "parked"
        await self._unread.acquire()
        outcome, evidence = ("cancelled", settled.reason) if parked else (record.outcome, record.evidence)
        self._done.put_nowait(
            PageFinished(
                line.number,
                line.url,
                record,
                fetched=settled.fetched,
                outcome=outcome,
                evidence=evidence,
                parked=parked,
                version=settled.version,
            )
        )
        return True

    async def _begin(self, line: PageLine, *, known: bool = False, first: PageFinished | None = None) -> None:
        await self._room.acquire()
        if self._over:
            self._room.release()
            await self._leave(line, first)
            return
        task = asyncio.create_task(self._one(line, known, first))
        self._running[task] = line, first
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        del self._running[task]
        self._room.release()
        if not task.cancelled() and (problem := task.exception()) is not None:
            self._done.put_nowait(problem)

    async def _one(self, line: PageLine, known: bool, first: PageFinished | None) -> None:
        wishes = self._wishes
        if first is not None and wishes.fresh:
            # The first answer is stored by now; the second is judged against it (F-WEB-31) and always asked for.
            always = msgspec.structs.replace(wishes.cooldowns, retryLimit=-1)
            wishes = msgspec.structs.replace(wishes, fresh=False, cooldowns=always)
        finished = await self._pages.one(line.url, wishes, known)
        if first is None and finished.fetched and finished.record.fetch_exception and wishes.second_chance:
            self._again.append((line, finished))
            return
        await self._tell(line, first if first is not None and not finished.fetched else finished)

    async def _leave(self, line: PageLine, first: PageFinished | None) -> None:
        """A line ends at the deadline: with what it has, or parked."""
        if first is not None:
            await self._tell(line, first)
            return
        stored = await self._pages.store.get(self._wishes.entry, line.url)
        parked = PageFinished(
            line.number,
            line.url,
            stored or WebpageRecord(line.url),
            fetched=False,
            outcome="cancelled",
            evidence="not finished at its deadline",
            parked=True,
        )
        await self._tell(line, parked)

    async def _tell(self, line: PageLine, finished: PageFinished) -> None:
        if self._book is not None:
            parked = finished.evidence if finished.parked else ""
            await self._book.settle(
                line.number,
                line.url,
                version=finished.version,
                fetched=finished.fetched,
                parked=parked,
                refused=why_refused(finished.outcome, finished.evidence),
            )
        await self._unread.acquire()
        self._done.put_nowait(msgspec.structs.replace(finished, line=line.number))

    async def _all_ended(self) -> None:
        while self._running:
            await asyncio.wait(list(self._running))
