"""What runs side by side in one embedded system, and how its parts wait for each other."""

import asyncio
from collections.abc import Callable, Coroutine


class Tasks:
    """The tasks of one system; what goes wrong in one of them ends what waits."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()
        self._moved = asyncio.Event()
        self._failed: Callable[[], None] = lambda: None
        self.failure: BaseException | None = None
        """The first thing that went wrong; whoever runs a job raises it."""

    def when_failed(self, call: Callable[[], None]) -> None:
        """Have somebody told when something went wrong."""
        self._failed = call

    def spawn(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """Run something beside."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (problem := task.exception()) is not None:
            self.fail(problem)

    def fail(self, problem: BaseException) -> None:
        """Something went wrong; the first such thing counts."""
        if self.failure is None:
            self.failure = problem
            self._failed()
            self._moved.set()

    def raise_failure(self) -> None:
        """Raise what went wrong, if something did."""
        if self.failure is not None:
            raise self.failure

    def moved(self) -> None:
        """Something changed that somebody may wait for."""
        self._moved.set()

    async def until(self, reached: Callable[[], bool]) -> None:
        """Wait for a state of things; it is looked at whenever something moved."""
        while not reached():
            self.raise_failure()
            self._moved.clear()
            await self._moved.wait()
        self.raise_failure()

    async def cancel(self) -> None:
        """End all, and wait until they have."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()
