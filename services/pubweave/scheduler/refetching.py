"""What is due to be fetched again (F-CAN-01), found in the store and submitted at a bounded rate."""

from typing import Final, Literal, Protocol

from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.values import Cooldowns, Identifiers, RunSettings
from pubweave.core.record import decode_record
from pubweave.ports import Store

State = Literal["empty", "failed", "incomplete"]

PAUSE_MS: Final = 24 * 3600 * 1000
"""A publication that was submitted here is not submitted again before this time, whatever became of it."""
REMEMBERED: Final = 100_000


class Due(Protocol):
    """Records by state, the longest unfetched first (a view of the store)."""

    async def to_refetch(self, state: State, before_ms: int, limit: int = 1000) -> list[str]: ...


class Refetching:
    """Submits to the lane `bulk`; whether a publication is really fetched, the merger decides as for every line.

    :param per_minute: how many publications at most; 0: none
    """

    def __init__(
        self, due: Due, store: Store, settings: RunSettings, cooldowns: Cooldowns, per_minute: int
    ) -> None:
        self._due = due
        self._store = store
        self._settings = settings
        self._cooldowns = cooldowns
        self._per_minute = per_minute
        self._submitted: dict[str, int] = {}

    async def next(self, now_ms: int) -> list[FetchRequested]:
        """What to submit in this minute."""
        if self._per_minute <= 0:
            return []
        self._forget(now_ms)
        job = f"{now_ms:012x}refetch"
        found: list[FetchRequested] = []
        for state, cooldown_min in self._states():
            before_ms = now_ms - cooldown_min * 60_000
            # More than are wanted: some of them were submitted a moment ago.
            most = self._per_minute + len(self._submitted)
            for publication in await self._due.to_refetch(state, before_ms, most):
                if len(found) >= self._per_minute:
                    return found
                if publication in self._submitted:
                    continue
                stored = await self._store.record(publication)
                if stored is None or stored.removed or not stored.body:
                    continue
                known = decode_record(stored.body).identifiers
                if known.known():
                    self._submitted[publication] = now_ms
                    found.append(self._request(job, len(found) + 1, known, now_ms))
        return found

    def _states(self) -> list[tuple[State, int]]:
        """Those that a cooldown ends; a negative one never does."""
        cooldowns = self._cooldowns
        states: list[tuple[State, int]] = [
            ("failed", cooldowns.fetchExceptionCooldown),
            ("empty", cooldowns.emptyCooldown),
            ("incomplete", cooldowns.nonFinalCooldown),
        ]
        return [(state, minutes) for state, minutes in states if minutes >= 0]

    def _request(self, job: str, line: int, known: Identifiers, now_ms: int) -> FetchRequested:
        return FetchRequested(
            job=job,
            line=line,
            identifiers=known,
            provenance=Identifiers(**{kind: "pubweave" for kind, _ in known.known()}),
            settings=self._settings,
            cooldowns=self._cooldowns,
            lane="bulk",
            submitted_at=now_ms,
        )

    def _forget(self, now_ms: int) -> None:
        while self._submitted:
            publication, at_ms = next(iter(self._submitted.items()))
            if now_ms - at_ms < PAUSE_MS and len(self._submitted) < REMEMBERED:
                return
            del self._submitted[publication]
