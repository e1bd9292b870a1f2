"""Why a record is what it is, and whether the numbers add up: read from the rows, never from memory."""

from typing import Final

import msgspec

from pubweave.contract.field_candidate import FieldCandidate
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.part_candidate import PartCandidate
from pubweave.contract.values import Place
from pubweave.contract.vocabulary import IDENTIFIER_KINDS, PART_NAMES
from pubweave.core.identifiers import check_one
from pubweave.core.merging.decide import Abilities, Traced, record_of, walk
from pubweave.core.merging.fold import RULES, TAKEN
from pubweave.core.merging.state import PublicationState
from pubweave.core.record import Record, decode_record
from pubweave.ports import Blobs, Store, StoredRecord
from pubweave.runtimes.contents import put_back
from pubweave.runtimes.rows import load_state

_EXCERPT = 160


class Rung(msgspec.Struct, frozen=True):
    """One candidate and what became of it."""

    place: Place
    resource: str
    type: str
    url: str
    size: int
    excerpt: str
    verdict: str
    rule: str
    """The rule that decided, as a sentence."""
    taken: bool
    """It changed the part when its turn came."""
    wins: bool
    """It is what the record has."""
    at: int
    """When it was fetched, UNIX ms."""
    scraping_rule: str = ""


class Ladder(msgspec.Struct, frozen=True):
    """All candidates of one part or field in the order in which they were tested."""

    part: str
    rungs: list[Rung]


class ExplainedNeed(msgspec.Struct, frozen=True):
    """One need and its outcome."""

    resource: str
    asked_with: str
    outcome: str
    """Empty: none yet."""
    evidence: str
    place: Place


class Explanation(msgspec.Struct, frozen=True):
    record: Record
    version: int
    reason: str
    redirected_from: str
    """The key that was asked for, if the publication turned out to be another."""
    ladders: list[Ladder]
    needs: list[ExplainedNeed]


class Status(msgspec.Struct, frozen=True):
    """What is in a database and whether it adds up."""

    publications: int
    submissions: dict[str, int]
    """By outcome; "" = none yet."""
    needs: dict[str, dict[str, int]]
    """By resource and outcome; "" = sent."""
    attempts: dict[str, dict[str, int]]
    """By host and outcome."""
    unfinished_jobs: list[str]
    reconciled: bool
    differences: list[str]
    """What does not add up, each a sentence; empty if everything does."""
    webpages: int = 0
    docs: int = 0


async def find(store: Store, identifier: str) -> StoredRecord | None:
    """The stored record of an identifier or a publication's key; redirects are followed."""
    key = await _key(store, identifier)
    return await store.record(key) if key else None


async def _key(store: Store, identifier: str) -> str:
    checked = check_one(identifier.strip())
    if checked is not None:
        holders = await store.holders(checked.known())
        for holder in holders.values():
            return await store.resolve(holder)
    key = await store.resolve(identifier)
    return key if await store.record(key) is not None or await store.rows(key) else ""


async def get(store: Store, blobs: Blobs, identifier: str) -> Record | None:
    """The record with its texts, by any of its identifiers or its key; None if it is not here."""
    stored = await find(store, identifier)
    if stored is None or stored.removed:
        return None
    return await put_back(decode_record(stored.body), blobs)


_AS_ASKED: Final = Abilities(frozenset())
"""What was asked counts, whoever would be asked today: sources are switched on and off from job to job."""


