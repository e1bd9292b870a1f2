import msgspec

from pubweave.contract.values import Value


class Delayed(Value, tag_field="kind", tag="delayed", frozen=True, omit_defaults=True):
    """An event that must wait more than 30 seconds; the scheduler says it again when it is due (law 6). Or a message of a
    newer release, which is passed on as it came until a release hears it that knows it (law 9)."""

    topic: str
    """Where it was going."""
    key: str
    due_at: int
    event_kind: str
    event_version: int
    event: msgspec.Raw
    """The event itself, as JSON."""
    headers: tuple[tuple[str, bytes], ...] = ()
    """Of a message that is passed on as it came; of an event that is known here they are made anew."""
    record_key: str = ""
    """The key of that message's record."""
