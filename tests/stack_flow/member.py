"""A process of services that runs until it is told to end or killed:
`python -m stack_flow.member KAFKA PREFIX CASSANDRA KEYSPACE BUDGETS SERVICE…`."""

import asyncio
import signal
import sys
from pathlib import Path

from pubweave import registry
from pubweave.adapters.cassandra import CassandraPlace, CassandraStorage
from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.doors.fetcher.settings import FetcherSettings
from pubweave.runtimes.bus.system import BusConfig, open_bus


async def run(kafka: str, prefix: str, cassandra: str, keyspace: str, budgets: str, *services: str) -> None:
    storage = await CassandraStorage.open(
        CassandraPlace.at(cassandra, keyspace=keyspace, timeout_s=5.0, patience_s=120.0)
    )
    fetcher = FetcherSettings(no_budgets=True, first_window="skip")
    if budgets:
        fetcher = FetcherSettings(budgets_file=Path(budgets), first_window="wait")
    config = BusConfig(
        kafka=KafkaPlace.at(kafka, prefix),
        services=services,
        resources=registry.API_RESOURCES,
        fetcher=fetcher,
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
