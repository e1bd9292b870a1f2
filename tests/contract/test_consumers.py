"""How our code reads Kafka: no partition of a running consumer is paused."""

import ast
from collections.abc import Iterator

import pytest

from contract.test_imports import modules
from pubweave.contract.catalogue import topic_of
from pubweave.runtimes.messages.groups import (
    PACED,
    group_of,
    groups_of,
    topics_heard_by,
    topics_shared_out,
)

FORBIDDEN = {"pause_partitions", "resume_partitions", "stop_flow", "resume_flow", "on_buffer_full"}
"""What Faust's consumers offer to that end."""

OF_CONSUMERS = {"pause", "resume", "paused"}
"""The same of aiokafka's, which other things have as well."""


def pauses(source: str) -> Iterator[str]:
    """Where source pauses partitions, also by a name in a string."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(value=owner, attr=name) if name in FORBIDDEN or (
                name in OF_CONSUMERS and "consumer" in ast.unparse(owner)
            ):
                yield f"line {node.lineno}: {ast.unparse(node)}"
            case ast.Constant(value=str(name)) if name in FORBIDDEN:
                yield f"line {node.lineno}: {name!r}"
            case _:
                pass


def test_no_partition_is_paused() -> None:
    """A running Faust consumer drops what it has in hand of a partition that is paused, and the offset moves past it.
    What must wait is read by a feeder, or becomes a delayed event."""
    found = [f"{name}: {one}" for name, source in sorted(modules().items()) for one in pauses(source)]

    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "self.app.consumer.pause_partitions(partitions)",
        "(consumer.pause_partitions if held else consumer.resume_partitions)(partitions)",
        "getattr(consumer, 'pause_partitions')(partitions)",
        "consumer.pause(partition)",
        "self._consumer.resume(*partitions)",
    ],
)
def test_every_way_of_pausing_is_seen(source: str) -> None:
    """And what is no consumer may be paused."""
    assert list(pauses(source))
    assert not list(pauses("self._turns.pause(unit, 3)"))


def test_what_is_paced_is_read_beside_what_ends_it() -> None:
    """By partitions of the same number, so that the process that lets a line enter hears that it is settled."""
    for service, paced in PACED.items():
        waits, beside = topic_of(paced.topic), topic_of(paced.beside)

        assert (waits.partitions, waits.partitioned_by) == (beside.partitions, beside.partitioned_by)
        assert {paced.topic, paced.beside} <= set(topics_heard_by(service))
        assert paced.beside in topics_shared_out(service)


def test_a_paced_topic_has_offsets_of_its_own() -> None:
    """Its group shares out nothing: the other one does, and the two do not know of each other."""
    assert group_of("merger", "fetch-requested.bulk") == "merger-bulk"
    assert "fetch-requested.bulk" not in topics_shared_out("merger")
    assert set(groups_of("merger")) == {"merger", "merger-bulk"}
    assert set(groups_of("fetcher")) == {"fetcher"}
    assert [one for topics in groups_of("merger").values() for one in topics] == sorted(
        topics_heard_by("merger"), key=lambda topic: topic == "fetch-requested.bulk"
    )
