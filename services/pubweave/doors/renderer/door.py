"""`Renderer`: a question, a page, an outcome."""

import asyncio
import logging
from collections import Counter
from types import TracebackType
from typing import Self

import msgspec

from pubweave.adapters.clock import SystemClock
from pubweave.contract.digests import content_digest, quick_digest
from pubweave.contract.exchange import Reply, Request, Work
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.vocabulary import AttemptOutcome
from pubweave.doors.renderer.chromium import Browser, NoBrowser, executable
from pubweave.doors.renderer.page import Broken, BrowserPage, LedOn, NeverReadable, TooMuch
from pubweave.doors.renderer.session import BrowserGone
from pubweave.doors.renderer.settings import RendererSettings, hard_stop_s
from pubweave.doors.renderer.shelf import Shelf
from pubweave.ports import Clock, Fetching

_log = logging.getLogger(__name__)
_MEMORY_STEP_S = 0.5


class Renderer:
    """Renders pages in as many browsers as `browsers` says, one page at a time in each; others wait their turn.

    `async with Renderer(settings) as renderer:` or `aclose` it. Browsers start when they are first needed and are
    replaced after `pages_per_browser` pages, or at once when one had to be killed: whatever a page does, the next
    one is rendered.
    """

    def __init__(self, settings: RendererSettings | None = None, clock: Clock | None = None) -> None:
        """:param clock: for what is kept between pages; a page's own time is the event loop's"""
        self._shelf = Shelf(clock or SystemClock())
        self._shown = Shelf(clock or SystemClock(), most_bytes=_MOST_SHOWN_BYTES)
        self._settings = settings if settings is not None else RendererSettings()
        self._free = asyncio.Semaphore(self._settings.browsers)
        self._idle: list[Browser] = []
        self._busy: set[Browser] = set()
        self._missing = ""
        self.started = 0
        """How many browsers have been started."""

    @property
    def is_here(self) -> bool:
        """There is a browser to start."""
        try:
            executable(self._settings)
        except NoBrowser:
            return False
        return True

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End all browsers. Pages that are still being rendered end as failures."""
        for browser in self._busy:
            browser.strike()
        while self._idle:
            await self._idle.pop().kill()

    def pids(self) -> tuple[int, ...]:
        """The browsers' first processes, as the operating system numbers them."""
        return tuple(browser.pid for browser in (*self._busy, *self._idle))

    async def render(self, wanted: ReplyWanted, fetcher: Fetching) -> Reply:
        """The page at `wanted.request.url` after its scripts have settled: `body` is its HTML in UTF-8.

        Always one reply, never an exception for what a page does. A page that does not come (its `outcome` is not
        `found`) is the fetcher's reply as it is: nothing is rendered, walls are not climbed. Certificates that nobody
        vouches for are accepted (F-JS-04); cookies and posts are not.
        """
        missing = self.missing()
        if missing:
            return _no_door(wanted, missing)
        document = await fetcher.fetch(
            msgspec.structs.replace(self.page_wanted(wanted), ask=f"{wanted.ask} page", door="fetcher")
        )
        if document.outcome != "found":
            return document
        return await self.show(wanted, document, fetcher)

    def page_wanted(self, wanted: ReplyWanted) -> ReplyWanted:
        """The question with the request that brings the page."""
        request = msgspec.structs.replace(
            wanted.request, method="GET", form=(), expect="html", follow_redirects=True, javascript=True
        )
        return msgspec.structs.replace(wanted, request=request)

    async def show(self, wanted: ReplyWanted, document: Reply, fetcher: Fetching) -> Reply:
        """As `render`, of a page that has come.

        :param document: as the fetcher brought it, outcome `found`
        """
        # Lines often share a page, and doi.org and a link lead to the same one. Only the very same bytes are the same.
        name = f"{wanted.request.url} {document.final_url} {content_digest(document.body)} {wanted.request.robots}"
        async with self._free:
            shown = self._shown.get(name)
            if shown is not None:
                return _as_shown(document, wanted, shown.body, shown.evidence)
            reply = await self._render(wanted, document, fetcher)
            if reply.evidence == SETTLED and reply.final_url == document.final_url:
                self._shown.put(name, reply)
            return reply

    async def _render(self, wanted: ReplyWanted, document: Reply, fetcher: Fetching) -> Reply:
        try:
            browser = await self._browser()
        except NoBrowser as problem:
            self._missing = str(problem)
            _log.warning("Pages that need a browser are left out: %s", problem)
            return _no_door(wanted, self._missing)
        except (BrowserGone, OSError) as problem:
            _log.error("%s", problem)
            return _failure(document, "failed", str(problem))
        timeout_ms = wanted.request.timeout_ms
        page = BrowserPage(
            browser, self._settings, document, _PageSupply(wanted, fetcher, self._shelf), timeout_ms
        )
        self._busy.add(browser)
        showing = asyncio.ensure_future(page.show())
        watching = asyncio.ensure_future(self._watch(browser))
        outcome: AttemptOutcome
        try:
            await asyncio.wait(
                {showing, watching},
                timeout=hard_stop_s(timeout_ms),
                return_when=asyncio.FIRST_COMPLETED,
            )
            if not showing.done():
                outcome, evidence = (
                    ("failed", watching.result())
                    if watching.done()
                    else ("timeout", "the page could not be read in its time")
                )
                return self._killed(page, outcome, evidence, wanted)
            return self._told(page, showing, wanted)
        except BaseException:
            browser.strike()
            raise
        finally:
            watching.cancel()
            showing.cancel()
            await asyncio.gather(showing, watching, return_exceptions=True)
            self._busy.discard(browser)
            browser.pages += 1
            if browser.ended or browser.pages >= self._settings.pages_per_browser:
                await browser.kill()
            else:
                self._idle.append(browser)

    def _killed(
        self, page: BrowserPage, outcome: AttemptOutcome, evidence: str, wanted: ReplyWanted
    ) -> Reply:
        """F-JS-02: counts as a failure of class F-EXC-12."""
        page.strike()
        _log.error("%s was killed: %s", wanted.request.url.partition("?")[0], evidence)
        return _failure(page.document, outcome, evidence)

    def _told(self, page: BrowserPage, showing: "asyncio.Future[str]", wanted: ReplyWanted) -> Reply:
        """The reply of a page that has ended by itself, whichever way."""
        problem = showing.exception()
        if isinstance(problem, NeverReadable):
            return self._killed(page, "timeout", f"the page is busy without an end: {problem}", wanted)
        if isinstance(problem, LedOn):
            return msgspec.structs.replace(problem.reply, url=wanted.request.url)
        if isinstance(problem, TooMuch):
            return msgspec.structs.replace(
                page.document, outcome="too-large", body=b"", evidence=str(problem)
            )
        place = wanted.request.url.partition("?")[0]
        if isinstance(problem, Broken | BrowserGone):
            page.strike()
            _log.warning("%s could not be rendered: %s", place, problem)
            return _failure(page.document, "failed", str(problem))
        if problem is not None:
            page.strike()
            _log.error("%s could not be rendered", place, exc_info=problem)
            return _failure(page.document, "failed", f"{type(problem).__name__}: {problem}")
        _log.debug("%s: %d requests answered, %d refused", place, page.brought, page.refused)
        # The same in every run, whatever the network was like.
        evidence = SETTLED if page.settled else f"{SETTLED}, as it was when its time was over"
        return _as_shown(page.document, wanted, showing.result().encode("utf-8", "replace"), evidence)

    async def _browser(self) -> Browser:
        while self._idle:
            browser = self._idle.pop()
            if await browser.answers():
                return browser
            await browser.kill()
        self.started += 1
        return await Browser.start(self._settings)

    async def _watch(self, browser: Browser) -> str:
        """Returns when the browser holds too much memory."""
        while True:
            await asyncio.sleep(_MEMORY_STEP_S)
            held_mb = await asyncio.to_thread(browser.memory_mb)
            if held_mb > self._settings.memory_mb:
                return f"the page took {held_mb} MiB of memory; {self._settings.memory_mb} are allowed"

    def missing(self) -> str:
        """Why no page can be rendered here, also said once in the log; "" if one can."""
        if not self._missing:
            try:
                executable(self._settings)
            except NoBrowser as problem:
                self._missing = str(problem)
                _log.warning("Pages that need a browser are left out: %s", problem)
        return self._missing


