"""What is promised where log, store and blobs lie in one place: a batch covers all three."""

from typing import Protocol

import pytest

from ports.failing import failing_batch
from ports.streams import digest, entry
from pubweave.ports import Blobs, Log, Row, Store


class Storage(Protocol):
    @property
    def log(self) -> Log: ...

    @property
    def store(self) -> Store: ...

    @property
    def blobs(self) -> Blobs: ...


class SharedBatchContract:
    @pytest.fixture
    async def storage(self) -> Storage:
        raise NotImplementedError("the adapter's class gives an empty storage")

    async def test_a_batch_covers_log_store_and_blobs(self, storage: Storage) -> None:
        """An exception undoes what was written through any of the three."""
        await storage.log.append("facts", [entry("1")])
        await storage.log.commit("merger", "facts", 1)
        kept = await storage.blobs.put(b"kept")

        async with failing_batch(storage.store):
            await storage.log.append("facts", [entry("2"), entry("3", "b")])
            await storage.log.append("new topic", [entry("1")])
            await storage.log.commit("merger", "facts", 2)
            gone = await storage.blobs.put(b"gone" * 100_000)
            await storage.store.add_rows("p", [Row("1", b"")])
            await storage.blobs.delete(kept.digest)
            await storage.log.erase("facts", "a")

        assert [logged.entry for logged in await storage.log.read("facts")] == [entry("1")]
        assert await storage.log.of_key("facts", "b") == []
        assert await storage.log.read("new topic") == []
        assert await storage.log.committed("merger", "facts") == 1
        assert not await storage.blobs.has(gone.digest)
        assert await storage.blobs.get(kept.digest) == b"kept"
        assert await storage.store.rows("p") == []

    async def test_the_log_goes_on_after_an_undone_batch(self, storage: Storage) -> None:
        """Topics and offsets that were undone are made again, and an undone id is free again."""
        for _ in range(3):
            async with failing_batch(storage.store):
                await storage.log.append("facts", [entry(digest(1)), entry(digest(2))])
        await storage.log.append("facts", [entry(digest(1))])
        await storage.log.append("others", [entry(digest(1))])
        await storage.log.append("facts", [entry(digest(2))])

        assert [logged.entry.id for logged in await storage.log.read("facts")] == [digest(1), digest(2)]
        assert [logged.entry.id for logged in await storage.log.read("others")] == [digest(1)]

    async def test_an_undone_topic_is_made_anew(self, storage: Storage) -> None:
        """What was remembered of a topic that a batch had begun is forgotten with it: the next new topic
        does not get mixed up with it."""
        async with failing_batch(storage.store):
            await storage.log.append("facts", [entry("1")])
        await storage.log.append("others", [entry("2")])
        await storage.log.append("facts", [entry("3")])

        assert [logged.entry.id for logged in await storage.log.read("others")] == ["2"]
        assert [logged.entry.id for logged in await storage.log.read("facts")] == ["3"]
