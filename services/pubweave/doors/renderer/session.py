"""The talk with a browser, or with one page in it."""

import asyncio
from collections.abc import Callable
from typing import Any, Final

SOON_S: Final = 20.0
"""For an answer of a browser that is well; a machine may be busy."""


class BrowserGone(Exception):
    """The browser has ended, was killed, or does not answer; the text is the evidence."""


class DevtoolsSession:
    """The talk with one page, or with the browser as a whole. A question is never waited for without a limit."""

    def __init__(self, session: Any) -> None:
        self._session = session

    def on(self, event: str, hear: Callable[[dict[str, Any]], None]) -> None:
        self._session.on(event, hear)

    @property
    def number(self) -> str:
        """How the browser calls this talk; only that with a page has a number."""
        return str(self._session._sessionId)

    def off(self, event: str, hear: Callable[[dict[str, Any]], None]) -> None:
        """Hear no more of it; safe where it was never heard."""
        if hear in self._session.listeners(event):
            self._session.remove_listener(event, hear)

    def say(self, method: str, **params: Any) -> "asyncio.Future[dict[str, Any]]":
        """Say something without waiting; a failure is of no interest."""
        try:
            future: asyncio.Future[dict[str, Any]] = self._session.send(method, params)
        except Exception as problem:  # noqa: BLE001  # pyppeteer raises its own and the pipe's
            future = asyncio.get_running_loop().create_future()
            future.set_exception(BrowserGone(str(problem)))
        future.add_done_callback(heard)
        return future

    async def ask(self, method: str, *, within_s: float = SOON_S, **params: Any) -> dict[str, Any]:
        """:raises BrowserGone: no answer in time, or it says no"""
        future = self.say(method, **params)
        # Not cancelled when time is up: pyppeteer stumbles over a cancelled question when its answer comes.
        await asyncio.wait({future}, timeout=within_s)
        if not future.done():
            raise BrowserGone(f"no answer to {method} for {within_s:g} s")
        problem = future.exception()
        if problem is not None:
            raise BrowserGone(f"{method}: {' '.join(str(problem).split())[:200]}") from problem
        return future.result() or {}


def heard(future: "asyncio.Future[Any]") -> None:
    if not future.cancelled():
        future.exception()
