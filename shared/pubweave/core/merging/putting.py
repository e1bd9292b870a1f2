"""An explicit put (F-DB-11…13): which stored publication takes the record, and which ones go."""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from pubweave.contract.vocabulary import IDENTIFIER_KINDS, IdentifierKind
from pubweave.core.record import Record


class Putting(NamedTuple):
    """What a put does."""

    key: str
    """The publication that the record is stored under; "" for a new one."""
    record: Record
    """As it is stored: identifiers that the new record lacks are kept from the stored one (F-DB-11)."""
    ended: tuple[str, ...]
    """Publications that are merged into `key` and go (F-DB-12)."""
    released: tuple[tuple[str, tuple[tuple[IdentifierKind, str], ...]], ...]
    """By publication, identifiers that lead nowhere any more: the record has others of their kind
    (F-DB-13), or their publication goes."""
    sentences: tuple[str, ...]
    """What a person should read in the log (ERROR)."""


def plan_put(record: Record, found: Mapping[IdentifierKind, Record]) -> Putting:
    """Decide a put. `found` are the stored records that each of its identifiers leads to.

    The one found by PMID stays, else the one found by PMCID, else by DOI.
    """
    if not found:
        return Putting("", record, (), (), ())
    stays = next(found[kind] for kind in IDENTIFIER_KINDS if kind in found)
    ended = tuple(
        dict.fromkeys(other.publication for other in found.values() if other.publication != stays.publication)
    )
    sentences = tuple(
        f"{other} and {stays.publication} are one publication by the identifiers put: {other} was removed"
        for other in ended
    )
    kept = {
        kind: stays.part(kind)
        for kind in IDENTIFIER_KINDS
        if record.part(kind).is_empty and not stays.part(kind).is_empty
    }
    stored = msgspec.structs.replace(record, publication=stays.publication, **kept)
    own_pairs = set(stored.identifiers.known())
    released = tuple(
        (held.publication, gone)
        for held in {other.publication: other for other in (stays, *found.values())}.values()
        if (gone := tuple(pair for pair in held.identifiers.known() if pair not in own_pairs))
    )
    return Putting(stays.publication, stored, ended, released, sentences)
