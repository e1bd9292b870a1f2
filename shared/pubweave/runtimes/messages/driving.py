"""One batch of messages through a hearer, with what is poison put aside (P-09)."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

from pubweave.contract.dead_letter import DeadLetter
from pubweave.contract.values import Note
from pubweave.core.judging import LARGEST_NUMBER, Judgement, Refusal, Rewritten, judged
from pubweave.ports import StorageProblem
from pubweave.runtimes.messages.delays import until_known
from pubweave.runtimes.messages.effects import (
    Delivered,
    Effects,
    Foreseeing,
    Hearer,
    MessageTooLarge,
    Refusing,
    Tombstone,
)
from pubweave.runtimes.messages.frames import opened
from pubweave.runtimes.told import log_notes

_log = logging.getLogger(__name__)

Apply: TypeAlias = Callable[[Effects], Awaitable[None]]
"""Makes effects durable, in their order."""


class PutAside(NamedTuple):
    """How many events of a batch were not heard."""

    letters: int = 0
    """Put aside as dead letters."""
    broken: int = 0
    """Of these so many broke the service itself: the fault is ours."""
    events: int = 0
    """How many there were in all, those of frames each by itself."""


async def hear_batch(
    hearer: Hearer, batch: Sequence[Delivered], apply: Apply, service: str, now_ms: Callable[[], int]
) -> PutAside:
    """Hear the messages in order and make what follows durable; offsets may move when this returns.

    Frames are opened: each of their events is heard, and refused, by itself.
    Each is judged first (`core.judging`). What is refused ends as the outcome of its line, where it has one and the
    hearer keeps lines, and as a dead letter otherwise.

    :raises StorageProblem: the storage failed; nothing may be committed
    """
    effects = Effects()
    letters = broken = 0
    heard = [(delivered, _judged(delivered)) for came in batch for delivered in opened(came)]
    if isinstance(hearer, Foreseeing):
        try:
            await hearer.foresee(
                [
                    (delivered.topic, event)
                    for delivered, event in heard
                    if not isinstance(event, Refusal | Rewritten)
                ]
            )
        except StorageProblem:
            raise
        except Exception:  # noqa: BLE001  # the message that it comes from will break again, and is put aside then
            hearer.forget()
    for delivered, event in heard:
        own = Effects()
        try:
            if isinstance(event, Refusal) and event.unread and (waiting := until_known(delivered, now_ms())):
                sentence = f"A message of a newer release on {delivered.topic} waits for it ({event.reason})"
                own.notes.append(Note("warning", sentence))
                own.say(waiting)
            elif isinstance(event, Refusal):
                told = event.line is not None and isinstance(hearer, Refusing)
                if not (told and await hearer.refuse(event, own)):  # type: ignore[attr-defined]
                    letters += 1
                    own.say(_letter(delivered, event.reason, service, now_ms()))
            elif isinstance(event, Rewritten):
                own.say(event.event)
                (said,) = own.said
                if delivered.key not in ("", said.record_key):
                    own.gone.append(Tombstone(delivered.topic, said.key, delivered.key))
            else:
                await hearer.hear(delivered.topic, event, own)
            own.check_sizes()
        except StorageProblem:
            raise
        except Exception as bug:  # noqa: BLE001  # poison costs one message, not the partition
            _log.error("A message broke %s; it is put aside, please report this", service, exc_info=bug)
            letters += 1
            broken += not isinstance(bug, MessageTooLarge)
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
    log_notes(effects.notes)
    return PutAside(letters, broken, len(heard))


def _judged(delivered: Delivered) -> Judgement:
    return judged(
        delivered.topic,
        delivered.key,
        delivered.kind,
        delivered.version,
        delivered.body,
        delivered.problem,
    )


MOST_BODY: Final = 512 * 1024
MOST_HEADERS: Final = 64 * 1024
MOST_TEXT: Final = 1_000
"""What a dead letter repeats of a message: it is a message itself, and longer than what it holds."""


def _letter(delivered: Delivered, reason: str, service: str, now_ms: int) -> DeadLetter:
    headers, left = [], MOST_HEADERS
    for name, value in delivered.headers:
        left -= len(name.encode("utf-8", "surrogatepass")) + len(value)
        if left >= 0:
            headers.append((readable(name), value))
    if len(delivered.body) > MOST_BODY:
        reason = f"{reason} (the first {MOST_BODY:,} of its {len(delivered.body):,} bytes are here)"
    return DeadLetter(
        topic=delivered.topic,
        event_kind=readable(delivered.kind)[:MOST_TEXT],
        event_version=delivered.version if 0 <= delivered.version <= LARGEST_NUMBER else 0,
        reason=readable(reason)[: 2 * MOST_TEXT],
        body=delivered.body[:MOST_BODY],
        key=readable(delivered.key)[:MOST_TEXT],
        headers=tuple(headers),
        offset=delivered.offset,
        service=service,
        put_aside_at=now_ms,
    )


def readable(text: str) -> str:
    """The text as JSON can hold it."""
    return text.encode("utf-8", "replace").decode()
