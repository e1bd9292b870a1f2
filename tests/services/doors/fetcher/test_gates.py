"""What else may forbid, remember or delay a question."""

import asyncio

import pytest

from pubweave.adapters.clock import ManualClock, SystemClock
from pubweave.adapters.memory import MemoryStore
from pubweave.contract.exchange import Reply, Request
from pubweave.doors.fetcher import FetcherDoor, FetcherSettings
from pubweave.doors.fetcher.outcomes import CASES, Case
from services.doors.fetcher.loopback import LOOPBACK, Server, reply_bytes, says, wanted

pytestmark = pytest.mark.network

SETTINGS = FetcherSettings(allow_addresses=LOOPBACK, no_budgets=True)


async def test_a_gate_is_asked_for_every_hop() -> None:
    """robots.txt of the host that a redirect leads to counts, too; the address that was refused is not asked."""
    seen: list[str] = []

    async def no_private_part(url: str, request: Request) -> tuple[Case, str] | None:
        seen.append(url)
        return (CASES["robots"], "Disallow: /private") if "/private" in url else None

    async with Server(says(reply_bytes(b"", "302 Found", "Location: /private"))).running() as server:
        async with FetcherDoor(SETTINGS, SystemClock(), gates=[no_private_part], environment={}) as fetcher:
            reply = await fetcher.fetch(wanted(f"{server.url}/"))

        assert seen == [f"{server.url}/", f"{server.url}/private"]
        assert (reply.outcome, reply.evidence) == ("refused-by-robots", "Disallow: /private")
        assert len(server.asked) == 1


async def test_our_own_mistakes_are_a_reply_too() -> None:
    """F-EXC-12: whatever goes wrong, the asker gets its one reply, and a person should look."""

    async def broken(url: str, request: Request) -> None:
        raise LookupError("not so")

    store = MemoryStore()
    async with FetcherDoor(SETTINGS, SystemClock(), store, gates=[broken], environment={}) as fetcher:
        reply = await fetcher.fetch(wanted("http://127.0.0.1:1/"))

    assert await store.attempts() == {("127.0.0.1", "failed"): 1}
    assert (reply.outcome, reply.fetch_exception, reply.web_fetch_exception) == ("failed", True, True)
    assert reply.evidence == "LookupError: not so"


class Shelf:
    """Replies that were given, by question."""

    def __init__(self) -> None:
        self.replies: dict[str, Reply] = {}

    async def recall(self, ask: str) -> Reply | None:
        return self.replies.get(ask)

    async def remember(self, ask: str, reply: Reply) -> Reply:
        self.replies[ask] = reply
        return reply


async def test_a_question_that_comes_again_is_not_asked_again() -> None:
    """Design law 6: after a crash the reply that was there is given; another question is asked."""
    shelf = Shelf()
    async with Server(says(reply_bytes(b"<a/>"))).running() as server:
        replies = []
        for ask in ("one", "one", "two"):
            async with FetcherDoor(SETTINGS, SystemClock(), answered=shelf, environment={}) as fetcher:
                replies.append(await fetcher.fetch(wanted(f"{server.url}/", ask=ask)))

    assert len(server.asked) == 2
    assert replies[0] == replies[1]


async def test_a_short_delay_is_waited_for_here_and_a_long_one_was_elsewhere() -> None:
    """Up to 30 s the door waits; a longer delay has passed when the scheduler brings the question."""
    clock = ManualClock()
    async with (
        Server(says(reply_bytes(b"<a/>"))).running() as server,
        FetcherDoor(SETTINGS, clock, environment={}) as fetcher,
    ):
        long = await fetcher.fetch(wanted(f"{server.url}/long", delay_ms=31_000))
        short = asyncio.create_task(fetcher.fetch(wanted(f"{server.url}/short", delay_ms=5_000)))
        await clock.advance(4.9)
        asked_before = [asked.path for asked in server.asked]
        await clock.advance(0.2)
        reply = await short

    assert (long.outcome, reply.outcome) == ("found", "found")
    assert asked_before == ["/long"]
