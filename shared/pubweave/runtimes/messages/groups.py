"""Who hears which topics: the consumer groups, as the topic files describe them."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from pubweave.contract.catalogue import services, topics


class Paced(NamedTuple):
    """A topic whose messages wait for all others, and for room."""

    topic: str
    beside: str
    """It has as many partitions, by the same key; who has one of these reads the one of the same number there."""


PACED: Final = {"merger": Paced("fetch-requested.bulk", "submissions-settled")}
"""By service. The group of a service shares out all its topics among its members but this one."""


def topics_heard_by(service: str) -> tuple[str, ...]:
    """Full names of the topics that the group of a service consumes, in the order of the flow."""
    heard: list[str] = []
    for topic in topics():
        if topic.heard == "by-each" or service not in services(topic.consumers):
            continue
        names: Iterable[str] = topic.names()
        if "<" in topic.topic and any(word.startswith("<") for word in topic.consumers):
            names = [name for name in names if name.partition(".")[2] == service]
        heard += names
    return tuple(heard)


def topics_shared_out(service: str) -> tuple[str, ...]:
    """Those of them whose partitions its consumer group shares out among its members."""
    paced = PACED.get(service)
    return tuple(one for one in topics_heard_by(service) if paced is None or one != paced.topic)


def group_of(service: str, topic: str) -> str:
    """The group under which it is kept how far the service has done a topic; without the place's prefix."""
    paced = PACED.get(service)
    return f"{service}-{topic.partition('.')[2]}" if paced is not None and topic == paced.topic else service


def groups_of(service: str) -> dict[str, tuple[str, ...]]:
    """All groups of a service, each with its topics."""
    found: dict[str, tuple[str, ...]] = {}
    for topic in topics_heard_by(service):
        group = group_of(service, topic)
        found[group] = (*found.get(group, ()), topic)
    return found
