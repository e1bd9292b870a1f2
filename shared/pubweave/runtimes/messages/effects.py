"""What follows from hearing messages, in the order in which it must become durable (design law 8).

1. `first`: what messages refer to (blobs), and what must be found again when the same is heard again;
2. `said`: messages to other partitions;
3. `gone`: what a topic no longer has to keep;
4. `then_of` and `then`: rows that say that this was heard. A message whose row is there needs nothing any more, because
   all that follows from it was said before;
5. `last`: what takes rows away, also those of 4;
6. the offset, by the runtime.

A crash in between repeats 1 to 3 with the same events: hearing is a function of the rows and the message.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol, runtime_checkable

from pubweave.contract.catalogue import partition_key, topic_of
from pubweave.contract.codec import decode
from pubweave.contract.delayed import Delayed
from pubweave.contract.kinds import Event
from pubweave.contract.routing import topic_for
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.values import Note
from pubweave.core.judging import Refusal
from pubweave.core.record import Record
from pubweave.ports import Row, Store, Write
from pubweave.runtimes.messages.publication import PublicationRow, as_row, named_once

ROOM_FOR_HEADERS = 8 * 1024
"""Key and headers count as well."""

AT_DEADLINE: Final = "not finished at its deadline"
"""Why a line is parked."""


class Message(NamedTuple):
    """One event on its way to a topic."""

    topic: str
    key: str
    """What decides the partition; "" where any will do."""
    event: Event | None
    """None: it is passed on as it came, since only a newer release can read it."""
    name: str
    """The event's id."""
    body: bytes
    headers: tuple[tuple[str, bytes], ...] = ()
    """Of one that is passed on; those of an event are made when it is sent."""
    came_as: str = ""
    """Its record's key then."""

    @property
    def record_key(self) -> str:
        """The key of the record, which names what a later record replaces (`catalogue.record_key`)."""
        if self.event is None:
            return self.came_as
        if topic_of(self.topic).record_key != "event":
            return self.key
        return f"{self.key}/{self.name}" if self.key else self.name


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


def message(event: Event) -> Message:
    """The event, addressed as the catalogue says."""
    topic = topic_for(event)
    return Message(topic, partition_key(topic_of(topic), event), event, *named_once(event))


def due(waited: Delayed) -> Message:
    """What is said when it is due.

    :raises UndecodableEvent: it is no event of any release
    """
    if not waited.headers:
        return message(decode(waited.event_kind, waited.event_version, bytes(waited.event)))
    return Message(
        waited.topic,
        waited.key,
        None,
        dict(waited.headers).get("ce_id", b"").decode("utf-8", "replace"),
        bytes(waited.event),
        waited.headers,
        waited.record_key,
    )


class Tombstone(NamedTuple):
    """A record without value: a compacted topic keeps nothing that came before under its key."""

    topic: str
    key: str
    """What decides the partition."""
    record_key: str


def tombstone(event: Event) -> Tombstone | None:
    """What takes the event out of its topic; None where its topic lets it go with time."""
    said = message(event)
    if not topic_of(said.topic).compacted:
        return None
    return Tombstone(said.topic, said.key, said.record_key)


class Effects:
    """Gathers what follows from a batch of messages."""

    __slots__ = ("first", "gone", "last", "notes", "rows", "said", "then", "then_of")

    def __init__(self) -> None:
        self.first: list[Write] = []
        self.said: list[Message] = []
        self.gone: list[Tombstone] = []
        self.rows: dict[str, list[Row]] = {}
        """New rows by publication; those of one publication become durable together."""
        self.then: list[Write] = []
        """One after the other."""
        self.then_of: dict[str, list[Write]] = {}
        """Before these; only those of one name one after the other."""
        self.last: list[Write] = []
        self.notes: list[Note] = []
        """Sentences for the log."""

    def say(self, event: Event) -> None:
        self.said.append(message(event))

    def say_again(self, waited: Delayed) -> None:
        """It has waited long enough."""
        self.said.append(due(waited))

    def bury(self, event: Event) -> None:
        """Its topic no longer has to keep it."""
        found = tombstone(event)
        if found is not None:
            self.gone.append(found)

    def keep(self, key: str, row: PublicationRow) -> None:
        """A row of the publication, page or job with this key."""
        self.rows.setdefault(key, []).append(as_row(row))

    def settle(self, settled: SubmissionSettled, record: Record | None) -> None:
        """A line has its outcome, which is said and kept as well; for who hands out records in this process.

        :param record: what it led to; None for a page
        """

    def follow(self, name: str, write: Write) -> None:
        """Part of `then_of`."""
        self.then_of.setdefault(name, []).append(write)

    def check_sizes(self) -> None:
        """:raises TooLarge: a topic does not take what is said"""
        for one in self.said:
            if len(one.body) > (most := 1024 * topic_of(one.topic).max_message_kib - ROOM_FOR_HEADERS):
                raise MessageTooLarge(f"what follows for {one.topic} has {len(one.body):,} bytes of {most:,}")

    def add(self, other: "Effects") -> None:
        """What follows from a later message."""
        self.first += other.first
        self.said += other.said
        self.gone += other.gone
        for key, rows in other.rows.items():
            self.rows.setdefault(key, []).extend(rows)
        self.then += other.then
        for name, writes in other.then_of.items():
            self.then_of.setdefault(name, []).extend(writes)
        self.last += other.last
        self.notes += other.notes

    def writes(self, store: Store) -> list[Write]:
        """Steps 4 and 5 as single writes: first what rows stand for, then the rows, then what takes rows away."""

        def write(key: str, rows: list[Row]) -> Write:
            return lambda: store.add_rows(key, rows)

        follow = [one for writes in self.then_of.values() for one in writes]
        return [*follow, *self.then, *(write(key, rows) for key, rows in self.rows.items()), *self.last]


class Hearer(Protocol):
    """A service as the runtimes drive it."""

    async def hear(self, topic: str, event: Event, effects: Effects) -> None:
        """Take one message in and note what follows.

        :raises Exception: the message is poison; what was noted for it must not be done
        """

    async def end_of_batch(self, effects: Effects) -> None:
        """All messages at hand were heard."""

    def durable(self) -> None:
        """Everything noted so far is durable."""

    def forget(self) -> None:
        """Other owners may have written: load everything anew. After an exception, and when partitions move."""


class MessageTooLarge(Exception):
    """What would follow from a message is larger than its topic takes."""


@runtime_checkable
class Refusing(Protocol):
    """A hearer that keeps lines of jobs."""

    async def refuse(self, refusal: Refusal, effects: Effects) -> bool:
        """Give the line of a refused message its outcome; False if that is not for this message to say.

        :raises StorageProblem: the storage failed
        """


@runtime_checkable
class Foreseeing(Protocol):
    """A hearer that can look up side by side what it will need."""

    def forget(self) -> None:
        """See `Hearer`."""

    async def foresee(self, messages: Sequence[tuple[str, Event]]) -> None:
        """These are heard next, each with its topic. May do nothing: what is lacking is looked up when it is needed.

        :raises StorageProblem: the storage failed
        """
