"""The outcomes of a job in the order of its lines, read from the store one by one."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import msgspec

from pubweave.cli.commands.fetch.shape import ShownLine
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.core.record import Part, Record, decode_record
from pubweave.output.publication import Envelope
from pubweave.version import IDENTIFICATION

if TYPE_CHECKING:
    from pubweave.ports import Blobs, Store


def envelope_of(settled: SubmissionSettled, reason: str = "") -> Envelope:
    """What an outcome says about its record."""
    replaced = " ".join(value for _, value in settled.replacement.known())
    return Envelope(
        version=settled.version,
        reason=reason,
        outcome=settled.outcome,
        line=settled.line,
        submitted=settled.identifiers,
        note=settled.reason or (f"replaced by {replaced}" if replaced else ""),
        correlation_id=settled.correlation_id,
    )


def placeholder(settled: SubmissionSettled) -> Record:
    """For a line that ended before there was a record: the identifiers as they were given, nothing else.

    So every line of the input has its object in the output.
    """
    parts = {
        kind: Part(
            type="external", url=IDENTIFICATION, timestamp=settled.settled_at, size=len(value), text=value
        )
        for kind, value in settled.identifiers.known()
    }
    return msgspec.structs.replace(Record(publication=settled.publication), **parts)


async def shown(store: "Store", blobs: "Blobs", settled: SubmissionSettled) -> ShownLine:
    """A settled line with the newest version of its record."""
    from pubweave.runtimes.contents import put_back

    key = await store.resolve(settled.publication) if settled.publication else ""
    stored = await store.record(key) if key else None
    if stored is None or stored.removed:
        return ShownLine(placeholder(settled), envelope_of(settled))
    envelope = envelope_of(settled, stored.reason)
    return ShownLine(
        await put_back(decode_record(stored.body), blobs),
        Envelope(
            version=stored.version,
            reason=stored.reason,
            outcome=envelope.outcome,
            line=envelope.line,
            submitted=envelope.submitted,
            note=envelope.note,
            correlation_id=envelope.correlation_id,
        ),
    )


async def in_order(store: "Store", blobs: "Blobs", job: str) -> AsyncIterator[ShownLine]:
    """Every settled line of a job, in the order of the input; duplicates as they were given."""
    from pubweave.runtimes.rows import read_as

    async for submission in store.submissions(job):
        if submission.settled:
            yield await shown(store, blobs, read_as(SubmissionSettled, submission.settled))