async def explain(store: Store, blobs: Blobs, identifier: str, part: str = "") -> Explanation | None:
    """The ladder of every part and field (or of one), with the rule that decided each rung.

    None if the identifier is not in the database. Blobs that were erased show as an empty excerpt.
    """
    key = await _key(store, identifier)
    if not key:
        return None
    state = await load_state(store, key)
    stored = await store.record(key)
    steps: list[Traced] = []
    walked = walk(state, _AS_ASKED, steps.append)
    record = (
        decode_record(stored.body) if stored is not None and not stored.removed else record_of(state, walked)
    )
    ladders: dict[str, list[Rung]] = {name: [] for name in PART_NAMES}
    for finding, verdict in steps:
        if verdict is None:
            continue
        if isinstance(finding, PartCandidate):
            name: str = finding.part
            wins = record.part(finding.part).place == finding.place
            text, size, rule = await _text(blobs, finding), finding.size, finding.rule
            kind: str = finding.type
        elif isinstance(finding, FieldCandidate):
            text = _field_text(finding)
            name, wins, kind, size, rule = finding.field, verdict in TAKEN, "", len(text), ""
        else:
            continue
        need = state.sent.get(finding.need)
        ladders.setdefault(name, []).append(
            Rung(
                place=finding.place,
                resource=need.resource if need is not None else "",
                type=kind,
                url=finding.url,
                size=size,
                excerpt=text[:_EXCERPT],
                verdict=verdict,
                rule=RULES[verdict],
                taken=verdict in TAKEN,
                wins=wins,
                at=finding.fetched_at,
                scraping_rule=rule,
            )
        )
    for kind_ in IDENTIFIER_KINDS:
        supplied = record.part(kind_)
        if supplied.type == "external" and supplied.place is not None:
            ladders[kind_].insert(
                0,
                Rung(
                    place=supplied.place,
                    resource="",
                    type="external",
                    url=supplied.url,
                    size=supplied.size,
                    excerpt=supplied.text,
                    verdict="first",
                    rule="F-ID-21: supplied from outside",
                    taken=True,
                    wins=True,
                    at=supplied.timestamp,
                ),
            )
    wanted = [part] if part else list(ladders)
    return Explanation(
        record=await put_back(record, blobs),
        version=stored.version if stored is not None else 0,
        reason=stored.reason if stored is not None else "not finished yet",
        redirected_from="" if identifier == key or check_one(identifier) else identifier,
        ladders=[
            Ladder(name, ladders[name]) for name in wanted if name in ladders and (part or ladders[name])
        ],
        needs=[_asked(state, need) for need in sorted(state.sent.values(), key=lambda need: need.place)],
    )


def _asked(state: PublicationState, need: NeedsPart) -> ExplainedNeed:
    answers = state.answers.get(need.need)
    done = answers.done if answers is not None else None
    return ExplainedNeed(
        resource=need.resource,
        asked_with=need.value or (need.link.url if need.link else ""),
        outcome=done.outcome if done is not None else "",
        evidence=done.evidence if done is not None else "",
        place=need.place,
    )


async def _text(blobs: Blobs, candidate: PartCandidate) -> str:
    if candidate.blob is not None:
        try:
            return (await blobs.get(candidate.blob.digest)).decode("utf-8", "surrogatepass")
        except KeyError:
            return ""
    if candidate.text:
        return candidate.text
    if candidate.words:
        return "; ".join(candidate.words)
    if candidate.mesh:
        return "; ".join(term.term for term in candidate.mesh)
    return "; ".join(f"{term.term} ({term.count})" for term in candidate.terms)


def _field_text(candidate: FieldCandidate) -> str:
    match candidate.field:
        case "oa" | "preprint":
            return "true" if candidate.flag else "false"
        case "citationsCount" | "pubDate":
            return str(candidate.number)
        case "journalTitle":
            return candidate.text
        case "correspAuthor":
            return "; ".join(
                ", ".join(filter(None, msgspec.structs.astuple(author))) for author in candidate.authors
            )
        case "visitedSite":
            return candidate.site.url if candidate.site else ""
        case "relation":
            relation = candidate.relation
            return f"{relation.kind} {relation.source} {relation.id}" if relation else ""
        case "notice":
            notice = candidate.notice
            return f"{notice.kind} {notice.source} {notice.id}".strip() if notice else ""


async def status(store: Store) -> Status:
    """Counts of everything, and whether they reconcile (design law 3)."""
    submissions = await store.outcomes()
    needs = _nested(await store.needs())
    attempts = _nested(await store.attempts())
    unfinished = [job.job async for job in store.jobs() if not job.finished_at]
    differences = []
    for resource, by_outcome in needs.items():
        sent = by_outcome.get("", 0)
        ended = sum(count for outcome, count in by_outcome.items() if outcome)
        if ended > sent or (ended < sent and not unfinished):
            differences.append(f"{resource}: {sent} needs were sent, {ended} have an outcome")
    if submissions.get("", 0) and not unfinished:
        differences.append(
            f"{submissions['']} submitted identifiers have no outcome, but no job is under way"
        )
    return Status(
        publications=await store.count(),
        submissions=submissions,
        needs=needs,
        attempts=attempts,
        unfinished_jobs=unfinished,
        reconciled=not differences,
        differences=differences,
        webpages=await store.count("webpage"),
        docs=await store.count("doc"),
    )


def _nested(counts: dict[tuple[str, str], int]) -> dict[str, dict[str, int]]:
    nested: dict[str, dict[str, int]] = {}
    for (name, outcome), count in sorted(counts.items()):
        nested.setdefault(name, {})[outcome] = count
    return nested
