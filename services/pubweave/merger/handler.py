"""What the merger decides, as pure functions of a publication's state."""

from collections.abc import Collection
from typing import Literal, NamedTuple

import msgspec

from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.new_id import NewId
from pubweave.contract.publications_joined import PublicationsJoined
from pubweave.contract.resource_done import ResourceDone
from pubweave.contract.run_accepted import RunAccepted
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.values import Identifiers
from pubweave.contract.vocabulary import PART_NAMES, NeedOutcome, PartName, SettledOutcome
from pubweave.core.identifiers import is_variant
from pubweave.core.merging.canfetch import Decision, can_fetch, left_out, standing_of
from pubweave.core.merging.decide import Abilities, Walked, record_of, walk
from pubweave.core.merging.fold import contents_of
from pubweave.core.merging.reach import UNREACHED
from pubweave.core.merging.state import PublicationState
from pubweave.core.record import Record


class Heard(NamedTuple):
    """What the merger made of a `fetch-requested`."""

    accepted: RunAccepted | None
    """The run that begins, or the join; None if what is there is good enough or already being fetched."""
    fetched: bool
    """The submission waits for a run (False: it can be settled with what is stored)."""


def hear_request(
    state: PublicationState,
    requested: FetchRequested,
    now_ms: int,
    abilities: Abilities,
    gone: Collection[str] = (),
) -> Heard:
    """Accept a fetch (P-25), let its identifiers enter the run under way, or say that none is needed.

    A fresh one opens a new epoch, in which nothing counts of what was found before; what is stored stays until it has
    been fetched.

    :param gone: digests of contents that are stored no more; a part that has lost its content to them is fetched
        without regard to cooldowns, once
    """
    last = state.last_run
    walked = walk(state, abilities) if last is not None or state.puts else None
    # A run that counts citations asks for nothing else: whoever wants more gets a run of his own beside it.
    beside = last is not None and last.settings.citations_only and not requested.settings.citations_only
    if last is not None and walked is not None and not walked.finished and not beside:
        return Heard(_join(state, requested, walked, now_ms), fetched=True)
    fresh = requested.fresh and not requested.second_chance and walked is not None
    # A run that was parked is no fetch that counts: what it did not ask is asked now, whatever it found.
    parked = last is not None and (last.epoch, last.run) in state.cut_short
    lost = () if walked is None or fresh else _newly_gone(walked, requested, gone)
    decision = (
        Decision(fetches=True, resets=True)
        if walked is None or fresh or lost or (parked and not requested.settings.citations_only)
        else _may_fetch(state, walked, requested, now_ms)
    )
    if not decision.fetches:
        return Heard(None, fetched=False)
    run = RunAccepted(
        publication=state.publication,
        submission=requested.submission,
        epoch=state.epoch + 1 if fresh else state.epoch,
        run=1 if fresh or last is None else last.run + 1,
        first_pass=1,
        accepted_at=now_ms,
        settings=requested.settings,
        identifiers=requested.identifiers,
        provenance=requested.provenance,
        resets=decision.resets,
        links=requested.links,
        lane=requested.lane,
        correlation_id=requested.correlation_id,
        deadline_at=requested.deadline_at,
        gone=lost,
    )
    return Heard(run, fetched=True)


def _newly_gone(walked: Walked, requested: FetchRequested, gone: Collection[str]) -> tuple[str, ...]:
    """Those of the digests that the record has for parts that are wanted, and no run knows of yet."""
    if requested.settings.citations_only:
        return ()
    return tuple(
        sorted(
            digest
            for name, part in walked.draft.parts.items()
            if requested.settings.wants(name)
            for digest in contents_of(part) & set(gone)
        )
    )


def _may_fetch(state: PublicationState, walked: Walked, requested: FetchRequested, now_ms: int) -> Decision:
    if requested.settings.citations_only:
        return Decision(fetches=True, resets=False)
    record = record_of(state, walked)
    standing = standing_of(record, requested.settings.thresholds)
    if walked.draft.left_of_gone():
        standing = standing._replace(is_final=False)
    return can_fetch(standing, requested.cooldowns, now_ms)


