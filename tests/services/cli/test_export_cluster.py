"""Exports and reports from Cassandra are those from a database file."""

import asyncio
from pathlib import Path

import pytest

from output.records import empty_record, full_page, full_record
from pubweave.adapters.cassandra import CassandraPlace
from pubweave.adapters.sqlite import SqliteStorage
from pubweave.core.record import encode_record
from pubweave.core.webpage_record import encode_webpage
from pubweave.ports import Store, StoredRecord
from services.cli.conftest import Cli
from stack.fixtures import cassandra, needs_stack
from stack.keyspaces import Emptied
from stack.storages import place

__all__ = ["cassandra", "place"]

pytestmark = [needs_stack, pytest.mark.network]


async def fill(store: Store) -> None:
    """Two publications and a web page."""
    for number, record in enumerate((full_record(), empty_record())):
        await store.put_record(StoredRecord(record.publication, number + 1, encode_record(record), "why"))
    page = encode_webpage(full_page())
    await store.put_record(StoredRecord(full_page().start_url, 1, page), "webpage")


async def both(place: CassandraPlace, path: Path) -> None:
    emptied = Emptied(place)
    await fill((await emptied.storage()).store)
    await emptied.close()
    storage = SqliteStorage.open(path, create=True)
    await fill(storage.store)
    await storage.close()


def test_a_cluster_gives_what_a_file_gives(cli: Cli, place: CassandraPlace, tmp_path: Path) -> None:
    """The same publications and pages, the same counts."""
    path = tmp_path / "library.db"
    asyncio.run(both(place, path))
    cluster = ("--cluster", "--cassandra", ",".join(place.hosts), "--keyspace", place.keyspace)
    for what in (("export", "--format", "jsonl"), ("report", "part-table"), ("report", "completeness")):
        from_cluster, from_file = cli(*what, *cluster), cli(*what, "--db", path)

        assert (from_cluster.status, from_file.status) == (0, 0), from_cluster.err
        assert sorted(from_cluster.out.splitlines()) == sorted(from_file.out.splitlines())
        assert len(from_file.out) > 100
