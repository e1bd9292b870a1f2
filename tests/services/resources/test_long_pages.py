"""A long page is read beside the event loop: meanwhile other hosts are asked."""

import asyncio
import threading

import msgspec
import pytest

from pubweave.adapters.clock import SystemClock
from pubweave.adapters.sqlite.storage import SqliteStorage
from pubweave.contract.exchange import Reply, Work
from pubweave.contract.values import Identifiers
from pubweave.core.service import Context, Said, Service
from pubweave.registry import service
from pubweave.runtimes.embedded.doors import Doors
from pubweave.runtimes.embedded.system import PAGE_IN_THREAD_BYTES, EmbeddedSystem, Line
from services.resources.small_internet import DOI, PAGE, RESOLVER, Internet, To, page, rules


@pytest.mark.parametrize("is_long", [False, True])
async def test_a_long_page_is_read_in_a_thread_and_the_loop_goes_on(is_long):
    """The step of a long page does not return before the event loop has run: it stands beside it."""
    html = page(more="<!--" + "x" * PAGE_IN_THREAD_BYTES + "-->" if is_long else "")
    loop_has_run = threading.Event()
    loop = asyncio.get_running_loop()
    threads: dict[str, bool] = {}
    doi = service("doi")

    def step(work: Work, reply: Reply | None, context: Context) -> list[Said]:
        beside = threading.current_thread() is not threading.main_thread()
        if work.step == "page" and reply is not None:
            threads["page"] = beside
            if beside:
                loop.call_soon_threadsafe(loop_has_run.set)
                assert loop_has_run.wait(10)
        return doi.step(work, reply, context)

    storage = SqliteStorage.in_memory()
    services: list[Service] = [msgspec.structs.replace(doi, step=step)]
    doors = Doors(Internet({RESOLVER: To(PAGE), PAGE: html}))
    async with EmbeddedSystem(storage, doors, services, Context(rules=rules()), SystemClock()) as system:
        (done,) = [one async for one in system.run_job([Line(1, Identifiers(doi=DOI))])]
    await storage.close()

    assert threads == {"page": is_long}
    assert done.record is not None
    assert done.record.fulltext.type == "doi"