class _PageSupply:
    """What a page asks for, as questions for the fetcher."""

    def __init__(self, wanted: ReplyWanted, fetcher: Fetching, shelf: Shelf) -> None:
        self._wanted = wanted
        self._fetcher = fetcher
        self._shelf = shelf
        self._counts: Counter[str] = Counter()

    async def __call__(self, url: str, kind: str) -> Reply:
        # Who obeys robots.txt does not get what was asked for without.
        name = f"{url} {self._wanted.request.robots}"
        kept = self._shelf.get(name) if kind in _IN_COMMON else None
        if kept is not None:
            return kept
        reply = await self._fetcher.fetch(self._question(url, is_page=kind == "Document"))
        if kind in _IN_COMMON:
            self._shelf.put(name, reply)
        return reply

    def _question(self, url: str, *, is_page: bool) -> ReplyWanted:
        wanted = self._wanted
        request = Request(
            url,
            expect="html" if is_page else "any",
            robots=wanted.request.robots,
            timeout_ms=wanted.request.timeout_ms,
            javascript=True,
            max_bytes=_MOST_BYTES,
        )
        name = quick_digest(request.expect, url)
        self._counts[name] += 1
        return ReplyWanted(
            # Named by what is asked for, not by when: rendered anew, a page asks the same questions in another order.
            ask=f"{wanted.ask} {self._counts[name]} {name}",
            unit=wanted.unit,
            request=request,
            # For no need of its own: the page's need has been asked for with the page.
            work=Work(wanted.work.resource, ()),
            lane=wanted.lane,
        )


SETTLED = "rendered"
_MOST_SHOWN_BYTES = 8 << 20
_MOST_BYTES = 20 << 20
_IN_COMMON = frozenset({"Script", "Stylesheet"})


def _as_shown(document: Reply, wanted: ReplyWanted, html: bytes, evidence: str) -> Reply:
    return msgspec.structs.replace(
        document,
        url=wanted.request.url,
        content_type="text/html; charset=utf-8",
        body=html,
        truncated=False,
        evidence=evidence,
    )


def _no_door(wanted: ReplyWanted, missing: str) -> Reply:
    return Reply(outcome="no-door", url=wanted.request.url, evidence=missing)


def _failure(document: Reply, outcome: AttemptOutcome, evidence: str) -> Reply:
    return msgspec.structs.replace(
        document, outcome=outcome, body=b"", evidence=evidence, fetch_exception=True, web_fetch_exception=True
    )
