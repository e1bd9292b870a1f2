"""What an operator may set about the fetcher. Nothing here reads the environment but `door.Fetcher`."""

from pathlib import Path
from typing import Literal

import msgspec

from pubweave.problems import UserError

FirstWindow = Literal["wait", "remember", "skip"]

MIB = 1024 * 1024


class FetcherProblem(UserError):
    """The fetcher cannot start; the text is one sentence for the user that says what to change."""


class FetcherSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Every number has its unit in its name; 0 means "none" only where that is said."""

    user_agent: str = ""
    """The whole User-Agent header (A-04); empty: an honest one is made of version and contact."""
    contact_email: str = ""
    """Stands in the User-Agent that is made, so that a source can reach the operator."""
    contact_url: str = ""
    connections_per_host: int = 1
    """F-HOST-01. A family with `connections` of its own in the budgets has those."""
    exempt_hosts: tuple[str, ...] = ("doi.org", "dx.doi.org")
    """Hosts without the connection limit (F-HOST-04: they only redirect)."""
    max_connections: int = 128
    """Requests in flight over all hosts."""
    budgets_file: Path | None = None
    """Overrides what the resources declare, family by family."""
    no_budgets: bool = False
    """No rates and no quotas at all; for tests and benches against servers of one's own."""
    keyed_families: tuple[str, ...] = ()
    """Families that are asked with an API key and so have their `with_key` rate."""
    window_padding_ms: int = 50
    """A request counts as arrived this long after it was sent, or when its answer began, whichever is first:
    windows hold as the server sees them, although some requests travel longer than others. It costs
    padding/window of the rate (5 % of a window of one second)."""
    first_window: FirstWindow = "remember"
    """What a budgeted unit does after a start: wait one full window; remember in the store when the last run
    ended (and wait after one that did not end well); or nothing, for tests."""
    redirect_limit: int = 10
    """F-CFG-21."""
    max_body_bytes: int = 20 * MIB
    """Of HTML, XML, JSON and text, decoded. What is longer is `too-large`, never cut (fault 49)."""
    max_pdf_bytes: int = 100 * MIB
    """F-CFG-22."""
    max_compression_ratio: int = 200
    """Decoded bytes per received byte, once a body has more than 1 MiB; above it is `too-large`."""
    longest_wait_ms: int = 30_000
    """What must wait longer is given back with `retry_after_ms`, to become a delayed event (design law 6)."""
    rate_limit_attempts: int = 4
    """How often one question is sent while the answer is 429, or 503 with Retry-After."""
    allow_addresses: tuple[str, ...] = ()
    """Networks (CIDR) or host names that may be asked although they are private or local."""
    deny_hosts: tuple[str, ...] = ()
    """Hosts that are never asked, with their subdomains."""
    deny_list: Path | None = None
    """File of hosts and DOIs that are never asked for (`deny_list.py`); read again when it changes."""
    robots: bool = True
    """Obey robots.txt where the asker says so (pages and PDFs; APIs are exempt)."""
    longest_crawl_delay_s: float = 60.0
    """What a robots.txt may ask for between two requests; more than this is this."""
    cert_file: str = ""
    """PEM file of authorities to trust besides what SSL_CERT_FILE or the system say."""
    use_environment_proxies: bool = True
    """HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY."""
    keep_alive_s: float = 30.0
    """How long an idle connection is kept."""
    record_to: Path | None = None
    """Folder that gets a WARC of every request and reply."""
    record_file_bytes: int = 1024 * MIB
    """A new WARC file is begun when this size is passed."""
    replay_from: Path | None = None
    """Folder whose WARC files answer instead of the network."""
    secret_fields: tuple[str, ...] = ("api_key", "email")
    """Query and form fields whose values are masked in recordings and left out when replies are looked up."""
