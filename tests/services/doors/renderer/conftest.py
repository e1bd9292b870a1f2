"""A renderer whose fetcher may ask loopback, and a site whose pages a test writes."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import msgspec
import pytest
import pytest_asyncio

from pubweave.adapters.clock import SystemClock
from pubweave.contract.exchange import Reply
from pubweave.doors.fetcher import FetcherDoor, FetcherSettings
from pubweave.doors.renderer import Renderer, RendererSettings
from pubweave.doors.renderer.shelf import Shelf
from services.doors.fetcher.loopback import Asked, Server, reply_bytes, wanted

BROWSER = shutil.which("chromium") or shutil.which("google-chrome-stable") or ""
needs_browser = pytest.mark.skipif(
    not BROWSER, reason="there is no Chromium here (Debian: apt install chromium)"
)

TIMEOUT_MS = 10_000

HERE = "127.0.0.1/32"
"""Where the fetcher may ask; 127.0.0.2 is a host of our own network that it must not."""

Render = Callable[..., Awaitable[Reply]]


class Site:
    """Answers paths with what a test has put there, everything else with 404."""

    def __init__(self) -> None:
        self.answers: dict[str, bytes] = {}
        self.server = Server(self._answer)

    @property
    def url(self) -> str:
        return self.server.url

    @property
    def asked(self) -> list[str]:
        """The targets that were asked for, in order."""
        return [asked.target for asked in self.server.asked]

    def page(self, path: str, html: str) -> str:
        """Put a page there; gives its address."""
        return self.put(path, html.encode(), "text/html; charset=utf-8")

    def put(self, path: str, body: bytes, content_type: str) -> str:
        return self.say(path, reply_bytes(body, "200 OK", f"Content-Type: {content_type}"))

    def say(self, path: str, answer: bytes) -> str:
        self.answers[path] = answer
        return self.url + path

    async def _answer(self, asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(self.answers.get(asked.path) or reply_bytes(b"", "404 Not Found"))
        await writer.drain()


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def running_site() -> AsyncIterator[Site]:
    site = Site()
    async with site.server.running():
        yield site


@pytest.fixture
def site(running_site: Site) -> Iterator[Site]:
    running_site.answers.clear()
    running_site.server.asked.clear()
    return running_site  # type: ignore[return-value]


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def fetcher() -> AsyncIterator[FetcherDoor]:
    settings = FetcherSettings(allow_addresses=(HERE,), no_budgets=True)
    async with FetcherDoor(settings, SystemClock(), environment={}) as fetcher:
        yield fetcher


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def renderer() -> AsyncIterator[Renderer]:
    async with Renderer(RendererSettings(quiet_ms=200, memory_mb=1_000)) as renderer:
        yield renderer


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def small() -> AsyncIterator[Renderer]:
    """One with small limits."""
    settings = RendererSettings(
        quiet_ms=200,
        max_requests=20,
        max_bytes=1_000_000,
        max_html_bytes=100_000,
        max_navigations=3,
        memory_mb=1_000,
    )
    async with Renderer(settings) as renderer:
        yield renderer


@pytest.fixture
def render(renderer: Renderer, fetcher: FetcherDoor) -> Render:
    """Render one page in the one browser that all tests share; nothing of another test's site is known."""
    renderer._shelf, renderer._shown = Shelf(SystemClock()), Shelf(SystemClock())

    async def rendered(url: str, *, by: Renderer = renderer, **request: Any) -> Reply:
        request.setdefault("timeout_ms", TIMEOUT_MS)
        return await by.render(msgspec.structs.replace(wanted(url, **request), door="renderer"), fetcher)

    return rendered
