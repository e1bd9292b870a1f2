"""Writes finished records, by version, into the store that is looked up."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from pubweave.contract.kinds import Event
from pubweave.contract.publication_removed import PublicationRemoved
from pubweave.contract.publication_updated import PublicationUpdated
from pubweave.ports import Store, StoredRecord, WhatFollows

Noted: TypeAlias = Callable[[StoredRecord], Awaitable[None]]
"""Told of each version that was stored, for the views; safe to repeat."""


class Materialiser:
    """One member of the group `materialiser`. Versions in any order, repeatedly, give the same store."""

    def __init__(self, store: Store, noted: Noted | None = None) -> None:
        self._store = store
        self._noted = noted

    async def hear(self, topic: str, event: Event, effects: WhatFollows) -> None:
        """See `runtimes.messages.effects.Hearer`."""
        match event:
            case PublicationUpdated():
                record = StoredRecord(
                    event.publication, event.version, bytes(event.record), event.reason, event.updated_at
                )
            case PublicationRemoved():
                record = StoredRecord(
                    event.publication, event.version, b"", event.reason, event.removed_at, removed=True
                )
            case _:
                raise TypeError(f"not a record: {event!r}")
        effects.first.append(lambda: self._write(record))

    async def _write(self, record: StoredRecord) -> None:
        await self._store.put_record(record)
        if self._noted is not None:
            await self._noted(record)

    async def end_of_batch(self, effects: WhatFollows) -> None:
        """Nothing was put off."""

    def durable(self) -> None:
        """Nothing is kept."""

    def forget(self) -> None:
        """Nothing is kept."""
