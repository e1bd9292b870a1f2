"""Entries of elsewhere into a database: of a JSON export, or of another database (F-DB-11…13, F-DB-19)."""

from collections.abc import AsyncIterator, Callable, Iterable
from typing import Protocol

import msgspec

from pubweave.contract.values import Identifiers
from pubweave.contract.vocabulary import EntryKind, PageKind
from pubweave.core.record import Record, decode_record
from pubweave.core.webpage_record import WebpageRecord, decode_webpage
from pubweave.ports import Clock
from pubweave.runtimes.contents import put_back
from pubweave.runtimes.embedded.database import RecordStore
from pubweave.runtimes.embedded.storage import Storage
from pubweave.runtimes.embedded.webpage_store import WebpageStore, content_put_back

Entry = tuple[EntryKind, Record | WebpageRecord]


class Brought(msgspec.Struct):
    """How many entries there were, by what became of them."""

    publications: int = 0
    webpages: int = 0
    docs: int = 0
    kept: int = 0
    """Left as they were, for they were there already."""
    skipped: int = 0
    """Left out, for they cannot be put."""

    @property
    def put(self) -> int:
        """How many were put in place."""
        return self.publications + self.webpages + self.docs

    @property
    def read(self) -> int:
        """How many were looked at."""
        return self.put + self.kept + self.skipped


class Records(Protocol):
    """Where publications are put."""

    said: list[str]

    async def put(self, record: Record) -> str: ...

    async def find(self, identifiers: Identifiers) -> Record | None: ...


class Bringing:
    """Puts entries in place one by one, with all that is theirs: types, times, counters, fields.

    Call `all_of` or `all_in` inside one `store.batch()`, and everything comes over or nothing does; memory does not
    grow with the number of entries.
    """

    def __init__(
        self,
        storage: Storage,
        clock: Clock,
        *,
        keep: bool = False,
        skip: bool = False,
        say: Callable[[str], None] = lambda sentence: None,
        moved: Callable[[Brought], None] = lambda brought: None,
        records: Records | None = None,
        pages: WebpageStore | None = None,
    ) -> None:
        """
        :param records: where publications are put, if not straight into the storage
        :param pages: the same of web pages and docs
        :param keep: leave entries that are there as they are, instead of overwriting them
        :param skip: leave out publications without identifier, instead of refusing all
        :param say: hears a sentence for each publication that went because another is the same, or was left out
        :param moved: hears the counts after every entry
        """
        self._storage = storage
        self._database: Records = records if records is not None else RecordStore(storage, clock)
        self._pages = pages if pages is not None else WebpageStore(storage, clock)
        self._keep = keep
        self._skip = skip
        self._say = say
        self._moved = moved
        self.brought = Brought()

    async def all_of(self, entries: Iterable[Entry]) -> None:
        """Put these.

        :raises ValueError: a publication has no identifier; the text says which
        """
        for kind, entry in entries:
            await self._one(kind, entry)

    async def all_in(self, source: Storage) -> None:
        """Put everything finished that another database holds; what was removed there is not removed here."""
        async for kind, entry in everything(source):
            if isinstance(entry, Record):
                await self._documents(entry, source)
                entry = _of_elsewhere(entry)
            await self._one(kind, entry)

    async def _documents(self, record: Record, source: Storage) -> None:
        """What structured documents are made of, to which records only refer."""
        for _, part in record.parts():
            if part.document is not None:
                try:
                    document = await source.blobs.get(part.document.digest)
                except KeyError:  # stored no more; the text is there
                    continue
                await self._storage.blobs.put(document)

    async def _one(self, kind: EntryKind, entry: Record | WebpageRecord) -> None:
        if isinstance(entry, Record):
            await self._publication(entry)
        elif kind != "publication":
            await self._page(kind, entry)
        self._moved(self.brought)

    def left_out(self, sentence: str) -> None:
        """Count an entry that cannot be put, and tell it."""
        self.brought.skipped += 1
        self._say(sentence)

    async def _publication(self, record: Record) -> None:
        if self._keep and await self._database.find(record.identifiers) is not None:
            self.brought.kept += 1
            return
        try:
            await self._database.put(record)
        except ValueError as problem:
            sentence = f"the publication with the title {record.title.text[:80]!r}: {problem}"
            if not self._skip:
                raise ValueError(sentence) from problem
            self.left_out(sentence)
            return
        for sentence in self._database.said:
            self._say(sentence)
        self.brought.publications += 1

    async def _page(self, kind: PageKind, page: WebpageRecord) -> None:
        if self._keep and await self._pages.contains(kind, page.start_url):
            self.brought.kept += 1
            return
        await self._pages.put(kind, page)
        if kind == "doc":
            self.brought.docs += 1
        else:
            self.brought.webpages += 1


async def everything(source: Storage) -> AsyncIterator[Entry]:
    """All finished entries of a database with their texts: publications, then web pages, then docs."""
    async for stored in source.store.records():
        yield "publication", await put_back(decode_record(stored.body), source.blobs)
    kinds: tuple[PageKind, ...] = ("webpage", "doc")
    for kind in kinds:
        async for stored in source.store.records(kind):
            yield kind, await content_put_back(decode_webpage(stored.body), source.blobs)


def _of_elsewhere(record: Record) -> Record:
    """Without what only has a meaning in the database it comes from."""
    parts = {
        name: msgspec.structs.replace(part, blob=None, place=None)
        for name, part in record.parts()
        if part.blob is not None or part.place is not None
    }
    return msgspec.structs.replace(record, publication="", **parts)
