"""`pubweave status --cluster` and `topics waiting` on a real Kafka, from which a message is really taken away."""

import asyncio
import json
import secrets
from collections.abc import Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer, TopicPartition
from click.testing import CliRunner, Result

from pubweave.adapters.clock import SystemClock
from pubweave.adapters.kafka.admin import apply
from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.adapters.memory import MemoryStorage
from pubweave.cli import stillness
from pubweave.cli.commands.status.command import status
from pubweave.cli.commands.submit import command as submitting
from pubweave.cli.commands.submit.command import submit
from pubweave.cli.commands.topics.command import topics
from pubweave.runtimes.bus.client import following
from pubweave.runtimes.bus.system import BusConfig, open_bus
from pubweave.runtimes.messages.groups import topics_heard_by
from stack.fixtures import kafka, needs_stack
from stack_flow.alone import alone

__all__ = ["alone", "kafka"]

pytestmark = [needs_stack, pytest.mark.usefixtures("alone"), pytest.mark.network, pytest.mark.timeout(300)]

IDS = ["31092905", "PMC6519000", "10.1093/nar/gkz369", "17", "18", "19"]


@pytest.fixture
def brokers(kafka: str, monkeypatch: pytest.MonkeyPatch) -> KafkaPlace:
    place = KafkaPlace.at(kafka, prefix=f"a{secrets.token_hex(4)}.")
    asyncio.run(apply(place))
    monkeypatch.setenv("PUBWEAVE_KAFKA", kafka)
    monkeypatch.setenv("PUBWEAVE_PREFIX", place.prefix)
    return place


def ran(command: Any, *arguments: str) -> Result:
    return CliRunner().invoke(command, list(arguments), catch_exceptions=False, standalone_mode=False)


def looked(job: str = "") -> tuple[int, dict[str, Any]]:
    result = ran(status, "--cluster", "--format", "json", *(["--job", job] if job else []))
    return int(result.return_value), json.loads(result.stdout)


def submitted(ids: Sequence[str] = IDS) -> str:
    return ran(submit, *ids).stdout.strip()


async def past(brokers: KafkaPlace, group: str, topic: str) -> tuple[int, int]:
    """A group's offset is moved past the first message of a topic that it has not heard.

    :returns: partition and offset of the message
    """
    consumer: Any = AIOKafkaConsumer(
        **brokers.client(), group_id=brokers.prefix + group, enable_auto_commit=False
    )
    await consumer.start()
    try:
        name = brokers.prefix + topic
        await consumer._client.add_topic(name)
        places = [TopicPartition(name, number) for number in consumer.partitions_for_topic(name)]
        consumer.assign(places)
        ends = await consumer.end_offsets(places)
        for place in places:
            done = await consumer.committed(place) or 0
            if ends[place] > done:
                await consumer.commit({place: done + 1})
                return place.partition, done
    finally:
        await consumer.stop()
    raise AssertionError(f"nothing to take away in {topic}")


@asynccontextmanager
async def served(brokers: KafkaPlace, storage: MemoryStorage, *services: str) -> Any:
    """These services, until they have heard everything."""
    config = BusConfig(kafka=brokers, services=services, session_timeout_s=10.0)
    async with open_bus(config, storage) as bus:
        while not all(worker.has_partitions() for worker in bus.workers):
            await SystemClock().sleep(0.1)
        yield
        await bus.drained(SystemClock())


async def heard_by_the_merger(brokers: KafkaPlace, lines: int) -> None:
    async with (
        served(brokers, MemoryStorage(), "merger"),
        following(brokers, ["needs-part.europepmc"], from_the_start=True) as follower,
    ):
        count = 0
        async for _ in follower.events():
            count += 1
            if count == lines:
                return


