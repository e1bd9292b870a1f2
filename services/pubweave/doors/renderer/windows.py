"""Windows of one browser. To open one costs five times as much as to show a page, so pages of one host share theirs.

Nothing that a page stored is left for the next, which finds a window that has shown nothing yet. Pages of different
hosts never meet: each host has a window of its own, with a profile of its own.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from pubweave.doors.renderer.session import BrowserGone, DevtoolsSession

KEPT: Final = 3
"""Windows that wait for another page of their host; each holds some 30 MB."""
MOST_ORIGINS: Final = 10
"""A page with frames of more has its window closed, which forgets everything at once."""
LEAVING_S: Final = 5.0
"""For each step of leaving a page, of a browser that is well."""
# The page's process keeps a copy of these: there they are cleared at once, from outside some time later.
_FORGOTTEN: Final = "try { localStorage.clear(); sessionStorage.clear() } catch (_) {} window.name = ''"


class BrowserWindow(NamedTuple):
    """A browser context with one page in it."""

    context: str
    target: str


class Windows:
    """Those that wait, by host; used last comes last."""

    def __init__(self, whole: DevtoolsSession, attach: Callable[[str], Awaitable[DevtoolsSession]]) -> None:
        """:param whole: the talk with the browser
        :param attach: begins that with a page
        """
        self._whole = whole
        self._attach = attach
        self.opened = 0
        """How many there have been."""
        self._kept: OrderedDict[str, BrowserWindow] = OrderedDict()

    async def take(self, url: str) -> tuple[BrowserWindow, DevtoolsSession]:
        """The window of this address's host, or a new one, and the talk with its page.

        :raises BrowserGone: there is none to be had
        """
        kept = self._kept.pop(_host(url), None)
        if kept is not None:
            try:
                return kept, await self._attach(kept.target)
            except BaseException as problem:
                self.close(kept)
                if not isinstance(problem, BrowserGone):
                    raise
        window = await self._open()
        try:
            return window, await self._attach(window.target)
        except BaseException:
            self.close(window)
            raise

    async def _open(self) -> BrowserWindow:
        self.opened += 1
        whole = self._whole
        made = await whole.ask("Target.createBrowserContext", disposeOnDetach=True)
        context = str(made["browserContextId"])
        try:
            await whole.ask("Browser.setDownloadBehavior", behavior="deny", browserContextId=context)
            made = await whole.ask(
                "Target.createTarget", url="about:blank", browserContextId=context, width=1280, height=1024
            )
        except BaseException:
            self.close(BrowserWindow(context, ""))
            raise
        return BrowserWindow(context, str(made["targetId"]))

    async def give_back(
        self, window: BrowserWindow, session: DevtoolsSession, documents: Collection[str]
    ) -> None:
        """Forget what a page stored, and keep its window; one that cannot be cleaned is closed.

        :param session: the talk with the window, which ends here; an empty page of the same host is shown there,
            so that scripts have had their last word
        :param documents: addresses of all that was shown, in frames too, the page's own first
        """
        origins = dict.fromkeys(_origin(url) for url in documents)
        if len(origins) > MOST_ORIGINS:
            self.close(window)
            return
        try:
            await session.ask("Page.resetNavigationHistory", within_s=LEAVING_S)
            await session.ask("Runtime.evaluate", expression=_FORGOTTEN, within_s=LEAVING_S)
            for origin in origins:
                await session.ask(
                    "Storage.clearDataForOrigin", origin=origin, storageTypes="all", within_s=LEAVING_S
                )
            await self._whole.ask("Storage.clearCookies", browserContextId=window.context, within_s=LEAVING_S)
            await self._whole.ask("Target.detachFromTarget", sessionId=session.number, within_s=LEAVING_S)
        except BaseException as problem:
            self.close(window)
            if not isinstance(problem, BrowserGone):
                raise
            return
        self._kept[_host(next(iter(documents)))] = window
        while len(self._kept) > KEPT:
            self.close(self._kept.popitem(last=False)[1])

    def close(self, window: BrowserWindow) -> None:
        """Close it with everything in it."""
        self._whole.say("Target.disposeBrowserContext", browserContextId=window.context)


def same_host(urls: Collection[str]) -> bool:
    """Whether all of these addresses are of one host."""
    return len({_host(url) for url in urls}) == 1


def _host(url: str) -> str:
    return urlsplit(url).netloc.lower()


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
