"""Runs through all resources over the simulated internet: recorded and repeated, broken off and gone on with."""

from pathlib import Path

import pytest

from flow.tables import lines_of, system_on, table
from pubweave.core.toolkit.service import Context
from pubweave.runtimes.embedded.explain import status
from pubweave.runtimes.embedded.jobs import JobSettings
from services.resources.test_rules_in_force import rules_of, settings
from simnet.fixture import running
from simnet.universe import Universe

COUNT = 40
UNIVERSE = Universe(seed=23, size=COUNT)
MAIL = "ada@lake.example"


@pytest.fixture
def context(tmp_path: Path) -> Context:
    """Our own rules, and an e-mail address for Unpaywall."""
    return Context(rules=rules_of(settings(tmp_path)).load(), unpaywall_email=MAIL)


async def test_a_recorded_run_through_all_resources_is_repeated_without_the_network(
    tmp_path, monkeypatch, context
):
    """Pages, robots.txt, open copies and PDFs too: the same table, and nothing is asked."""
    warc = tmp_path / "warc"
    with running(UNIVERSE) as net:
        async with system_on(
            net, monkeypatch=monkeypatch, context=context, resources=None, record_to=warc
        ) as system:
            recorded = await table(system, lines_of(UNIVERSE, COUNT))
        asked = {entry.resource for entry in net.log.entries}
        net.reset()
        async with system_on(
            net, monkeypatch=monkeypatch, context=context, resources=None, replay_from=warc
        ) as system:
            replayed = await table(system, lines_of(UNIVERSE, COUNT))
        assert net.log.requests() == []

    assert {"doi", "unpaywall", "publisher", "publisher_pdf"} <= asked
    assert replayed == recorded


async def test_a_run_that_was_broken_off_among_pages_ends_with_the_same_table(tmp_path, monkeypatch, context):
    """Whatever was on its way, a page in its second step or a PDF, is asked on; the numbers add up."""
    lines = lines_of(UNIVERSE, COUNT)
    with running(UNIVERSE, latency_s=0.003, jitter=0.9) as net:
        async with system_on(net, monkeypatch=monkeypatch, context=context, resources=None) as system:
            undisturbed = await table(system, lines)
        database = tmp_path / "x.db"
        for stop_after in (1, 8, 8):
            async with system_on(
                net, database, monkeypatch=monkeypatch, context=context, resources=None
            ) as system:
                seen = 0
                async for _ in system.run_job(lines, JobSettings(idempotency_key="job"), job="job"):
                    seen += 1
                    if seen >= stop_after:
                        break
        async with system_on(
            net, database, monkeypatch=monkeypatch, context=context, resources=None
        ) as system:
            resumed = await table(system, lines)
            told = await status(system.storage.store)

    assert told.reconciled, told.differences
    assert resumed == undisturbed
