"""Reports count what chapter 19 says, and completeness says what can be done."""

import re
from collections.abc import Iterable

import msgspec
import pytest
from lxml import etree, html

from output.records import empty_record, full_page, full_record, text
from pubweave.contract.values import Thresholds, VisitedSite
from pubweave.contract.vocabulary import PART_NAMES, TYPE_NAMES
from pubweave.core.record import Part, Record
from pubweave.core.types import OPTIONAL
from pubweave.output.reports.completeness import STATES, Completeness, SourceQuestion, State
from pubweave.output.reports.pages import completeness_page, part_table_page, top_hosts_page
from pubweave.output.reports.part_table import PartTable
from pubweave.output.reports.svg import bars
from pubweave.output.reports.top_hosts import TopHosts, limited, top_hosts_text
from pubweave.output.tables import defused

USUAL = Thresholds()


def visited(*urls: str) -> Record:
    return Record(publication="p", visited_sites=tuple(VisitedSite(url=url, type="doi") for url in urls))


def test_hosts_fold_case_and_www() -> None:
    """F-TOP-01 and F-TOP-02: counted over all entries, most frequent first."""
    hosts = TopHosts()
    hosts.add_publication(visited("https://www.Loom.example/a", "http://loom.example:8080/b"))
    hosts.add_publication(visited("https://yarn.example/", "https://LOOM.example", "no address"))

    assert hosts.rows() == [("loom.example", 3), ("yarn.example", 1)]
    assert "".join(top_hosts_text(hosts.rows())) == "loom.example\t3\nyarn.example\t1\n"
    assert len(hosts) == 2


def test_a_page_counts_by_its_last_address() -> None:
    """A-22: the first one where nothing answered."""
    hosts = TopHosts()
    hosts.add_webpage(full_page())
    hosts.add_webpage(msgspec.structs.replace(full_page(), start_url="https://down.example/", final_url=""))

    assert hosts.rows() == [("down.example", 1), ("loom.example", 1)]


@pytest.mark.parametrize(("rules", "expected"), [("with", "loom.example"), ("without", "yarn.example")])
def test_only_addresses_with_or_without_rules(rules: str, expected: str) -> None:
    """F-TOP-03; together they are all."""
    hosts = TopHosts(lambda url: "loom" in url, rules)  # type: ignore[arg-type]
    hosts.add_publication(visited("https://loom.example/a", "https://yarn.example/"))

    assert hosts.rows() == [(expected, 1)]


@pytest.mark.parametrize(
    ("head", "tail", "expected"),
    [(None, None, "abcd"), (3, None, "abc"), (None, 1, "d"), (3, 2, "bc"), (0, 2, "")],
)
def test_hosts_are_limited_at_both_ends(head: int | None, tail: int | None, expected: str) -> None:
    """F-TOP-04: the tail of the head."""
    assert "".join(host for host, _ in limited([(host, 1) for host in "abcd"], head, tail)) == expected


def test_the_part_table_has_33_rows_and_their_sums() -> None:
    """F-PTB-01 and F-PTB-02."""
    table = PartTable()
    for record in (full_record(), full_record(), empty_record()):
        table.add(record)
    lines = "".join(table.csv()).splitlines()
    cells = {line.split(",")[0]: list(map(int, line.split(",")[1:])) for line in lines[1:]}

    assert lines[0] == "type,pmid,pmcid,doi,title,keywords,mesh,efo,go,theAbstract,fulltext,total"
    assert list(cells) == [name for name in TYPE_NAMES if name not in OPTIONAL]
    assert len(cells) == 33
    assert all(sum(row[:-1]) == row[-1] for row in cells.values())
    assert [sum(column) for column in zip(*cells.values(), strict=True)] == [3] * 10 + [30]
    assert cells["europepmc_xml"] == [0] * 9 + [2, 2]
    assert cells["na"][3] == 1


def test_a_source_that_is_off_has_a_row_where_it_gave_something() -> None:
    """Else the table is the specification's, whatever sources there are."""
    table = PartTable()
    table.add(Record(publication="p", title=Part(type="crossref", size=4, text="Reed")))
    rows = {type_: total for type_, _, total in table.rows()}

    assert rows["crossref"] == 1
    assert len(rows) == 34


def article(**parts: Part) -> Record:
    return Record(publication="p", pmid=text("1"), **parts)


def state_of(record: Record, asked: Iterable[SourceQuestion]) -> State:
    counted = Completeness(USUAL, ["fulltext"])
    lacks = counted.add(record, asked)
    (state,) = [state for state in STATES if counted.states["fulltext"][state]]

    assert [lack.state for lack in lacks] == ([] if state == "found" else [state])
    return state


