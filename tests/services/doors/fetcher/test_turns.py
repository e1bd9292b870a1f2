"""Who may ask now: shown with a clock that stands still until it is moved."""

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pubweave.adapters.clock import ManualClock
from pubweave.adapters.memory import MemoryStore
from pubweave.doors.fetcher.budgets import Budget, Budgets
from pubweave.doors.fetcher.quotas import Quotas
from pubweave.doors.fetcher.settings import FetcherSettings
from pubweave.doors.fetcher.turns import NotNow, Turn, Turns


class Counter:
    """Takes turns and writes down who got one, in order."""

    def __init__(self, *budgets: Budget, asked_before_s: float = -1e9, **settings: Any) -> None:
        self.clock = ManualClock()
        self.store = MemoryStore()
        self.quotas = Quotas(self.clock, self.store)
        self.turns = Turns(
            FetcherSettings(**settings), Budgets(budgets), self.clock, self.quotas, asked_before_s
        )
        self.got: list[str] = []
        self.held: dict[str, Turn] = {}
        self.tasks: set[asyncio.Task[None]] = set()

    def ask(self, name: str, unit: str, host: str = "", lane: Any = "interactive") -> "asyncio.Task[None]":
        async def take() -> None:
            turn = await self.turns.take(unit, host or unit, lane)
            turn.sent()
            turn.answered()
            self.got.append(name)
            self.held[name] = turn

        task = asyncio.get_running_loop().create_task(take())
        self.tasks.add(task)
        return task

    async def settle(self) -> list[str]:
        for _ in range(20):
            await asyncio.sleep(0)
        return self.got

    def end(self, name: str) -> None:
        self.held.pop(name).end()

    async def close(self) -> None:
        self.turns.close()
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


def leftovers(turns: Turns) -> list[str]:
    """Everything by name that is still remembered."""
    return [str(key) for value in vars(turns).values() if isinstance(value, dict) for key in value]


FIVE = Budget(family="api", requests=5)


async def test_a_host_is_asked_one_thing_at_a_time() -> None:
    """F-HOST-01: the second waits for the first; another host does not."""
    counter = Counter()
    for name, host in (("a1", "a.org"), ("a2", "a.org"), ("b1", "b.org")):
        counter.ask(name, host)

    assert await counter.settle() == ["a1", "b1"]
    counter.end("a1")
    assert await counter.settle() == ["a1", "b1", "a2"]
    await counter.close()


async def test_more_connections_if_the_operator_or_the_family_says_so() -> None:
    """`connections_per_host` holds for hosts, a family's own number for the family over all its hosts."""
    counter = Counter(Budget(family="api", connections=3), connections_per_host=2)
    for number in range(4):
        counter.ask(f"host{number}", "a.org")
        counter.ask(f"api{number}", "api", f"host{number}.org")

    assert sorted(await counter.settle()) == ["api0", "api1", "api2", "host0", "host1"]
    await counter.close()


async def test_families_of_one_host_share_its_connection() -> None:
    """Two APIs at one address never have two connections to it, and take turns."""
    counter = Counter(Budget(family="search"), Budget(family="terms"))
    for name in ("search1", "search2", "search3", "terms1", "terms2"):
        counter.ask(name, name[:-1], "www.example.org")
    for _ in range(4):
        counter.end((await counter.settle())[-1])

    assert await counter.settle() == ["search1", "search2", "terms1", "search3", "terms2"]
    await counter.close()


async def test_resolvers_are_exempt() -> None:
    """F-HOST-04: doi.org only redirects."""
    counter = Counter()
    for number in range(50):
        counter.ask(f"{number}", "doi.org")

    assert len(await counter.settle()) == 50
    await counter.close()


async def test_a_budget_holds_whatever_the_connections_allow() -> None:
    """Five per second: the sixth goes when the first has left the window, others at once."""
    counter = Counter(FIVE, connections_per_host=100)
    for number in range(12):
        counter.ask(f"{number}", "api", "a.org")
    counter.ask("other", "b.org")
    await counter.settle()

    assert counter.got == ["0", "1", "2", "3", "4", "other"]
    await counter.clock.advance(0.99)
    assert len(counter.got) == 6
    await counter.clock.advance(0.02)
    assert len(counter.got) == 11
    await counter.clock.advance(1.01)
    assert len(counter.got) == 13
    await counter.close()


async def test_interactive_goes_before_bulk_and_what_is_under_way_before_both() -> None:
    """Lanes: a redirect or second attempt first, then people, then jobs; also across families of a host."""
    counter = Counter(Budget(family="f"), Budget(family="g"))
    counter.ask("first", "f", "a.org")
    await counter.settle()
    counter.ask("bulk", "f", "a.org", "bulk")
    counter.ask("person", "g", "a.org", "interactive")
    counter.ask("again", "f", "a.org", "again")
    for _ in range(3):
        counter.end((await counter.settle())[-1])

    assert await counter.settle() == ["first", "again", "person", "bulk"]
    await counter.close()


