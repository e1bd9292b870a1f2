"""The doors other than the fetcher, as each stands alone in a process of the bus."""

import asyncio
from typing import Final, Protocol

import msgspec

from pubweave.contract.exchange import Reply
from pubweave.contract.kinds import Event
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.doors.renderer.settings import LONGEST_S
from pubweave.ports import Blobs, Clock, Fetching
from pubweave.runtimes.doors import PdfAnswering
from pubweave.runtimes.messages.asking import Asking, PageAsking
from pubweave.runtimes.messages.effects import Effects
from pubweave.runtimes.messages.resources import Door

SLOWEST_S: Final = LONGEST_S + 60.0
"""A page with the start of its browser takes no longer."""


class PdfDoor:
    """Reads what the fetcher has brought; the question carries it."""

    def __init__(self, reader: PdfAnswering) -> None:
        self._reader = reader

    async def fetch(self, wanted: ReplyWanted) -> Reply:
        """:raises ValueError: the question has not been to the fetcher"""
        if wanted.fetched is None:
            raise ValueError("there is nothing to read: the fetcher has not been asked")
        return await self._reader.answer(wanted.fetched)


class Showing(Protocol):
    """The renderer, as the bus drives it: what it needs first, and what it does then."""

    def missing(self) -> str:
        """Why no page can be rendered here; "" if one can."""

    def page_wanted(self, wanted: ReplyWanted) -> ReplyWanted:
        """The question with which the fetcher brings the page."""

    async def show(self, wanted: ReplyWanted, document: Reply, fetcher: Fetching) -> Reply:
        """The page as the browser shows it.

        :param document: the page as it came, outcome `found`
        """


class _ShownPage:
    """A `Hopping` door: first the page is had brought, then it is shown."""

    def __init__(self, renderer: Showing, asking: Asking) -> None:
        self._renderer = renderer
        self._asking = asking

    async def fetch(self, wanted: ReplyWanted) -> Reply | ReplyWanted:
        """:raises StorageProblem: what the page asked could not be said"""
        if missing := self._renderer.missing():
            return Reply(outcome="no-door", url=wanted.request.url, evidence=missing)
        if wanted.fetched is None:
            # By way of the bus: however long that takes, nobody stands still, and it is asked for once.
            return msgspec.structs.replace(self._renderer.page_wanted(wanted), door=wanted.door, bring=True)
        fetcher = PageAsking(self._asking)
        reply = await self._renderer.show(wanted, wanted.fetched, fetcher)
        if fetcher.problem is not None:
            raise fetcher.problem
        return reply


class PageDoor(Door):
    """One member of the group of the renderer.

    :param asking: has the fetcher asked for what pages load
    :param at_once: so many pages are in memory; others wait as messages
    """

    def __init__(
        self, renderer: Showing, asking: Asking, blobs: Blobs, clock: Clock, *, at_once: int = 4
    ) -> None:
        super().__init__(_ShownPage(renderer, asking), blobs, clock)
        self.asking = asking
        self._room = asyncio.Semaphore(at_once)
        self._pages = 0
        self._moved_s = clock.monotonic_s()

    async def hear(self, topic: str, event: Event, effects: Effects) -> None:
        """See `Door`."""
        if isinstance(event, ReplyWanted) and event.fetched is None:
            await super().hear(topic, event, effects)
            return
        async with self._room:
            self._move(1)
            try:
                await super().hear(topic, event, effects)
            finally:
                self._move(-1)

    def reasons(self) -> list[str]:
        """Why it may stand still: a page has its time, and that is longer than others need for anything."""
        found = self.asking.reasons()
        if self._pages and self._clock.monotonic_s() - self._moved_s < SLOWEST_S:
            found.append(f"pages being rendered: {self._pages}")
        return found

    def _move(self, pages: int) -> None:
        self._pages += pages
        self._moved_s = self._clock.monotonic_s()
