"""The query evaluator understands what Europe PMC does."""

import pytest

from simnet.facts import Publication
from simnet.query import BadQuery, run
from simnet.universe import Universe


@pytest.fixture(scope="module")
def three(universe: Universe) -> list[Publication]:
    """Three ordinary publications with all identifiers."""
    return [p for p in universe if p.kind == "plain" and all(p.ids)][:3]


def found(universe: Universe, query: str) -> set[int]:
    return {publication.index for publication, _ in run(universe, query)[1]}


@pytest.mark.parametrize(
    "query",
    [
        "ext_id:{a.pmid} src:med",
        "EXT_ID:{a.pmid} AND SRC:MED",
        '(EXT_ID:"{a.pmid}" AND SRC:"MED")',
        "pmcid:{a.pmcid}",
        "PMCID:{a.pmcid_lower}",
        "doi:{a.doi}",
        'DOI:"{a.doi_upper}"',
        "( doi:{a.doi} )",
        "NOT src:ppr AND doi:{a.doi}",
        "ext_id:{a.pmid} not src:ppr",
    ],
)
def test_one_publication(universe: Universe, three: list[Publication], query: str) -> None:
    """Each spelling finds the one publication, in any case and with or without quotes."""
    ids = three[0].ids

    class Names:
        pmid, pmcid, doi = ids
        pmcid_lower, doi_upper = ids.pmcid.lower(), ids.doi.upper()

    assert {three[0].index} == found(universe, query.format(a=Names))


@pytest.mark.parametrize(
    "query",
    [
        "(EXT_ID:{0.pmid} AND SRC:MED) OR (EXT_ID:{1.pmid} AND SRC:MED) OR (EXT_ID:{2.pmid} AND SRC:MED)",
        "EXT_ID:({0.pmid} OR {1.pmid} OR {2.pmid}) AND SRC:MED",
        '(pmcid:{0.pmcid} OR doi:"{1.doi}" OR (ext_id:{2.pmid} src:med))',
    ],
)
def test_several_in_one_query(universe: Universe, three: list[Publication], query: str) -> None:
    """OR, with the field before each value or before the parenthesis."""
    assert {p.index for p in three} == found(universe, query.format(*[p.ids for p in three]))


@pytest.mark.parametrize(
    "query", ["ext_id:{a.pmid} src:ppr", "{a.pmid}", "ext_id:{a.pmcid} src:med", "pmid:1", "src:med"]
)
def test_nothing(universe: Universe, three: list[Publication], query: str) -> None:
    """A number without a field, a wrong source or an unknown number finds nothing."""
    assert set() == found(universe, query.format(a=three[0].ids))


@pytest.mark.parametrize(
    "query", ["(ext_id:1", "ext_id:", "ext_id:1)", "doi:(", 'doi:"10.1/x', "OR", "ext_id:1 OR"]
)
def test_what_cannot_be_read(universe: Universe, query: str) -> None:
    """Broken queries are told, not guessed."""
    with pytest.raises(BadQuery):
        run(universe, query)


def test_dois_with_parentheses_and_angle_brackets(universe: Universe) -> None:
    """Old Wiley DOIs hold every character that queries use; quoted they are found."""
    publication = next(p for p in universe if "(SICI)" in p.ids.doi and p.kind == "plain")

    assert {publication.index} == found(universe, f'doi:"{publication.ids.doi}"')
    assert {publication.index} == found(
        universe, f'(doi:"{publication.ids.doi.lower()}") OR (doi:"10.1/none")'
    )
