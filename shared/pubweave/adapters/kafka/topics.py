"""What the topics of the catalogue must be on a broker, and what must be done to get there. Pure.

A plan creates topics and changes their configuration. It never deletes one, and never changes a number of
partitions: a key's events would go on in another partition than they began in, behind the back of its owner.
"""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from pubweave.contract.catalogue import Topic, topics

_DAY_MS: Final = 86_400_000
_HEADERS_BYTES: Final = 64 * 1024
"""The broker's limit is for a whole batch with keys and headers, the catalogue's for the event."""
_TOMBSTONES_DAYS: Final = 30
"""How long a tombstone stays after compaction: whoever rebuilds must not take longer, else the erased would
stay with him."""


class Wanted(msgspec.Struct, frozen=True):
    """One topic as the catalogue wants it."""

    name: str
    partitions: int
    configs: Mapping[str, str]


class FoundTopic(msgspec.Struct, frozen=True):
    """One topic as it is."""

    partitions: int
    copies: int
    """Replicas of its first partition."""
    configs: Mapping[str, str]
    """Everything in effect."""
    own: tuple[str, ...] = ()
    """Those that were set for this topic, and are not a default of the broker."""


class TopicChange(msgspec.Struct, frozen=True):
    name: str
    configs: Mapping[str, str]
    """The complete set of the topic's own configuration afterwards: the broker forgets what is not told."""
    told: tuple[str, ...]
    """What changes, for people: `retention.ms 1000 -> -1`."""


class Plan(msgspec.Struct, frozen=True):
    """What is to be done, in the order of the catalogue."""

    create: tuple[Wanted, ...]
    change: tuple[TopicChange, ...]
    problems: tuple[str, ...]
    """Sentences about what only a person can put right."""

    def is_empty(self) -> bool:
        return not (self.create or self.change or self.problems)

    def sentences(self) -> list[str]:
        """What is not as it should be, one line each."""
        return [
            *(f"{one.name}: missing" for one in self.create),
            *(f"{one.name}: {what}" for one in self.change for what in one.told),
            *self.problems,
        ]


def configs(topic: Topic) -> dict[str, str]:
    """The configuration of a topic's family; names and units are Kafka's (topic-level configs, version 4)."""
    kept = {"retention.ms": str(topic.retention_days * _DAY_MS if topic.retention_days else -1)}
    cleaned = {"cleanup.policy": "compact" if topic.compacted else "delete"}
    if topic.compacted:
        cleaned["delete.retention.ms"] = str(_TOMBSTONES_DAYS * _DAY_MS)
        if topic.retention_days:
            cleaned["cleanup.policy"] = "compact,delete"
    size = {"max.message.bytes": str(topic.max_message_kib * 1024 + _HEADERS_BYTES)}
    return {**cleaned, **kept, **size}


def wanted(catalogue: Iterable[Topic] | None = None, prefix: str = "") -> tuple[Wanted, ...]:
    """Every topic by its full name, in the order of the catalogue."""
    return tuple(
        Wanted(prefix + name, topic.partitions, configs(topic))
        for topic in (topics() if catalogue is None else catalogue)
        for name in topic.names()
    )


def plan(topics: Iterable[Wanted], found: Mapping[str, FoundTopic]) -> Plan:
    """What must be done so that the broker has these topics."""
    create, change, problems = [], [], []
    for topic in topics:
        there = found.get(topic.name)
        if there is None:
            create.append(topic)
            continue
        if there.partitions != topic.partitions:
            problems.append(
                f"{topic.name}: has {there.partitions} partitions, not {topic.partitions}; a key's events would go "
                "on in another partition, so this is not changed, and no topic may be taken away, for nothing else "
                "has its facts: copy them to topics with another prefix, as "
                "docs/operating.md (A topic with another number of partitions) tells"
            )
        if differing := {
            name: value for name, value in topic.configs.items() if there.configs.get(name) != value
        }:
            kept = {name: there.configs[name] for name in there.own if name in there.configs}
            told = tuple(
                f"{name} {there.configs.get(name, 'nothing')} -> {value}" for name, value in differing.items()
            )
            change.append(TopicChange(topic.name, {**kept, **topic.configs}, told))
    return Plan(tuple(create), tuple(change), tuple(problems))


def command(name: str, where: str, prefix: str = "") -> str:
    """What to type, in backquotes."""
    return f"`pubweave topics {name} --kafka {where}{f' --prefix {prefix}' if prefix else ''}`"


def not_ready(needed: Plan, where: str, prefix: str = "") -> str:
    """The sentence with which a service refuses to start; "" if it may. Differing configuration is no reason:
    a rolling update meets topics of the release before."""
    run = f"run {command('apply', where, prefix)}"
    if needed.create:
        names = ", ".join(one.name for one in needed.create[:3])
        more = f" and {len(needed.create) - 3} more" if len(needed.create) > 3 else ""
        plural = "s are" if len(needed.create) > 1 else " is"
        return f"The topic{plural} missing on the Kafka at {where}: {names}{more}; {run}."
    return f"The topic {needed.problems[0]}." if needed.problems else ""
