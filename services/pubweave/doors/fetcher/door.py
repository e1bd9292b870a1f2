"""`FetcherDoor`: one question to the web, one reply; redirects, cookies, second attempts, recording, replaying."""

import asyncio
import logging
import os
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from math import inf
from types import TracebackType
from typing import Final, Protocol, Self
from urllib.parse import urljoin

import msgspec

from pubweave.contract.exchange import Reply
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.turn import turn_of
from pubweave.core.politeness import host_of
from pubweave.doors.fetcher.addresses import Address, AddressRules, parsed
from pubweave.doors.fetcher.attempts import AttemptBook
from pubweave.doors.fetcher.budgets import Budgets, load_budgets
from pubweave.doors.fetcher.deny_list import DenyList
from pubweave.doors.fetcher.ending import ended_by, longest_body, reply_of
from pubweave.doors.fetcher.exchange_keys import Secrets
from pubweave.doors.fetcher.ftp import FtpWire
from pubweave.doors.fetcher.outcomes import CASES
from pubweave.doors.fetcher.proxies import Proxies
from pubweave.doors.fetcher.quotas import Quotas
from pubweave.doors.fetcher.recorder import Recorder
from pubweave.doors.fetcher.refusing import Gate, Refusals
from pubweave.doors.fetcher.regather import RecordedBatch, noted
from pubweave.doors.fetcher.replay import Replay
from pubweave.doors.fetcher.retrying import Retries, wait_told_s
from pubweave.doors.fetcher.robots import Robots
from pubweave.doors.fetcher.robots_rules import product_token
from pubweave.doors.fetcher.settings import FetcherProblem, FetcherSettings
from pubweave.doors.fetcher.trail import AttemptEnd, Elsewhere, Trail
from pubweave.doors.fetcher.turns import Lane, NotNow, Turns, UnitStatus
from pubweave.doors.fetcher.watched import Watched
from pubweave.doors.fetcher.wire import Exchange, Wire, WireCounts
from pubweave.ports import Clock, Store

_log = logging.getLogger(__name__)

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_ENDED_AT = "fetcher-ended-at"
_STALE_LIMIT = 3


class Answered(Protocol):
    """Where replies are kept until their consumer has them, so that a question that comes again after a crash
    is not asked again (design law 6). The embedded runtime needs none: it keeps the questions instead."""

    async def recall(self, ask: str) -> Reply | None:
        """The reply that was given to this very question."""

    async def remember(self, ask: str, reply: Reply) -> Reply:
        """Called after the attempt rows are written and before the reply is given.

        :returns: the reply that is given: it may name the place of its body, where that is stored now
        """