def _join(
    state: PublicationState, entering: FetchRequested | RunAccepted, walked: Walked, now_ms: int
) -> RunAccepted | None:
    """Identifiers, a wider selection or links enter the last run; None if they add nothing to it."""
    last = state.last_run
    assert last is not None
    known = walked.draft.identifiers()
    brings = (
        any(known.get(kind) != value for kind, value in entering.identifiers.known())
        or any(not walked.settings.wants(part) for part in entering.settings.parts)
        or walked.settings.thresholds.larger(entering.settings.thresholds) != walked.settings.thresholds
        or bool(entering.links)
    )
    if not brings:
        return None
    return RunAccepted(
        publication=state.publication,
        submission=entering.submission,
        epoch=last.epoch,
        run=last.run,
        first_pass=walked.pass_ + 1,
        accepted_at=now_ms,
        settings=entering.settings,
        identifiers=entering.identifiers,
        provenance=entering.provenance,
        joins=True,
        links=entering.links,
        lane=entering.lane,
        correlation_id=entering.correlation_id,
    )


def join_runs(
    survivor: PublicationState, loser: PublicationState, now_ms: int, abilities: Abilities
) -> list[RunAccepted]:
    """What another publication was asked for enters this one, which it turned out to be (design law 4).

    It needs no can-fetch: it belongs to the run under way, or reopens the last one. A run of citations
    only, or one that was not needed, brings nothing.
    """
    walked = walk(survivor, abilities)
    return [
        join
        for run in loser.runs
        if run.fetches and not run.settings.citations_only
        if (join := _join(survivor, run, walked, now_ms)) is not None
    ]


class Advanced(NamedTuple):
    """What follows from a state."""

    walked: Walked
    claims: tuple[NewId, ...]
    """Claims that are to be answered; they are in the state already."""


def advance(state: PublicationState, abilities: Abilities) -> Advanced:
    """Walk the chain; the claims that follow are added to the state.

    If there are none, or all are granted, `send` gives the needs; any other answer means to advance again.
    """
    walked = walk(state, abilities)
    final = walked.draft.final_identifiers() if walked.claims else Identifiers()
    claims = tuple(
        NewId(publication=state.publication, id_kind=kind, value=value, said="claimed", final=final)
        for kind, value in (() if state.survivor else walked.claims)
    )
    for claim in claims:
        state.add(claim)
    return Advanced(walked, claims)


def send(state: PublicationState, walked: Walked) -> tuple[NeedsPart, ...]:
    """The needs of a walk whose claims are granted; they are added to the state."""
    return tuple(need for need in walked.asks if state.add(need))


def answer_claim(
    claim: NewId, said: Literal["granted", "held", "contested", "lost"], holder: str = ""
) -> NewId:
    """The answer to a claim, as a row of the claimant."""
    return NewId(
        publication=claim.publication,
        id_kind=claim.id_kind,
        value=claim.value,
        said=said,
        final=claim.final,
        holder=holder,
        round=claim.round,
    )


def unanswered(state: PublicationState, outcome: NeedOutcome) -> list[ResourceDone]:
    """The outcome of every need that has none yet, because nobody waits for it any more; what still arrives
    for it is a repeat. The state is not changed."""
    return [
        ResourceDone(
            publication=need.publication,
            need=need.need,
            answer=outcome,
            place=need.place,
            fetched_at=0,
            resource=need.resource,
            outcome=outcome,
            evidence="nobody waits for it any more",
        )
        for need in state.sent.values()
        if not state.has_outcome(need.need)
    ]


