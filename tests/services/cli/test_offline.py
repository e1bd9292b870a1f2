"""Without a network: no fetch is counted, the command ends early and says what to look at, and the next one asks again."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from services.cli.conftest import Cli, Ran
from simnet.fixture import Running

pytestmark = pytest.mark.network

SENTENCE = "No source could be reached: look at the network and at the proxy settings"
PROXIES = ("http://127.0.0.1:9", "http://proxy.invalid:3128")
"""Nobody listens there; nobody has that name."""


@pytest.fixture(params=PROXIES)
def no_proxy(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def offline(monkeypatch: pytest.MonkeyPatch, net: Running, proxy: str) -> None:
    for name in net.environment:
        if name.upper().endswith("_PROXY"):
            monkeypatch.setenv(name, proxy)


def online(monkeypatch: pytest.MonkeyPatch, net: Running) -> None:
    for name, value in net.environment.items():
        monkeypatch.setenv(name, value)


def records(ran: Ran) -> list[dict[str, Any]]:
    return [json.loads(line) for line in ran.out.splitlines()]


def outcomes(ran: Ran) -> list[tuple[int, str]]:
    submissions = [record["pubweave"]["submission"] for record in records(ran)]
    return sorted((one["line"], one["outcome"]) for one in submissions)


def attempts() -> int:
    with closing(sqlite3.connect("pubweave.db")) as database:
        return int(database.execute("SELECT count(*) FROM attempt").fetchone()[0])


def test_four_attempts_without_a_network_lock_nothing(
    cli: Cli, net: Running, some_ids: Path, monkeypatch: pytest.MonkeyPatch, no_proxy: str
) -> None:
    command = ["fetch", "--ids", str(some_ids), "--format", "jsonl"]
    whole = outcomes(cli(*command, "--db", "whole.db"))
    offline(monkeypatch, net, no_proxy)
    for _ in range(4):
        ran = cli(*command)

        assert ran.status == 1
        assert ran.err.count(SENTENCE) == 1
        assert "pubweave doctor" in ran.err
        assert "good enough" not in ran.err
        assert "(0 publications)" in ran.err
        assert {outcome for _, outcome in outcomes(ran)} == {"parked"}
        assert all(record["retryCounter"] == 0 for record in records(ran))
    stood = json.loads(cli("status", "--format", "json").out)
    assert stood["reconciled"], stood["differences"]
    assert stood["publications"] == 0
    assert stood["submissions"] == {"parked": 4 * 12}

    online(monkeypatch, net)
    ran = cli(*command)

    assert ran.status == 0
    assert outcomes(ran) == whole
    assert "left out" not in ran.err
    assert all(record["retryCounter"] == 0 for record in records(ran))


def test_hundreds_of_identifiers_cost_a_few_requests(
    cli: Cli, net: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_proxy: str
) -> None:
    """It does not go on through all sources for each of them; lines that it did not come to are counted."""
    file = tmp_path / "many.txt"
    file.write_text("".join(f"{number}\n" for number in range(30_000_000, 30_001_000)))
    offline(monkeypatch, net, no_proxy)

    ran = cli("fetch", "--ids", file, "--in-flight", "200", "--format", "jsonl")

    assert ran.status == 1
    assert ran.err.count(SENTENCE) == 1
    assert "more were not asked for" in ran.err
    assert attempts() < 50


def test_what_is_stored_stays_as_it_is(
    cli: Cli, net: Running, some_ids: Path, monkeypatch: pytest.MonkeyPatch, no_proxy: str
) -> None:
    """Fetched again without a network: records, counters and times are the same afterwards, to the byte."""
    cli("fetch", "--ids", some_ids, "-q")
    before = cli("export", "pubweave.db", "--format", "jsonl").out
    offline(monkeypatch, net, no_proxy)

    ran = cli("fetch", "--ids", some_ids, "--non-final-cooldown", "0", "--format", "jsonl")

    assert ran.status == 1
    assert SENTENCE in ran.err
    assert cli("export", "pubweave.db", "--format", "jsonl").out == before


def test_a_source_that_is_down_among_others_is_counted(cli: Cli, net: Running) -> None:
    """Only a fetch in which nobody was reached is none: an unknown one counts, and is left out the next time."""
    first = cli("fetch", "49999999", "--format", "jsonl")
    again = cli("fetch", "49999999", "--format", "jsonl", "--retry-limit", "0")
    net.reset()
    now = cli("fetch", "49999999", "--format", "jsonl", "--retry-limit", "-1")

    assert outcomes(first) == outcomes(again) == outcomes(now) == [(1, "known-nowhere")]
    assert records(first)[0]["fetchTime"] > 0
    assert "1 that lacks something was left out (cooldown, retry limit): asked again from 20" in again.err
    assert "--retry-limit -1 asks now" in again.err
    assert "not asked again before 20" in records(again)[0]["pubweave"]["submission"]["note"]
    assert "good enough" not in again.err
    assert records(now)[0]["retryCounter"] == 1
    assert net.log.asks()


def test_pages_without_a_network_are_no_fetch(
    cli: Cli, net: Running, monkeypatch: pytest.MonkeyPatch, no_proxy: str
) -> None:
    url = next(f"https://doi.org/{ids.doi}" for ids in net.universe.submissions(60) if ids.doi)
    offline(monkeypatch, net, no_proxy)
    for _ in range(5):
        ran = cli("page", url, "--format", "jsonl")
        assert ran.status == 1
        assert ran.err.count(SENTENCE) == 1
        assert (records(ran)[0]["fetchTime"], records(ran)[0]["retryCounter"]) == (0, 0)
    online(monkeypatch, net)
    ran = cli("page", url, "--format", "jsonl")

    assert "nothing was asked" not in ran.err
    assert records(ran)[0]["fetchTime"] > 0
    assert records(ran)[0]["retryCounter"] == 0


@pytest.mark.parametrize("command", [["pipe", "--pub", "49999998"], ["-pub", "49999998"]])
def test_the_pipeline_says_it_too(
    cli: Cli, net: Running, monkeypatch: pytest.MonkeyPatch, command: list[str], no_proxy: str
) -> None:
    """In both spellings; the status says that it is not finished."""
    modern = command[0] == "pipe"
    cli("db", "init", "some.db")
    offline(monkeypatch, net, no_proxy)

    ran = cli(*command, "--db-fetch-end" if modern else "-db-fetch-end", "some.db")

    assert ran.status == 1
    assert ran.err.count(SENTENCE) == 1
