"""The merger driven over a store: loads states, adds rows, answers claims, writes what follows.

Single-threaded: one call at a time, inside one `store.batch()` of the caller. Nothing here asks the
outside; what is to be asked comes back in `Outputs`.
"""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

import msgspec

from pubweave.contract.codec import decode, decode_row, encode, named, version_of
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.identifiers_conflicted import IdentifiersConflicted
from pubweave.contract.kinds import KINDS, Event, kind_of
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.new_id import NewId
from pubweave.contract.part_candidate import PartCandidate
from pubweave.contract.publication_put import PublicationPut
from pubweave.contract.publication_removed import PublicationRemoved
from pubweave.contract.publication_updated import PublicationUpdated
from pubweave.contract.resource_done import ResourceDone
from pubweave.contract.routing import topic_for
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.values import Value
from pubweave.contract.vocabulary import IdentifierKind, NeedOutcome
from pubweave.core.decide import Abilities, Walked, record_of, walk
from pubweave.core.identity import Party, judge, strays
from pubweave.core.judging import Refusal, judged_request
from pubweave.core.putting import plan_put
from pubweave.core.record import Record, decode_record, encode_record
from pubweave.core.state import ROW_KINDS, Found, PublicationState, StateRow
from pubweave.merger.handler import (
    advance,
    answer_claim,
    hear_request,
    join_into,
    join_runs,
    led_astray,
    parked_because,
    reason_of_change,
    send,
    settle,
    unanswered,
    with_primary,
)
from pubweave.ports import Blobs, Clock, Entry, Log, Row, Store, StoredRecord, StoredSubmission
from pubweave.runtimes.lost import gone_of_publication

INLINE_LIMIT: Final = 4096
"""Texts longer than this many characters go to the blobs; rows hold their digest (design law 1)."""

ALONE: Final = ".alone"
"""Behind the name of a line: the key of the publication that it opens a second time, without the other lines. It
sorts where the line's own name does."""

AT_DEADLINE: Final = "not finished at its deadline"

_E = TypeVar("_E", bound=Value)


class Settled(msgspec.Struct, frozen=True):
    """A line of a job has its outcome."""

    event: SubmissionSettled
    record: Record | None


class Outputs:
    """What one round of the merger wants done, once its batch is durable."""

    __slots__ = ("conflicts", "needs", "notes", "settled", "superseded")

    def __init__(self) -> None:
        self.needs: list[NeedsPart] = []
        self.superseded: set[str] = set()
        """Needs that nobody waits for any more; drop them if they have not been asked."""
        self.settled: list[Settled] = []
        self.conflicts: list[IdentifiersConflicted] = []
        self.notes: list[str] = []
        """Sentences for the log (warnings that begin `Old ID`, F-ID-40)."""


class _Active:
    __slots__ = ("state", "waiting")

    def __init__(self, state: PublicationState) -> None:
        self.state = state
        self.waiting: list[FetchRequested] = []


