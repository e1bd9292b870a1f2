"""THE table of what a door can see and what it is called (F-EXC-01…17, A-06, A-24, issue vocabulary).

`CASES` is the only place that names outcomes, exception flags, second attempts and log levels. The two
functions below it say which row is meant: `sight_of` for what broke on the wire, `case_of_status` for what
answered. What a body must be is judged in bodies.py.
"""

import asyncio
import errno
import logging
import socket
import ssl
from typing import Final, Literal
from urllib.parse import urlsplit

import aiohttp
import msgspec

from pubweave.contract.vocabulary import AttemptOutcome

Sight = Literal[
    "answered",  # status, headers and the whole body
    "cut",  # the body ended before its announced end
    "timeout",
    "reset",
    "stale",  # a kept-alive connection turned out closed before anything was answered
    "refused",
    "unresolved",
    "tls",
    "too-large",
    "bad-http",
    "no-tunnel",
    "refused-address",
    "bad-url",
    "unknown",
]
"""What happened on the wire to one request."""

Flag = Literal["no", "yes", "unless-doi-or-file"]
"""Is fetchException set? `unless-doi-or-file`: not for https://doi.org/10.…, .pdf, .ps, .gz (F-EXC-03)."""

Again = Literal["no", "at-once", "after-wait"]
"""Is the question sent again by the door itself? `after-wait`: when Retry-After (or a short wait of our own)
is over, if that is not longer than a door waits."""


class Case(msgspec.Struct, frozen=True):
    """One row."""

    name: str
    seen: str
    outcome: AttemptOutcome
    publication: Flag = "no"
    """fetchException of publications."""
    web: bool = False
    """fetchException of web pages and docs."""
    again: Again = "no"
    level: int = logging.WARNING
    """ERROR instead, where doi.org itself answers with an error status (F-EXC-02, F-EXC-03)."""
    spec: str = ""
    note: str = ""
    """Where we deviate on purpose, and why."""


_OK = logging.DEBUG

