from pubweave.contract.values import RunSettings, Value
from pubweave.contract.vocabulary import PageKind


class WebpageAccepted(Value, tag_field="kind", tag="webpage-accepted", frozen=True, omit_defaults=True):
    """A web page or doc is to be fetched: a run of it begins (chapter 14, F-CAN-07)."""

    publication: str
    """The page's key: what it is and its start address (`core.merging.webpage_fold.page_key`)."""
    entry: PageKind
    url: str
    """The start address, which identifies it."""
    epoch: int
    """Opened by a put, a removal, or a fetch anew whatever is stored."""
    run: int
    """Counted in the epoch, from 1."""
    accepted_at: int
    """The one clock reading of the decision and of the counters (F-CAN-04), UNIX ms."""
    settings: RunSettings = RunSettings()
    resets: bool = True
    """Conditions 1 to 4 held: fetchTime becomes `accepted_at`, retryCounter 0 (F-CAN-02); else F-CAN-03."""
    correlation_id: str = ""
    gone: str = ""
    """Digest of the content that the page has and that is stored no more: any content takes its place."""