class Engine:
    """The merger of one process. Publications under way are in memory; finished ones are loaded on demand."""

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
        self._store = store
        self._log = log
        self._blobs = blobs
        self._clock = clock
        self._abilities = abilities
        self._second_chance = second_chance
        self._active: dict[str, _Active] = {}
        """Nothing leaves it before the end of a round: until then its last rows are not where they could be loaded
        from."""
        self._rows: dict[str, list[Row]] = {}
        self._entries: dict[str, list[Entry]] = {}
        self._needs: dict[tuple[str, str], int] = {}
        self._out = Outputs()
        self._handed_out: set[str] = set()
        """Needs that were given out by this process and have no outcome yet: several lines may wait for one
        publication, and each is taken up after a crash, but its needs are asked once."""
        self._chances: set[str] = set()
        """Lines that have got their second chance (F-CAN-09) and are not settled yet."""
        self._awaited: dict[str, dict[str, None]] = {}
        """Publications that do not know yet who they are, and who waits for them to know (core.identity)."""

    @property
    def under_way(self) -> int:
        """How many publications are in memory."""
        return len(self._active)

    # --- what is heard

    async def submit(self, requested: FetchRequested, *, again: bool = False) -> None:
        """Take a line of a job in; `again` when it is stored already and goes on after a crash."""
        if not again:
            if await self._store.submission(requested.job, requested.line) is not None:
                return
            judgement = judged_request(requested)
            if isinstance(judgement, Refusal):
                await self._refuse(requested, judgement)
                return
            requested = judgement
            self._write(requested.submission, requested)
        holders = await self._store.holders(requested.identifiers.known())
        keys = [await self._store.resolve(holder) for holder in holders.values()]
        key = min(keys) if keys else requested.submission
        await self._attach(requested, key)
        active = await self._load(key)
        active.waiting.append(requested)
        now = self._clock.now_ms()
        gone = await gone_of_publication(self._store, self._blobs, key) if keys else ()
        heard = hear_request(active.state, requested, now, self._abilities, gone)
        if heard.fetched and not again and 0 < requested.deadline_at <= now:
            await self.park(requested, key, AT_DEADLINE)
            return
        if heard.accepted is not None:
            self._add(active, heard.accepted)
        if heard.fetched:
            await self._advance(active)
        else:
            await self._settle_with_what_is_there(active, requested)

    async def _refuse(self, requested: FetchRequested, refusal: Refusal) -> None:
        """A line that is not acted on: of what it said, only what is an identifier is kept."""
        kept = refusal.line or FetchRequested(job=requested.job, line=requested.line)
        event = SubmissionSettled(
            job=kept.job,
            line=kept.line,
            identifiers=kept.identifiers,
            outcome="refused",
            reason=refusal.reason,
            fetched=False,
            correlation_id=kept.correlation_id,
            idempotency_key=kept.idempotency_key,
            settled_at=self._clock.now_ms(),
        )
        entry = StoredSubmission(kept.job, kept.line, encode(kept), "", encode(event), event.outcome)
        await self._store.put_submission(entry)
        self._write(kept.submission, kept)
        self._write(kept.submission, event)
        self._out.settled.append(Settled(event, None))

    async def resume(self, requested: FetchRequested, publication: str) -> None:
        """Go on with a stored, unsettled line after a restart."""
        if await self._is_settled(requested):
            return  # parked meanwhile
        key = await self._store.resolve(publication) if publication else ""
        if not key:
            await self.submit(requested, again=True)
            return
        active = await self._load(key)
        if all(waiting.submission != requested.submission for waiting in active.waiting):
            active.waiting.append(requested)
        if active.state.last_run is None:
            heard = hear_request(active.state, requested, self._clock.now_ms(), self._abilities)
            if heard.accepted is not None:
                self._add(active, heard.accepted)
        await self._advance(active, resumed=True)

    async def hear(self, said: Sequence[Found | ResourceDone]) -> None:
        """Take findings and outcomes in; each publication concerned goes on."""
        touched: dict[str, _Active] = {}
        for finding in said:
            active = await self._load(finding.publication)
            if isinstance(finding, PartCandidate):
                finding = await self._claim_check(finding)
            if not self._add(active, finding):
                continue  # a repeat, or too late
            touched[finding.publication] = active
            if isinstance(finding, ResourceDone):
                self._count(finding.resource, finding.outcome)
        for active in touched.values():
            await self._advance(active)
            # A batch answers for hundreds; whatever else this process does is not to wait for all of them.
            await asyncio.sleep(0)

    async def second_chance(self, requested: FetchRequested, publication: str) -> None:
        """F-CAN-09: fetch an entry with fetchException once more, or settle the line as it stands."""
        if await self._is_settled(requested):
            return
        active = await self._load(await self._store.resolve(publication))
        active.waiting.append(requested)
        self._chances.add(requested.submission)
        if len(active.state.runs_of_job(requested.job)) > 1:
            # Another line of the job has had the chance for both.
            if walk(active.state, self._abilities).finished:
                await self._settle_with_what_is_there(active, requested)
            return
        heard = hear_request(active.state, requested, self._clock.now_ms(), self._abilities)
        if heard.accepted is not None:
            self._add(active, heard.accepted)
        if heard.fetched:
            await self._advance(active)
        else:
            await self._settle_with_what_is_there(active, requested)

    async def park(self, requested: FetchRequested, publication: str, reason: str) -> None:
        """A line is settled unfinished; its needs that nobody else waits for are cancelled. One that has its
        outcome meanwhile keeps it."""
        if await self._is_settled(requested):
            return
        active = await self._load(await self._store.resolve(publication))
        active.waiting = [line for line in active.waiting if line.submission != requested.submission]
        walked = walk(active.state, self._abilities)
        await self._settle(requested, record_of(active.state, walked), 0, fetched=True, parked=reason)
        if not active.waiting:
            self._end_needs(active, "cancelled")

    async def _is_settled(self, requested: FetchRequested) -> bool:
        stored = await self._store.submission(requested.job, requested.line)
        return stored is not None and bool(stored.settled)

    async def put(self, record: Record, key: str) -> str:
        """Put a whole record in place (F-DB-11…13); its long texts may be in its parts.

        :param key: the key that a new publication gets
        :returns: the key that it is stored under
        """
        found: dict[IdentifierKind, Record] = {}
        for kind, value in record.identifiers.known():
            for holder in (await self._store.holders([(kind, value)])).values():
                stored = await self._store.record(await self._store.resolve(holder))
                if stored is not None and not stored.removed:
                    found[kind] = decode_record(stored.body)
        putting = plan_put(record, found)
        self._out.notes += putting.sentences
        for ended in putting.ended:
            await self._end_record(ended, f"is the same publication as {putting.key}")
            await self._store.redirect(ended, putting.key)
        key = putting.key or key
        active = await self._load(key)
        stored_record = await without_long_texts(
            msgspec.structs.replace(putting.record, publication=key), self._blobs
        )
        epoch = active.state.epoch + 1 if active.state.runs or active.state.puts else 1
        self._add(
            active,
            PublicationPut(
                publication=key,
                epoch=epoch,
                record=msgspec.Raw(encode_record(stored_record)),
                put_at=self._clock.now_ms(),
            ),
        )
        for holder, released in putting.released:
            await self._store.release(holder, released)
        await self._store.hold(key, stored_record.identifiers.known())
        await self._materialise(stored_record)
        return key

    async def remove(self, publication: str, reason: str = "removed") -> bool:
        """Take a record out and leave a tombstone; its identifiers lead nowhere any more (F-DB-14).

        :returns: False if there was no record
        """
        key = await self._store.resolve(publication)
        stored = await self._store.record(key)
        if stored is None or stored.removed:
            return False
        identifiers = decode_record(stored.body).identifiers
        active = await self._load(key)
        held = [(claim.id_kind, claim.value) for claim in active.state.claims.values()]
        await self._store.release(key, [*identifiers.known(), *held])
        await self._end_record(key, reason)
        return True

    async def _end_record(self, publication: str, reason: str) -> None:
        stored = await self._store.record(publication)
        if stored is None or stored.removed:
            return
        now = self._clock.now_ms()
        await self._store.put_record(
            StoredRecord(publication, stored.version + 1, b"", reason, now, removed=True)
        )
        self._write(
            publication,
            PublicationRemoved(
                publication=publication,
                version=stored.version + 1,
                identifiers=decode_record(stored.body).identifiers,
                reason=reason,
                removed_at=now,
            ),
        )

    async def flush(self) -> Outputs:
        """Write everything of this round and give what is to be done; call inside `store.batch()`."""
        for publication, rows in self._rows.items():
            await self._store.add_rows(publication, rows)
        self._rows = {}
        for topic, entries in self._entries.items():
            await self._log.append(topic, entries)
        self._entries = {}
        if self._needs:
            await self._store.count_needs(self._needs)
            self._needs = {}
        for publication in [key for key, active in self._active.items() if not active.waiting]:
            del self._active[publication]  # its rows are stored; whoever needs it again loads it
        out, self._out = self._out, Outputs()
        return out

    # --- going on

    async def _advance(self, active: _Active, *, resumed: bool = False) -> None:
        state = active.state
        if resumed:
            await self._judge_again(active)
        while True:
            if state.has_ended():
                return  # a late answer makes no record of it
            advanced = advance(state, self._abilities)
            granted = True
            for claim in advanced.claims:
                self._keep(state.publication, claim)
                granted = await self._claim(active, claim) and granted
                if state.has_ended():
                    break
            if granted:
                break
        needs = send(state, advanced.walked)
        for need in needs:
            self._keep(state.publication, need)
            self._count(need.resource, "")
        self._hand_out(needs)
        if resumed:
            self._hand_out(need for need in state.sent.values() if not state.has_outcome(need.need))
        if state.awaits_claims():
            return
        if advanced.walked.finished:
            await self._finish(active, advanced.walked)
        if state.publication in self._awaited and (
            advanced.walked.finished or advanced.walked.draft.final_identifiers().known()
        ):
            for waiting in self._awaited.pop(state.publication):
                claimant = await self._load(waiting)
                await self._judge_again(claimant)
                if not claimant.state.survivor:
                    await self._advance(claimant)

    def _hand_out(self, needs: Iterable[NeedsPart]) -> None:
        for need in needs:
            if need.need not in self._handed_out:
                self._handed_out.add(need.need)
                self._out.needs.append(need)

    async def _finish(self, active: _Active, walked: Walked) -> None:
        state = active.state
        for kind, known, other in dict.fromkeys(walked.conflicts):
            self._out.notes.append(
                f"Old ID {known} differs from the {kind} {other} found for it ({state.publication})"
            )
        for restart in walked.restarts:
            self._write(state.publication, restart)
        # Asked for, and then an identifier turned out to be another's: nobody waits for that any more.
        self._end_needs(active, "superseded")
        record = record_of(state, walked)
        followers = [line.correlation_id for line in active.waiting if line.correlation_id]
        parked = parked_because(walked)
        if parked:
            version, record = await self._as_it_stands(record)
        else:
            version, record = await self._materialise(record, tuple(dict.fromkeys(followers)))
        granted = [(claim.id_kind, claim.value) for claim in state.claims.values() if claim.said == "granted"]
        gone = strays([(kind, value) for kind, value in granted], record.identifiers)
        if gone:
            await self._store.release(
                state.publication, [(kind, value) for kind, value in granted if (kind, value) in gone]
            )
        waiting, active.waiting = active.waiting, []
        for requested in waiting:
            if led_astray(requested, state, record) and await self._begin_alone(requested):
                continue
            if (
                self._second_chance
                and record.fetch_exception
                and requested.submission not in self._chances
                and len(state.runs_of_job(requested.job)) == 1
                and not requested.settings.citations_only
            ):
                continue  # the runtime gives it its second chance when all other lines have outcomes
            await self._settle(requested, record, version, fetched=True, parked=parked)

    async def _as_it_stands(self, record: Record) -> tuple[int, Record]:
        """What is stored, or a record that is nowhere (version 0)."""
        stored = await self._store.record(record.publication)
        if stored is None or stored.removed:
            return 0, record
        return stored.version, decode_record(stored.body)

    async def _begin_alone(self, requested: FetchRequested) -> bool:
        """A line whose identifiers were all replaced because of what other lines said becomes a publication of its
        own; False if it has been one already, and is the same as this one all the same."""
        key = f"{requested.submission}{ALONE}"
        if await self._store.resolve(key) != key or await self._store.rows(key):
            return False
        await self._attach(requested, key)
        active = await self._load(key)
        active.waiting.append(requested)
        heard = hear_request(active.state, requested, self._clock.now_ms(), self._abilities)
        if heard.accepted is not None:
            self._add(active, heard.accepted)
        await self._advance(active)
        return True

    async def _materialise(self, record: Record, correlation_ids: tuple[str, ...] = ()) -> tuple[int, Record]:
        previous = await self._store.record(record.publication)
        before = decode_record(previous.body) if previous is not None and not previous.removed else None
        record = with_primary(record, before)
        body = encode_record(record)
        if previous is not None and previous.body == body:
            return previous.version, record
        version = previous.version + 1 if previous is not None else 1
        reason = reason_of_change(before, record)
        now = self._clock.now_ms()
        await self._store.put_record(StoredRecord(record.publication, version, body, reason, now))
        self._write(
            record.publication,
            PublicationUpdated(
                publication=record.publication,
                version=version,
                reason=reason,
                record=msgspec.Raw(body),
                updated_at=now,
                correlation_ids=correlation_ids,
            ),
        )
        return version, record

    async def _settle_with_what_is_there(self, active: _Active, requested: FetchRequested) -> None:
        active.waiting = [line for line in active.waiting if line.submission != requested.submission]
        stored = await self._store.record(active.state.publication)
        if stored is None or stored.removed:
            walked = walk(active.state, self._abilities)
            await self._finish(active, walked)
            stored = await self._store.record(active.state.publication)
        if stored is not None:
            await self._settle(requested, decode_record(stored.body), stored.version, fetched=False)

    async def _settle(
        self, requested: FetchRequested, record: Record, version: int, *, fetched: bool, parked: str = ""
    ) -> None:
        self._chances.discard(requested.submission)
        event = settle(requested, record, version, self._clock.now_ms(), fetched=fetched, parked=parked)
        await self._store.put_submission(
            StoredSubmission(
                requested.job,
                requested.line,
                encode(requested),
                record.publication,
                encode(event),
                event.outcome,
            )
        )
        self._write(requested.submission, event)
        self._out.settled.append(Settled(event, record))

    # --- who is who

    async def _claim(self, active: _Active, claim: NewId) -> bool:
        """Answer a claim; True if it was granted and nothing else came of it."""
        state = active.state
        identifier = (claim.id_kind, claim.value)
        holders = await self._store.holders([identifier])
        held_by = holders.get(identifier, "")
        holder = await self._store.resolve(held_by) if held_by else ""
        if not holder or holder == state.publication:
            await self._grant(active, claim)
            return True
        other = await self._load(holder)
        theirs = await self._party(other)
        match judge(Party(state.publication, claim.final), theirs):
            case "wait":
                self._awaited.setdefault(holder, {})[state.publication] = None
            case "claimant-joins":
                self._add(active, answer_claim(claim, "held", holder))
                await self._join(active, other)
            case "holder-joins":
                await self._grant(active, claim)
                await self._join(other, active)
            case "claimant-contested":
                self._add(active, answer_claim(claim, "contested", holder))
                self._conflict(claim, theirs, Party(state.publication, claim.final))
            case "holder-contested":
                await self._grant(active, claim)
                lost = NewId(
                    publication=holder,
                    id_kind=claim.id_kind,
                    value=claim.value,
                    said="contested",
                    holder=state.publication,
                    round=claim.round + 1,
                )
                self._add(other, lost)
                self._conflict(claim, Party(state.publication, claim.final), theirs)
                await self._advance(other)
        return False

    async def _grant(self, active: _Active, claim: NewId) -> None:
        self._add(active, answer_claim(claim, "granted"))
        await self._store.hold(active.state.publication, [(claim.id_kind, claim.value)])

    async def _party(self, active: _Active) -> Party:
        walked = walk(active.state, self._abilities)
        return Party(active.state.publication, walked.draft.final_identifiers(), walked.finished)

    async def _judge_again(self, active: _Active) -> None:
        """Answer the claims of a publication that still wait for an answer."""
        for claim in list(active.state.claims.values()):
            if claim.said == "claimed" and not active.state.survivor:
                await self._claim(active, claim)

    def _conflict(self, claim: NewId, holder: Party, claimant: Party) -> None:
        conflict = IdentifiersConflicted(
            id_kind=claim.id_kind,
            value=claim.value,
            holder=holder.publication,
            claimant=claimant.publication,
            holder_final=holder.final,
            claimant_final=claimant.final,
        )
        self._write(claim.value, conflict)
        self._out.conflicts.append(conflict)

    async def _join(self, loser: _Active, survivor: _Active) -> None:
        """The loser's key redirects, its needs are superseded, its lines wait at the survivor (law 4)."""
        ended, state = loser.state, survivor.state
        submission = ended.runs[0].submission if ended.runs else ended.publication
        self._add(loser, join_into(ended.publication, state.publication, submission))
        self._end_needs(loser, "superseded")
        await self._store.redirect(ended.publication, state.publication)
        granted = [
            (claim.id_kind, claim.value)
            for claim in ended.claims.values()
            if claim.said in ("granted", "held")
        ]
        await self._store.hold(state.publication, granted)
        waiting, loser.waiting = loser.waiting, []
        for requested in waiting:
            await self._attach(requested, state.publication)
        survivor.waiting += waiting
        for join in join_runs(state, ended, self._clock.now_ms(), self._abilities):
            self._add(survivor, join)
        self._active[state.publication] = survivor
        for claimant in self._awaited.pop(ended.publication, {}):
            if claimant != state.publication:
                await self._judge_again(await self._load(claimant))
        await self._end_record(ended.publication, f"is the same publication as {state.publication}")
        await self._advance(survivor)

    def _end_needs(self, active: _Active, outcome: NeedOutcome) -> None:
        """Needs without an outcome get this one; what still arrives for them is a repeat."""
        for done in unanswered(active.state, outcome):
            self._add(active, done)
            self._count(done.resource, outcome)
            self._out.superseded.add(done.need)

    # --- rows, entries, states

    async def _attach(self, requested: FetchRequested, publication: str) -> None:
        await self._store.put_submission(
            StoredSubmission(requested.job, requested.line, encode(requested), publication)
        )

    async def _load(self, publication: str) -> _Active:
        active = self._active.get(publication)
        if active is None:
            active = _Active(await load_state(self._store, publication))
            self._active[publication] = active
        return active

    async def _claim_check(self, finding: PartCandidate) -> PartCandidate:
        if finding.document:
            structured = await self._blobs.put(finding.document)
            finding = msgspec.structs.replace(finding, document=b"", structured=structured)
        if len(finding.text) > INLINE_LIMIT:
            blob = await self._blobs.put(finding.text.encode("utf-8", "surrogatepass"))
            finding = msgspec.structs.replace(finding, text="", blob=blob)
        return finding

    def _add(self, active: _Active, row: StateRow) -> bool:
        if isinstance(row, ResourceDone):
            self._handed_out.discard(row.need)
        if not active.state.add(row):
            return False
        self._keep(active.state.publication, row)
        return True

    def _keep(self, publication: str, row: StateRow) -> None:
        """A row of the state that is a fact of the log as well."""
        body = self._write(publication, row)
        if not self._store.rows_in_log:
            self._rows.setdefault(publication, []).append(
                Row(body.id, b"%b %d %b" % (body.kind.encode(), body.version, body.body))
            )

    def _write(self, key: str, event: Event) -> Entry:
        kind = kind_of(event)
        name, body = named(event)
        entry = Entry(key, name, kind, version_of(event), body)
        self._entries.setdefault(topic_for(event), []).append(entry)
        return entry

    def _count(self, resource: str, outcome: str) -> None:
        self._needs[(resource, outcome)] = self._needs.get((resource, outcome), 0) + 1


