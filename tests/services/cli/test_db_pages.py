"""`pubweave db put | get | contains | remove | size` for web pages and docs (F-DB-01: their stores)."""

import json
from pathlib import Path
from typing import Any

import pytest

from pubweave.contract.values import Thresholds
from pubweave.core.webpage_record import WebpageRecord
from pubweave.output.webpage import webpage_object
from services.cli.conftest import Cli

URL = "https://tool.example/"


def page(title: str, url: str = URL) -> dict[str, Any]:
    record = WebpageRecord(url, url, "text/html", 200, title, "c" * 5000, content_time=7, fetch_time=5)
    return webpage_object(record, Thresholds())


@pytest.fixture
def base(cli: Cli) -> str:
    cli("db", "init", "base.db")
    return "base.db"


def put(cli: Cli, base: str, **lists: list[dict[str, Any]]) -> Any:
    Path("some.json").write_text(json.dumps({"version": {}, "argv": [], **lists}))
    return cli("db", "put", base, "some.json")


def test_a_page_that_was_put_comes_back_whole(cli: Cli, base: str) -> None:
    """The very object, long content and all; the same address as doc is another entry (F-DB-04)."""
    told = put(cli, base, webpages=[page("Web")], docs=[page("Doc")])

    assert (told.status, told.err) == (0, "2 put into base.db\n")
    assert json.loads(cli("db", "get", base, URL, "--webpages").out) == page("Web")
    assert json.loads(cli("db", "get", base, URL, "--docs").out) == page("Doc")
    assert cli("db", "size", base).out.startswith("publications : 0\nwebpages : 1\ndocs : 1\n")


def test_a_second_put_overwrites(cli: Cli, base: str) -> None:
    """F-CLI-251: equal addresses are overwritten."""
    put(cli, base, webpages=[page("Old")])
    put(cli, base, webpages=[page("New")])

    assert json.loads(cli("db", "get", base, URL, "--webpages").out)["title"] == "New"
    assert cli("db", "size", base, "--webpages").out == "1\n"


def test_removing_and_looking_for(cli: Cli, base: str) -> None:
    """A tombstone stays where the page was; what is not there is named, with exit status 1."""
    put(cli, base, webpages=[page("A"), page("B", f"{URL}b")])

    assert cli("db", "contains", base, URL, f"{URL}b", "--webpages").out == "true\n"
    assert cli("db", "contains", base, URL, "--docs").out == "false\n"
    assert cli("db", "remove", base, URL, "--webpages").err == "1 removed from base.db\n"
    assert cli("db", "contains", base, URL, f"{URL}b", "--webpages").out == "false\n"
    again = cli("db", "remove", base, URL, "--webpages")
    assert again.status == 1
    assert f"webpage {URL} is not in the database" in again.err
    assert cli("db", "get", base, URL, "--webpages").status == 1


def test_json_lines_are_put_as_what_is_said(cli: Cli, base: str) -> None:
    """Lines do not say whether they are web pages or docs."""
    Path("some.jsonl").write_text("\n".join(json.dumps(page(f"{n}", f"{URL}{n}")) for n in range(3)))

    assert cli("db", "put", base, "some.jsonl", "--docs").status == 0
    assert cli("db", "size", base, "--docs").out == "3\n"
    assert cli("db", "size", base, "--webpages").out == "0\n"


def test_what_get_prints_can_be_put(cli: Cli, base: str) -> None:
    """One object over many lines."""
    put(cli, base, webpages=[page("Web")])
    Path("one.json").write_text(cli("db", "get", base, URL, "--webpages").out)

    assert cli("db", "put", base, "one.json", "--docs").status == 0
    assert json.loads(cli("db", "get", base, URL, "--docs").out) == page("Web")


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"webpages": [{"startUrl": URL}]}, "web page 1: "),
        ({"webpages": [], "docs": [{**page("x"), "startUrl": " "}]}, "doc 1: it has no startUrl"),
    ],
)
def test_what_cannot_be_put_is_named_and_nothing_is(cli: Cli, base: str, document: Any, words: str) -> None:
    """Everything or nothing."""
    told = put(cli, base, **document)

    assert told.status == 2
    assert words in told.err
    assert cli("db", "size", base, "--docs").out == "0\n"


def test_an_export_fills_another_database(cli: Cli, base: str) -> None:
    """F-JSON-13: a whole database through JSON."""
    put(cli, base, webpages=[page("Web")], docs=[page("Doc")])
    cli("export", base, "--format", "json", "--out", "all.json")
    cli("db", "init", "other.db")
    told = cli("db", "put", "other.db", "all.json")
    cli("export", "other.db", "--format", "json", "--out", "again.json")
    first, second = (json.loads(Path(name).read_text()) for name in ("all.json", "again.json"))

    assert told.status == 0
    assert first["webpages"] == second["webpages"] == [page("Web")]
    assert first["docs"] == second["docs"] == [page("Doc")]
