"""`pubweave.api.sync`: the same in plain calls, from any thread."""

import inspect
from concurrent.futures import ThreadPoolExecutor

import pytest

from api.test_library import PAGE, record, triplets
from pubweave import api
from pubweave.api import sync
from simnet.fixture import Running


@pytest.mark.parametrize("name", ["Database", "Fetcher"])
def test_the_twins_have_the_same_methods(name: str) -> None:
    """Every method of the one is one of the other, with the same parameters and defaults."""
    twins = [getattr(place, name) for place in (api, sync)]
    own, other = (
        {
            method: str(inspect.signature(function).replace(return_annotation=inspect.Signature.empty))
            for method, function in inspect.getmembers(twin, inspect.isfunction)
            if not method.startswith("_")
        }
        for twin in twins
    )

    assert own == other != {}
    for opened in ("open_database", "open_fetcher"):
        first, second = (inspect.signature(getattr(place, opened)) for place in (api, sync))
        assert first.parameters == second.parameters


def test_a_database_in_plain_calls() -> None:
    """Errors and results are those of the twin."""
    with sync.open_database("a.db", create=True) as base:
        base.put_publication(record("A", pmid="1"))
        base.put_doc(PAGE)
        found = base.get_publication("1")
        assert found is not None
        assert found.title.text == "A"
        assert [one.pmid for one in base.publication_ids()] == ["1"]
        assert list(base.docs()) == [PAGE]
        assert base.sizes().docs == 1
        with pytest.raises(api.UserError, match="'loom' is no PMID"):
            base.get_publication("loom")
    with pytest.raises(api.StorageProblem, match="There is no database"), sync.open_database("b.db"):
        pass


def test_threads_share_a_database() -> None:
    """Puts from many threads at a time: all are there, none is lost or torn."""
    with sync.open_database("a.db", create=True) as base:
        with ThreadPoolExecutor(8) as threads:
            list(
                threads.map(
                    lambda number: base.put_publication(record(f"T{number}", pmid=str(number))), range(1, 41)
                )
            )
        assert sorted(int(one.pmid) for one in base.publication_ids()) == list(range(1, 41))


@pytest.mark.network
def test_fetching_in_plain_calls(net: Running) -> None:
    """Publications as they come; who stops looking leaves nothing running."""
    wanted = triplets(net)
    with sync.open_fetcher("a.db", create=True) as fetcher:
        for fetched in fetcher.publications(wanted):
            assert fetched.record is not None
            break
        one = fetcher.get_publication(wanted[0])
        assert fetcher.database.get_publication(wanted[0].doi) == one
        assert one.title.text != ""
