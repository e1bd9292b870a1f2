"""Long texts of records: they lie among the blobs, and records and rows hold their digests (design law 1)."""

from collections.abc import Callable
from typing import Final

import msgspec

from pubweave.contract.part_candidate import PartCandidate
from pubweave.contract.values import BlobRef
from pubweave.core.record import Record
from pubweave.ports import Blobs

INLINE_LIMIT: Final = 4096
"""Texts longer than this many characters go to the blobs."""


def claim_checked(finding: PartCandidate, put: Callable[[bytes], BlobRef]) -> PartCandidate:
    """The finding with its document and its long text among the blobs.

    :param put: stores a content before anything that names it is said
    """
    if finding.document:
        finding = msgspec.structs.replace(finding, document=b"", source=put(finding.document))
    if len(finding.text) > INLINE_LIMIT:
        finding = msgspec.structs.replace(finding, text="", blob=put(as_bytes(finding.text)))
    return finding


async def without_long_texts(record: Record, blobs: Blobs) -> Record:
    """The record with its long texts among the blobs."""
    parts = {
        name: msgspec.structs.replace(part, text="", blob=await blobs.put(as_bytes(part.text)))
        for name, part in record.parts()
        if len(part.text) > INLINE_LIMIT
    }
    return msgspec.structs.replace(record, **parts) if parts else record


async def put_back(record: Record, blobs: Blobs) -> Record:
    """The record with the texts that had gone to the blobs; one that is stored no more is empty, as `lost.texts_gone`
    tells."""
    parts = {}
    for name, part in record.parts():
        if part.blob is not None:
            try:
                text = (await blobs.get(part.blob.digest)).decode("utf-8", "surrogatepass")
            except KeyError:
                continue
            parts[name] = msgspec.structs.replace(part, text=text)
    return msgspec.structs.replace(record, **parts) if parts else record


def as_bytes(text: str) -> bytes:
    """As texts lie among the blobs."""
    return text.encode("utf-8", "surrogatepass")
