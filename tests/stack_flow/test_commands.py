"""`pubweave work`, `submit`, `follow` and `dead-letters` as a person runs them."""

import asyncio
import json
import os
import secrets
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer

from flow.tables import lines_of
from pubweave.adapters.cassandra import CassandraPlace
from pubweave.adapters.clock import SystemClock
from pubweave.adapters.kafka.admin import apply
from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.adapters.memory import MemoryStorage
from pubweave.contract.dead_letter import DeadLetter
from pubweave.runtimes.bus.client import following
from pubweave.runtimes.bus.sending import Sender
from pubweave.runtimes.bus.system import BusConfig, open_bus
from pubweave.runtimes.messages.effects import message
from simnet.fixture import running
from simnet.universe import Universe
from stack.fixtures import cassandra, kafka, needs_stack
from stack.keyspaces import Emptied
from stack.storages import place
from stack_flow.alone import alone

__all__ = ["alone", "cassandra", "kafka", "place"]

pytestmark = [needs_stack, pytest.mark.usefixtures("alone"), pytest.mark.network, pytest.mark.timeout(400)]

SIZE = 5


LETTERS = {"list_": "list", "show": "show", "drop": "drop", "replay": "replay"}


def command(name: str, *arguments: str, module: str = "bus") -> list[str]:
    """The program as a user starts it; `main` is the program itself."""
    words = {"main": [], "topics": ["topics", name], "bus": [name]}[module]
    if name in LETTERS:
        words = ["dead-letters", LETTERS[name]]
    return [sys.executable, "-m", "pubweave.cli.main", *words, *arguments]


async def prepare(brokers: KafkaPlace, place: CassandraPlace) -> None:
    await apply(brokers)
    emptied = Emptied(place)
    await emptied.storage()
    await emptied.close()


def test_submitted_lines_come_back_with_their_outcomes(
    kafka: str, place: CassandraPlace, tmp_path: Path
) -> None:
    """`work all` in one process; `submit --wait` prints the job and each outcome, and ends; `follow` prints the
    records; a polite request ends the work with status 0."""
    brokers = KafkaPlace.at(kafka, prefix=f"c{secrets.token_hex(4)}.")
    asyncio.run(prepare(brokers, place))
    universe = Universe(seed=6, size=SIZE)
    ids = tmp_path / "ids.txt"
    ids.write_text(
        "".join(
            f"{one.identifiers.pmid}\t{one.identifiers.pmcid}\t{one.identifiers.doi}\n"
            for one in lines_of(universe, SIZE)
        )
    )
    on = ["--kafka", kafka, "--prefix", brokers.prefix]
    stored = ["--cassandra", ",".join(place.hosts), "--keyspace", place.keyspace]
    with running(universe) as net:
        environment = {**os.environ, **net.environment, "HOME": str(tmp_path)}
        work = subprocess.Popen(
            command("work", "all", *on, *stored),
            env=environment,
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            submitted = subprocess.run(
                command("submit", "--ids", str(ids), "--wait", *on),
                env=environment,
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=False,
            )
        finally:
            work.send_signal(signal.SIGTERM)
            _, said = work.communicate()
    noted = tmp_path / "seen.json"
    followed = first_lines(
        SIZE, command("follow", "--from-the-start", "--from-cursor", str(noted), *on), environment
    )
    inline = first_lines(SIZE, command("follow", "--from-the-start", "--inline", *on, *stored), environment)
    of_job = first_lines(
        SIZE, command("follow", "--from-the-start", "--job", submitted.stdout.split()[0], *on), environment
    )
    job, *outcomes = submitted.stdout.splitlines()
    told = [json.loads(one) for one in outcomes]
    letters = subprocess.run(
        command("list_", *on), env=environment, capture_output=True, text=True, check=False
    )

    assert submitted.returncode == 0, submitted.stderr
    assert sorted(one["line"] for one in told) == list(range(1, SIZE + 1))
    assert {one["job"] for one in told} == {job}
    assert (work.returncode, letters.returncode) == (0, 0), said
    assert "running: merger" in said
    assert letters.stdout == ""
    assert {one["line"] for one in of_job} == set(range(1, SIZE + 1))
    assert {one["kind"] for one in (*followed, *inline)} == {"publication-updated"}
    assert longest(inline) > 4096 >= longest(followed)
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith("-data")] == [], "Faust's folders"


