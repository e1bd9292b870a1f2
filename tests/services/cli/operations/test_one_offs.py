"""One-off operations in PubFetcher's spelling (17.2; T-001 to T-004, T-085, T-088)."""

import re
from pathlib import Path

import pytest

from pubweave.cli.operations.meant import command_of
from pubweave.version import VERSION
from services.cli.conftest import Cli
from services.cli.operations.conftest import Library
from simnet.fixture import Running


@pytest.mark.parametrize(
    ("line", "out"),
    [
        (["-is-pmid", "012"], "false"),
        (["-is-pmid", "12"], "true"),
        (["-is-pmcid", "pmc1"], "false"),
        (["-is-pmcid", "PMC1"], "true"),
        (["-is-doi", "doi:10.1/x"], "true"),
        (["-is-doi", "10.1"], "false"),
        (["-extract-pmcid", "PMC123"], "123"),
        (["-extract-pmcid", "123"], ""),
        (["-normalise-doi", "https://doi.org/10.1/aé"], "10.1/Aé"),
        (["-normalise-doi", ""], ""),
        (["-extract-doi-registrant", "10.1093/nar/gkz369"], "1093"),
        (["-extract-doi-registrant", "x"], ""),
        (["-escape-html", "a<b & c>d"], "a&lt;b &amp; c&gt;d"),
        (["-escape-html", "-x"], "-x"),
        (["-escape-html-attribute", 'a b"é'], "a&#32;b&#34;é"),
        (["-check-publication-id", "123"], "123\t\t"),
        (["-check-publication-id", "doi:10.1/x"], "\t\t10.1/X"),
        (["-check-publication-ids", "1", "", "10.1/x"], "1\t\t10.1/X"),
        (["-check-url", " https://loom.example/a "], "https://loom.example/a"),
        (["-scrape-site", "https://www.nature.com/articles/nmeth.1"], "nature"),
        (["-scrape-site", "nonsense"], "null"),
        (["-scrape-selector", "nonsense", "abstract"], "null"),
        (["-scrape-javascript", "nonsense"], "false"),
        (["-scrape-webpage", "nonsense"], "null"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_one_line_each(cli: Cli, line: list[str], out: str) -> None:
    ran = cli(*line)

    assert (ran.status, ran.out, ran.err) == (0, f"{out}\n", "")


@pytest.mark.parametrize(
    "line",
    [
        ["-check-publication-id", "foo"],
        ["-check-publication-ids", "", "", ""],
        ["-check-publication-ids", "x", "", ""],
        ["-check-url", "nonsense"],
        ["-scrape-selector", "https://www.nature.com/articles/x", "nonsense"],
        ["-db-commit", "none.db"],
        ["-db-publications-size", "none.db"],
        ["-nonsense"],
        ["-is-pmid"],
        ["-print-europepmc", "nonsense"],
    ],
    ids=" ".join,
)
def test_an_error_is_one_sentence_and_exit_status_1(cli: Cli, line: list[str]) -> None:
    """F-CLI-07."""
    ran = cli(*line)

    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith("pubweave: ")
    assert ran.err.count("\n") == 1


def test_the_selector_is_known_by_both_names_of_the_abstract(cli: Cli) -> None:
    """A-42."""
    url = "https://www.nature.com/articles/nmeth.1"
    one, other = cli("-scrape-selector", url, "abstract"), cli("rules", "selector", url, "theAbstract")

    assert one.status == other.status == 0
    assert one.out == other.out != "null\n"


def test_the_rules_of_a_web_page(cli: Cli) -> None:
    ran = cli("rules", "webpage", "https://github.com/edamontology/pubfetcher")

    assert ran.status == 0
    assert "title: " in ran.out


def test_own_rules_are_in_force(cli: Cli) -> None:
    Path("own.yaml").write_text(
        "'(?i)loom\\.example': loom\n---\nloom:\n  title: h1\n---\n- loom\\.example/js\n"
    )
    own = ["--journalsYaml", "own.yaml"]

    assert cli("-scrape-site", "https://loom.example/a", *own).out == "loom\n"
    assert cli("-scrape-selector", "https://loom.example/a", "title", *own).out == "h1\n"
    assert cli("-scrape-javascript", "https://loom.example/js", *own).out == "true\n"
    assert cli("-scrape-javascript", "https://loom.example/a", *own).out == "false\n"


def test_databases(cli: Cli, library: Library) -> None:
    """T-085, F-CLI-20 to F-CLI-27."""
    base = str(library.path)
    assert cli("-db-init", "x.db").status == 0
    assert cli("-db-init", "x.db").status == 1
    assert cli("-db-publications-size", base).out == "60\n"
    assert cli("-db-webpages-size", base).out == "40\n"
    assert cli("-db-docs-size", base).out == "15\n"
    assert cli("-db-commit", base).status == cli("-db-compact", base).status == 0
    forth = cli("-db-publications-map", base).out.splitlines()
    back = cli("-db-publications-map-reverse", base).out.splitlines()
    identifiers = sum(
        bool(one[kind]["content"]) for one in library.publications for kind in ("pmid", "pmcid", "doi")
    )
    assert len(forth) == identifiers
    assert all(re.fullmatch(r"\S+ -> \S+", line) for line in forth)
    assert len(back) == 60


def test_one_offs_come_before_the_pipeline(cli: Cli, library: Library) -> None:
    """F-CLI-10, whatever the order of options."""
    ran = cli("-count-ids", "-pub", "1", "-db-init", "x.db", "-in-db", "x.db", "-is-pmid", "1")

    assert ran.status == 0
    assert ran.out == "true\npublications : 0\n"


def test_single_documents(cli: Cli, net: Running) -> None:
    """F-CLI-28, F-CLI-31; what the settings say goes along."""
    page = next(
        page
        for number in range(30)
        for page in net.universe.publication(number).pages.values()
        if page.face == "article" and page.way == "direct"
    )
    raw = cli("-fetch-document", page.url, "--timeout", "20000")
    assert raw.status == 0, raw.err
    assert "<html" in raw.out.lower()
    read = cli("-fetch-webpage-selector", page.url, "h1", "", "false", "--plain", "--format", "json")
    assert read.status == 0, read.err
    assert page.url in read.out
    assert cli("-fetch-document", "http://nobody.example/").status == 1


def test_command_lines_without_a_command_are_recognised() -> None:
    """PubFetcher's have single dashes or its names of settings; with two dashes it is our pipeline."""
    for line in (
        ["-pub", "1"],
        ["--timeout", "5", "-fetch"],
        ["--emptyCooldown", "1"],
        ["--resources", "europepmc", "-pub", "1"],
        ["-l", "x"],
        ["-fecht"],
    ):
        assert command_of(line) == "legacy"
    for line in (
        ["--pub", "1"],
        ["--pub-file=ids.txt", "--out-ids"],
        ["--pub", "1", "-out-ids"],
        ["--timeout", "5", "--pub", "1"],
        ["--empty-cooldown", "1"],
        ["--sort-ids", "asc"],
    ):
        assert command_of(line) == "pipe"
    for line in (
        [],
        ["fetch"],
        ["--help"],
        ["-h"],
        ["--version"],
        ["-V"],
        ["--debug", "fetch"],
        ["--nonsense"],
    ):
        assert command_of(line) == ""


def test_a_pipeline_without_its_word_ends_as_modern_commands_do(cli: Cli) -> None:
    """Bad input is 2, in PubFetcher's spelling 1; one-offs are carried out in both."""
    assert (cli("--pub", "5", "--out-ids", "--plain").out, cli("--is-pmid", "012").out) == (
        "5\t\t\n",
        "false\n",
    )
    modern, legacy = cli("--pub-file", "none.txt"), cli("-pub-file", "none.txt")

    assert (modern.status, legacy.status) == (2, 1)
    assert modern.err == legacy.err
    assert cli("--pub", "5", "--oa", "--oa").status == cli("--pub", "x", "--out-ids").status == 2
    assert cli("--check-publication-id", "foo").status == 2
    assert cli("--db-init", "a.db").status == 0
    assert cli("--db-init", "a.db").status == 2
    assert "--part-size-more-part PART …" in cli("--pub", "1", "--help").out


def test_the_help_of_both_spellings(cli: Cli) -> None:
    """F-CLI-07: name, version, address and all options, to standard output."""
    legacy = cli("legacy", "--help")
    also = cli("-pub", "1", "--help")

    assert legacy.status == also.status == 0
    assert legacy.out == also.out
    assert f"Pubweave {VERSION} (https://" in legacy.out
    assert "-part-size-more-part PART …" in legacy.out
    assert "--emptyCooldown" in legacy.out


def test_help_about_something(cli: Cli) -> None:
    """Words after --help choose among the options; words that no option has choose nothing."""
    about_time = cli("pipe", "--help", "fetch", "time").out

    assert "--fetch-time-more TIME" in about_time
    assert "--part-type" not in about_time
    assert "-fetch-time-more TIME" in cli("legacy", "--help", "fetch-time").out
    assert cli("pipe", "--help", "zzz").out == cli("pipe", "--help").out


def test_one_offs_have_commands_of_their_own_in_modern_spelling(cli: Cli) -> None:
    ran = cli("pipe", "--pub", "1", "--is-pmid", "1")

    assert (ran.status, ran.out) == (2, "")
    assert "pubweave id is-pmid" in ran.err


def test_options_that_do_nothing_are_named(cli: Cli) -> None:
    """Nobody believes that they did something: settings and output options that no one-off of the command knows."""
    ran = cli("-is-pmid", "1", "--timeout", "5", "--plain", "--limit", "3", "--retryLimit", "1")
    read = cli("-scrape-site", "https://loom.example/", "--journalsYaml", "", "--format", "json")

    assert (ran.status, ran.out) == (0, "true\n")
    assert re.findall(r"pubweave: (\S+) does nothing here", ran.err) == [
        "--timeout", "--retry-limit", "--plain", "--limit",
    ]  # fmt: skip
    assert re.findall(r"pubweave: (\S+) does nothing here", read.err) == ["--format"]
    assert cli("-pub", "1", "-out-ids", "--timeout", "5").err == ""


@pytest.mark.parametrize("line", [("-is-pmid", "1"), ("-db-init", "a.db"), ("--is-pmid", "1")])
def test_one_offs_are_logged_too(cli: Cli, line: tuple[str, ...]) -> None:
    """F-CLI-08, F-LOG-02: the file is there, and its first line has the whole command line without secrets."""
    ran = cli(*line, "--log", "logs/a.log", "--ncbi-api-key", "loom")
    (first,) = Path("logs/a.log").read_text().splitlines()

    assert ran.status == 0
    assert " DEBUG " in first
    assert f"{' '.join(line)} --log logs/a.log" in first
    assert "loom" not in first


def test_settings_of_the_bus_are_no_options_of_a_pipeline(cli: Cli) -> None:
    """They would do nothing; how a cluster is logged in to is said in the environment or in a file."""
    ran = cli("pipe", "--pub", "1", "--out-ids", "--cassandra-user", "ada")

    assert (ran.status, ran.out) == (2, "")
    assert "set PUBWEAVE_CASSANDRA_USER, or cassandra_user in pubweave.toml" in ran.err
    assert "--kafka" not in cli("pipe", "--help").out