class FetcherDoor:
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
        self._budgets_file = (
            Watched(settings.budgets_file, load_budgets, clock) if settings.budgets_file is not None else None
        )
        self._budgets = self._budgets_file.value if self._budgets_file is not None else load_budgets()
        self._secrets = Secrets(settings.secret_fields)
        self._recorder: Recorder | None = None
        self._replay: Replay | None = None
        self._quotas = Quotas(clock, store)
        self._turns = Turns(settings, self._budgets, clock, self._quotas)
        self._book = AttemptBook(store, clock)
        given = os.environ if environment is None else environment
        try:
            rules = AddressRules(settings.allow_addresses, settings.deny_hosts)
            proxies = Proxies(given if settings.use_environment_proxies else {})
        except ValueError as problem:
            raise FetcherProblem(f"The fetcher cannot start: {problem}.") from problem
        self._robots: Robots | None = None
        if settings.robots:
            # A replayed run knows what its recording knows, not what the store has come to know since.
            kept = store if settings.replay_from is None else None
            self._robots = Robots(product_token(user_agent(settings)), clock, kept, self._recalled_robots)
        self._refusals = Refusals(
            rules,
            DenyList(settings.deny_list, clock),
            gates,
            self._robots,
            self._ask_ourselves,
            self._space,
        )
        self._wire = Wire(settings, rules, proxies, user_agent(settings), clock)
        self._ftp = FtpWire(rules, clock)

    async def __aenter__(self) -> Self:
        """:raises FetcherProblem: the folder to record to or to replay from cannot be used"""
        settings = self._settings
        if settings.replay_from is not None:
            self._replay = await asyncio.to_thread(Replay, settings.replay_from, self._secrets)
            self._refusals.replay = self._replay
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

    async def _answered_once(self, wanted: ReplyWanted, elsewhere: Elsewhere | None) -> Reply:
        try:
            return await self._reply(wanted, elsewhere)
        except Exception as problem:  # noqa: BLE001 - the asker waits for a reply, not for our mistakes
            _log.exception("A question could not be handled")
            ended = Trail(wanted.request, self._clock.now_ms(), self._secrets).end(
                CASES["failed"], _told(problem)
            )
            await self._book.note(wanted.ask, ended)
            return reply_of(wanted.request, ended, 1, self._clock.now_ms())

    async def hop(self, wanted: ReplyWanted) -> Reply | ReplyWanted:
        """As `fetch`, where other processes own other sites: a redirect to another site is not followed but comes back
        as the question for its owner, with what it carries. Its turn, robots.txt and attempt rows are the owner's."""
        given = Elsewhere()
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

    async def _reply(self, wanted: ReplyWanted, elsewhere: Elsewhere | None = None) -> Reply:
        if self._budgets_file is not None and self._budgets_file.changed():
            self.use_budgets(self._budgets_file.value)
        if self._answered is not None:
            known = await self._answered.recall(wanted.ask)
            if known is not None:
                return known
        if 0 < wanted.delay_ms <= self._settings.longest_wait_ms and self._replay is None:
            await self._clock.sleep(wanted.delay_ms / 1000)
        ended, attempts = await self._asked(wanted, self._settings.redirect_limit, elsewhere)
        reply = reply_of(wanted.request, ended, attempts, self._clock.now_ms())
        if self._answered is not None and (elsewhere is None or elsewhere.question is None):
            return await self._answered.remember(wanted.ask, reply)
        return reply

    async def _asked(
        self, wanted: ReplyWanted, redirects: int, elsewhere: Elsewhere | None = None
    ) -> tuple[AttemptEnd, int]:
        """The last of as many attempts as the table allows, and how many there were."""
        lane: Lane = wanted.lane
        retries = Retries(wanted.request, self._settings)
        while True:
            ended = await self._attempt(wanted, lane, retries.limited, redirects, elsewhere)
            retries.attempts += 1
            if elsewhere is not None and elsewhere.question is not None:
                return ended, retries.attempts
            lane = "again"
            once_more = retries.goes_on(ended, self._clock.now_ms())
            await self._book.note(wanted.ask, ended)
            if not once_more:
                return ended, retries.attempts

    async def _ask_ourselves(self, wanted: ReplyWanted, redirects: int) -> AttemptEnd:
        ended, _ = await self._asked(wanted, redirects)
        return ended

    def _space(self, unit: str, spacing_s: float) -> None:
        self._turns.space(unit, min(spacing_s, self._settings.longest_crawl_delay_s))

    # One attempt: the address and where it leads.

    async def _attempt(
        self,
        wanted: ReplyWanted,
        lane: Lane,
        limited: int,
        redirects: int,
        elsewhere: Elsewhere | None = None,
    ) -> AttemptEnd:
        request = wanted.request
        trail = Trail(request, self._clock.now_ms(), self._secrets, wanted.carried)
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
            refusal = await self._refusals.refusal(address, trail, wanted)
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
                    self._book.leave_cancelled(wanted.ask, trail)
                raise
            if exchange is None:
                evidence = f"the recording holds no {trail.method} {self._secrets.url(trail.url)}"
                return trail.end(CASES["not-replayed"], evidence)
            trail.at_ms = exchange.at_ms
            target = _redirect_target(exchange, trail.url) if request.follow_redirects else ""
            if not target:
                return await ended_by(trail, exchange, self._settings)
            before = turn_of(trail.url)
            trail.follow(exchange, target)
            lane = "again"
            if elsewhere is not None and turn_of(trail.url) not in (before, "-"):
                elsewhere.question = msgspec.structs.replace(
                    wanted, unit=self._budgets.unit_of(trail.url), delay_ms=0, carried=trail.carried()
                )
                return trail.end(CASES["redirect-given"], "goes on at another site", exchange)
        return trail.end(CASES["redirect-loop"], f"more than {redirects} redirects")

    async def _recalled_robots(self, url: str, status: int, content: bytes) -> None:
        """A recording holds also what was known before, or its replay would ask what this run does not."""
        if self._recorder is not None:
            headers = (("Content-Type", "text/plain"),)
            exchange = Exchange("answered", status, headers, content, at_ms=self._clock.now_ms())
            await self._recorder.record("GET", url, {}, None, exchange)

    async def _exchange(self, trail: Trail, address: Address, lane: Lane, limited: int) -> Exchange | None:
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
                        max_bytes=longest_body(request, self._settings),
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
                        max_bytes=longest_body(request, self._settings),
                        any_certificate=request.javascript and address.scheme == "https",
                    )
                wait_s = wait_told_s(exchange, limited, self._clock.now_ms())
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


def _told(problem: BaseException) -> str:
    return " ".join(f"{type(problem).__name__}: {problem}".split())[:300]
