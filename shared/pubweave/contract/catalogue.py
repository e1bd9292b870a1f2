"""The topics, as topics/*.yaml describes them: who says what to whom, under which key, kept how long."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final, Literal, get_args

import msgspec
import yaml

from pubweave.contract.codec import event_id
from pubweave.contract.identifiers_conflicted import IdentifiersConflicted
from pubweave.contract.job_closed import JobClosed
from pubweave.contract.kinds import Event, subject_of
from pubweave.contract.line_standing import LineStanding
from pubweave.contract.new_id import NewId
from pubweave.contract.reply_received import ReplyReceived
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.resources import DECLARATIONS
from pubweave.contract.turn import turn_of
from pubweave.contract.vocabulary import RESOURCE_NAMES, DoorName, LaneName

DOOR_NAMES: Final[tuple[str, ...]] = get_args(DoorName)

SERVICES: Final[Mapping[str, str]] = {
    "gateway": "takes submissions over HTTP and hands out records and outcomes",
    "cli": "the same for a person at a terminal",
    "merger": "folds everything found into records, decides what to ask, knows who is who",
    **{one.name: one.story[0].lower() + one.story[1:].removesuffix(".") for one in DECLARATIONS},
    **dict.fromkeys(DOOR_NAMES, "touches the outside world"),
    "scheduler": "says again, when it is due, what had to wait",
    "materialiser": "writes finished records into the store that is looked up",
}
"""Everybody who may say or hear something."""

GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "resources": RESOURCE_NAMES,
    "doors": DOOR_NAMES,
    "everybody": tuple(SERVICES),
}
"""Words that stand for several services in a topic's description."""

_PLACEHOLDERS: Final[Mapping[str, tuple[str, ...]]] = {
    "<resource>": RESOURCE_NAMES,
    "<door>": DOOR_NAMES,
    "<lane>": get_args(LaneName),
}

PartitionedBy = Literal[
    "publication", "submission", "job", "identifier", "site", "destination", "asker", "nothing"
]
RecordKey = Literal["event", "publication", "submission"]
Heard = Literal["in-turn", "by-each"]


class Version(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    schema: str
    """File in schemas/."""
    examples: str
    """Folder in examples/."""


class CarriedKind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: str
    versions: tuple[Version, ...]


class Topic(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One topic, or a family of them whose name has a placeholder."""

    topic: str
    description: str
    producers: tuple[str, ...]
    """Services, groups of them, or the placeholder: the one that the topic is named after."""
    consumers: tuple[str, ...]
    partitioned_by: PartitionedBy
    """What decides the partition, and with it whose events stay in order."""
    record_key: RecordKey
    """What a later record replaces in a compacted topic, together with what it is partitioned by."""
    partitions: int
    retention_days: int
    """0: for ever."""
    compacted: bool
    max_message_kib: int
    events: tuple[CarriedKind, ...]
    heard: Heard = "in-turn"
    """`in-turn`: one process of each consumer hears an event, and the next one after it ends. `by-each`: every process
    hears what is said while it runs, in no consumer group, and takes what is for it."""

    def names(self) -> tuple[str, ...]:
        """The topics of the family; of one without a placeholder just itself."""
        for placeholder, words in _PLACEHOLDERS.items():
            if placeholder in self.topic:
                return tuple(self.topic.replace(placeholder, word) for word in words)
        return (self.topic,)

    def kinds(self) -> tuple[str, ...]:
        return tuple(carried.kind for carried in self.events)


def services(words: tuple[str, ...]) -> tuple[str, ...]:
    """The services that these words of a topic stand for.

    :raises KeyError: a word that names nobody
    """
    found: dict[str, None] = {}
    for word in words:
        if word in _PLACEHOLDERS:
            found.update(dict.fromkeys(_PLACEHOLDERS[word]))
        elif word in GROUPS:
            found.update(dict.fromkeys(GROUPS[word]))
        else:
            _ = SERVICES[word]
            found[word] = None
    return tuple(found)


@cache
def topics() -> tuple[Topic, ...]:
    """All topics, in the order of the flow.

    :raises msgspec.ValidationError: a file is not what `Topic` says
    """
    folder = files("pubweave.contract").joinpath("topics")
    found = [
        msgspec.convert(yaml.safe_load(file.read_text(encoding="utf-8")), Topic)
        for file in sorted(folder.iterdir(), key=lambda file: file.name)
        if file.name.endswith(".yaml")
    ]
    return tuple(found)


@cache
def _by_name() -> Mapping[str, Topic]:
    return {name: topic for topic in topics() for name in topic.names()}


def topic_of(name: str) -> Topic:
    """The description of a topic by its full name.

    :raises KeyError: no such topic
    """
    return _by_name()[name]


def partition_key(topic: Topic, event: Event) -> str:
    """What decides the event's partition in this topic; "" where any will do."""
    match topic.partitioned_by:
        case "nothing":
            return ""
        case "identifier":
            assert isinstance(event, NewId | IdentifiersConflicted)
            return f"{event.id_kind}:{event.value}"
        case "site":
            assert isinstance(event, ReplyWanted)
            # Coarser than the unit: families of one host share its connections, hosts of one family its budget.
            return turn_of(event.carried.url if event.carried is not None else event.request.url)
        case "job":
            assert isinstance(event, LineStanding | JobClosed)
            return event.job
        case "asker":
            assert isinstance(event, ReplyReceived)
            return event.work.asker or "-"
        case "publication" | "submission":
            assert not isinstance(event, ReplyWanted | ReplyReceived)
            return subject_of(event)
        case "destination":
            return subject_of(event)


def record_key(topic: Topic, event: Event) -> str:
    """The key of the record. In a compacted topic a later record with the same key replaces it, so facts
    carry their event's id; `publications` keeps the newest version of each publication."""
    partition = partition_key(topic, event)
    if topic.record_key != "event":
        return partition
    return f"{partition}/{event_id(event)}" if partition else event_id(event)
