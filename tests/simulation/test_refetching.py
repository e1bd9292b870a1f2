"""What is due is submitted again, at a bounded rate, each once a day at most."""

from collections.abc import Iterable

from pubweave.adapters.memory import MemoryStorage
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.values import Cooldowns, RunSettings
from pubweave.core.record import Part, Record, encode_record
from pubweave.ports import Store, StoredRecord
from pubweave.runtimes.messages.delays import delayed
from pubweave.runtimes.messages.effects import Effects
from pubweave.scheduler.handler import Scheduler
from pubweave.scheduler.refetching import PAUSE_MS, Refetching, State

NOW = 1_800_000_000_000


class View:
    """By state, as the store's view has them: the longest unfetched first."""

    def __init__(self, **states: Iterable[tuple[str, int]]) -> None:
        self._states = {state: sorted(found, key=lambda one: one[1]) for state, found in states.items()}

    async def to_refetch(self, state: State, before_ms: int, limit: int = 1000) -> list[str]:
        return [name for name, at_ms in self._states.get(state, []) if at_ms < before_ms][:limit]


async def stored(*numbers: int) -> Store:
    store = MemoryStorage().store
    for number in numbers:
        record = Record(publication=f"p{number}", pmid=Part(type="europepmc", size=1, text=str(number)))
        await store.put_record(StoredRecord(f"p{number}", 1, encode_record(record), "first", 0))
    return store


def refetching(view: View, store: Store, per_minute: int, **cooldowns: int) -> Refetching:
    return Refetching(view, store, RunSettings(), Cooldowns(**cooldowns), per_minute)


async def test_what_is_due_is_submitted_oldest_first_and_no_faster_than_allowed() -> None:
    """Ten are due, four a minute may be submitted: three minutes, each publication once, in the lane `bulk`."""
    view = View(empty=[(f"p{number}", number) for number in range(1, 11)])
    scheduler = refetching(view, await stored(*range(1, 11)), 4)
    minutes = [await scheduler.next(NOW + minute * 60_000) for minute in range(4)]

    assert [[one.identifiers.pmid for one in minute] for minute in minutes] == [
        ["1", "2", "3", "4"],
        ["5", "6", "7", "8"],
        ["9", "10"],
        [],
    ]
    assert {one.lane for minute in minutes for one in minute} == {"bulk"}
    assert len({one.submission for minute in minutes for one in minute}) == 10

    assert len(await scheduler.next(NOW + PAUSE_MS + 600_000)) == 4, "a day later they may come again"


async def test_cooldowns_say_what_is_due() -> None:
    """F-CAN-01: each state has its own; one that is negative never ends; those with exceptions come first."""
    view = View(
        failed=[("p1", NOW - 30 * 60_000)],
        empty=[("p2", NOW - 30 * 60_000)],
        incomplete=[("p3", NOW - 30 * 60_000), ("p4", NOW - 90 * 60_000)],
        final=[("p5", 0)],
    )
    store = await stored(1, 2, 3, 4, 5)
    given = {"fetchExceptionCooldown": 20, "emptyCooldown": -1, "nonFinalCooldown": 60}

    assert [one.identifiers.pmid for one in await refetching(view, store, 9, **given).next(NOW)] == ["1", "4"]
    assert await refetching(view, store, 0, **given).next(NOW) == []


async def test_what_was_removed_meanwhile_is_left_alone() -> None:
    view = View(empty=[("p1", 0), ("gone", 0), ("never", 0)])
    store = await stored(1)
    await store.put_record(StoredRecord("gone", 2, b"", "removed", 0, removed=True))

    assert [one.identifiers.pmid for one in await refetching(view, store, 9).next(NOW)] == ["1"]


async def test_of_two_schedulers_each_says_its_own_once() -> None:
    """Over one store: what waits is kept and said by one of them, also by whoever takes over."""
    storage = MemoryStorage()
    waiting = [
        delayed(
            FetchRequested(job="j", line=n, lane="bulk" if n % 2 else "interactive", submitted_at=0), 1_000
        )
        for n in range(10)
    ]
    one = Scheduler(storage.store, lambda event: event.topic.endswith("bulk"))
    other = Scheduler(storage.store, lambda event: not event.topic.endswith("bulk"))
    for event in waiting:
        effects = Effects()
        await (one if event.topic.endswith("bulk") else other).hear("delayed", event, effects)
        for write in effects.first:
            await write()
    said = []
    for scheduler in (one, other, one):
        scheduler.forget()
        effects = Effects()
        await scheduler.due(2_000, 100, effects)
        said += [message.event for message in effects.said]
        for write in effects.then:
            await write()

    assert sorted(event.line for event in said if isinstance(event, FetchRequested)) == list(range(10))

    effects = Effects()
    taking_over = Scheduler(storage.store)
    await taking_over.hear("delayed", waiting[0], effects)
    assert await taking_over.due(2_000, 100, Effects()) == 1
