import msgspec

from pubweave.contract.values import Value


class PublicationUpdated(Value, tag_field="kind", tag="publication-updated", frozen=True, omit_defaults=True):
    """A finished record, as stream consumers get it. `version`, `reason` and times are envelope."""

    publication: str
    version: int
    """One per settled run, join, put or remove that changed the record, from 1."""
    reason: str
    """Why this version: which candidate changed which part, in one sentence."""
    record: msgspec.Raw
    """The record: `core.record.Record` as JSON; long contents by reference."""
    updated_at: int = 0
    correlation_ids: tuple[str, ...] = ()
