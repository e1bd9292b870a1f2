"""What is kept in memory keeps the promises of the ports."""

import pytest

from ports.blobs_contract import BlobsContract
from ports.log_contract import LogContract
from ports.shared_contract import SharedBatchContract, Storage
from ports.store_contract import UndoingStoreContract
from pubweave.adapters.memory import MemoryBlobs, MemoryLog, MemoryStorage, MemoryStore
from pubweave.ports import Blobs, Log, Store


class TestMemoryLog(LogContract):
    @pytest.fixture
    async def log(self) -> Log:
        return MemoryLog()


class TestMemoryStore(UndoingStoreContract):
    @pytest.fixture
    async def store(self) -> Store:
        return MemoryStore()


class TestMemoryBlobs(BlobsContract):
    @pytest.fixture
    async def blobs(self) -> Blobs:
        return MemoryBlobs()


class TestMemoryStorage(SharedBatchContract):
    @pytest.fixture
    async def storage(self) -> Storage:
        return MemoryStorage()
