from pubweave.contract.values import Value


class DeadLetter(Value, tag_field="kind", tag="dead-letter", frozen=True, omit_defaults=True):
    """A message that nobody here can read or handle, kept as it came, so that a person can look (P-09)."""

    topic: str
    """Where it was found."""
    event_kind: str
    """As announced; empty if nothing was."""
    event_version: int
    reason: str
    body: bytes
    """The message, byte for byte."""
    key: str = ""
    """The record's key."""
    headers: tuple[tuple[str, bytes], ...] = ()
    """Of the message, as they came."""
    offset: int = 0
    service: str = ""
    """Who put it aside."""
    put_aside_at: int = 0