_ROWS: Final = (
    Case("found", "2xx with a body of the kind that was asked for", "found", level=_OK),
    Case("redirect-given", "3xx with Location, and redirects were not to be followed", "found", level=_OK),
    Case("cut-xml", "2xx, XML expected, body shorter than announced", "found", level=logging.WARNING,
         spec="F-EXC-11", note="`truncated` is set: whole records are salvaged, the rest is asked again (fault 56)"),
    Case("empty", "2xx without a body", "empty", level=_OK),
    Case("wall", "401, 402, 403, 407, 451", "blocked", "unless-doi-or-file", spec="F-EXC-03"),
    Case("challenge", "an error status that says it is a bot check (cf-mitigated)", "blocked",
         "unless-doi-or-file", spec="F-EXC-03"),
    Case("absent", "404", "absent", "unless-doi-or-file", spec="F-EXC-03"),
    Case("gone", "410", "gone", "unless-doi-or-file", spec="F-EXC-03"),
    Case("rate-limited", "429", "rate-limited", "unless-doi-or-file", again="after-wait", spec="F-EXC-03",
         note="Retry-After is honoured; PubFetcher knows no 429 (fault 48)"),
    Case("come-back", "503 with Retry-After", "rate-limited", "yes", True, "after-wait", spec="F-EXC-02",
         note="Retry-After is honoured"),
    Case("unavailable-503", "503", "unavailable", "yes", True, spec="F-EXC-02"),
    Case("unavailable", "any other 5xx", "unavailable", "unless-doi-or-file", spec="F-EXC-03"),
    Case("unavailable-doi", "any other 5xx of doi.org", "unavailable", "yes", spec="F-EXC-03, A-24",
         note="a resolver that is down is a temporary failure"),
    Case("http-error", "any other status of 400 and above", "http-error", "unless-doi-or-file", spec="F-EXC-03"),
    Case("odd-status", "1xx, or 3xx without Location", "malformed", spec="F-EXC-11"),
    Case("pdf-instead", "a PDF where something else was asked for", "wrong-type", level=_OK, spec="F-EXC-05",
         note="the asker tries it as PDF"),
    Case("wrong-type", "a media type that the asker cannot read", "wrong-type", spec="F-EXC-06"),
    Case("wrong-kind", "HTML or text at 200 where XML, JSON or a PDF was asked for", "malformed", spec="F-EXC-11",
         note="PubFetcher parses it as if it were the answer"),
    Case("bad-encoding", "gzip or deflate that is broken, or a content encoding that was not asked for",
         "malformed", spec="F-EXC-11"),
    Case("bad-http", "an answer that is not HTTP", "malformed", spec="F-EXC-11"),
    Case("too-large", "more bytes than allowed, on the wire or decompressed", "too-large", spec="F-CFG-22",
         note="never cut silently (fault 49)"),
    Case("timeout-first", "connecting, silence or the whole request took too long", "timeout", "yes", True,
         "at-once", spec="F-EXC-07"),
    Case("timeout", "the same a second time in a row", "timeout", "yes", True, spec="F-EXC-08"),
    Case("timeout-pdf", "the same, a PDF was asked for", "timeout", "yes", True, spec="F-PDF-07",
         note="no second attempt"),
    Case("reset", "the connection broke", "reset", spec="F-EXC-11",
         note="no flag, as F-EXC-11 has it; the asker asks once more as a delayed event (fault 55)"),
    Case("cut", "the body ended before its announced end", "reset", spec="F-EXC-11",
         note="`truncated` is set; as reset"),
    Case("refused", "connection refused, or no route", "refused", "yes", True, spec="F-EXC-04"),
    Case("no-tunnel", "the proxy would not connect to the host", "refused", "yes", True, spec="F-EXC-04"),
    Case("unresolved", "the name could not be resolved", "unresolved", spec="F-EXC-11, F-EXC-17"),
    Case("tls", "TLS handshake, protocol or certificate failure", "tls-failure", spec="F-EXC-09, F-EXC-10",
         note="the asker decides about the browser"),
    Case("redirect-loop", "more redirects than allowed, or one that comes back to itself", "redirect-loop",
         spec="F-CFG-21, F-EXC-11"),
    Case("bad-url", "not an address, or a scheme that no door speaks", "bad-url", spec="F-EXC-01",
         note="HTTP, HTTPS and FTP are spoken; FTP by GET and to a file"),
    Case("refused-address", "a private, local or link-local address", "refused-address", spec="P-46"),
    Case("denied", "a host or DOI on the operator's deny list", "refused-address"),
    Case("denied-among", "a DOI on the deny list, asked for together with others", "blocked", level=logging.INFO,
         note="not sent; the asker halves the batch until it stands alone"),
    Case("robots", "robots.txt does not allow it", "refused-by-robots", level=logging.INFO, spec="RFC 9309"),
    Case("robots-unreadable", "robots.txt is answered with 5xx, or cannot be read", "refused-by-robots", "yes",
         True, spec="RFC 9309 2.3.1.4", note="nothing may be asked; looked at again after an hour"),
    Case("not-now", "the unit is paused for longer than a door waits", "rate-limited", "yes", True,
         spec="F-EXC-02", level=logging.INFO, note="not sent; given back with the time to come again"),
    Case("over-quota", "the daily quota is used up", "over-quota", level=logging.INFO,
         note="not sent; given back with the time to come again"),
    Case("not-replayed", "replaying, and the recording does not hold this exchange", "not-replayed"),
    Case("failed", "anything else", "failed", "yes", True, spec="F-EXC-12"),
)  # fmt: skip

CASES: Final = {row.name: row for row in _ROWS}


def flags(case: Case, url: str) -> tuple[bool, bool]:
    """fetchException for (publications, web pages and docs) when this address ended in this case."""
    publication = case.publication == "yes" or (
        case.publication == "unless-doi-or-file" and not _doi_or_file(url)
    )
    return publication, case.web


def log_level(case: Case, url: str) -> int:
    if case.spec.startswith(("F-EXC-02", "F-EXC-03")) and is_doi_host(url):
        return max(case.level, logging.ERROR)
    return case.level


def is_doi_host(url: str) -> bool:
    try:
        return urlsplit(url).hostname in ("doi.org", "dx.doi.org", "www.doi.org")
    except ValueError:
        return False


def _doi_or_file(url: str) -> bool:
    return url.startswith("https://doi.org/10.") or url.lower().endswith((".pdf", ".ps", ".gz"))


