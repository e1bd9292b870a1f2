"""Web pages and docs as hearers of messages: the owner of each page, and the resources that read them.

A page's facts stand on the topic `webpages`, partitioned by page, so one member of the merger is the only one that
decides about it. As in `runtimes.messages.owner`, everything is decided message by message and by the clock reading
that the message carries: what is heard again after a crash is decided again in the same way (design law 8).
"""

import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TypeAlias

import msgspec

from pubweave.contract.codec import decode_row, encode, event_id, version_of
from pubweave.contract.erasure_requested import ErasureRequested
from pubweave.contract.exchange import Reply, Work
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.kinds import Event, kind_of
from pubweave.contract.line_standing import LineStanding
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.reply_received import ReplyReceived
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.submissions_entered import SubmissionsEntered
from pubweave.contract.values import BlobRef, Identifiers
from pubweave.contract.vocabulary import PageKind
from pubweave.contract.webpage_accepted import WebpageAccepted
from pubweave.contract.webpage_put import WebpagePut
from pubweave.contract.webpage_read import WebpageRead
from pubweave.contract.webpage_removed import WebpageRemoved
from pubweave.core.merging.webpage_fold import (
    Folded,
    WebpageFact,
    accept,
    fold,
    need_of,
    page_key,
    why_refused,
)
from pubweave.core.reading.rules import RuleBook
from pubweave.core.toolkit.service import Context
from pubweave.core.toolkit.webpage_asking import WebpageService, first_work
from pubweave.core.webpage_record import encode_webpage
from pubweave.ports import Blobs, Clock, Row, Store, StoredRecord, StoredSubmission
from pubweave.runtimes.contents import INLINE_LIMIT, as_bytes
from pubweave.runtimes.messages.delays import delayed
from pubweave.runtimes.messages.effects import AT_DEADLINE, Effects
from pubweave.runtimes.messages.ending import blank_lines
from pubweave.runtimes.messages.resources import DOOR_WAITS_MS, put_blob
from pubweave.runtimes.steps import Here, Steps

_log = logging.getLogger(__name__)

KEPT = 5_000
"""Pages in memory; the others are loaded from the Store when something is heard of them."""


def key_of(requested: FetchRequested) -> str:
    """What the facts of a submitted page are kept under; "" for a publication."""
    match requested.entry:
        case "publication":
            return ""
        case entry:
            return page_key(entry, requested.url)


class Webpage:
    """A page's rows, indexed. Only `add` changes it; rows in any order give the same."""

    def __init__(self, key: str) -> None:
        self.key = key
        word, _, self.url = key.partition(" ")
        self.entry: PageKind = "doc" if word == "doc" else "webpage"
        self.lines: dict[str, FetchRequested] = {}
        self.settled: set[str] = set()
        self.withheld: set[str] = set()
        self.chances: set[str] = set()
        """Lines that have had their second chance."""
        self.heard: set[str] = set()
        self._facts: dict[tuple[type[WebpageFact], int, int], WebpageFact] = {}

    def add(self, row: Event) -> bool:
        """Take a row in; False if it was there already or comes too late to count."""
        name = event_id(row)
        if name in self.heard:
            return False
        match row:
            case SubmissionsEntered():
                for line in row.lines:
                    self.lines.setdefault(line.submission, line)
                    if line.second_chance:
                        self.chances.add(line.submission)
            case SubmissionSettled():
                if f"{row.job}.{row.line:09d}" in self.settled:
                    return False
                self.settled.add(f"{row.job}.{row.line:09d}")
            case LineStanding():
                self.withheld.add(f"{row.job}.{row.line:09d}")
            case WebpageAccepted() | WebpageRead() | WebpagePut() | WebpageRemoved():
                run = row.run if isinstance(row, WebpageAccepted | WebpageRead) else 0
                if (type(row), row.epoch, run) in self._facts:
                    return False  # asked twice around a crash: the first answer counts
                self._facts[type(row), row.epoch, run] = row
            case _:
                return False
        self.heard.add(name)
        return True

    def folded(self) -> Folded:
        return fold(self._facts.values())

    def was_accepted(self, read: WebpageRead) -> bool:
        """Somebody wanted this answer."""
        return (WebpageAccepted, read.epoch, read.run) in self._facts

    def under_way(self) -> WebpageAccepted | None:
        """The run that has no answer yet."""
        for (kind, epoch, run), fact in self._facts.items():
            if kind is WebpageAccepted and (WebpageRead, epoch, run) not in self._facts:
                assert isinstance(fact, WebpageAccepted)
                if (epoch, run) == self.folded()[1:3]:
                    return fact
        return None

    def waiting(self) -> list[FetchRequested]:
        """Lines without an outcome that are not withheld either, in order of submission."""
        return [
            self.lines[name]
            for name in sorted(self.lines)
            if name not in self.settled and (name not in self.withheld or name in self.chances)
        ]


