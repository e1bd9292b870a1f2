"""A command killed in the middle (F-DB-17, F-DB-18, T-114)."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from services.cli.conftest import Cli
from services.cli.test_db_erase import publication
from simnet.fixture import Running


@pytest.mark.network
def test_what_a_killed_fetch_had_told_is_in_the_database(cli: Cli, net: Running, some_ids: Path) -> None:
    """`kill -9` in the middle of a batch, then `db commit`: every record that was printed is there, whole, in the file
    itself, and the job can go on."""
    command = ["fetch", "--ids", str(some_ids), "--db", "base.db", "--format", "jsonl", "--no-batch"]
    with subprocess.Popen(
        [sys.executable, "-m", "pubweave.cli.main", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PUBWEAVE_CONNECTIONS_PER_HOST": "1", "PUBWEAVE_BUDGETS": ""},
    ) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(2)]
        process.kill()
        lines += process.stdout.read().splitlines(keepends=True)
    told = [json.loads(line) for line in lines if line.endswith(b"\n")]

    assert process.returncode == -signal.SIGKILL
    assert 2 <= len(told) < 12
    assert cli("db", "commit", "base.db").status == 0
    assert not Path("base.db-wal").exists()
    dumped = json.loads(cli("db", "dump", "base.db").out)["publications"]
    there = {one["pubweave"]["publication"]: one for one in dumped}
    for one in told:
        found = there[one["pubweave"]["publication"]]
        assert (found["title"], found["fulltext"]) == (one["title"], one["fulltext"])
    assert len(cli(*command).out.splitlines()) == 12


def test_a_killed_import_leaves_the_database_as_it_was(cli: Cli) -> None:
    """Nothing half-imported, not even by `kill -9`; afterwards the import can be done."""
    cli("db", "init", "base.db")
    document = {
        "version": {},
        "publications": [publication(f"Title {number}", pmid=str(number)) for number in range(1, 400)],
    }
    body = json.dumps(document).encode()
    with subprocess.Popen(
        [sys.executable, "-m", "pubweave.cli.main", "db", "import", "base.db", "-", "--quiet"],
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin is not None
        # More than the pipe holds, so that it has begun to read when this returns.
        process.stdin.write(body[: len(body) // 2])
        process.stdin.flush()
        process.kill()
        process.stdin.close()

    assert process.returncode == -signal.SIGKILL
    assert cli("db", "commit", "base.db").status == 0
    assert cli("db", "size", "base.db", "--publications").out == "0\n"
    Path("whole.json").write_bytes(body)
    assert cli("db", "import", "base.db", "whole.json", "--quiet").err.startswith("399 publications")