def asked(resource: str, outcome: str, *order: int, host: str = "") -> SourceQuestion:
    return SourceQuestion(resource, ("fulltext",), outcome, f"evidence of {resource}", host, order)


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ([], "not-asked"),
        (["absent"], "absent"),
        (["absent", "empty", "gone"], "absent"),
        (["found"], "absent"),
        (["abstract-only"], "absent"),
        (["absent", "timeout"], "failed"),
        (["rate-limited"], "failed"),
        (["timeout", "blocked", "absent"], "blocked"),
        (["refused-by-robots"], "blocked"),
        (["blocked", ""], "pending"),
        (["skipped", "no-door"], "not-asked"),
        (["skipped", "absent"], "absent"),
    ],
)
def test_a_missing_part_has_the_state_that_says_most(outcomes: list[str], expected: State) -> None:
    questions = [asked(f"source {number}", outcome, number) for number, outcome in enumerate(outcomes)]

    assert expected == state_of(article(), questions)
    assert expected == state_of(article(), reversed(questions))


def test_a_later_answer_of_the_same_source_replaces_the_earlier_one() -> None:
    """In whatever order they are read."""
    questions = [asked("pmc", "absent", 1, 2), asked("pmc", "timeout", 1, 1)]

    assert state_of(article(), questions) == "absent"


def test_only_sources_that_could_have_the_part_count() -> None:
    other = SourceQuestion("pubmed_xml", ("mesh",), "blocked")

    assert state_of(article(), [other]) == "not-asked"


def test_what_is_there_is_found_or_too_short() -> None:
    """A full text of a page without rules is not usable (F-PT-10)."""
    long = "word " * 500

    assert state_of(article(fulltext=text(long)), []) == "found"
    assert state_of(article(fulltext=text("short")), [asked("pmc", "absent")]) == "short"
    assert state_of(article(fulltext=text(long, "webpage")), []) == "short"
    assert state_of(article(fulltext=text("short")), [asked("doi", "blocked")]) == "blocked"


def test_the_numbers_of_every_part_add_up() -> None:
    """Each publication has one state in each part; sources and hosts are told."""
    counted = Completeness(USUAL)
    counted.add(full_record())
    lacks = counted.add(
        empty_record(),
        [SourceQuestion("doi", ("title", "fulltext"), "blocked", "a wall", "loom.example", (1,))],
    )
    counted.add_requests({("api.example", "found"): 3, ("api.example", "timeout"): 1})
    told = counted.object()

    assert told["requests"] == [{"host": "api.example", "outcomes": {"found": 3, "timeout": 1}}]
    assert [sum(counted.states[name].values()) for name in PART_NAMES] == [2] * 10
    assert {lack.part: lack.state for lack in lacks}["title"] == "blocked"
    assert next(lack for lack in lacks if lack.part == "title").evidence == "a wall"
    assert told["hosts"] == [{"host": "loom.example", "outcomes": {"blocked": 1}}]
    assert [part["part"] for part in told["parts"]] == list(PART_NAMES)
    assert told["parts"][3]["sources"] == [{"source": "doi", "blocked": 1}]
    assert counted.final["theAbstract"] == 1


def test_bars_are_drawn_to_one_scale() -> None:
    drawn = bars(
        "A <title>",
        [("one", {"found": 30, "absent": 10}), ("two", {"found": 20})],
        {"found": "f", "absent": "a"},
    )
    figure = html.fragment_fromstring(drawn)
    widths = {
        rect.get("class") + title.text: float(rect.get("width"))
        for rect in figure.iter("rect")
        for title in rect.iter("title")
    }

    assert widths["fill-foundone: f 30"] == pytest.approx(3 * widths["fill-absentone: a 10"], abs=0.1)
    assert widths["fill-foundtwo: f 20"] == pytest.approx(2 * widths["fill-absentone: a 10"], abs=0.1)
    assert figure.xpath("string(.//figcaption)") == "A <title>"
    etree.fromstring(drawn.replace("\n", ""))


def test_report_pages_hold_their_numbers_and_no_markup_of_others() -> None:
    """A host name comes from outside, too."""
    evil = "<b>evil</b>.example"
    table, counted = PartTable(), Completeness(USUAL)
    table.add(full_record())
    counted.add(article(), [SourceQuestion("doi", ("fulltext",), "blocked", "", evil)])
    for page in (
        "".join(top_hosts_page("T", [("docs", [(evil, 7)])])),
        "".join(part_table_page("T", table)),
        "".join(completeness_page("T", counted)),
    ):
        document = html.document_fromstring(page)

        assert not document.xpath("//main//b | //@style | //@onclick")
        assert document.xpath("//figure//*[local-name()='rect']")
        assert document.xpath("//tr[contains(@class, 'entry')]")
        assert re.search(r"Content-Security-Policy", page)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("=1+1", "'=1+1"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("-2+3", "'-2+3"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("  =1", "'  =1"),
        ("\t=1", "'\t=1"),
        ("-1", "-1"),
        ("+372", "+372"),
        ("1.5", "1.5"),
        ("plain", "plain"),
        ("a=b", "a=b"),
        ("", ""),
    ],
)
def test_cells_that_would_run_are_defused(cell: str, expected: str) -> None:
    assert defused(cell) == expected
