"""A resource service, or a door, as a hearer: pure steps in, questions and findings out (design law 5)."""

import logging
from typing import Final, Protocol

import msgspec

from pubweave.contract.digests import content_digest
from pubweave.contract.exchange import Reply, Work
from pubweave.contract.kinds import Event
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.part_candidate import PartCandidate
from pubweave.contract.reply_received import ReplyReceived
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.values import BlobRef
from pubweave.core.reading.rules import RuleBook
from pubweave.core.toolkit.service import Context, Service
from pubweave.ports import Blobs, Clock, Fetching, StorageProblem
from pubweave.runtimes.breaking import broken_door
from pubweave.runtimes.contents import claim_checked
from pubweave.runtimes.messages.delays import delayed
from pubweave.runtimes.messages.effects import Effects
from pubweave.runtimes.steps import Here, Steps

_log = logging.getLogger(__name__)

DOOR_WAITS_MS: Final = 30_000
"""Delays up to this long are the door's to wait for; longer ones become delayed events (design law 6)."""

BODY_LIMIT: Final = 64 * 1024
"""Bodies of replies above this many bytes do not travel (P-26)."""


class Resource:
    """One member of the group of a resource."""

    def __init__(
        self, service: Service, context: Context, blobs: Blobs, clock: Clock, steps: Steps | None = None
    ) -> None:
        """:param steps: where replies are read; None: here, at once"""
        self.service = service
        self._steps = steps or Here()
        self._context = context
        self._blobs = blobs
        self._clock = clock
        self._gathered: list[NeedsPart] = []

    @property
    def gathers(self) -> bool:
        """It asks for many needs at once."""
        return self.service.batching.max_needs > 1 and not self._context.no_batch

    def use_rules(self, rules: RuleBook | None) -> None:
        """Other rules for pages from the next message on."""
        self._context = msgspec.structs.replace(self._context, rules=rules)

    async def hear(self, topic: str, event: Event, effects: Effects) -> None:
        """See `Hearer`. Needs are gathered to the end of the batch."""
        if isinstance(event, NeedsPart):
            self._gathered.append(event)
        else:
            assert isinstance(event, ReplyReceived)
            reply = event.reply
            if reply.blob is not None:
                try:
                    body = await self._blobs.get(reply.blob.digest)
                except KeyError:  # lost with its store, before it was read: asked anew, from the beginning
                    anew = Work(resource=event.work.resource, needs=event.work.needs)
                    await self._step(anew, None, effects)
                    return
                reply = msgspec.structs.replace(reply, body=body, blob=None)
            await self._step(event.work, reply, effects)

    async def end_of_batch(self, effects: Effects) -> None:
        """The needs at hand are asked together, as many as the resource takes at a time."""
        gathered = list({need.need: need for need in self._gathered}.values())
        self._gathered = []
        size = 1 if self._context.no_batch else max(1, self.service.batching.max_needs)
        for start in range(0, len(gathered), size):
            needs = tuple(gathered[start : start + size])
            await self._step(Work(resource=self.service.name, needs=needs), None, effects)

    def durable(self) -> None:
        """Nothing is kept."""

    def forget(self) -> None:
        self._gathered = []

    async def _step(self, work: Work, reply: Reply | None, effects: Effects) -> None:
        said = await self._steps.said(self.service, work, reply, self._context)
        for one in said:
            if isinstance(one, ReplyWanted) and one.delay_ms > DOOR_WAITS_MS:
                at_once = msgspec.structs.replace(one, delay_ms=0)
                effects.say(delayed(at_once, self._clock.now_ms() + one.delay_ms))
            elif isinstance(one, PartCandidate):
                effects.say(claim_checked(one, lambda content: put_blob(self._blobs, content, effects)))
            else:
                effects.say(one)


class Hopping(Protocol):
    """A door that may give a question on to the owner of another site."""

    async def fetch(self, wanted: ReplyWanted) -> Reply | ReplyWanted: ...


class Door:
    """One member of the group of a door.

    A question that another door goes on with (the PDF reader reads, the renderer shows what the fetcher brought) is
    handed on with what came; everything else ends here, with one reply.
    """

    def __init__(self, door: Fetching | Hopping, blobs: Blobs, clock: Clock) -> None:
        self._door = door
        self._blobs = blobs
        self._clock = clock

    async def hear(self, topic: str, event: Event, effects: Effects) -> None:
        """See `Hearer`. Always one reply, whatever happens."""
        assert isinstance(event, ReplyWanted)
        reply = await self._answer(event)
        if isinstance(reply, ReplyWanted):
            effects.say(reply)
            return
        if len(reply.body) > BODY_LIMIT:
            reply = msgspec.structs.replace(reply, body=b"", blob=put_blob(self._blobs, reply.body, effects))
        if event.door != "fetcher" and event.fetched is None and reply.outcome == "found":
            effects.say(msgspec.structs.replace(event, fetched=reply))
        else:
            effects.say(ReplyReceived(ask=event.ask, reply=reply, work=event.work, door=event.door))

    async def _answer(self, wanted: ReplyWanted) -> Reply | ReplyWanted:
        try:
            if wanted.fetched is not None and wanted.fetched.blob is not None:
                try:
                    body = await self._blobs.get(wanted.fetched.blob.digest)
                except KeyError:  # lost with its store, before it was read: fetched anew
                    return msgspec.structs.replace(wanted, fetched=None)
                fetched = msgspec.structs.replace(wanted.fetched, body=body, blob=None)
                wanted = msgspec.structs.replace(wanted, fetched=fetched)
            return await self._door.fetch(wanted)
        except StorageProblem:
            raise
        except Exception as bug:  # noqa: BLE001  # a door that breaks costs one question, not the run
            return broken_door(wanted, bug, self._clock.now_ms())

    async def end_of_batch(self, effects: Effects) -> None:
        """Nothing was put off."""

    def durable(self) -> None:
        """Nothing is kept."""

    def forget(self) -> None:
        """Nothing is kept."""


def put_blob(blobs: Blobs, content: bytes, effects: Effects) -> BlobRef:
    """Name a content that is stored before anything that names it is said."""
    effects.first.append(lambda: blobs.put(content))
    return BlobRef(digest=content_digest(content), bytes=len(content))
