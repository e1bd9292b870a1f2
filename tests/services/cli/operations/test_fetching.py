"""The ways of getting content that ask the sources (17.6; T-040, T-092, T-093, T-095, T-101)."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from pubweave.adapters.clock import SystemClock
from pubweave.adapters.sqlite import SqliteStorage
from pubweave.core.record import Part, Record
from pubweave.runtimes.embedded.database import RecordStore
from pubweave.version import IDENTIFICATION
from services.cli.conftest import Cli
from simnet.faults import Fault
from simnet.fixture import Running

SHOWN = ("--out", "--out-part", "pmid", "pmcid", "doi", "--plain")


def out(cli: Cli, *arguments: object) -> str:
    ran = cli(*arguments)
    assert ran.status == 0, ran.err
    return ran.out


def stored(cli: Cli, database: str) -> list[dict[str, Any]]:
    found = out(cli, "pipe", "--pub-db", database, "--db", database, "--out", "--format", "json")
    publications: list[dict[str, Any]] = json.loads(found)["publications"]
    return publications


def asked(net: Running) -> int:
    return sum(net.log.asks().values()) if isinstance(net.log.asks(), dict) else len(net.log.asks())


@pytest.fixture
def ids(some_ids: Path, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Twelve publications; only the quick sources are asked for them."""
    monkeypatch.setenv("PUBWEAVE_RESOURCES", "europepmc,europepmc_fulltext,europepmc_mined,pubmed_xml,pmc")
    return ["pipe", "--pub-file", some_ids]


def test_fetch_stores_nothing(cli: Cli, net: Running, ids: list[object]) -> None:
    """F-CLI-111."""
    printed = out(cli, *ids, "--fetch", *SHOWN).splitlines()

    assert len(printed) == 12
    assert asked(net) > 0
    assert [path.name for path in Path().iterdir()] == []


def test_fetch_put_overwrites_whatever_is_there_and_ignores_filters(
    cli: Cli, net: Running, ids: list[object]
) -> None:
    """F-CLI-112, F-CLI-117."""
    cli("db", "init", "a.db")
    assert out(cli, *ids, "--fetch-put", "a.db", "--oa", "--not-oa", "--count") == "publications : 0\n"
    first = stored(cli, "a.db")
    net.reset()
    out(cli, *ids, "--fetch-put", "a.db")
    again = stored(cli, "a.db")

    assert len(first) == len(again) == 12
    assert asked(net) > 0
    assert all(new["fetchTime"] > old["fetchTime"] for new, old in zip(again, first, strict=True))


def test_db_fetch_asks_only_for_what_is_not_there(cli: Cli, net: Running, ids: list[object]) -> None:
    """F-CLI-113: and what it stores does not depend on filters."""
    cli("db", "init", "a.db")
    first = out(cli, *ids, "--db-fetch", "a.db", "--retry-limit", "0", *SHOWN)
    net.reset()
    second = out(cli, *ids, "--db-fetch", "a.db", "--retry-limit", "0", "--final", *SHOWN)

    assert asked(net) == 0
    assert len(first.splitlines()) == len(stored(cli, "a.db")) == 12
    assert set(second.splitlines()) < set(first.splitlines())


def test_db_fetch_end_leaves_nothing_for_later_steps(cli: Cli, net: Running, ids: list[object]) -> None:
    """F-CLI-114, T-092."""
    cli("db", "init", "a.db")

    assert out(cli, *ids, "--db-fetch-end", "a.db", "--count") == "publications : 0\n"
    assert len(stored(cli, "a.db")) == 12


def test_all_ways_bring_the_same_publications(cli: Cli, net: Running, ids: list[object]) -> None:
    for name in ("a.db", "b.db", "c.db"):
        cli("db", "init", name)
    shown = ["--out", "--format", "json", "--plain"]
    fetched = json.loads(out(cli, *ids, "--fetch", *shown))["publications"]

    assert json.loads(out(cli, *ids, "--fetch-put", "a.db", *shown))["publications"] == fetched
    assert json.loads(out(cli, *ids, "--db-fetch", "b.db", *shown))["publications"] == fetched
    out(cli, *ids, "--db-fetch-end", "c.db")
    assert json.loads(out(cli, *ids, "--db", "c.db", *shown))["publications"] == fetched


def test_several_ways_append_their_results(cli: Cli, net: Running, ids: list[object]) -> None:
    """F-CLI-115."""
    cli("db", "init", "a.db")
    out(cli, *ids, "--db-fetch-end", "a.db")
    one = out(cli, *ids, "--db", "a.db", *SHOWN)

    assert out(cli, *ids, "--db", "a.db", "--db-fetch", "a.db", *SHOWN) == one + one


