"""Web pages and docs in a storage: facts as rows and in the log, the record folded from them (chapter 20).

Every change is durable when its call returns (F-DB-17), or with the batch of the caller.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Final

import msgspec

from pubweave.contract.codec import decode_row
from pubweave.contract.vocabulary import PageKind
from pubweave.contract.webpage_put import WebpagePut
from pubweave.contract.webpage_removed import WebpageRemoved
from pubweave.core.merging.decide import Abilities
from pubweave.core.merging.webpage_fold import Folded, page_key
from pubweave.core.webpage_record import WebpageRecord, decode_webpage, encode_webpage
from pubweave.ports import Blobs, Clock
from pubweave.runtimes.contents import INLINE_LIMIT, as_bytes
from pubweave.runtimes.embedded.delivery import Delivery
from pubweave.runtimes.embedded.storage import Storage
from pubweave.runtimes.messages.webpages import PageRebuilder, loaded

TOPIC: Final = "webpages"
_PAGE: Final = 1000


class WebpageStore:
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
        await self.keep([fact])

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
        await self.keep([fact])
        return True

    async def folded(self, entry: PageKind, url: str) -> Folded:
        """Where a page stands."""
        return (await loaded(self._storage.store, page_key(entry, url))).folded()

    async def keep(self, facts: Sequence[WebpagePut | WebpageRemoved]) -> None:
        """Have the owner of the pages take facts in, and write what follows from them, all or nothing."""
        storage = self._storage
        delivery = Delivery(storage.store, storage.log, storage.blobs, self._clock, Abilities(frozenset()))
        async with storage.store.batch():
            for fact in facts:
                await delivery.hear_of_page(fact)
            await delivery.flush()

    async def rebuild(self) -> int:
        """Make rows and records anew from the log alone.

        :returns: how many pages the log tells of
        """
        rebuilder, after = PageRebuilder(self._storage.store), 0
        while found := await self._storage.log.read(TOPIC, after, _PAGE):
            after = found[-1].offset
            async with self._storage.store.batch():
                for logged in found:
                    fact = decode_row(logged.entry.kind, logged.entry.version, logged.entry.body)
                    if fact is not None:
                        await rebuilder.take(fact)
        return await rebuilder.finish()

    async def _without_long_content(self, record: WebpageRecord) -> WebpageRecord:
        if len(record.content) <= INLINE_LIMIT:
            return record
        blob = await self._storage.blobs.put(as_bytes(record.content))
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


def _next_epoch(folded: Folded) -> int:
    return folded.epoch + 1 if folded.version else folded.epoch