async def test_a_busy_unit_never_stops_the_others_of_its_host() -> None:
    """A family that waits for its budget lets another family of the host pass."""
    counter = Counter(Budget(family="slow", requests=1), Budget(family="free"))
    for name in ("slow1", "slow2", "free1", "free2"):
        counter.ask(name, name[:-1], "a.org")
    for _ in range(3):
        counter.end((await counter.settle())[-1])
    await counter.clock.advance(1.1)

    assert counter.got == ["slow1", "free1", "free2", "slow2"]
    await counter.close()


async def test_hosts_share_the_door_fairly() -> None:
    """With all connections in use, hosts are served in turn: a huge queue does not starve a short one."""
    counter = Counter(max_connections=1)
    for number in range(20):
        counter.ask(f"huge{number}", "huge.org")
    counter.ask("small0", "small.org")
    counter.ask("small1", "small.org")
    for _ in range(4):
        counter.end((await counter.settle())[-1])

    assert (await counter.settle())[:4] == ["huge0", "small0", "huge1", "small1"]
    await counter.close()


async def test_a_pause_holds_the_whole_unit_and_nobody_else() -> None:
    """Retry-After: the unit goes on when it is over."""
    counter = Counter()
    counter.turns.pause("a.org", 10)
    counter.ask("a", "a.org")
    counter.ask("b", "b.org")

    assert await counter.settle() == ["b"]
    await counter.clock.advance(10)
    assert counter.got == ["b", "a"]
    await counter.close()


async def test_a_long_pause_gives_back_those_in_the_queue() -> None:
    """Above 30 s nobody waits in a door; connections stay free for others."""
    counter = Counter()
    counter.ask("first", "a.org")
    await counter.settle()
    queued = counter.ask("queued", "a.org")
    await counter.settle()
    counter.turns.pause("a.org", 600)
    await counter.settle()

    refusal = queued.exception()
    assert isinstance(refusal, NotNow)
    assert (refusal.outcome, refusal.retry_after_ms) == ("rate-limited", 600_000)
    counter.end("first")
    await counter.clock.advance(601)
    counter.ask("later", "a.org")
    await counter.settle()
    counter.end("later")
    assert leftovers(counter.turns) == []
    await counter.close()


async def test_after_a_start_budgeted_units_stand_still_for_one_window() -> None:
    """Design law 6: whoever owned the unit before may have asked just now. Hosts without budget go at once."""
    counter = Counter(FIVE, asked_before_s=0.0)
    counter.ask("api", "api", "a.org")
    counter.ask("host", "b.org")

    assert await counter.settle() == ["host"]
    assert [(unit.unit, unit.waiting) for unit in counter.turns.status() if unit.queued] == [
        ("api", "first-window")
    ]
    await counter.clock.advance(1.06)
    assert counter.got == ["host", "api"]

    counter.end("api")
    counter.turns.taken_over()
    counter.ask("taken-over", "api", "a.org")
    assert "taken-over" not in await counter.settle()
    await counter.clock.advance(1.06)
    assert "taken-over" in counter.got
    await counter.close()


async def test_who_goes_away_leaves_no_gap() -> None:
    """A cancelled question frees its place, before and after it has a turn."""
    counter = Counter()
    first = counter.ask("first", "a.org")
    await counter.settle()
    second = counter.ask("second", "a.org")
    counter.ask("third", "a.org")
    await counter.settle()
    second.cancel()
    counter.end("first")

    assert await counter.settle() == ["first", "third"]
    assert first.done()
    counter.end("third")
    assert counter.turns.status() == []
    await counter.close()


async def test_a_turn_granted_to_somebody_who_goes_away_is_given_back() -> None:
    """Cancelled in the moment of the grant: the next one gets it."""
    counter = Counter()
    counter.ask("first", "a.org")
    await counter.settle()
    second = counter.ask("second", "a.org")
    counter.ask("third", "a.org")
    await counter.settle()
    counter.end("first")
    second.cancel()

    assert await counter.settle() == ["first", "third"]
    await counter.close()


async def test_a_request_that_was_not_sent_gives_its_place_back() -> None:
    """A refused connection costs nothing of the budget."""
    counter = Counter(Budget(family="api", requests=1))
    turn = await counter.turns.take("api", "a.org", "bulk")
    turn.end()

    counter.ask("next", "api", "a.org")
    assert await counter.settle() == ["next"]
    await counter.close()


async def test_a_request_counts_from_its_last_piece() -> None:
    """The form may leave later than the headers: the window begins when all of it is on its way."""
    counter = Counter(Budget(family="api", requests=1), connections_per_host=2)
    turn = await counter.turns.take("api", "a.org", "bulk")
    turn.sent()
    await counter.clock.advance(0.5)
    turn.sent()
    turn.answered()
    counter.ask("next", "api", "a.org")
    await counter.clock.advance(1.0)
    assert counter.got == []

    await counter.clock.advance(0.01)
    assert counter.got == ["next"]
    await counter.close()


