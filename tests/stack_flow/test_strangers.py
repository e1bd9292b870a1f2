"""A program that knows nothing of Pubweave writes into its topics: the services go on, and each line has its outcome."""

import asyncio
import json
from typing import Any

import pytest
from aiokafka import AIOKafkaProducer

from pubweave.adapters.clock import SystemClock
from pubweave.adapters.memory import MemoryStorage
from pubweave.contract.dead_letter import DeadLetter
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.runtimes.bus.client import following
from pubweave.runtimes.bus.system import BusConfig, open_bus
from stack.fixtures import kafka, needs_stack
from stack_flow.alone import alone
from stack_flow.jobs import new_topics

__all__ = ["alone", "kafka"]

pytestmark = [needs_stack, pytest.mark.usefixtures("alone"), pytest.mark.network, pytest.mark.timeout(200)]

LANE = "fetch-requested.interactive"


def headers(kind: str = "fetch-requested", version: int = 1) -> list[tuple[str, bytes]]:
    """What any program can read in docs/events.md."""
    return [
        ("ce_specversion", b"1.0"),
        ("ce_id", b"1"),
        ("ce_source", b"https://stranger.example/"),
        ("ce_type", f"example.pubweave.{kind}.v{version}".encode()),
    ]


def request(line: int, **members: Any) -> bytes:
    return json.dumps({"kind": "fetch-requested", "job": "strange", "line": line, **members}).encode()


BAD_LINES: dict[int, tuple[bytes, list[tuple[str, bytes]], str]] = {
    1: (request(1, identifiers={"pmid": "20000162 OR ext_id:20000163"}), headers(), "is not a PMID"),
    2: (request(2, identifiers={"pmid": "hello"}), headers(), "is not a PMID"),
    3: (request(3, entry="webpage", url=""), headers(), "no address"),
    4: (request(4, identifiers={"pmid": "2"}, deadline_at=10**30), headers(), "deadline_at"),
    5: (request(5, identifiers={"pmid": "2"}), headers(version=7), "unknown version"),
    6: (request(6, identifiers=["2"]), headers(), "identifiers"),
    7: (request(7, identifiers={"pmid": "2"}), [], "is missing"),
    8: (request(8, identifiers={"pmid": "9" * 400_000}), headers(), "too long"),
    9: (request(9, identifiers={"pmid": "2"}, correlation_id="x" * 70_000), headers(), "1,000 characters"),
    10: (request(10), headers(), "no identifier"),
}
"""By line: body, headers, and what its outcome says."""

LETTERS = {
    "no JSON": b"\xff{",
    "nested": b"[" * 100_000,
    "long": b"\x00" * 1_000_000,
    "no line": b'{"kind":"fetch-requested","job":"strange","line":-1,"identifiers":{"pmid":"1"}}',
    "line of thirty digits": request(10**30, identifiers={"pmid": "1"}),
    "no job": b'{"kind":"fetch-requested","job":"","line":1,"identifiers":{"pmid":"1"}}',
}


async def test_a_stranger_stops_nobody(kafka: str) -> None:
    """Each line that can be told has the outcome `refused` with its reason, all else is a dead letter, sixty in a row
    as well; then the next good line is asked for as ever."""
    brokers = await new_topics(kafka)
    config = BusConfig(kafka=brokers, services=("merger",), session_timeout_s=10.0)
    producer = AIOKafkaProducer(bootstrap_servers=[kafka], max_request_size=2**20)
    outcomes: dict[int, SubmissionSettled] = {}
    letters: list[DeadLetter] = []
    asked: list[NeedsPart] = []
    async with (
        open_bus(config, MemoryStorage()) as bus,
        following(
            brokers, ["submissions-settled", "dead-letters", "needs-part.europepmc"], from_the_start=True
        ) as follower,
    ):
        await producer.start()

        async def put(topic: str, body: bytes, told: list[tuple[str, bytes]], key: str) -> None:
            await producer.send_and_wait(
                brokers.prefix + topic, body, key=key.encode(), headers=told, partition=0
            )

        for line, (body, told, _) in BAD_LINES.items():
            await put(LANE, body, told, f"strange.{line:09d}/x")
        for body in LETTERS.values():
            await put(LANE, body, headers(), "strange")
        for number in range(60):
            await put("part-candidates", b"nonsense %d" % number, headers("part-candidate"), "p")
        await put(LANE, request(20, identifiers={"pmid": "5"}), headers(), "another.000000020/x")
        await put(LANE, request(21, identifiers={"doi": "doi:10.1/a"}), headers(), "strange.000000021/x")
        await producer.stop()

        async with asyncio.timeout(60):
            async for event, _, _ in follower.events():
                match event:
                    case SubmissionSettled():
                        outcomes[event.line] = event
                    case DeadLetter():
                        letters.append(event)
                    case NeedsPart():
                        asked.append(event)
                    case _:
                        pass
                if len(outcomes) == 11 and len(letters) == 66 and asked:
                    break
                if problem := bus.failure():
                    raise problem
        await bus.drained(SystemClock())

    assert {one.outcome for one in outcomes.values()} == {"refused"}
    for line, (_, _, reason) in BAD_LINES.items():
        assert reason in outcomes[line].reason
    assert "record key" in outcomes[20].reason
    assert [one.identifiers.doi for one in asked] == ["10.1/A"]