def case_of_status(status: int, headers: dict[str, str], url: str, *, follow: bool) -> Case | None:
    """The row that a status alone decides; None for 2xx, whose body decides."""
    if 200 <= status < 300:
        return None
    if status >= 400 and "challenge" in headers.get("cf-mitigated", "").lower():
        return CASES["challenge"]
    if status == 503:
        return CASES["come-back" if headers.get("retry-after") else "unavailable-503"]
    if status >= 500:
        return CASES["unavailable-doi" if is_doi_host(url) else "unavailable"]
    if status in _BY_STATUS:
        return CASES[_BY_STATUS[status]]
    if status >= 400:
        return CASES["http-error"]
    if not follow and status >= 300 and "location" in headers:
        return CASES["redirect-given"]
    return CASES["odd-status"]


_BY_STATUS: Final = {
    401: "wall",
    402: "wall",
    403: "wall",
    404: "absent",
    407: "wall",
    410: "gone",
    429: "rate-limited",
    451: "wall",
}

CASE_OF_SIGHT: Final[dict[Sight, str]] = {
    "cut": "cut",
    "timeout": "timeout",
    "reset": "reset",
    "stale": "reset",
    "refused": "refused",
    "unresolved": "unresolved",
    "tls": "tls",
    "too-large": "too-large",
    "bad-http": "bad-http",
    "no-tunnel": "no-tunnel",
    "refused-address": "refused-address",
    "bad-url": "bad-url",
    "unknown": "failed",
}


NO_WAY: Final[frozenset[Sight]] = frozenset(
    {"refused", "unresolved", "no-tunnel", "timeout", "tls", "reset", "unknown"}
)
"""Met before anything was sent, these say that there was no way to the host, be it its fault or ours."""


class RefusedAddress(OSError):
    """The name leads to an address that must not be asked."""


_NO_ROUTE = frozenset(
    {errno.ECONNREFUSED, errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EHOSTDOWN, errno.ENETDOWN}
)


# This machine has no more of something: nothing that the host did.
_OUR_OWN = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EADDRNOTAVAIL})


def sight_of(problem: BaseException, *, https: bool = False) -> Sight:
    """Which word an exception stands for (F-EXC-17, A-06). The order of the tests matters: aiohttp's classes
    inherit from each other and from the built-in ones."""
    cause = getattr(problem, "os_error", None) or problem
    if isinstance(cause, RefusedAddress) or isinstance(problem.__cause__, RefusedAddress):
        return "refused-address"
    if isinstance(problem, aiohttp.ClientHttpProxyError):
        return "no-tunnel"
    if isinstance(problem, TimeoutError):
        return "timeout"
    if isinstance(problem, aiohttp.ClientConnectorDNSError) or isinstance(cause, socket.gaierror):
        return "unresolved"
    if isinstance(problem, aiohttp.ClientSSLError) or isinstance(cause, ssl.SSLError):
        return "tls"
    if isinstance(problem, aiohttp.InvalidURL):
        return "bad-url"
    if isinstance(problem, aiohttp.ClientPayloadError):
        return "cut"
    if isinstance(problem, aiohttp.ClientResponseError):
        return "bad-http"
    if isinstance(cause, OSError):
        if cause.errno in _NO_ROUTE:
            return "refused"
        if cause.errno in _OUR_OWN:
            return "unknown"
        if https and isinstance(problem, aiohttp.ClientConnectorError) and cause.errno != errno.ETIMEDOUT:
            # Connected, and broken off before anything could be asked: in the handshake.
            return "tls"
        return "timeout" if cause.errno == errno.ETIMEDOUT else "reset"
    if isinstance(problem, aiohttp.ClientConnectionError | asyncio.IncompleteReadError):
        return "reset"
    return "unknown"


def as_markdown() -> str:
    """The table for the manual."""
    words = {"no": "no", "yes": "yes", "unless-doi-or-file": "unless DOI or file"}
    again = {"no": "no", "at-once": "once, at once", "after-wait": "after the wait"}
    lines = [
        "| seen | outcome | fetchException: publication | web, doc | sent again | logged | where it comes from |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {case.seen} | `{case.outcome}` | {words[case.publication]} | {'yes' if case.web else 'no'} "
        f"| {again[case.again]} | {logging.getLevelName(case.level)} "
        f"| {'; '.join(filter(None, (case.spec, case.note)))} |"
        for case in CASES.values()
    ]
    return "\n".join(lines)
