"""Databases as the pipeline reads them: looked up a page at a time, as they were when they were opened."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from pubweave.cli.operations.selecting import ListedEntry
from pubweave.cli.operations.selecting.model import Entry
from pubweave.cli.operations.worklist import Numbered
from pubweave.contract.values import Identifiers
from pubweave.contract.vocabulary import EntryKind
from pubweave.core.record import Part, Record, decode_record
from pubweave.core.webpage_record import WebpageRecord, decode_webpage
from pubweave.ports import StoredRecord

if TYPE_CHECKING:
    from pubweave.adapters.cassandra import CassandraStorage
    from pubweave.adapters.sqlite import SqliteStorage
    from pubweave.core.reading.jats.document import Document


class _RecordNames(msgspec.Struct):
    """The members of a record that say who it is; the rest is skipped, not decoded."""

    pmid: Part = Part()
    pmcid: Part = Part()
    doi: Part = Part()


_NAMES: Final = msgspec.json.Decoder(_RecordNames)


class DatabaseSource:
    """One database, open for reading: a file, or the Cassandra of a cluster. Opened by `open`, closed by `close`."""

    def __init__(
        self, path: str, opened: AsyncExitStack, storage: "SqliteStorage | CassandraStorage"
    ) -> None:
        self.path: Final = path
        self._opened = opened
        self._storage = storage

    @classmethod
    async def open(cls, path: str) -> "DatabaseSource":
        """:raises StorageProblem: it cannot be opened; among others because it is PubFetcher's own"""
        from pubweave.runtimes.wiring import reading

        opened = AsyncExitStack()
        return cls(path, opened, await opened.enter_async_context(reading(Path(path))))

    def freeze(self) -> None:
        """Stay with what is there now, whatever later steps of the pipeline write. A cluster goes on meanwhile."""
        from pubweave.adapters.sqlite import SqliteStorage

        if isinstance(self._storage, SqliteStorage):
            self._storage.snapshot()

    async def close(self) -> None:
        await self._opened.aclose()

    async def listed(self, kind: EntryKind) -> AsyncIterator[tuple[str, ListedEntry]]:
        """Everything that it has of a kind, with the keys (F-CLI-56 to F-CLI-58)."""
        async for stored in self._storage.store.records(kind):
            if kind == "publication":
                names = _NAMES.decode(stored.body)
                parts = (names.pmid, names.pmcid, names.doi)
                listed = ListedEntry(
                    Identifiers(*(part.text for part in parts)), Identifiers(*(part.url for part in parts))
                )
                yield stored.publication, listed
            else:
                yield stored.publication, ListedEntry(url=stored.publication)

    def everything(self, kind: EntryKind) -> AsyncIterator[StoredRecord]:
        """All entries of a kind, in the order of `listed`."""
        return self._storage.store.records(kind)

    async def look_up(self, kind: EntryKind, page: Sequence[Numbered]) -> list[StoredRecord | None]:
        """What it has for the elements of an identifier list; None where it has nothing."""
        store = self._storage.store
        keys = [
            one.listed.url if kind != "publication" else one.key if one.base == self.path else ""
            for one in page
        ]
        by_key = await store.records_of([key for key in keys if key], kind)
        found = [by_key.get(key) for key in keys]
        if kind == "publication":
            places = [place for place, key in enumerate(keys) if not key]
            others = await store.find_publications([page[place].listed.identifiers for place in places])
            for place, stored in zip(places, others, strict=True):
                found[place] = stored
        return found

    async def by_key(self, kind: EntryKind, keys: Sequence[str]) -> dict[str, StoredRecord]:
        """Entries by the keys they had when they were got."""
        if kind == "publication":
            now = {key: await self._storage.store.resolve(key) for key in keys}
            found = await self._storage.store.records_of(list(now.values()))
            return {key: found[current] for key, current in now.items() if current in found}
        return await self._storage.store.records_of(keys, kind)

    async def knows(self, kind: EntryKind, page: Sequence[Numbered]) -> list[bool]:
        """Whether each element is there; of a publication every identifier must be (F-CLI-82, F-DB-15)."""
        store = self._storage.store
        if kind != "publication":
            there = await store.records_of([one.listed.url for one in page], kind)
            return [one.listed.url in there for one in page]
        names = [one.listed.identifiers.known() for one in page]
        held = await store.holders([name for known in names for name in known])
        return [bool(known) and all(name in held for name in known) for known in names]

    async def with_texts(self, entry: Entry) -> Entry:
        """The entry with the texts that are kept beside it."""
        if isinstance(entry, Record):
            from pubweave.runtimes.contents import put_back

            return await put_back(entry, self._storage.blobs)
        if entry.blob is None:
            return entry
        from pubweave.runtimes.embedded.webpage_store import content_put_back

        return await content_put_back(entry, self._storage.blobs)

    async def document(self, record: Record) -> "Document | None":
        """The structured document of a record's full text, if there is one."""
        from pubweave.cli.documents import document_of

        return await document_of(record, self._storage.blobs)


def decoded(kind: EntryKind, stored: StoredRecord) -> Entry:
    """The entry that is stored, without the texts kept beside it."""
    return decode_record(stored.body) if kind == "publication" else decode_webpage(stored.body)


def listed_of(entry: Entry) -> ListedEntry:
    """An entry as an element of an identifier list."""
    if isinstance(entry, WebpageRecord):
        return ListedEntry(url=entry.start_url)
    return ListedEntry(entry.identifiers, entry.provenance)
