"""What one line of an identifier list means."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pubweave.contract.values import Identifiers
from pubweave.input.identifier_lines import Problem, Understood, parse


@pytest.mark.parametrize(
    ("line", "pmid", "pmcid", "doi"),
    [
        ("31092905", "31092905", "", ""),
        ("  31092905\t", "31092905", "", ""),
        ("PMC6519000", "", "PMC6519000", ""),
        ("10.1093/nar/gkz369", "", "", "10.1093/NAR/GKZ369"),
        ("https://doi.org/10.1093/nar/gkz369", "", "", "10.1093/NAR/GKZ369"),
        ("doi:10.1093/nar/gkz369", "", "", "10.1093/NAR/GKZ369"),
        ("1\tPMC2\t10.3/four", "1", "PMC2", "10.3/FOUR"),
        ("1\tPMC2", "1", "PMC2", ""),
        ("1\tPMC2\t", "1", "PMC2", ""),
        ("1\t\t10.3/four", "1", "", "10.3/FOUR"),
        ("\t\t10.3/four", "", "", "10.3/FOUR"),
        ("\tPMC2", "", "PMC2", ""),
        ("1 # the first", "1", "", ""),
        ("10.1002/a#b", "", "", "10.1002/A#B"),
        ("1\tPMC2\t10.3/four\t# all three", "1", "PMC2", "10.3/FOUR"),
    ],
)
def test_lines_as_they_should_be(line: str, pmid: str, pmcid: str, doi: str) -> None:
    """One identifier, or three columns of which the last may be missing; nothing is said about them."""
    assert parse(line) == Understood(Identifiers(pmid=pmid, pmcid=pmcid, doi=doi))


@pytest.mark.parametrize("line", ["", "   ", "\t\t", "# a comment", "   # one", "pmid\tpmcid\tdoi", "PMID"])
def test_lines_that_say_nothing(line: str) -> None:
    assert parse(line) is None


@pytest.mark.parametrize(
    ("line", "identifiers"),
    [
        ("pmc6519000", Identifiers(pmcid="PMC6519000")),
        ("Pmc6519000", Identifiers(pmcid="PMC6519000")),
        ("PMID: 31092905", Identifiers(pmid="31092905")),
        ("pmcid:PMC6519000", Identifiers(pmcid="PMC6519000")),
        ("DOI:10.1/x", Identifiers(doi="10.1/X")),
        ("https://www.doi.org/10.1/x", Identifiers(doi="10.1/X")),
        ("https://pubmed.ncbi.nlm.nih.gov/31092905/", Identifiers(pmid="31092905")),
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC6519000/", Identifiers(pmcid="PMC6519000")),
        ("PMC6519000\t\t", Identifiers(pmcid="PMC6519000")),
        ("10.1/x\t\t\t", Identifiers(doi="10.1/X")),
        ("\tpmc2", Identifiers(pmcid="PMC2")),
    ],
)
def test_lines_that_can_only_mean_one_thing(line: str, identifiers: Identifiers) -> None:
    """A-01: accepted; where something was repaired, it is said; never stored as it was written."""
    result = parse(line)

    assert isinstance(result, Understood)
    assert result.identifiers == identifiers


def test_a_repair_is_said() -> None:
    result = parse("pmc123")

    assert isinstance(result, Understood)
    assert result.notice == "'pmc123' is taken as the PMCID PMC123"


def test_a_doi_with_a_space_is_taken_and_said() -> None:
    """F-ID-05: a user may give one."""
    result = parse("10.1/a b")

    assert isinstance(result, Understood)
    assert result.identifiers.doi == "10.1/A B"
    assert "space" in result.notice


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("hello", "not a PMID, PMCID or DOI"),
        ("007", "did you mean 7?"),
        ("0", "not a PMID"),
        ("-1", "not a PMID"),
        ("\u0661\u0662", "not a PMID"),
        ("PMC 123", "did you mean PMC123?"),
        ("PMC0", "not a PMCID"),
        ("10.1093", "no slash"),
        ("12, 13", "several identifiers"),
        ("12 PMC13 10.1/x", "several identifiers"),
        ("123,", "did you mean 123?"),
        ("https://example.org/a", "web address"),
        ("see doi: 10.1/x", "did you mean the DOI 10.1/X?"),
        ("1\t10.1/x", "column 2 should hold a PMCID and holds the DOI"),
        ("1\tPMC2\tfoo", "column 3 (DOI): 'foo' is not"),
        ("1\tPMC2\t10.3/x\t4", "4 columns"),
        ("PMC1\t2\t", "column 1 should hold a PMID"),
        ("\x1b[31mred", "not a PMID"),
    ],
)
def test_lines_that_cannot_be_fetched(line: str, words: str) -> None:
    """Each says in one sentence what is wrong, and what was probably meant."""
    result = parse(line)

    assert isinstance(result, Problem)
    assert words in result.sentence
    assert result.sentence.isprintable()


@settings(derandomize=True, deadline=None, max_examples=300)
@example("1\t2\t3")
@example("pmid:")
@example("doi.org/10.1/x y\tz")
@given(st.text(alphabet=st.sampled_from("0123456789PMCpmcidoDOI./:# \t,-hts_\u00e9\u0661"), max_size=40))
def test_any_line_is_understood_or_explained(line: str) -> None:
    """Never an exception; what is understood is valid and non-empty; what is not has a printable sentence."""
    result = parse(line)

    if isinstance(result, Understood):
        assert result.identifiers.known()
        again = parse("\t".join((result.identifiers.pmid, result.identifiers.pmcid, result.identifiers.doi)))

        assert isinstance(again, Understood)
        assert again.identifiers == result.identifiers
    elif isinstance(result, Problem):
        assert result.sentence
        assert result.sentence.isprintable()
