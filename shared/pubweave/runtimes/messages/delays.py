"""Events that wait longer than a consumer may stand still (design law 6)."""

from typing import Final

import msgspec
import orjson

from pubweave.contract.cloudevents import is_newer, release_of
from pubweave.contract.codec import encode, version_of
from pubweave.contract.delayed import Delayed
from pubweave.contract.kinds import Event, kind_of
from pubweave.runtimes.messages.effects import Delivered, message

_WAITS: Final = "ce_waits"
"""Of a message that is passed on as it came: how often it has waited for a release that knows it."""

FIRST_WAIT_MS: Final = 30_000
LONGEST_WAIT_MS: Final = 3_600_000
MOST_WAITS: Final = 750
"""A month: then whoever wrote it was no newer release, and a person should look."""


def delayed(event: Event, due_at: int) -> Delayed:
    """The event, to be said again by the scheduler when it is due.

    :param due_at: UNIX ms
    """
    going = message(event)
    return Delayed(
        topic=going.topic,
        key=going.key,
        due_at=due_at,
        event_kind=kind_of(event),
        event_version=version_of(event),
        event=msgspec.Raw(encode(event)),
    )


def until_known(came: Delivered, now_ms: int) -> Delayed | None:
    """A message that nobody here can read, to be said again until a release hears it that can (design law 9).

    :returns: None where no newer release wrote it, or it has waited long enough: it is a dead letter
    """
    told = dict(came.headers)
    waits = int(told.get(_WAITS, b"0") or b"0") if told.get(_WAITS, b"0").isdigit() else MOST_WAITS
    if not is_newer(release_of(came.headers)) or waits >= MOST_WAITS:
        return None
    try:
        orjson.loads(came.body)
    except orjson.JSONDecodeError:
        return None
    told[_WAITS] = b"%d" % (waits + 1)
    return Delayed(
        topic=came.topic,
        key=told.get("ce_partitionkey", b"").decode("utf-8", "surrogatepass"),
        due_at=now_ms + min(LONGEST_WAIT_MS, FIRST_WAIT_MS << min(waits, 10)),
        event_kind=came.kind,
        event_version=came.version,
        event=msgspec.Raw(came.body),
        headers=tuple(told.items()),
        record_key=came.key,
    )
