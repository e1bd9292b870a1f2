"""One page in a browser: what it asks for, when it has settled, and what it says in the end."""

import asyncio
import base64
import contextlib
from collections.abc import Awaitable, Callable
from math import inf
from typing import Any, Final
from urllib.parse import urljoin

from pubweave.contract.exchange import Reply
from pubweave.doors.renderer.chromium import Browser
from pubweave.doors.renderer.session import BrowserGone, DevtoolsSession
from pubweave.doors.renderer.settings import RendererSettings
from pubweave.doors.renderer.windows import LEAVING_S, BrowserWindow, same_host

Bring = Callable[[str, str], Awaitable[Reply]]
"""Has an address asked by the fetcher, for this kind of request; a `Document` (page or frame) must be HTML."""

_BROUGHT: Final = frozenset({"Document", "Script", "Stylesheet", "XHR", "Fetch"})
"""Kinds of requests that can change what a page says. Images, fonts, media, beacons and the like are refused."""

_EMPTY: Final = [{"name": "Content-Type", "value": "text/html"}]

# What would go past the requests that are met here. Without these objects scripts do not even try; with them they
# would meet a browser that has no network.
_TAKEN_AWAY: Final = """(() => {
  const names = ["WebSocket", "WebSocketStream", "WebTransport", "RTCPeerConnection", "webkitRTCPeerConnection",
    "RTCDataChannel", "EventSource", "SharedWorker", "Notification", "PaymentRequest"];
  for (const name of names) { try { delete globalThis[name]; } catch (_) {} }
  try { delete Navigator.prototype.serviceWorker; } catch (_) {}
  try { Navigator.prototype.sendBeacon = () => false; } catch (_) {}
  for (const name of ["print", "open"]) { try { globalThis[name] = () => null; } catch (_) {} }
})();"""


class Broken(Exception):
    """The page cannot be read; the text is the evidence."""


class NeverReadable(Broken):
    """It is busy without an end, so it must be killed."""


class TooMuch(Broken):
    """It is longer than allowed."""


