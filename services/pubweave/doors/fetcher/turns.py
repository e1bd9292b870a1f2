"""Who may ask now (design law 6): one queue per politeness unit, connections per host, windows, pauses.

A *unit* is an API family or a host; it owns sliding windows and pauses. A *pool* is what connections are
counted by: a host, or a family that has `connections` of its own; several families of one host share its pool.
Nobody waits behind somebody who could not go anyway: each pool looks for the first lane, then the first unit in
turn, that may go now. Units and pools without anything to do are dropped.
"""

import asyncio
from collections import deque
from math import inf
from typing import Literal

import msgspec

from pubweave.contract.declaration import Budget
from pubweave.contract.vocabulary import AttemptOutcome, LaneName
from pubweave.doors.fetcher.budgets import Budgets
from pubweave.doors.fetcher.quotas import Quotas
from pubweave.doors.fetcher.settings import FetcherSettings
from pubweave.doors.fetcher.windows import Window, WindowPlace
from pubweave.ports import Clock

Lane = Literal["again"] | LaneName
"""`again`: a question on its way that only changes host or tries once more (F-HOST-03)."""

_LANES: dict[Lane, int] = {"again": 0, "interactive": 1, "bulk": 2}

_UNITS_SPACED = 10_000

Waiting = Literal["", "budget", "first-window", "retry-after", "connections", "all-connections", "takeover"]


class NotNow(Exception):
    """The unit may not be asked for longer than a door waits."""

    def __init__(self, outcome: AttemptOutcome, retry_after_ms: int, evidence: str) -> None:
        super().__init__(evidence)
        self.outcome = outcome
        self.retry_after_ms = retry_after_ms
        self.evidence = evidence


class UnitStatus(msgspec.Struct, frozen=True):
    """What one politeness unit does at this moment; units with nothing to do have none."""

    unit: str
    queued: int
    in_flight: int
    waiting: Waiting = ""
    """Why the next in its queue does not go: its own rate, or the first window after a start, or what the
    server asked for, or its connections are in use, or those of the whole door."""
    until_ms: int = 0
    """UNIX time at which that ends, where it is known."""
    allowance: str = ""
    """The rate that is waited for, in words."""


