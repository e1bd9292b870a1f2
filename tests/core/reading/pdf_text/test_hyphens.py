"""Broken words are mended by what else the document says."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pubweave.core.reading.pdf_text.hyphens import WholeWords
from pubweave.core.reading.pdf_text.paragraphs import joined


def mend(first: str, second: str, *elsewhere: str) -> str:
    """Two lines as one, in a document that has these lines besides."""
    return joined((first, second), WholeWords([(first, second), *((line,) for line in elsewhere if line)]))


MENDED = [
    ("the infor-", "mation was", "", "the information was"),
    ("the infor-", "mation was", "all information here", "the information was"),
    ("a dose-", "response curve", "the dose-response is", "a dose-response curve"),
    ("a dose-", "response curve", "the doseresponse is", "a doseresponse curve"),
    ("were anti-inflam-", "matory in", "", "were anti-inflammatory in"),
    ("were anti-", "inflammatory in", "anti-inflammatory", "were anti-inflammatory in"),
    ("were glucose-", "dependent in", "glucose is oxygen-dependent", "were glucose-dependent in"),
    ("were stress-", "related in", "stress", "were stress-related in"),
    ("a non-", "trivial result", "a trivial one, non-linear or non-zero", "a non-trivial result"),
    ("of the T-", "cell line", "", "of the T-cell line"),
    ("by Smith-", "Jones and", "", "by Smith-Jones and"),
    ("the HYPER-", "TENSION TRIAL", "", "the HYPERTENSION TRIAL"),
    ("in 1998-", "1999 we", "", "in 1998-1999 we"),
    ("of COVID-", "19 in", "", "of COVID-19 in"),
    ("see https://a.example/some-", "page for", "", "see https://a.example/some-page for"),
    ("the mecha-", "nism12 was", "mechanism", "the mechanism12 was"),
    ("which is -", "or was", "", "which is - or was"),
    ("with in-", "and outpatients", "", "with in- and outpatients"),
]


@pytest.mark.parametrize(("first", "second", "elsewhere", "expected"), MENDED)
def test_a_hyphen_goes_or_stays(first: str, second: str, elsewhere: str, expected: str) -> None:
    """The document decides; where it is silent, what typesetters do most often."""
    assert expected == mend(first, second, elsewhere)


def test_the_halves_themselves_are_no_evidence() -> None:
    """A word that is broken twice has not been seen whole."""
    assert mend("the chroma-", "tography", "a chroma-") == "the chromatography"


def test_the_more_frequent_form_wins() -> None:
    """Where a paper writes it both ways, as it mostly does."""
    often, seldom = ("in cooperation with", "by cooperation of"), ("a co-operation",)

    assert mend("in co-", "operation", *often, *seldom) == "in cooperation"
    assert mend("in co-", "operation", *seldom, *seldom, "one cooperation") == "in co-operation"


@settings(derandomize=True, max_examples=200, deadline=None)
@given(
    st.lists(st.text(st.characters(blacklist_categories=["Cs", "Cc"]), min_size=1, max_size=20), min_size=1)
)
def test_nothing_but_hyphens_is_lost(lines: list[str]) -> None:
    """Whatever the lines are, their letters and digits come out in their order."""
    told = tuple(words for line in lines if (words := " ".join(line.split())))
    if not told:
        return
    text = joined(told, WholeWords([told]))

    assert [one for one in text if one.isalnum()] == [one for line in told for one in line if one.isalnum()]
