"""What is not sent: the operator's deny list, addresses that are no outside, gates, and robots.txt."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeAlias

from pubweave.contract.exchange import Request, Work
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.doors.fetcher.addresses import Address, AddressRules
from pubweave.doors.fetcher.attempts import ROBOTS_ASK
from pubweave.doors.fetcher.deny_list import DenyList
from pubweave.doors.fetcher.outcomes import CASES, Case
from pubweave.doors.fetcher.replay import Replay
from pubweave.doors.fetcher.robots import REDIRECTS, TAKEN_BYTES, Robots, RobotsReply
from pubweave.doors.fetcher.trail import AttemptEnd, Trail

Asking: TypeAlias = Callable[[ReplyWanted, int], Awaitable[AttemptEnd]]
"""Asks a question of the fetcher's own, following so many redirects."""


class Gate(Protocol):
    """Something else that may forbid an address. (robots.txt and the operator's deny list are built in.)"""

    async def __call__(self, url: str, request: Request) -> tuple[Case, str] | None:
        """None if it may be asked; else the row of the table and the evidence."""


class Refusals:
    """Says before each request whether it may be sent."""

    def __init__(
        self,
        rules: AddressRules,
        deny_list: DenyList,
        gates: Sequence[Gate],
        robots: Robots | None,
        ask: Asking,
        space: Callable[[str, float], None],
    ) -> None:
        """
        :param ask: how robots.txt is got
        :param space: told the politeness unit and the seconds that its robots.txt wants between two requests
        """
        self._rules = rules
        self._deny_list = deny_list
        self._gates = gates
        self._robots = robots
        self._ask = ask
        self._space = space
        self.replay: Replay | None = None
        """Replaying opens no socket: what was allowed when it was recorded is answered."""

    async def refusal(self, address: Address, trail: Trail, wanted: ReplyWanted) -> AttemptEnd | None:
        """How the attempt ends instead of being sent; None if it may be."""
        request = wanted.request
        entry = self._rules.denied(address.host)
        if entry:
            return trail.end(CASES["denied"], f"{entry} is on the operator's deny list")
        denied = self._deny_list.refusal(address.url, address.host, wanted.work)
        if denied is not None:
            return trail.end(CASES["denied-among" if denied.among_others else "denied"], denied.evidence)
        reason = self._rules.refused_name(address.host)
        if reason and (self.replay is None or not self.replay.knows(address.url)):
            return trail.end(CASES["refused-address"], reason)
        for gate in self._gates:
            refusal = await gate(address.url, request)
            if refusal is not None:
                return trail.end(*refusal)
        if request.robots and self._robots is not None:
            return await self._refused_by_robots(self._robots, address, trail, wanted)
        return None

    async def _refused_by_robots(
        self, robots: Robots, address: Address, trail: Trail, wanted: ReplyWanted
    ) -> AttemptEnd | None:
        async def ask(url: str) -> RobotsReply:
            question = ReplyWanted(
                ask=f"{ROBOTS_ASK}{address.origin}",
                unit=wanted.unit,
                request=Request(
                    url,
                    timeout_ms=wanted.request.timeout_ms,
                    max_bytes=TAKEN_BYTES,
                    javascript=wanted.request.javascript,
                ),
                work=Work(wanted.work.resource, ()),
                lane=wanted.lane,
            )
            ended = await self._ask(question, REDIRECTS)
            status = ended.exchange.status if ended.exchange is not None else 0
            return RobotsReply(
                ended.case,
                status,
                ended.body,
                ended.evidence,
                ended.retry_after_ms,
                ended.unreached,
            )

        refusal, spacing_s = await robots.refusal(address, ask, any_certificate=wanted.request.javascript)
        if refusal is not None:
            ended = trail.end(refusal.case, refusal.evidence, retry_after_ms=refusal.retry_after_ms)
            ended.closed = True
            ended.unreached = refusal.unreached and not trail.hops
            return ended
        # A family has a budget instead; its host's wish for crawlers would hold up its API.
        if spacing_s and trail.unit == trail.host:
            self._space(trail.unit, spacing_s)
        return None
