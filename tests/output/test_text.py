"""Plain text output is chapter 18.3."""

import pytest

from output.records import empty_record, full_record
from pubweave.contract.vocabulary import PART_NAMES, RESOURCE_NAMES, TYPE_NAMES, PartName
from pubweave.output.labels import PART_LABELS, RESOURCE_LABELS, TYPE_LABELS
from pubweave.output.publication import Selection
from pubweave.output.text import SEPARATOR, between, identifiers_text, publication_text


def test_every_part_stands_with_its_metadata() -> None:
    """F-TXT-02: label in capitals, colon, content, then indented type, url, timestamp and size."""
    lines = publication_text(full_record()).split("\n")

    at = lines.index("TITLE: Warp < weft & <b>tension</b>")

    assert lines[at + 1 : at + 5] == [
        "    type: Europe PubMed Central",
        "    url: https://www.ebi.ac.uk/europepmc/webservices/rest/search?query=ext_id:31092905",
        "    timestamp: 2018-08-31T13:37:51.123Z (1535722671123)",
        "    size: 28",
    ]


def test_fields_and_visited_sites_follow_the_parts() -> None:
    """F-TXT-02: after the parts the fields and the visited sites."""
    shown = publication_text(full_record())
    order = [shown.index(mark) for mark in ("PMID:", "FULL TEXT:", "OPEN ACCESS: yes", "VISITED SITES:")]

    assert sorted(order) == order
    for expected in (
        "JOURNAL TITLE: Annals of Small Looms",
        "PUBLICATION DATE: 2018-08-30 (1535587200000)",
        "CITATIONS COUNT: 17",
        "Ada Weaver (https://orcid.org/0000-0001-5109-3700, ada@loom.example)",
        "    https://loom.example/a",
        "        from: https://doi.org/10.5555/A",
        "FETCH TIME: 2018-08-31T13:37:51.123Z (1535722671123)",
        "RETRY COUNTER: 2",
        "FETCH EXCEPTION: yes",
        "NOTICE: retracted",
    ):
        assert expected in shown


def test_what_only_json_says_is_not_there() -> None:
    """F-TXT-01: no status words, no version, no argv."""
    shown = publication_text(full_record()).lower()

    for word in ("usable", "totallyfinal", "argv"):
        assert word not in shown


def test_plain_text_is_contents_only() -> None:
    """F-TXT-03: identifiers in brackets, lists as `[a; b; c]`."""
    blocks = publication_text(full_record(), Selection(plain=True)).split("\n\n")

    assert blocks[0] == "[31092905, PMC6519000, 10.5555/LOOM.1]"
    assert blocks[1] == "Warp < weft & <b>tension</b>"
    assert blocks[2] == "[loom; thread; double]"
    assert blocks[3] == "[Textiles; Humans]"
    assert blocks[4] == "[weaving assay]"
    assert blocks[5] == "[]"


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (("pmid", "pmcid", "doi"), "31092905\tPMC6519000\t10.5555/LOOM.1\n"),
        (("doi", "pmid"), "31092905\t\t10.5555/LOOM.1\n"),
        (("pmcid",), "\tPMC6519000\t\n"),
        (("mesh",), "[Textiles; Humans]\n"),
        (("title",), "Warp < weft & <b>tension</b>\n"),
    ],
)
def test_some_selections_are_one_line_each(parts: tuple[PartName, ...], expected: str) -> None:
    """F-TXT-04 and F-TXT-05: only identifiers, or one part that is short; nothing stands between."""
    selection = Selection(plain=True, parts=parts)

    assert expected == publication_text(full_record(), selection)
    assert between(selection) == ""


@pytest.mark.parametrize(
    "selection",
    [
        Selection(),
        Selection(plain=True),
        Selection(plain=True, parts=("theAbstract",)),
        Selection(plain=True, parts=("title", "mesh")),
        Selection(parts=("pmid",)),
    ],
)
def test_all_others_have_a_line_between(selection: Selection) -> None:
    """F-TXT-06."""
    assert f"\n{SEPARATOR}\n\n" == between(selection)


def test_out_part_shows_only_the_chosen_parts() -> None:
    shown = publication_text(full_record(), Selection(parts=("title",)))

    assert shown.startswith("TITLE: ")
    assert len(shown.splitlines()) == 5


def test_an_empty_record_still_says_what_is_known() -> None:
    shown = publication_text(empty_record())

    assert "DOI: 10.5555/NOWHERE" in shown
    assert "    type: Supplied by the user" in shown
    assert "TITLE:\n    type: Nothing\n" in shown


def test_identifier_lines() -> None:
    """F-CLI-100."""
    assert identifiers_text(full_record(), plain=True) == "31092905\tPMC6519000\t10.5555/LOOM.1\n"
    assert identifiers_text(full_record(), plain=False).startswith(
        "[31092905, PMC6519000, 10.5555/LOOM.1] (https:"
    )


def test_everything_has_a_name_for_people() -> None:
    """F-JSON-12: no part, type or resource appears raw in text."""
    assert set(PART_NAMES) == set(PART_LABELS)
    assert set(TYPE_NAMES) == set(TYPE_LABELS)
    assert len(set(TYPE_LABELS.values())) == len(TYPE_NAMES)
    assert len(set(RESOURCE_LABELS.values())) == len(RESOURCE_NAMES)
