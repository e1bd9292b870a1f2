"""The pipeline over databases, without the network (17.3 to 17.13; T-006, T-007, T-089 to T-104)."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pubweave.cli.operations.selecting import FILTERS
from pubweave.cli.operations.table import BY_NAME
from pubweave.version import VERSION
from services.cli.conftest import Cli
from services.cli.operations.conftest import Library
from services.cli.operations.selecting import plain
from services.cli.operations.selecting.cases import VALUES


def out(cli: Cli, *arguments: object) -> str:
    ran = cli(*arguments)
    assert ran.status == 0, ran.err
    return ran.out


def triplet(entry: plain.Plain) -> str:
    return "\t".join(entry[name]["content"] for name in ("pmid", "pmcid", "doi"))


def lines(cli: Cli, *arguments: object) -> list[str]:
    return out(cli, *arguments).splitlines()


def counts(cli: Cli, *arguments: object) -> list[int]:
    """Publications, web pages, docs."""
    return [int(line.split(" : ")[1]) for line in lines(cli, *arguments, "--count")]


# Filters of content: each through the whole program (T-096 to T-099).


@pytest.mark.parametrize("name", sorted(FILTERS))
def test_each_filter_keeps_of_a_database_what_the_specification_says(
    cli: Cli, library: Library, name: str
) -> None:
    operation, positive = BY_NAME[name], name.removeprefix("not-")
    values, parts = VALUES.get(positive, []), ["title", "keywords"]
    words = [operation.spelling, *(parts if operation.argument == "part" else values)]
    if operation.companion:
        words += [f"--{operation.companion}", *parts]
    shown = json.loads(
        out(
            cli,
            *library.from_it,
            *words,
            "--out",
            "--format",
            "json",
            "--out-part",
            "pmid",
            "pmcid",
            "doi",
            "--plain",
        )
    )

    for member, entries, name_of in (
        ("publications", library.publications, triplet),
        ("webpages", library.webpages, lambda page: page["startUrl"]),
        ("docs", library.docs, lambda page: page["startUrl"]),
    ):
        expected = {name_of(one) for one in entries if plain.passes(name, one, values, parts)}
        found = [
            one["startUrl"] if "startUrl" in one else f"{one['pmid']}\t{one['pmcid']}\t{one['doi']}"
            for one in shown[member]
        ]
        assert set(found) == expected
        assert len(found) == len(expected)


def test_all_filters_must_hold(cli: Cli, library: Library) -> None:
    """F-CLI-12."""
    both = counts(cli, *library.from_it, "--oa", "--not-empty")

    assert both[0] == sum(one["oa"] and not plain.empty(one) for one in library.publications)


# Identifiers.


def id_filters() -> list[tuple[str, list[str]]]:
    values = {"regex": ["3"], "host": ["github.com", "WWW.x.org"], "word": ["1038"]}
    return [
        (one.name, values.get(one.argument, []))
        for one in BY_NAME.values()
        if one.stage == "filter-ids" and one.argument != "database" and not one.negates
    ]


def listed(cli: Cli, library: Library, *words: str) -> list[str]:
    base = str(library.path)
    return lines(cli, "pipe", "--pub-db", base, "--web-db", base, *words, "--out-ids", "--plain")


def _registrant(entry: plain.Plain) -> str:
    return str(entry["doi"]["content"])[3:].partition("/")[0]


ID_TESTS: dict[str, Any] = {
    **{
        f"has-{kind}": (lambda one, _, kind=kind: one[kind]["content"] != "")
        for kind in ("pmid", "pmcid", "doi")
    },
    **{
        kind: (lambda one, values, kind=kind: values[0] in one[kind]["content"])
        for kind in ("pmid", "pmcid", "doi")
    },
    **{
        f"{kind}-url": (lambda one, values, kind=kind: values[0] in one[kind]["url"])
        for kind in ("pmid", "pmcid", "doi")
    },
    "doi-registrant": lambda one, values: _registrant(one) in values,
    "url": lambda page, values: values[0] in page["startUrl"],
    "url-host": lambda page, values: plain.host(page["startUrl"]) in plain.hosts(values),
}


@pytest.mark.parametrize(("name", "values"), id_filters())
def test_each_identifier_filter_and_its_negation_partition_the_lists(
    cli: Cli, library: Library, name: str, values: list[str]
) -> None:
    """T-090."""
    values = ["EUTILS"] if name.endswith("-url") else values
    about_pages = name.startswith("url")
    kept = listed(cli, library, f"--{name}", *values)
    dropped = listed(cli, library, f"--not-{name}", *values)

    publications = {triplet(one) for one in library.publications}
    pages = {one["startUrl"] for one in library.webpages}
    concerned = pages if about_pages else publications
    expected = {
        (one["startUrl"] if about_pages else triplet(one))
        for one in (library.webpages if about_pages else library.publications)
        if ID_TESTS[name](one, values)
    }
    assert set(kept) & concerned == expected
    assert set(dropped) & concerned == concerned - expected
    assert expected
    assert concerned - expected
    untouched = publications if about_pages else pages
    assert untouched <= set(kept)
    assert untouched <= set(dropped)


def test_in_db_wants_every_identifier_of_a_publication(cli: Cli, library: Library) -> None:
    """F-CLI-82."""
    assert cli("db", "init", "other.db").status == 0
    known = "11\tPMC11\t10.1038/X.11"
    given = [known, "11\t\t10.9999/UNKNOWN", "999\t\t"]
    Path("ids.tsv").write_text("\n".join(given) + "\n")

    found = lines(cli, "pipe", "--pub-file", "ids.tsv", "--in-db", library.path, "--out-ids", "--plain")
    new = lines(cli, "pipe", "--pub-file", "ids.tsv", "--not-in-db", library.path, "--out-ids", "--plain")
    url = library.webpages[0]["startUrl"]
    assert found == [known]
    assert new == given[1:]
    assert lines(cli, "pipe", "--web", url, "http://n.example/", "--in-db", library.path, "--out-ids") == [
        url
    ]
    assert lines(cli, "pipe", "--web", url, "--in-db", "other.db", "--out-ids") == []


def test_identifiers_are_a_set_in_the_order_of_their_addition(cli: Cli, library: Library) -> None:
    """F-CLI-60, F-CLI-61, T-089: command line, files, databases; comments and empty lines are passed over."""
    Path("a.tsv").write_text("# comment\n\n\t\t10.1/b\n5\t\t\n")
    found = lines(cli, "pipe", "--pub-file", "a.tsv", "--pub", "5", "10.1/B", "5", "--out-ids", "--plain")

    assert found == ["5\t\t", "\t\t10.1/B"]
    with_base = listed(cli, library, "--pub", "5")
    assert with_base[0] == "5\t\t"


def test_lines_that_are_no_identifiers_are_named_and_left_out(cli: Cli) -> None:
    """Modern: exit status 2 at the end; legacy: as PubFetcher, 0."""
    Path("bad.tsv").write_text("5\t\t\nnonsense\n")
    modern = cli("pipe", "--pub-file", "bad.tsv", "--out-ids", "--plain")
    legacy = cli("-pub-file", "bad.tsv", "-out-ids", "--plain")

    assert (modern.status, modern.out) == (2, "5\t\t\n")
    assert "bad.tsv line 2: 'nonsense'" in modern.err
    assert (legacy.status, legacy.out, legacy.err) == (0, modern.out, modern.err)


def test_sorting_identifiers(cli: Cli) -> None:
    """T-007: PMIDs by number, then PMCIDs, then DOIs by registrant and alphabet; addresses by alphabet."""
    given = ["--pub", "10", "9", "PMC10", "PMC9", "10.1093/b", "10.1093/a", "10.200/z", "10.1000.10/x", "100"]
    order = ["9", "10", "100", "PMC9", "PMC10", "10.200/Z", "10.1093/A", "10.1093/B", "10.1000.10/X"]
    up = lines(
        cli,
        "pipe",
        *given,
        "--web",
        "http://b.x/",
        "http://a.x/",
        "--sort-ids",
        "asc",
        "--out-ids",
        "--plain",
    )
    down = lines(cli, "pipe", *given, "--sort-ids", "desc", "--out-ids", "--plain")

    assert [line.strip("\t") for line in up] == [*order, "http://a.x/", "http://b.x/"]
    assert [line.strip("\t") for line in down] == order[::-1]


def test_limits_count_for_each_of_the_three_lists(cli: Cli) -> None:
    """T-091."""
    given = [
        "pipe",
        "--pub",
        "1",
        "2",
        "3",
        "4",
        "--web",
        "http://a/",
        "http://b/",
        "http://c/",
        "--doc",
        "http://d/",
    ]

    assert out(cli, *given, "--head-ids", "2", "--count-ids") == "publications : 2\nwebpages : 2\ndocs : 1\n"
    assert lines(cli, *given, "--head-ids", "3", "--tail-ids", "1", "--out-ids", "--plain") == [
        "3\t\t",
        "http://c/",
        "http://d/",
    ]
    assert lines(cli, *given, "--head-ids", "0", "--out-ids") == []


def test_counts_are_for_kinds_that_were_given(cli: Cli) -> None:
    """F-CLI-101."""
    assert out(cli, "pipe", "--web", "http://a/", "--count-ids") == "webpages : 1\n"


def test_provenance_is_shown_without_plain(cli: Cli, library: Library) -> None:
    """T-006, F-ID-20 to F-ID-22."""
    found = json.loads(out(cli, "pipe", "--pub-db", library.path, "--out-ids", "--format", "json"))[
        "publicationIds"
    ]
    plainly = json.loads(
        out(cli, "pipe", "--pub-db", library.path, "--out-ids", "--format", "json", "--plain")
    )["publicationIds"]

    by_name = {triplet(one): one for one in library.publications}
    for one in found:
        entry = by_name[f"{one['pmid']}\t{one['pmcid']}\t{one['doi']}"]
        assert [one[f"{kind}Url"] for kind in ("pmid", "pmcid", "doi")] == [
            entry[kind]["url"] for kind in ("pmid", "pmcid", "doi")
        ]
    assert plainly == [{kind: one[kind] for kind in ("pmid", "pmcid", "doi")} for one in found]
    assert out(cli, "pipe", "--pub", "12", "--out-ids") == f"[12] (Pubweave {VERSION})\n"


def test_lists_go_to_files(cli: Cli, library: Library) -> None:
    """F-CLI-96 to F-CLI-98; what is written can be read again."""
    base = library.path
    cli(
        *("pipe", "--pub-db", base, "--web-db", base, "--doc-db", base, "--plain"),
        *("--txt-ids-pub", "p.tsv", "--txt-ids-web", "w.txt", "--txt-ids-doc", "d.txt"),
    )

    assert set(Path("p.tsv").read_text().splitlines()) == {triplet(one) for one in library.publications}
    assert set(Path("w.txt").read_text().splitlines()) == {one["startUrl"] for one in library.webpages}
    assert counts(
        cli, "pipe", "--pub-file", "p.tsv", "--web-file", "w.txt", "--doc-file", "d.txt", "--db", base
    ) == [60, 40, 15]


def test_removing_by_identifier(cli: Cli, library: Library) -> None:
    """F-CLI-94."""
    base, url = library.path, library.webpages[0]["startUrl"]
    ran = cli("pipe", "--pub", "1", "2", "999", "--web", url, "--remove-ids", base, "--count-ids")

    assert ran.status == 0
    assert "999 is not in the database" in ran.err
    assert out(cli, "db", "size", base, "--publications") == "58\n"
    assert out(cli, "db", "size", base, "--webpages") == "39\n"


# Getting from a database.


def test_what_is_not_in_the_database_is_left_out(cli: Cli, library: Library) -> None:
    ran = cli(
        "pipe", "--pub", "999", "PMC2", "1", "--db", library.path, "--out", "--out-part", "pmcid", "--plain"
    )

    assert ran.out == "\tPMC2\t\n\tPMC1\t\n"
    assert "1 of the publications are not in library.db" in ran.err


def test_entries_come_in_the_order_of_the_identifiers(cli: Cli, library: Library) -> None:
    """F-CLI-116."""
    given = ["7", "3", "PMC1", "10.1038/x.11", "2"]
    found = lines(cli, "pipe", "--pub", *given, "--db", library.path, "--out", "--out-part", "doi", "--plain")

    assert [line.rpartition(".")[2] for line in found] == ["7", "3", "1", "11", "2"]


def test_several_ways_append_their_results(cli: Cli, library: Library) -> None:
    """F-CLI-115; the same entry may come twice."""
    assert counts(cli, *library.from_it, "--fetch-put", library.path, "--head-ids", "0") == [0, 0, 0]


def test_limit_and_pre_filter(cli: Cli, library: Library) -> None:
    """T-094, F-EX-11: before filtering without --pre-filter, after it with."""
    first_three = [triplet(one) for one in library.publications[:3]]
    given = ["pipe", "--pub-file", "three.tsv", "--db", library.path, "--oa", "--limit", "3"]
    Path("three.tsv").write_text("\n".join(triplet(one) for one in library.publications) + "\n")
    open_ones = [triplet(one) for one in library.publications if one["oa"]]
    shown = ["--out", "--out-part", "pmid", "pmcid", "doi", "--plain"]

    assert lines(cli, *given, "--pre-filter", *shown) == open_ones[:3]
    assert lines(cli, *given, *shown) == [one for one in first_three if one in open_ones]


def test_no_limit_is_zero(cli: Cli, library: Library) -> None:
    assert counts(cli, *library.from_it, "--limit", "0") == [60, 40, 15]
    assert counts(cli, *library.from_it, "--limit", "2") == [2, 2, 2]


# Sorting and limiting content.


def test_sorting_content(cli: Cli, library: Library) -> None:
    """T-100."""
    by_time = json.loads(out(cli, *library.from_it, "--sort", "time-desc", "--out", "--format", "json"))
    times = [one["fetchTime"] for one in by_time["publications"]]
    pages = [one["fetchTime"] for one in by_time["webpages"]]

    assert times == sorted(times, reverse=True)
    assert pages == sorted(pages, reverse=True)
    assert len(set(times)) > 1
    shown = ["--has-pmid", "--out", "--out-part", "pmid", "--plain"]
    base = library.path
    pmids = lines(cli, "pipe", "--pub-db", base, "--db", base, "--sort", "asc", *shown)
    assert pmids == sorted(pmids, key=lambda line: int(line.strip()))
    assert lines(cli, "pipe", "--pub-db", base, "--db", base, "--sort", "desc", *shown) == pmids[::-1]


def test_head_and_tail_of_content(cli: Cli, library: Library) -> None:
    base = library.path
    shown = ["--has-pmid", "--sort", "asc", "--out", "--out-part", "pmid", "--plain"]
    whole = lines(cli, "pipe", "--pub-db", base, "--db", base, *shown)

    assert lines(cli, "pipe", "--pub-db", base, "--db", base, *shown, "--head", "3") == whole[:3]
    assert lines(cli, "pipe", "--pub-db", base, "--db", base, *shown, "--tail", "2") == whole[-2:]
    assert counts(cli, *library.from_it, "--head", "20", "--tail", "12") == [12, 12, 12]


# What is done with the result.


def test_putting_and_removing(cli: Cli, library: Library) -> None:
    """T-102."""
    assert cli("db", "init", "other.db").status == 0
    open_ones = sum(one["oa"] for one in library.publications)

    assert counts(cli, *library.from_it, "--oa", "--put", "other.db", "--remove", library.path) == [
        open_ones,
        40,
        15,
    ]
    for base, left in (("other.db", [open_ones, 40, 15]), (library.path, [60 - open_ones, 0, 0])):
        sizes = lines(cli, "db", "size", base)[:3]
        assert [int(line.split(" : ")[1]) for line in sizes] == left


def test_what_was_put_is_what_was_there(cli: Cli, library: Library) -> None:
    cli("db", "init", "other.db")
    cli(*library.from_it, "--put", "other.db")
    other = [word.replace("library.db", "other.db") for word in library.from_it]
    shown = ["--sort", "asc", "--out", "--format", "json", "--plain"]
    one, two = (json.loads(out(cli, *base, *shown)) for base in (library.from_it, other))

    assert {**one, "argv": []} == {**two, "argv": []}
    assert len(two["publications"]) == 60


def test_removed_entries_can_still_be_printed(cli: Cli, library: Library) -> None:
    """Output comes after removal, and shows what was got (A-50)."""
    given = ["pipe", "--pub", "1", "2", "--db", library.path, "--remove", library.path]

    assert lines(cli, *given, "--out", "--out-part", "pmid", "--plain") == ["1\t\t", "2\t\t"]
    assert lines(cli, *given, "--count") == ["publications : 0"]


def test_content_goes_to_files(cli: Cli, library: Library) -> None:
    """T-103: files are whole, standard output has only what was asked for."""
    ran = cli(
        *library.from_it,
        "--txt-pub",
        "p.json",
        "--txt-web",
        "w.json",
        "--txt-doc",
        "d.json",
        "--format",
        "json",
    )

    assert (ran.status, ran.out) == (0, "")
    for file, member, size in (
        ("p.json", "publications", 60),
        ("w.json", "webpages", 40),
        ("d.json", "docs", 15),
    ):
        document = json.loads(Path(file).read_text())
        assert list(document) == ["version", "argv", member]
        assert len(document[member]) == size


def test_an_output_that_cannot_be_written_is_an_error(cli: Cli, library: Library) -> None:
    """F-OUT-02."""
    Path("folder").mkdir()
    for name in ("folder", "nowhere/x.txt"):
        ran = cli(*library.from_it, "--txt-pub", name)
        assert ran.status == 2
        assert name.split("/")[0] in ran.err


def test_top_hosts(cli: Cli, library: Library) -> None:
    """F-TOP-01 to F-TOP-04: of entries before they are limited, limited themselves."""
    counted: dict[str, int] = {}
    for one in library.publications:
        for site in one["visitedSites"]:
            counted[plain.host(site["url"])] = counted.get(plain.host(site["url"]), 0) + 1
    order = sorted(counted.items(), key=lambda row: (-row[1], row[0]))
    base = ["pipe", "--pub-db", library.path, "--db", library.path]

    assert lines(cli, *base, "--out-top-hosts") == [f"{host}\t{count}" for host, count in order]
    assert lines(cli, *base, "--out-top-hosts", "--head", "1") == [f"{order[0][0]}\t{order[0][1]}"]
    assert out(cli, *base, "--count-top-hosts") == f"publications top hosts : {len(order)}\n"
    with_rules = lines(cli, *base, "--has-scrape", "--out-top-hosts")
    without = lines(cli, *base, "--not-has-scrape", "--out-top-hosts")
    assert sorted([*with_rules, *without]) == sorted(f"{host}\t{count}" for host, count in order)
    assert with_rules
    assert any(line.startswith("x.org") for line in without)
    document = json.loads(out(cli, *library.from_it, "--out-top-hosts", "--format", "json"))
    assert list(document)[2:] == ["publicationTopHosts", "webpageTopHosts", "docTopHosts"]


def test_the_part_table(cli: Cli, library: Library) -> None:
    """F-PTB-01."""
    rows = [line.split(",") for line in lines(cli, *library.from_it, "--part-table")]

    assert rows[0] == ["type", *plain.PARTS, "total"]
    assert [row[0] for row in rows[1:]] == plain.LADDER
    for row in rows[1:]:
        cells = [
            sum(plain.part(one, name)["type"] == row[0] for one in library.publications)
            for name in plain.PARTS
        ]
        assert row[1:] == [*map(str, cells), str(sum(cells))]


def test_standard_output_is_one_document(cli: Cli, library: Library) -> None:
    """Identifiers, content and hosts in one JSON object; figures do not break it."""
    ran = cli(
        *library.from_it,
        "--out-ids",
        "--out",
        "--out-top-hosts",
        "--count",
        "--count-ids",
        "--format",
        "json",
    )
    document = json.loads(ran.out)

    assert list(document) == [
        *("version", "argv", "publicationIds", "webpageUrls", "docUrls", "publications", "webpages", "docs"),
        *("publicationTopHosts", "webpageTopHosts", "docTopHosts"),
    ]
    assert "publications : 60" in ran.err
    assert document["argv"][0] == "pipe"


def test_kinds_that_were_asked_for_are_there_even_if_empty(cli: Cli, library: Library) -> None:
    """A-28."""
    document = json.loads(
        out(
            cli,
            "pipe",
            "--pub",
            "999",
            "--web",
            "http://n.example/",
            "--db",
            library.path,
            "--out",
            "--format",
            "json",
        )
    )

    assert (document["publications"], document["webpages"]) == ([], [])


@pytest.mark.parametrize("plainly", [True, False])
@pytest.mark.parametrize("part", [None, "mesh", "fulltext"])
@pytest.mark.parametrize("format_", ["text", "html", "json"])
def test_plain_format_and_part_go_together(
    cli: Cli, library: Library, format_: str, part: str | None, plainly: bool
) -> None:
    """T-104: the terminal operation prints what one-by-one export prints of the same entries."""
    words = [
        "--out",
        "--format",
        format_,
        *(["--plain"] if plainly else []),
        *(["--out-part", part] if part else []),
    ]
    found = out(cli, "pipe", "--pub", "11", "PMC5", "--db", library.path, *words)

    if format_ == "json":
        one = json.loads(found)["publications"][0]
        assert ("fetchTime" in one) is (not plainly and part is None)
        assert list(one) == [part] if part else len(one) >= 10
    elif part == "mesh" and plainly and format_ == "text":
        assert found.splitlines()[0] == "[Genome; Genome]"
        assert len(found.splitlines()) == 2
    assert ("europepmc/x" in found) is (not plainly or ("html" in format_ and not plainly))


# Databases that cannot be used.


def test_a_database_that_is_not_there_is_an_error(cli: Cli) -> None:
    """F-DB-16: only db init makes one; legacy ends with 1, modern with 2."""
    for operation in (
        "pub-db",
        "in-db",
        "db",
        "fetch-put",
        "db-fetch",
        "db-fetch-end",
        "put",
        "remove",
        "remove-ids",
    ):
        given = [f"--{operation}", "none.db"]
        modern = cli("pipe", "--pub", "1", *given)
        legacy = (
            cli("-pub", "1", f"-{operation}", "none.db")
            if operation != "pub-db"
            else cli("-pub-db", "none.db")
        )
        assert modern.status == 2, operation
        assert "There is no database none.db" in modern.err
        assert (legacy.status, legacy.out) == (1, "")
        assert not Path("none.db").exists()


def test_a_database_of_pubfetcher_is_told_with_the_way_over(cli: Cli) -> None:
    Path("old.db").write_bytes(bytes([0x4A, 1]) + bytes(100))
    ran = cli("-pub-db", "old.db", "-db", "old.db", "-out")

    assert ran.status == 1
    assert "a database of PubFetcher" in ran.err
    assert "JSON export" in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("name", ["jsonl", "csv", "ris", "bibtex"])
def test_other_formats_of_output(cli: Cli, library: Library, name: str) -> None:
    found = out(cli, "pipe", "--pub", "11", "--db", library.path, "--out", "--format", name)

    assert "All is there" in found


def test_formats_with_a_standard_of_their_own_take_no_selection(cli: Cli, library: Library) -> None:
    ran = cli("pipe", "--pub", "11", "--db", library.path, "--out", "--format", "ris", "--plain")

    assert (ran.status, ran.out) == (2, "")
    assert "--plain is not for it" in ran.err


def test_nothing_to_work_on_is_told(cli: Cli, library: Library) -> None:
    ran = cli("pipe", "--db", library.path, "--out")

    assert (ran.status, ran.out) == (0, "")
    assert "no identifiers are given" in ran.err


def test_a_polite_end_is_told_with_its_own_exit_status() -> None:
    """SIGTERM: exit status 143 and one sentence."""
    waits = (
        "import asyncio, os, signal; from pubweave.cli.operations import pipeline as p; from pubweave.cli.main import run\n"
        "async def stuck(self):\n    os.kill(os.getpid(), signal.SIGTERM)\n    await asyncio.sleep(60)\n"
        "p.Pipeline.run = stuck\nraise SystemExit(run(['pipe', '--pub', '1', '--fetch']))"
    )
    ran = subprocess.run([sys.executable, "-c", waits], capture_output=True, text=True, timeout=60)

    assert ran.returncode == 143
    assert ran.stderr.startswith("pubweave: interrupted")


def test_identifiers_that_contradict_the_stored_ones_are_told(cli: Cli, library: Library) -> None:
    """F-DB-10: found by PMID, and the DOI is another's."""
    Path("ids.tsv").write_text("11\tPMC11\t10.9999/OTHER\n")
    ran = cli("pipe", "--pub-file", "ids.tsv", "--db", library.path, "--count")

    assert ran.out == "publications : 1\n"
    assert "differs from the doi 10.9999/OTHER asked for" in ran.err


