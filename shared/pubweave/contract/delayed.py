import msgspec

from pubweave.contract.values import Value


class Delayed(Value, tag_field="kind", tag="delayed", frozen=True, omit_defaults=True):
    """An event that must wait more than 30 seconds; the scheduler says it again when it is due (law 6)."""

    topic: str
    """Where it was going."""
    key: str
    due_at: int
    event_kind: str
    event_version: int
    event: msgspec.Raw
    """The event itself, as JSON."""
