"""A process of services that runs until it is told to end or killed:
`python -m stack_flow.member KAFKA PREFIX CASSANDRA KEYSPACE BUDGETS [whole|lean] [browser] SERVICE…`.

Mergers ask Europe PMC and NCBI; `whole`: publishers' pages, open copies and PDFs as well; `lean`: Europe PMC alone, and few
lines of large jobs are under way at a time. Renderers have no browser
unless there stands `browser`.
"""

import asyncio
import signal
import sys
from pathlib import Path
from typing import Final

from flow.judge import whole_chain
from flow.tables import NO_BROWSER
from pubweave import registry
from pubweave.adapters.cassandra import CassandraPlace, CassandraStorage
from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.contract.vocabulary import ResourceName
from pubweave.core.toolkit.service import Context
from pubweave.doors.fetcher.settings import FetcherSettings
from pubweave.doors.renderer import RendererSettings
from pubweave.runtimes.bus.system import BusConfig, open_bus
from pubweave.runtimes.messages.merger import IN_FLIGHT

LEAN: Final[tuple[ResourceName, ...]] = ("europepmc",)
FEW: Final = 300


async def run(kafka: str, prefix: str, cassandra: str, keyspace: str, budgets: str, *words: str) -> None:
    whole, lean, browser = "whole" in words, "lean" in words, "browser" in words
    services = tuple(word for word in words if word not in ("whole", "lean", "browser"))
    storage = await CassandraStorage.open(
        CassandraPlace.at(cassandra, keyspace=keyspace, timeout_s=5.0, patience_s=120.0)
    )
    fetcher = FetcherSettings(no_budgets=True, first_window="skip")
    if budgets:
        # A machine that runs all of this, the servers' clocks included, takes a request up long after it was sent. So
        # it counts from the moment its answer began, whenever that is.
        fetcher = FetcherSettings(budgets_file=Path(budgets), first_window="wait", window_padding_ms=5000)
    config = BusConfig(
        kafka=KafkaPlace.at(kafka, prefix),
        services=services,
        context=whole_chain() if whole else Context(),
        resources=registry.ON if whole else LEAN if lean else registry.API_RESOURCES,
        in_flight=FEW if lean else IN_FLIGHT,
        fetcher=fetcher,
        renderer=RendererSettings() if browser else NO_BROWSER,
        session_timeout_s=10.0,
    )
    told = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told.set)
    async with open_bus(config, storage) as bus:
        ending = [asyncio.ensure_future(told.wait()), asyncio.ensure_future(bus.wait())]
        await asyncio.wait(ending, return_when=asyncio.FIRST_COMPLETED)
        if bus.failure() is not None:
            raise SystemExit(f"a service cannot go on: {bus.failure()!r}")
    await storage.close()


if __name__ == "__main__":
    asyncio.run(run(*sys.argv[1:]))
