"""robots.txt is obeyed for pages (RFC 9309 2.3): asked once, in its host's turn, kept over restarts."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pubweave.adapters.clock import ManualClock
from pubweave.adapters.memory import MemoryStore
from pubweave.contract.exchange import Reply
from services.doors.fetcher.loopback import Asked, OpenFetcher, Server, reply_bytes, says, wanted

pytestmark = pytest.mark.network

PAGE = reply_bytes(b"<html>a page</html>", "200 OK", "Content-Type: text/html")
TEXT = "Content-Type: text/plain"


def site(robots: bytes, page: bytes = PAGE) -> Server:
    """A host with this answer for its robots.txt."""

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(robots if asked.path == "/robots.txt" else page)
        await writer.drain()

    return Server(answer)


def robots_txt(text: str) -> bytes:
    return reply_bytes(text.encode(), "200 OK", TEXT)


async def ask(fetcher: Any, url: str, **request: Any) -> Reply:
    reply: Reply = await fetcher.fetch(wanted(url, robots=True, expect="html", **request))
    return reply


async def test_what_robots_txt_forbids_is_not_asked(open_fetcher: OpenFetcher) -> None:
    """The outcome says so, with the line that decided; what is allowed is asked."""
    async with (
        site(robots_txt("User-agent: *\nDisallow: /private")).running() as server,
        open_fetcher() as fetcher,
    ):
        private = await ask(fetcher, f"{server.url}/private/x")
        public = await ask(fetcher, f"{server.url}/public")

    assert private.outcome == "refused-by-robots"
    assert private.evidence == f"{server.url}/robots.txt line 2, Disallow: /private"
    assert (private.fetch_exception, private.web_fetch_exception) == (False, False)
    assert public.outcome == "found"
    assert [asked.path for asked in server.asked] == ["/robots.txt", "/public"]


async def test_apis_are_exempt(open_fetcher: OpenFetcher) -> None:
    """Only questions that say so are held to it: an API is meant for programs."""
    async with site(robots_txt("User-agent: *\nDisallow: /")).running() as server, open_fetcher() as fetcher:
        reply = await fetcher.fetch(wanted(f"{server.url}/api"))

    assert reply.outcome == "found"
    assert [asked.path for asked in server.asked] == ["/api"]


async def test_an_operator_may_switch_it_off(open_fetcher: OpenFetcher) -> None:
    """For hosts of one's own, or with their leave."""
    async with (
        site(robots_txt("User-agent: *\nDisallow: /")).running() as server,
        open_fetcher(robots=False) as fetcher,
    ):
        reply = await ask(fetcher, f"{server.url}/a")

    assert reply.outcome == "found"


async def test_it_is_asked_once_however_many_wait(open_fetcher: OpenFetcher) -> None:
    """And over the one connection that the host has."""
    async with site(robots_txt("User-agent: *\nDisallow: /b")).running() as server:
        async with open_fetcher() as fetcher:
            replies = await asyncio.gather(*(ask(fetcher, f"{server.url}/{path}") for path in "abababab"))

        assert [reply.outcome for reply in replies] == ["found", "refused-by-robots"] * 4
        assert [asked.path for asked in server.asked] == ["/robots.txt", *["/a"] * 4]
        assert server.most_open == 1


async def test_who_waits_is_answered_although_who_asked_went_away(open_fetcher: OpenFetcher) -> None:
    """A cancelled question takes nobody's robots.txt along."""
    arrived, go_on = asyncio.Event(), asyncio.Event()

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        if asked.path == "/robots.txt":
            arrived.set()
            await go_on.wait()
            writer.write(robots_txt(""))
        else:
            writer.write(PAGE)
        await writer.drain()

    async with Server(answer).running() as server, open_fetcher() as fetcher:
        first = asyncio.create_task(ask(fetcher, f"{server.url}/a"))
        await arrived.wait()
        second = asyncio.create_task(ask(fetcher, f"{server.url}/b"))
        await asyncio.sleep(0)
        first.cancel()
        go_on.set()
        reply = await second

    assert reply.outcome == "found"
    assert [asked.path for asked in server.asked] == ["/robots.txt", "/b"]


@pytest.mark.parametrize(
    "status", ["400 Bad Request", "401 Unauthorized", "403 Forbidden", "404 Not Found", "410 Gone"]
)
async def test_without_a_robots_txt_everything_is_allowed(open_fetcher: OpenFetcher, status: str) -> None:
    """RFC 9309 2.3.1.3: 4xx."""
    async with site(reply_bytes(b"no", status)).running() as server, open_fetcher() as fetcher:
        replies = [await ask(fetcher, f"{server.url}/{path}") for path in "ab"]

    assert [reply.outcome for reply in replies] == ["found", "found"]
    assert [asked.path for asked in server.asked] == ["/robots.txt", "/a", "/b"]


