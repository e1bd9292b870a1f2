"""How a publication of the bus ends: removed, or erased.

Both close its key for good. Its identifiers are released, so whoever submits them from now on begins a publication of
its own; a line that was on its way here is sent on to such a one. Removing keeps the facts for `explain` and leaves a
tombstone among the records. Erasing takes the facts as well, everywhere: a record without value for each event in the
topics that keep them, and all rows; in their place stands that the key was used.

As everywhere on the bus, each step is decided from the rows and the message alone, may be repeated, and says before it
deletes (`Effects`): a crash repeats it.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

import msgspec

from pubweave.contract.codec import encode
from pubweave.contract.digests import quick_digest
from pubweave.contract.erasure_requested import ErasureRequested
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.identifier_asked import IdentifierAsked
from pubweave.contract.kinds import Event
from pubweave.contract.line_standing import LineStanding
from pubweave.contract.new_id import NewId
from pubweave.contract.publication_erased import PublicationErased
from pubweave.contract.publication_removed import PublicationRemoved
from pubweave.contract.publication_updated import PublicationUpdated
from pubweave.contract.put_requested import PutRequested
from pubweave.contract.removal_requested import RemovalRequested
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.submissions_entered import SubmissionsEntered
from pubweave.contract.values import Identifiers, Note
from pubweave.contract.vocabulary import IDENTIFIER_KINDS, IdentifierKind, SettledOutcome
from pubweave.core.merging.decide import Abilities, record_of, walk
from pubweave.core.record import decode_record
from pubweave.merger.handler import answer_claim, settle, unanswered
from pubweave.ports import Blobs, Clock, Store, StoredSubmission
from pubweave.runtimes.blanking import ERASED, blank_event, blank_stored
from pubweave.runtimes.messages.delays import delayed
from pubweave.runtimes.messages.effects import Effects, Tombstone
from pubweave.runtimes.messages.publication import (
    Aside,
    Erased,
    Judged,
    Publication,
    PublicationRow,
    SentOn,
    Taken,
    Unread,
    as_row,
    aside,
    read_row,
)

LAST_LOOK_MS: Final = 600_000
"""After this time nobody who has lost a partition still writes what he was at."""


def continued(line: FetchRequested, publication: str) -> str:
    """The key under which a line goes on whose publication has ended: always the same, and nobody else's."""
    return f"{line.submission}~{quick_digest(publication)[:8]}"


