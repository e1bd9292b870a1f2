"""`pubweave test`: one source alone, printed and compared with a table (17.14, chapter 22)."""

import re
from pathlib import Path

import pytest

from pubweave import registry
from pubweave.cli.commands.test.trial import TESTED, TryResult, differences, read_table
from pubweave.cli.operations.one_offs import TEST_ROWS
from services.cli.conftest import Cli
from simnet.fixture import Running
from simnet.universe import Publication


@pytest.fixture
def article(net: Running, monkeypatch: pytest.MonkeyPatch) -> Publication:
    """A publication that everybody knows."""
    monkeypatch.setenv("PUBWEAVE_EMAIL", "tests@loom.example")
    return next(
        found
        for found in map(net.universe.publication, range(60))
        if found.kind == "plain"
        and all(
            (found.ids.pmid, found.ids.pmcid, found.ids.doi, found.europepmc_fulltext, found.pmc_fulltext)
        )
    )


def page_of(net: Running) -> str:
    return next(
        page.url
        for number in range(60)
        for page in net.universe.publication(number).pages.values()
        if page.face == "article" and page.way == "direct"
    )


def test_every_test_operation_has_its_table() -> None:
    """F-TST-03; and whatever else is asked by the chain can be tried as well."""
    named = {row.name.removeprefix("print-") for row in TEST_ROWS if row.name.startswith("print-")}
    beyond = {name.replace("_", "-") for name in registry.RESOURCES if name not in registry.ON}

    assert set(TESTED) == named | beyond
    for tested in TESTED.values():
        assert "id" in (tested.columns[0], tested.columns[-1])
        assert tested.table.endswith(".csv")


@pytest.mark.parametrize(
    ("name", "kind", "shown"),
    [
        ("europepmc", "pmid", "TITLE: \\S"),
        ("europepmc-xml", "pmcid", "type: Europe PubMed Central fulltext XML"),
        ("europepmc-mined", "pmid", "EFO TERMS:"),
        ("pmc-xml", "pmcid", "type: PubMed Central XML"),
        ("pubmed-xml", "pmid", "type: PubMed XML"),
        ("oadoi", "doi", "OPEN ACCESS: "),
    ],
)
def test_one_source_is_asked_and_printed_with_its_metadata(
    cli: Cli, net: Running, article: Publication, name: str, kind: str, shown: str
) -> None:
    """F-TST-05, F-TST-07; both spellings."""
    identifier = getattr(article.ids, kind)
    legacy = cli(f"-print-{name}", identifier)
    asked = {ask[0] for ask in net.log.asks()}
    modern = cli("test", "print", name, identifier)

    assert legacy.status == modern.status == 0, legacy.err
    assert re.search(shown, legacy.out)
    assert "timestamp: " in legacy.out
    without_times = [re.sub(r"\d{4}-\d\d-\d\dT\S+ \(\d+\)", "", ran.out) for ran in (legacy, modern)]
    assert without_times[0] == without_times[1]
    assert len(asked) == 1


def test_pages_and_their_rules(cli: Cli, net: Running, article: Publication) -> None:
    url = page_of(net)
    site, page = cli("-print-site", url), cli("-print-webpage", url)

    assert site.status == page.status == 0, site.err + page.err
    assert "type: Page of the DOI" in site.out
    assert f"START URL: {url}" in page.out


def test_what_is_not_there_is_one_sentence(cli: Cli, net: Running, article: Publication) -> None:
    ran = cli("-print-europepmc", "999999999")

    assert (ran.status, ran.out) == (1, "")
    assert "999999999: absent" in ran.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["print", "europepm", "1"], "did you mean europepmc?"),
        (["print", "europepmc-xml", "31092905"], "'31092905' is not a PMCID"),
        (["print", "site", "nonsense"], "no web address"),
        (["print", "oadoi", "10.1/x"], "Unpaywall wants an e-mail address"),
        (["run", "europepmc", "none.csv"], "the table none.csv cannot be read"),
        (["run", "europepmc", "x.csv", "--regex", "["], "--regex: "),
        (["run", "europepmc", "x.csv", "--regex", "nothing"], "no line of the table"),
    ],
)
def test_mistakes_are_one_sentence(cli: Cli, words: list[str], told: str) -> None:
    Path("x.csv").write_text("heading\n1" + ",0" * 13 + "\n")
    ran = cli("test", *words)

    assert (ran.status, ran.out) == (2, "")
    assert told in ran.err


def test_a_table_is_read_as_the_manual_says(cli: Cli) -> None:
    """F-TST-01: heading, empty lines and comments are passed over; the last column takes the rest."""
    Path("webpages.csv").write_text("title,content,x\n\n  \n# a comment\n5,100,0,0,http://a.example/?a=1,2\n")
    assert list(read_table(Path("webpages.csv"), TESTED["webpage"])) == [
        {"title": "5", "content": "100", "license": "0", "language": "0", "id": "http://a.example/?a=1,2"}
    ]
    Path("webpages.csv").write_text("heading\n5,100\n")
    ran = cli("-test-webpage")

    assert ran.status == 1
    assert "webpages.csv line 2 has 2 columns instead of 5" in ran.err