def with_primary(record: Record, before: Record | None) -> Record:
    """The record with its primary identifier: the one it had when it was first stored, or the best one if it
    has that no more (F-DB-02, F-DB-13)."""
    primary, value = (before.primary, before.primary_value) if before is not None else (None, "")
    if primary is None or record.identifiers.get(primary) != value:
        known = record.identifiers.known()
        primary, value = known[0] if known else (None, "")
    return msgspec.structs.replace(record, primary=primary, primary_value=value)


def join_into(publication: str, survivor: str, submission: str) -> PublicationsJoined:
    """The row with which a publication ends in another."""
    return PublicationsJoined(publication=publication, survivor=survivor, submission=submission)


def parked_because(walked: Walked) -> str:
    """Why the lines of a run that is over are parked and not finished; empty if they are finished.

    Such a run leaves no version of the record: what is stored stays as it is (or nothing is).
    """
    return UNREACHED if walked.unreached else ""


def settle(
    requested: FetchRequested,
    record: Record,
    version: int,
    now_ms: int,
    *,
    fetched: bool,
    parked: str = "",
) -> SubmissionSettled:
    """What became of a submitted line, once its publication has a finished record."""
    outcome: SettledOutcome = "finished"
    replacement = Identifiers()
    reason = parked
    left = None
    if not fetched and not parked:
        standing = standing_of(record, requested.settings.thresholds)
        left = left_out(standing, requested.cooldowns, now_ms)
    if parked:
        outcome = "parked"
    elif not record.known:
        outcome = "known-nowhere"
        reason = "no source knows it"
    else:
        own = record.identifiers
        replaced = {
            kind: own.get(kind)
            for kind, value in requested.identifiers.known()
            if own.get(kind) and not is_variant(own.get(kind), value, kind)
        }
        if replaced:
            outcome = "corrected"
            replacement = Identifiers(**replaced)
            reason = "replaced: " + ", ".join(
                f"{requested.identifiers.get(kind)} is {value}" for kind, value in replacement.known()
            )
    if left is not None:
        reason = "; ".join(filter(None, (reason, left.sentence)))
    return SubmissionSettled(
        job=requested.job,
        line=requested.line,
        identifiers=requested.identifiers,
        outcome=outcome,
        publication=record.publication,
        version=version,
        replacement=replacement,
        reason=reason,
        fetched=fetched,
        correlation_id=requested.correlation_id,
        idempotency_key=requested.idempotency_key,
        settled_at=now_ms,
    )


def led_astray(requested: FetchRequested, state: PublicationState, record: Record) -> bool:
    """None of a line's identifiers is (a spelling of) one of the record's, and other lines named other ones: one of
    them may have led it here by mistake, and what this line meant is still to be fetched."""
    own, meant = record.identifiers, requested.identifiers
    return (
        all((value := own.get(kind)) and not is_variant(value, given, kind) for kind, given in meant.known())
        and bool(meant.known())
        and any(
            run.epoch == state.epoch
            and any(meant.get(kind) != value for kind, value in run.identifiers.known())
            for run in state.runs
        )
    )


def reason_of_change(before: Record | None, after: Record) -> str:
    """In one sentence what a new version changed: which part, from which candidate."""
    if before is None:
        found = [f"{name} from {part.type}" for name, part in after.parts() if not part.is_empty]
        return "first record: " + (", ".join(found) if found else "nothing was found")
    changed = [
        f"{name} from {after.part(name).type}"
        for name in PART_NAMES
        if _content(before, name) != _content(after, name)
    ]
    fields = [
        name
        for name in (
            "oa",
            "journal_title",
            "pub_date",
            "citations_count",
            "corresp_author",
            "notices",
            "relations",
        )
        if getattr(before, name) != getattr(after, name)
    ]
    if changed or fields:
        return "changed: " + ", ".join([*changed, *fields])
    return "fetched again, nothing new"


def _content(record: Record, name: PartName) -> tuple[object, ...]:
    part = record.part(name)
    return (part.text, part.words, part.mesh, part.terms, part.blob, part.type)
