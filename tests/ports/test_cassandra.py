"""Cassandra keeps the promises of Store and Blobs."""

import pytest_asyncio

from ports.blobs_contract import BlobsContract
from ports.store_contract import StoreContract
from pubweave.adapters.cassandra import CassandraStorage
from pubweave.ports import Blobs, Store
from stack.storages import cassandra, emptied, on_cassandra, place, storage

__all__ = ["cassandra", "emptied", "place", "storage"]

pytestmark = on_cassandra


class TestCassandraStore(StoreContract):
    @pytest_asyncio.fixture(loop_scope="module")
    async def store(self, storage: CassandraStorage) -> Store:
        return storage.store


class TestCassandraBlobs(BlobsContract):
    @pytest_asyncio.fixture(loop_scope="module")
    async def blobs(self, storage: CassandraStorage) -> Blobs:
        return storage.blobs