@pytest.mark.parametrize("threads", ["1", "16"])
def test_the_order_is_that_of_the_identifiers_whatever_the_threads(
    cli: Cli, net: Running, ids: list[object], threads: str
) -> None:
    """T-095, F-CLI-116."""
    given = [(one.pmid, one.pmcid, one.doi.upper()) for one in net.universe.submissions(12)]
    cli("db", "init", "a.db")
    printed = out(cli, *ids, "--db-fetch", "a.db", "--threads", threads, *SHOWN).splitlines()

    assert len(printed) == len(given)
    for (pmid, pmcid, doi), line in zip(given, printed, strict=True):
        found = line.split("\t")
        assert (
            (pmid and pmid == found[0])
            or (pmcid and pmcid == found[1])
            or (doi and doi == found[2])
            or not line.strip()
        )


def test_no_threads_are_refused(cli: Cli) -> None:
    ran = cli("pipe", "--pub", "1", "--fetch", "--threads", "0")

    assert (ran.status, ran.err) == (2, "pubweave: --threads must be at least 1\n")


def test_only_the_parts_asked_for_are_fetched(cli: Cli, net: Running, ids: list[object]) -> None:
    """F-CLI-120, F-CLI-121; identifiers always."""
    some = json.loads(out(cli, *ids, "--fetch", "--fetch-part", "title", "--out", "--format", "json"))
    but = json.loads(out(cli, *ids, "--fetch", "--not-fetch-part", "title", "--out", "--format", "json"))

    assert any(one["title"]["size"] for one in some["publications"])
    assert not any(
        one[part]["size"] for one in some["publications"] for part in ("abstract", "fulltext", "mesh")
    )
    assert not any(one["title"]["size"] for one in but["publications"])
    assert any(one["abstract"]["size"] for one in but["publications"])


def test_converting_identifiers_asks_little(cli: Cli, net: Running, ids: list[object]) -> None:
    """T-040."""
    parts = ["pmid", "pmcid", "doi"]
    out(cli, *ids, "--fetch", "--count")
    everything = asked(net)
    net.reset()
    printed = out(
        cli, *ids, "--fetch", "--fetch-part", *parts, "--out-part", *parts, "--plain", "--txt-pub", "f.tsv"
    )

    assert printed == ""
    assert all(line.count("\t") == 2 for line in Path("f.tsv").read_text().splitlines())
    assert 0 < asked(net) < everything


def test_limit_without_pre_filter_fetches_no_more(cli: Cli, net: Running, ids: list[object]) -> None:
    """T-094: exactly 3 are fetched; with --pre-filter as many as it takes."""
    cli("db", "init", "a.db")
    cli("db", "init", "b.db")
    without = out(cli, *ids, "--fetch-put", "a.db", "--limit", "3", "--oa", *SHOWN).splitlines()
    with_ = out(cli, *ids, "--fetch-put", "b.db", "--limit", "3", "--oa", "--pre-filter", *SHOWN).splitlines()

    assert len(stored(cli, "a.db")) == 3
    assert len(without) == sum(one["oa"] for one in stored(cli, "a.db"))
    assert len(with_) == 3
    assert len(stored(cli, "b.db")) > 3


def test_what_failed_gets_a_second_chance_at_the_end(cli: Cli, net: Running, ids: list[object]) -> None:
    """F-CAN-09: once more, in every way of fetching."""
    for way in (["--fetch"], ["--fetch-put", "a.db"], ["--db-fetch", "b.db"]):
        cli("db", "init", "a.db")
        cli("db", "init", "b.db")
        net.set_faults(Fault("500", "europepmc", 1.0, heals_after=1))
        out_ = out(cli, *ids, *way, "--not-fetch-exception", "--not-empty", "--count")
        net.set_faults()
        net.reset()
        assert int(out_.split(" : ")[1]) >= 10, way
        for name in ("a.db", "b.db"):
            Path(name).unlink()


def test_counting_citations_changes_nothing_else(cli: Cli, net: Running, ids: list[object]) -> None:
    """T-101: one question a publication at most, and only the two fields differ."""
    cli("db", "init", "a.db")
    out(cli, *ids, "--db-fetch-end", "a.db")
    before = stored(cli, "a.db")
    net.reset()
    printed = json.loads(
        out(
            cli,
            "pipe",
            "--pub-db",
            "a.db",
            "--db",
            "a.db",
            "--update-citations-count",
            "a.db",
            "--out",
            "--format",
            "json",
        )
    )["publications"]
    after = stored(cli, "a.db")
    resources = {ask[0] for ask in net.log.asks()}

    assert resources == {"europepmc"}
    fields = {"citationsCount", "citationsTimestamp", "citationsTimestampHuman", "pubweave"}
    for old, new, shown in zip(before, after, printed, strict=True):
        assert {name for name in old if old[name] != new[name]} <= fields
        assert shown["citationsTimestamp"] == new["citationsTimestamp"]
    assert any(
        new["citationsTimestamp"] > old["citationsTimestamp"] for old, new in zip(before, after, strict=True)
    )