class Turns:
    """Gives turns. All methods belong to one event loop."""

    def __init__(
        self,
        settings: FetcherSettings,
        budgets: Budgets,
        clock: Clock,
        quotas: Quotas,
        asked_before_s: float = -inf,
    ) -> None:
        """`asked_before_s`: when somebody else may last have asked, by the monotonic clock; budgeted units
        stand still for one window after it."""
        self._settings = settings
        self._budgets = budgets
        self._clock = clock
        self._quotas = quotas
        self._asked_before_s = asked_before_s
        self._exempt = frozenset(settings.exempt_hosts)
        self._padding_s = settings.window_padding_ms / 1000
        self._units: dict[str, _Unit] = {}
        self._pools: dict[str, _Pool] = {}
        self._in_flight = 0
        self._held = False
        self._crowd: dict[_Pool, None] = {}
        self._sweep_at = 256
        self._spacing: dict[str, float] = {}

    async def take(self, unit_name: str, host: str, lane: Lane) -> "Turn":
        """Wait for a turn; the caller must `end` it, whatever happens.

        :raises NotNow: the unit is paused for longer than a door waits, or its daily quota is used up
        :raises StorageProblem: the quota could not be booked
        """
        unit = self._unit(unit_name)
        if unit.budget.daily_quota:
            # Kept from being dropped while the store is asked.
            unit.arriving += 1
            try:
                if not await self._quotas.take(unit_name, unit.budget.daily_quota):
                    raise NotNow(
                        "over-quota",
                        self._quotas.until_tomorrow_ms(),
                        f"the daily quota of {unit_name} ({unit.budget.daily_quota}) is used up",
                    )
            finally:
                unit.arriving -= 1
        try:
            return await self._queue(unit, host, lane)
        except BaseException:
            if unit.budget.daily_quota:
                self._quotas.give_back(unit_name)
            self._drop_if_idle(unit)
            raise

    def pause(self, unit_name: str, seconds: float) -> None:
        """The server asked to be left alone; what is queued and would wait too long is given back."""
        unit = self._unit(unit_name)
        unit.paused_until_s = max(unit.paused_until_s, self._clock.monotonic_s() + seconds)
        if self._refusal(unit) is None:
            return
        for queue in unit.queues.values():
            for waiters in queue.lanes:
                while waiters:
                    waiter, refusal = waiters.popleft(), self._refusal(unit)
                    if refusal is not None and not waiter.done():
                        waiter.set_exception(refusal)

    def space(self, unit_name: str, seconds: float) -> None:
        """From now on at most one request in `seconds` (a crawl-delay), beside what a budget says."""
        if self._spacing.get(unit_name) == seconds:
            return
        self._spacing[unit_name] = seconds
        while len(self._spacing) > _UNITS_SPACED:
            del self._spacing[next(iter(self._spacing))]
        unit = self._units.get(unit_name)
        if unit is not None:
            self._use_windows(unit)

    def use_budgets(self, budgets: Budgets) -> None:
        """Other budgets from now on; what was asked already counts on in the new windows."""
        self._budgets = budgets
        for unit in self._units.values():
            unit.budget = self._budget(unit.name)
            self._use_windows(unit)
        for unit in list(self._units.values()):
            self._pump_unit(unit)

    def taken_over(self) -> None:
        """Somebody else may have asked until now: budgeted units stand still for one window."""
        self._asked_before_s = self._clock.monotonic_s()
        self._held = False
        for unit in list(self._units.values()):
            self._pump_unit(unit)

    def hold(self) -> None:
        """Give no turn until `taken_over`; those given go on."""
        self._held = True

    @property
    def in_flight(self) -> int:
        """How many turns have been given and not ended."""
        return self._in_flight

    def status(self) -> list[UnitStatus]:
        """Units that have something to do or are paused, those with the longest queue first."""
        now_s = self._clock.monotonic_s()
        said = [self._unit_status(unit, now_s) for unit in self._units.values()]
        return sorted(
            (status for status in said if status.queued or status.in_flight or status.waiting),
            key=lambda status: (-status.queued, status.unit),
        )

    def close(self) -> None:
        for unit in self._units.values():
            if unit.timer is not None:
                unit.timer.cancel()
                unit.timer = None

    # How a turn comes about.

    async def _queue(self, unit: "_Unit", host: str, lane: Lane) -> "Turn":
        refusal = self._refusal(unit)
        if refusal is not None:
            raise refusal
        pool = self._pool(unit, host)
        queue = unit.queues.get(pool)
        if queue is None:
            queue = unit.queues[pool] = _Queue(unit)
            pool.queues.append(queue)
        waiter: asyncio.Future[Turn] = asyncio.get_running_loop().create_future()
        queue.lanes[_LANES[lane]].append(waiter)
        self._pump(pool)
        try:
            return await waiter
        except (asyncio.CancelledError, NotNow):
            if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                waiter.result().end()
            else:
                waiter.cancel()
                self._tidy(pool, queue)
            raise

    def _pump(self, pool: "_Pool") -> None:
        """Give every turn that can be given in this pool now."""
        while pool.in_use < pool.limit:
            queue = self._next(pool)
            if queue is None:
                return
            if self._in_flight >= self._settings.max_connections:
                self._crowd[pool] = None
                return
            waiter = queue.pop()
            unit = queue.unit
            places = []
            for window in unit.windows:
                place = WindowPlace()
                window.take(place)
                places.append(place)
            pool.in_use += 1
            unit.in_flight += 1
            self._in_flight += 1
            # Whoever has had a turn stands behind the others of the pool.
            if len(pool.queues) > 1:
                pool.queues.remove(queue)
                pool.queues.append(queue)
            waiter.set_result(Turn(self, unit, pool, places))

    def _next(self, pool: "_Pool") -> "_Queue | None":
        now_s = self._clock.monotonic_s()
        held: set[_Unit] = set()
        for lane in range(len(_LANES)):
            for queue in pool.queues:
                if queue.unit in held or not queue.waits(lane):
                    continue
                wait_s, _ = self._hold(queue.unit, now_s)
                if wait_s <= 0:
                    return queue
                held.add(queue.unit)
                self._wake_after(queue.unit, wait_s, now_s)
        return None

    def _hold(self, unit: "_Unit", now_s: float) -> tuple[float, Waiting]:
        """How long the unit as a whole may not go, and why; infinite until something else happens."""
        if self._held:
            return inf, "takeover"
        why: Waiting = "retry-after"
        wait_s = unit.paused_until_s - now_s
        if unit.windows:
            first_s = self._asked_before_s + self._padding_s - now_s
            for window in unit.windows:
                if not window.begins_empty and first_s + window.seconds > max(wait_s, 0):
                    wait_s, why = first_s + window.seconds, "first-window"
                rate_s = window.wait_s(now_s)
                if rate_s > max(wait_s, 0):
                    wait_s, why = rate_s, "budget"
        return (wait_s, why) if wait_s > 0 else (0.0, "")

    def _wake_after(self, unit: "_Unit", wait_s: float, now_s: float) -> None:
        if wait_s == inf:
            return
        at_s = now_s + wait_s
        if unit.timer is not None:
            if unit.timer_at_s <= at_s + 0.001:
                return
            unit.timer.cancel()
        unit.timer_at_s = at_s
        unit.timer = asyncio.get_running_loop().create_task(self._wake(unit, wait_s))

    async def _wake(self, unit: "_Unit", wait_s: float) -> None:
        await self._clock.sleep(wait_s)
        unit.timer = None
        self._pump_unit(unit)
        self._drop_if_idle(unit)

    def _pump_unit(self, unit: "_Unit") -> None:
        for pool in list(unit.queues):
            self._pump(pool)

    # What a turn tells.

    def sent(self, turn: "Turn") -> None:
        turn.was_sent = True
        if turn.places:
            now_s = self._clock.monotonic_s()
            for place in turn.places:
                place.sent(now_s, self._padding_s)
            if turn.unit.queues:
                self._pump_unit(turn.unit)

    def answered(self, turn: "Turn") -> None:
        if turn.places:
            now_s = self._clock.monotonic_s()
            for place in turn.places:
                place.answered(now_s)
            if turn.unit.queues:
                self._pump_unit(turn.unit)

    def ended(self, turn: "Turn") -> None:
        unit, pool = turn.unit, turn.pool
        pool.in_use -= 1
        unit.in_flight -= 1
        self._in_flight -= 1
        if not turn.was_sent:
            for window in unit.windows:
                for place in turn.places:
                    window.give_back(place)
            if unit.budget.daily_quota:
                self._quotas.give_back(unit.name)
        while self._crowd and self._in_flight < self._settings.max_connections:
            waiting = next(iter(self._crowd))
            del self._crowd[waiting]
            self._pump(waiting)
        if not turn.was_sent and unit.windows:
            self._pump_unit(unit)
        self._pump(pool)
        self._tidy(pool, unit.queues.get(pool))
        self._drop_if_idle(unit)

    # Bookkeeping.

    def _unit(self, name: str) -> "_Unit":
        unit = self._units.get(name)
        if unit is None:
            if len(self._units) >= self._sweep_at:
                for other in list(self._units.values()):
                    self._drop_if_idle(other)
                self._sweep_at = max(256, 2 * len(self._units))
            budget = self._budget(name)
            unit = self._units[name] = _Unit(name, budget, self._windows(budget))
        return unit

    def _budget(self, name: str) -> Budget:
        budget = None if self._settings.no_budgets else self._budgets.get(name)
        return budget or Budget(family=name)

    def _windows(self, budget: Budget) -> list[Window]:
        starts = budget.starts(keyed=budget.family in self._settings.keyed_families)
        windows = [Window(starts, budget.seconds)] if starts else []
        spacing_s = self._spacing.get(budget.family, 0.0)
        return [*windows, Window(1, spacing_s, begins_empty=True)] if spacing_s else windows

    def _use_windows(self, unit: "_Unit") -> None:
        """What was asked already counts on in the new windows."""
        before = list(dict.fromkeys(place for window in unit.windows for place in window.places()))
        unit.windows = self._windows(unit.budget)
        for window in unit.windows:
            for place in before:
                window.take(place)

    def _pool(self, unit: "_Unit", host: str) -> "_Pool":
        own = unit.budget.connections
        name = f"family {unit.name}" if own else host
        pool = self._pools.get(name)
        if pool is None:
            limit = own or (inf if host in self._exempt else self._settings.connections_per_host)
            pool = self._pools[name] = _Pool(name, limit)
        return pool

    def _refusal(self, unit: "_Unit") -> NotNow | None:
        if unit.paused_until_s == -inf:
            return None
        wait_ms = int((unit.paused_until_s - self._clock.monotonic_s()) * 1000)
        if wait_ms <= self._settings.longest_wait_ms:
            return None
        return NotNow(
            "rate-limited",
            wait_ms,
            f"not asked: {unit.name} said to wait, {(wait_ms + 999) // 1000} s are left of it",
        )

    def _tidy(self, pool: "_Pool", queue: "_Queue | None") -> None:
        """Forget a queue that nobody stands in, and its pool."""
        if queue is not None and queue.is_empty() and queue.unit.queues.get(pool) is queue:
            del queue.unit.queues[pool]
            pool.queues.remove(queue)
        if pool.in_use == 0 and not pool.queues and self._pools.get(pool.name) is pool:
            del self._pools[pool.name]
            self._crowd.pop(pool, None)

    def _drop_if_idle(self, unit: "_Unit") -> None:
        if unit.in_flight or unit.queues or unit.arriving or unit.timer is not None:
            return
        now_s = self._clock.monotonic_s()
        if unit.paused_until_s <= now_s and all(window.idle(now_s) for window in unit.windows):
            self._units.pop(unit.name, None)

    def _unit_status(self, unit: "_Unit", now_s: float) -> UnitStatus:
        queued = sum(queue.length() for queue in unit.queues.values())
        wait_s, why = self._hold(unit, now_s)
        if why and not queued and why != "retry-after":
            wait_s, why = 0.0, ""
        if queued and not why:
            full = all(pool.in_use >= pool.limit for pool in unit.queues)
            why = "connections" if full else "all-connections"
        return UnitStatus(
            unit=unit.name,
            queued=queued,
            in_flight=unit.in_flight,
            waiting=why,
            until_ms=self._clock.now_ms() + int(wait_s * 1000) if 0 < wait_s < inf else 0,
            allowance=", ".join(f"{window.requests} per {window.seconds:g} s" for window in unit.windows),
        )


