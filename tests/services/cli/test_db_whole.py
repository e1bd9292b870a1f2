"""`pubweave db import | merge | dump`: many entries in one go (F-DB-11…13, F-DB-19, F-EX-08)."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from pubweave.contract.values import CorrespAuthor, MeshTerm, MinedTerm, Thresholds, VisitedSite
from pubweave.core.record import Part, Record
from pubweave.core.webpage_record import WebpageRecord
from pubweave.output.publication import publication_object
from pubweave.output.webpage import webpage_object
from services.cli.conftest import Cli

LONG = "A long text about looms. " * 400


def text(value: str, type_: Any = "europepmc") -> Part:
    return Part(type=type_, url="https://x.example/", timestamp=17, size=len(value), text=value)


def record(title: str, **ids: str) -> Record:
    parts: dict[str, Any] = {kind: text(value) for kind, value in ids.items()}
    return Record("", fetch_time=5, title=text(title), **parts)


RICH = Record(
    "",
    fetch_time=1_535_000_000_123,
    retry_counter=3,
    fetch_exception=True,
    oa=True,
    journal_title="Loom Letters",
    pub_date=1_500_000_000_000,
    citations_count=12,
    citations_timestamp=1_534_000_000_000,
    corresp_author=(CorrespAuthor("A. Weaver", "0000-0001", "a@loom.example", "1", "https://a.example/"),),
    visited_sites=(
        VisitedSite(url="https://x.example/", type="link", from_="https://y.example/", timestamp=4),
    ),
    pmid=text("31092905"),
    pmcid=text("PMC6519000", "pmc_xml"),
    doi=text("10.1/LOOM", "external"),
    title=text("Weaving"),
    keywords=Part(type="pubmed_xml", url="u", timestamp=1, size=1, words=("loom",)),
    mesh=Part(
        type="pubmed_xml",
        url="u",
        timestamp=1,
        size=1,
        mesh=(MeshTerm(term="Looms", majorTopic=True, uniqueId="D1"),),
    ),
    efo=Part(
        type="europepmc",
        url="u",
        timestamp=1,
        size=1,
        terms=(MinedTerm(term="yarn", count=2, uri="http://e.example/1"),),
    ),
    theAbstract=text("About weaving, at some length."),
    fulltext=text(LONG, "europepmc_xml"),
)
PAGE = WebpageRecord(
    "https://t.example/",
    "https://t.example/home",
    "text/html",
    200,
    "Tool",
    LONG,
    content_time=7,
    license="MIT",
    language="C",
    fetch_time=5,
    retry_counter=2,
    fetch_exception=True,
)


def export_of(*, publications: list[Record], webpages: int = 0, docs: int = 0) -> dict[str, Any]:
    """A document as PubFetcher writes it: without what only Pubweave knows."""
    elements = [publication_object(one, Thresholds()) for one in publications]
    pages = [
        webpage_object(PAGE, Thresholds()) | {"startUrl": f"https://t.example/{number or ''}"}
        for number in range(max(webpages, docs))
    ]
    for element in [*elements, *pages]:
        element.pop("pubweave", None)
    return {
        "version": {"name": "PubFetcher-CLI", "url": "https://example.org", "version": "1.0.1"},
        "argv": ["-db", "old.db", "-out", "--format", "json"],
        "publications": elements,
        "webpages": pages[:webpages],
        "docs": pages[:docs],
    }


def written(name: str, document: dict[str, Any]) -> str:
    Path(name).write_text(json.dumps(document, indent=2))
    return name


def without_own(document: dict[str, Any]) -> dict[str, Any]:
    """The lists of a document, by what PubFetcher knows too."""
    lists: dict[str, Any] = {name: document[name] for name in ("publications", "webpages", "docs")}
    for elements in lists.values():
        for element in elements:
            element.pop("pubweave", None)
    return lists


def without_envelopes(document: dict[str, Any]) -> dict[str, Any]:
    """The lists of a document, without what each database says for itself: keys and versions of records."""
    for element in document["publications"]:
        for name in ("publication", "version", "reason"):
            element["pubweave"].pop(name, None)
    return {name: document[name] for name in ("publications", "webpages", "docs")}


@pytest.fixture
def base(cli: Cli) -> str:
    assert cli("db", "init", "base.db").status == 0
    return "base.db"


def test_an_export_of_pubfetcher_comes_over_whole(cli: Cli, base: str) -> None:
    """Every content, type, time, counter and field, of all three kinds: dumped again it is the same."""
    document = export_of(publications=[RICH, record("Other", doi="10.1/OTHER")], webpages=2, docs=1)
    told = cli("db", "import", base, written("old.json", document), "--quiet")

    assert (told.status, told.err) == (0, "2 publications, 2 web pages and 1 docs put into base.db\n")
    dumped = json.loads(cli("db", "dump", base).out)
    assert without_own(dumped) == without_own(document)


OF_PUBFETCHER = Path(__file__).with_name("pubfetcher_export.json")
"""All three kinds as `-out-ids -out --format json` writes them, laid out as its JSON library does; written by hand."""


@pytest.mark.parametrize("way", [("db", "dump"), ("export",), ("pipe",)])
def test_a_file_as_pubfetcher_writes_it_comes_over_and_goes_out_the_same(
    cli: Cli, base: str, way: tuple[str, ...]
) -> None:
    """Fields of its newer versions are known, nulls are nothing, lists of identifiers are passed over; flags computed
    anew are those that it computed."""
    told = cli("db", "import", base, OF_PUBFETCHER, "--quiet")
    given = json.loads(OF_PUBFETCHER.read_text())
    out = (
        cli(*way, base, *(["--format", "json"] if way == ("export",) else []))
        if way != ("pipe",)
        else cli("pipe", "--pub-db", base, "--web-db", base, "--doc-db", base, "--db", base, "--out-ids", "--out",
                 "--format", "json")
    )  # fmt: skip
    found = json.loads(out.out)

    assert (told.status, told.err) == (0, "2 publications, 2 web pages and 1 docs put into base.db\n")
    assert [one["pubweave"]["preprint"] for one in found["publications"]] == [
        one.pop("preprint") for one in given["publications"]
    ]
    given["webpages"][1]["contentType"] = ""
    assert sorted(one["startUrl"] for one in found["webpages"]) == sorted(given["webpageUrls"])
    found["webpages"].sort(key=lambda one: str(one["startUrl"]), reverse=True)
    assert without_own(found) == without_own(given)
    assert [list(one) for one in found["publications"]] == [list(one) for one in given["publications"]]
    if way == ("pipe",):
        assert found["publicationIds"] == given["publicationIds"]


def test_what_was_dumped_is_imported_and_dumped_the_same(cli: Cli, base: str) -> None:
    """Also what only Pubweave knows."""
    cli("db", "import", base, written("old.json", export_of(publications=[RICH], webpages=1, docs=1)))
    assert cli("db", "dump", base, "--out", "whole.json").status == 0
    cli("db", "init", "second.db")
    assert cli("db", "import", "second.db", "whole.json").err.startswith(
        "1 publications, 1 web pages and 1 docs"
    )

    again = json.loads(cli("db", "dump", "second.db").out)
    first = json.loads(Path("whole.json").read_text())
    assert without_envelopes(again) == without_envelopes(first)


def test_publications_that_are_one_become_one(cli: Cli, base: str) -> None:
    """F-DB-12: the same as by `db put`, in the order of the file; each that went is told."""
    records = [record("A", pmid="1"), record("B", doi="10.1/X"), record("C", pmid="1", doi="10.1/X")]
    told = cli("db", "import", base, written("old.json", export_of(publications=records)))

    assert told.status == 0
    assert "one publication by the identifiers put" in told.err
    assert cli("db", "size", base, "--publications").out == "1\n"


@pytest.mark.parametrize("damage", ["cut", "bad entry"])
def test_nothing_is_half_imported(cli: Cli, base: str, damage: str) -> None:
    """A file that ends in the middle, or with an entry that is none: the database is as it was."""
    document = export_of(publications=[record("A", pmid="1"), record("B", pmid="2")], webpages=1)
    if damage == "bad entry":
        del document["publications"][1]["retryCounter"]
    body = json.dumps(document)
    Path("old.json").write_text(body[:-20] if damage == "cut" else body)
    told = cli("db", "import", base, "old.json")

    assert told.status == 2
    assert "old.json: " in told.err
    assert told.err.endswith("; nothing was put\n")
    assert cli("db", "size", base).out.startswith("publications : 0\nwebpages : 0\ndocs : 0\n")


def test_entries_that_cannot_be_put_can_be_left_out(cli: Cli, base: str) -> None:
    """`--skip`: each is told with its place and reason, all others come over, and the exit status says so."""
    document = export_of(
        publications=[
            record("A", pmid="1"),
            record("B", pmid="2"),
            record("No identifier"),
            record("D", pmid="4"),
        ],
        webpages=2,
    )
    document["publications"][1]["pmid"]["content"] = "x2"
    del document["webpages"][0]["license"]
    told = cli("db", "import", base, written("old.json", document), "--skip", "--quiet")

    assert told.status == 1
    assert told.err.splitlines()[0] == "publication 2: x2 is no PMID"
    assert "the publication with the title 'No identifier': a publication needs a PMID, a PMCID" in told.err
    assert "web page 1: Object missing required field `license`" in told.err
    assert told.err.endswith("2 publications, 1 web pages and 0 docs put into base.db; 3 left out\n")
    assert cli("db", "size", base).out.startswith("publications : 2\nwebpages : 1\ndocs : 0\n")


def test_what_is_there_can_be_left_alone(cli: Cli, base: str) -> None:
    """`--keep`: only what is new comes in; without it what comes takes the place of what was there."""
    cli("db", "import", base, written("a.json", export_of(publications=[record("Old", pmid="1")], docs=1)))
    newer = export_of(publications=[record("New", pmid="1"), record("Third", pmid="3")], docs=2)
    told = cli("db", "import", base, written("b.json", newer), "--keep")

    assert told.err.endswith(
        "1 publications, 0 web pages and 1 docs put into base.db; 2 that were there already left as they were\n"
    )
    assert json.loads(cli("db", "get", base, "1").out)["title"]["content"] == "Old"
    cli("db", "import", base, "b.json")
    assert json.loads(cli("db", "get", base, "1").out)["title"]["content"] == "New"


def test_two_databases_become_one(cli: Cli, base: str) -> None:
    """F-EX-08: what was fetched into a fresh database goes into the main one, long texts and all."""
    cli("db", "import", base, written("a.json", export_of(publications=[record("Main", pmid="1")])))
    cli("db", "init", "fresh.db")
    fresh = export_of(publications=[RICH, record("Newer", pmid="1")], webpages=1, docs=1)
    cli("db", "import", "fresh.db", written("b.json", fresh))
    told = cli("db", "merge", base, "fresh.db")

    assert (told.status, told.err) == (0, "2 publications, 1 web pages and 1 docs put into base.db\n")
    assert cli("db", "size", base, "--publications").out == "2\n"
    merged, fresh = (json.loads(cli("db", "dump", name).out) for name in (base, "fresh.db"))
    by_title = [without_envelopes(one)["publications"] for one in (merged, fresh)]
    assert sorted(by_title[0], key=str) == sorted(by_title[1], key=str)
    assert [merged[name] for name in ("webpages", "docs")] == [fresh[name] for name in ("webpages", "docs")]


def test_a_database_is_not_merged_into_itself(cli: Cli, base: str) -> None:
    told = cli("db", "merge", base, "./base.db")

    assert (told.status, "is the database itself" in told.err) == (2, True)


def test_pubfetchers_binary_file_has_a_sentence_of_its_own(cli: Cli, base: str) -> None:
    """It says what the file is and how its content comes over."""
    Path("old.db").write_bytes(b"\x4a\x01" + bytes(200))
    for arguments in (("merge", base, "old.db"), ("dump", "old.db"), ("size", "old.db")):
        told = cli("db", *arguments)

        assert told.status != 0
        assert "is a database of PubFetcher (MapDB)" in told.err
        assert "JSON export" in told.err


def test_there_must_be_a_database_to_import_into(cli: Cli) -> None:
    """F-DB-16: none is made by chance."""
    told = cli("db", "import", "none.db", written("a.json", export_of(publications=[])))

    assert told.status != 0
    assert "There is no database none.db" in told.err
    assert not Path("none.db").exists()


def test_an_older_database_is_brought_up_to_date_with_its_content(cli: Cli, base: str) -> None:
    """F-DB-19: a file of schema 1 is refused to a reader with what to do, and is whole after `db commit`."""
    cli("db", "import", base, written("a.json", export_of(publications=[RICH], webpages=1)))
    before = cli("db", "get", base, "31092905").out
    as_of_schema_1(Path(base))
    told = cli("db", "get", base, "31092905")

    assert told.status != 0
    assert "was written by an older Pubweave" in told.err
    assert cli("db", "commit", base).status == 0
    assert cli("db", "get", base, "31092905").out == before != ""
    assert cli("db", "size", base, "--webpages").out == "1\n"


def as_of_schema_1(path: Path) -> None:
    """What the first schema did not have is taken away."""
    with sqlite3.connect(path) as raw:
        raw.execute("DROP TABLE answer")
        raw.execute("UPDATE meta SET value = '1' WHERE name = 'schema-version'")
    raw.close()
