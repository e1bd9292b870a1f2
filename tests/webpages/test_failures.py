"""Chapter 6.2 for web pages and docs, row by row, with servers that really misbehave."""

import asyncio
import gzip
import socket
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

import pytest

from pubweave.adapters.clock import SystemClock
from pubweave.contract.values import RunSettings
from pubweave.core.webpage_record import WebpageRecord
from pubweave.runtimes.embedded.webpages import PageLine, PageWishes
from services.doors.fetcher.loopback import Asked, Server, reply_bytes
from webpages.conftest import Opened
from webpages.site import html

PAGE: Final = html("Good").body
HTML: Final = "Content-Type: text/html"

Misbehaviour = Callable[[asyncio.StreamWriter], Awaitable[None]]


class Hasty(SystemClock):
    """Waits of more than a few seconds are over at once: what is asked again later is asked again now."""

    async def sleep(self, seconds: float) -> None:
        await super().sleep(0 if seconds > 5 else seconds)


def sends(answer: bytes) -> Misbehaviour:
    async def send(writer: asyncio.StreamWriter) -> None:
        writer.write(answer)
        await writer.drain()

    return send


async def breaks_off(writer: asyncio.StreamWriter) -> None:
    """The body ends before its announced end."""
    writer.write(reply_bytes(PAGE, "200 OK", HTML, length=len(PAGE) + 1000))
    await writer.drain()
    writer.close()


async def resets(writer: asyncio.StreamWriter) -> None:
    """The connection breaks as if a cable was cut."""
    raw = writer.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
    writer.transport.abort()


async def says_nothing(writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


class Case(NamedTuple):
    """A row: what the server does, and what the record says then."""

    row: str
    does: Misbehaviour
    outcome: str
    fetch_exception: bool = False
    status: int = 0
    content_type: str = ""
    asked: int = 1
    broken: bool = True


CASES: Final = [
    Case("F-EXC-02", sends(reply_bytes(PAGE, "503 Busy", HTML)), "unavailable", True, 503, "text/html"),
    Case("F-EXC-03 404", sends(reply_bytes(PAGE, "404 Not Found", HTML)), "absent", False, 404, "text/html"),
    Case("F-EXC-03 403", sends(reply_bytes(PAGE, "403 Forbidden", HTML)), "blocked", False, 403, "text/html"),
    Case("F-EXC-03 500", sends(reply_bytes(PAGE, "500 Oops", HTML)), "unavailable", False, 500, "text/html"),
    Case(
        "F-EXC-06",
        sends(reply_bytes(b"\x89PNG", "200 OK", "Content-Type: image/png")),
        "wrong-type",
        False,
        200,
        "image/png",
        broken=False,
    ),
    Case("F-EXC-08", says_nothing, "timeout", True, asked=2),
    Case("F-EXC-11 reset", resets, "reset", asked=2),
    Case("F-EXC-11 cut", breaks_off, "reset", False, 200, "text/html", asked=2, broken=False),
    Case("F-EXC-11 not HTTP", sends(b"hello\r\n\r\n"), "malformed"),
    Case(
        "F-EXC-11 broken gzip",
        sends(reply_bytes(b"\x1f\x8bnonsense", "200 OK", HTML, "Content-Encoding: gzip")),
        "malformed",
        False,
        200,
        "text/html",
        broken=False,
    ),
    Case(
        "a bomb",
        sends(reply_bytes(gzip.compress(b"a" * (30 << 20)), "200 OK", HTML, "Content-Encoding: gzip")),
        "too-large",
        False,
        200,
        "text/html",
        broken=False,
    ),
    Case(
        "F-CFG-21",
        sends(reply_bytes(b"", "302 Found", "Location: /x")),
        "redirect-loop",
    ),
    Case("no body", sends(reply_bytes(b"", "200 OK", HTML)), "empty", False, 200, "text/html", broken=False),
]


async def the_record(opened: Opened, url: str) -> WebpageRecord:
    wishes = PageWishes(settings=RunSettings(timeout_ms=300), second_chance=False)
    async with opened(clock=Hasty()) as pages:
        (one,) = [found async for found in pages.fetch([PageLine(1, url)], wishes)]
    return one.record


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.row)
async def test_a_failure_is_told_as_the_table_says_and_fills_nothing(opened: Opened, case: Case) -> None:
    """Outcome, flag, status and type; nothing of the body becomes content; asked as often as the table says."""

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        await (
            sends(reply_bytes(b"", "404 Not Found", close=True)) if asked.path == "/robots.txt" else case.does
        )(writer)

    async with Server(answer).running() as server:
        record = await the_record(opened, f"{server.url}/x")
        asked = sum(one.path == "/x" for one in server.asked)

    assert (record.outcome, record.fetch_exception) == (case.outcome, case.fetch_exception)
    assert (record.status_code, record.content_type) == (case.status, case.content_type)
    assert bool(record.final_url) is bool(case.status)
    assert (record.title, record.content) == ("", "")
    assert record.is_broken() is case.broken
    assert asked == case.asked


async def test_a_refused_connection_is_worth_another_attempt(opened: Opened) -> None:
    """F-EXC-04."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        record = await the_record(opened, f"http://127.0.0.1:{free.getsockname()[1]}/")

    assert (record.outcome, record.fetch_exception, record.final_url) == ("refused", True, "")


async def test_a_tls_failure_is_no_exception(opened: Opened) -> None:
    """F-EXC-09, F-EXC-10: the browser is asked; without one it stays a TLS failure, without flag."""

    async def speak_no_tls(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(speak_no_tls, "127.0.0.1", 0) as server:
        record = await the_record(opened, f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/")

    assert (record.outcome, record.fetch_exception) == ("tls-failure", False)
    assert "there is no browser here" in record.evidence


async def test_a_name_that_nobody_knows_is_no_exception(opened: Opened) -> None:
    """F-EXC-11, F-EXC-17."""
    record = await the_record(opened, "http://no-such-host.invalid/")

    assert (record.outcome, record.fetch_exception, record.is_broken()) == ("unresolved", False, True)


async def test_the_inner_network_is_not_asked(opened: Opened) -> None:
    """P-46: neither by address nor by a redirect."""
    inner = await the_record(opened, "http://10.1.2.3/")

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(reply_bytes(b"", "302 Found", "Location: http://169.254.169.254/latest/meta-data"))

    async with Server(answer).running() as server:
        led = await the_record(opened, f"{server.url}/x")

    assert (inner.outcome, led.outcome) == ("refused-address", "refused-address")


async def test_robots_txt_is_obeyed(opened: Opened) -> None:
    """Pages are asked for as robots.txt allows; the line that decided is the evidence."""

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        rules = b"User-agent: *\nDisallow: /private\n"
        writer.write(reply_bytes(rules if asked.path == "/robots.txt" else PAGE, "200 OK", HTML))

    async with Server(answer).running() as server:
        private = await the_record(opened, f"{server.url}/private/x")
        public = await the_record(opened, f"{server.url}/public")
        asked = [one.path for one in server.asked]

    assert (private.outcome, private.fetch_exception) == ("refused-by-robots", False)
    assert "/private" in private.evidence
    assert public.title == "Good"
    assert "/private/x" not in asked
