"""Structured documents of full texts, for formats that show them."""

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from pubweave.core.reading.jats.document import Document
    from pubweave.core.record import Record
    from pubweave.output.publication import Envelope
    from pubweave.ports import Blobs


async def document_of(record: "Record", blobs: "Blobs") -> "Document | None":
    """The structured document of a record's full text; None where there is none that can be read, so that the plain
    text is shown instead."""
    from pubweave.core.reading.jats.stored import Unreadable, document_in

    if record.fulltext.document is None:
        return None
    try:
        return document_in(await blobs.get(record.fulltext.document.digest))
    except (KeyError, Unreadable):  # erased, or of a version that is not ours
        return None


async def with_document(envelope: "Envelope", record: "Record", blobs: "Blobs") -> "Envelope":
    """The envelope with the structured document, if there is one."""
    return msgspec.structs.replace(envelope, document=await document_of(record, blobs))
