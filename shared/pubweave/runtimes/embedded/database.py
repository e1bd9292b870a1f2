"""Putting, getting and removing whole records, for whoever holds a storage (chapter 20.2).

Every change is durable when its call returns (F-DB-17).
"""

import secrets

from pubweave.contract.values import Identifiers
from pubweave.core.identifiers import check_one
from pubweave.core.merging.decide import Abilities
from pubweave.core.record import Record, decode_record
from pubweave.ports import Clock
from pubweave.runtimes.contents import put_back
from pubweave.runtimes.embedded.delivery import Delivery
from pubweave.runtimes.embedded.storage import Storage


class RecordStore:
    """Records by any of their identifiers."""

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self._storage = storage
        self._clock = clock
        self._delivery = Delivery(
            storage.store, storage.log, storage.blobs, clock, Abilities(frozenset()), second_chance=False
        )
        self.said: list[str] = []
        """What the last change had to tell a person."""
        self._last_key = 0

    async def put(self, record: Record) -> str:
        """Put a record in place, overwriting what its identifiers lead to (F-DB-11…13).

        :returns: the key that it is stored under
        :raises ValueError: it has no identifier
        """
        if not record.identifiers.known():
            raise ValueError("a publication needs a PMID, a PMCID or a DOI to be stored")
        async with self._storage.store.batch():
            stored_as = await self._delivery.put(record, self._new_key())
            self.said = [note.text for note in (await self._delivery.flush()).notes]
        return stored_as

    def _new_key(self) -> str:
        """As a job of one line would give it; those of one database object are in the order of their puts."""
        key = (self._clock.now_ms() << 32) | secrets.randbits(32)
        self._last_key = max(key, self._last_key + 1)
        return f"{self._last_key:020x}.000000000"

    async def find(self, identifiers: Identifiers) -> Record | None:
        """The record that the PMID leads to, else the PMCID, else the DOI (F-DB-10), without its long texts."""
        for kind, value in identifiers.known():
            for holder in (await self._storage.store.holders([(kind, value)])).values():
                stored = await self._storage.store.record(await self._storage.store.resolve(holder))
                if stored is not None and not stored.removed:
                    return decode_record(stored.body)
        return None

    async def get(self, identifiers: Identifiers) -> Record | None:
        """The same with its texts; `said` names identifiers that contradict the stored ones."""
        record = await self.find(identifiers)
        self.said = []
        if record is None:
            return None
        own = record.identifiers
        self.said = [
            f"Old ID {own.get(kind)} differs from the {kind} {value} asked for"
            for kind, value in identifiers.known()
            if own.get(kind) and own.get(kind) != value
        ]
        return await put_back(record, self._storage.blobs)

    async def contains(self, identifiers: Identifiers) -> bool:
        """Every identifier that is given is known (F-DB-15)."""
        known = identifiers.known()
        return bool(known) and len(await self._storage.store.holders(known)) == len(known)

    async def remove(self, identifiers: Identifiers) -> int:
        """Remove the publications that the identifiers lead to; `said` names those that lead nowhere (F-DB-14).

        :returns: how many were removed
        """
        removed = 0
        self.said = []
        async with self._storage.store.batch():
            for kind, value in identifiers.known():
                holders = await self._storage.store.holders([(kind, value)])
                if not holders:
                    self.said.append(f"{kind} {value} is not in the database")
                for holder in holders.values():
                    removed += await self._delivery.remove(holder)
            await self._delivery.flush()
        if removed:
            self.said = []
        return removed


def triplet(text: str) -> Identifiers:
    """One identifier given as text.

    :raises ValueError: it is none
    """
    found = check_one(text.strip())
    if found is None:
        raise ValueError(f"{text} is no PMID, PMCID or DOI")
    return found
