"""What follows from hearing messages, delivered in one process: facts to the log, rows and records to the store, and
messages between the services of the merger straight to whoever hears them.

Everything that follows from one thing heard, however many messages that takes, is done before the next is heard, inside
one `store.batch()` of the caller. So what a message between services says need not outlive the process, and is neither
written nor encoded. What is to be asked of the outside, and told to whoever waits, comes back in `RoundOutputs`.
"""

import asyncio
import secrets
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Final, get_args

import msgspec

from pubweave.contract.codec import version_of
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.identifier_asked import IdentifierAsked
from pubweave.contract.identifiers_conflicted import IdentifiersConflicted
from pubweave.contract.kinds import Event, kind_of, subject_of
from pubweave.contract.line_standing import LineStanding
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.new_id import NewId
from pubweave.contract.part_candidate import PartCandidate
from pubweave.contract.publication_removed import PublicationRemoved
from pubweave.contract.publication_updated import PublicationUpdated
from pubweave.contract.put_requested import PutRequested
from pubweave.contract.removal_requested import RemovalRequested
from pubweave.contract.resource_done import ResourceDone
from pubweave.contract.restarted import Restarted
from pubweave.contract.routing import is_page_key, topic_for
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.submissions_entered import SubmissionsEntered
from pubweave.contract.values import BlobRef, Identifiers, Note
from pubweave.contract.webpage_put import WebpagePut
from pubweave.contract.webpage_read import WebpageRead
from pubweave.contract.webpage_removed import WebpageRemoved
from pubweave.core.judging import Refusal, judged_request
from pubweave.core.merging.decide import Abilities
from pubweave.core.merging.state import Found, StateRow
from pubweave.core.merging.webpage_fold import RESOURCES, WebpageFact, need_of
from pubweave.core.record import Record, encode_record
from pubweave.materialiser.handler import Materialiser
from pubweave.ports import Blobs, Clock, Entry, Log, Store
from pubweave.runtimes.contents import claim_checked, without_long_texts
from pubweave.runtimes.messages.effects import AT_DEADLINE, Effects
from pubweave.runtimes.messages.merger import Merger
from pubweave.runtimes.messages.publication import Publication, PublicationRow, SentOn, named_once, read_row
from pubweave.runtimes.messages.putting import planned
from pubweave.runtimes.messages.resources import put_blob
from pubweave.runtimes.messages.webpages import Webpage, loaded, without_long_content
from pubweave.runtimes.rows import read_as

_RECORDS: Final = (PublicationUpdated, PublicationRemoved)

_FACTS: Final = frozenset((*get_args(StateRow), RemovalRequested, *_RECORDS))
"""Rows that the log has under the key of their publication."""


class Settled(msgspec.Struct, frozen=True):
    """A line of a job has its outcome."""

    event: SubmissionSettled
    record: Record | None


class RoundOutputs:
    """What one round wants done, once its batch is durable."""

    __slots__ = ("conflicts", "needs", "notes", "settled", "superseded", "withheld")

    def __init__(self) -> None:
        self.needs: list[NeedsPart] = []
        self.superseded: set[str] = set()
        """Needs that nobody waits for any more; drop them if they have not been asked."""
        self.settled: list[Settled] = []
        self.withheld: list[LineStanding] = []
        """Lines that get their second chance when all others of their job have outcomes (F-CAN-09)."""
        self.conflicts: list[IdentifiersConflicted] = []
        self.notes: list[Note] = []
        """Lines for the log (warnings that begin `Old ID`, F-ID-40)."""


