"""Entries that nobody has fetched yet (F-LIB-09)."""

import time

import msgspec

from pubweave.api.checking import check_url, identifiers_of
from pubweave.contract.values import Identifiers
from pubweave.core.record import Part, Record
from pubweave.core.webpage_record import WebpageRecord
from pubweave.version import IDENTIFICATION


def init_publication(
    identifiers: str | Identifiers, *, provenance: Identifiers | None = None, now_ms: int | None = None
) -> Record:
    """A publication of which only the identifiers are known, as parts of type `external` (F-ID-21): to be put into a
    database, or to be fetched by `Fetcher.get_publication`.

    >>> init_publication("doi:10.1093/nar/gkz369").doi.text
    '10.1093/NAR/GKZ369'

    :param provenance: where each identifier is from; this program unless given
    :param now_ms: UNIX milliseconds; the clock of the machine unless given
    :raises UserError: it is no identifier
    """
    at = time.time_ns() // 1_000_000 if now_ms is None else now_ms
    where = provenance or Identifiers()
    parts = {
        kind: Part(
            type="external",
            url=where.get(kind) or IDENTIFICATION,
            timestamp=at,
            size=len(value),
            text=value,
        )
        for kind, value in identifiers_of(identifiers).known()
    }
    return msgspec.structs.replace(Record(publication=""), **parts)


def init_webpage(url: str) -> WebpageRecord:
    """A web page or doc of which only the start address is known.

    >>> init_webpage("https://bio.tools/bowtie2").is_empty()
    True

    :raises UserError: it is no web address
    """
    return WebpageRecord(check_url(url))
