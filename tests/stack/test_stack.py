"""The stack for tests: shared between processes, stopped by the last, and never silently left out."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from stack.fixtures import cassandra, kafka
from stack.leases import Lease, obstacle
from stack.processes import Process, answers, free_ports, me, start

__all__ = ["cassandra", "kafka"]

TESTS = Path(__file__).resolve().parents[1]


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stack folder of its own, where nothing runs, and no addresses given."""
    monkeypatch.setenv("PUBWEAVE_STACK_DIR", str(tmp_path / "stack"))
    monkeypatch.delenv("PUBWEAVE_KAFKA", raising=False)
    monkeypatch.delenv("PUBWEAVE_CASSANDRA", raising=False)
    return tmp_path


@pytest.fixture
def sleeper(tmp_path: Path) -> Iterator[Process]:
    shell = shutil.which("sleep")
    assert shell is not None
    process = start([shell, "600"], tmp_path / "out")
    yield process
    process.stop()


def test_a_process_is_known_by_id_and_start_time(sleeper: Process) -> None:
    """Neither a later process of the same id nor one that has ended is taken for it."""
    later = Process(sleeper.pid, sleeper.started + 1)

    assert sleeper.runs()
    assert not later.runs()

    later.send(signal.SIGKILL)

    assert sleeper.runs()

    sleeper.stop()

    assert not sleeper.runs()
    sleeper.stop()


def test_what_ended_and_was_not_looked_after_does_not_run(sleeper: Process) -> None:
    """A zombie keeps its id; it is no server any more."""
    sleeper.send(signal.SIGKILL)

    assert sleeper.wait(10)


def test_a_stubborn_process_is_killed(tmp_path: Path) -> None:
    """One that ignores the request to end."""
    ready = tmp_path / "ready"
    code = (
        f"import signal, time; signal.signal(15, signal.SIG_IGN); open({str(ready)!r}, 'w'); time.sleep(600)"
    )
    process = start([sys.executable, "-c", code], tmp_path / "out")
    while not ready.exists():
        assert process.runs()
    process.stop(patience_s=0.2)

    assert not process.runs()


def test_free_ports_are_free() -> None:
    """And different."""
    ports = free_ports(5)

    assert len(set(ports)) == 5
    assert not any(answers(port) for port in ports)


def test_leases_of_the_dead_do_not_count(nowhere: Path) -> None:
    """A test run that was killed does not keep a server for ever."""
    lease = Lease("kafka")
    leases = nowhere / "stack" / "run" / "kafka" / "leases"
    leases.mkdir(parents=True)
    for name in (f"{me().pid}.{me().started}", f"{me().pid}.1", "999999999.5", "by-hand"):
        (leases / name).touch()

    assert lease.holders() == [str(me().pid), "by-hand"]
    assert sorted(path.name for path in leases.iterdir()) == [f"{me().pid}.{me().started}", "by-hand"]


def test_a_given_address_is_used_as_it_is(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is started or stopped, no Java is needed."""
    monkeypatch.setenv("PUBWEAVE_KAFKA", "kafka.example:9092")
    monkeypatch.setenv("PATH", "")
    lease = Lease("kafka")

    assert obstacle("kafka") == ""
    assert lease.take() == lease.address() == "kafka.example:9092"
    assert not lease.release()
    assert not (nowhere / "stack").exists()


def test_what_hinders_is_one_sentence(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what was not run and how to run it."""
    monkeypatch.setenv("PATH", "")
    sentence = obstacle("cassandra")

    assert "the real Cassandra were not run: install java and mvn" in sentence
    assert sentence.endswith("or set PUBWEAVE_CASSANDRA to the address of one")
    assert "\n" not in sentence


@pytest.mark.parametrize(("ci", "expected"), [("", "1 skipped"), ("true", "1 error")])
def test_without_java_a_test_is_skipped_but_never_in_ci(nowhere: Path, ci: str, expected: str) -> None:
    """Whoever runs the tests sees the sentence; CI does not pass without them."""
    module = nowhere / "test_one.py"
    module.write_text(
        "from stack.fixtures import kafka\n\ndef test_one(kafka: str) -> None:\n    assert False\n"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-rs",
            "-p",
            "no:cacheprovider",
            "-c",
            "/dev/null",
            str(module),
        ],
        env={**environment, "PATH": "", "CI": ci, "PYTHONPATH": str(TESTS)},
        cwd=nowhere,
        capture_output=True,
        text=True,
        check=False,
    )

    assert expected in ran.stdout, ran.stdout + ran.stderr
    assert "install java and mvn" in ran.stdout
    assert ran.returncode == (1 if ci else 0)


@pytest.mark.stack
@pytest.mark.parametrize("name", ["kafka", "cassandra"])
def test_another_process_uses_the_same_server(name: str, request: pytest.FixtureRequest) -> None:
    """And leaves it running when it lets go, for we still use it."""
    address: str = request.getfixturevalue(name)
    code = f"from stack.leases import Lease; it = Lease({name!r}); print(it.take(), it.release())"
    other = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert other.stdout.split() == [address, "False"]
    assert Lease(name).address() == address
