"""The type ladder (chapter 4.1)."""

from itertools import product

import pytest

from pubweave.contract.vocabulary import TYPE_NAMES
from pubweave.core import types

SPECIFIED = [
    "europepmc",
    "europepmc_xml",
    "europepmc_html",
    "pubmed_xml",
    "pubmed_html",
    "pmc_xml",
    "pmc_html",
    "doi",
    "link",
    "link_oadoi",
    "citation",
    "eprints",
    "bepress",
    "link_citation",
    "link_eprints",
    "dc",
    "og",
    "twitter",
    "meta",
    "link_meta",
    "external",
    "oadoi",
    "pdf_europepmc",
    "pdf_pmc",
    "pdf_doi",
    "pdf_link",
    "pdf_oadoi",
    "pdf_citation",
    "pdf_eprints",
    "pdf_bepress",
    "pdf_meta",
    "webpage",
    "na",
]
"""Typed again from the specification."""


def test_thirty_three_types_ten_of_them_final() -> None:
    """F-TY-01, F-TY-02. Types beyond the specification stand among those that are not final, and change no order."""
    of_the_specification = [name for name in TYPE_NAMES if name in SPECIFIED]

    assert of_the_specification == SPECIFIED
    assert len(SPECIFIED) == 33
    assert TYPE_NAMES[-2:] == ("webpage", "na")
    assert set(TYPE_NAMES[:10]) == set(SPECIFIED[:10]) == types.FINAL
    assert TYPE_NAMES.index("crossref") > TYPE_NAMES.index("oadoi")


def test_final_types_are_equivalent_and_every_pair_has_one_relation() -> None:
    """F-TY-03…05: of two types exactly one holds: better, lesser, equivalent; and they mirror each other."""
    for one, other in product(TYPE_NAMES, TYPE_NAMES):
        relations = [
            types.is_better(one, other),
            types.is_lesser(one, other),
            types.is_equivalent(one, other),
        ]

        assert relations.count(True) == 1
        assert types.is_better(one, other) == types.is_lesser(other, one)
        if one in types.FINAL and other in types.FINAL:
            assert types.is_equivalent(one, other)


@pytest.mark.parametrize(
    ("page", "pdf"),
    [
        ("europepmc_html", "pdf_europepmc"),
        ("pmc_html", "pdf_pmc"),
        ("doi", "pdf_doi"),
        ("link", "pdf_link"),
        ("link_oadoi", "pdf_oadoi"),
        ("link_citation", "pdf_citation"),
        ("link_eprints", "pdf_eprints"),
        ("link_meta", "pdf_meta"),
        ("pdf_doi", "pdf_doi"),
        ("webpage", "webpage"),
    ],
)
def test_pdf_counterparts(page: str, pdf: str) -> None:
    """T-015, F-TY-06."""
    assert types.pdf_counterpart(page) == pdf  # type: ignore[arg-type]


def test_the_worse_type_limits() -> None:
    """F-META-06."""
    assert types.worse("citation", "link_meta") == "link_meta"
    assert types.worse("og", "doi") == "og"