async def load_state(store: Store, publication: str) -> PublicationState:
    """The state of a publication from its rows; empty for one that is new. (On the bus other rows stand among them.)"""
    state = PublicationState(publication)
    for row in await store.rows(publication):
        if row.body.partition(b" ")[0].decode() in ROW_KINDS:
            read = read_row(row)
            if read is not None:
                state.add(read)
    return state


def read_row(row: Row) -> StateRow | None:
    """A stored row as the event it is (`kind version body`); None for one that only a newer release knows."""
    kind, version, body = row.body.split(b" ", 2)
    event = decode_row(kind.decode(), int(version), body)
    assert event is None or isinstance(event, StateRow)
    return event


def read_as(struct: type[_E], body: bytes) -> _E:
    """An event that was stored in the version of today."""
    event = decode(str(struct.__struct_config__.tag), KINDS[str(struct.__struct_config__.tag)].version, body)
    assert isinstance(event, struct)
    return event


async def without_long_texts(record: Record, blobs: Blobs) -> Record:
    """The record with its long texts among the blobs."""
    parts = {
        name: msgspec.structs.replace(
            part, text="", blob=await blobs.put(part.text.encode("utf-8", "surrogatepass"))
        )
        for name, part in record.parts()
        if len(part.text) > INLINE_LIMIT
    }
    return msgspec.structs.replace(record, **parts) if parts else record


async def put_back(record: Record, blobs: Blobs) -> Record:
    """The record with the texts that had gone to the blobs; one that is stored no more is empty, as `lost.texts_gone`
    tells."""
    parts = {}
    for name, part in record.parts():
        if part.blob is not None:
            try:
                text = (await blobs.get(part.blob.digest)).decode("utf-8", "surrogatepass")
            except KeyError:
                continue
            parts[name] = msgspec.structs.replace(part, text=text)
    return msgspec.structs.replace(record, **parts) if parts else record