@pytest.mark.parametrize(
    ("robots", "evidence"),
    [
        pytest.param(reply_bytes(b"", "500 Oops"), "HTTP 500", id="5xx"),
        pytest.param(reply_bytes(b"", "503 Busy"), "HTTP 503", id="503"),
        pytest.param(
            reply_bytes(b"x", "200 OK", "Content-Encoding: gzip"), "HTTP 200", id="broken compression"
        ),
        pytest.param(reply_bytes(b"", "200 OK", length=6 * 1024 * 1024), "HTTP 200", id="far too long"),
    ],
)
async def test_what_cannot_be_read_forbids_everything(
    open_fetcher: OpenFetcher, robots: bytes, evidence: str
) -> None:
    """RFC 9309 2.3.1.4; it is a failure of the moment, so the page may be asked for another time."""
    async with site(robots).running() as server, open_fetcher() as fetcher:
        reply = await ask(fetcher, f"{server.url}/a")

    assert (reply.outcome, reply.fetch_exception, reply.web_fetch_exception) == (
        "refused-by-robots",
        True,
        True,
    )
    assert evidence in reply.evidence
    assert [asked.path for asked in server.asked] == ["/robots.txt"]


async def test_a_host_that_does_not_answer_is_told_as_that(open_fetcher: OpenFetcher) -> None:
    """Not as a matter of robots.txt: the word and the flags of the failure are those of the page (F-EXC-04)."""
    async with open_fetcher() as fetcher:
        refused = await ask(fetcher, "http://127.0.0.1:1/a")

    assert (refused.outcome, refused.fetch_exception) == ("refused", True)
    assert refused.evidence.startswith("robots.txt: ")