def first_lines(count: int, command: list[str], environment: dict[str, str]) -> list[dict[str, Any]]:
    """What it printed first; then it is killed, as it would go on for ever."""
    running = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    try:
        return [json.loads(running.stdout.readline()) for _ in range(count)]
    finally:
        running.kill()
        running.communicate()


def longest(events: list[dict[str, Any]]) -> int:
    """Characters of the longest full text that stands in a record."""
    return max(len(one["record"].get("fulltext", {}).get("text", "")) for one in events)


def test_dead_letters_are_shown_and_taken_away(kafka: str, tmp_path: Path) -> None:
    """In the order of their coming; what was taken away is not listed any more."""
    brokers = KafkaPlace.at(kafka, prefix=f"d{secrets.token_hex(4)}.")
    on = ["--kafka", kafka, "--prefix", brokers.prefix]

    async def put_aside() -> None:
        await apply(brokers)
        async with Sender(brokers, lambda: 7) as sender:
            for number in range(3):
                letter = DeadLetter(
                    topic="publications", event_kind="", event_version=0, reason=f"broken {number}", body=b"{"
                )
                await sender.send([message(letter)], "materialiser")

    asyncio.run(put_aside())

    def ran(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command(*arguments), *on], cwd=tmp_path, capture_output=True, text=True, check=False
        )

    before, shown, dropped, after = ran("list_"), ran("show", "1"), ran("drop", "1"), ran("list_")

    assert [line.split("\t")[0] for line in before.stdout.splitlines()] == ["0", "1", "2"], before.stderr
    assert json.loads(shown.stdout)["reason"] == "broken 1"
    assert "2 dead letters taken away" in dropped.stderr
    assert [line.split("\t")[0] for line in after.stdout.splitlines()] == ["2"]
    assert "there is no dead letter 1" in ran("drop", "1").stderr


def test_what_waits_is_counted(kafka: str, tmp_path: Path) -> None:
    """Before any service has run: three lines at the merger; when it has heard them: three questions for the first
    source, those that were said together in one message."""
    brokers = KafkaPlace.at(kafka, prefix=f"w{secrets.token_hex(4)}.")
    on = ["--kafka", kafka, "--prefix", brokers.prefix]

    def ran(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command(*arguments), *on], cwd=tmp_path, capture_output=True, text=True, check=False
        )

    def waiting() -> tuple[dict[str, int], int]:
        told = subprocess.run(
            [*command("waiting", "--format", "json", module="topics"), *on],
            stdout=subprocess.PIPE,
            check=True,
        )
        found = json.loads(told.stdout)
        counts = {
            f"{service} {topic}": count
            for service, topics in found["waiting"].items()
            for topic, count in topics.items()
            if count
        }
        return counts, found["dead_letters"]

    async def hear() -> int:
        """Let the merger ask its three questions, and count the messages in which it has."""
        config = BusConfig(kafka=brokers, services=("merger",), session_timeout_s=10.0)
        async with open_bus(config, MemoryStorage()) as bus:
            async with following(brokers, ["needs-part.europepmc"], from_the_start=True) as follower:
                count = 0
                async for _ in follower.events():
                    count += 1
                    if count == 3:
                        break
            await bus.drained(SystemClock())
        consumer = AIOKafkaConsumer(f"{brokers.prefix}needs-part.europepmc", **brokers.client())
        await consumer.start()
        try:
            return sum((await consumer.end_offsets(consumer.assignment())).values())
        finally:
            await consumer.stop()

    asyncio.run(apply(brokers))
    assert ran("submit", "31092905", "PMC6519000", "10.1093/nar/gkz369").returncode == 0
    before = waiting()
    messages = asyncio.run(hear())
    counts, letters = waiting()

    assert before == ({"merger fetch-requested.interactive": 3, "merger jobs": 1}, 0)
    assert counts == {"europepmc needs-part.europepmc": messages}
    assert 1 <= messages <= 3
    assert letters == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["work", "mergre"], "there is no service 'mergre'"),
        (["submit", "31092905"], "pubweave topics apply"),
        (["list_"], "pubweave topics apply"),
    ],
)
def test_what_is_missing_is_told(kafka: str, arguments: list[str], sentence: str) -> None:
    """One sentence with the command to run, no traceback."""
    ended = subprocess.run(
        [*command(*arguments), "--kafka", kafka, "--prefix", f"n{secrets.token_hex(4)}."],
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode in (1, 2)
    assert sentence in ended.stderr
    assert "Traceback" not in ended.stderr
