from pubweave.contract.values import Value


class RemovalRequested(Value, tag_field="kind", tag="removal-requested", frozen=True, omit_defaults=True):
    """Somebody wants a publication's record taken out; its key ends with that, its identifiers lead nowhere (F-DB-14)."""

    publication: str
    request: str
    """Names the request: said again under this name it is the same."""
    reason: str = "removed"
    requested_at: int = 0
