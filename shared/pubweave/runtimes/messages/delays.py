"""Events that wait longer than a consumer may stand still (design law 6)."""

import msgspec

from pubweave.contract.codec import encode, version_of
from pubweave.contract.delayed import Delayed
from pubweave.contract.kinds import Event, kind_of
from pubweave.runtimes.messages.effects import message


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
