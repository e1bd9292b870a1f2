"""One thing out of a database file that is opened for it; to do more with a database, open it (`open_database`)."""

from pathlib import Path

from pubweave.contract.values import BlobRef
from pubweave.contract.vocabulary import PageKind
from pubweave.core.reading.jats.document import Document, Section
from pubweave.core.reading.jats.sections import find_sections
from pubweave.core.reading.jats.stored import Unreadable, document_in
from pubweave.core.record import Record
from pubweave.core.webpage_record import WebpageRecord
from pubweave.ports import Blobs


async def get_publication(database: str | Path, identifier: str) -> Record | None:
    """A record with its texts, by PMID, PMCID, DOI or its key; None if it is not in the database.

    :raises StorageProblem: the database cannot be opened
    """
    from pubweave.adapters.sqlite import SqliteStorage
    from pubweave.runtimes.embedded.explain import get

    storage = SqliteStorage.open_reading(database)
    try:
        return await get(storage.store, storage.blobs, identifier)
    finally:
        await storage.close()


async def get_webpage(database: str | Path, url: str) -> WebpageRecord | None:
    """A web page with its content, by its start address; None if it is not in the database.

    :raises StorageProblem: the database cannot be opened
    """
    return await _page(database, "webpage", url)


async def get_doc(database: str | Path, url: str) -> WebpageRecord | None:
    """A doc with its content, by its start address; None if it is not in the database.

    :raises StorageProblem: the database cannot be opened
    """
    return await _page(database, "doc", url)


async def _page(database: str | Path, entry: PageKind, url: str) -> WebpageRecord | None:
    from pubweave.adapters.clock import SystemClock
    from pubweave.adapters.sqlite import SqliteStorage
    from pubweave.runtimes.embedded.webpage_store import WebpageStore

    storage = SqliteStorage.open_reading(database)
    try:
        return await WebpageStore(storage, SystemClock()).get(entry, url)
    finally:
        await storage.close()


async def structured_document(database: str | Path, identifier: str) -> Document | None:
    """The structured document of a record's full text; None without a record, or if its text is not from JATS.

    :raises StorageProblem: the database cannot be opened
    """
    from pubweave.adapters.sqlite import SqliteStorage
    from pubweave.runtimes.embedded.explain import get

    storage = SqliteStorage.open_reading(database)
    try:
        record = await get(storage.store, storage.blobs, identifier)
        if record is None or record.fulltext.document is None:
            return None
        try:
            return await document_of(storage.blobs, record.fulltext.document)
        except Unreadable:
            return None
    finally:
        await storage.close()


async def document_of(blobs: Blobs, reference: BlobRef) -> Document:
    """The structured document that a published record refers to: made of the article in `fulltext.source` on the topic
    `publications`, or as it stands in `fulltext.structured`, where releases before 0.2 have put it.

    :raises KeyError: the blobs do not have it
    :raises ValueError: no document can be made of it; the plain text can be read
    """
    return document_in(await blobs.get(reference.digest))


async def sections(database: str | Path, identifier: str, path: str) -> list[Section]:
    """The sections at a path of a record's full text: an id (`4.2`), a type (`methods`) or titles
    (`Methods/Cell culture`); empty if there are none.

    :raises StorageProblem: the database cannot be opened
    """
    document = await structured_document(database, identifier)
    return find_sections(document, path) if document is not None else []
