"""All resources, from Europe PMC to PDFs, with the real fetcher and PDF reader on the simulated internet: which part
comes from which source is what the universe says, request for request, and no wall ever fills a part."""

from collections import Counter

import pytest

from flow.judge import whole_chain, wrong
from flow.tables import lines_of, system_on
from pubweave.runtimes.embedded.explain import status
from pubweave.runtimes.embedded.system import Line
from simnet.chain import walk
from simnet.expectation import expected
from simnet.fixture import running
from simnet.floor import needed_asks
from simnet.universe import Universe

pytestmark = pytest.mark.network

SIZE, BLOCKS = 1000, 4


@pytest.fixture(scope="module")
def universe() -> Universe:
    return Universe(seed=11, size=SIZE)


@pytest.mark.parametrize("block", range(BLOCKS))
async def test_every_part_is_from_the_source_that_the_universe_says(
    universe: Universe, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousand publications through everything: types and contents, fields, visited sites, the questions that were asked,
    and numbers that reconcile."""
    count, start = SIZE // BLOCKS, block * SIZE // BLOCKS
    submissions = universe.submissions(count, start)
    lines = [
        Line(number, line.identifiers)
        for number, line in enumerate(lines_of(universe, start + count)[start:], start=1)
    ]
    with running(universe) as net:
        async with system_on(net, monkeypatch=monkeypatch, context=whole_chain(), resources=None) as system:
            done = {one.line: one async for one in system.run_job(lines)}
            told = await status(system.storage.store)
        asked = net.log.asks()
        robots = Counter(entry.host for entry in net.log.requests("robots"))
    walks = [found for ids in submissions if (found := walk(universe, ids))]
    needed = needed_asks(walks)
    # What ended with fetchException has its second chance at the end; its PMID may have been found meanwhile.
    again = {("europepmc", value) for one in walks for value, _ in one.ids.values()}

    assert wrong(expected(universe, submissions), done) == []
    assert needed - asked == set()
    assert asked - needed - again == set()
    assert told.reconciled, told.differences
    assert max(robots.values()) == 1, "robots.txt is asked for once a host"
