"""`storage` for tests: an empty Cassandra keyspace, opened. One connection serves all tests of a module.

A module that imports these fixtures marks itself with `on_cassandra`, so that its tests share an event loop.
"""

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from pubweave.adapters.cassandra import CassandraPlace, CassandraStorage
from stack.fixtures import cassandra, needs_stack
from stack.keyspaces import Emptied, keyspace

__all__ = ["cassandra", "emptied", "on_cassandra", "place", "storage"]

on_cassandra = [needs_stack, pytest.mark.asyncio(loop_scope="module")]


@pytest.fixture(scope="module")
def place(cassandra: str) -> Iterator[CassandraPlace]:
    """A keyspace of this process, with all tables."""
    with keyspace(cassandra) as place:
        yield place


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def emptied(place: CassandraPlace) -> AsyncIterator[Emptied]:
    emptied = Emptied(place)
    yield emptied
    await emptied.close()


@pytest_asyncio.fixture(loop_scope="module")
async def storage(emptied: Emptied) -> CassandraStorage:
    return await emptied.storage()
