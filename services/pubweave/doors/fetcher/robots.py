"""robots.txt of every host that pages and PDFs come from (RFC 9309): asked once, kept for a day, restarts included."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec

from pubweave.contract.vocabulary import AttemptOutcome
from pubweave.doors.fetcher.addresses import Address
from pubweave.doors.fetcher.outcomes import CASES, Case
from pubweave.doors.fetcher.robots_rules import RobotsLine, RobotsRules, rules_for
from pubweave.ports import Clock, StorageProblem, Store

_log = logging.getLogger(__name__)

REDIRECTS: Final = 5
"""RFC 9309 2.3.1.2."""
TAKEN_BYTES: Final = 5 * 1024 * 1024
"""A longer file is not looked at, and nothing may be asked."""

_KEPT_MS: Final = 24 * 3600 * 1000
_KEPT_UNREADABLE_MS: Final = 3600 * 1000
_KEPT_UNREACHED_MS: Final = 30 * 1000
_ORIGINS_IN_MEMORY: Final = 2_000
_IN_THREAD_BYTES: Final = 64 * 1024
_LINES_IN_PASSING: Final = 1_000


class RobotsReply(msgspec.Struct, frozen=True):
    """How the question for a robots.txt ended."""

    case: Case
    status: int
    """0: nothing answered."""
    body: bytes
    evidence: str
    retry_after_ms: int = 0
    unreached: bool = False
    """No request of it reached a host."""


class RobotsRefusal(msgspec.Struct, frozen=True):
    """A page may not be asked, in which row of the table and why."""

    case: Case
    evidence: str
    retry_after_ms: int = 0
    unreached: bool = False
    """Nobody could be asked."""


class _Kept(msgspec.Struct, frozen=True):
    """What is stored of one robots.txt: the lines that are meant for us."""

    until_ms: int
    status: int
    lines: tuple[RobotsLine, ...] = ()
    forbids_all: bool = False


class _Known(msgspec.Struct):
    until_ms: int
    rules: RobotsRules | None = None
    refusal: RobotsRefusal | None = None
    """Nothing may be asked."""
    reached: bool = True
    """The host has answered, or had before."""


Ask = Callable[[str], Awaitable[RobotsReply]]
"""Asks an address, in its host's turn, with at most `REDIRECTS` redirects and `TAKEN_BYTES`."""

Recalled = Callable[[str, int, bytes], Awaitable[None]]
"""Told address, status and content of a robots.txt that was not asked for because the store had it."""


