"""Pages that are empty before their scripts have run, in a real browser that everything reaches through the fetcher."""

import pytest

from flow.judge import whole_chain, wrong
from flow.tables import lines_of, system_on
from pubweave.doors.renderer import RendererSettings
from pubweave.runtimes.embedded.jobs import Line
from services.doors.renderer.conftest import needs_browser
from simnet.chain import walk
from simnet.expectation import expected
from simnet.fixture import running
from simnet.floor import needed_asks
from simnet.universe import Universe

pytestmark = [pytest.mark.network, needs_browser]

PAGES = 5


async def test_pages_of_scripts_are_read_in_the_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """F-DOI-02, F-DOI-09, F-JS: the records are what the pages say once rendered, and nothing more is asked than without a
    browser; without one, these pages say nothing."""
    universe = Universe(11, 1000)
    chosen = []
    for line, ids in zip(lines_of(universe, 1000), universe.submissions(), strict=True):
        walked = walk(universe, ids, browser=True)
        if (
            walked
            and any("sciencedirect.com" in url for url, _ in walked.visited)
            and walked.generations == 1
        ):
            chosen.append((line, ids, walked))
    chosen = chosen[:PAGES]
    lines = [Line(number, line.identifiers) for number, (line, _, _) in enumerate(chosen, start=1)]
    with running(universe) as net:
        async with system_on(
            net,
            monkeypatch=monkeypatch,
            context=whole_chain(),
            resources=None,
            second_chance=False,
            renderer=RendererSettings(),
        ) as system:
            done = {one.line: one async for one in system.run_job(lines)}
        asked = net.log.asks()
    submissions = [ids for _, ids, _ in chosen]
    rendered = expected(universe, submissions, browser=True)

    assert len(chosen) == PAGES
    assert wrong(rendered, done) == []
    assert asked == needed_asks(walked for _, _, walked in chosen)
    assert wrong(expected(universe, submissions), done) != []
