"""Rows of the conformance table that belong to the doors, from a web page's address to its record."""

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trustme

from pubweave.adapters.clock import SystemClock
from pubweave.adapters.sqlite import SqliteStorage
from pubweave.contract.values import RunSettings
from pubweave.core.reading.rules import RuleFile, load_rules
from pubweave.core.toolkit.service import Context
from pubweave.doors.fetcher import FetcherDoor, FetcherSettings
from pubweave.doors.pdf_reader import PdfReader
from pubweave.doors.renderer import Renderer, RendererSettings
from pubweave.runtimes.doors import Doors
from pubweave.runtimes.embedded.webpages import PageFinished, PageLine, PageWishes, Webpages
from services.doors.fetcher.ftp_server import FtpServer
from services.doors.fetcher.loopback import LOOPBACK, Asked, Server, reply_bytes, says, wanted
from services.doors.pdf_reader.pdfs import pages_of
from services.doors.renderer.conftest import needs_browser

pytestmark = pytest.mark.network

FETCHER = FetcherSettings(allow_addresses=LOOPBACK, no_budgets=True, user_agent="somebody/1")
TEXT = "This tool aligns sequences of proteins. " * 10

RULES = "'^http://127.0.0.1':\n  javascript: true\n"


@asynccontextmanager
async def pages(rules: str = "") -> AsyncIterator[Webpages]:
    """Web pages through all doors, as in a run."""
    book = load_rules([RuleFile("webpages", "webpages.yaml", rules)]) if rules else None
    storage, clock = SqliteStorage.in_memory(), SystemClock()
    try:
        async with (
            FetcherDoor(FETCHER, clock, storage.store, environment={}) as fetcher,
            PdfReader() as pdf_reader,
            Renderer(RendererSettings(quiet_ms=200)) as renderer,
            Webpages(storage, Doors(fetcher, pdf_reader, renderer), Context(rules=book), clock) as pages,
        ):
            yield pages
    finally:
        await storage.close()


async def fetched(pages: Webpages, *urls: str, timeout_ms: int = 5_000) -> list[PageFinished]:
    lines = [PageLine(number, url) for number, url in enumerate(urls, start=1)]
    wishes = PageWishes(settings=RunSettings(timeout_ms=timeout_ms), second_chance=False)
    found = [one async for one in pages.fetch(lines, wishes)]
    return sorted(found, key=lambda one: one.line)


@needs_browser
async def test_t_022_both_engines_say_who_asks_and_end_in_time() -> None:
    """F-NET-01, F-NET-02: the same User-Agent for the plain page and for what a browser wants; a slow host ends after
    the timeout with both."""
    page = reply_bytes(b"<p>x</p>", "200 OK", "Content-Type: text/html")
    async with (
        Server(says(page)).running() as server,
        FetcherDoor(FETCHER, SystemClock(), environment={}) as fetcher,
        Renderer() as renderer,
    ):
        await fetcher.fetch(wanted(f"{server.url}/plain"))
        await renderer.render(wanted(f"{server.url}/rendered"), fetcher)

        assert {(asked.path, asked.headers["user-agent"]) for asked in server.asked} == {
            ("/plain", "somebody/1"),
            ("/rendered", "somebody/1"),
        }

    async def silent(asked: Asked, writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    async with (
        Server(silent).running() as server,
        FetcherDoor(FETCHER, SystemClock(), environment={}) as fetcher,
        Renderer() as renderer,
    ):
        slow = wanted(f"{server.url}/", timeout_ms=100)
        replies = [await fetcher.fetch(slow), await renderer.render(slow, fetcher)]

    assert [(reply.outcome, reply.fetch_exception) for reply in replies] == [("timeout", True)] * 2


async def test_t_023_a_web_page_that_is_a_pdf_over_ftp_has_its_text() -> None:
    """F-EXC-01, F-PDF-08."""
    async with FtpServer({"x.pdf": pages_of([TEXT[:60]] * 12)}).running() as server, pages() as opened:
        (one,) = await fetched(opened, f"{server.url}/x.pdf")

    assert one.outcome == "found"
    assert "aligns sequences" in one.record.content
    assert (one.record.status_code, one.record.final_url) == (0, f"{server.url}/x.pdf")


@needs_browser
async def test_t_029_after_a_tls_failure_the_browser_tries_once() -> None:
    """F-EXC-09: certificates that nobody vouches for are accepted there."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("somebody.example").configure_cert(context)
    page = f"<title>Aligner</title><main><p>{TEXT}</p></main>".encode()

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        body = b"" if asked.path == "/robots.txt" else page
        writer.write(reply_bytes(body, "200 OK", "Content-Type: text/html"))

    async with Server(answer, tls=context).running() as server, pages() as opened:
        (one,) = await fetched(opened, f"{server.url}/tool")

    assert (one.outcome, one.record.title) == ("found", "Aligner")
    assert TEXT.strip() in one.record.content


@needs_browser
async def test_t_031_a_page_with_an_endless_script_does_not_hold_a_run(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """F-JS-01 to F-JS-03: rendered because the rules say so, killed, told as an error; the other page is there."""
    spinning = b"<p>x</p><script>while (true) { }</script>"
    made = f"<title>t</title><main></main><script>document.querySelector('main').innerHTML = '<p>{TEXT}'</script>"

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        body = {"/spin": spinning, "/made": made.encode()}.get(asked.path, b"")
        status = "200 OK" if body else "404 Not Found"
        writer.write(reply_bytes(body, status, "Content-Type: text/html"))

    async with Server(answer).running() as server, pages(RULES) as opened:
        (spun,) = await fetched(opened, f"{server.url}/spin", timeout_ms=2_000)
        (other,) = await fetched(opened, f"{server.url}/made", timeout_ms=20_000)

    assert spun.record.fetch_exception
    assert (
        next(record.levelno for record in caplog.records if "was killed" in record.message) == logging.ERROR
    )
    assert other.record.content.strip() == TEXT.strip()
