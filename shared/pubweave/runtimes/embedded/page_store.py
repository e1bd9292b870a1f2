"""Web pages and docs in a storage: facts as rows and in the log, the record folded from them (chapter 20).

Every change is durable when its call returns (F-DB-17), or with the batch of the caller.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Final

import msgspec

from pubweave.contract.codec import decode_row, named, version_of
from pubweave.contract.kinds import KINDS, kind_of
from pubweave.contract.routing import topic_for
from pubweave.contract.vocabulary import PageKind
from pubweave.contract.webpage_accepted import WebpageAccepted
from pubweave.contract.webpage_put import WebpagePut
from pubweave.contract.webpage_read import WebpageRead
from pubweave.contract.webpage_removed import WebpageRemoved
from pubweave.core.webpage_fold import Folded, WebpageFact, fold, page_key
from pubweave.core.webpage_record import WebpageRecord, decode_webpage, encode_webpage
from pubweave.ports import Blobs, Clock, Entry, Row
from pubweave.runtimes.contents import INLINE_LIMIT
from pubweave.runtimes.embedded.system import Storage
from pubweave.runtimes.messages.pages import stored_of

TOPIC: Final = "webpages"
_PAGE: Final = 1000
_FACTS: Final = (WebpageAccepted, WebpageRead, WebpagePut, WebpageRemoved)
_KINDS: Final = frozenset(name for name, kind in KINDS.items() if kind.struct in _FACTS)


class PageStore:
    """The stores `webpages` and `docs` of F-DB-01, each by start address (F-DB-04)."""

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self._storage = storage
        self._clock = clock

    async def get(self, entry: PageKind, url: str) -> WebpageRecord | None:
        """The page with its content; None if it is not stored."""
        stored = await self._storage.store.record(url, entry)
        if stored is None or stored.removed:
            return None
        return await content_put_back(decode_webpage(stored.body), self._storage.blobs)

    async def contains(self, entry: PageKind, url: str) -> bool:
        stored = await self._storage.store.record(url, entry)
        return stored is not None and not stored.removed

    async def all(self, entry: PageKind) -> AsyncIterator[WebpageRecord]:
        """All pages of a store, by start address."""
        async for stored in self._storage.store.records(entry):
            yield await content_put_back(decode_webpage(stored.body), self._storage.blobs)

    async def put(self, entry: PageKind, record: WebpageRecord) -> None:
        """Put a page in place, overwriting that of its start address (F-CLI-251).

        :raises ValueError: it has no start address
        """
        if not record.start_url.strip():
            raise ValueError("a page needs its start address to be stored")
        folded = await self.folded(entry, record.start_url)
        kept = await self._without_long_content(record)
        fact = WebpagePut(
            publication=page_key(entry, record.start_url),
            entry=entry,
            epoch=_next_epoch(folded),
            record=msgspec.Raw(encode_webpage(kept)),
            put_at=self._clock.now_ms(),
        )
        await self.keep(entry, record.start_url, [fact])

    async def remove(self, entry: PageKind, url: str) -> bool:
        """Take a page out and leave a tombstone.

        :returns: False if there was none
        """
        if not await self.contains(entry, url):
            return False
        folded = await self.folded(entry, url)
        fact = WebpageRemoved(
            publication=page_key(entry, url),
            entry=entry,
            epoch=_next_epoch(folded),
            removed_at=self._clock.now_ms(),
        )
        await self.keep(entry, url, [fact])
        return True

    async def folded(self, entry: PageKind, url: str) -> Folded:
        """Where a page stands."""
        return fold(await self._facts(page_key(entry, url)))

    async def gone(self, folded: Folded) -> str:
        """Digest of the page's content, if that is stored no more."""
        blob = folded.record.blob if folded.record is not None else None
        return blob.digest if blob is not None and not await self._storage.blobs.has(blob.digest) else ""

    async def keep(
        self,
        entry: PageKind,
        url: str,
        facts: Sequence[WebpageFact],
        needs: dict[tuple[str, str], int] | None = None,
    ) -> Folded:
        """Add facts and write the record that follows from them, all or nothing.

        :param needs: how many needs of which resource ended how, as `Store.count_needs` takes them
        :returns: where the page stands then, a long content by reference
        """
        store, key = self._storage.store, page_key(entry, url)
        async with store.batch():
            kept = [await self._short(fact) for fact in facts]
            await self._storage.log.append(TOPIC, [_entry(key, fact) for fact in kept])
            await store.add_rows(key, [_row(fact) for fact in kept])
            if needs:
                await store.count_needs(needs)
            folded = await self.folded(entry, url)
            await store.put_record(stored_of(url, folded), entry)
        return folded

    async def rebuild(self) -> int:
        """Make rows and records anew from the log alone.

        :returns: how many pages the log tells of
        """
        store, after = self._storage.store, 0
        pages: dict[str, tuple[PageKind, str]] = {}
        while found := await self._storage.log.read(TOPIC, after, _PAGE):
            after = found[-1].offset
            async with store.batch():
                for logged in found:
                    if logged.entry.kind not in _KINDS:
                        continue
                    fact = _read_fact(logged.entry.kind, logged.entry.version, logged.entry.body)
                    if fact is None:
                        continue
                    pages[fact.publication] = (fact.entry, fact.publication.removeprefix(f"{fact.entry} "))
                    await store.add_rows(fact.publication, [_row(fact)])
        for entry, url in pages.values():
            await store.put_record(stored_of(url, await self.folded(entry, url)), entry)
        return len(pages)

    async def _facts(self, key: str) -> list[WebpageFact]:
        facts = []
        for row in await self._storage.store.rows(key):
            kind, version, body = row.body.split(b" ", 2)
            if kind.decode() in _KINDS:  # on the bus lines and their outcomes stand among them
                fact = _read_fact(kind.decode(), int(version), body)
                if fact is not None:
                    facts.append(fact)
        return facts

    async def _short(self, fact: WebpageFact) -> WebpageFact:
        if not isinstance(fact, WebpageRead) or len(fact.content) <= INLINE_LIMIT:
            return fact
        blob = await self._storage.blobs.put(_bytes(fact.content))
        return msgspec.structs.replace(fact, content="", blob=blob, blob_size=len(fact.content))

    async def _without_long_content(self, record: WebpageRecord) -> WebpageRecord:
        if len(record.content) <= INLINE_LIMIT:
            return record
        blob = await self._storage.blobs.put(_bytes(record.content))
        return msgspec.structs.replace(record, content="", blob=blob, blob_size=len(record.content))


