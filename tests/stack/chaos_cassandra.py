"""What outlives a Cassandra that is killed. Two starts of a server of its own: not part of the ordinary tests.

Run it with `pytest tests/stack/chaos_cassandra.py`.
"""

import asyncio
import signal
from pathlib import Path

import pytest

from pubweave.adapters.cassandra import CassandraPlace, migrate
from pubweave.adapters.cassandra.migrations import Migration
from pubweave.adapters.cassandra.session import Session
from pubweave.adapters.cassandra.store import CassandraStore
from pubweave.ports import Row
from stack.leases import obstacle
from stack.servers import log_file, start_server

ONLY_STATE = Migration(
    1,
    "pre",
    "0001_pre_state",
    "CREATE TABLE {keyspace}.state (publication text, id text, added bigint, body blob, "
    "PRIMARY KEY ((publication), id));",
)


@pytest.mark.stack
@pytest.mark.timeout(240)
@pytest.mark.skipif(bool(obstacle("cassandra")), reason=obstacle("cassandra") or "it can be started")
async def test_a_killed_cassandra_comes_back_with_everything(tmp_path: Path) -> None:
    """One of our own, killed without warning while a store writes: the store waits, goes on, and what it was
    told is stored is there."""
    process, port = await asyncio.to_thread(start_server, "cassandra", tmp_path)
    place = CassandraPlace.at(f"127.0.0.1:{port}", timeout_s=5.0, patience_s=120.0)
    try:
        await migrate(place, steps=[ONLY_STATE])
        session = await Session.connect(place)
        store = CassandraStore(session, "test")
        begun = asyncio.Event()

        async def write() -> None:
            for number in range(400):
                await store.add_rows(f"p{number}", [Row("1", b"x")])
                if number == 100:
                    begun.set()

        writing = asyncio.ensure_future(write())
        await begun.wait()
        process.send(signal.SIGKILL)
        assert await asyncio.to_thread(process.wait, 30)
        process, _ = await asyncio.to_thread(start_server, "cassandra", tmp_path, port)
        await writing
        found = [await store.rows(f"p{number}") for number in range(400)]

        assert found == [[Row("1", b"x")]] * 400

        await store.close()
    finally:
        await asyncio.to_thread(process.stop)

    assert "Startup complete" in log_file(tmp_path).read_text()
