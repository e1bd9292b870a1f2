"""`pubweave report`: counts of a database as text, JSON and pages, and lists to act on."""

import asyncio
import csv
import json
from pathlib import Path

import pytest
from lxml import html

from output.records import full_page
from pubweave.adapters.sqlite import SqliteStorage
from pubweave.contract.vocabulary import TYPE_NAMES
from pubweave.core.types import OPTIONAL
from pubweave.core.webpage_record import encode_webpage
from pubweave.ports import StoredRecord
from services.cli.conftest import Cli
from services.cli.test_export import filled
from simnet.fixture import Running


@pytest.fixture
def library(tmp_path: Path) -> Path:
    path = filled(tmp_path / "library.db")

    async def add_pages() -> None:
        storage = SqliteStorage.open(path, create=False)
        page = encode_webpage(full_page())
        await storage.store.put_record(StoredRecord(full_page().start_url, 1, page), "webpage")
        await storage.close()

    asyncio.run(add_pages())
    return path


def test_the_part_table_is_csv(cli: Cli, library: Path) -> None:
    """T-111: 34 lines, the sums match."""
    ran = cli("report", library, "part-table")
    rows = list(csv.reader(ran.out.splitlines()))

    assert (ran.status, len(rows)) == (0, 34)
    assert [row[0] for row in rows[1:]] == [name for name in TYPE_NAMES if name not in OPTIONAL]
    assert sum(int(row[-1]) for row in rows[1:]) == 20


def test_top_hosts_as_text_and_json(cli: Cli, library: Path) -> None:
    """T-110; database and report may stand in either order."""
    shown = cli("report", "top-hosts", library, "--only", "publications")
    told = json.loads(cli("report", library, "top-hosts", "--format", "json").out)

    assert shown.out == "loom.example\t1\n"
    assert list(told) == ["version", "argv", "publicationTopHosts", "webpageTopHosts", "docTopHosts"]
    assert told["webpageTopHosts"] == [{"count": 1, "host": "loom.example"}]
    assert told["docTopHosts"] == []


def test_top_hosts_with_and_without_rules_are_all_hosts(cli: Cli, library: Path, tmp_path: Path) -> None:
    """F-TOP-03, with the user's own rules."""
    rules = tmp_path / "journals.yaml"
    rules.write_text("'loom\\.example/': loom\n---\nloom:\n  title: h1\n---\n")
    options = ("--only", "publications", "--journals-yaml", rules)
    with_rules = cli("report", library, "top-hosts", "--rules", "with", *options)
    without = cli("report", library, "top-hosts", "--rules", "without", *options)

    assert (with_rules.status, without.status) == (0, 0), with_rules.err
    assert (with_rules.out, without.out) == ("loom.example\t1\n", "")


@pytest.mark.parametrize("kind", ["top-hosts", "part-table", "completeness"])
def test_every_report_is_a_page_too(cli: Cli, library: Path, tmp_path: Path, kind: str) -> None:
    """To standard output or to a file, the same."""
    printed = cli("report", library, kind, "--format", "html")
    written = cli(
        "report", library, kind, "--html", tmp_path / "report.html", "--out", tmp_path / "report.txt"
    )

    assert (printed.status, written.status, written.out) == (0, 0, "")
    assert (tmp_path / "report.html").read_text() == printed.out
    assert (tmp_path / "report.txt").stat().st_size > 0
    assert html.document_fromstring(printed.out).xpath("//figure")


def test_completeness_tells_what_sources_said_and_lists_can_be_fetched_again(
    cli: Cli, net: Running, some_ids: Path, tmp_path: Path
) -> None:
    """The lists are input of fetch as they are; every missing part stands in the table, with its reason."""
    fetched = cli("fetch", "--ids", some_ids, "--out", "records.json", "--db", tmp_path / "x.db")
    stored = int(cli("db", "size", tmp_path / "x.db", "--publications").out)
    folder = tmp_path / "missing"
    ran = cli("report", tmp_path / "x.db", "completeness", "--format", "json", "--ids-to", folder)
    told = json.loads(ran.out)["completeness"]
    words = ("found", "short", "pending", "blocked", "failed", "ruleMissed", "absent", "notAsked")
    with (folder / "missing.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))

    assert fetched.status in (0, 1)
    assert told["publications"] == stored > 3
    assert [sum(part[word] for word in words) for part in told["parts"]] == [stored] * 10
    assert any(part["absent"] for part in told["parts"])
    assert sum(request["outcomes"].get("found", 0) for request in told["requests"]) > 0
    assert len(rows) == sum(part[word] for part in told["parts"] for word in words[1:])
    for list_ in folder.glob("*.tsv"):
        part, state, _ = list_.name.split(".")
        lines = [line for line in list_.read_text().splitlines() if not line.startswith("#")]
        (counted,) = [one for one in told["parts"] if one["part"] == part]

        assert len(lines) == counted["notAsked" if state == "not-asked" else state]
    some = next(iter(sorted(folder.glob("fulltext.*.tsv"))))

    assert cli("fetch", "--ids", some, "--db", tmp_path / "x.db", "--quiet").status in (0, 1)


def test_lists_of_an_earlier_report_do_not_stay(cli: Cli, library: Path, tmp_path: Path) -> None:
    folder = tmp_path / "missing"
    folder.mkdir()
    for name in ("fulltext.failed.tsv", "mine.tsv"):
        (folder / name).write_text("old")
    cli("report", library, "completeness", "--ids-to", folder)

    assert not (folder / "fulltext.failed.tsv").exists()
    assert (folder / "mine.tsv").exists()
    assert (folder / "fulltext.not-asked.tsv").read_text().splitlines()[1:] == ["\t\t10.5555/NOWHERE"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("top-host",), "did you mean top-hosts?"),
        ((), "which report? there are: top-hosts, part-table, completeness"),
        (("part-table", "completeness"), "one database, one report"),
        (("part-table", "--head", "3"), "--head is for top-hosts"),
        (("top-hosts", "--part", "title"), "--part is for completeness"),
        (("top-hosts", "--only", "pages"), "there is no 'pages'"),
        (("completeness", "--part", "abstrct"), "did you mean abstract?"),
        (("no.db", "part-table"), "no.db"),
    ],
)
def test_mistakes_are_one_sentence(cli: Cli, arguments: tuple[str, ...], words: str) -> None:
    ran = cli("report", *arguments)

    assert (ran.status, ran.out) == (2, "")
    assert words in ran.err
    assert ran.err.count("\n") == 1
