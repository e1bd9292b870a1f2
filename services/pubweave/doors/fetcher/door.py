"""`Fetcher`: one question to the web, one reply; redirects, cookies, second attempts, recording, replaying."""

import asyncio
import logging
import os
from collections.abc import Mapping, Sequence
from datetime import UTC
from email.utils import parsedate_to_datetime
from http.cookies import CookieError
from importlib.metadata import version
from math import inf
from types import TracebackType
from typing import Final, Protocol, Self
from urllib.parse import urlencode, urljoin

import aiohttp
import msgspec
from yarl import URL

from pubweave.contract.exchange import Carried, Expect, Reply, Request, Work
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.turn import turn_of
from pubweave.core.digests import quick_digest
from pubweave.core.politeness import host_of
from pubweave.doors.fetcher.addresses import Address, AddressRules, parsed
from pubweave.doors.fetcher.bodies import BadEncoding, TooLarge, decoded, judged
from pubweave.doors.fetcher.budgets import Budgets, load_budgets
from pubweave.doors.fetcher.deny_list import DenyList
from pubweave.doors.fetcher.exchange_keys import Secrets
from pubweave.doors.fetcher.ftp import FtpWire
from pubweave.doors.fetcher.outcomes import CASE_OF_SIGHT, CASES, Case, case_of_status, flags, log_level
from pubweave.doors.fetcher.proxies import Proxies
from pubweave.doors.fetcher.quotas import Quotas
from pubweave.doors.fetcher.recorder import Recorder
from pubweave.doors.fetcher.regather import RecordedBatch, noted
from pubweave.doors.fetcher.replay import Replay
from pubweave.doors.fetcher.robots import REDIRECTS as ROBOTS_REDIRECTS
from pubweave.doors.fetcher.robots import TAKEN_BYTES as ROBOTS_BYTES
from pubweave.doors.fetcher.robots import Robots, RobotsReply
from pubweave.doors.fetcher.robots_rules import product_token
from pubweave.doors.fetcher.settings import FetcherProblem, FetcherSettings
from pubweave.doors.fetcher.turns import Lane, NotNow, Turns, UnitStatus
from pubweave.doors.fetcher.watched import Watched
from pubweave.doors.fetcher.wire import Exchange, Wire, WireCounts
from pubweave.ports import Attempt, Clock, StorageProblem, Store

_log = logging.getLogger(__name__)

_ACCEPT: Final[dict[Expect, str]] = {
    "xml": "application/xml, text/xml;q=0.9, */*;q=0.5",
    "json": "application/json, */*;q=0.5",
    "html": "text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8",
    "pdf": "application/pdf, */*;q=0.5",
    "text": "text/plain, text/*;q=0.9, */*;q=0.5",
    "any": "*/*",
}
_ROBOTS_ASK: Final = "robots.txt "
"""How the fetcher's own questions begin; those of resources are digests."""
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_KEPT_HEADERS: Final = frozenset(
    {
        "content-disposition",
        "content-language",
        "content-location",
        "date",
        "etag",
        "last-modified",
        "link",
        "location",
        "retry-after",
        "x-robots-tag",
    }
)
_ENDED_AT = "fetcher-ended-at"
_LONGEST_RETRY_AFTER_S = 86_400.0
_DECODE_IN_THREAD_BYTES = 512 * 1024
_STALE_LIMIT = 3
_LONGEST_EXCHANGE_S = 600.0


class Answered(Protocol):
    """Where replies are kept until their consumer has them, so that a question that comes again after a crash
    is not asked again (design law 6). The embedded runtime needs none: it keeps the questions instead."""

    async def recall(self, ask: str) -> Reply | None:
        """The reply that was given to this very question."""

    async def remember(self, ask: str, reply: Reply) -> None:
        """Called after the attempt rows are written and before the reply is given."""


class Gate(Protocol):
    """Something else that may forbid an address. (robots.txt and the operator's deny list are built in.)"""

    async def __call__(self, url: str, request: Request) -> tuple[Case, str] | None:
        """None if it may be asked; else the row of the table and the evidence."""


