from pubweave.contract.values import BlobRef, Value
from pubweave.contract.vocabulary import NeedOutcome, PageKind


class WebpageRead(Value, tag_field="kind", tag="webpage-read", frozen=True, omit_defaults=True):
    """What one fetch of a web page or doc gave, whatever happened: always exactly one for a run (F-WEB-30)."""

    publication: str
    """The page's key, as in `webpage-accepted`."""
    entry: PageKind
    url: str
    """The start address."""
    need: str
    epoch: int
    run: int
    fetched_at: int
    """When the last reply was received."""
    outcome: NeedOutcome
    evidence: str = ""
    """What was seen, in a few words; which selector matched nothing; beside a page that was found: why it was read without a browser."""
    fetch_exception: bool = False
    """Chapter 6.2 for web pages and docs: this failure is temporary."""
    final_url: str = ""
    """After all redirects; empty if nothing answered."""
    content_type: str = ""
    status_code: int = 0
    """0: none (FTP, nothing answered)."""
    title: str = ""
    content: str = ""
    blob: BlobRef | None = None
    """The content, where it is too long to travel."""
    blob_size: int = 0
    """Its length in characters."""
    license: str = ""
    language: str = ""
    rules_version: str = ""
    """Which rules read it; empty without rules and for PDFs."""
    javascript: bool = False
    """It was read as a browser shows it."""
    unreached: bool = False
    """No request of it reached a host: no fetch that counts."""
