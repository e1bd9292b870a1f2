"""How many browsers render pages, and what bounds them."""

from pathlib import Path

import msgspec


class RendererSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds hold for one page, unless a sentence says otherwise."""

    executable: Path | None = None
    """The browser; None: the first Chromium that is found on the PATH."""
    browsers: int = 1
    """Processes that render side by side, a page at a time each; F-JS-07 allows four."""
    pages_per_browser: int = 100
    """After so many a browser is replaced, so that what it leaked is given back."""
    sandbox: bool = True
    """Chromium's own sandbox. It needs user namespaces, and is never there for root."""
    user_agent: str = ""
    """What scripts see as the browser's name; what servers see is the fetcher's. Empty: Chromium's own."""
    quiet_ms: int = 500
    """A page has settled when it is loaded and has asked for nothing for so long."""
    max_requests: int = 300
    """What it asks for beyond that is refused."""
    max_navigations: int = 5
    """How often its scripts may lead on to another page."""
    max_bytes: int = 50 << 20
    """Of everything it asked for."""
    max_html_bytes: int = 20 << 20
    """Of the page as it is in the end."""
    memory_mb: int = 1_536
    """Of the browser with all its processes, in units of 2^20 bytes; a browser above that is killed."""
    start_s: float = 30.0
    """A browser that does not answer for so long after its start is killed."""


LONGEST_S = 120.0


def hard_stop_s(timeout_ms: int) -> float:
    """When a page is killed that cannot be read (F-CFG-23)."""
    return min(4 * timeout_ms / 1000 + 1, LONGEST_S) if timeout_ms else LONGEST_S
