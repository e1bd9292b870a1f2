"""Needs, replies and a loop, for tests of resource services."""

from collections import deque
from collections.abc import Callable, Sequence

import msgspec

from pubweave.contract.exchange import Reply, Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.resource_done import ResourceDone
from pubweave.contract.values import Identifiers, Place, RunSettings
from pubweave.contract.vocabulary import PART_NAMES, IdentifierKind, PartName, ResourceName
from pubweave.core.toolkit.service import Context, Said, Step

ReplyTo = Callable[[ReplyWanted], Reply]


def arbitrary_need(
    resource: ResourceName,
    ask: IdentifierKind,
    *,
    number: int = 1,
    pmid: str = "",
    pmcid: str = "",
    doi: str = "",
    missing: tuple[PartName, ...] = PART_NAMES,
    settings: RunSettings | None = None,
) -> NeedsPart:
    return NeedsPart(
        publication=f"publication-{number}",
        need=f"need-{number}",
        place=Place(1, 1, 1, 1, 1, 0),
        resource=resource,
        identifiers=Identifiers(pmid=pmid, pmcid=pmcid, doi=doi),
        ask=ask,
        missing=missing,
        settings=settings or RunSettings(),
    )


def found(wanted: ReplyWanted, body: bytes, content_type: str = "text/xml") -> Reply:
    return Reply(
        outcome="found",
        url=wanted.request.url,
        final_url=wanted.request.url,
        status=200,
        content_type=content_type,
        body=body,
        fetched_at=1_700_000_000_000,
    )


class TooManyQuestions(AssertionError):
    """A service did not come to an end."""


def run(
    step: Step,
    needs: Sequence[NeedsPart],
    reply_to: ReplyTo,
    context: Context | None = None,
    limit: int = 10_000,
) -> tuple[list[Said], list[ReplyWanted]]:
    """Drive a service to its end as a runtime would: (everything found and done, everything asked)."""
    context = context or Context()
    resource = needs[0].resource
    events: list[Said] = []
    asked: list[ReplyWanted] = []
    waiting: deque[ReplyWanted] = deque()

    def take(said: list[Said]) -> None:
        for event in said:
            if isinstance(event, ReplyWanted):
                waiting.append(event)
            else:
                events.append(event)

    take(step(Work(resource=resource, needs=tuple(needs)), None, context))
    while waiting:
        wanted = waiting.popleft()
        asked.append(wanted)
        if len(asked) > limit:
            raise TooManyQuestions(f"{len(asked)} questions for {len(needs)} needs")
        # What travels comes back as bytes, as it would over a bus.
        work = msgspec.json.decode(msgspec.json.encode(wanted.work), type=Work)
        take(step(work, reply_to(wanted), context))
    return events, asked


def outcomes(events: Sequence[Said]) -> dict[str, str]:
    """Outcome by need; fails if a need has more than one."""
    found: dict[str, str] = {}
    for event in events:
        if isinstance(event, ResourceDone):
            assert event.need not in found, f"{event.need} is done twice"
            found[event.need] = event.outcome
    return found


def told(events: Sequence[Said]) -> list[dict[str, object]]:
    """What was said of each need, without what depends on how it was asked: answer digests, evidence, notes."""
    shown = []
    for event in events:
        content = msgspec.to_builtins(event)
        for name in ("answer", "evidence", "notes", "fetched_at"):
            content.pop(name, None)
        shown.append(content)
    return sorted(shown, key=lambda event: (event["need"], event["place"]))
