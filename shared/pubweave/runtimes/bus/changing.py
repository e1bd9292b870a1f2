"""What people want changed in the publications of a running bus: told to their owners, who do it.

Cassandra says which publication identifiers lead to; a message to its owner says what is to be done. What was said is
done whatever crashes, also when whoever said it is gone.
"""

import secrets
from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from pubweave.adapters.cassandra import CassandraStorage
from pubweave.adapters.cassandra.erasing import CassandraErasing
from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.contract.erasure_requested import ErasureRequested
from pubweave.contract.identifiers_conflicted import IdentifiersConflicted
from pubweave.contract.kinds import Event
from pubweave.contract.removal_requested import RemovalRequested
from pubweave.contract.submissions_entered import SubmissionsEntered
from pubweave.contract.values import Identifiers
from pubweave.core.record import decode_record
from pubweave.ports import Clock
from pubweave.runtimes.bus.client import following
from pubweave.runtimes.bus.sending import Sender
from pubweave.runtimes.messages.effects import message, tombstone
from pubweave.runtimes.messages.publication import Erased, read_row

LOOK_S: Final = 0.25
"""How often it is looked whether what was said is done."""

_SERVICE: Final = "cli"


class Wiped(NamedTuple):
    """What an erasure takes away."""

    key: str
    contents: int
    """Long texts and documents."""
    shared: int
    """Contents that stay, for other entries have the very same."""


class Changing:
    """Says what is to be removed and erased, and waits until it is."""

    def __init__(self, storage: CassandraStorage, place: KafkaPlace, sender: Sender, clock: Clock) -> None:
        self._storage = storage
        self._place = place
        self._sender = sender
        self._clock = clock
        self._erasing = CassandraErasing(storage.session, storage.store)
        self.missing: list[str] = []
        """Sentences about what was asked for and is not there."""

    async def remove(self, wanted: Iterable[Identifiers], reason: str = "removed") -> list[str]:
        """Have the publications removed that the identifiers lead to.

        :returns: their keys
        :raises StorageProblem: the brokers or the cluster do not answer
        """
        keys: dict[str, None] = {}
        for identifiers in wanted:
            led = [key for key in await self._led_to(identifiers) if await self._has_record(key)]
            keys |= dict.fromkeys(led)
            if not led:
                self.missing += [
                    f"{kind} {value} is not in the database" for kind, value in identifiers.known()
                ]
        request, now_ms = secrets.token_hex(8), self._clock.now_ms()
        await self._say(
            RemovalRequested(publication=key, request=request, reason=reason, requested_at=now_ms)
            for key in keys
        )
        return list(keys)

    async def erase(self, identifiers: Identifiers) -> list[Wiped]:
        """Have everything erased that is known of the publications that these lead to, or led to before they were
        removed.

        :returns: what that is; empty if nothing is known
        :raises StorageProblem: the brokers or the cluster do not answer
        """
        keys = set(await self._led_to(identifiers)) | await self._erasing.removed_with(identifiers.known())
        wiped = [await self._erase(key) for key in sorted(keys)]
        return wiped

    async def _erase(self, key: str) -> Wiped:
        became = await self._with_those_that_became(key)
        contents = await self._erasing.contents_of(became)
        shared = await self._erasing.wanted_elsewhere(contents, became)
        await self._erasing.forget_words(await self._words_of(became))
        await self._bury_conflicts(became)
        alone = tuple(sorted(contents - shared))
        await self._say([ErasureRequested(publication=key, request=secrets.token_hex(8), contents=alone)])
        return Wiped(key, len(alone), len(shared))

    async def done(self, keys: Iterable[str], wait_s: float) -> bool:
        """Wait until these are gone from where they are looked up.

        :returns: False if they are not in this time; they go when the services come to it
        """
        until_s = self._clock.monotonic_s() + wait_s
        left = list(keys)
        while left:
            left = [key for key in left if not await self._is_gone(key)]
            if left and self._clock.monotonic_s() >= until_s:
                return False
            if left:
                await self._clock.sleep(LOOK_S)
        return True

    async def _is_gone(self, key: str) -> bool:
        store = self._storage.store
        stored = await store.record(key)
        if stored is not None and not stored.removed:
            return False
        rows = [read_row(row) for row in await store.rows(key)]
        if not any(isinstance(row, Erased | RemovalRequested) for row in rows):
            return False
        return not [row async for row in self._storage.store.held_by(key)]

    async def _led_to(self, identifiers: Identifiers) -> list[str]:
        store = self._storage.store
        holders = await store.holders(identifiers.known())
        return list(dict.fromkeys([await store.resolve(holder) for holder in holders.values()]))

    async def _has_record(self, key: str) -> bool:
        stored = await self._storage.store.record(key)
        return stored is not None and not stored.removed

    async def _with_those_that_became(self, key: str) -> set[str]:
        found, waiting = {key}, [key]
        while waiting:
            for row in await self._storage.store.rows(waiting.pop()):
                event = read_row(row)
                if isinstance(event, SubmissionsEntered) and event.origin and event.origin not in found:
                    found.add(event.origin)
                    waiting.append(event.origin)
        return found

    async def _words_of(self, keys: Collection[str]) -> set[str]:
        words: set[str] = set()
        for key in keys:
            stored = await self._storage.store.record(key)
            if stored is not None and not stored.removed:
                words |= {value for _, value in decode_record(stored.body).identifiers.known()}
            for row in await self._storage.store.rows(key):
                event = read_row(row)
                if isinstance(event, SubmissionsEntered):
                    words |= {value for line in event.lines for _, value in line.identifiers.known()}
        return words

    async def _bury_conflicts(self, keys: Collection[str]) -> None:
        async with following(self._place, ["identifiers-conflicted"], from_the_start=True) as follower:
            found = [
                event
                async for event, _, _ in follower.events(to_the_end=True)
                if isinstance(event, IdentifiersConflicted) and {event.holder, event.claimant} & set(keys)
            ]
        await self._sender.bury([gone for event in found if (gone := tombstone(event)) is not None])

    async def _say(self, events: Iterable[Event]) -> None:
        await self._sender.send([message(event) for event in events], _SERVICE)
