"""Ctrl-C and SIGTERM in the middle of a job, with a real signal at many moments: no failure is made of an interruption."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from services.cli.conftest import Cli
from simnet.fixture import Running
from simnet.log import Entry

pytestmark = pytest.mark.network

MOMENTS = (1, 2, 3, 6, 11, 19, 30)
"""The signal comes when so many requests have arrived."""


def attempts() -> dict[str, int]:
    with closing(sqlite3.connect("pubweave.db")) as database:
        return dict(database.execute("SELECT outcome, count(*) FROM attempt GROUP BY outcome"))


def outcome_of(line: str) -> tuple[int, str]:
    submission = json.loads(line)["pubweave"]["submission"]
    return submission["line"], submission["outcome"]


def evidence() -> str:
    with closing(sqlite3.connect("pubweave.db")) as database:
        return " ".join(row[0] for row in database.execute("SELECT evidence FROM attempt"))


def interrupted(
    net: Running, monkeypatch: pytest.MonkeyPatch, command: list[str], moment: int, number: signal.Signals
) -> str:
    """Run a command that is told to end when the internet has been asked so often; what it said on stderr."""
    process: list[subprocess.Popen[bytes]] = []
    seen = [0]
    arrived: Callable[[Entry], None] = net.log.arrived

    def watched(entry: Entry) -> None:
        arrived(entry)
        seen[0] += 1
        if seen[0] == moment:
            process[0].send_signal(number)

    monkeypatch.setattr(net.log, "arrived", watched)
    # so that the request which brings the signal is still on its way when it comes
    monkeypatch.setattr(net.net.settings, "latency_s", 0.3)
    process.append(
        subprocess.Popen(
            [sys.executable, "-m", "pubweave.cli.main", *command],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=dict(os.environ),
            # whoever started the tests in the background has made them, and all they start, deaf to SIGINT
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
    )
    said = process[0].communicate()[1].decode()
    monkeypatch.setattr(net.log, "arrived", arrived)
    monkeypatch.setattr(net.net.settings, "latency_s", 0.0)
    assert process[0].returncode == 128 + number, said
    return said


@pytest.mark.parametrize("moment", MOMENTS)
def test_what_was_on_its_way_is_cancelled_and_asked_again(
    cli: Cli, net: Running, some_ids: Path, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    """Not "failed: Session is closed", not "reset", not "for a reason not foreseen"; the job then ends as if nothing
    had been, and everything adds up."""
    command = ["fetch", "--ids", str(some_ids), "--format", "jsonl", "--no-batch"]
    whole = {outcome_of(line) for line in cli(*command, "--db", "whole.db").out.splitlines()}
    number = signal.SIGINT if moment % 2 else signal.SIGTERM

    said = interrupted(net, monkeypatch, command, moment, number)

    assert "closed" not in said
    assert "foreseen" not in said
    assert "failed" not in attempts()
    assert "reset" not in attempts()
    assert attempts().get("cancelled", 0) >= 1, "the request that brought the signal had no answer yet"
    assert "closed" not in evidence()

    ran = cli(*command)
    stood = json.loads(cli("status", "--format", "json").out)

    assert ran.status == 0
    assert {outcome_of(line) for line in ran.out.splitlines()} == whole
    assert stood["reconciled"], stood["differences"]
    assert "failed" not in attempts()


@pytest.mark.parametrize("moment", [1, 2, 3])
def test_pages_on_their_way_are_cancelled(
    cli: Cli, net: Running, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    urls = [f"https://doi.org/{ids.doi}" for ids in net.universe.submissions(30) if ids.doi]

    said = interrupted(net, monkeypatch, ["page", *urls], moment, signal.SIGINT)

    assert "closed" not in said
    assert "foreseen" not in said
    assert not {"failed", "reset"} & attempts().keys()
    assert "closed" not in evidence()


BLOCKED = """
import asyncio, sys
from pubweave.cli.commands.fetch.job import FetchJob
from pubweave.cli.commands.page.job import PagesJob
from pubweave.cli.main import run

async def reading(self):
    task = asyncio.current_task()
    print("reading", flush=True)
    while not task.cancelling():
        pass
    print("told", flush=True)
    while True:
        pass

FetchJob.go = PagesJob.go = reading
raise SystemExit(run(sys.argv[1:]))
"""
"""A command that reads a reply for ever, and meanwhile lets nothing else of its event loop happen."""


@pytest.mark.parametrize("command", [("fetch", "1"), ("page", "https://example.org/")])
@pytest.mark.parametrize(
    ("first", "second"),
    [(signal.SIGTERM, signal.SIGTERM), (signal.SIGTERM, signal.SIGINT), (signal.SIGINT, signal.SIGTERM)],
)
def test_the_second_signal_ends_what_blocks_the_loop(
    cli: Cli, command: tuple[str, ...], first: signal.Signals, second: signal.Signals
) -> None:
    """At once, in one sentence; the first one could only ask, and what is being read did not hear it."""
    with subprocess.Popen(
        [sys.executable, "-c", BLOCKED, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "reading\n"
            process.send_signal(first)
            assert process.stdout.readline() == "told\n"
            process.send_signal(second)
            said = process.communicate(timeout=60)[1]
        finally:
            process.kill()

    assert process.returncode == 128 + second
    assert said.startswith("pubweave: interrupted; ")
    assert "Traceback" not in said
