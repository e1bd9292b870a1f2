"""Effects of what is heard side by side, made durable together: what comes while others are being made durable is next."""

import asyncio
from collections.abc import Awaitable, Callable

from pubweave.runtimes.messages.effects import Effects


class Together:
    """So many answers share their messages and requests, and none waits longer than for those before it.

    :param apply: makes effects durable, in their order
    """

    def __init__(self, apply: Callable[[Effects], Awaitable[None]]) -> None:
        self._apply = apply
        self._gathered: list[tuple[Effects, asyncio.Future[None]]] = []
        self._going: asyncio.Task[None] | None = None

    async def apply(self, effects: Effects) -> None:
        """Return when they are durable; cancelled, they may become so all the same.

        :raises Exception: they could not be made durable, or those that went with them
        """
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._gathered.append((effects, done))
        if self._going is None or self._going.done():
            self._going = asyncio.get_running_loop().create_task(self._go_on())
        await done

    async def _go_on(self) -> None:
        while self._gathered:
            gathered, self._gathered = self._gathered, []
            effects = Effects()
            for one, _ in gathered:
                effects.add(one)
            problem: BaseException | None = None
            try:
                await self._apply(effects)
            except Exception as error:  # noqa: BLE001  # told to those who wait
                problem = error
            for _, done in gathered:
                if done.done():
                    continue  # nobody waits for it any more
                if problem is None:
                    done.set_result(None)
                else:
                    done.set_exception(problem)
