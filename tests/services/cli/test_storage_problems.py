"""Where a database, Kafka or Cassandra cannot be used, every command says so in one sentence with exit status 2; what is
spelled as PubFetcher's ends with its own 1."""

import pytest

from services.cli.conftest import Cli

NOBODY = "127.0.0.1:1"
"""No service may listen there."""
CLUSTER = f"cassandra://{NOBODY}/library"

COMMANDS = (
    ["db", "size", "none.db"],
    ["db", "get", "none.db", "1"],
    ["db", "remove", "none.db", "1"],
    ["export", "none.db"],
    ["report", "part-table", "--db", "none.db"],
    ["status", "--db", "none.db"],
    ["explain", "1", "--db", "none.db"],
    ["pipe", "--pub-db", "none.db", "--count"],
    ["db", "size", CLUSTER],
    ["db", "remove", CLUSTER, "1"],
    ["db", "erase", CLUSTER, "1"],
    ["export", CLUSTER],
    ["pipe", "--pub-db", CLUSTER, "--count"],
    ["submit", "1", "--kafka", NOBODY],
    ["follow", "--kafka", NOBODY],
    ["dead-letters", "list", "--kafka", NOBODY],
    ["topics", "check", "--kafka", NOBODY],
    ["tables", "apply", "--cassandra", NOBODY, "--start-patience", "0"],
    ["rebuild", "--kafka", NOBODY, "--cassandra", NOBODY],
)


@pytest.mark.network
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_storage_that_cannot_be_used_ends_with_2(cli: Cli, words: list[str]) -> None:
    ran = cli(*words)

    assert (ran.status, ran.out) == (2, ""), ran.err
    assert ran.err.splitlines()[-1].startswith("pubweave: ")
    assert "Traceback" not in ran.err


@pytest.mark.network
@pytest.mark.parametrize("base", ["none.db", CLUSTER])
def test_the_legacy_spelling_ends_with_1(cli: Cli, base: str) -> None:
    ran = cli("-pub-db", base, "-count")

    assert ran.status == 1
    assert ran.err.count("\n") == 1
