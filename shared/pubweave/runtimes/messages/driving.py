"""One batch of messages through a hearer, with what is poison put aside (P-09)."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from pubweave.contract.codec import UndecodableEvent, decode
from pubweave.contract.dead_letter import DeadLetter
from pubweave.contract.kinds import Event
from pubweave.ports import StorageProblem
from pubweave.runtimes.messages.delays import until_known
from pubweave.runtimes.messages.effects import Delivered, Effects, Foreseeing, Hearer

__all__ = ["Apply", "Delivered", "hear_batch"]

_log = logging.getLogger(__name__)

Apply: TypeAlias = Callable[[Effects], Awaitable[None]]
"""Makes effects durable, in their order."""


async def hear_batch(
    hearer: Hearer, batch: Sequence[Delivered], apply: Apply, service: str, now_ms: Callable[[], int]
) -> int:
    """Hear the messages in order and make what follows durable; offsets may move when this returns.

    :returns: how many were put aside as dead letters
    :raises StorageProblem: the storage failed; nothing may be committed
    """
    effects = Effects()
    dead = 0
    heard = [(delivered, _event(delivered)) for delivered in batch]
    if isinstance(hearer, Foreseeing):
        try:
            await hearer.foresee(
                [
                    (delivered.topic, event)
                    for delivered, event in heard
                    if not isinstance(event, UndecodableEvent)
                ]
            )
        except StorageProblem:
            raise
        except Exception:  # noqa: BLE001  # the message that it comes from will break again, and is put aside then
            hearer.forget()
    for delivered, event in heard:
        if isinstance(event, UndecodableEvent):
            waiting = until_known(delivered, now_ms())
            if waiting is not None:
                effects.notes.append(
                    f"A message of a newer release on {delivered.topic} waits for it ({event.reason})"
                )
                effects.say(waiting)
                continue
            dead += 1
            effects.say(_letter(delivered, event.reason, service, now_ms()))
            continue
        own = Effects()
        try:
            await hearer.hear(delivered.topic, event, own)
        except StorageProblem:
            raise
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


def _event(delivered: Delivered) -> Event | UndecodableEvent:
    if delivered.problem:
        return UndecodableEvent(delivered.kind, delivered.version, delivered.problem)
    try:
        return decode(delivered.kind, delivered.version, delivered.body)
    except UndecodableEvent as problem:
        return problem


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
