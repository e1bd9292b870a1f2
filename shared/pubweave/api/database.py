"""A database file: the stores of F-DB-01 behind one object (F-LIB-06)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pubweave.api.checking import identifiers_of
from pubweave.api.lists import read_json
from pubweave.contract.values import Identifiers
from pubweave.contract.vocabulary import EntryKind, PageKind
from pubweave.core.record import Record, decode_record
from pubweave.core.webpage_record import WebpageRecord
from pubweave.problems import UserError

if TYPE_CHECKING:
    from pubweave.adapters.sqlite import SqliteStorage


class Sizes(msgspec.Struct, frozen=True):
    """How many entries there are, and the bytes that the file takes."""

    publications: int
    webpages: int
    docs: int
    bytes: int


class Database:
    """Publications by any of their identifiers, web pages and docs by their start addresses.

    Made by `open_database`. Every change is durable when its call returns (F-DB-17). One task of an event loop at a time
    changes it, others wait; from threads use `pubweave.api.sync`. Where a method takes identifiers it takes one as text
    or `Identifiers`, and raises `UserError` for what is none; `StorageProblem` is raised when the file fails.
    """

    def __init__(self, storage: "SqliteStorage") -> None:
        from pubweave.adapters.clock import SystemClock
        from pubweave.runtimes.embedded.database import RecordStore as Records
        from pubweave.runtimes.embedded.webpage_store import WebpageStore

        self._storage = storage
        self._clock = SystemClock()
        self._records = Records(storage, self._clock)
        self._pages = WebpageStore(storage, self._clock)

    # Publications.

    async def get_publication(self, identifiers: str | Identifiers) -> Record | None:
        """The record that the PMID leads to, else the PMCID, else the DOI, with all its texts; None if there is none
        (F-DB-10)."""
        return await self._records.get(identifiers_of(identifiers))

    async def put_publication(self, record: Record) -> str:
        """Put a record in place, over the one that its identifiers lead to (F-DB-11…13).

        :returns: the key that it is stored under
        :raises UserError: it has no identifier
        """
        try:
            return await self._records.put(record)
        except ValueError as problem:
            raise UserError(str(problem)) from None

    async def contains_publication(self, identifiers: str | Identifiers) -> bool:
        """Every identifier that is given is known (F-DB-15)."""
        return await self._records.contains(identifiers_of(identifiers))

    async def remove_publication(self, identifiers: str | Identifiers) -> int:
        """Remove the publications that the identifiers lead to; tombstones stay (F-DB-14).

        :returns: how many were removed
        """
        return await self._records.remove(identifiers_of(identifiers))

    async def erase_publication(self, identifiers: str | Identifiers) -> bool:
        """Take every byte of a publication out; call `compact` afterwards for what had been replaced before.

        :returns: False if nothing is known of it
        """
        from pubweave.runtimes.embedded.erasing import Erasing

        erasing = Erasing(self._storage, self._clock)
        return await erasing.publications(identifiers_of(identifiers)) is not None

    async def publications(self) -> AsyncIterator[Record]:
        """All records with their texts, those stored first first."""
        from pubweave.runtimes.contents import put_back

        async for stored in self._storage.store.records():
            yield await put_back(decode_record(stored.body), self._storage.blobs)

    async def publication_ids(self) -> AsyncIterator[Identifiers]:
        """The identifiers of all publications, in the same order."""
        async for stored in self._storage.store.records():
            yield decode_record(stored.body).identifiers

    # Web pages and docs.

    async def get_webpage(self, url: str) -> WebpageRecord | None:
        """The web page of this start address with its content; None if there is none."""
        return await self._pages.get("webpage", url)

    async def get_doc(self, url: str) -> WebpageRecord | None:
        """The doc of this start address with its content; None if there is none."""
        return await self._pages.get("doc", url)

    async def put_webpage(self, page: WebpageRecord) -> None:
        """Put a web page in place, over the one of its start address.

        :raises UserError: it has no start address
        """
        await self._put_page("webpage", page)

    async def put_doc(self, page: WebpageRecord) -> None:
        """Put a doc in place, over the one of its start address.

        :raises UserError: it has no start address
        """
        await self._put_page("doc", page)

    async def _put_page(self, kind: PageKind, page: WebpageRecord) -> None:
        try:
            await self._pages.put(kind, page)
        except ValueError as problem:
            raise UserError(str(problem)) from None

    async def contains_webpage(self, url: str) -> bool:
        """There is a web page of this start address."""
        return await self._pages.contains("webpage", url)

    async def contains_doc(self, url: str) -> bool:
        """There is a doc of this start address."""
        return await self._pages.contains("doc", url)

    async def remove_webpage(self, url: str) -> bool:
        """Remove a web page; a tombstone stays. False if there is none."""
        return await self._pages.remove("webpage", url)

    async def remove_doc(self, url: str) -> bool:
        """Remove a doc; a tombstone stays. False if there is none."""
        return await self._pages.remove("doc", url)

    async def webpages(self) -> AsyncIterator[WebpageRecord]:
        """All web pages with their contents, by start address."""
        async for page in self._pages.all("webpage"):
            yield page

    async def docs(self) -> AsyncIterator[WebpageRecord]:
        """All docs with their contents, by start address."""
        async for page in self._pages.all("doc"):
            yield page

    async def page_urls(self, kind: PageKind) -> AsyncIterator[str]:
        """The start addresses of all web pages, or of all docs, sorted.

        :param kind: `webpage` or `doc`
        """
        async for stored in self._storage.store.records(kind):
            yield stored.publication

    # The whole.

    async def count(self, kind: EntryKind = "publication") -> int:
        """How many there are.

        :param kind: `publication`, `webpage` or `doc`
        """
        return await self._storage.store.count(kind)

    async def sizes(self) -> Sizes:
        """How many entries there are, and how many bytes the files take."""
        sizes = self._storage.sizes()
        return Sizes(
            publications=await self.count(),
            webpages=await self.count("webpage"),
            docs=await self.count("doc"),
            bytes=sizes.file_bytes + sizes.log_bytes,
        )

    async def import_json(self, path: str | Path, *, keep: bool = False) -> int:
        """Bring over what a JSON output holds (PubFetcher's or ours, any size): everything, or nothing.

        :param keep: leave entries that are there as they are, instead of overwriting them
        :returns: how many were put
        :raises UserError: something in it cannot be read; nothing was put
        """
        from pubweave.runtimes.embedded.bringing import Bringing

        bringing = Bringing(self._storage, self._clock, keep=keep)
        try:
            async with self._storage.store.batch():
                await bringing.all_of(read_json(path))
        except UserError:
            raise
        except ValueError as problem:
            raise UserError(f"{path}: {problem}") from None
        return bringing.brought.put

    async def merge(self, other: str | Path, *, keep: bool = False) -> int:
        """Put everything finished that another database holds into this one: everything, or nothing.

        :param keep: leave entries that are there as they are, instead of overwriting them
        :returns: how many were put
        """
        from pubweave.adapters.sqlite import SqliteStorage
        from pubweave.runtimes.embedded.bringing import Bringing

        bringing = Bringing(self._storage, self._clock, keep=keep)
        source = SqliteStorage.open_reading(other)
        try:
            async with self._storage.store.batch():
                await bringing.all_in(source)
        finally:
            await source.close()
        return bringing.brought.put

    async def commit(self) -> None:
        """Move everything into the file itself, so that it alone can be copied; nothing is lost without."""
        self._storage.checkpoint()

    async def compact(self) -> None:
        """Give back the space of what was deleted; takes as much free space as the file has bytes."""
        self._storage.compact()


@asynccontextmanager
async def open_database(
    path: str | Path, *, create: bool = False, readonly: bool = False
) -> AsyncIterator[Database]:
    """A database to work with, closed at the end. One process at a time may change it; any number may look.

    :param create: make the file if it is not there (else that is an error, F-DB-16)
    :param readonly: for looking only, also while somebody else writes; a change raises StorageProblem
    :raises StorageProblem: it cannot be opened; the text says what the file is and what to do
    """
    from pubweave.adapters.sqlite import SqliteStorage

    storage = SqliteStorage.open_reading(path) if readonly else SqliteStorage.open(path, create=create)
    try:
        yield Database(storage)
    finally:
        await storage.close()
