"""`pubweave work`, `submit`, `follow` and `dead-letters` as a person runs them."""

import asyncio
import json
import os
import secrets
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from flow.tables import lines_of
from pubweave.adapters.cassandra import CassandraPlace
from pubweave.adapters.kafka.admin import apply
from pubweave.adapters.kafka.place import KafkaPlace
from simnet.fixture import running
from simnet.universe import Universe
from stack.fixtures import cassandra, kafka, needs_stack
from stack.keyspaces import Emptied
from stack.storages import place
from stack_flow.alone import alone

__all__ = ["alone", "cassandra", "kafka", "place"]

pytestmark = [needs_stack, pytest.mark.usefixtures("alone"), pytest.mark.network, pytest.mark.timeout(400)]

SIZE = 5


def command(name: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", f"from pubweave.cli.bus import {name}; {name}()", *arguments]


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
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith("-data")] == [], "Faust's folders"


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
