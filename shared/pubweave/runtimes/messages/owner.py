"""The owner of publications: what each one's next message changes in it, and what follows.

Everything is decided message by message, never by batch, and by no clock but the reading that the message
carries: what is heard again after a crash is decided again in the same way (design law 8).
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import Final, Literal, TypeAlias

import msgspec

from pubweave.contract.codec import encode
from pubweave.contract.erasure_requested import ErasureRequested
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.field_candidate import FieldCandidate
from pubweave.contract.gate_flag import GateFlag
from pubweave.contract.identifier_asked import IdentifierAsked
from pubweave.contract.identifiers_conflicted import IdentifiersConflicted
from pubweave.contract.kinds import Event, subject_of
from pubweave.contract.line_standing import LineStanding
from pubweave.contract.link_found import LinkFound
from pubweave.contract.new_id import NewId
from pubweave.contract.part_candidate import PartCandidate
from pubweave.contract.publication_put import PublicationPut
from pubweave.contract.publication_removed import PublicationRemoved
from pubweave.contract.publication_updated import PublicationUpdated
from pubweave.contract.put_requested import PutRequested
from pubweave.contract.removal_requested import RemovalRequested
from pubweave.contract.resource_done import ResourceDone
from pubweave.contract.submissions_entered import SubmissionsEntered
from pubweave.contract.values import Identifiers, Note
from pubweave.contract.vocabulary import NeedOutcome
from pubweave.core.merging.decide import Abilities, Walked, record_of, walk
from pubweave.core.merging.identity import Party, differ, judge, strays
from pubweave.core.merging.state import Found, PublicationState
from pubweave.core.record import Record, decode_record, encode_record
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
from pubweave.ports import Blobs, Clock, Store, StoredSubmission
from pubweave.runtimes.messages.effects import AT_DEADLINE, Effects
from pubweave.runtimes.messages.ending import Ending
from pubweave.runtimes.messages.publication import (
    Aside,
    Judged,
    Publication,
    SentOn,
    Taken,
    aside,
    asked_key,
)
from pubweave.runtimes.messages.publication import load as loaded
from pubweave.runtimes.told import note_of_restart

_HEARD: Final = (
    SubmissionsEntered,
    IdentifierAsked,
    NewId,
    PartCandidate,
    FieldCandidate,
    GateFlag,
    LinkFound,
    ResourceDone,
)

ALONE: Final = ".alone"
"""Behind the name of a line: the key of the publication that it opens a second time, without the other lines. It
sorts where the line's own name does."""

Loading: TypeAlias = Callable[[str], Awaitable[Publication]]
"""Gives the publication with this key as it is stored; empty for one that is new."""

_Answer = Literal["granted", "held", "contested"]


