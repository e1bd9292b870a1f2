"""explain, status, db, settings, version: what they print and how they refuse."""

import asyncio
import json
from pathlib import Path

import pytest

from pubweave.adapters.sqlite import SqliteStorage
from pubweave.version import VERSION
from services.cli.conftest import Cli
from simnet.fixture import Running

KNOWN = ["pmid", "pmcid", "doi", "title", "keywords", "mesh", "efo", "go", "theAbstract", "fulltext"]


@pytest.fixture
def filled(cli: Cli, some_ids: Path) -> str:
    """A database with twelve publications; an identifier that is in it and has a title."""
    found = json.loads(cli("fetch", "--ids", some_ids, "--format", "json", "-q").out)["publications"]
    return next(one["pmid"]["content"] for one in found if one["pmid"]["final"] and one["title"]["final"])


@pytest.mark.network
def test_explain_ends_with_the_value_of_the_record(cli: Cli, filled: str) -> None:
    """Demand 5: for each part, the rung that won is what the record has."""
    explanation = json.loads(cli("explain", filled, "--format", "json").out)
    ladders = {ladder["part"]: ladder["rungs"] for ladder in explanation["ladders"]}
    record = explanation["record"]

    there = [part for part in ("title", "theAbstract", "fulltext") if record.get(part, {}).get("size")]

    assert "title" in there
    for part in there:
        (winner,) = [rung for rung in ladders[part] if rung["wins"]]

        assert record[part]["text"].startswith(winner["excerpt"])
        assert record[part]["url"] == winner["url"]
        assert winner["rule"].startswith("F-")


@pytest.mark.network
def test_explain_tells_it_to_people(cli: Cli, filled: str) -> None:
    """The ladder of one part with its rule, and what was asked with which answer; however it is spelled."""
    ran = cli("explain", f"pmid:{filled}", "TITLE")

    assert ran.status == 0
    assert "Title\n" in ran.out
    assert "✔ " in ran.out
    assert "F-FILL-03: nothing was there" in ran.out
    assert "What was asked" in ran.out
    assert "MeSH terms\n" not in ran.out


@pytest.mark.network
@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("999999999",), 1, "`pubweave fetch 999999999` fetches it"),
        (("foo",), 1, "no PMID, PMCID or DOI, and no key"),
        (("1", "tilte"), 2, "did you mean title?"),
        (("1", "--db", "no.db"), 2, "no.db"),
    ],
)
def test_explain_refuses_in_one_sentence(
    cli: Cli, filled: str, arguments: tuple[str, ...], status: int, words: str
) -> None:
    ran = cli("explain", *arguments)

    assert (ran.status, ran.out) == (status, "")
    assert words in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.network
def test_status_adds_up(cli: Cli, net: Running, filled: str) -> None:
    """Every line and every need has one outcome; the requests are those the other side has seen."""
    counted = json.loads(cli("status", "--format", "json").out)

    assert counted["reconciled"]
    assert sum(counted["submissions"].values()) == 12
    for by_outcome in counted["needs"].values():
        assert by_outcome.pop("sent") == sum(by_outcome.values())
    seen = sum(sum(by_outcome.values()) for by_outcome in counted["attempts"].values())

    # A redirect is followed within the attempt; only the DOI resolver's is an answer of its own.
    followed = [one for one in net.log.entries if one.status == 302 and one.resource != "doi"]

    assert seen == net.log.summary()["requests"] - len(followed)

    shown = cli("status").out

    assert "The numbers add up" in shown
    assert "Questions to sources" in shown


@pytest.mark.parametrize("many", [3, 14])
def test_no_outcome_is_cut_off_however_many_there_are(many: int) -> None:
    """Side by side where they fit on a usual screen, in words where they do not; every count is there."""
    from io import StringIO

    from rich.console import Console

    from pubweave.cli.commands.status.command import _table

    words = [f"outcome-{number}" for number in range(many)]
    console = Console(width=80, file=StringIO())
    console.print(_table("Questions", {"DOI page": {"sent": 500, **dict.fromkeys(words, 7)}}))
    shown = console.file.getvalue()  # type: ignore[attr-defined]

    assert "…" not in shown
    assert "500" in shown
    assert shown.count("7") >= many
    assert all(word in shown for word in words)