class Turn:
    """The right to send one request now."""

    __slots__ = ("_ended", "_turns", "places", "pool", "unit", "was_sent")

    def __init__(self, turns: Turns, unit: "_Unit", pool: "_Pool", places: list[WindowPlace]) -> None:
        self._turns = turns
        self.unit = unit
        self.pool = pool
        self.places = places
        self.was_sent = False
        self._ended = False

    def sent(self) -> None:
        """The request is being written to its connection. Said again for each further piece of it: a form
        may be written a moment after its headers, and only then the request has left."""
        self._turns.sent(self)

    def answered(self) -> None:
        """The answer has begun, so the request has arrived."""
        self._turns.answered(self)

    def end(self) -> None:
        """The connection is free again. Safe to repeat."""
        if not self._ended:
            self._ended = True
            self._turns.ended(self)


class _Unit:
    __slots__ = (
        "arriving",
        "budget",
        "in_flight",
        "name",
        "paused_until_s",
        "queues",
        "timer",
        "timer_at_s",
        "windows",
    )

    def __init__(self, name: str, budget: Budget, windows: list[Window]) -> None:
        self.name = name
        self.budget = budget
        self.windows = windows
        self.queues: dict[_Pool, _Queue] = {}
        self.in_flight = 0
        self.arriving = 0
        self.paused_until_s = -inf
        self.timer: asyncio.Task[None] | None = None
        self.timer_at_s = 0.0


class _Pool:
    __slots__ = ("in_use", "limit", "name", "queues")

    def __init__(self, name: str, limit: float) -> None:
        self.name = name
        self.limit = limit
        self.in_use = 0
        self.queues: list[_Queue] = []


class _Queue:
    """Those of one unit who wait for one pool, by lane."""

    __slots__ = ("lanes", "unit")

    def __init__(self, unit: _Unit) -> None:
        self.unit = unit
        self.lanes: tuple[deque[asyncio.Future[Turn]], ...] = tuple(deque() for _ in _LANES)

    def waits(self, lane: int) -> bool:
        """Somebody stands in this lane; those who have gone away are forgotten."""
        waiters = self.lanes[lane]
        while waiters and waiters[0].done():
            waiters.popleft()
        return bool(waiters)

    def pop(self) -> "asyncio.Future[Turn]":
        return next(self.lanes[lane].popleft() for lane in range(len(_LANES)) if self.waits(lane))

    def is_empty(self) -> bool:
        return not any(self.waits(lane) for lane in range(len(_LANES)))

    def length(self) -> int:
        return sum(not waiter.done() for waiters in self.lanes for waiter in waiters)