class Robots:
    """Says whether a page may be asked. `close` it at the end."""

    def __init__(
        self, token: str, clock: Clock, store: Store | None, recalled: Recalled | None = None
    ) -> None:
        """:param token: our name in a robots.txt"""
        self._token = token
        self._clock = clock
        self._store = store
        self._recalled = recalled
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._asking: dict[str, asyncio.Task[_Known]] = {}

    async def refusal(
        self, address: Address, ask: Ask, *, any_certificate: bool = False
    ) -> tuple[RobotsRefusal | None, float]:
        """Why an address may not be asked (None: it may), and how many seconds its host wants between requests.

        `ask` is only called if nothing is known of the host; others who want to know meanwhile wait for the same
        answer.
        """
        known = self._valid(address.origin)
        name = address.origin
        if any_certificate and (known is None or not known.reached):
            # A host that could not be reached without trusting it may be reached so.
            name = f"{name} whoever vouches for it"
            known = self._valid(name)
        if known is None:
            task = self._asking.get(name)
            if task is None:
                task = asyncio.get_running_loop().create_task(self._learn(name, address.origin, ask))
                self._asking[name] = task
                task.add_done_callback(lambda done: self._asked(name, done))
            known = await asyncio.shield(task)
        if known.refusal is not None:
            return known.refusal, 0.0
        if known.rules is None:
            return None, 0.0
        # Thousands of patterns take long enough for other hosts to notice.
        many = len(known.rules.lines) > _LINES_IN_PASSING
        line = (
            await asyncio.to_thread(known.rules.refusing_line, address.url)
            if many
            else known.rules.refusing_line(address.url)
        )
        if line:
            return RobotsRefusal(CASES["robots"], f"{address.origin}/robots.txt {line}"), 0.0
        return None, known.rules.crawl_delay_s

    async def close(self) -> None:
        tasks = list(self._asking.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _valid(self, name: str) -> _Known | None:
        known = self._known.get(name)
        return known if known is not None and known.until_ms > self._clock.now_ms() else None

    def _asked(self, name: str, task: "asyncio.Task[_Known]") -> None:
        self._asking.pop(name, None)
        if not task.cancelled() and task.exception() is not None:
            _log.debug("robots.txt of %s: %s", name, task.exception())

    async def _learn(self, name: str, origin: str, ask: Ask) -> _Known:
        kept = await self._recall(origin)
        known = self._as_known(origin, kept) if kept is not None else await self._ask(origin, ask)
        self._known[name] = known
        self._known.move_to_end(name)
        while len(self._known) > _ORIGINS_IN_MEMORY:
            self._known.popitem(last=False)
        return known

    async def _ask(self, origin: str, ask: Ask) -> _Known:
        reply = await ask(f"{origin}/robots.txt")
        kept = await self._judged(reply)
        if kept is not None:
            await self._keep(origin, kept)
            return self._as_known(origin, kept)
        # Nothing answered: so it is with the page, and the failure has its own word.
        evidence = f"robots.txt: {reply.evidence or reply.case.seen}"
        refusal = RobotsRefusal(reply.case, evidence, reply.retry_after_ms, reply.unreached)
        # What is only not asked now is asked when the pause is over.
        kept_ms = 0 if reply.retry_after_ms else _KEPT_UNREACHED_MS
        return _Known(self._clock.now_ms() + kept_ms, refusal=refusal, reached=False)

    async def _judged(self, reply: RobotsReply) -> _Kept | None:
        """RFC 9309 2.3.1: 2xx is parsed, 4xx and too many redirects allow all, 5xx and what cannot be read
        forbids all; None if nothing answered."""
        now_ms = self._clock.now_ms()
        outcome: AttemptOutcome = reply.case.outcome
        if outcome == "not-replayed":
            # What was recorded had been allowed.
            return _Kept(now_ms + _KEPT_MS, 404)
        if outcome in ("found", "empty"):
            content = reply.body
            rules = (
                await asyncio.to_thread(rules_for, content, self._token)
                if len(content) > _IN_THREAD_BYTES
                else rules_for(content, self._token)
            )
            return _Kept(now_ms + _KEPT_MS, 200, rules.lines)
        if outcome == "redirect-loop":
            return _Kept(now_ms + _KEPT_MS, 404)
        if outcome == "rate-limited" or not reply.status or outcome in ("reset", "timeout"):
            return None
        if 400 <= reply.status < 500:
            return _Kept(now_ms + _KEPT_MS, reply.status)
        return _Kept(now_ms + _KEPT_UNREADABLE_MS, reply.status, forbids_all=True)

    def _as_known(self, origin: str, kept: _Kept) -> _Known:
        if kept.forbids_all:
            evidence = f"{origin}/robots.txt cannot be read (HTTP {kept.status}), so nothing may be asked"
            return _Known(kept.until_ms, refusal=RobotsRefusal(CASES["robots-unreadable"], evidence))
        return _Known(kept.until_ms, RobotsRules(kept.lines) if kept.lines else None)

    async def _recall(self, origin: str) -> _Kept | None:
        if self._store is None:
            return None
        try:
            kept = msgspec.json.decode(await self._store.meta(_name(origin)) or b"null", type=_Kept | None)
        except msgspec.MsgspecError:
            return None
        if kept is None or kept.until_ms <= self._clock.now_ms():
            return None
        if self._recalled is not None:
            await self._recalled(f"{origin}/robots.txt", kept.status, self._written(kept.lines))
        return kept

    def _written(self, lines: tuple[RobotsLine, ...]) -> bytes:
        """A robots.txt that says these lines to us, each where it stood."""
        text = [""] * max((line.number for line in lines), default=1)
        for line in lines:
            text[line.number - 1] = f"{line.field}: {line.value}"
        # A group begins with its name, so the first line was none of these.
        text[0] = f"user-agent: {self._token}"
        return "\n".join(text).encode()

    async def _keep(self, origin: str, kept: _Kept) -> None:
        if self._store is None:
            return
        try:
            await self._store.set_meta(_name(origin), msgspec.json.encode(kept).decode())
        except StorageProblem as problem:
            _log.error("What robots.txt of %s says could not be stored: %s", origin, problem)


def _name(origin: str) -> str:
    return f"robots {origin}"
