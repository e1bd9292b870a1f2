"""`AttemptBook`: every attempt leaves a row in the store and a line in the log before its reply is given."""

import asyncio
import logging
from typing import Final

from pubweave.doors.fetcher.outcomes import log_level
from pubweave.doors.fetcher.trail import AttemptEnd, Trail
from pubweave.ports import Attempt, Clock, StorageProblem, Store

_log = logging.getLogger(__name__)

ROBOTS_ASK: Final = "robots.txt "
"""How the fetcher's own questions begin; those of resources are digests."""


class AttemptBook:
    """Writes attempt rows; those that end at the same time, or while others are written, are written together."""

    def __init__(self, store: Store | None, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._rows: list[Attempt] = []
        self._writing: asyncio.Task[None] | None = None
        self._next: asyncio.Task[None] | None = None
        """Writes what has come meanwhile."""

    async def note(self, ask: str, ended: AttemptEnd) -> None:
        """Log how an attempt ended, and return when its row is stored."""
        case = ended.case
        # Most hosts have no robots.txt; what follows from one is told with the page that is refused.
        level = logging.DEBUG if ask.startswith(ROBOTS_ASK) else log_level(case, ended.url)
        if _log.isEnabledFor(level):
            _log.log(
                level,
                "%s: %s (%s)",
                ended.url.partition("?")[0],
                case.outcome,
                ended.evidence or case.seen,
            )
        exchange = ended.exchange
        await self._write_soon(
            Attempt(
                ask=ask,
                unit=ended.unit,
                host=ended.host,
                outcome=case.outcome,
                status=exchange.status if exchange else 0,
                started_at=ended.started_at,
                ended_at=ended.at_ms or ended.started_at,
                bytes=len(exchange.body) if exchange else 0,
                evidence=ended.evidence,
            )
        )

    def leave_cancelled(self, ask: str, trail: Trail) -> None:
        """Sent, and nobody waits for the answer any more; whoever goes on asks again. The row is stored with the next one,
        or when the book is closed: who leaves it cannot wait."""
        if self._store is None:
            return
        self._rows.append(
            Attempt(
                ask=ask,
                unit=trail.unit,
                host=trail.host,
                outcome="cancelled",
                status=0,
                started_at=trail.started_at,
                ended_at=self._clock.now_ms(),
                bytes=0,
                evidence="ended before the answer was here",
            )
        )

    async def _write_soon(self, row: Attempt) -> None:
        """Return when the row is stored. If that fails, it is tried again with the next row: the reply is
        true all the same, and whoever stores it will meet the same problem."""
        if self._store is None:
            return
        self._rows.append(row)
        if self._next is None:
            self._next = asyncio.get_running_loop().create_task(self._write_after(self._writing))
        await asyncio.shield(self._next)

    async def close(self) -> None:
        if self._store is not None and self._rows:
            await self._write()

    async def _write_after(self, before: "asyncio.Task[None] | None") -> None:
        if before is not None and not before.done():
            await asyncio.wait([before])
        self._writing, self._next = self._next, None
        await self._write()

    async def _write(self) -> None:
        assert self._store is not None
        rows, self._rows = self._rows, []
        try:
            await self._store.add_attempts(rows)
        except StorageProblem as problem:
            self._rows = rows + self._rows
            _log.error("Attempts could not be stored: %s", problem)