async def content_put_back(record: WebpageRecord, blobs: Blobs) -> WebpageRecord:
    """The page with the content that had gone to the blobs; where it is stored no more, the page still names it."""
    if record.blob is None:
        return record
    try:
        content = (await blobs.get(record.blob.digest)).decode("utf-8", "surrogatepass")
    except KeyError:
        return record
    return msgspec.structs.replace(record, content=content, blob=None, blob_size=0)


def _bytes(content: str) -> bytes:
    return content.encode("utf-8", "surrogatepass")


def _next_epoch(folded: Folded) -> int:
    return folded.epoch + 1 if folded.version else folded.epoch


def _entry(key: str, fact: WebpageFact) -> Entry:
    name, body = named(fact)
    assert topic_for(fact) == TOPIC
    return Entry(key, name, kind_of(fact), version_of(fact), body)


def _row(fact: WebpageFact) -> Row:
    name, body = named(fact)
    return Row(name, b"%b %d %b" % (kind_of(fact).encode(), KINDS[kind_of(fact)].version, body))


def _read_fact(kind: str, version: int, body: bytes) -> WebpageFact | None:
    event = decode_row(kind, version, body)
    if event is None:
        return None
    assert isinstance(event, _FACTS), f"{kind} is no fact of a page"
    return event