async def test_the_status_says_what_is_waited_for() -> None:
    """Queue lengths, the reason and its end, longest queue first."""
    counter = Counter(FIVE, connections_per_host=10)
    for number in range(8):
        counter.ask(f"api{number}", "api", "a.org")
    for number in range(12):
        counter.ask(f"host{number}", "b.org")
    counter.turns.pause("c.org", 5)
    await counter.settle()

    said = [(unit.unit, unit.queued, unit.in_flight, unit.waiting) for unit in counter.turns.status()]
    assert said == [
        ("api", 3, 5, "budget"),
        ("b.org", 2, 10, "connections"),
        ("c.org", 0, 0, "retry-after"),
    ]
    now_ms = counter.clock.now_ms()
    assert [unit.until_ms for unit in counter.turns.status()] == [now_ms + 1002, 0, now_ms + 5000]
    assert counter.turns.status()[0].allowance == "5 per 1 s"
    await counter.close()


async def test_budgets_change_without_a_restart() -> None:
    """Requests already sent count on in the new window."""
    counter = Counter(FIVE, connections_per_host=10)
    for number in range(8):
        counter.ask(f"{number}", "api", "a.org")
    await counter.settle()
    counter.turns.use_budgets(Budgets([Budget(family="api", requests=6)]))

    assert len(await counter.settle()) == 6
    await counter.close()


async def test_thousands_of_hosts_leave_nothing_behind() -> None:
    """A unit without anything to do is dropped: memory is that of the hosts in use."""
    counter = Counter()
    await asyncio.sleep(0)

    async def visit(number: int) -> None:
        for _ in range(2):
            turn = await counter.turns.take(f"host{number}.org", f"host{number}.org", "bulk")
            turn.sent()
            turn.end()

    for number in range(5000):
        await visit(number)

    assert leftovers(counter.turns) == []


async def test_paused_hosts_are_forgotten_when_the_pause_is_over() -> None:
    """Many hosts that asked for a pause do not stay for ever."""
    counter = Counter()
    for number in range(300):
        counter.turns.pause(f"host{number}.org", 5)
    await counter.clock.advance(6)
    for number in range(300):
        counter.turns.pause(f"later{number}.org", 5)

    assert len(counter.turns.status()) == 300
    await counter.close()


async def test_a_daily_quota_is_booked_before_sending_and_survives_a_restart() -> None:
    """What one process used, the next may not use again; the rest of a booked block is given back."""
    budget = Budget(family="api", daily_quota=3)
    first = Counter(budget)
    (await first.turns.take("api", "a.org", "bulk")).sent()
    today = "2023-11-14"
    assert await first.store.quota("api", today) == 1

    second = Turns(
        FetcherSettings(), Budgets([budget]), first.clock, quotas := Quotas(first.clock, first.store)
    )
    for _ in range(2):
        turn = await second.take("api", "a.org", "bulk")
        turn.sent()
        turn.end()
    with pytest.raises(NotNow) as refusal:
        await second.take("api", "a.org", "bulk")

    assert refusal.value.outcome == "over-quota"
    assert refusal.value.retry_after_ms == quotas.until_tomorrow_ms()
    await first.clock.advance(refusal.value.retry_after_ms / 1000)
    assert await second.take("api", "a.org", "bulk")
    await first.close()


async def test_a_large_quota_is_booked_in_blocks() -> None:
    """A crash forgets at most the unused rest of a block, never a request that was sent."""
    counter = Counter(Budget(family="api", daily_quota=100_000), connections_per_host=1000)
    for _ in range(101):
        (await counter.turns.take("api", "a.org", "bulk")).sent()

    assert await counter.store.quota("api", "2023-11-14") == 200
    await counter.quotas.close()
    assert await counter.store.quota("api", "2023-11-14") == 101


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 40), st.booleans()), max_size=12),
    st.sampled_from((7, 60, 3000)),
)
@settings(derandomize=True, deadline=None, max_examples=60)
async def test_a_quota_that_changes_hands_is_never_passed(
    owners: list[tuple[int, int, bool]], quota: int
) -> None:
    """Three processes own the family in turn and come back to it; some end in order, and none of them ever gives back
    what another has booked."""
    clock, store = ManualClock(), MemoryStore()
    processes = [Quotas(clock, store) for _ in range(3)]
    taken = 0
    for owner, requests, ends in owners:
        processes[owner].taken_over()
        for _ in range(requests):
            taken += await processes[owner].take("api", quota)
        processes[owner].hold()
        if ends:
            await processes[owner].close()
    for process in processes:
        await process.close()

    assert taken <= quota
    assert await store.quota("api", "2023-11-14") >= taken


async def test_many_at_once_never_pass_the_quota() -> None:
    """Concurrent takers share the count."""
    counter = Counter(Budget(family="api", daily_quota=7), connections_per_host=1000)
    tasks = [counter.ask(f"{number}", "api", "a.org") for number in range(20)]
    await counter.settle()

    assert len(counter.got) == 7
    assert sum(isinstance(task.exception(), NotNow) for task in tasks) == 13