class Ending:
    """Ends publications, and answers for those that have ended. The owner hands over what it hears about them."""

    def __init__(self, store: Store, blobs: Blobs | None, clock: Clock, abilities: Abilities) -> None:
        """:param blobs: where long contents lie; without it they stay"""
        self._store = store
        self._blobs = blobs
        self._clock = clock
        self._abilities = abilities

    async def hear(self, publication: Publication, event: Event, effects: Effects) -> None:
        """A request to end it, or anything else about one that has ended."""
        match event:
            case RemovalRequested():
                self._remove(publication, event, effects)
            case ErasureRequested():
                await self._erase(publication, event, effects)
            case _:
                self._after(publication, event, effects)

    # --- ending

    def _remove(self, publication: Publication, request: RemovalRequested, effects: Effects) -> None:
        if publication.state.survivor:
            self._aside(publication, request, effects)
            effects.say(msgspec.structs.replace(request, publication=publication.state.survivor))
            return
        before = publication.published
        if publication.ended or not isinstance(before, PublicationUpdated):
            self._aside(publication, request, effects)
            return
        known = decode_record(bytes(before.record)).identifiers
        for line in publication.unsettled():
            self._settle(publication, line, request.reason, effects)
        self._close(publication, request, known, effects)
        self._tombstone(publication, before, known, request.reason, effects)

    async def _erase(self, publication: Publication, request: ErasureRequested, effects: Effects) -> None:
        survivor = publication.state.survivor
        if survivor and not request.survivor:
            self._aside(publication, request, effects)
            effects.say(msgspec.structs.replace(request, publication=survivor))
            return
        if publication.ended not in ("erasing", "erased"):
            self._begin_to_erase(publication, request, effects)
        rows = [read_row(row) for row in await self._store.rows(publication.key)]
        if request.look == 1 or not any(isinstance(row, ErasureRequested | Erased) for row in rows):
            # Only when all that was decided before is durable as well are its rows all that there is.
            effects.say(msgspec.structs.replace(request, look=max(2, request.look)))
            return
        self._take_away(publication, request, rows, effects)
        if request.look == 2:
            effects.say(
                delayed(msgspec.structs.replace(request, look=3), self._clock.now_ms() + LAST_LOOK_MS)
            )

    def _begin_to_erase(self, publication: Publication, request: ErasureRequested, effects: Effects) -> None:
        before = publication.published
        known = Identifiers()
        if isinstance(before, PublicationUpdated):
            known = decode_record(bytes(before.record)).identifiers
        # Lines of one that had become part of another have their outcomes there.
        for line in () if publication.state.survivor else publication.unsettled():
            now_ms = self._clock.now_ms()
            self._decide(publication, blank_event(line.job, line.line, "parked", now_ms), effects)
            blank = blank_stored(line.job, line.line, "parked", now_ms)
            effects.then.append(partial(self._store.put_submission, blank))
            effects.say(_settled(publication, line))
        self._close(publication, request, known, effects)
        if isinstance(before, PublicationUpdated):
            self._tombstone(publication, before, Identifiers(), ERASED, effects)

    def _close(
        self,
        publication: Publication,
        request: RemovalRequested | ErasureRequested,
        known: Identifiers,
        effects: Effects,
    ) -> None:
        """Nobody is waited for, nothing is claimed, and who asks is answered."""
        state = publication.state
        for done in unanswered(state, "cancelled"):
            self._decide(publication, done, effects)
        names: dict[tuple[IdentifierKind, str], int] = dict.fromkeys(known.known(), 0)
        for claim in state.claims.values():
            if claim.said in ("claimed", "granted"):
                names[claim.id_kind, claim.value] = claim.round
        for (kind, value), round_ in names.items():
            self._decide(publication, _released(publication.key, kind, value, round_ + 1), effects)
        # Whoever had become part of another has handed them on.
        asks = [] if state.survivor else publication.pending_asks()
        self._add(publication, request, effects)
        for asked in asks:
            self._answer(publication, asked, effects)

    def _tombstone(
        self,
        publication: Publication,
        before: PublicationUpdated,
        identifiers: Identifiers,
        reason: str,
        effects: Effects,
    ) -> None:
        """With its version and reason for those who follow; then without value, so that Kafka lets go of the record."""
        removed = PublicationRemoved(
            publication=publication.key,
            version=before.version + 1,
            identifiers=identifiers,
            reason=reason,
            removed_at=self._clock.now_ms(),
        )
        self._decide(publication, removed, effects)
        effects.bury(removed)

    # --- erasing

    def _take_away(
        self,
        publication: Publication,
        request: ErasureRequested,
        rows: Sequence[PublicationRow],
        effects: Effects,
    ) -> None:
        """Everything that rows tell of: events of the log, lines, texts, and the rows."""
        key = publication.key
        effects.bury(request)
        for row in rows:
            self._bury(row, effects)
        for row in rows:
            if isinstance(row, SubmissionsEntered) and row.origin and row.origin != key:
                effects.say(ErasureRequested(publication=row.origin, request=request.request, survivor=key))
        for blank in blank_lines(rows, self._clock.now_ms(), effects):
            effects.last.append(partial(self._store.put_submission, blank))
        lines, version = _left(rows)
        if version:
            removed = PublicationRemoved(
                publication=key,
                version=version,
                identifiers=Identifiers(),
                reason=ERASED,
                removed_at=self._clock.now_ms(),
            )
            effects.say(removed)
            effects.bury(removed)
        if request.look > 2:
            self._release_again(key, effects)
        gone = tuple(Aside(one.topic, one.record_key) for one in effects.gone) if request.look == 2 else ()
        left = Erased(lines, version, gone)
        effects.say(PublicationErased(publication=key))
        effects.last.append(partial(self._wipe, key, left, request.contents))
        publication.begin_anew()
        publication.add(left)

    def _release_again(self, key: str, effects: Effects) -> None:
        """Somebody slow may have written meanwhile that an identifier leads here."""
        claimed = {one.key for one in effects.gone if one.topic == "new-ids"}
        for kind in IDENTIFIER_KINDS:
            for value in sorted(
                name.removeprefix(f"{kind}:") for name in claimed if name.startswith(f"{kind}:")
            ):
                released = _released(key, kind, value, 0)
                effects.say(released)
                effects.bury(released)

    async def _wipe(self, key: str, left: Erased, contents: Sequence[str]) -> None:
        if self._blobs is not None:
            for digest in contents:
                await self._blobs.delete(digest)
        await self._store.drop_rows(key)
        await self._store.add_rows(key, [as_row(left)])  # last: who waits looks for it

    def _bury(self, row: PublicationRow, effects: Effects) -> None:
        match row:
            case Aside():
                # Of the topics that are kept only `publications` has records named without their event.
                key, slash, _ = row.record_key.rpartition("/")
                effects.gone.append(Tombstone(row.topic, key if slash else row.record_key, row.record_key))
            case Erased():
                for one in row.gone:
                    self._bury(one, effects)
            case Unread():
                effects.notes.append(
                    Note(
                        "warning",
                        "What a newer release said of an erased publication stays on the log: "
                        "erase it with that release, too",
                    )
                )
            case SubmissionSettled() | Judged() | Taken() | SentOn():
                pass  # what is said in its place has the same key; or it is no event
            case _:
                effects.bury(row)

    # --- afterwards

    def _after(self, publication: Publication, event: Event, effects: Effects) -> None:
        wiped = publication.ended in ("erasing", "erased")
        match event:
            case SubmissionsEntered():
                self._send_on(publication, event, effects)
            case IdentifierAsked():
                self._answer(publication, event, effects)
            case NewId(said="granted"):
                self._release(publication, event, effects)
            case PutRequested():
                name = f"{publication.key}~{quick_digest(event.request)[:8]}"
                effects.say(msgspec.structs.replace(event, publication=name))
            case PublicationErased():
                return
            case _:
                pass
        if wiped or isinstance(event, PutRequested):
            effects.bury(event)
        elif not self._add(publication, event, effects):
            self._aside(publication, event, effects)

    def _send_on(self, publication: Publication, entered: SubmissionsEntered, effects: Effects) -> None:
        for line in entered.lines:
            if line.submission in publication.settled:
                continue
            effects.say(
                SubmissionsEntered(
                    publication=continued(line, publication.key),
                    lines=(line,),
                    park=entered.park,
                    entered_at=entered.entered_at,
                )
            )

    def _answer(self, publication: Publication, asked: IdentifierAsked, effects: Effects) -> None:
        claim = asked.claim
        if claim.publication == publication.key:
            return
        if asked.back:
            effects.say(answer_claim(claim, "granted"))  # it holds it itself
            return
        # In this order, on the partition of the identifier, whose owner decides anew.
        self._release(publication, claim, effects)
        effects.say(claim)

    def _release(self, publication: Publication, about: NewId, effects: Effects) -> None:
        released = _released(publication.key, about.id_kind, about.value, about.round + 1)
        effects.say(released)
        if publication.ended == "removed":
            self._aside(publication, released, effects)
        else:
            effects.bury(released)

    # --- rows

    def _add(self, publication: Publication, row: PublicationRow, effects: Effects) -> bool:
        if not publication.add(row):
            return False
        effects.keep(publication.key, row)
        return True

    def _decide(self, publication: Publication, row: Event, effects: Effects) -> None:
        if self._add(publication, row, effects):
            effects.say(row)

    def _aside(self, publication: Publication, event: Event, effects: Effects) -> None:
        effects.keep(publication.key, aside(event))

    def _settle(self, publication: Publication, line: FetchRequested, reason: str, effects: Effects) -> None:
        record = record_of(publication.state, walk(publication.state, self._abilities))
        event = settle(line, record, 0, self._clock.now_ms(), fetched=True, parked=reason)
        self._decide(publication, event, effects)
        effects.settle(event, record)
        effects.say(_settled(publication, line))
        stored = StoredSubmission(
            line.job, line.line, encode(line), publication.key, encode(event), event.outcome
        )
        effects.then.append(lambda: self._store.put_submission(stored))


