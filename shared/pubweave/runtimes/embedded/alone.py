"""One resource asked alone: no chain, no gates, nothing stored. For tests of resources and rules (chapter 22)."""

from collections import deque
from contextlib import AsyncExitStack
from typing import Self

import msgspec

from pubweave import registry
from pubweave.adapters.clock import SystemClock
from pubweave.contract.exchange import Reply, Work
from pubweave.contract.field_candidate import FieldCandidate
from pubweave.contract.gate_flag import GateFlag
from pubweave.contract.link_found import LinkFound
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.part_candidate import PartCandidate
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.resource_done import ResourceDone
from pubweave.contract.values import Identifiers, Link, Place, RunSettings
from pubweave.contract.vocabulary import IDENTIFIER_KINDS, GateName, NeedOutcome, ResourceName
from pubweave.core.merging.fold import Draft
from pubweave.core.record import Record
from pubweave.core.toolkit.service import Context, Said
from pubweave.doors.fetcher.door import FetcherDoor
from pubweave.doors.pdf_reader import PdfReader
from pubweave.ports import Clock, Fetching
from pubweave.runtimes.doors import Doors
from pubweave.runtimes.embedded.opening import SystemConfig
from pubweave.runtimes.steps import said_by

_PLACE = Place(0, 1, 1, 1, 1, 0)


class Alone(msgspec.Struct, frozen=True):
    """What one resource gave."""

    record: Record
    """Made of it alone, with its texts."""
    outcome: NeedOutcome
    evidence: str
    gates: dict[GateName, bool]
    """What Europe PMC says about further resources."""
    links: tuple[Link, ...]
    """Links it found."""


async def ask_alone(
    door: Fetching,
    context: Context,
    resource: ResourceName,
    identifiers: Identifiers,
    run: RunSettings,
    clock: Clock,
    link: Link | None = None,
) -> Alone:
    """Ask a resource about one publication, and fold what it says.

    :param link: what the resources `links` and `pdf` follow
    """
    ask = next((kind for kind, _ in identifiers.known()), None)
    need = NeedsPart(
        publication="alone",
        need="alone",
        place=_PLACE,
        resource=resource,
        identifiers=identifiers,
        ask=None if link is not None else ask,
        missing=run.parts,
        settings=run,
        link=link,
        external=tuple(kind for kind in IDENTIFIER_KINDS if identifiers.get(kind)),
    )
    service = registry.service(resource)
    # F-TST-05: the resource itself, without what meta tags say of a page
    context = msgspec.structs.replace(context, structured_documents=False, meta_tags=False)

    def said(work: Work, reply: Reply | None = None) -> list[Said]:
        return said_by(service, work, reply, context)

    waiting = deque(said(Work(resource=resource, needs=(need,))))
    found: list[Said] = []
    while waiting:
        one = waiting.popleft()
        if isinstance(one, ReplyWanted):
            if one.delay_ms:
                await clock.sleep(one.delay_ms / 1000)
            waiting.extend(said(one.work, await door.fetch(one)))
        else:
            found.append(one)
    return folded(found, identifiers, run, clock.now_ms())


def folded(found: list[Said], identifiers: Identifiers, run: RunSettings, now_ms: int) -> Alone:
    """What a resource said of one publication, as `ask_alone` returns it.

    :param found: everything said, in any order; its last word is the `resource-done`
    """
    done = next((one for one in found if isinstance(one, ResourceDone)), None)
    draft = Draft(now_ms)
    gates: dict[GateName, bool] = {}
    links: list[Link] = []
    for one in sorted((one for one in found if not isinstance(one, ReplyWanted)), key=lambda one: one.place):
        if isinstance(one, PartCandidate | FieldCandidate):
            draft.take(one, run)
        elif isinstance(one, GateFlag):
            gates[one.gate] = one.open
        elif isinstance(one, LinkFound):
            links.append(one.link)
    record = draft.record(
        "",
        fetch_time=now_ms,
        retry_counter=0,
        fetch_exception=done is not None and done.fetch_exception,
        known=True,
    )
    return Alone(
        record,
        done.outcome if done is not None else "failed",
        done.evidence if done is not None else "nothing was said",
        gates,
        tuple(links),
    )


class Asker:
    """Resources asked one by one over doors of their own."""

    def __init__(self, config: SystemConfig) -> None:
        self._config = config
        self._clock = SystemClock()
        self._open = AsyncExitStack()
        self._door: Fetching

    async def __aenter__(self) -> Self:
        """:raises FetcherProblem: a setting of the doors cannot be used; the text says which"""
        fetcher = await self._open.enter_async_context(FetcherDoor(self._config.fetcher, self._clock))
        pdf_reader = await self._open.enter_async_context(PdfReader(self._config.pdf_reader))
        self._door = Doors(fetcher, pdf_reader)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._open.aclose()

    async def ask(
        self,
        resource: ResourceName,
        identifiers: Identifiers,
        run: RunSettings,
        link: Link | None = None,
    ) -> Alone:
        """See `ask_alone`."""
        return await ask_alone(
            self._door, self._config.context, resource, identifiers, run, self._clock, link
        )
