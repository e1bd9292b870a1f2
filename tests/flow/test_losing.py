"""Contents that are lost are fetched anew by the next job, also in one process."""

import pytest

from flow.tables import lines_of, system_on, table
from pubweave.core.record import decode_record
from simnet.fixture import running
from simnet.universe import Universe

pytestmark = pytest.mark.network

SIZE = 40


async def test_the_next_job_fetches_what_was_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Just that, once; then every record is what it was."""
    universe = Universe(seed=3, size=SIZE)
    lines = lines_of(universe, SIZE)
    with running(universe) as net:
        async with system_on(net, monkeypatch=monkeypatch) as system:
            before = await table(system, lines, job="first")
            await table(system, lines, job="nothing-is-lost")
            asked = len(net.log.entries)
            contents = 0
            async for stored in system.storage.store.records():
                for _, part in decode_record(stored.body).parts():
                    for blob in (part.blob, part.structured, part.source):
                        if blob is not None:
                            contents += 1
                            await system.storage.blobs.delete(blob.digest)
            again = await table(system, lines, job="lost")
            fetched = len(net.log.entries) - asked
            after = await table(system, lines, job="found-again")
            rest = len(net.log.entries) - asked - fetched

    assert contents > 0
    assert fetched > 0
    assert without_places(again) == without_places(after) == without_places(before)
    assert rest <= fetched, "nothing was lost any more"


def without_places(found: object) -> object:
    """What was fetched again stands in another run, where another source may have been asked first that has the same."""
    if isinstance(found, dict):
        return {
            name: without_places(one)
            for name, one in found.items()
            if name not in ("place", "retry_counter", "url", "structured", "source", "type")
        }
    return [without_places(one) for one in found] if isinstance(found, list | tuple) else found
