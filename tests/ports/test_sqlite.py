"""One SQLite file keeps the promises of all the ports."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ports.blobs_contract import BlobsContract
from ports.log_contract import LogContract
from ports.shared_contract import SharedBatchContract, Storage
from ports.store_contract import UndoingStoreContract
from pubweave.adapters.sqlite import SqliteStorage
from pubweave.ports import Blobs, Log, Store


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[SqliteStorage]:
    storage = SqliteStorage.open(tmp_path / "a.db", create=True)
    yield storage
    await storage.close()


class TestSqliteLog(LogContract):
    @pytest.fixture
    async def log(self, opened: SqliteStorage) -> Log:
        return opened.log


class TestSqliteStore(UndoingStoreContract):
    @pytest.fixture
    async def store(self, opened: SqliteStorage) -> Store:
        return opened.store


class TestSqliteBlobs(BlobsContract):
    @pytest.fixture
    async def blobs(self, opened: SqliteStorage) -> Blobs:
        return opened.blobs


class TestSqliteStorage(SharedBatchContract):
    @pytest.fixture
    async def storage(self, opened: SqliteStorage) -> Storage:
        return opened


class TestSqliteInMemory(SharedBatchContract):
    @pytest.fixture
    async def storage(self) -> AsyncIterator[Storage]:
        storage = SqliteStorage.in_memory()
        yield storage
        await storage.close()