class LedOn(Exception):
    """The page led on to an address that gives no page: that reply is the answer."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.url)
        self.reply = reply


class BrowserPage:
    """Shows one document. Use it once."""

    def __init__(
        self, browser: Browser, settings: RendererSettings, document: Reply, bring: Bring, timeout_ms: int
    ) -> None:
        """:param document: the page as it came, outcome `found`"""
        self._browser = browser
        self._settings = settings
        self._bring = bring
        self._timeout_s = timeout_ms / 1000
        self.document = document
        """The page that is shown now: scripts may lead on to another."""
        self.brought = 0
        self.refused = 0
        self.settled = False
        self._bytes = 0
        self._navigations = 0
        self._ready: dict[str, Reply] = {}
        """Pages that were redirected, by the number of the request that will come for them."""
        self._given: dict[str, Reply] = {}
        """What the main frame was given, by address."""
        self._dead_end: Reply | None = None
        self._crashed = ""
        self._began = False
        self._over = False
        """It is being read; what it still asks for changes nothing and would only keep the browser from answering."""
        self._loaded_s = inf
        self._active_s = 0.0
        self._changed = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._window: BrowserWindow | None = None
        self._shown: dict[str, None] = {}
        """Addresses of documents, in frames too, of which the first is the page as it came."""
        self._frame = ""
        self._blank = ""
        """Address of the empty page that comes after it."""
        self._blank_came = False
        self._left = False
        self._session: DevtoolsSession
        self._of_browser = (
            ("Target.targetCreated", self._new_target),
            ("Target.targetCrashed", self._target_crashed),
        )

    async def show(self) -> str:
        """The page's HTML when its scripts have settled, or as it is when their time is over (F-JS-03).

        :raises Broken: it crashed, cannot be read, or is too long
        :raises Shown: it led on to something that is no page
        :raises BrowserGone: the browser itself ended
        """
        self._browser.when_ended = self._changed.set
        try:
            await self._open()
            self._session.say("Page.navigate", url=self.document.final_url)
            await self._settle()
            html = await self._read()
            await self._leave()
            return html
        finally:
            self._browser.when_ended = None
            for task in self._tasks:
                task.cancel()
            for name, hear in self._of_browser:
                self._browser.whole.off(name, hear)
            if self._window is not None:
                self._browser.windows.close(self._window)

    def strike(self) -> None:
        """End its browser at once."""
        self._browser.strike()

    async def _open(self) -> None:
        self._window, self._session = await self._browser.windows.take(self.document.final_url)
        for name, hear in self._of_browser:
            self._browser.whole.on(name, hear)
        session = self._session
        session.on("Fetch.requestPaused", self._asked)
        session.on("Page.javascriptDialogOpening", self._dialog)
        session.on("Page.loadEventFired", self._loaded)
        session.on("Page.frameNavigated", self._came_to)
        session.on("Inspector.targetCrashed", lambda _: self._crash("the page crashed its process"))
        tree = await session.ask("Page.getFrameTree")
        self._frame = tree["frameTree"]["frame"]["id"]
        await session.ask("Fetch.enable", patterns=[{"urlPattern": "*"}])
        await session.ask("Network.enable")
        await session.ask("Network.setBypassServiceWorker", bypass=True)
        if self._settings.user_agent:
            await session.ask("Network.setUserAgentOverride", userAgent=self._settings.user_agent)
        await session.ask("Page.addScriptToEvaluateOnNewDocument", source=_TAKEN_AWAY)
        await session.ask("Page.enable")
        await session.ask("Inspector.enable")

    async def _leave(self) -> None:
        """Make room for the next page of this host, unless scripts have led on to another host."""
        if not same_host(self._given) or self._browser.ended:
            return
        # Not about:blank: an empty page of the host comes to the same process, when scripts have had their last word.
        self._blank = urljoin(self.document.final_url, "/")
        self._changed.clear()
        self._session.say("Page.navigate", url=self._blank)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LEAVING_S):
                while not self._left and not self._browser.ended:
                    await self._changed.wait()
                    self._changed.clear()
        if not self._left:
            return
        window, self._window = self._window, None
        assert window is not None
        await self._browser.windows.give_back(window, self._session, tuple(self._shown))

    # What the browser tells.

    def _new_target(self, event: dict[str, Any]) -> None:
        told = event["targetInfo"]
        window = self._window
        ours = (
            window is not None
            and told.get("browserContextId") == window.context
            and told["targetId"] != window.target
        )
        # A window that the page has opened. Workers are not closed, they only have no network.
        if ours and told["type"] == "page":
            self._browser.whole.say("Target.closeTarget", targetId=told["targetId"])

    def _target_crashed(self, event: dict[str, Any]) -> None:
        if self._window is not None and event.get("targetId") == self._window.target:
            self._crash("the page crashed its process")

    def _crash(self, evidence: str) -> None:
        self._crashed = self._crashed or evidence
        self._changed.set()

    def _dialog(self, event: dict[str, Any]) -> None:
        # Leaving a page is always agreed to, everything else never.
        self._session.say("Page.handleJavaScriptDialog", accept=event.get("type") == "beforeunload")

    def _came_to(self, event: dict[str, Any]) -> None:
        """The main frame shows another document. (What becomes a download is asked for like one, and never shown.)"""
        if event["frame"]["id"] != self._frame or not self._began:
            return
        self._loaded_s = inf
        url = event["frame"]["url"]
        if self._blank:
            self._blank_came = url == self._blank
            return
        given = self._given.get(_without_fragment(url))
        if given is not None:
            self.document = given
        else:
            self._dead_end = Reply(
                outcome="bad-url",
                url=url,
                final_url=url,
                evidence=f"the page led on to {url[:100]}, which is no page",
            )
            self._changed.set()

    def _loaded(self, _: dict[str, Any]) -> None:
        # The empty page before ours is loaded, too.
        if self._blank:
            self._left = self._blank_came
        elif self._began:
            self._loaded_s = min(self._loaded_s, _now_s())
        self._changed.set()

    # What the page asks for.

    def _asked(self, event: dict[str, Any]) -> None:
        self._active_s = _now_s()
        paused, request = event["requestId"], event["request"]
        is_page = event.get("resourceType") == "Document"
        of_main_frame = is_page and event.get("frameId") == self._frame
        if self._blank and of_main_frame and request["url"] == self._blank:
            self._session.say(
                "Fetch.fulfillRequest", requestId=paused, responseCode=200, responseHeaders=_EMPTY
            )
            return
        if self._over:
            self._session.say("Fetch.failRequest", requestId=paused, errorReason="Aborted")
            return
        ready = self._ready.pop(event.get("networkId", ""), None)
        if of_main_frame and not self._began:
            ready = self.document
        if is_page:
            self._shown[request["url"]] = None
        if ready is not None:
            self._give(paused, request["url"], ready, of_main_frame=of_main_frame)
        elif self._may_ask(request, event.get("resourceType", ""), of_main_frame=of_main_frame):
            self.brought += 1
            task = asyncio.get_running_loop().create_task(
                self._answer(event, is_page=is_page, of_main_frame=of_main_frame)
            )
            self._tasks.add(task)
            task.add_done_callback(self._answered)
        else:
            self.refused += 1
            if of_main_frame:
                # "No content": the page stays where it is.
                self._session.say("Fetch.fulfillRequest", requestId=paused, responseCode=204)
            else:
                self._session.say("Fetch.failRequest", requestId=paused, errorReason="BlockedByClient")

    def _answered(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self._crash(f"a request could not be answered: {task.exception()!r}")
        self._active_s = _now_s()
        self._changed.set()

    async def _answer(self, event: dict[str, Any], *, is_page: bool, of_main_frame: bool) -> None:
        paused, url = event["requestId"], event["request"]["url"]
        reply = await self._bring(url, event.get("resourceType", ""))
        self._bytes += len(reply.body)
        if of_main_frame and reply.outcome != "found":
            self._dead_end = reply
            self._changed.set()
        if not reply.status or self._bytes > self._settings.max_bytes:
            self._session.say("Fetch.failRequest", requestId=paused, errorReason="Failed")
        elif is_page and _without_fragment(reply.final_url) != _without_fragment(url):
            # The browser must know where it came to; it asks for that next, under the same number.
            self._ready[event.get("networkId", "")] = reply
            self._session.say(
                "Fetch.fulfillRequest",
                requestId=paused,
                responseCode=302,
                responseHeaders=[{"name": "Location", "value": reply.final_url}],
            )
        else:
            self._give(paused, url, reply, of_main_frame=of_main_frame)

    def _may_ask(self, request: dict[str, Any], kind: str, *, of_main_frame: bool) -> bool:
        if of_main_frame:
            self._navigations += 1
            if self._navigations > self._settings.max_navigations:
                return False
        # Scripts of strangers do not make us send anything.
        return (
            request["method"] == "GET"
            and kind in _BROUGHT
            and request["url"].startswith(("http://", "https://"))
            and self.brought < self._settings.max_requests
            and self._bytes < self._settings.max_bytes
        )

    def _give(self, paused: str, url: str, reply: Reply, *, of_main_frame: bool) -> None:
        if of_main_frame:
            self._given[_without_fragment(url)] = reply
            self._began = True
        headers = {"Content-Type": reply.content_type or "text/html", "Access-Control-Allow-Origin": "*"}
        self._session.say(
            "Fetch.fulfillRequest",
            requestId=paused,
            responseCode=reply.status or 200,
            responseHeaders=[{"name": name, "value": value} for name, value in headers.items()],
            body=base64.b64encode(reply.body).decode("ascii"),
        )

    # The end.

    async def _settle(self) -> None:
        """Until it is loaded and quiet; for loading there is as long as for any request, then as long as F-JS-03 says."""
        began_s = _now_s()
        while True:
            if self._crashed:
                raise Broken(self._crashed)
            if self._browser.ended:
                raise BrowserGone("the browser ended")
            if self._dead_end is not None:
                raise LedOn(self._dead_end)
            now_s = _now_s()
            until_s = min(began_s + 2 * self._timeout_s, self._loaded_s + self._timeout_s)
            quiet_s = inf
            if self._loaded_s < inf and not self._tasks:
                quiet_s = max(self._active_s, self._loaded_s) + self._settings.quiet_ms / 1000
            if now_s >= until_s:
                self.settled = now_s >= quiet_s
                return
            if now_s >= quiet_s:
                if await self._is_quiet(until_s - now_s):
                    self.settled = True
                    return
                continue
            self._changed.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(until_s, quiet_s) - now_s):
                    await self._changed.wait()

    async def _is_quiet(self, within_s: float) -> bool:
        """Whether the page itself has nothing more to ask for.

        Our clock alone does not tell: what it has asked for may wait in the pipe, and its timers for a processor. Its answer
        comes after both.
        """
        before = self._active_s, self._loaded_s
        try:
            world = await self._session.ask(
                "Page.createIsolatedWorld", frameId=self._frame, within_s=within_s
            )
            await self._session.ask(
                "Runtime.evaluate",
                expression="new Promise(done => setTimeout(done, 0))",
                awaitPromise=True,
                contextId=world["executionContextId"],
                within_s=within_s,
            )
        except BrowserGone:
            self._active_s = (
                _now_s()
            )  # it is busy, has gone on to another page, or has ended: `_settle` looks again
            return False
        return not self._tasks and (self._active_s, self._loaded_s) == before

    async def _read(self) -> str:
        """As the browser itself writes the page: scripts cannot lie about it."""
        self._over = True
        for task in self._tasks:
            task.cancel()
        within_s = (
            2 * self._timeout_s
        )  # a machine that is busy otherwise is no page that is; `hard_stop_s` bounds it all
        try:
            world = await self._session.ask(
                "Page.createIsolatedWorld", frameId=self._frame, within_s=within_s
            )
            told = await self._session.ask(
                "Runtime.evaluate",
                expression="document.documentElement ? document.documentElement.outerHTML.length : 0",
                contextId=world["executionContextId"],
                within_s=within_s,
            )
            size = int(told["result"].get("value") or 0)
            if size > self._settings.max_html_bytes:
                raise TooMuch(f"{size} characters; {self._settings.max_html_bytes} are allowed")
            root = await self._session.ask("DOM.getDocument", depth=0, within_s=within_s)
            told = await self._session.ask(
                "DOM.getOuterHTML", nodeId=root["root"]["nodeId"], within_s=within_s
            )
        except BrowserGone as problem:
            if self._crashed:
                raise Broken(self._crashed) from problem
            if self._browser.ended:
                raise
            raise NeverReadable(str(problem)) from problem
        return str(told["outerHTML"])


def _without_fragment(url: str) -> str:
    return url.partition("#")[0]


def _now_s() -> float:
    return asyncio.get_running_loop().time()
