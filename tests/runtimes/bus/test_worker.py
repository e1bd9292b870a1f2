"""What a member of a group does by itself, without a broker."""

import asyncio

import pytest

from pubweave.adapters.clock import ManualClock
from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.adapters.memory import MemoryStorage
from pubweave.contract.kinds import Event
from pubweave.runtimes.bus.sending import Sender
from pubweave.runtimes.bus.worker import WATCH_STEP_S, Worker
from pubweave.runtimes.messages.effects import Effects

SESSION_S = 30.0


class Remembering:
    """Counts how often it forgets."""

    forgotten = 0

    async def hear(self, topic: str, event: Event, effects: Effects) -> None:
        """Nothing is said."""

    async def end_of_batch(self, effects: Effects) -> None:
        """Nothing was put off."""

    def durable(self) -> None:
        """Nothing is kept."""

    def forget(self) -> None:
        self.forgotten += 1


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


def worker_of(hearer: Remembering, clock: ManualClock) -> Worker:
    place = KafkaPlace()
    return Worker(
        "scheduler",
        hearer,
        place,
        Sender(place, clock.now_ms),
        MemoryStorage().store,
        clock,
        lambda problem: None,
        session_timeout_s=SESSION_S,
    )


@pytest.mark.parametrize(
    ("stopped_s", "forgets"), [(1.0, False), (SESSION_S / 3, False), (SESSION_S * 0.6, True), (300.0, True)]
)
async def test_who_was_stopped_hears_what_it_has_in_hand_with_what_is_stored(
    clock: ManualClock, stopped_s: float, forgets: bool
) -> None:
    """Its partitions may have been another's, who has written; it is told of that only later. Whichever looks first when it goes
    on, the watch or the next batch."""
    for watch_first in (False, True):
        hearer = Remembering()
        worker = worker_of(hearer, clock)
        watching = asyncio.create_task(worker._watch())
        await worker._hear([])
        assert hearer.forgotten == 1, "at the beginning"
        for _ in range(100):  # nothing is heard for a long while, and it is alive
            await clock.advance(WATCH_STEP_S)
        await worker._hear([])
        assert hearer.forgotten == 1

        clock._elapsed_s += stopped_s  # nobody runs meanwhile
        if watch_first:
            await clock.advance(0)
        await worker._hear([])
        await worker._hear([])

        assert hearer.forgotten == 1 + forgets, f"watch first: {watch_first}"
        watching.cancel()
        worker._folder.cleanup()