class _Verdict(msgspec.Struct):
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


class _Trail:
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
    ) -> _Verdict:
        return _Verdict(
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


class _Elsewhere:
    """Where a redirect to another site is noted."""

    question: ReplyWanted | None = None


class Fetcher:
    """Answers every question exactly once; all of them may be asked at the same time.

    `async with Fetcher(settings, clock, store) as fetcher:` opens it. What is unsafe or impolite to send is not
    sent; what was sent leaves a row in `Store.add_attempts` before its reply is given.
    """

    def __init__(
        self,
        settings: FetcherSettings,
        clock: Clock,
        store: Store | None = None,
        *,
        answered: Answered | None = None,
        gates: Sequence[Gate] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """:raises FetcherProblem: a setting, the budgets file or a folder cannot be used"""
        self._settings = settings
        self._clock = clock
        self._store = store
        self._answered = answered
        self._gates = gates
        self._budgets_file = (
            Watched(settings.budgets_file, load_budgets, clock) if settings.budgets_file is not None else None
        )
        self._budgets = self._budgets_file.value if self._budgets_file is not None else load_budgets()
        self._secrets = Secrets(settings.secret_fields)
        self._recorder: Recorder | None = None
        self._replay: Replay | None = None
        self._quotas = Quotas(clock, store)
        self._turns = Turns(settings, self._budgets, clock, self._quotas)
        self._book = _AttemptBook(store)
        given = os.environ if environment is None else environment
        try:
            self._rules = AddressRules(settings.allow_addresses, settings.deny_hosts)
            proxies = Proxies(given if settings.use_environment_proxies else {})
        except ValueError as problem:
            raise FetcherProblem(f"The fetcher cannot start: {problem}.") from problem
        self._deny_list = DenyList(settings.deny_list, clock)
        self._robots: Robots | None = None
        if settings.robots:
            # A replayed run knows what its recording knows, not what the store has come to know since.
            kept = store if settings.replay_from is None else None
            self._robots = Robots(product_token(user_agent(settings)), clock, kept, self._recalled_robots)
        self._wire = Wire(settings, self._rules, proxies, user_agent(settings), clock)
        self._ftp = FtpWire(self._rules, clock)

    async def __aenter__(self) -> Self:
        """:raises FetcherProblem: the folder to record to or to replay from cannot be used"""
        settings = self._settings
        if settings.replay_from is not None:
            self._replay = await asyncio.to_thread(Replay, settings.replay_from, self._secrets)
            return self
        self._turns = Turns(
            settings, self._budgets, self._clock, self._quotas, await self._others_asked_before_s()
        )
        await self._wire.open()
        if settings.record_to is not None:
            software = f"pubweave/{version('pubweave')}"
            try:
                self._recorder = Recorder(
                    settings.record_to, settings.record_file_bytes, self._secrets, self._clock, software
                )
            except FetcherProblem:
                await self._wire.close()
                raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._robots is not None:
            await self._robots.close()
        self._turns.close()
        if self._replay is not None:
            self._replay.close()
            await self._book.close()
            return
        await self._wire.close()
        if self._recorder is not None:
            await self._recorder.close()
        await self._book.close()
        await self._quotas.close()
        if self._store is not None and self._settings.first_window == "remember":
            await self._store.set_meta(_ENDED_AT, str(self._clock.now_ms()))

    async def fetch(self, wanted: ReplyWanted) -> Reply:
        """Ask, in turn. Never raises but CancelledError: every failure is an outcome of the table.

        A delay of up to `longest_wait_ms` is waited for here; a longer one was the scheduler's, and is over.
        """
        return await self._answered_once(wanted, None)

    async def _answered_once(self, wanted: ReplyWanted, elsewhere: "_Elsewhere | None") -> Reply:
        try:
            return await self._reply(wanted, elsewhere)
        except Exception as problem:  # noqa: BLE001 - the asker waits for a reply, not for our mistakes
            _log.exception("A question could not be handled")
            verdict = _Trail(wanted.request, self._clock.now_ms(), self._secrets).end(
                CASES["failed"], _told(problem)
            )
            await self._note(wanted.ask, verdict)
            return self._closing_reply(wanted.request, verdict, attempts=1)

    async def hop(self, wanted: ReplyWanted) -> Reply | ReplyWanted:
        """As `fetch`, where other processes own other sites: a redirect to another site is not followed but comes back
        as the question for its owner, with what it carries. Its turn, robots.txt and attempt rows are the owner's."""
        given = _Elsewhere()
        reply = await self._answered_once(wanted, given)
        return reply if given.question is None else given.question

    def status(self) -> list[UnitStatus]:
        """What every politeness unit does or waits for."""
        return self._turns.status()

    @property
    def counts(self) -> WireCounts:
        """Requests, connections and bytes since the start."""
        return self._wire.counts

    @property
    def recorded_batches(self) -> Sequence[RecordedBatch]:
        """When replaying: which needs were asked for together, for `regather.Regatherer`; else nothing."""
        return self._replay.batches if self._replay is not None else ()

    @property
    def budgets(self) -> Budgets:
        return self._budgets

    def use_budgets(self, budgets: Budgets) -> None:
        """Other budgets from now on, without a restart."""
        self._budgets = budgets
        self._turns.use_budgets(budgets)

    def taken_over(self) -> None:
        """Units of another process are ours from now on: budgeted ones stand still for one window."""
        self._quotas.taken_over()
        self._turns.taken_over()

    def hold(self) -> None:
        """Our units are going to be another's: what is on the wire goes on, nothing else until `taken_over`."""
        self._turns.hold()
        self._quotas.hold()

    @property
    def in_flight(self) -> int:
        """How many requests are on the wire."""
        return self._turns.in_flight

    def close_idle(self) -> None:
        """Close all connections that nobody uses at this moment: another's would be one too many."""
        self._wire.close_idle()

    # One question.

    async def _reply(self, wanted: ReplyWanted, elsewhere: "_Elsewhere | None" = None) -> Reply:
        if self._budgets_file is not None and self._budgets_file.changed():
            self.use_budgets(self._budgets_file.value)
        if self._answered is not None:
            known = await self._answered.recall(wanted.ask)
            if known is not None:
                return known
        if 0 < wanted.delay_ms <= self._settings.longest_wait_ms and self._replay is None:
            await self._clock.sleep(wanted.delay_ms / 1000)
        verdict, attempts = await self._asked(wanted, self._settings.redirect_limit, elsewhere)
        reply = self._closing_reply(wanted.request, verdict, attempts)
        if self._answered is not None and (elsewhere is None or elsewhere.question is None):
            await self._answered.remember(wanted.ask, reply)
        return reply

    async def _asked(
        self, wanted: ReplyWanted, redirects: int, elsewhere: "_Elsewhere | None" = None
    ) -> tuple[_Verdict, int]:
        """The last of as many attempts as the table allows, and how many there were."""
        request = wanted.request
        lane: Lane = wanted.lane
        attempts = timeouts = limited = 0
        while True:
            verdict = await self._attempt(wanted, lane, limited, redirects, elsewhere)
            attempts += 1
            if elsewhere is not None and elsewhere.question is not None:
                return verdict, attempts
            lane = "again"
            case = verdict.case
            once_more = False
            if verdict.closed:
                pass
            elif case.name == "timeout":
                timeouts += 1
                if request.expect == "pdf":
                    verdict.case = CASES["timeout-pdf"]
                elif timeouts == 1:
                    verdict.case = CASES["timeout-first"]
                    once_more = True
            elif case.again == "after-wait":
                once_more = self._waits(verdict, limited)
                timeouts, limited = 0, limited + 1
            await self._note(wanted.ask, verdict)
            if not once_more:
                return verdict, attempts

    def _wait_told_s(self, exchange: Exchange, limited: int) -> float | None:
        """How long the server asks to be left alone, `limited` times having asked so before; None if not."""
        fields = exchange.fields() if exchange.status in (429, 503) else {}
        if exchange.status != 429 and "retry-after" not in fields:
            return None
        told = _retry_after_s(fields.get("retry-after", ""), self._clock.now_ms())
        # Without a word about how long: 1, 2, 4, … seconds.
        return min(told if told is not None else 2.0**limited, _LONGEST_RETRY_AFTER_S)

    def _waits(self, verdict: _Verdict, limited: int) -> bool:
        """True if this question is sent again when the pause of its unit is over."""
        wait_s = self._wait_told_s(verdict.exchange, limited) if verdict.exchange is not None else None
        verdict.retry_after_ms = max(1, int((wait_s or 0.0) * 1000))
        return (
            limited + 1 < self._settings.rate_limit_attempts
            and verdict.retry_after_ms <= self._settings.longest_wait_ms
        )

    async def _note(self, ask: str, verdict: _Verdict) -> None:
        case = verdict.case
        # Most hosts have no robots.txt; what follows from one is told with the page that is refused.
        level = logging.DEBUG if ask.startswith(_ROBOTS_ASK) else log_level(case, verdict.url)
        if _log.isEnabledFor(level):
            _log.log(
                level,
                "%s: %s (%s)",
                verdict.url.partition("?")[0],
                case.outcome,
                verdict.evidence or case.seen,
            )
        exchange = verdict.exchange
        await self._book.write(
            Attempt(
                ask=ask,
                unit=verdict.unit,
                host=verdict.host,
                outcome=case.outcome,
                status=exchange.status if exchange else 0,
                started_at=verdict.started_at,
                ended_at=verdict.at_ms or verdict.started_at,
                bytes=len(exchange.body) if exchange else 0,
                evidence=verdict.evidence,
            )
        )

    def _cancelled(self, ask: str, trail: _Trail) -> Attempt:
        """Sent, and nobody waits for the answer any more; whoever goes on asks again."""
        return Attempt(
            ask=ask,
            unit=trail.unit,
            host=trail.host,
            outcome="cancelled",
            status=0,
            started_at=trail.started_at,
            ended_at=self._clock.now_ms(),
            bytes=0,
            evidence="ended before the answer was here",
        )

    def _closing_reply(self, request: Request, verdict: _Verdict, attempts: int) -> Reply:
        exchange = verdict.exchange
        fields = exchange.fields() if exchange else {}
        publication, web = flags(verdict.case, verdict.url)
        status = exchange.status if exchange else 0
        answered = bool(status)
        if verdict.url.startswith("ftp:"):
            # FTP has no such status (F-WEB-04: an address without one is a file that was read).
            answered, status = status == 200, 0
        return Reply(
            outcome=verdict.case.outcome,
            url=request.url,
            final_url=verdict.url if answered else "",
            status=status,
            content_type=fields.get("content-type", ""),
            headers=tuple((name, value) for name, value in fields.items() if name in _KEPT_HEADERS),
            body=verdict.body,
            truncated=verdict.truncated,
            fetched_at=verdict.at_ms or self._clock.now_ms(),
            attempts=attempts,
            fetch_exception=publication,
            web_fetch_exception=web,
            retry_after_ms=verdict.retry_after_ms,
            evidence=verdict.evidence,
            unreached=verdict.unreached,
        )

    # One attempt: the address and where it leads.

    async def _attempt(
        self,
        wanted: ReplyWanted,
        lane: Lane,
        limited: int,
        redirects: int,
        elsewhere: "_Elsewhere | None" = None,
    ) -> _Verdict:
        request = wanted.request
        trail = _Trail(request, self._clock.now_ms(), self._secrets, wanted.carried)
        trail.work = wanted.work if wanted.work.needs and wanted.carried is None else None
        lane = lane if wanted.carried is None else "again"
        for hop in range(trail.hops, redirects + 1):
            try:
                address = parsed(trail.url)
            except ValueError as problem:
                return trail.end(CASES["bad-url"], str(problem))
            if address.scheme == "ftp" and trail.method != "GET":
                return trail.end(CASES["bad-url"], "nothing is sent over FTP")
            trail.url, trail.host = address.url, host_of(address.url)
            # A family's own redirects stay in the family, also where its address is a setting.
            family = request.family if trail.host == trail.first_host else ""
            trail.unit = self._budgets.unit_of(address.url, family)
            refusal = await self._refusal(address, trail, wanted)
            if refusal is not None:
                return refusal
            if not trail.is_new():
                return trail.end(
                    CASES["redirect-loop"],
                    f"comes back to {trail.url.partition('?')[0]} after {hop} redirects",
                )
            try:
                exchange = await self._exchange(trail, address, lane, limited)
            except NotNow as later:
                case = CASES["over-quota" if later.outcome == "over-quota" else "not-now"]
                return trail.end(case, later.evidence, retry_after_ms=later.retry_after_ms)
            except asyncio.CancelledError:
                if trail.was_sent:
                    self._book.leave(self._cancelled(wanted.ask, trail))
                raise
            if exchange is None:
                evidence = f"the recording holds no {trail.method} {self._secrets.url(trail.url)}"
                return trail.end(CASES["not-replayed"], evidence)
            trail.at_ms = exchange.at_ms
            target = _redirect_target(exchange, trail.url) if request.follow_redirects else ""
            if not target:
                return await self._judge(trail, exchange)
            before = turn_of(trail.url)
            trail.follow(exchange, target)
            lane = "again"
            if elsewhere is not None and turn_of(trail.url) not in (before, "-"):
                elsewhere.question = msgspec.structs.replace(
                    wanted, unit=self._budgets.unit_of(trail.url), delay_ms=0, carried=trail.carried()
                )
                return trail.end(CASES["redirect-given"], "goes on at another site", exchange)
        return trail.end(CASES["redirect-loop"], f"more than {redirects} redirects")

    async def _refusal(self, address: Address, trail: _Trail, wanted: ReplyWanted) -> _Verdict | None:
        request = wanted.request
        entry = self._rules.denied(address.host)
        if entry:
            return trail.end(CASES["denied"], f"{entry} is on the operator's deny list")
        denied = self._deny_list.refusal(address.url, address.host, wanted.work)
        if denied is not None:
            return trail.end(CASES["denied-among" if denied.among_others else "denied"], denied.evidence)
        reason = self._rules.refused_name(address.host)
        # Replaying opens no socket: what was allowed when it was recorded is answered.
        if reason and (self._replay is None or not self._replay.knows(address.url)):
            return trail.end(CASES["refused-address"], reason)
        for gate in self._gates:
            refusal = await gate(address.url, request)
            if refusal is not None:
                return trail.end(*refusal)
        if request.robots and self._robots is not None:
            return await self._refused_by_robots(self._robots, address, trail, wanted)
        return None

    async def _refused_by_robots(
        self, robots: Robots, address: Address, trail: _Trail, wanted: ReplyWanted
    ) -> _Verdict | None:
        async def ask(url: str) -> RobotsReply:
            question = ReplyWanted(
                ask=f"{_ROBOTS_ASK}{address.origin}",
                unit=wanted.unit,
                request=Request(
                    url,
                    timeout_ms=wanted.request.timeout_ms,
                    max_bytes=ROBOTS_BYTES,
                    javascript=wanted.request.javascript,
                ),
                work=Work(wanted.work.resource, ()),
                lane=wanted.lane,
            )
            verdict, _ = await self._asked(question, ROBOTS_REDIRECTS)
            status = verdict.exchange.status if verdict.exchange is not None else 0
            return RobotsReply(
                verdict.case,
                status,
                verdict.body,
                verdict.evidence,
                verdict.retry_after_ms,
                verdict.unreached,
            )

        refusal, spacing_s = await robots.refusal(address, ask, any_certificate=wanted.request.javascript)
        if refusal is not None:
            verdict = trail.end(refusal.case, refusal.evidence, retry_after_ms=refusal.retry_after_ms)
            verdict.closed = True
            verdict.unreached = refusal.unreached and not trail.hops
            return verdict
        # A family has a budget instead; its host's wish for crawlers would hold up its API.
        if spacing_s and trail.unit == trail.host:
            self._turns.space(trail.unit, min(spacing_s, self._settings.longest_crawl_delay_s))
        return None

    async def _recalled_robots(self, url: str, status: int, content: bytes) -> None:
        """A recording holds also what was known before, or its replay would ask what this run does not."""
        if self._recorder is not None:
            headers = (("Content-Type", "text/plain"),)
            exchange = Exchange("answered", status, headers, content, at_ms=self._clock.now_ms())
            await self._recorder.record("GET", url, {}, None, exchange)

    async def _exchange(self, trail: "_Trail", address: Address, lane: Lane, limited: int) -> Exchange | None:
        """One request in its turn; or out of the recording, None if that has none."""
        request = trail.request
        if self._replay is not None:
            return self._replay.find(trail.method, trail.url, trail.form, trail.work)
        headers = trail.headers(address)
        exchange = Exchange("reset")
        for _ in range(_STALE_LIMIT):
            turn = await self._turns.take(trail.unit, trail.host, lane)
            trail.begin(self._clock.now_ms())
            began_s = self._clock.monotonic_s()
            try:
                if address.scheme == "ftp":
                    exchange = await self._ftp.exchange(
                        turn,
                        address,
                        timeout_s=request.timeout_ms / 1000,
                        remaining_s=trail.remaining_s,
                        max_bytes=self._max_bytes(request),
                    )
                else:
                    exchange = await self._wire.exchange(
                        turn,
                        address,
                        trail.method,
                        headers,
                        trail.form,
                        timeout_s=request.timeout_ms / 1000,
                        remaining_s=trail.remaining_s,
                        max_bytes=self._max_bytes(request),
                        any_certificate=request.javascript and address.scheme == "https",
                    )
                wait_s = self._wait_told_s(exchange, limited)
                if wait_s is not None:
                    # Before the turn ends, or the next in the queue would still be sent.
                    self._turns.pause(trail.unit, wait_s)
            finally:
                trail.was_sent = turn.was_sent
                turn.end()
            trail.remaining_s = max(trail.remaining_s - (self._clock.monotonic_s() - began_s), 0.001)
            if exchange.sight != "stale":
                break
            lane = "again"
        if self._recorder is not None:
            needs = noted(trail.work) if trail.work is not None else ""
            await self._recorder.record(trail.method, trail.url, headers, trail.form, exchange, needs)
        return exchange

    def _max_bytes(self, request: Request) -> int:
        if request.max_bytes:
            return request.max_bytes
        if request.expect in ("pdf", "any"):
            return self._settings.max_pdf_bytes
        return self._settings.max_body_bytes

    async def _judge(self, trail: "_Trail", exchange: Exchange) -> _Verdict:
        """Which row of the table a reply is that leads no further."""
        request = trail.request
        fields = exchange.fields()
        if exchange.sight not in ("answered", "cut", "too-large"):
            return trail.end(CASES[CASE_OF_SIGHT[exchange.sight]], exchange.evidence, exchange)
        case = case_of_status(exchange.status, fields, trail.url, follow=request.follow_redirects)
        if exchange.sight == "too-large":
            return trail.end(case or CASES["too-large"], exchange.evidence, exchange)
        verdict = trail.end(case or CASES["found"], exchange.evidence, exchange)
        verdict.truncated = exchange.sight == "cut"
        problem: Case | None = None
        try:
            verdict.body = await self._decoded(request, exchange.body, fields.get("content-encoding", ""))
        except TooLarge as much:
            problem, verdict.evidence = CASES["too-large"], str(much)
        except BadEncoding as bad:
            verdict.body = bad.salvaged
            verdict.truncated = True
            if exchange.sight == "answered":
                problem, verdict.evidence = CASES["bad-encoding"], str(bad)
        if case is not None:
            # The status says enough; the body is evidence that may be missing.
            if not verdict.url.startswith("ftp:"):
                verdict.evidence = f"HTTP {exchange.status}"
            return verdict
        if problem is not None:
            verdict.case = problem
            return verdict
        kind, evidence = judged(request.expect, fields.get("content-type", ""), verdict.body)
        if exchange.sight == "cut":
            salvageable = request.expect == "xml" and kind.name == "found"
            verdict.case = CASES["cut-xml" if salvageable else "cut"]
        else:
            verdict.case, verdict.evidence = kind, evidence
        return verdict

    async def _decoded(self, request: Request, raw: bytes, encoding: str) -> bytes:
        if not encoding or encoding == "identity":
            return raw
        arguments = (raw, encoding, self._max_bytes(request), self._settings.max_compression_ratio)
        if len(raw) > _DECODE_IN_THREAD_BYTES:
            return await asyncio.to_thread(decoded, *arguments)
        return decoded(*arguments)

    async def _others_asked_before_s(self) -> float:
        """When a run before this one may last have asked, by the monotonic clock."""
        now_s = self._clock.monotonic_s()
        first = self._settings.first_window
        if first == "skip":
            return -inf
        if first == "wait" or self._store is None:
            return now_s
        ended_at = await self._store.meta(_ENDED_AT)
        await self._store.set_meta(_ENDED_AT, "running")
        if not ended_at:
            return -inf
        if not ended_at.isdigit():
            return now_s
        return now_s - max(0, self._clock.now_ms() - int(ended_at)) / 1000


class _AttemptBook:
    """Writes attempt rows; those that end at the same time are written together."""

    def __init__(self, store: Store | None) -> None:
        self._store = store
        self._rows: list[Attempt] = []
        self._writing: asyncio.Task[None] | None = None

    async def write(self, row: Attempt) -> None:
        """Return when the row is stored. If that fails, it is tried again with the next row: the reply is
        true all the same, and whoever stores it will meet the same problem."""
        if self._store is None:
            return
        self._rows.append(row)
        if self._writing is None:
            self._writing = asyncio.get_running_loop().create_task(self._write())
        await asyncio.shield(self._writing)

    def leave(self, row: Attempt) -> None:
        """Store it with the next row, or when the book is closed: who leaves it cannot wait."""
        if self._store is not None:
            self._rows.append(row)

    async def close(self) -> None:
        if self._store is not None and self._rows:
            await self._write()

    async def _write(self) -> None:
        assert self._store is not None
        rows, self._rows = self._rows, []
        self._writing = None
        try:
            await self._store.add_attempts(rows)
        except StorageProblem as problem:
            self._rows = rows + self._rows
            _log.error("Attempts could not be stored: %s", problem)


def user_agent(settings: FetcherSettings) -> str:
    """The User-Agent header: who asks, in which version, and how to reach the operator (A-04)."""
    if settings.user_agent:
        return settings.user_agent
    contact = [f"+{settings.contact_url}"] if settings.contact_url else []
    contact += [f"mailto:{settings.contact_email}"] if settings.contact_email else []
    return f"pubweave/{version('pubweave')}" + (f" ({'; '.join(contact)})" if contact else "")


def _redirect_target(exchange: Exchange, url: str) -> str:
    if exchange.status not in _REDIRECTS:
        return ""
    location = exchange.fields().get("location", "").strip()
    if not location:
        return ""
    try:
        return urljoin(url, location)
    except ValueError:
        return location


def _retry_after_s(told: str, now_ms: int) -> float | None:
    """Seconds to wait (RFC 9110 10.2.3: a number, or a date); None if it does not say or cannot be read."""
    told = told.strip()
    if told.isascii() and told.isdigit():
        return float(told)
    try:
        when = parsedate_to_datetime(told)
        # A date without a zone, as old servers write it, is UTC (RFC 9110 5.6.7).
        return max(when.replace(tzinfo=when.tzinfo or UTC).timestamp() - now_ms / 1000, 0.0)
    except (ValueError, TypeError, OverflowError):
        return None


def _told(problem: BaseException) -> str:
    return " ".join(f"{type(problem).__name__}: {problem}".split())[:300]