LoadingPages: TypeAlias = Callable[[str], Awaitable[Webpage]]
"""Gives the page with this key as it is stored; empty for one that is new."""


class WebpageOwner:
    """Pages of the partitions that one merger owns."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        *,
        second_chance: bool,
        kept: int = KEPT,
        blobs: Blobs | None = None,
        load: LoadingPages | None = None,
    ) -> None:
        """
        :param blobs: where long contents lie, which erasing takes away
        :param load: in place of what rows alone say
        """
        self._store = store
        self._loading = load if load is not None else partial(loaded, store)
        self._blobs = blobs
        self._clock = clock
        self._second_chance = second_chance
        self._kept = kept
        self._pages: OrderedDict[str, Webpage] = OrderedDict()

    def forget(self) -> None:
        self._pages.clear()

    def rest(self) -> None:
        """Let those go that nobody waits for; their rows must be durable."""
        for key in [key for key, page in self._pages.items() if not page.waiting()]:
            del self._pages[key]

    def trim(self) -> None:
        """Let the longest untouched ones go; their rows must be durable."""
        while len(self._pages) > self._kept:
            self._pages.popitem(last=False)

    async def hear(self, event: Event, effects: Effects) -> None:
        """One message about one page."""
        match event:
            case SubmissionsEntered():
                page = await self._load(event.publication)
                if self._add(page, event, effects):
                    self._entered(page, event, effects)
            case WebpageRead():
                page = await self._load(event.publication)
                if not page.was_accepted(event):
                    effects.bury(event)  # it was erased meanwhile
                elif self._add(page, event, effects):
                    self._read(page, event, effects)
            case ErasureRequested():
                await self._erase(await self._load(event.publication), event, effects)
            case WebpagePut() | WebpageRemoved():
                page = await self._load(event.publication)
                if self._add(page, event, effects):
                    self._materialise(page, effects)
            case _:
                pass  # facts that this owner said itself

    async def _load(self, key: str) -> Webpage:
        page = self._pages.get(key)
        if page is None:
            page = self._pages[key] = await self._loading(key)
        self._pages.move_to_end(key)
        return page

    def _add(self, page: Webpage, row: Event, effects: Effects) -> bool:
        if not page.add(row):
            return False
        effects.keep(page.key, row)
        return True

    def _decide(self, page: Webpage, row: Event, effects: Effects) -> bool:
        """A row that is a fact for others as well."""
        if not self._add(page, row, effects):
            return False
        effects.say(row)
        return True

    def _entered(self, page: Webpage, entered: SubmissionsEntered, effects: Effects) -> None:
        for line in entered.lines:
            if line.submission in page.settled:
                continue
            if entered.park:
                self._settle(page, line, effects, fetched=True, parked=entered.park)
            elif page.under_way() is None:
                self._begin(page, line, entered, effects)

    def _begin(
        self, page: Webpage, line: FetchRequested, entered: SubmissionsEntered, effects: Effects
    ) -> None:
        """A run if can-fetch lets it; else the line ends with what is there (F-CAN-04: one clock reading)."""
        if not line.second_chance and 0 < line.deadline_at <= entered.entered_at:
            self._settle(page, line, effects, fetched=False, parked=AT_DEADLINE)
            return
        run = accept(
            page.folded(),
            page.entry,
            page.url,
            line.settings,
            line.cooldowns,
            entered.entered_at,
            fresh=line.fresh and not line.second_chance,
            correlation_id=line.correlation_id,
            gone=next(iter(entered.gone), ""),
        )
        if run is None:
            self._settle(page, line, effects, fetched=line.second_chance)
            return
        self._decide(page, run, effects)
        effects.say(msgspec.structs.replace(need_of(run, line.deadline_at), lane=line.lane))

    async def take_up(self, key: str, line: FetchRequested, now_ms: int, effects: Effects) -> None:
        """Go on with a stored line that has no outcome, in a process that has heard nothing of it yet."""
        page = await self._load(key)
        record = page.folded().record
        if page.under_way() is not None:
            return
        if record is not None and record.fetch_exception and self._second_chance:
            self._withhold(page, line, effects)
        else:
            self._begin(
                page, line, SubmissionsEntered(publication=key, lines=(line,), entered_at=now_ms), effects
            )

    def _read(self, page: Webpage, read: WebpageRead, effects: Effects) -> None:
        self._materialise(page, effects)
        for line in page.waiting():
            if self._second_chance and read.fetch_exception and line.submission not in page.chances:
                self._withhold(page, line, effects)
            else:
                self._settle(page, line, effects, fetched=True)

    def _withhold(self, page: Webpage, line: FetchRequested, effects: Effects) -> None:
        """F-CAN-09: it is fetched once more when all other lines of its job have outcomes."""
        standing = LineStanding(
            job=line.job, line=line.line, publication=page.key, said="withheld", requested=line
        )
        self._decide(page, standing, effects)

    async def _erase(self, page: Webpage, request: ErasureRequested, effects: Effects) -> None:
        """As `ending.Ending` does it for publications; but the page can be fetched anew under its key."""
        stored = await self._store.rows(page.key)
        if not page.heard <= {row.id for row in stored}:
            # Only when all that was decided before is durable are its rows all that there is.
            effects.say(msgspec.structs.replace(request, look=request.look + 1))
            return
        for name in sorted(page.lines.keys() - page.settled):
            line = page.lines[name]
            effects.say(LineStanding(job=line.job, line=line.line, publication=page.key, said="settled"))
        rows = [event for row in stored if (event := _event(row)) is not None]
        effects.bury(request)
        for row in rows:
            if not isinstance(row, SubmissionSettled):  # what is said in its place has the same key
                effects.bury(row)
        for blank in blank_lines(rows, self._clock.now_ms(), effects, unsettled="parked"):
            effects.then.append(partial(self._store.put_submission, blank))
        # Before the rows of what is heard next: the page begins anew with it.
        effects.then.append(partial(self._wipe, page, request.contents))
        self._pages[page.key] = Webpage(page.key)

    async def _wipe(self, page: Webpage, contents: Sequence[str]) -> None:
        if self._blobs is not None:
            for digest in contents:
                await self._blobs.delete(digest)
        await self._store.drop_record(page.url, page.entry)
        await self._store.drop_rows(page.key)

    def _materialise(self, page: Webpage, effects: Effects) -> None:
        stored = stored_of(page.url, page.folded())
        effects.then.append(lambda: self._store.put_record(stored, page.entry))

    def _settle(
        self, page: Webpage, line: FetchRequested, effects: Effects, *, fetched: bool, parked: str = ""
    ) -> None:
        folded = page.folded()
        last = folded.record
        refused = why_refused(last.outcome, last.evidence) if last is not None else ""
        event = SubmissionSettled(
            job=line.job,
            line=line.line,
            identifiers=Identifiers(),
            outcome="parked" if parked else "refused" if refused else "finished",
            publication=page.key,
            version=folded.version,
            reason=parked or refused,
            fetched=fetched,
            correlation_id=line.correlation_id,
            idempotency_key=line.idempotency_key,
            settled_at=self._clock.now_ms(),
        )
        if not self._decide(page, event, effects):
            return
        effects.settle(event, None)
        effects.say(LineStanding(job=line.job, line=line.line, publication=page.key, said="settled"))
        stored = StoredSubmission(line.job, line.line, encode(line), page.key, encode(event), event.outcome)
        effects.then.append(lambda: self._store.put_submission(stored))


def stored_of(url: str, folded: Folded) -> StoredRecord:
    """The page as it is stored under its start address; a tombstone where it was removed."""
    body = encode_webpage(folded.record) if folded.record is not None else b""
    return StoredRecord(
        url, folded.version, body, folded.reason, folded.changed_at, removed=folded.record is None
    )


class PageRebuilder:
    """Makes rows and records of pages anew from the facts of the log, in any order; safe to repeat."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._keys: dict[str, None] = {}

    async def take(self, event: Event) -> None:
        """One event of the topic `webpages`; only facts of pages count."""
        if isinstance(event, ErasureRequested):
            # What the log still has from before counts no more; what came afterwards is read afterwards.
            page = Webpage(event.publication)
            await self._store.drop_rows(page.key)
            await self._store.drop_record(page.url, page.entry)
            self._keys.pop(page.key, None)
        if isinstance(event, WebpageAccepted | WebpageRead | WebpagePut | WebpageRemoved):
            self._keys[event.publication] = None
            await self._store.add_rows(event.publication, [_row(event)])

    async def finish(self) -> int:
        """Write the records.

        :returns: how many pages there are
        """
        for key in self._keys:
            page = await loaded(self._store, key)
            await self._store.put_record(stored_of(page.url, page.folded()), page.entry)
        return len(self._keys)


