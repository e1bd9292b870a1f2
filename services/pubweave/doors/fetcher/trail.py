"""`Trail`: where one attempt stands on its way through redirects, and `AttemptEnd`: how it ended."""

import logging
from http.cookies import CookieError
from typing import Final
from urllib.parse import urlencode

import aiohttp
import msgspec
from yarl import URL

from pubweave.contract.digests import quick_digest
from pubweave.contract.exchange import Carried, Expect, Request, Work
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.core.politeness import host_of
from pubweave.doors.fetcher.addresses import Address
from pubweave.doors.fetcher.exchange_keys import Secrets
from pubweave.doors.fetcher.outcomes import Case
from pubweave.doors.fetcher.wire import Exchange

_log = logging.getLogger(__name__)

_ACCEPT: Final[dict[Expect, str]] = {
    "xml": "application/xml, text/xml;q=0.9, */*;q=0.5",
    "json": "application/json, */*;q=0.5",
    "html": "text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8",
    "pdf": "application/pdf, */*;q=0.5",
    "text": "text/plain, text/*;q=0.9, */*;q=0.5",
    "any": "*/*",
}
_LONGEST_EXCHANGE_S: Final = 600.0


class AttemptEnd(msgspec.Struct):
    """How one attempt ended: the row, where, and what came."""

    case: Case
    url: str
    evidence: str = ""
    host: str = ""
    unit: str = "-"
    exchange: Exchange | None = None
    body: bytes = b""
    truncated: bool = False
    retry_after_ms: int = 0
    started_at: int = 0
    at_ms: int = 0
    """When the last exchange of the attempt ended; 0 if there was none."""
    closed: bool = False
    """Not tried again, whatever the row says: that has been done already."""
    unreached: bool = False
    """No request of the attempt reached a host."""


class Trail:
    """Where one attempt stands: the address it has come to, its cookies, the time it has left."""

    def __init__(
        self, request: Request, started_at: int, secrets: Secrets, carried: Carried | None = None
    ) -> None:
        self.request = request
        self.url = request.url
        self.method: str = request.method
        self._secrets = secrets
        self.form = urlencode(request.form).encode("ascii") if request.method == "POST" else None
        self.first_host = self.host = host_of(request.url)
        self.unit = "-"
        self.work: Work | None = None
        """For whom; only the first hop says so."""
        # F-CFG-01 allows a timeout of 0, for no limit; that of the whole is then ours.
        self.remaining_s = 2 * request.timeout_ms / 1000 or _LONGEST_EXCHANGE_S
        self.started_at = started_at
        self._has_begun = False
        self.at_ms = 0
        self.was_sent = False
        """The request at hand has left this machine."""
        self.hops = 0
        self._cookies = ""
        self._jar: aiohttp.CookieJar | None = None
        self._given: list[tuple[str, str]] = []
        """What `_jar` is made of: (address, Set-Cookie)."""
        self._seen: dict[str, None] = {}
        if carried is not None:
            self._go_on(carried)

    def begin(self, now_ms: int) -> None:
        """It has its first turn: what it waited for that is no time of the host's."""
        if not self._has_begun:
            self._has_begun = True
            self.started_at = now_ms

    def is_new(self) -> bool:
        """False when this very request, cookies included, was sent before: it would go round for ever."""
        before = len(self._seen)
        self._seen[quick_digest(self.method, self.url, self._cookies)] = None
        return len(self._seen) > before

    def carried(self) -> Carried:
        """All this for whoever goes on from here."""
        return Carried(
            url=self.url,
            method="POST" if self.method == "POST" else "GET",
            hops=self.hops,
            cookies=tuple(self._given),
            seen=tuple(self._seen),
            remaining_ms=max(1, int(self.remaining_s * 1000)),
            started_at=self.started_at,
        )

    def _go_on(self, carried: Carried) -> None:
        self.url, self.hops = carried.url, carried.hops
        if carried.method == "GET":
            self.method, self.form = "GET", None
        self._keep_secrets()
        self.remaining_s = carried.remaining_ms / 1000 or self.remaining_s
        if carried.started_at:
            self.started_at, self._has_begun = carried.started_at, True
        self._seen = dict.fromkeys(carried.seen)
        for address, given in carried.cookies:
            self._keep_cookies(address, [given])
        self._choose_cookies()

    def headers(self, address: Address) -> dict[str, str]:
        headers = {
            "Accept": _ACCEPT[self.request.expect],
            "Accept-Encoding": "gzip, deflate",
            "Referer": address.origin,
        }
        if self._cookies:
            headers["Cookie"] = self._cookies
        if self.form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        return headers

    def follow(self, exchange: Exchange, target: str) -> None:
        """Go where a redirect points. Cookies live as long as one fetch (fault 61) and travel along."""
        self._keep_cookies(
            self.url, [value for name, value in exchange.headers if name.lower() == "set-cookie"]
        )
        self.work = None
        self.hops += 1
        if exchange.status == 303 or (exchange.status in (301, 302) and self.method == "POST"):
            self.method, self.form = "GET", None
        self.url = target
        self._keep_secrets()
        self._choose_cookies()

    def _keep_secrets(self) -> None:
        """A key was meant for the host that was asked, not for wherever it sends us (307, 308)."""
        if self.form is not None and host_of(self.url) != self.first_host:
            self.form = self._secrets.without(self.form)

    def _choose_cookies(self) -> None:
        if self._jar is not None:
            try:
                found = self._jar.filter_cookies(URL(self.url))
            except ValueError:
                return
            self._cookies = "; ".join(f"{cookie.key}={cookie.coded_value}" for cookie in found.values())

    def end(
        self, case: Case, evidence: str, exchange: Exchange | None = None, *, retry_after_ms: int = 0
    ) -> AttemptEnd:
        return AttemptEnd(
            case,
            self.url,
            evidence,
            self.host,
            self.unit,
            exchange,
            retry_after_ms=retry_after_ms,
            started_at=self.started_at,
            at_ms=self.at_ms,
            unreached=exchange is not None and exchange.unreached and not self.hops,
        )

    def _keep_cookies(self, address: str, given: list[str]) -> None:
        if not given:
            return
        self._given += [(address, one) for one in given]
        if self._jar is None:
            self._jar = aiohttp.CookieJar(unsafe=True)
        try:
            self._jar.update_cookies_from_headers(given, URL(address, encoded=True))
        except (CookieError, ValueError):
            _log.debug("A cookie could not be read and is left out")


class Elsewhere:
    """Where a redirect to another site is noted."""

    question: ReplyWanted | None = None
