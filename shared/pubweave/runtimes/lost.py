"""Contents that records name and that are stored no more: a store was lost, or restored without them.

Facts come back from the log, contents do not travel on it. What lacks its content counts as lacking, and whoever
submits its publication or page has it fetched anew.
"""

from collections.abc import Iterable, Iterator

from pubweave.contract.vocabulary import PageKind, PartName
from pubweave.core.merging.fold import contents_of
from pubweave.core.record import Record, decode_record
from pubweave.core.webpage_record import decode_webpage
from pubweave.ports import Blobs, Store


async def gone_of_publication(store: Store, blobs: Blobs, publication: str) -> tuple[str, ...]:
    """Digests of what the record of a publication names and is stored no more."""
    stored = await store.record(await store.resolve(publication))
    if stored is None or stored.removed:
        return ()
    return await gone(
        blobs, (one for _, part in decode_record(stored.body).parts() for one in contents_of(part))
    )


async def gone_of_page(store: Store, blobs: Blobs, entry: PageKind, url: str) -> tuple[str, ...]:
    """As `gone_of_publication`, for a web page or doc by its start address."""
    stored = await store.record(url, entry)
    if stored is None or stored.removed:
        return ()
    blob = decode_webpage(stored.body).blob
    return await gone(blobs, () if blob is None else (blob.digest,))


async def gone(blobs: Blobs, digests: Iterable[str]) -> tuple[str, ...]:
    """Those of the digests that nothing is stored under, in order."""
    return tuple([digest for digest in sorted(set(digests)) if not await blobs.has(digest)])


def texts_gone(record: Record) -> Iterator[PartName]:
    """The parts whose texts could not be put back."""
    return (name for name, part in record.parts() if part.blob is not None and part.size and not part.text)
