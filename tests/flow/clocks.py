"""A clock for tests that do not want to wait."""

import asyncio

from pubweave.adapters.clock import SystemClock

SHORT_S = 0.5


class ImpatientClock(SystemClock):
    """The machine's clock, whose longer sleeps return at once: what is to be asked again later is asked again now.

    Time itself does not leap, so whatever is under way keeps its deadline. Not for units with budgets or Retry-After,
    which look at the clock again after their sleep.
    """

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds) if seconds <= SHORT_S else await asyncio.sleep(0)
