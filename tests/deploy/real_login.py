"""A Kafka and a Cassandra that want TLS and a password, through the commands as a person runs them."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping

import pytest

from stack import secured
from stack.processes import free_ports

pytestmark = pytest.mark.timeout(600)

READY_S = 120.0


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Settings that lead to both; the passwords lie in files."""
    folder = tmp_path_factory.mktemp("secured")
    (folder / "kafka-password").write_text(secured.PASSWORD + "\n")
    (folder / "cassandra-password").write_text("cassandra")
    with secured.kafka(folder / "kafka") as kafka, secured.cassandra(folder / "cassandra") as cassandra:
        yield {
            **os.environ,
            "HOME": str(folder),
            "PUBWEAVE_KAFKA": kafka.address,
            "PUBWEAVE_KAFKA_TLS": "true",
            "PUBWEAVE_KAFKA_CA": str(kafka.ca_file),
            "PUBWEAVE_KAFKA_USER": secured.USER,
            "PUBWEAVE_KAFKA_PASSWORD_FILE": str(folder / "kafka-password"),
            "PUBWEAVE_KAFKA_MECHANISM": "PLAIN",
            "PUBWEAVE_CASSANDRA": cassandra.address,
            "PUBWEAVE_CASSANDRA_TLS": "true",
            "PUBWEAVE_CASSANDRA_CA": str(cassandra.ca_file),
            "PUBWEAVE_CASSANDRA_USER": "cassandra",
            "PUBWEAVE_CASSANDRA_PASSWORD_FILE": str(folder / "cassandra-password"),
            "PUBWEAVE_START_PATIENCE": "60",
        }


def pubweave(environment: Mapping[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pubweave.cli.main", *words],
        env=dict(environment),
        cwd=environment["HOME"],
        capture_output=True,
        text=True,
        check=False,
    )


def test_who_may_makes_topics_and_tables_and_works(environment: dict[str, str]) -> None:
    """The administrator's client, the producer, the consumer of Faust and the driver of Cassandra all log in."""
    topics = pubweave(environment, "topics", "apply")
    tables = pubweave(environment, "tables", "apply")

    assert (topics.returncode, tables.returncode) == (0, 0), topics.stderr + tables.stderr

    (port,) = free_ports(1)
    work = subprocess.Popen(
        [sys.executable, "-m", "pubweave.cli.main", "work", "merger", "--health", f"127.0.0.1:{port}"],
        env=environment,
        cwd=environment["HOME"],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert is_ready(port)
        submitted = pubweave(environment, "submit", "31092905")
        assert submitted.returncode == 0, submitted.stderr
        assert re.fullmatch(r"[0-9a-f]{20}\n", submitted.stdout)
    finally:
        work.terminate()
        _, said = work.communicate()
    assert work.returncode == 0, said
    assert secured.PASSWORD not in said


def is_ready(port: int) -> bool:
    """It owns partitions: it was let in."""
    import urllib.error
    import urllib.request

    until = time.monotonic() + READY_S
    while time.monotonic() < until:
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
                f"http://127.0.0.1:{port}/readyz", timeout=5
            ):
                return True
        except (OSError, urllib.error.HTTPError):
            time.sleep(0.2)
    return False


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"PUBWEAVE_KAFKA_PASSWORD": "wrong"}, ("topics", "check")),
        ({"PUBWEAVE_KAFKA_CA": ""}, ("topics", "check")),
        ({"PUBWEAVE_CASSANDRA_PASSWORD": "wrong", "PUBWEAVE_START_PATIENCE": "0"}, ("tables", "apply")),
        ({"PUBWEAVE_CASSANDRA_CA": "", "PUBWEAVE_START_PATIENCE": "0"}, ("tables", "apply")),
    ],
    ids=["kafka's password", "kafka's certificate", "cassandra's password", "cassandra's certificate"],
)
def test_who_may_not_is_told_in_one_sentence(
    environment: dict[str, str], changed: dict[str, str], words: tuple[str, ...]
) -> None:
    """And never with the password."""
    ran = pubweave({**environment, **changed}, *words)

    assert ran.returncode in (1, 2)
    assert ran.stderr.splitlines()[-1].startswith("pubweave: ")
    assert "Traceback" not in ran.stderr
    assert "wrong" not in ran.stderr
