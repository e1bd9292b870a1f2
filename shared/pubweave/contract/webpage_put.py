import msgspec

from pubweave.contract.values import Value
from pubweave.contract.vocabulary import PageKind


class WebpagePut(Value, tag_field="kind", tag="webpage-put", frozen=True, omit_defaults=True):
    """Somebody put a whole web page or doc in place: a new epoch begins with it (F-CLI-251)."""

    publication: str
    """The page's key, as in `webpage-accepted`."""
    entry: PageKind
    epoch: int
    """The epoch that this opens."""
    record: msgspec.Raw
    """The page as JSON (`core.webpage_record.WebpageRecord`); a long content by reference."""
    put_at: int = 0
