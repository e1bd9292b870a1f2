"""A job's records do not depend on where its replies are read."""

import pytest

from flow.judge import whole_chain
from flow.tables import lines_of, system_on, table
from pubweave.runtimes.readers.settings import ReadersSettings
from simnet.fixture import running
from simnet.universe import Universe

pytestmark = pytest.mark.network

SIZE = 120
HERE = ReadersSettings(dear_bytes=1 << 40, long_bytes=1 << 40)
BESIDE = ReadersSettings(workers=2, dear_bytes=1, long_bytes=1)


async def test_records_are_the_same_read_here_or_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Through every resource: nothing read in the main process, everything read in it, and as it is usual."""
    universe = Universe(seed=11, size=SIZE)
    tables = []
    for readers in (HERE, BESIDE, ReadersSettings()):
        with running(universe) as net:
            async with system_on(
                net, monkeypatch=monkeypatch, context=whole_chain(), resources=None, readers=readers
            ) as system:
                tables.append(await table(system, lines_of(universe, SIZE)))
    here, beside, usual = tables

    assert len(here) == SIZE
    assert beside == here
    assert usual == here
