"""Identifiers: what is valid, and how they are normalised, compared and ordered (chapter 2)."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pubweave.contract.values import Identifiers
from pubweave.core import identifiers as ids


@pytest.mark.parametrize(
    ("text", "pmid", "pmcid", "doi"),
    [
        ("12", True, False, False),
        ("012", False, False, False),
        ("0", False, False, False),
        (" 12", False, False, False),
        ("12\n", False, False, False),
        ("١٢", False, False, False),
        ("PMC1", False, True, False),
        ("pmc1", False, False, False),
        ("PMC01", False, False, False),
        ("PMC", False, False, False),
        ("10.1/x", False, False, True),
        ("10.1/", False, False, True),
        ("10./x", False, False, False),
        ("10.1", False, False, False),
        ("doi:10.1/x", False, False, True),
        ("DOI:10.1/x", False, False, False),
        ("https://doi.org/10.1/x", False, False, True),
        ("http://dx.doi.org/10.1/x", False, False, True),
        ("https://www.doi.org/10.1/x", False, False, False),
        ("10.1/a b", False, False, True),
        ("10.1/aé", False, False, True),
        ("10.1/a\tb", False, False, False),
        ("", False, False, False),
    ],
)
def test_validity(text: str, pmid: bool, pmcid: bool, doi: bool) -> None:
    """T-001, F-ID-02…04."""
    assert (ids.is_pmid(text), ids.is_pmcid(text), ids.is_doi(text)) == (pmid, pmcid, doi)


def test_a_doi_found_on_a_page_has_no_space() -> None:
    """F-ID-05."""
    assert ids.is_found_doi("10.1/ab")
    assert not ids.is_found_doi("10.1/a b")


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        ("https://doi.org/10.1/aé", "10.1/Aé"),
        ("doi:10.1093/nar/gkz369", "10.1093/NAR/GKZ369"),
        ("doi:doi:10.1/x", "DOI:10.1/X"),
        ("", ""),
        ("ﬁ10.1/ß", "ﬁ10.1/ß"),
    ],
)
def test_normalisation(given_: str, expected: str) -> None:
    """T-002, F-ID-10: one prefix goes, ASCII letters only are upper-cased."""
    assert ids.normalise_doi(given_) == expected


@settings(derandomize=True, deadline=None)
@given(st.text(max_size=40))
def test_normalising_twice_changes_nothing_more_than_prefixes(text: str) -> None:
    once = ids.normalise_doi("10.1/" + text)

    assert ids.normalise_doi(once) == once


def test_pieces_of_identifiers() -> None:
    """T-003, F-ID-12, F-ID-13."""
    assert ids.pmcid_digits("PMC123") == "123"
    assert ids.pmcid_digits("123") == ""
    assert ids.doi_registrant("10.1093/nar/gkz369") == "1093"
    assert ids.doi_registrant("https://doi.org/10.1000.10/123") == "1000.10"
    assert ids.doi_registrant("no doi") == ""


@pytest.mark.parametrize(
    ("text", "kind"), [("1", "pmid"), ("PMC1", "pmcid"), ("10.1/1", "doi"), ("foo", None), ("", None)]
)
def test_which_identifier_it_is(text: str, kind: str | None) -> None:
    """F-ID-14."""
    assert ids.kind_of(text) == kind


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("pmid", "PMID: 123", "123"),
        ("pmid", "pmid 123", "123"),
        ("pmid", "PMID::123", "123"),
        ("pmid", "PMID: x", ""),
        ("pmid", "PMID: 0123", ""),
        ("pmcid", "pmcid:pmc55", "PMC55"),
        ("pmcid", "PMCID: PMC55 and PMC66", "PMC55"),
        ("pmcid", "55", ""),
        ("doi", "DOI 10.1/aé", "10.1/Aé"),
        ("doi", "see doi:10.1/x", "10.1/X"),
        ("doi", "https://doi.org/10.1/x", "10.1/X"),
        ("doi", "10.1", ""),
    ],
)
def test_identifiers_in_text(kind: str, text: str, expected: str) -> None:
    """T-005, F-ID-15: labels are cut off, only the first valid one counts."""
    assert ids.identifier_in_text(kind, text) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("old", "new", "variant"),
    [
        ("10.1/X", "10.1/X.2", True),
        ("10.1/X.2", "10.1/X", True),
        ("10.1/X", "10.1/X_12", True),
        ("10.1/X", "10.1/X-1", True),
        ("10.1/X", "10.1/X2", False),
        ("10.1/X", "10.1/X.V2", False),
        ("10.1/X.1", "10.1/X.2", False),
        ("10.12688/F1000RESEARCH.1.1", "10.12688/F1000RESEARCH.9.2", True),
        ("10.1/X", "10.1/X", True),
        ("", "10.1/X", False),
    ],
)
def test_versions_are_no_change(old: str, new: str, variant: bool) -> None:
    """T-008, F-ID-41."""
    assert ids.is_variant(old, new) is variant


def test_order() -> None:
    """T-007, F-ID-30…31: PMIDs by number, then PMCIDs, then DOIs by registrant, sub-registrants as text."""
    ordered = [
        Identifiers(pmid="9", doi="10.9/Z"),
        Identifiers(pmid="10"),
        Identifiers(pmcid="PMC9"),
        Identifiers(pmcid="PMC10", doi="10.1/A"),
        Identifiers(doi="10.9/B"),
        Identifiers(doi="10.10/A"),
        Identifiers(doi="10.10/B"),
        Identifiers(doi="10.1000.10/A"),
    ]
    shuffled = ordered.copy()
    random.Random(1).shuffle(shuffled)

    assert sorted(shuffled, key=ids.sort_key) == ordered


def test_addresses_for_people() -> None:
    """F-ID-17."""
    assert ids.link_to("pmid", "1") == "https://www.ncbi.nlm.nih.gov/pubmed/?term=1"
    assert ids.link_to("pmcid", "PMC1") == "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC1/"
    assert ids.link_to("doi", "10.1/X") == "https://doi.org/10.1/X"
