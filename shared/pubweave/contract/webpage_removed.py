from pubweave.contract.values import Value
from pubweave.contract.vocabulary import PageKind


class WebpageRemoved(Value, tag_field="kind", tag="webpage-removed", frozen=True, omit_defaults=True):
    """A web page or doc was taken out; this tombstone stays and opens a new epoch."""

    publication: str
    """The page's key, as in `webpage-accepted`."""
    entry: PageKind
    epoch: int
    """The epoch that this opens."""
    reason: str = "removed"
    removed_at: int = 0
