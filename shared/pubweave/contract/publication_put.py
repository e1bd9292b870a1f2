import msgspec

from pubweave.contract.values import Value


class PublicationPut(Value, tag_field="kind", tag="publication-put", frozen=True, omit_defaults=True):
    """Somebody put a whole record in place: a new epoch begins with it (F-DB-11, design law 1)."""

    publication: str
    epoch: int
    """The epoch that this opens."""
    record: msgspec.Raw
    """The record as JSON (`core.record.Record`); long contents by reference."""
    put_at: int = 0
