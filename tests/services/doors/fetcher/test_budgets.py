"""The budgets file: what it says, what overrides it, and how it complains."""

from pathlib import Path

import pytest

from pubweave.adapters.clock import ManualClock
from pubweave.contract.resources import DECLARATIONS
from pubweave.doors.fetcher import FetcherSettings
from pubweave.doors.fetcher.budgets import BudgetProblem, load_budgets
from pubweave.doors.fetcher.settings import FetcherProblem
from services.doors.fetcher.loopback import OpenFetcher, Server, reply_bytes, says, wanted


def written(folder: Path, text: str) -> Path:
    path = folder / "mine.yaml"
    path.write_text(text, "utf-8")
    return path


def test_every_family_that_comes_along_says_where_its_figures_are_from() -> None:
    """A figure without source and date cannot be checked by anybody."""
    for budget in load_budgets().families.values():
        assert budget.at, budget.family
        assert budget.source, budget.family
        assert budget.as_of, budget.family


def test_the_limits_are_those_of_the_sources() -> None:
    """NCBI 3/s, 10/s with a key; Europe PMC and annotations 5/s; Unpaywall 100,000 a day; batches."""
    budgets = load_budgets()
    ncbi = budgets.families["ncbi"]

    assert (ncbi.starts(keyed=False), ncbi.starts(keyed=True)) == (3, 10)
    assert budgets.families["europepmc"].starts(keyed=True) == 5
    assert budgets.families["annotations"].starts(keyed=False) == 5
    assert budgets.families["unpaywall"].daily_quota == 100_000
    assert (budgets.families["doi"].connections, budgets.families["doi"].requests) == (8, 0)
    sizes = {one.name: one.batching.most for one in DECLARATIONS}
    assert [sizes[name] for name in ("europepmc", "pubmed_xml", "pmc", "europepmc_mined", "doi")] == [
        100,
        200,
        20,
        8,
        1,
    ]


@pytest.mark.parametrize(
    ("url", "unit"),
    [
        ("https://www.ebi.ac.uk/europepmc/webservices/rest/search?query=x", "europepmc"),
        ("https://WWW.ebi.ac.uk/europepmc/annotations_api/annotationsByArticleIds", "annotations"),
        ("https://www.ebi.ac.uk/europepmc/webservices/restless", "ebi.ac.uk"),
        ("https://eutils.ncbi.nlm.nih.gov/entrez/eutils/efetch.fcgi", "ncbi"),
        ("https://www.Example.org/a", "example.org"),
        ("nonsense", "-"),
    ],
)
def test_an_address_belongs_to_the_family_of_its_host_and_path(url: str, unit: str) -> None:
    """Path prefixes end at a slash; a host without family is its own unit, folded."""
    assert load_budgets().unit_of(url) == unit


def test_single_figures_are_overridden(tmp_path: Path) -> None:
    """What the file does not say stays; who sets the rate means it with and without a key."""
    budgets = load_budgets(
        written(tmp_path, "ncbi: {requests: 1, seconds: 2.5}\nunpaywall: {daily_quota: unlimited}\n")
    )
    ncbi = budgets.families["ncbi"]

    assert (ncbi.starts(keyed=True), ncbi.seconds, ncbi.at) == (1, 2.5, ("eutils.ncbi.nlm.nih.gov",))
    assert (budgets.families["unpaywall"].daily_quota, budgets.families["unpaywall"].requests) == (0, 10)


def test_a_family_of_ones_own_is_added(tmp_path: Path) -> None:
    """A publisher's host can have a rate."""
    budgets = load_budgets(written(tmp_path, "slow_press:\n  at: [slow.example]\n  requests: 1\n"))

    assert budgets.unit_of("https://slow.example/article/1") == "slow_press"


def test_an_empty_file_overrides_nothing(tmp_path: Path) -> None:
    """Only comments: everything stays."""
    assert load_budgets(written(tmp_path, "# nothing yet\n")).families == load_budgets().families


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("ncbi:\n  requests: fast\n", "line 2: ncbi.requests must be a whole number above 0 or `unlimited`, not `fast`"),
        ("ncbi: {requests: 0}", "line 1: ncbi.requests must be a whole number above 0"),
        ("ncbi: {requests: 2.5}", "ncbi.requests must be a whole number"),
        ("ncbi: {seconds: unlimited}", "ncbi.seconds must be a number above 0, not `unlimited`"),
        ("ncbi: {request: 3}", "line 1: ncbi.request is not known; the figures are at, requests"),
        ("ncbi: 3\n", "line 1: ncbi must map figures to values"),
        ("- ncbi\n", "line 1: the file must map family names to values"),
        ("ncbi:\n  at: [https://x.org]\n", "ncbi.at must list hosts"),
        ("ncbi:\n  at: x.org\n", "ncbi.at must list hosts"),
        ("ncbi: {batch: {pmc: 5}}", "line 1: ncbi.batch was never heeded: a resource declares itself how many"),
        ("a: {requests: 1}\na: {requests: 2}\n", "line 2: a stands twice"),
        ("ncbi: [\n", "is not YAML"),
    ],
)  # fmt: skip
def test_a_bad_file_is_refused_with_the_place(text: str, complaint: str, tmp_path: Path) -> None:
    """One sentence: file, line, key, what is wrong."""
    path = written(tmp_path, text)
    with pytest.raises(BudgetProblem) as problem:
        load_budgets(path)

    assert complaint in str(problem.value)
    assert str(path) in str(problem.value)
    assert "\n" not in str(problem.value)


def test_a_file_that_is_not_there_or_no_text_is_refused(tmp_path: Path) -> None:
    """The reason is the system's."""
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path / "none.yaml", tmp_path, tmp_path / "binary.yaml"):
        with pytest.raises(BudgetProblem, match="cannot be read"):
            load_budgets(path)


async def test_the_fetcher_does_not_start_with_a_bad_file(tmp_path: Path) -> None:
    """A wrong budget would be impolite; it is told before anything is asked."""
    from pubweave.adapters.clock import SystemClock
    from pubweave.doors.fetcher import FetcherDoor

    with pytest.raises(FetcherProblem):
        FetcherDoor(FetcherSettings(budgets_file=written(tmp_path, "ncbi: 3")), SystemClock())


@pytest.mark.network
async def test_a_changed_file_holds_without_a_restart(
    open_fetcher: OpenFetcher, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """What is asked next is asked by the new figures; a file with a mistake leaves the old ones in force."""
    clock, path = ManualClock(), tmp_path / "budgets.yaml"
    path.write_text("mine: {at: [127.0.0.1], requests: 2}")
    async with (
        Server(says(reply_bytes(b"x"))).running() as server,
        open_fetcher(clock=clock, budgets_file=path, no_budgets=False, first_window="skip") as fetcher,
    ):
        found = []
        for text in ("mine: {at: [127.0.0.1], requests: 7}", "mine: {at: [127.0.0.1], requests: none}", ""):
            path.write_text(text)
            await clock.advance(2)
            await fetcher.fetch(wanted(server.url))
            found.append(mine.requests if (mine := fetcher.budgets.get("mine")) else 0)

    assert found == [7, 7, 0]
    assert [record.levelname for record in caplog.records if "left as it was" in record.message] == ["ERROR"]
