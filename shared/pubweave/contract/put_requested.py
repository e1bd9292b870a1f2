import msgspec

from pubweave.contract.values import Value


class PutRequested(Value, tag_field="kind", tag="put-requested", frozen=True, omit_defaults=True):
    """Somebody wants a whole record put in place; the owner opens an epoch with it (`publication-put`), claims its
    identifiers, and takes this out of the log (F-DB-11)."""

    publication: str
    request: str
    """Names the request: said again under this name it is the same."""
    record: msgspec.Raw
    """The record as JSON (`core.record.Record`); long contents by reference."""
    requested_at: int = 0
