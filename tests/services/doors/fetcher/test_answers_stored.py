"""Answers in Cassandra, where the fetchers of the bus keep them."""

import pytest

from pubweave.adapters.cassandra import CassandraStorage
from pubweave.adapters.clock import SystemClock
from pubweave.contract.exchange import Reply
from pubweave.doors.fetcher import FetcherDoor, FetcherSettings
from pubweave.doors.fetcher.answers import StoredAnswers
from services.doors.fetcher.loopback import LOOPBACK, Server, reply_bytes, says, wanted
from stack.storages import cassandra, emptied, on_cassandra, place, storage

__all__ = ["cassandra", "emptied", "place", "storage"]

pytestmark = [*on_cassandra, pytest.mark.network]


async def test_another_fetcher_gives_the_same_reply(storage: CassandraStorage) -> None:
    """The one that was killed had answered and not acknowledged: the server is asked once, for short bodies and
    long ones."""
    replies: dict[str, list[Reply]] = {"/short": [], "/long": []}
    bodies = {"/short": b"x", "/long": bytes(range(256)) * 4_000}
    settings = FetcherSettings(allow_addresses=LOOPBACK, no_budgets=True)
    for path, found in replies.items():
        async with Server(says(reply_bytes(bodies[path]))).running() as server:
            for _ in range(2):
                answers = StoredAnswers(storage.store, storage.blobs, SystemClock())
                async with FetcherDoor(
                    settings, SystemClock(), storage.store, answered=answers, environment={}
                ) as fetcher:
                    found.append(await fetcher.fetch(wanted(server.url + path, ask=path)))

            assert len(server.asked) == 1
        assert found[0] == found[1]
        body = found[0].body if found[0].blob is None else await storage.blobs.get(found[0].blob.digest)
        assert body == bodies[path]
