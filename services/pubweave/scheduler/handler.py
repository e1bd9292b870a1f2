"""Keeps what waits, and says it again when it is due."""

from collections.abc import Callable
from typing import Final

from pubweave.contract.codec import decode, encode, event_id
from pubweave.contract.delayed import Delayed
from pubweave.contract.kinds import KINDS, Event
from pubweave.ports import Store, WhatFollows

DELAYED: Final = str(Delayed.__struct_config__.tag)


class Scheduler:
    """One member of the group `scheduler`.

    What waits stands in the Store, so offsets move at once and no consumer sleeps. Said again after a crash it
    is a repeat that its hearer recognises.

    :param is_ours: what this member is to say; of several members each keeps and says only its own, or everything would
        be said, and asked, as often as there are members
    """

    def __init__(self, store: Store, is_ours: Callable[[Delayed], bool] = lambda _: True) -> None:
        self._store = store
        self._is_ours = is_ours
        self._waiting: dict[str, Delayed] | None = None

    async def hear(self, topic: str, event: Event, effects: WhatFollows) -> None:
        """See `runtimes.messages.effects.Hearer`."""
        assert isinstance(event, Delayed)
        waiting = await self._load()
        name, body = event_id(event), encode(event)
        waiting[name] = event
        effects.first.append(lambda: self._store.put_pending(name, body))

    async def end_of_batch(self, effects: WhatFollows) -> None:
        """Nothing was put off."""

    def durable(self) -> None:
        """What waits is in the Store as well."""

    def forget(self) -> None:
        self._waiting = None

    async def due(self, now_ms: int, most: int, effects: WhatFollows) -> int:
        """Say what is due, the most overdue first.

        :param most: bounds the rate
        :returns: how many were said
        """
        waiting = await self._load()
        overdue = sorted((one.due_at, name) for name, one in waiting.items() if one.due_at <= now_ms)[:most]
        names = [name for _, name in overdue]
        for name in names:
            delayed = waiting.pop(name)
            effects.say_again(delayed)
        if names:
            effects.then.append(lambda: self._store.drop_pending(names))
        return len(names)

    async def next_due(self) -> int | None:
        """When the next is due, UNIX ms; None if nothing waits."""
        return min((one.due_at for one in (await self._load()).values()), default=None)

    async def _load(self) -> dict[str, Delayed]:
        if self._waiting is None:
            self._waiting = {}
            for name, body in await self._store.pending():
                event = decode(DELAYED, KINDS[DELAYED].version, body)
                assert isinstance(event, Delayed)
                if self._is_ours(event):
                    self._waiting[name] = event
        return self._waiting