async def test_a_silent_host_is_asked_twice_in_all(open_fetcher: OpenFetcher) -> None:
    """F-EXC-07, F-EXC-08: the two attempts are made for its robots.txt, and none for the page."""

    async def silent(asked: Asked, writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    async with Server(silent).running() as server, open_fetcher() as fetcher:
        reply = await ask(fetcher, f"{server.url}/a", timeout_ms=50)

    assert (reply.outcome, reply.fetch_exception) == ("timeout", True)
    assert [asked.path for asked in server.asked] == ["/robots.txt"] * 2


async def test_a_host_that_wants_a_pause_gets_it(open_fetcher: OpenFetcher) -> None:
    """429 with a long Retry-After at robots.txt: the page is given back with the time to come again."""
    async with (
        site(reply_bytes(b"", "429 Slow", "Retry-After: 3600")).running() as server,
        open_fetcher() as fetcher,
    ):
        reply = await ask(fetcher, f"{server.url}/a")

    assert reply.outcome == "rate-limited"
    assert 3_590_000 < reply.retry_after_ms <= 3_600_000
    assert len(server.asked) == 1


def hops(count: int) -> Server:
    """A robots.txt behind so many redirects."""

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        if asked.path == "/page":
            writer.write(PAGE)
        elif (hop := int(asked.target.partition("?")[2] or "0")) < count:
            writer.write(reply_bytes(b"", "302 Found", f"Location: /robots.txt?{hop + 1}"))
        else:
            writer.write(robots_txt("User-agent: *\nDisallow: /page"))
        await writer.drain()

    return Server(answer)


@pytest.mark.parametrize(("count", "outcome"), [(5, "refused-by-robots"), (6, "found")])
async def test_five_redirects_are_followed(open_fetcher: OpenFetcher, count: int, outcome: str) -> None:
    """RFC 9309 2.3.1.2: five at least; behind more there is none."""
    async with hops(count).running() as server, open_fetcher() as fetcher:
        reply = await ask(fetcher, f"{server.url}/page")

    assert reply.outcome == outcome


async def test_every_hop_of_a_page_is_tested_against_its_own_host(open_fetcher: OpenFetcher) -> None:
    """A redirect into a forbidden place is not followed."""
    async with site(robots_txt("User-agent: *\nDisallow: /in")).running() as there:
        moved = reply_bytes(b"", "302 Found", f"Location: {there.url}/in")
        async with site(reply_bytes(b"", "404 No"), moved).running() as here, open_fetcher() as fetcher:
            reply = await ask(fetcher, f"{here.url}/a")

        assert reply.outcome == "refused-by-robots"
        assert [asked.path for asked in there.asked] == ["/robots.txt"]


async def test_a_restart_does_not_ask_again_within_a_day(open_fetcher: OpenFetcher) -> None:
    """RFC 9309 2.4: what was read is good for 24 hours, and then asked for anew."""
    clock, store = ManualClock(), MemoryStore()
    async with site(robots_txt("User-agent: *\nDisallow: /b")).running() as server:
        for hours in (0, 23, 2):
            await clock.advance(hours * 3600)
            async with open_fetcher(clock=clock, store=store) as fetcher:
                assert (await ask(fetcher, f"{server.url}/b")).outcome == "refused-by-robots"

        assert len(server.asked) == 2


async def test_a_crawl_delay_spaces_the_pages_of_its_host(open_fetcher: OpenFetcher) -> None:
    """Three pages at a crawl-delay of 5 s take 10 s and more; another host does not wait."""
    clock = ManualClock()
    slow = site(robots_txt("User-agent: *\nCrawl-delay: 5"))
    async with slow.running() as server, open_fetcher(clock=clock, window_padding_ms=0) as fetcher:
        waiting = [asyncio.create_task(ask(fetcher, f"{server.url}/{path}")) for path in "abc"]
        done: list[int] = []
        for _ in range(3):
            await answered(lambda: sum(task.done() for task in waiting) > len(done))
            done.append(sum(task.done() for task in waiting))
            await clock.advance(4.9)
            assert len(server.asked) == 1 + len(done)
            await clock.advance(0.2)
        replies = await asyncio.gather(*waiting)

    assert done == [1, 2, 3]
    assert {reply.outcome for reply in replies} == {"found"}


async def answered(reached: Callable[[], bool]) -> None:
    """Let loopback work until this is so."""
    while not reached():  # noqa: ASYNC110 - what is waited for happens on the server's side
        await asyncio.sleep(0.001)


async def test_a_crawl_delay_has_a_limit(open_fetcher: OpenFetcher) -> None:
    """A day between two requests would be a refusal that nobody said."""
    clock = ManualClock()
    slow = site(robots_txt("User-agent: *\nCrawl-delay: 86400"))
    async with slow.running() as server, open_fetcher(clock=clock, longest_crawl_delay_s=7) as fetcher:
        await ask(fetcher, f"{server.url}/a")
        second = asyncio.create_task(ask(fetcher, f"{server.url}/b"))
        await answered(lambda: any(unit.queued for unit in fetcher.status()))
        allowance = fetcher.status()[0].allowance
        await clock.advance(8)
        reply = await second

    assert allowance == "1 per 7 s"
    assert reply.outcome == "found"


async def test_a_replayed_run_is_refused_alike(open_fetcher: OpenFetcher, tmp_path: Path) -> None:
    """Also where the recorded run knew the robots.txt from a run before: line and all."""
    store = MemoryStore()
    robots = robots_txt("# first\n\nUser-agent: *\nAllow: /ok\nDisallow: /no")
    async with site(robots).running() as server:
        urls = [f"{server.url}/no", f"{server.url}/ok"]
        for folder in ("first", "second"):
            async with open_fetcher(store=store, record_to=tmp_path / folder) as fetcher:
                recorded = [await ask(fetcher, url) for url in urls]
    async with open_fetcher(store=MemoryStore(), replay_from=tmp_path / "second") as fetcher:
        replayed = [await ask(fetcher, url) for url in urls]

    assert [asked.path for asked in server.asked].count("/robots.txt") == 1
    assert [(reply.outcome, reply.evidence, reply.body) for reply in replayed] == [
        (reply.outcome, reply.evidence, reply.body) for reply in recorded
    ]


async def test_a_recording_without_robots_txt_can_be_replayed(
    open_fetcher: OpenFetcher, tmp_path: Path
) -> None:
    """What somebody else recorded had been allowed to them."""
    async with (
        Server(says(PAGE)).running() as server,
        open_fetcher(robots=False, record_to=tmp_path) as fetcher,
    ):
        await ask(fetcher, f"{server.url}/a")
    async with open_fetcher(replay_from=tmp_path) as fetcher:
        reply = await ask(fetcher, f"{server.url}/a")

    assert reply.outcome == "found"


async def test_a_robots_txt_cannot_lead_into_our_own_network(open_fetcher: OpenFetcher) -> None:
    """Its redirects are tested as all are."""
    moved = reply_bytes(b"", "302 Found", "Location: http://169.254.169.254/robots.txt")
    async with site(moved).running() as server, open_fetcher() as fetcher:
        reply = await ask(fetcher, f"{server.url}/a")

    assert reply.outcome == "refused-address"
    assert "169.254.169.254" in reply.evidence


async def test_a_huge_robots_txt_is_obeyed(open_fetcher: OpenFetcher) -> None:
    """Thousands of patterns, the one that counts at the end."""
    lines = [f"Disallow: /*a*b{number}" for number in range(5_000)]
    huge = robots_txt("\n".join(["User-agent: *", *lines, "Disallow: /*?z"]))
    async with site(huge).running() as server, open_fetcher() as fetcher:
        refused = await ask(fetcher, f"{server.url}/{'a' * 500}?z")
        allowed = await ask(fetcher, f"{server.url}/a?y")

    assert (refused.outcome, allowed.outcome) == ("refused-by-robots", "found")
    assert refused.evidence.endswith("line 5002, Disallow: /*?z")


async def test_a_host_without_robots_txt_is_no_news(
    open_fetcher: OpenFetcher, caplog: pytest.LogCaptureFixture
) -> None:
    """Most have none: no warning for each."""
    async with site(reply_bytes(b"", "404 Not Found")).running() as server, open_fetcher() as fetcher:
        await ask(fetcher, f"{server.url}/a")

    assert [record.message for record in caplog.records if record.levelname != "DEBUG"] == []