def test_lists_of_addresses(cli: Cli) -> None:
    """F-CLI-54, F-CLI-59: comments and empty lines are passed over, what is no address is told and left out."""
    Path("w.txt").write_text(
        "# tools\n\n  http://a.example/x  \nnonsense\nftp://b.example/\nhttp://a.example/x\nhttp://c.example/"
        + "y" * 20_000
    )
    ran = cli("pipe", "--web-file", "w.txt", "--out-ids")

    assert (ran.status, ran.out) == (2, "http://a.example/x\nftp://b.example/\n")
    assert "w.txt line 4: 'nonsense'" in ran.err
    assert "w.txt line 7: is longer than 10,000 characters" in ran.err


@pytest.mark.parametrize(
    ("option", "file", "sentence"),
    [
        ("--txt-pub", "none/x.txt", "there is no folder"),
        ("--txt-web", ".", "is a folder; a file is wanted"),
        ("--txt-ids-doc", "none/x.txt", "there is no folder"),
        ("--txt-top-hosts-pub", "none/x.txt", "there is no folder"),
    ],
)
def test_files_that_cannot_be_written_are_told_before_anything_is_done(
    cli: Cli, library: Library, option: str, file: str, sentence: str
) -> None:
    """F-OUT-02: not after an hour of fetching; what can be written is not touched by looking."""
    Path("old.txt").write_text("old")
    ran = cli(*library.from_it, "--remove", library.path, "--out", "--txt-doc", "old.txt", option, file)

    assert (ran.status, ran.out) == (2, "")
    assert sentence in ran.err
    assert Path("old.txt").read_text() == "old"
    assert sorted(path.name for path in Path().iterdir()) == ["library.db", "old.txt"]
    assert cli("db", "size", library.path, "--publications").out == f"{len(library.publications)}\n"
