"""The fetcher's turns while partitions come and go: what one process may ask, no other does (design law 6)."""

import asyncio
from typing import Final

from pubweave.contract.exchange import Reply
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.doors.fetcher.door import FetcherDoor
from pubweave.ports import Clock

GRACE_S: Final = 5.0
"""How long requests on the wire may take when their sites go to others."""

LOOK_S: Final = 0.02

TICK_S: Final = 0.25


class FetcherTurns:
    """Holds the turns of a fetcher whose partitions go, and after the process was stopped for a while.

    :param session_timeout_s: after this long without a sign of life the partitions are others'
    """

    def __init__(self, fetcher: FetcherDoor, clock: Clock, session_timeout_s: float) -> None:
        self._fetcher = fetcher
        self._clock = clock
        self._session_timeout_s = session_timeout_s
        self._letting_go = False

    async def fetch(self, wanted: ReplyWanted) -> Reply | ReplyWanted:
        """The reply, or the question for the owner of the site that a redirect leads to."""
        if not wanted.until:
            return await self._fetcher.hop(wanted)
        left_s = (wanted.until - self._clock.now_ms()) / 1000
        if left_s > 0:
            try:
                async with asyncio.timeout(left_s) as time:
                    return await self._fetcher.hop(wanted)
            except TimeoutError:
                if not time.expired():
                    raise
        return Reply("timeout", wanted.request.url, evidence="nobody waits for it any more")

    def taken_over(self) -> None:
        """Others may have asked until now: one window passes first."""
        self._letting_go = False
        self._fetcher.taken_over()

    async def letting_go(self) -> None:
        self._letting_go = True
        self._fetcher.hold()
        until_s = self._clock.monotonic_s() + GRACE_S
        while self._fetcher.in_flight and self._clock.monotonic_s() < until_s:
            await self._clock.sleep(LOOK_S)

    def let_go(self) -> None:
        """Whoever asks next opens connections of his own."""
        self._fetcher.close_idle()

    async def watch(self) -> None:
        """Notice that this process stood still (stopped, swapped out, a laptop asleep) so long that its partitions
        may be others': it asks nothing until it knows."""
        before_s = self._clock.monotonic_s()
        while True:
            await self._clock.sleep(TICK_S)
            now_s = self._clock.monotonic_s()
            stood_s, before_s = now_s - before_s - TICK_S, now_s
            if stood_s < self._session_timeout_s / 2:
                continue
            self._fetcher.hold()
            if stood_s < self._session_timeout_s:
                # Two heartbeats later it would have been told.
                await self._clock.sleep(self._session_timeout_s / 5 + TICK_S)
                before_s = self._clock.monotonic_s()
                if not self._letting_go:
                    self._fetcher.taken_over()


async def end(task: "asyncio.Task[None]") -> None:
    """Cancel it and wait for its end."""
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
