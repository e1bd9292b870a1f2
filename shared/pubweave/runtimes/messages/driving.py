"""One batch of messages through a hearer, with what is poison put aside (P-09)."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, TypeAlias

from pubweave.contract.codec import UndecodableEvent, decode
from pubweave.contract.dead_letter import DeadLetter
from pubweave.ports import StorageProblem
from pubweave.runtimes.messages.effects import Effects, Hearer

_log = logging.getLogger(__name__)

Apply: TypeAlias = Callable[[Effects], Awaitable[None]]
"""Makes effects durable, in their order."""


class Delivered(NamedTuple):
    """A message as it came."""

    topic: str
    kind: str
    version: int
    body: bytes
    key: str = ""
    offset: int = 0
    problem: str = ""
    """Why its headers could not be read; then it is a dead letter."""
    headers: tuple[tuple[str, bytes], ...] = ()


async def hear_batch(
    hearer: Hearer, batch: Sequence[Delivered], apply: Apply, service: str, now_ms: Callable[[], int]
) -> int:
    """Hear the messages in order and make what follows durable; offsets may move when this returns.

    :returns: how many were put aside as dead letters
    :raises StorageProblem: the storage failed; nothing may be committed
    """
    effects = Effects()
    dead = 0
    for delivered in batch:
        own = Effects()
        try:
            if delivered.problem:
                raise UndecodableEvent(delivered.kind, delivered.version, delivered.problem)
            event = decode(delivered.kind, delivered.version, delivered.body)
            await hearer.hear(delivered.topic, event, own)
        except StorageProblem:
            raise
        except UndecodableEvent as problem:
            dead += 1
            effects.say(_letter(delivered, problem.reason, service, now_ms()))
        except Exception as bug:  # noqa: BLE001  # poison costs one message, not the partition
            _log.error("A message broke %s; it is put aside, please report this", service, exc_info=bug)
            dead += 1
            await hearer.end_of_batch(effects)
            await apply(effects)
            hearer.forget()  # what the message has half changed is loaded anew
            effects = Effects()
            effects.say(_letter(delivered, f"{type(bug).__name__}: {bug}", service, now_ms()))
        else:
            effects.add(own)
    await hearer.end_of_batch(effects)
    await apply(effects)
    hearer.durable()
    for note in effects.notes:
        _log.warning(note)
    return dead


def _letter(delivered: Delivered, reason: str, service: str, now_ms: int) -> DeadLetter:
    return DeadLetter(
        topic=delivered.topic,
        event_kind=delivered.kind,
        event_version=delivered.version,
        reason=reason,
        body=delivered.body,
        key=delivered.key,
        headers=delivered.headers,
        offset=delivered.offset,
        service=service,
        put_aside_at=now_ms,
    )