def test_a_table_is_compared_with_what_is_given_today(cli: Cli, net: Running, article: Publication) -> None:
    """F-TST-02, F-TST-06: OK and status 0, or a line for each mismatch, their number and status 1."""
    printed = cli("-print-pubmed-xml", article.ids.pmid).out

    def size(label: str) -> str:
        found = re.search(rf"^{label}:.*?size: (\d+)", printed, re.M | re.S)
        assert found
        return found[1]

    cells = [size(label) for label in ("PMID", "PMCID", "DOI", "TITLE", "KEYWORDS", "MESH TERMS", "ABSTRACT")]
    journal = re.search(r"^JOURNAL TITLE: ?(.*)$", printed, re.M)
    day = re.search(r"^PUBLICATION DATE: (\S+)", printed, re.M)
    assert journal
    assert day
    line = ",".join([article.ids.pmid, *cells, str(len(journal[1])), day[1]])
    Path("pubmed-xml.csv").write_text(f"heading\n{line}\n")
    good = cli("-test-pubmed-xml")
    Path("pubmed-xml.csv").write_text(f"heading\n{line.replace(cells[3], '1')}\n")
    bad = cli("test", "run", "pubmed-xml")
    of_other_parts = cli("test", "run", "pubmed-xml", "--not-fetch-part", "title")

    assert (good.status, good.out) == (0, "OK\n"), good.out
    assert bad.status == 1
    assert f"{article.ids.pmid}: title: expected 1, actual {cells[3]}\n" in bad.out
    assert bad.out.splitlines()[-1].endswith("mismatches in 1 tests")
    several = cli("-test-pubmed-xml", "-test-webpage", "-test-webpage-regex", "^none$")
    assert (several.status, several.out) == (1, bad.out)  # all of them are run
    assert "could not be finished" not in several.err
    assert "title: expected" not in of_other_parts.out


def test_a_case_without_an_answer_tells_each_size_as_well() -> None:
    """F-TST-06: expected and actual of each, with what went wrong; and what went wrong, if all were to be nothing."""
    nothing = TryResult("", {"title": "0", "abstract": "0", "oa": "0"}, "blocked: a wall")
    columns = ("title", "abstract", "oa")

    assert list(differences({"title": "12", "abstract": "900", "oa": "0"}, nothing, columns)) == [
        "title: expected 12, actual 0 (blocked: a wall)",
        "abstract: expected 900, actual 0 (blocked: a wall)",
    ]
    assert list(differences(dict.fromkeys(columns, "0"), nothing, columns)) == ["blocked: a wall"]
    assert list(differences(dict.fromkeys(columns, "0"), nothing._replace(problem=""), columns)) == []


def test_only_matching_lines_of_a_table_are_run(cli: Cli, net: Running, article: Publication) -> None:
    """F-TST-09."""
    url = page_of(net)
    printed = cli("-print-webpage", url).out
    title, content = re.findall(r"^    size: (\d+)$", printed, re.M)
    Path("webpages.csv").write_text(f"heading\n{title},{content},0,0,{url}\n1,1,0,0,https://other.example/\n")
    ran = cli("-test-webpage", "-test-webpage-regex", re.escape(url.split("/")[2]))

    assert (ran.status, ran.out) == (0, "OK\n"), ran.out + ran.err


async def test_meta_tags_are_left_out() -> None:
    """F-TST-05: a rule is tried without what the page says of itself."""
    from pubweave.adapters.clock import SystemClock
    from pubweave.adapters.rule_files import load_rule_book
    from pubweave.contract.exchange import Reply
    from pubweave.contract.reply_wanted import ReplyWanted
    from pubweave.contract.values import Identifiers, Link, RunSettings
    from pubweave.core.toolkit.service import Context
    from pubweave.runtimes.embedded.alone import ask_alone

    text = " ".join(["A sentence about widgets, long enough to be one of an article."] * 60)
    page = f"""<html><head><meta name="citation_pmid" content="31092905"></head><body>
      <h1 id="artTitle">Folding</h1><div class="section"><h2>Introduction</h2><p>{text}</p></div></body></html>"""

    class Door:
        async def fetch(self, wanted: ReplyWanted) -> Reply:
            url = wanted.request.url
            body = page.encode()
            return Reply(
                "found", url, final_url=url, status=200, content_type="text/html", body=body, fetched_at=1
            )

    url = "https://journals.plos.org/plosone/article?id=10.1371/journal.pone.0000001"
    context = Context(rules=load_rule_book())

    alone = await ask_alone(
        Door(), context, "links", Identifiers(), RunSettings(), SystemClock(), Link(url=url, type="doi")
    )

    assert alone.record.title.text == "Folding"
    assert alone.record.pmid.is_empty
