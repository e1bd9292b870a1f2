"""The table of the chain, row by row: when each resource is asked, with what, and when not (chapter 9.2)."""

import pytest

from pubweave.contract.part_candidate import PartCandidate
from pubweave.contract.values import Identifiers, Place, RunSettings
from pubweave.contract.vocabulary import PART_NAMES, PartName
from pubweave.core.merging.chain import CHAIN, ChainProgress, ChainRow, consider
from pubweave.core.merging.fold import Draft

ROWS: dict[str, ChainRow] = {
    name: CHAIN[index]
    for index, name in enumerate(
        ["europepmc", "fulltext", "efo", "go", "pubmed_xml", "pubmed_html", "pmc", "doi", "unpaywall"]
    )
}
NEEDS: dict[str, tuple[PartName, ...]] = {
    "europepmc": PART_NAMES,
    "fulltext": ("pmid", "doi", "title", "keywords", "theAbstract", "fulltext"),
    "efo": ("efo",),
    "go": ("go",),
    "pubmed_xml": ("pmid", "pmcid", "doi", "title", "mesh", "theAbstract"),
    "pubmed_html": ("title", "theAbstract"),
    "pmc": ("pmid", "pmcid", "doi", "title", "keywords", "theAbstract", "fulltext"),
    "doi": ("pmid", "pmcid", "doi", "title", "keywords", "theAbstract", "fulltext"),
    "unpaywall": ("title", "theAbstract", "fulltext"),
}
"""The sets of F-NEED-01…09, typed again from the specification."""
VALUES = {"pmid": "1", "pmcid": "PMC1", "doi": "10.1/X"}


def draft_with(*final: str, known: tuple[str, ...] = ("pmid", "pmcid", "doi"), oa: bool = True) -> Draft:
    """A draft whose named parts are final; the other identifiers in `known` were supplied."""
    draft = Draft()
    place = Place(1, 1, 1, 1, 0, 0)
    draft.supply(Identifiers(**{kind: VALUES[kind] for kind in known}), Identifiers(), place, 1)
    for part in final:
        text = VALUES.get(part, "x" * 3000)
        words = ("a", "b") if part not in ("pmid", "pmcid", "doi", "title", "theAbstract", "fulltext") else ()
        draft.take(
            PartCandidate(
                "p", "n", "a", place, 1, part, "europepmc", "u", len(words) or len(text), text, words
            ),  # type: ignore[arg-type]
            RunSettings(),
        )
    draft.oa = oa
    return draft


def gates_open() -> ChainProgress:
    progress = ChainProgress()
    progress.gates = {"isOpenAccess": True, "hasTextMinedTerms": True}
    return progress


@pytest.mark.parametrize("name", ROWS)
def test_skipped_when_its_set_is_final(name: str) -> None:
    """F-NEED-01…09: with everything in its set final a resource is not asked, whatever else is missing."""
    draft = draft_with(*NEEDS[name])

    assert consider(ROWS[name], draft, RunSettings(), gates_open(), frozenset()) == ("skip", None)


@pytest.mark.parametrize(("name", "part"), [(name, part) for name, parts in NEEDS.items() for part in parts])
def test_asked_when_one_part_of_its_set_is_missing(name: str, part: PartName) -> None:
    """Each part of the set is a reason by itself, if it was requested (F-CHAIN-07)."""
    draft = draft_with(*(other for other in NEEDS[name] if other != part))
    unrequested = RunSettings(parts=tuple(other for other in PART_NAMES if other != part))

    assert consider(ROWS[name], draft, RunSettings(), gates_open(), frozenset())[0] == "ask"
    assert consider(ROWS[name], draft, unrequested, gates_open(), frozenset())[0] == "skip"


@pytest.mark.parametrize("name", ["europepmc", "unpaywall"])
def test_open_access_is_a_reason_while_a_full_text_is_wanted(name: str) -> None:
    """F-NEED-01, F-NEED-09."""
    draft = draft_with(*PART_NAMES, oa=False)
    without = RunSettings(parts=tuple(part for part in PART_NAMES if part != "fulltext"))

    assert consider(ROWS[name], draft, RunSettings(), gates_open(), frozenset())[0] == "ask"
    assert consider(ROWS[name], draft, without, gates_open(), frozenset())[0] == "skip"


