"""A process that runs all services until it is killed: `python -m stack_flow.member KAFKA PREFIX CASSANDRA KEYSPACE`."""

import asyncio
import sys

from pubweave.adapters.cassandra import CassandraPlace, CassandraStorage
from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.doors.fetcher.settings import FetcherSettings
from pubweave.runtimes.bus.system import BusConfig, open_bus


async def run(kafka: str, prefix: str, cassandra: str, keyspace: str) -> None:
    storage = await CassandraStorage.open(CassandraPlace.at(cassandra, keyspace=keyspace))
    config = BusConfig(
        kafka=KafkaPlace.at(kafka, prefix),
        fetcher=FetcherSettings(no_budgets=True, first_window="skip"),
        session_timeout_s=10.0,
    )
    async with open_bus(config, storage) as bus:
        await bus.wait()


if __name__ == "__main__":
    asyncio.run(run(*sys.argv[1:5]))