class Owner:
    """Publications of the partitions that one merger owns."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        abilities: Abilities,
        *,
        second_chance: bool,
        kept: int,
        blobs: Blobs | None = None,
        load: Loading | None = None,
    ) -> None:
        """
        :param kept: how many publications stay in memory
        :param load: in place of what rows alone say
        """
        self._store = store
        self._loading = load if load is not None else partial(loaded, store)
        self._clock = clock
        self._abilities = abilities
        self._second_chance = second_chance
        self._kept = kept
        self._ending = Ending(store, blobs, clock, abilities)
        self._publications: OrderedDict[str, Publication] = OrderedDict()
        self._touched: set[str] = set()
        """Those that something was heard of since others were let go."""

    def forget(self) -> None:
        self._publications.clear()
        self._touched.clear()

    @property
    def under_way(self) -> int:
        """How many publications are in memory."""
        return len(self._publications)

    def rest(self) -> None:
        """Let those go that nobody waits for; their rows must be durable."""
        for key in self._touched:
            if self._publications[key].is_at_rest():
                del self._publications[key]
        self._touched.clear()

    def trim(self) -> None:
        """Let the longest untouched ones go; their rows must be durable."""
        while len(self._publications) > self._kept:
            self._publications.popitem(last=False)
        self._touched.clear()

    async def hear(self, event: Event, effects: Effects) -> None:
        """One message about one publication."""
        match event:
            case (
                SubmissionsEntered()
                | IdentifierAsked()
                | NewId()
                | PartCandidate()
                | FieldCandidate()
                | GateFlag()
                | LinkFound()
                | ResourceDone()
                | PutRequested()
            ):
                publication = await self._load(event.publication)
                if publication.ended:
                    await self._ending.hear(publication, event, effects)
                    return
            case RemovalRequested() | ErasureRequested():
                await self._ending.hear(await self._load(event.publication), event, effects)
                return
            case _:
                self._own_fact(event, effects)
                return
        match event:
            case SubmissionsEntered():
                self._entered(publication, event, effects)
            case IdentifierAsked():
                self._asked(publication, event, effects)
            case NewId():
                self._answered(publication, event, effects)
            case PutRequested():
                self._put(publication, event, effects)
            case _:
                self._found(publication, event, effects)

    def _own_fact(self, event: Event, effects: Effects) -> None:
        """Nothing follows from what this owner said itself; but it may have been slow, and erased what it is about."""
        known = self._publications.get(subject_of(event))
        if known is not None and known.ended in ("erasing", "erased"):
            effects.bury(event)

    async def foresee(self, events: Iterable[Event]) -> None:
        """Load side by side what these are about."""
        keys = dict.fromkeys(event.publication for event in events if isinstance(event, _HEARD))
        lacking = [key for key in keys if key not in self._publications]
        for publication in await asyncio.gather(*map(self._loading, lacking)):
            self._publications.setdefault(publication.key, publication)

    async def _load(self, key: str) -> Publication:
        publication = self._publications.get(key)
        if publication is None:
            publication = self._publications[key] = await self._loading(key)
        if key not in self._touched:
            self._touched.add(key)
            self._publications.move_to_end(key)
        return publication

    def _add(
        self, publication: Publication, row: Event | Judged | Aside | Taken | SentOn, effects: Effects
    ) -> bool:
        if not publication.add(row):
            return False
        effects.keep(publication.key, row)
        return True

    def _decide(self, publication: Publication, row: Event, effects: Effects) -> bool:
        """A row that is a fact for others as well."""
        if not self._add(publication, row, effects):
            return False
        effects.say(row)
        return True

    def _aside(self, publication: Publication, event: Event, effects: Effects) -> None:
        """The log has it, the state does not: it is noted, so that it can be erased."""
        self._add(publication, aside(event), effects)

    # --- what is heard

    def _entered(self, publication: Publication, entered: SubmissionsEntered, effects: Effects) -> None:
        state = publication.state
        if state.survivor:
            self._aside(publication, entered, effects)
            self._lead(entered.lines, state.survivor, effects)
            effects.say(msgspec.structs.replace(entered, publication=state.survivor))
            return
        known = set(publication.lines)
        if not self._add(publication, entered, effects):
            return
        if entered.park:
            self._park(publication, entered, effects)
            return
        if entered.origin:
            loser = PublicationState(entered.origin)
            for run in entered.runs:
                loser.add(run)
            if state.last_run is not None:
                for join in join_runs(state, loser, entered.entered_at, self._abilities):
                    self._decide(publication, join, effects)
            self._advance(publication, effects)
            return
        for line in entered.lines:
            if line.submission in publication.settled or (
                line.submission in known and not line.second_chance
            ):
                continue
            if line.second_chance and len(state.runs_of_job(line.job)) > 1:
                # Another line of the job has had the chance for both.
                if walk(state, self._abilities).finished:
                    self._settle_with_what_is_there(publication, line, effects)
                continue
            self._begin(publication, line, entered, effects)

    def _begin(
        self, publication: Publication, line: FetchRequested, entered: SubmissionsEntered, effects: Effects
    ) -> None:
        now_ms = entered.entered_at
        heard = hear_request(publication.state, line, now_ms, self._abilities, entered.gone)
        if heard.fetched and not line.second_chance and 0 < line.deadline_at <= now_ms:
            self._park_lines(publication, (line,), AT_DEADLINE, effects)
            return
        if heard.accepted is not None and (heard.fetched or not line.second_chance):
            self._decide(publication, heard.accepted, effects)
        if heard.fetched:
            self._advance(publication, effects)
        else:
            self._settle_with_what_is_there(publication, line, effects)

    async def take_up(self, key: str, line: FetchRequested, now_ms: int, effects: Effects) -> None:
        """Go on with a stored line that has no outcome, in a process that has heard nothing of it yet."""
        publication = await self._load(key)
        entered = SubmissionsEntered(publication=key, lines=(line,), entered_at=now_ms)
        if publication.ended or publication.state.survivor:
            await self.hear(entered, effects)
        elif publication.state.last_run is None:
            self._begin(publication, line, entered, effects)
        else:
            self._advance(publication, effects)

    def _found(self, publication: Publication, said: Found | ResourceDone, effects: Effects) -> None:
        if not self._add(publication, said, effects):
            self._aside(publication, said, effects)
            return
        if publication.state.survivor:
            return  # kept for `explain`; counts no more
        answers = publication.state.answers[said.need]
        if answers.complete() is not None:
            self._advance(publication, effects)

    def _put(self, publication: Publication, wanted: PutRequested, effects: Effects) -> None:
        """An epoch of its own begins with the record; nobody is waited for that was asked for the one before."""
        state = publication.state
        effects.bury(wanted)  # what it brings is said under its own name
        if state.survivor:
            effects.say(msgspec.structs.replace(wanted, publication=state.survivor))
            return
        if not self._add(publication, Taken(wanted.request), effects):
            return
        record = msgspec.structs.replace(decode_record(bytes(wanted.record)), publication=publication.key)
        self._end_needs(publication, "superseded", effects)
        put = PublicationPut(
            publication=publication.key,
            epoch=state.epoch + 1 if state.runs or state.puts else 1,
            record=msgspec.Raw(encode_record(record)),
            put_at=wanted.requested_at,
        )
        self._decide(publication, put, effects)
        for kind, value in record.identifiers.known():
            known = state.claims.get((kind, value))
            if known is not None and known.said in ("claimed", "granted"):
                continue
            claim = NewId(
                publication=publication.key,
                id_kind=kind,
                value=value,
                said="claimed",
                final=self._final(publication),
                round=known.round + 1 if known is not None else 0,
            )
            self._decide(publication, claim, effects)
        self._advance(publication, effects)

    def _answered(self, publication: Publication, answer: NewId, effects: Effects) -> None:
        state = publication.state
        before = state.claims.get((answer.id_kind, answer.value))
        if state.survivor or before is None or not self._add(publication, answer, effects):
            self._aside(publication, answer, effects)
            return
        if state.awaits_claims() and answer.said == "granted":
            self._judge(publication, effects)  # nothing else follows before all are answered
            return
        if answer.said == "held":
            final = self._final(publication)
            if final != answer.final:
                # It has learned who it is since it asked, so the answer may be another by now.
                self._ask_again(publication, answer, answer.holder, final, effects)
            else:
                self._join(publication, answer.holder, effects)
            return
        if answer.said == "contested" and answer.round:  # it held it and was told by the earlier one
            released = NewId(
                publication=publication.key,
                id_kind=answer.id_kind,
                value=answer.value,
                said="released",
                holder=answer.holder,
                round=answer.round,
            )
            self._aside(publication, released, effects)
            effects.say(released)
        self._advance(publication, effects)

    def _answer_itself(self, publication: Publication, claim: NewId, effects: Effects) -> None:
        """It holds what it claims. Said as well, as every fact is: the store can be made anew from what was said."""
        answer = answer_claim(claim, "granted")
        effects.say(answer)
        self._answered(publication, answer, effects)

    def _ask_again(
        self, publication: Publication, about: NewId, holder: str, final: Identifiers, effects: Effects
    ) -> None:
        """Claim an identifier of the holder itself; it judges at once."""
        claim = NewId(
            publication=publication.key,
            id_kind=about.id_kind,
            value=about.value,
            said="claimed",
            final=final,
            round=about.round + 1,
        )
        self._add(publication, claim, effects)
        effects.say(IdentifierAsked(publication=holder, claim=claim, back=True))

    # --- who is who

    def _asked(self, publication: Publication, asked: IdentifierAsked, effects: Effects) -> None:
        state, claim = publication.state, asked.claim
        if state.survivor:
            self._aside(publication, asked, effects)
            effects.say(msgspec.structs.replace(asked, publication=state.survivor))
            return
        if claim.publication == publication.key:
            self._aside(publication, asked, effects)
            self._answer_itself(publication, claim, effects)
        elif self._add(publication, asked, effects):
            self._judge(publication, effects)
        elif asked_key(asked) in publication.judged and self._judgement(publication, asked) == "ask-holder":
            # Somebody slow has written meanwhile that the identifier leads here, so the claim came here once more.
            own = state.claims[claim.id_kind, claim.value]
            if not own.holder:
                self._release_again(publication, own, claim, effects)

    def _release_again(self, publication: Publication, own: NewId, claim: NewId, effects: Effects) -> None:
        """It has released what another claims: in this order once more."""
        self._decide(publication, msgspec.structs.replace(own, round=own.round + 1), effects)
        effects.say(claim)

    def _judge(self, publication: Publication, effects: Effects) -> None:
        """Answer the claims that can be answered now."""
        for asked in publication.pending_asks():
            if asked_key(asked) in publication.judged or publication.state.survivor:
                continue  # meanwhile, or what it has become will judge
            said = self._judgement(publication, asked)
            if said is None:
                continue
            self._add(publication, Judged(asked_key(asked)), effects)
            claim = asked.claim
            own = publication.state.claims.get((claim.id_kind, claim.value))
            if said == "ask-back":
                about = own if own is not None else msgspec.structs.replace(claim, round=0)
                self._ask_again(publication, about, claim.publication, self._final(publication), effects)
                continue
            if said == "ask-holder":
                assert own is not None
                if own.holder:
                    effects.say(msgspec.structs.replace(asked, publication=own.holder))
                else:
                    # A repeat of the claim of then has come after.
                    self._release_again(publication, own, claim, effects)
                continue
            effects.say(answer_claim(claim, said, "" if said == "granted" else publication.key))
            if said == "contested":
                conflict = IdentifiersConflicted(
                    id_kind=claim.id_kind,
                    value=claim.value,
                    holder=publication.key,
                    claimant=claim.publication,
                    holder_final=self._final(publication),
                    claimant_final=claim.final,
                )
                self._aside(publication, conflict, effects)
                effects.say(conflict)
            if asked.back and own is not None and own.said == "claimed":
                # It was held by the one that asks, which gives it up or becomes this one.
                self._answer_itself(publication, own, effects)

    def _judgement(
        self, publication: Publication, asked: IdentifierAsked
    ) -> _Answer | Literal["ask-back", "ask-holder"] | None:
        """What is to be said of a claim; None: not yet."""
        state, claim = publication.state, asked.claim
        own = state.claims.get((claim.id_kind, claim.value))
        if own is not None and own.said in ("contested", "released"):
            if asked.back and own.said == "released":
                return "granted"
            if not asked.back:
                return "granted" if own.holder == claim.publication else "ask-holder"
        if claim.publication < state.publication:
            # The claimant was submitted first, so it judges, with what it knows by now.
            return "ask-back" if own is None or own.said == "granted" else None
        walked = self._walked(publication)
        mine = Party(state.publication, walked.draft.final_identifiers(), walked.finished)
        if asked.back:
            return "contested" if differ(claim.final, mine.final) else "held"
        judgement = judge(Party(claim.publication, claim.final), mine)
        if judgement == "wait":
            return None
        return "held" if judgement == "claimant-joins" else "contested"

    def _final(self, publication: Publication) -> Identifiers:
        return self._walked(publication).draft.final_identifiers()

    def _walked(self, publication: Publication) -> Walked:
        return publication.walked or walk(publication.state, self._abilities)

    def _join(self, publication: Publication, survivor: str, effects: Effects) -> None:
        """The key redirects; needs are superseded; lines, runs and questions go to the survivor (law 4)."""
        state = publication.state
        submission = state.runs[0].submission if state.runs else publication.key
        self._end_needs(publication, "superseded", effects)
        self._decide(publication, join_into(publication.key, survivor, submission), effects)
        effects.then.append(lambda: self._store.redirect(publication.key, survivor))
        lines = publication.unsettled()
        self._lead(lines, survivor, effects)
        effects.say(
            SubmissionsEntered(
                publication=survivor,
                origin=publication.key,
                lines=lines,
                runs=tuple(state.runs),
                entered_at=max((run.accepted_at for run in state.runs), default=0),
            )
        )
        for asked in publication.pending_asks():
            effects.say(msgspec.structs.replace(asked, publication=survivor))
        if state.puts:
            record = encode_record(state.puts[max(state.puts)])
            effects.say(
                PutRequested(publication=survivor, request=publication.key, record=msgspec.Raw(record))
            )
        published = publication.published
        if isinstance(published, PublicationUpdated):
            self._decide(
                publication,
                PublicationRemoved(
                    publication=publication.key,
                    version=published.version + 1,
                    identifiers=decode_record(bytes(published.record)).identifiers,
                    reason=f"is the same publication as {survivor}",
                    removed_at=self._clock.now_ms(),
                ),
                effects,
            )

    def _end_needs(self, publication: Publication, outcome: NeedOutcome, effects: Effects) -> None:
        """Needs without an outcome get this one; what still arrives for them is a repeat."""
        for done in unanswered(publication.state, outcome):
            self._decide(publication, done, effects)

    # --- going on

    def _advance(self, publication: Publication, effects: Effects) -> None:
        state = publication.state
        if state.survivor:
            return
        walked = publication.walked
        if walked is None:
            waits = state.awaits_claims()  # until they are answered it asks nothing
            walked, claims = advance(state, self._abilities)
            if claims and not waits:
                publication.walked = walked
            for claim in claims:
                effects.keep(publication.key, claim)
                effects.say(claim)
        if not state.awaits_claims():
            for need in send(state, walked):
                effects.keep(publication.key, need)
                effects.say(need)
            if walked.finished:
                self._finish(publication, walked, effects)
            publication.walked = None
        self._judge(publication, effects)

    def _finish(self, publication: Publication, walked: Walked, effects: Effects) -> None:
        state = publication.state
        for kind, known, other in dict.fromkeys(walked.conflicts):
            sentence = f"Old ID {known} differs from the {kind} {other} found for it ({publication.key})"
            effects.notes.append(Note("warning", sentence))
        for restart in walked.restarts:
            if state.last_run is not None and restart.place.run == state.last_run.run:
                effects.notes.append(note_of_restart(restart))
            self._aside(publication, restart, effects)
            effects.say(restart)
        # Asked for, and then an identifier turned out to be another's: nobody waits for that any more.
        self._end_needs(publication, "superseded", effects)
        parked = parked_because(walked)
        record = record_of(state, walked)
        if parked:
            version, record = self._as_it_stands(publication, record)
        else:
            version, record = self._materialise(publication, record, effects)
        granted = [claim for claim in state.claims.values() if claim.said == "granted"]
        gone = strays([(claim.id_kind, claim.value) for claim in granted], record.identifiers)
        for claim in granted:
            if (claim.id_kind, claim.value) in gone:
                self._decide(
                    publication,
                    msgspec.structs.replace(
                        claim, said="released", final=Identifiers(), holder="", round=claim.round + 1
                    ),
                    effects,
                )
        for line in publication.waiting():
            if self._goes_alone(publication, line, record):
                key = f"{line.submission}{ALONE}"
                self._add(publication, SentOn(line.submission, tuple(sorted(publication.entered))), effects)
                self._lead((line,), key, effects)
                effects.say(
                    SubmissionsEntered(publication=key, lines=(line,), entered_at=self._clock.now_ms())
                )
            elif self._is_withheld(publication, line, record):
                self._decide(
                    publication,
                    LineStanding(
                        job=line.job,
                        line=line.line,
                        publication=publication.key,
                        said="withheld",
                        requested=line,
                    ),
                    effects,
                )
            else:
                self._settle(publication, line, record, version, effects, fetched=True, parked=parked)

    @staticmethod
    def _as_it_stands(publication: Publication, record: Record) -> tuple[int, Record]:
        """What is published, or a record that is nowhere (version 0)."""
        published = publication.published
        if isinstance(published, PublicationUpdated):
            return published.version, decode_record(bytes(published.record))
        return 0, record

    def _goes_alone(self, publication: Publication, line: FetchRequested, record: Record) -> bool:
        """A line whose identifiers were all replaced because of what other lines said becomes a publication of its own,
        once: where that turns out to be the same as this one, the line comes back and is settled here."""
        return (
            line.submission not in publication.sent_on
            and not publication.key.endswith(ALONE)
            and led_astray(line, publication.state, record)
        )

    def _lead(self, lines: Sequence[FetchRequested], key: str, effects: Effects) -> None:
        """Lines lead to another publication from now on."""
        for line in lines:
            stored = StoredSubmission(line.job, line.line, encode(line), key)
            effects.follow(line.submission, partial(self._store.put_submission, stored))

    def _is_withheld(self, publication: Publication, line: FetchRequested, record: Record) -> bool:
        """F-CAN-09: it is fetched once more when all other lines of its job have outcomes."""
        return (
            self._second_chance
            and record.fetch_exception
            and len(publication.state.runs_of_job(line.job)) == 1
            and not line.settings.citations_only
            and line.submission not in publication.chances
        )

    def _materialise(self, publication: Publication, record: Record, effects: Effects) -> tuple[int, Record]:
        previous = publication.published
        before = decode_record(bytes(previous.record)) if isinstance(previous, PublicationUpdated) else None
        record = with_primary(record, before)
        body = encode_record(record)
        if isinstance(previous, PublicationUpdated) and bytes(previous.record) == body:
            return previous.version, record
        version = previous.version + 1 if previous is not None else 1
        self._decide(
            publication,
            PublicationUpdated(
                publication=publication.key,
                version=version,
                reason=reason_of_change(before, record),
                record=msgspec.Raw(body),
                updated_at=self._clock.now_ms(),
                correlation_ids=tuple(
                    dict.fromkeys(
                        line.correlation_id for line in publication.waiting() if line.correlation_id
                    )
                ),
            ),
            effects,
        )
        return version, record

    # --- lines

    def _settle_with_what_is_there(
        self, publication: Publication, line: FetchRequested, effects: Effects
    ) -> None:
        published = publication.published
        if isinstance(published, PublicationUpdated):
            record = decode_record(bytes(published.record))
            self._settle(publication, line, record, published.version, effects, fetched=False)
        else:
            self._finish(publication, walk(publication.state, self._abilities), effects)

    def _park(self, publication: Publication, entered: SubmissionsEntered, effects: Effects) -> None:
        away = [line for line in entered.lines if publication.is_away(line.submission)]
        for line in away:
            key = f"{line.submission}{ALONE}"
            effects.say(msgspec.structs.replace(entered, publication=key, lines=(line,)))
        here = [line for line in entered.lines if line not in away]
        self._park_lines(publication, here, entered.park, effects)

    def _park_lines(
        self, publication: Publication, lines: Iterable[FetchRequested], reason: str, effects: Effects
    ) -> None:
        for line in lines:
            if line.submission not in publication.settled:
                record = record_of(publication.state, self._walked(publication))
                self._settle(publication, line, record, 0, effects, fetched=True, parked=reason)
        if not publication.waiting():
            self._end_needs(publication, "cancelled", effects)

    def _settle(
        self,
        publication: Publication,
        line: FetchRequested,
        record: Record,
        version: int,
        effects: Effects,
        *,
        fetched: bool,
        parked: str = "",
    ) -> None:
        event = settle(line, record, version, self._clock.now_ms(), fetched=fetched, parked=parked)
        if not self._decide(publication, event, effects):
            return
        effects.settle(event, record)
        effects.say(LineStanding(job=line.job, line=line.line, publication=publication.key, said="settled"))
        stored = StoredSubmission(
            line.job, line.line, encode(line), publication.key, encode(event), event.outcome
        )
        effects.follow(line.submission, lambda: self._store.put_submission(stored))