def test_settings_hold_for_fetching(cli: Cli, net: Running, ids: list[object]) -> None:
    """F-CLI-09, in both spellings: a threshold decides what is usable."""
    strict = out(
        cli,
        *ids,
        "--fetch",
        "--usable",
        "--titleMinLength",
        "100000",
        "--keywords-min-size",
        "9999",
        "--minedTermsMinSize",
        "9999",
        "--abstractMinLength",
        "999999",
        "--fulltextMinLength",
        "9999999",
        "--count",
    )

    assert strict == "publications : 0\n"


def test_a_log_tells_the_filters(cli: Cli, net: Running, ids: list[object]) -> None:
    """F-LOG-08: before and after each filter; not with --pre-filter."""
    out(cli, *ids, "--fetch", "--oa", "--not-empty", "--log", "one.log")
    out(cli, *ids, "--fetch", "--oa", "--not-empty", "--pre-filter", "--log", "two.log")

    told = [line for line in Path("one.log").read_text().splitlines() if " left " in line]
    assert len(told) == 2
    assert "--oa: " in told[1] or "--oa: " in told[0]
    assert " of 12 publications left" in "".join(told)
    assert " left " not in Path("two.log").read_text()


def test_the_same_command_goes_on_with_its_own_job(cli: Cli, net: Running, ids: list[object]) -> None:
    """A job is named by its list and what is wanted: an interrupted command takes up its own lines only."""

    async def jobs() -> list[tuple[str, int]]:
        storage = SqliteStorage.open_reading("a.db")
        found = [(job.idempotency_key, job.lines) async for job in storage.store.jobs()]
        await storage.close()
        return found

    cli("db", "init", "a.db")
    for words in (["--threads", "3"], ["--threads", "5"], ["--fetch-part", "title"], ["--head-ids", "5"]):
        out(cli, *ids, "--db-fetch-end", "a.db", *words)
    keys = [key for key, _ in asyncio.run(jobs())]

    assert keys[0] == keys[1]
    assert len(set(keys)) == 3
    assert [lines for _, lines in asyncio.run(jobs())] == [12, 12, 12, 5]


async def _with_an_unknown(path: str) -> None:
    storage = SqliteStorage.open(Path(path), create=True)
    doi = Part(type="citation", url="https://old.example/page", timestamp=1, size=13, text="10.5555/NOBOD")
    await RecordStore(storage, SystemClock()).put(Record("", doi=doi))
    await storage.close()


def test_identifiers_from_a_database_keep_where_they_are_from(
    cli: Cli, net: Running, ids: list[object]
) -> None:
    """F-ID-21: also when they are fetched; typed ones are from the program itself."""
    asyncio.run(_with_an_unknown("a.db"))
    cli("db", "init", "b.db")
    shown = ["--out", "--format", "json", "--out-part", "doi"]
    from_database = [
        json.loads(out(cli, "pipe", "--pub-db", "a.db", *way, *shown))["publications"][0]["doi"]["url"]
        for way in (["--fetch"], ["--db-fetch", "b.db"])
    ]
    (typed,) = json.loads(out(cli, "pipe", "--pub", "10.5555/nobod", "--fetch", *shown))["publications"]

    assert from_database == ["https://old.example/page"] * 2
    assert typed["doi"]["url"] == IDENTIFICATION


@pytest.mark.parametrize("option", ["--put", "--remove", "--update-citations-count", "--remove-ids"])
def test_a_database_for_the_end_is_looked_for_before_anything_is_fetched(
    cli: Cli, net: Running, ids: list[object], option: str
) -> None:
    """F-DB-16: not after an hour of fetching."""
    ran = cli(*ids, "--fetch", option, "none.db")

    assert (ran.status, ran.out) == (2, "")
    assert "There is no database none.db" in ran.err
    assert asked(net) == 0


def test_quiet_says_nothing_but_errors(cli: Cli, net: Running, ids: list[object]) -> None:
    """Neither progress nor warnings; what comes out is the same."""
    Path("bad.tsv").write_text("5\t\t\nnonsense\n")
    said, silent = (cli(*ids, "--fetch", "--count", *more) for more in ([], ["--quiet"]))
    wrong = cli("--pub-file", "bad.tsv", "--count-ids", "--quiet")

    assert said.out == silent.out
    assert "Unpaywall is not asked" in said.err
    assert silent.err == ""
    assert (wrong.status, wrong.out) == (2, "publications : 1\n")
    assert "bad.tsv line 2" in wrong.err
