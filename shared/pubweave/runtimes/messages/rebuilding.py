"""What the merger keeps in the store, made anew from what was said (P-01): the log is the truth, the store is not."""

from collections.abc import Iterable, Iterator
from typing import Final

from pubweave.contract.codec import encode, event_id, version_of
from pubweave.contract.field_candidate import FieldCandidate
from pubweave.contract.gate_flag import GateFlag
from pubweave.contract.identifier_asked import IdentifierAsked
from pubweave.contract.job_closed import JobClosed
from pubweave.contract.kinds import Event, kind_of
from pubweave.contract.line_standing import LineStanding
from pubweave.contract.link_found import LinkFound
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.new_id import NewId
from pubweave.contract.part_candidate import PartCandidate
from pubweave.contract.publication_erased import PublicationErased
from pubweave.contract.publication_put import PublicationPut
from pubweave.contract.publication_removed import PublicationRemoved
from pubweave.contract.publication_updated import PublicationUpdated
from pubweave.contract.publications_joined import PublicationsJoined
from pubweave.contract.removal_requested import RemovalRequested
from pubweave.contract.resource_done import ResourceDone
from pubweave.contract.restarted import Restarted
from pubweave.contract.run_accepted import RunAccepted
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.submissions_entered import SubmissionsEntered
from pubweave.contract.vocabulary import IdentifierKind
from pubweave.ports import Row, Store, StoredSubmission
from pubweave.runtimes.messages.publication import Erased, as_row, aside

FACTS: Final = ("part-candidates", "needs-part", "publications", "submissions-settled", "jobs")
"""Topics, by their first word, that rows are made of; read them all before `CLAIMS`."""

CLAIMS: Final = "new-ids"
"""Read last, each partition in its order: who holds an identifier is decided in the order of the claims."""

_HELD_AT_ONCE: Final = 500


def is_decided(event: Event) -> bool:
    """An outcome that a publication gave to a need of its own: an answer that was said a moment earlier came too late
    for it. Or that it was erased: what the log still has of it counts no more. These are read before all others."""
    if isinstance(event, PublicationErased):
        return True
    return isinstance(event, ResourceDone) and event.outcome in ("superseded", "cancelled")


def rows_of(event: Event) -> Iterator[tuple[str, Row]]:
    """The rows that stand for an event, each with whose it is. Not there: that a publication has judged a claim, which
    it does again in the same way."""
    match event:
        case (
            SubmissionsEntered()
            | PartCandidate()
            | FieldCandidate()
            | GateFlag()
            | LinkFound()
            | ResourceDone()
            | RunAccepted()
            | PublicationPut()
            | RemovalRequested()
            | PublicationsJoined()
            | NeedsPart()
            | PublicationUpdated()
            | PublicationRemoved()
            | SubmissionSettled()
        ):
            yield event.publication, as_row(event)
        case Restarted():
            yield event.publication, as_row(aside(event))
        case IdentifierAsked():
            yield event.publication, as_row(event)
            if event.back:
                yield event.claim.publication, as_row(event.claim)
        case NewId() if not (event.said == "released" and event.holder):
            # With a holder it tells the owner of the identifier who has it now; its sender knows that already.
            yield event.publication, as_row(event)
        case LineStanding() | JobClosed():
            body = b"%b %d %b" % (kind_of(event).encode(), version_of(event), encode(event))
            yield f"job:{event.job}", Row(event_id(event), body)
            if isinstance(event, LineStanding) and event.said == "withheld":
                yield event.publication, as_row(event)
        case _:
            return


class Rebuilder:
    """Writes into a store. Safe to repeat, and beside running services: rows only grow."""

    def __init__(self, store: Store, erased: Iterable[str] = ()) -> None:
        """:param erased: those that were found erased before an interruption"""
        self._store = store
        self.rows = 0
        self.erased = set(erased)
        """Publications that were found erased."""
        self._holders: dict[tuple[IdentifierKind, str], str] = {}

    async def take(self, topic: str, event: Event) -> None:
        """One event of `FACTS`, or later of `CLAIMS`: of these whole partitions, and then `hold`."""
        if isinstance(event, PublicationErased):
            self.erased.add(event.publication)
            mark = as_row(Erased())
            if all(row.id != mark.id for row in await self._store.rows(event.publication)):
                await self._store.drop_rows(event.publication)
                await self._store.add_rows(event.publication, [mark])
            return
        if getattr(event, "publication", "") in self.erased:
            return
        for key, row in rows_of(event):
            if key:  # a line of an erased publication leads to none
                await self._store.add_rows(key, [row])
                self.rows += 1
        match event:
            case PublicationsJoined():
                await self._store.redirect(event.publication, event.survivor)
            case SubmissionsEntered():
                await self._lines(event)
            case SubmissionSettled():
                await self._settled(event)
            case NewId() if topic == CLAIMS:
                await self._identify(event)
            case _:
                pass

    async def _lines(self, entered: SubmissionsEntered) -> None:
        for line in entered.lines:
            known = await self._store.submission(line.job, line.line)
            if known is None or not known.publication:
                await self._store.put_submission(
                    StoredSubmission(line.job, line.line, encode(line), entered.publication)
                )
            elif not known.body:
                # Its outcome was read first.
                await self._store.put_submission(
                    StoredSubmission(
                        line.job, line.line, encode(line), known.publication, known.settled, known.outcome
                    )
                )

    async def _settled(self, event: SubmissionSettled) -> None:
        known = await self._store.submission(event.job, event.line)
        requested = known.body if known is not None else b""
        await self._store.put_submission(
            StoredSubmission(
                event.job, event.line, requested, event.publication, encode(event), event.outcome
            )
        )

    async def _identify(self, claim: NewId) -> None:
        """As the owner of the identifier did it, from its first claim on."""
        identifier = (claim.id_kind, claim.value)
        holder = self._holders.get(identifier, "")
        if claim.said == "released":
            if claim.holder:
                self._holders[identifier] = claim.holder
            elif holder and claim.publication in (holder, await self._store.resolve(holder)):
                self._holders[identifier] = ""
        elif not holder:
            self._holders[identifier] = claim.publication

    async def hold(self) -> None:
        """All of `CLAIMS`, or of some of its partitions, was read: write who holds what. Whom the store has already as a
        holder stays: beside running services it knows better."""
        names = [identifier for identifier, holder in self._holders.items() if holder]
        for start in range(0, len(names), _HELD_AT_ONCE):
            some = names[start : start + _HELD_AT_ONCE]
            held = await self._store.holders(some)
            lacking: dict[str, list[tuple[IdentifierKind, str]]] = {}
            for identifier in some:
                if not held.get(identifier):
                    lacking.setdefault(self._holders[identifier], []).append(identifier)
            for publication, identifiers in lacking.items():
                await self._store.hold(publication, identifiers)
        self._holders.clear()
