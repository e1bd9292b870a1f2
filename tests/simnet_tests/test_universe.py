"""The universe: the same for the same seed, found by every identifier, and of the promised mixture."""

import ast
from collections import Counter
from pathlib import Path

import pytest

import simnet
from simnet.content import abstract_of
from simnet.facts import Publication, ids_of, same_doi
from simnet.profile import KINDS, STANDARD
from simnet.query import run
from simnet.replies import jats
from simnet.universe import Universe


def test_a_publication_depends_on_seed_and_number_alone(universe: Universe) -> None:
    """Neither the size of the universe nor what was asked before changes a publication."""
    larger = Universe(1, 100_000)

    assert [universe.publication(i) for i in range(300)] == [larger.publication(i) for i in range(300)]


def test_another_seed_is_another_universe(universe: Universe) -> None:
    """Two universes of different seeds share hardly a publication."""
    other = Universe(2, 300)
    same = sum(universe.publication(i).journal == other.publication(i).journal for i in range(300))

    assert same < 30


@pytest.mark.parametrize("size", [0, (1 << 22) + 1])
def test_impossible_sizes_are_refused(size: int) -> None:
    """A universe has between one and 2^22 publications."""
    with pytest.raises(ValueError, match="a universe has 1 to"):
        Universe(1, size)


def test_every_submitted_identifier_leads_to_its_publication(universe: Universe) -> None:
    """Right, wrong or versioned: the universe knows whom the submitter means."""
    lost = [
        (publication.index, one)
        for publication in universe
        for one in publication.submitted
        if one and universe.owner(ids_of(one)) is not publication
    ]

    assert lost == []


def test_identifiers_are_unique(universe: Universe) -> None:
    """No two publications have a true identifier in common."""
    count = Counter(one for publication in universe for one in publication.ids if one)

    assert [one for one, times in count.items() if times > 1] == []


def test_records_are_found_by_the_identifiers_they_show(universe: Universe) -> None:
    """Europe PMC finds each record by PMID, PMCID and DOI, whatever the case of the DOI."""
    missed = []
    for publication in universe:
        for record in publication.records:
            queries = [f"ext_id:{record.id} src:{record.source.lower()}"]
            queries += [f"pmcid:{record.ids.pmcid}"] if record.ids.pmcid else []
            queries += [f'DOI:"{record.ids.doi.upper()}"'] if record.ids.doi else []
            missed += [query for query in queries if (publication, record) not in run(universe, query)[1]]

    assert missed == []


def test_kinds_have_their_exact_shares(universe: Universe) -> None:
    """Every thousand publications meet each kind as often as the profile says."""
    count = Counter(universe.publication(i).kind for i in range(1000))

    assert {kind: share for kind, (share, _) in KINDS.items() if kind != "plain"} == {
        kind: times for kind, times in count.items() if kind != "plain"
    }


def test_the_standard_mixture(universe: Universe) -> None:
    """At least 5 % unknown to Europe PMC, 10 % without abstract, 40 % with open full text."""

    def known(publication: Publication) -> bool:
        return any(
            record.ids.pmid == publication.submitted.pmid
            or same_doi(record.ids.doi, publication.submitted.doi)
            for record in publication.records
        )

    size = universe.size
    unknown = sum(not publication.records for publication in universe)
    without_abstract = sum(
        all(record.abstract == "none" for record in publication.records) for publication in universe
    )
    full_text = sum(publication.europepmc_fulltext is not None for publication in universe)

    assert unknown >= 0.05 * size
    assert without_abstract >= 0.1 * size
    assert full_text >= 0.4 * size


def test_full_texts_have_realistic_sizes(universe: Universe) -> None:
    """A whole article has 30-110 KB of JATS."""
    sizes = [
        len(jats.full_text_xml(publication, publication.europepmc_fulltext))
        for publication in universe
        if publication.europepmc_fulltext
        and publication.europepmc_fulltext.body == "full"
        and publication.index < 300
    ]

    assert min(sizes) >= 30_000
    assert max(sizes) <= 110_000


@pytest.mark.parametrize(
    ("size", "least", "most"), [("none", 0, 0), ("short", 1, 150), ("long", 350, 2100), ("huge", 2300, 3500)]
)
def test_abstracts_keep_clear_of_the_limits(universe: Universe, size: str, least: int, most: int) -> None:
    """No abstract is near 200 characters, so nobody can argue whether it is usable."""
    lengths = [
        len(" ".join(part.plain for part in abstract_of(publication, size)))  # type: ignore[arg-type]
        for publication in universe
    ]

    assert least <= min(lengths)
    assert max(lengths) <= most


def test_a_short_full_text_stays_below_the_limit(universe: Universe) -> None:
    """Title, abstract and a body of a sentence or two together have less than 2,000 characters, unless the abstract
    alone has more."""
    long = []
    for publication in universe:
        for facts in (publication.europepmc_fulltext, publication.pmc_fulltext):
            if facts and facts.body == "short" and facts.abstract != "huge":
                text = " ".join(part.plain for part in abstract_of(publication, facts.abstract))
                body = " ".join(
                    s.plain for section in jats.body_of(publication, facts) for p in section[1] for s in p
                )
                long += [publication.index] if len(text) + len(body) + 300 >= 2000 else []

    assert long == []


def test_the_judge_is_independent() -> None:
    """Nothing of Pubweave is imported."""
    found = []
    for path in Path(simnet.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            found += [f"{path.name}: {name}" for name in names if name.split(".")[0] == "pubweave"]

    assert found == []


def test_the_profile_fits_into_a_thousand() -> None:
    """The kinds leave room for ordinary publications."""
    assert sum(share for share, _ in STANDARD.kinds.values()) < 700