def _row(event: Event) -> Row:
    return Row(event_id(event), b"%b %d %b" % (kind_of(event).encode(), version_of(event), encode(event)))


def _event(row: Row) -> Event | None:
    kind, version, body = row.body.split(b" ", 2)
    return decode_row(kind.decode(), int(version), body)


async def loaded(store: Store, key: str) -> Webpage:
    """The page from its rows; empty for one that is new."""
    page = Webpage(key)
    for row in await store.rows(key):
        event = _event(row)
        if event is not None:
            page.add(event)
    return page


def without_long_content(read: WebpageRead, put: Callable[[bytes], BlobRef]) -> WebpageRead:
    """What was read with its long content among the blobs.

    :param put: stores a content before anything that names it is said
    """
    if len(read.content) <= INLINE_LIMIT:
        return read
    blob = put(as_bytes(read.content))
    return msgspec.structs.replace(read, content="", blob=blob, blob_size=len(read.content))


class PageResource:
    """One member of the group of `webpages` or `docs`."""

    def __init__(
        self,
        service: WebpageService,
        context: Context,
        blobs: Blobs,
        clock: Clock,
        steps: Steps | None = None,
    ) -> None:
        """:param steps: where pages are read; None: here, at once"""
        self.service = service
        self._steps = steps or Here()
        self._context = context
        self._blobs = blobs
        self._clock = clock

    def use_rules(self, rules: RuleBook | None) -> None:
        """Other rules from the next message on."""
        self._context = msgspec.structs.replace(self._context, rules=rules)

    async def hear(self, topic: str, event: Event, effects: Effects) -> None:
        """See `Hearer`."""
        if isinstance(event, NeedsPart):
            await self._step(first_work(event), None, effects)
            return
        assert isinstance(event, ReplyReceived)
        reply = event.reply
        if reply.blob is not None:
            try:
                body = await self._blobs.get(reply.blob.digest)
            except KeyError:  # lost with its store, before it was read: asked anew
                await self._step(first_work(event.work.needs[0]), None, effects)
                return
            reply = msgspec.structs.replace(reply, body=body, blob=None)
        if not reply.fetched_at:
            reply = msgspec.structs.replace(reply, fetched_at=self._clock.now_ms())
        await self._step(event.work, reply, effects)

    async def end_of_batch(self, effects: Effects) -> None:
        """Nothing was put off."""

    def durable(self) -> None:
        """Nothing is kept."""

    def forget(self) -> None:
        """Nothing is kept."""

    async def _step(self, work: Work, reply: Reply | None, effects: Effects) -> None:
        now_ms = self._clock.now_ms()
        for one in await self._steps.page_said(self.service, work, reply, self._context, now_ms):
            if isinstance(one, WebpageRead):
                effects.say(
                    without_long_content(one, lambda content: put_blob(self._blobs, content, effects))
                )
            elif one.delay_ms > DOOR_WAITS_MS:
                at_once = msgspec.structs.replace(one, delay_ms=0)
                effects.say(delayed(at_once, self._clock.now_ms() + one.delay_ms))
            else:
                effects.say(one)
