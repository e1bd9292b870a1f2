"""Daily quotas, booked in the store before requests are sent, so that a restart cannot spend them twice."""

import asyncio
from datetime import UTC, datetime, timedelta

from pubweave.ports import Clock, Store

_BLOCK_SHARE = 1000


class Quotas:
    """Counts the requests of a day (UTC) by family.

    Booked in blocks of a thousandth of the quota: a crash forgets at most one block's rest, never the
    requests that were sent; `close` gives the rest back. A process whose families may be another's from now
    on forgets it (`hold`): what the other has booked meanwhile must not be overwritten.
    """

    def __init__(self, clock: Clock, store: Store | None) -> None:
        self._clock = clock
        self._store = store
        self._days: dict[str, _Day] = {}
        self._lock = asyncio.Lock()
        self._held = False

    async def take(self, family: str, quota: int) -> bool:
        """Count one request; false if the quota of today is used up.

        :raises StorageProblem: it could not be booked, so it must not be sent
        """
        today = self._today()
        day = self._days.get(family)
        if day is None or day.name != today or day.used >= day.booked:
            async with self._lock:
                day = await self._booked(family, quota, today)
        if day.used >= min(day.booked, quota):
            return False
        day.used += 1
        return True

    def give_back(self, family: str) -> None:
        """A request that was counted has not been sent."""
        day = self._days.get(family)
        if day is not None and day.used > 0 and day.name == self._today():
            day.used -= 1

    def until_tomorrow_ms(self) -> int:
        now = self._now()
        tomorrow = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
        return int((tomorrow - now) / timedelta(milliseconds=1)) + 1000

    def hold(self) -> None:
        """Others may count from now on: what was booked stays booked, and is not given back."""
        self._held = True
        self._days.clear()

    def taken_over(self) -> None:
        """Count on from what is in the store: others may have booked until now."""
        self._held = False
        self._days.clear()

    async def close(self) -> None:
        """Give back what was booked and not used."""
        if self._store is not None and not self._held:
            for family, day in self._days.items():
                if day.used < day.booked:
                    await self._store.book_quota(family, day.name, day.used)
        self._days.clear()

    async def _booked(self, family: str, quota: int, today: str) -> "_Day":
        day = self._days.get(family)
        if day is None or day.name != today:
            used = await self._store.quota(family, today) if self._store is not None else 0
            day = self._days[family] = _Day(today, used)
        if day.used >= day.booked and day.booked < quota:
            booked = min(quota, day.used + max(1, quota // _BLOCK_SHARE))
            if self._store is not None:
                await self._store.book_quota(family, today, booked)
            day.booked = booked
        return day

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock.now_ms() / 1000, UTC)

    def _today(self) -> str:
        return self._now().date().isoformat()


class _Day:
    __slots__ = ("booked", "name", "used")

    def __init__(self, name: str, used: int) -> None:
        self.name = name
        self.used = used
        self.booked = used