def blank_lines(
    rows: Sequence[object], now_ms: int, effects: Effects, unsettled: SettledOutcome | None = None
) -> Iterator[StoredSubmission]:
    """What was asked for leaves the log; of each line its outcome is said, and given as it is to be stored.

    :param unsettled: the outcome of lines that have none; None: they stay for whoever they went on to
    """
    outcomes: dict[str, SettledOutcome] = {
        f"{row.job}.{row.line:09d}": row.outcome for row in rows if isinstance(row, SubmissionSettled)
    }
    for line in (line for row in rows if isinstance(row, SubmissionsEntered) for line in row.lines):
        effects.bury(msgspec.structs.replace(line, second_chance=False))
        outcome = outcomes.get(line.submission, unsettled)
        if outcome is not None:
            effects.say(blank_event(line.job, line.line, outcome, now_ms))
            yield blank_stored(line.job, line.line, outcome, now_ms)


def _settled(publication: Publication, line: FetchRequested) -> LineStanding:
    return LineStanding(job=line.job, line=line.line, publication=publication.key, said="settled")


def _released(key: str, kind: IdentifierKind, value: str, round_: int) -> NewId:
    return NewId(publication=key, id_kind=kind, value=value, said="released", round=round_)


def _left(rows: Sequence[PublicationRow]) -> tuple[tuple[str, ...], int]:
    """Which submissions led here, and the version of the tombstone."""
    lines: set[str] = set()
    version = 0
    for row in rows:
        match row:
            case Erased():
                lines.update(row.lines)
                version = max(version, row.version)
            case SubmissionsEntered():
                lines.update(line.submission for line in row.lines)
            case PublicationRemoved():
                version = max(version, row.version)
            case PublicationUpdated():
                version = max(version, row.version + 1)
            case _:
                pass
    return tuple(sorted(lines)), version