def test_unpaywall_converts_identifiers() -> None:
    """F-NEED-09, F-UPW-02: asked for a missing identifier only if nothing but identifiers was requested."""
    draft = draft_with("pmid", "doi", "title", "theAbstract", "fulltext")

    assert consider(ROWS["unpaywall"], draft, RunSettings(), gates_open(), frozenset())[0] == "skip"
    assert consider(
        ROWS["unpaywall"], draft, RunSettings(parts=("pmid", "pmcid", "doi")), gates_open(), frozenset()
    ) == ("ask", "doi")


@pytest.mark.parametrize(
    ("name", "known", "kind"),
    [
        ("europepmc", ("pmid", "pmcid", "doi"), "pmid"),
        ("europepmc", ("pmcid", "doi"), "pmcid"),
        ("europepmc", ("doi",), "doi"),
        ("fulltext", ("pmid", "pmcid", "doi"), "pmcid"),
        ("fulltext", ("pmid", "doi"), None),
        ("efo", ("pmid", "pmcid", "doi"), "pmcid"),
        ("go", ("pmid",), "pmid"),
        ("go", ("doi",), None),
        ("pubmed_xml", ("pmid", "doi"), "pmid"),
        ("pubmed_xml", ("pmcid", "doi"), None),
        ("pubmed_html", ("pmid",), "pmid"),
        ("pmc", ("pmcid",), "pmcid"),
        ("doi", ("pmid", "pmcid"), None),
        ("doi", ("doi",), "doi"),
        ("unpaywall", ("doi",), "doi"),
    ],
)
def test_asked_with_the_best_identifier(name: str, known: tuple[str, ...], kind: str | None) -> None:
    """The column "needs ID" of the table; without one the resource is skipped (F-CHAIN-02)."""
    expected = ("ask", kind) if kind else ("skip", None)

    assert consider(ROWS[name], draft_with(known=known), RunSettings(), gates_open(), frozenset()) == expected


@pytest.mark.parametrize(
    ("name", "gate"),
    [("fulltext", "isOpenAccess"), ("efo", "hasTextMinedTerms"), ("go", "hasTextMinedTerms")],
)
def test_gates(name: str, gate: str) -> None:
    """F-EPMC-09: closed or never said means skipped; not said yet means waiting."""
    progress = ChainProgress()

    assert consider(ROWS[name], draft_with(), RunSettings(), progress, frozenset()) == ("skip", None)
    assert consider(ROWS[name], draft_with(), RunSettings(), progress, {gate}) == ("wait", None)
    progress.gates[gate] = False  # type: ignore[index]
    assert consider(ROWS[name], draft_with(), RunSettings(), progress, frozenset()) == ("skip", None)


def test_tried_values_and_successes_are_not_asked_again() -> None:
    """F-CHAIN-05, A-09: each value once; a new value of the kind allows one more try; a success ends it."""
    progress = gates_open()
    row = ROWS["europepmc"]
    progress.tried.add((row.rank, "pmid", "1"))

    assert consider(row, draft_with(), RunSettings(), progress, frozenset()) == ("ask", "pmcid")
    progress.succeeded.add(row.rank)
    assert consider(row, draft_with(), RunSettings(), progress, frozenset()) == ("skip", None)


@pytest.mark.parametrize(
    ("unsettled", "verdict"),
    [
        (frozenset(), "ask"),
        (frozenset({"fulltext"}), "ask"),  # the abstract is a reason that nobody can take away
        (frozenset({"title", "theAbstract", "mesh"}), "wait"),
        (frozenset({"pmid"}), "wait"),
    ],
)
def test_waiting_for_what_pending_answers_may_still_decide(unsettled: frozenset[str], verdict: str) -> None:
    """P-21: PubMed, which lacks title, MeSH and abstract here, is asked beside others only where no pending
    answer could have cancelled the question or changed its identifier."""
    draft = draft_with("pmid", "pmcid", "doi") if "pmid" not in unsettled else draft_with("pmcid", "doi")

    assert consider(ROWS["pubmed_xml"], draft, RunSettings(), ChainProgress(), unsettled)[0] == verdict


@pytest.mark.parametrize("row", CHAIN, ids=lambda row: f"{row.rank}-{row.resource}")
def test_every_row_is_asked_by_somebody(row: ChainRow) -> None:
    """With each identifier that it declares to ask with, where everything is lacking and Europe PMC opened the gates; so a
    resource is never deployed for nothing."""
    for kind in row.asks:
        draft = draft_with(known=(kind,))

        assert consider(row, draft, RunSettings(), gates_open(), frozenset()) == ("ask", kind)
