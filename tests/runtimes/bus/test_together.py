"""What is made durable together, without a broker."""

import asyncio

import pytest

from pubweave.contract.values import Note
from pubweave.runtimes.bus.together import Together
from pubweave.runtimes.messages.effects import Effects


class Slow:
    """Makes effects durable one after the other, when it is told to."""

    def __init__(self) -> None:
        self.applied: list[list[str]] = []
        self.go_on = asyncio.Semaphore(0)

    async def apply(self, effects: Effects) -> None:
        await self.go_on.acquire()
        self.applied.append([note.text for note in effects.notes])
        if "bad" in self.applied[-1]:
            raise OSError("disk full")


def noting(text: str) -> Effects:
    effects = Effects()
    effects.notes.append(Note("info", text))
    return effects


async def begun(together: Together, *texts: str) -> "list[asyncio.Task[None]]":
    """Each in a task that waits until it is durable."""
    tasks = [asyncio.ensure_future(together.apply(noting(text))) for text in texts]
    for _ in range(3):
        await asyncio.sleep(0)
    return tasks


async def test_what_comes_meanwhile_is_next_and_goes_together() -> None:
    slow = Slow()
    together = Together(slow.apply)
    first = await begun(together, "a")
    others = await begun(together, "b", "c")
    assert not any(task.done() for task in (*first, *others))

    slow.go_on.release()
    await asyncio.gather(*first)
    assert not any(task.done() for task in others)
    slow.go_on.release()
    await asyncio.gather(*others)

    assert slow.applied == [["a"], ["b", "c"]]


async def test_a_failure_is_told_to_all_that_went_with_it_and_to_nobody_else() -> None:
    slow = Slow()
    together = Together(slow.apply)
    first = await begun(together, "a")
    bad = await begun(together, "bad", "b")
    slow.go_on.release()
    await asyncio.gather(*first)
    slow.go_on.release()

    for task in bad:
        with pytest.raises(OSError, match="disk full"):
            await task
    (after,) = await begun(together, "c")
    slow.go_on.release()
    await after
    assert slow.applied == [["a"], ["bad", "b"], ["c"]]


async def test_who_leaves_holds_up_nobody() -> None:
    slow = Slow()
    together = Together(slow.apply)
    first = await begun(together, "a")
    leaves, stays = await begun(together, "b", "c")
    leaves.cancel()
    slow.go_on.release()
    slow.go_on.release()
    await asyncio.gather(*first, stays)

    assert slow.applied == [["a"], ["b", "c"]]
