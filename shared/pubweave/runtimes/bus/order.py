"""In which order messages of partitions are done, and what may be acknowledged."""

from collections import deque
from collections.abc import Sequence
from typing import Generic, TypeVar

from pubweave.runtimes.messages.effects import Delivered

Message = TypeVar("Message")


class _TakenMessage(Generic[Message]):
    __slots__ = ("done", "message", "offset")

    def __init__(self, offset: int, message: Message) -> None:
        self.offset = offset
        self.message = message
        self.done = False


class Order(Generic[Message]):
    """What one assignment of partitions has brought. Messages are done in any order and acknowledged in theirs, so
    that no offset moves beyond a message that is not done; once others own the partitions, none moves at all.

    Faust's own books do not say so: a message done first counts, though those before it are not done.
    """

    def __init__(self) -> None:
        self._partitions: dict[object, deque[_TakenMessage[Message]]] = {}
        self._ends: dict[object, int] = {}
        self._over = False

    def take(self, partition: object, offset: int, message: Message) -> "Ticket[Message]":
        """A message has come; its ticket says later that it is done."""
        queue = self._partitions.setdefault(partition, deque())
        if queue and offset <= queue[-1].offset:
            queue.clear()  # delivered again from here on
        taken = _TakenMessage(offset, message)
        queue.append(taken)
        return Ticket(self, partition, taken)

    def finish(self, partition: object, taken: "_TakenMessage[Message]") -> list[Message]:
        """What may be acknowledged now that this one is done, in order."""
        taken.done = True
        queue = self._partitions.get(partition)
        found: list[Message] = []
        while not self._over and queue and queue[0].done:
            first = queue.popleft()
            self._ends[partition] = first.offset + 1
            found.append(first.message)
        return found

    def ends(self) -> dict[object, int]:
        """Where each partition goes on: the offset after the last of those acknowledged."""
        return dict(self._ends)

    def end(self) -> None:
        """The partitions are others': nothing is acknowledged any more."""
        self._over = True
        self._partitions.clear()

    @property
    def is_over(self) -> bool:
        return self._over

    def __len__(self) -> int:
        """How many are not acknowledged."""
        return sum(map(len, self._partitions.values()))


class Ticket(Generic[Message]):
    """A message under way."""

    __slots__ = ("_order", "_partition", "_taken")

    def __init__(self, order: Order[Message], partition: object, taken: _TakenMessage[Message]) -> None:
        self._order = order
        self._partition = partition
        self._taken = taken

    @property
    def message(self) -> Message:
        return self._taken.message

    @property
    def is_void(self) -> bool:
        """It will be delivered again, to whoever owns its partition."""
        return self._order.is_over

    def done(self) -> list[Message]:
        """What may be acknowledged now."""
        return self._order.finish(self._partition, self._taken)


class MessagePart(Generic[Message]):
    """One event of a message of several, under way by itself. The message is done when all of them are."""

    __slots__ = ("_left", "_ticket", "message")

    def __init__(self, ticket: Ticket[Message], left: set[int], message: Delivered) -> None:
        self._ticket = ticket
        self._left = left
        self.message = message
        left.add(id(self))

    @property
    def is_void(self) -> bool:
        """See `Ticket`."""
        return self._ticket.is_void

    def done(self) -> list[Message]:
        """See `Ticket`."""
        self._left.discard(id(self))
        return [] if self._left else self._ticket.done()


def parts(ticket: Ticket[Message], events: Sequence[Delivered]) -> list[MessagePart[Message]]:
    """The events of a message, each under way by itself."""
    left: set[int] = set()
    return [MessagePart(ticket, left, one) for one in events]