def test_a_line_that_was_passed_unheard_is_named(brokers: KafkaPlace) -> None:
    """The offset of the merger is moved past a line; the others are entered and asked about."""
    job = submitted()
    status_before, before = looked()
    partition, offset = asyncio.run(past(brokers, "merger", "fetch-requested.interactive"))
    asyncio.run(heard_by_the_merger(brokers, len(IDS) - 1))
    status_after, after = looked(job)
    text = ran(status, "--cluster", "--job", job)
    waiting = ran(topics, "waiting")

    assert (status_before, before["gaps"]) == (1, []), "no service has run"
    (first,) = before["waiting"]
    assert (first["service"], first["lines"], first["members"]) == ("merger", len(IDS), False)
    assert status_after == 1
    (gap,) = after["gaps"]
    assert (gap["kind"], gap["topic"]) == ("not-entered", "fetch-requested.interactive")
    assert (gap["partition"], gap["offset"], len(gap["lines"])) == (partition, offset, 1)
    (told,) = after["jobs"]
    assert (told["lines"], told["on_their_way"], told["hanging"]) == (len(IDS), len(IDS) - 1, 1)
    assert "the line was never entered" in text.stdout
    assert "start `pubweave work europepmc`" in text.stdout
    assert "the line was never entered" in waiting.stdout
    assert waiting.return_value == 1


def test_questions_taken_away_on_their_way_are_named(brokers: KafkaPlace) -> None:
    """A question that its resource passed, and one that the fetcher passed; nothing is said to wait any more."""
    submitted(IDS[:1])
    asyncio.run(heard_by_the_merger(brokers, 1))
    asked = asyncio.run(past(brokers, "europepmc", "needs-part.europepmc"))
    submitted(IDS[1:])
    asyncio.run(heard_by_the_merger(brokers, len(IDS)))

    async def ask() -> None:
        async with (
            served(brokers, MemoryStorage(), "europepmc"),
            following(brokers, ["reply-wanted.fetcher"], from_the_start=True) as follower,
        ):
            async for _ in follower.events():
                return

    asyncio.run(ask())
    _, between = looked()
    while True:
        try:
            asyncio.run(past(brokers, "fetcher", "reply-wanted.fetcher"))
        except AssertionError:
            break
    status_after, after = looked()
    waiting = ran(topics, "waiting")

    (gap,) = between["gaps"]
    assert (gap["kind"], gap["resource"], gap["partition"], gap["offset"]) == (
        "not-asked",
        "europepmc",
        *asked,
    )
    assert {one["topic"] for one in between["waiting"]} == {"reply-wanted.fetcher"}
    assert status_after == 1
    assert {one["kind"] for one in after["gaps"]} == {"not-asked", "not-answered"}
    assert len({name for one in after["gaps"] for name in one["lines"]}) == len(IDS)
    assert "nothing waits" not in waiting.stdout
    assert waiting.return_value == 1


def test_a_job_that_stands_still_says_who_says_why(
    brokers: KafkaPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`submit --wait` without any service: told once, then after twice the time; never that it ended."""
    monkeypatch.setattr(stillness, "STILL_S", 0.5)

    async def a_while() -> str:
        result: list[str] = []
        monkeypatch.setattr(stillness, "say", result.append)
        monkeypatch.setattr(submitting.click, "echo", lambda *_, **__: None)
        options = {
            **dict.fromkeys(submitting._OF_JOBS),
            "wait": True,
            "lane": "interactive",
            "deadline": "",
            "correlation_id": "",
            "fresh": False,
            "doc": False,
        }
        with lines_given() as given:
            waiting = asyncio.create_task(submitting._submit(brokers, given, [], options))
            while len(result) < 2:
                assert not waiting.done()
                await asyncio.sleep(0.05)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        return "\n".join(result)

    told = asyncio.run(a_while())

    assert told.count("pubweave status --cluster --job ") == 2


def lines_given() -> Any:
    from pubweave.cli.input import Input

    return Input(("31092905",), (), lambda _: None)


def test_where_nothing_was_submitted_nothing_hangs(brokers: KafkaPlace) -> None:
    code, found = looked()
    waiting = ran(topics, "waiting")

    assert (code, found["jobs"], found["gaps"], found["hangs"]) == (0, [], [], False)
    assert waiting.stdout == "nothing waits\n"
    assert topics_heard_by("merger")