class Delivery(Effects):
    """The services of the merger in one process. Publications under way are in memory; others are loaded on demand."""

    def __init__(
        self,
        store: Store,
        log: Log,
        blobs: Blobs,
        clock: Clock,
        abilities: Abilities,
        *,
        second_chance: bool = True,
    ) -> None:
        super().__init__()
        self._store = store
        self._in_log = store.rows_in_log
        self._log = log
        self._blobs = blobs
        self._clock = clock
        self._merger = Merger(
            store,
            clock,
            abilities,
            second_chance=second_chance,
            in_flight=0,
            blobs=blobs,
            load=self._load,
            load_page=self._load_page,
        )
        self._materialiser = Materialiser(store)
        self._queue: deque[Event] = deque()
        """Said and not heard yet; empty between two things heard."""
        self._entering: set[str] = set()
        """Lines in the queue."""
        self._new = ""
        """The line that is taken in: there is no publication under its name."""
        self._entries: dict[str, list[Entry]] = {}
        self._needs: dict[tuple[str, str], int] = {}
        self._out = RoundOutputs()
        self._handed_out: set[str] = set()
        """Needs that were given out by this process and have no outcome yet: several lines may wait for one
        publication, and each is taken up after a crash, but its needs are asked once."""

    @property
    def under_way(self) -> int:
        """How many publications are in memory."""
        return self._merger.owner.under_way

    # --- what is heard

    async def submit(self, requested: FetchRequested) -> None:
        """Take a line of a job in."""
        if await self._store.submission(requested.job, requested.line) is not None:
            return
        if requested.entry == "publication":
            judgement = judged_request(requested)
            if isinstance(judgement, Refusal):
                kept = judgement.line or FetchRequested(job=requested.job, line=requested.line)
                self._write(kept.submission, kept)
                await self._merger.refuse(judgement._replace(line=kept), self)
                await self._delivered()
                return
            requested = judgement
        self._write(requested.submission, requested)
        self._new = requested.submission
        await self._hear(requested)
        self._new = ""

    async def resume(self, requested: FetchRequested, publication: str) -> None:
        """Go on with a stored line after a restart, if it has no outcome."""
        if await self._is_settled(requested):
            return
        if not publication:
            await self._hear(requested)
            return
        key, now_ms = await self._store.resolve(publication), self._clock.now_ms()
        owner = self._merger.pages if is_page_key(key) else self._merger.owner
        await owner.take_up(key, requested, now_ms, self)
        await self._delivered()

    async def hear(self, said: Sequence[Found | ResourceDone]) -> None:
        """Take findings and outcomes in; each publication concerned goes on."""
        for finding in said:
            if isinstance(finding, PartCandidate):
                finding = claim_checked(finding, self._put_blob)
            await self._merger.owner.hear(finding, self)
            if isinstance(finding, ResourceDone):
                await self._delivered()
                # A batch answers for hundreds; whatever else this process does is not to wait for all of them.
                await asyncio.sleep(0)
        await self._delivered()

    async def hear_of_page(self, fact: WebpageRead | WebpagePut | WebpageRemoved) -> None:
        """What was read of a page, or what a person wants of it."""
        if isinstance(fact, WebpageRead):
            fact = without_long_content(fact, self._put_blob)
        await self._hear(fact)

    async def second_chance(self, requested: FetchRequested, publication: str) -> None:
        """F-CAN-09: fetch an entry with fetchException once more, or settle the line as it stands."""
        if not await self._is_settled(requested):
            chance = msgspec.structs.replace(requested, second_chance=True)
            await self._enter(publication, chance)

    async def park(self, requested: FetchRequested, publication: str, reason: str = AT_DEADLINE) -> None:
        """A line is settled unfinished; its needs that nobody else waits for are cancelled. One that has its
        outcome meanwhile keeps it."""
        if not await self._is_settled(requested):
            await self._enter(publication, requested, reason)

    async def put(self, record: Record, key: str) -> str:
        """Put a whole record in place (F-DB-11…13); its long texts may be in its parts.

        :param key: the key that a new publication gets
        :returns: the key that it is stored under
        """
        putting, known = await planned(self._store, record)
        self.notes += [Note("warning", sentence) for sentence in putting.sentences]
        key = known or key
        for ended in putting.ended:
            await self.remove(ended, f"is the same publication as {key}")
            await self._store.redirect(ended, key)
        stored = await without_long_texts(
            msgspec.structs.replace(putting.record, publication=key), self._blobs
        )
        await self._hear(
            PutRequested(
                publication=key,
                request=secrets.token_hex(8),
                record=msgspec.Raw(encode_record(stored)),
                requested_at=self._clock.now_ms(),
            )
        )
        return key

    async def remove(self, publication: str, reason: str = "removed") -> bool:
        """Take a record out and leave a tombstone; its identifiers lead nowhere any more (F-DB-14).

        :returns: False if there was no record
        """
        key = await self._store.resolve(publication)
        stored = await self._store.record(key)
        if stored is None or stored.removed:
            return False
        now_ms = self._clock.now_ms()
        await self._hear(
            RemovalRequested(
                publication=key, request=secrets.token_hex(8), reason=reason, requested_at=now_ms
            )
        )
        return True

    async def flush(self) -> RoundOutputs:
        """Write everything of this round and give what is to be done; call inside `store.batch()`."""
        for publication, rows in self.rows.items():
            await self._store.add_rows(publication, rows)
        self.rows = {}
        for topic, entries in self._entries.items():
            await self._log.append(topic, entries)
        self._entries = {}
        if self._needs:
            await self._store.count_needs(self._needs)
            self._needs = {}
        self._merger.rest()  # their rows are stored; whoever needs them again loads them
        out, self._out = self._out, RoundOutputs()
        out.notes, self.notes = self.notes, []
        return out

    async def _is_settled(self, requested: FetchRequested) -> bool:
        stored = await self._store.submission(requested.job, requested.line)
        return stored is not None and bool(stored.settled)

    async def _enter(self, publication: str, line: FetchRequested, park: str = "") -> None:
        key = await self._store.resolve(publication)
        self.say(
            SubmissionsEntered(publication=key, lines=(line,), park=park, entered_at=self._clock.now_ms())
        )
        await self._delivered()

    # --- delivering

    async def _hear(self, event: Event) -> None:
        self._queue.append(event)
        await self._delivered()

    async def _delivered(self) -> None:
        """Nothing that was said is left to be heard, and nothing left to be written but the log."""
        await self._written()
        while self._queue:
            event = self._queue.popleft()
            hearer = self._materialiser if isinstance(event, _RECORDS) else self._merger
            await hearer.hear(topic_for(event), event, self)
            if isinstance(event, SubmissionsEntered):
                self._entering.difference_update(line.submission for line in event.lines)
            await self._written()

    async def _written(self) -> None:
        while self.first or self.then_of or self.then or self.last:
            writes = [
                *self.first,
                *(one for of in self.then_of.values() for one in of),
                *self.then,
                *self.last,
            ]
            self.first, self.then_of, self.then, self.last = [], {}, [], []
            for write in writes:
                await write()

    async def _load(self, key: str) -> Publication:
        """A publication from its rows and from what the tables say of it, with what was on its way to it when a process
        ended on its way again."""
        publication = Publication(key)
        if key == self._new:
            return publication
        for row in await self._store.rows(key):
            publication.add(read_row(row))
        for stored in await self._store.submissions_of(key):
            line = read_as(FetchRequested, stored.body)
            if line.submission not in self._entering:
                publication.lines[line.submission] = line
                publication.sent_on.pop(line.submission, None)  # it leads here
        record = await self._store.record(key)
        if record is not None and record.removed:
            publication.add(
                PublicationRemoved(key, record.version, Identifiers(), record.reason, record.updated_at)
            )
        elif record is not None:
            publication.add(
                PublicationUpdated(
                    publication=key,
                    version=record.version,
                    reason=record.reason,
                    record=msgspec.Raw(record.body),
                    updated_at=record.updated_at,
                )
            )
        state = publication.state
        if not state.survivor:
            self._queue += [claim for claim in state.claims.values() if claim.said == "claimed"]
            self._hand_out(need for need in state.sent.values() if not state.has_outcome(need.need))
        return publication

    async def _load_page(self, key: str) -> Webpage:
        """As `_load`, for a web page or doc."""
        page = await loaded(self._store, key)
        for stored in await self._store.submissions_of(key):
            line = read_as(FetchRequested, stored.body)
            if line.submission not in self._entering:
                page.lines[line.submission] = line
        run = page.under_way()
        if run is not None:
            self._hand_out((need_of(run),))
        return page

    # --- what follows (`Effects`)

    def say(self, event: Event) -> None:
        """What another service hears is passed on; what is a fact and no row goes to the log."""
        match event:
            case NewId() | PublicationUpdated() | PublicationRemoved():
                self._queue.append(event)
            case NeedsPart():
                if not is_page_key(event.publication):
                    self._count(event.resource, "")
                self._hand_out((event,))
            case SubmissionsEntered():
                self._queue.append(event)
                self._entering.update(line.submission for line in event.lines)
            case IdentifierAsked() | PutRequested() | RemovalRequested():
                self._queue.append(event)
            case ResourceDone():
                self._out.superseded.add(event.need)
            case LineStanding(said="withheld"):
                self._out.withheld.append(event)
            case IdentifiersConflicted():
                self._write(event.value, event)
                self._out.conflicts.append(event)
            case Restarted():
                self._write(event.publication, event)
            case _:
                pass

    def keep(self, key: str, row: PublicationRow) -> None:
        """A row that is a fact stands in the log; one that only its publication reads, in the store. What is only kept
        so that it is heard once need not be: nothing is heard again."""
        if isinstance(row, ResourceDone):
            self._handed_out.discard(row.need)
            self._count(row.resource, row.outcome)
        if type(row) in _FACTS:
            self._write(key, row)  # type: ignore[arg-type]
            if not self._in_log and not isinstance(row, _RECORDS):
                super().keep(key, row)
        elif isinstance(row, WebpageFact):
            if isinstance(row, WebpageRead):
                # Asked and answered are counted together: a run that is left at a deadline is asked again.
                self._handed_out.discard(row.need)
                self._count(RESOURCES[row.entry], "")
                self._count(RESOURCES[row.entry], row.outcome)
            self._write(key, row)
            super().keep(key, row)
        elif isinstance(row, SentOn):
            super().keep(key, row)

    def settle(self, settled: SubmissionSettled, record: Record | None) -> None:
        """See `Effects.settle`."""
        self._write(subject_of(settled), settled)
        self._out.settled.append(Settled(settled, record))

    def bury(self, event: Event) -> None:
        """A log in a file keeps everything until it is erased."""

    def _hand_out(self, needs: Iterable[NeedsPart]) -> None:
        for need in needs:
            if need.need not in self._handed_out:
                self._handed_out.add(need.need)
                self._out.needs.append(need)

    def _put_blob(self, content: bytes) -> BlobRef:
        return put_blob(self._blobs, content, self)

    def _write(self, key: str, event: Event) -> None:
        name, body = named_once(event)
        entry = Entry(key, name, kind_of(event), version_of(event), body)
        self._entries.setdefault(topic_for(event), []).append(entry)

    def _count(self, resource: str, outcome: str) -> None:
        self._needs[resource, outcome] = self._needs.get((resource, outcome), 0) + 1
