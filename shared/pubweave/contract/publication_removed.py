from pubweave.contract.values import Identifiers, Value


class PublicationRemoved(Value, tag_field="kind", tag="publication-removed", frozen=True, omit_defaults=True):
    """The record was taken out; this tombstone stays (design law 4)."""

    publication: str
    version: int
    identifiers: Identifiers
    reason: str = "removed"
    removed_at: int = 0
