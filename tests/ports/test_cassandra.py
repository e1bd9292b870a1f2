"""Cassandra keeps the promises of Store and Blobs, and those of its own."""

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from ports.blobs_contract import BlobsContract
from ports.store_contract import StoreContract
from pubweave.adapters.cassandra import CassandraPlace, CassandraStorage
from pubweave.ports import Blobs, Store
from stack.fixtures import cassandra, needs_stack
from stack.keyspaces import Emptied, keyspace

__all__ = ["cassandra"]

pytestmark = [needs_stack, pytest.mark.asyncio(loop_scope="module")]


@pytest.fixture(scope="module")
def place(cassandra: str) -> Iterator[CassandraPlace]:
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


class TestCassandraStore(StoreContract):
    @pytest_asyncio.fixture(loop_scope="module")
    async def store(self, storage: CassandraStorage) -> Store:
        return storage.store


class TestCassandraBlobs(BlobsContract):
    @pytest_asyncio.fixture(loop_scope="module")
    async def blobs(self, storage: CassandraStorage) -> Blobs:
        return storage.blobs
