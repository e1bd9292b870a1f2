"""A long page is read beside the event loop: meanwhile other hosts are asked."""

import pytest

from pubweave.adapters.clock import SystemClock
from pubweave.adapters.sqlite.storage import SqliteStorage
from pubweave.contract.values import Identifiers
from pubweave.core.toolkit.service import Context
from pubweave.registry import service
from pubweave.runtimes.doors import Doors
from pubweave.runtimes.embedded.jobs import Line
from pubweave.runtimes.embedded.system import EmbeddedSystem
from pubweave.runtimes.readers.pool import Readers
from pubweave.runtimes.readers.settings import ReadersSettings
from services.resources.small_internet import DOI, PAGE, RESOLVER, Internet, To, page, rules


@pytest.mark.parametrize("is_long", [False, True])
async def test_a_long_page_is_read_in_a_process_beside(is_long: bool) -> None:
    """A short one is read where it arrives, and no process is started for it."""
    settings = ReadersSettings(dear_bytes=100_000)
    html = page(more="<!--" + "x" * settings.dear_bytes + "-->" if is_long else "")
    storage = SqliteStorage.in_memory()
    doors = Doors(Internet({RESOLVER: To(PAGE), PAGE: html}))
    async with (
        Readers(settings) as readers,
        EmbeddedSystem(
            storage, doors, [service("doi")], Context(rules=rules()), SystemClock(), steps=readers
        ) as system,
    ):
        (done,) = [one async for one in system.run_job([Line(1, Identifiers(doi=DOI))])]
        assert readers.started == int(is_long)
    await storage.close()

    assert done.record is not None
    assert done.record.fulltext.type == "doi"