@pytest.mark.network
def test_map_leads_every_identifier_to_a_primary_one(cli: Cli, filled: str) -> None:
    """F-CLI-26, F-CLI-27: both directions hold the same identifiers; PMID is preferred (F-DB-02)."""
    pairs = [line.split(" -> ") for line in cli("db", "map").out.splitlines()]
    reverse = cli("db", "map", "--reverse").out.splitlines()

    assert [filled, filled] in pairs
    assert {primary for _, primary in pairs} == {line.split(" -> ")[0] for line in reverse}
    for identifier, primary in pairs:
        (line,) = [line for line in reverse if line.startswith(f"{primary} -> ")]

        assert f"{identifier} (" in line


@pytest.mark.network
def test_sizes_are_counted(cli: Cli, filled: str) -> None:
    """F-CLI-23 to F-CLI-25."""
    assert cli("db", "size", "pubweave.db", "--publications").out == "12\n"
    assert cli("db", "size", "--webpages").out == "0\n"
    assert cli("db", "size", "--docs").out == "0\n"
    assert cli("db", "size").out.startswith("publications : 12\nwebpages : 0\ndocs : 0\nbytes : ")


@pytest.mark.network
def test_a_database_survives_its_care(cli: Cli, filled: str) -> None:
    assert cli("db", "commit").status == 0
    assert cli("db", "compact").status == 0
    assert cli("db", "size", "--publications").out == "12\n"


def test_init_makes_a_database_once(cli: Cli) -> None:
    """F-CLI-20: an error if it exists."""
    assert cli("db", "init", "new.db").status == 0
    assert cli("db", "size", "--db", "new.db", "--publications").out == "0\n"

    again = cli("db", "init", "new.db")

    assert (again.status, again.err) == (2, "pubweave: new.db exists already\n")


@pytest.mark.parametrize("command", ["size", "map", "commit", "compact"])
def test_only_init_and_fetch_make_databases(cli: Cli, command: str) -> None:
    """F-DB-16."""
    ran = cli("db", command, "nowhere.db")

    assert ran.status == 2
    assert "nowhere.db" in ran.err
    assert not Path("nowhere.db").exists()
    assert cli("status").status == 2
    assert cli("explain", "1").status == 2


@pytest.mark.network
def test_a_database_can_be_read_while_another_writes_it(cli: Cli, filled: str) -> None:
    """`status` and `explain` work beside a running fetch; a second writer is refused with a sentence."""
    storage = SqliteStorage.open("pubweave.db", create=False)
    try:
        assert cli("status").status == 0
        assert cli("explain", filled, "title").status == 0

        second = cli("fetch", filled)

        assert second.status == 2
        assert second.err.count("\n") == 1
    finally:
        asyncio.run(storage.close())


def test_settings_say_value_and_origin(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Option before environment before file before default; secrets are masked."""
    Path("pubweave.toml").write_text('timeout = 1\nretry_limit = 1\ntool = "loom"\n')
    monkeypatch.setenv("PUBWEAVE_TIMEOUT", "2")
    monkeypatch.setenv("PUBWEAVE_RETRY_LIMIT", "2")
    monkeypatch.setenv("PUBWEAVE_NCBI_API_KEY", "s3cr3t")
    ran = cli("settings", "--format", "json", "--timeout", "3")
    listed = {setting["id"]: (setting["value"], setting["origin"]) for setting in json.loads(ran.out)}

    assert listed["timeout"] == (3, "--timeout")
    assert listed["retry_limit"] == (2, "PUBWEAVE_RETRY_LIMIT")
    assert listed["tool"] == ("loom", "pubweave.toml")
    assert listed["in_flight"] == (200, "default")
    assert listed["ncbi_api_key"] == ("***", "PUBWEAVE_NCBI_API_KEY")
    assert "s3cr3t" not in cli("settings").out


def test_settings_know_their_names_in_every_spelling(cli: Cli) -> None:
    for spelling in ("empty_cooldown", "empty-cooldown", "emptyCooldown", "PUBWEAVE_EMPTY_COOLDOWN"):
        assert "720 minutes" in cli("settings", spelling).out

    assert "did you mean timeout?" in cli("settings", "timeot").err


def test_legacy_spellings_are_options_too(cli: Cli) -> None:
    """`--emptyCooldown` works and stays out of the help."""
    assert "5 minutes" in cli("settings", "--emptyCooldown", "5", "empty_cooldown").out
    assert "--emptyCooldown" not in cli("fetch", "--help").out


def test_version_is_said(cli: Cli) -> None:
    assert cli("version").out == cli("--version").out == f"pubweave {VERSION}\n"
