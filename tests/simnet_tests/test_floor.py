"""The floor is a lower bound that can be computed by hand for small jobs."""

from urllib.parse import urlsplit

import pytest

from simnet.chain import API, walk
from simnet.facts import Ids
from simnet.floor import BATCHES, floor
from simnet.universe import Universe


@pytest.fixture(scope="module")
def complete(universe: Universe) -> list[Ids]:
    """Submissions for which Europe PMC alone, asked once, has everything but the full text and mined terms."""
    found = []
    for ids in universe.submissions():
        walked = walk(universe, ids, resources=API)
        if walked and [ask.resource for ask in walked.asked] == [
            "europepmc",
            "europepmc_fulltext",
            "annotations",
        ]:
            found.append(ids)
    return found


def test_full_batches(universe: Universe, complete: list[Ids]) -> None:
    """104 complete ones: 2 searches, 104 full texts, 13 calls for annotations, nothing else."""
    result = floor(universe, complete[:104], resources=API)

    assert result.hosts["ebi.ac.uk"].by_resource == {
        "europepmc": 2,
        "europepmc_fulltext": 104,
        "annotations": 13,
    }
    assert (result.requests, result.confirmations, result.longest_chain) == (119, 0, 2)


@pytest.mark.parametrize(("connections", "wall_s"), [(1, 119 * 0.05), (4, 30 * 0.05)])
def test_wall_of_the_latency(
    universe: Universe, complete: list[Ids], connections: int, wall_s: float
) -> None:
    """One host, requests × latency over the connections."""
    result = floor(universe, complete[:104], latency_s=0.05, connections_per_host=connections, resources=API)

    assert result.wall_s == pytest.approx(wall_s)


def test_wall_of_a_budget(universe: Universe, complete: list[Ids]) -> None:
    """106 requests of a family at 5 a second need at least 21 whole seconds."""
    result = floor(universe, complete[:104], latency_s=0.05, budgets={"europepmc": 5}, resources=API)

    assert result.wall_s == pytest.approx(21 + 0.05)


def test_wall_of_a_chain(universe: Universe, complete: list[Ids]) -> None:
    """One publication: the search first, then the two others, on one connection or on two."""
    one = floor(universe, complete[:1], latency_s=0.05, resources=API)
    two = floor(universe, complete[:1], latency_s=0.05, connections_per_host=2, resources=API)

    assert one.wall_s == pytest.approx(0.15)
    assert two.wall_s == pytest.approx(0.10)


def test_absent_identifiers_are_confirmed(universe: Universe) -> None:
    """An identifier that Europe PMC lacks costs a half batch and a question alone; only when wanted."""
    nobody = next(p for p in universe if p.kind == "nobody" and p.submitted.doi)
    with_it = floor(universe, [nobody.submitted], resources=API)
    without = floor(universe, [nobody.submitted], resources=API, confirm_absent=False)

    assert (with_it.requests, with_it.confirmations) == (1, 2)
    assert (without.requests, without.confirmations) == (1, 0)


def test_smaller_batches_cost_more(universe: Universe) -> None:
    """With one identifier a request, the floor is the number of asks."""
    submissions = universe.submissions(200)
    asks = sum(len(walked.asked) for ids in submissions if (walked := walk(universe, ids, resources=API)))
    batched = floor(universe, submissions, resources=API, confirm_absent=False)
    alone = floor(universe, submissions, resources=API, batch_sizes={}, confirm_absent=False)

    assert alone.requests == asks
    assert batched.requests < asks / 2
    assert set(BATCHES) == {"europepmc", "pubmed_xml", "pmc", "annotations"}


def test_fewer_parts_cost_less(universe: Universe) -> None:
    """Without full text and mined terms one host is nearly idle."""
    submissions = universe.submissions(200)
    titles = floor(universe, submissions, parts=("title",), latency_s=0.05, resources=API)
    everything = floor(universe, submissions, latency_s=0.05, resources=API)

    assert titles.wall_s < everything.wall_s / 3
    assert "europepmc_fulltext" not in titles.hosts["ebi.ac.uk"].by_resource


def test_latency_by_host(universe: Universe, complete: list[Ids]) -> None:
    """A host that is not named answers at once."""
    result = floor(universe, complete[:104], latency_s={"ebi.ac.uk": 0.1}, resources=API)

    assert result.hosts["ebi.ac.uk"].wall_s == pytest.approx(119 * 0.1)


def test_hosts_of_pages_are_asked_for_their_robots_txt_once(universe: Universe) -> None:
    """Each host that pages or files are wanted of bears one request more; the interfaces do not."""
    bound = floor(universe, universe.submissions(100), latency_s=0.05)
    of_pages = [
        there for there in bound.hosts.values() if {"publisher", "publisher_pdf"} & set(there.by_resource)
    ]

    assert len(of_pages) >= 20
    assert {there.by_resource["robots"] for there in of_pages} == {1}
    assert "robots" not in bound.hosts["ebi.ac.uk"].by_resource
    assert "robots" not in bound.hosts["api.unpaywall.org"].by_resource


def test_the_resolver_has_any_number_of_connections(universe: Universe) -> None:
    """F-HOST-04: doi.org takes no longer than one reply once it can be asked."""
    bound = floor(universe, universe.submissions(200), latency_s=0.05)
    resolver = bound.hosts["doi.org"]

    assert resolver.requests >= 100
    assert resolver.wall_s == pytest.approx(resolver.head_s + 0.05)


def test_nobody_waits_for_what_robots_txt_refuses(universe: Universe) -> None:
    """Pages that may not be asked for cost nothing but the robots.txt, which the walk does not count."""
    walks = [walk(universe, ids) for ids in universe.submissions(600)]
    hosts = {urlsplit(ask.id).hostname for one in walks if one for ask in one.asked if ask.kind == "url"}

    assert "journals.lww.com" not in hosts
    assert "www.nature.com" in hosts
