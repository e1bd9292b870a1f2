"""Who hears which topics: the consumer groups, as the topic files describe them."""

from collections.abc import Iterable

from pubweave.contract.catalogue import services, topics

PATIENT = {"merger": "fetch-requested.bulk"}
"""Who has a topic whose messages wait for all others, and for room."""


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
