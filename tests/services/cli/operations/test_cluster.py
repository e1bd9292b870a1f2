"""Whatever the pipeline and the commands read from a database file they read from the Cassandra of a cluster."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pubweave.adapters.cassandra import CassandraPlace, CassandraStorage
from pubweave.adapters.sqlite import SqliteStorage
from pubweave.cli.operations.selecting import FILTERS
from pubweave.contract.vocabulary import EntryKind
from pubweave.ports import Store
from services.cli.conftest import Cli
from services.cli.operations.conftest import Library
from services.cli.operations.selecting.cases import PARTS, VALUES
from services.cli.operations.test_any_pipeline import STEPS, heard, listed, triplet, walked, words_of
from stack.fixtures import cassandra, needs_stack
from stack.keyspaces import Emptied, keyspace

__all__ = ["cassandra", "listed"]

pytestmark = [needs_stack, pytest.mark.network]

KINDS: tuple[EntryKind, ...] = ("publication", "webpage", "doc")


async def copied(path: Path, storage: CassandraStorage) -> None:
    """Everything of a database file into a keyspace, under the same keys."""
    source = SqliteStorage.open_reading(path)
    one: Store = source.store
    for kind in KINDS:
        async for stored in one.records(kind):
            await storage.store.put_record(stored, kind)
            await storage.store.add_rows(stored.publication, await one.rows(stored.publication))
    async for id_kind, value, publication in one.aliases():
        await storage.store.hold(publication, [(id_kind, value)])  # type: ignore[list-item]
    for (digest,) in source._connection.all("SELECT lower(hex(digest)) FROM blob"):
        await storage.blobs.put(await source.blobs.get(digest))
    await source.close()


@pytest.fixture(scope="module")
def cluster(cassandra: str, _library_file: Path) -> Iterator[str]:
    """The library in Cassandra, as a user names it."""

    async def fill(place: CassandraPlace) -> None:
        emptied = Emptied(place)
        await copied(_library_file, await emptied.storage())
        await emptied.close()

    with keyspace(cassandra) as place:
        asyncio.run(fill(place))
        yield f"cassandra://{','.join(place.hosts)}/{place.keyspace}"


def lines(cli: Cli, *words: object) -> list[str]:
    ran = cli(*words)
    assert ran.status == 0, ran.err
    return sorted(ran.out.splitlines())


def asked(base: object, name: str, values: list[str], parts: list[str]) -> list[object]:
    from pubweave.cli.operations.table import BY_NAME

    operation = BY_NAME[name]
    words: list[object] = ["pipe", "--pub-db", base, "--web-db", base, "--doc-db", base, "--db", base]
    words += [f"--{name}", *(parts if operation.argument == "part" else values)]
    if operation.companion and parts:
        words += [f"--{operation.companion}", *parts]
    return [*words, "--out", "--plain"]


def test_every_filter_of_the_table_keeps_the_same(cli: Cli, library: Library, cluster: str) -> None:
    """All filters over all three stores, a part of each that is about parts."""
    kept = set()
    for name in sorted(FILTERS):
        positive = name.removeprefix("not-")
        parts = PARTS[0] if positive.startswith("part-") else []
        words = (VALUES.get(positive, []), parts)
        from_file = lines(cli, *asked(library.path, name, *words))

        assert lines(cli, *asked(cluster, name, *words)) == from_file, name
        kept.add(len(from_file))
    assert len(kept) > 20, "filters that keep different things"


def test_any_pipeline_over_a_cluster(library: Library, cluster: str, listed: list[tuple[str, ...]]) -> None:
    """Steps in any order over the cluster give what a plain walk through the specification gives."""
    import contextlib
    import io

    from pubweave.cli.main import run

    known = {triplet(one): one for one in library.publications}

    @settings(derandomize=True, deadline=None, max_examples=20)
    @given(steps=STEPS, seed=st.integers(0, 999), command=st.sampled_from(["legacy", "pipe"]))
    def holds(steps: dict[str, Any], seed: int, command: str) -> None:
        words = [cluster if word == "library.db" else word for word in words_of(steps, seed)]
        with heard() as out, contextlib.redirect_stderr(io.StringIO()):
            status = run([command, *words])

        assert status == 0
        assert out.getvalue().decode().splitlines() == walked(listed, known, steps)

    holds()


def test_the_commands_about_databases(cli: Cli, library: Library, cluster: str) -> None:
    """get, contains, size, map, dump, export, report and status by the name of the cluster."""
    one = next(
        entry for entry in library.publications if entry["doi"]["content"] and entry["pmid"]["content"]
    )
    doi, url = one["doi"]["content"], library.webpages[0]["startUrl"]

    assert cli("db", "get", cluster, doi).out == cli("db", "get", library.path, doi).out != ""
    assert (
        cli("db", "get", cluster, url, "--webpages").out
        == cli("db", "get", library.path, url, "--webpages").out
    )
    assert cli("db", "get", cluster, "10.9999/none").status == 1
    assert cli("db", "contains", cluster, doi, one["pmid"]["content"]).out == "true\n"
    assert cli("db", "contains", cluster, doi, "10.9999/none").out == "false\n"
    assert cli("db", "size", cluster).out.splitlines() == ["publications : 60", "webpages : 40", "docs : 15"]
    assert cli("db", "size", cluster, "--docs").out == "15\n"
    for command in (["db", "map"], ["db", "map", "--reverse"]):
        assert lines(cli, *command, cluster) == lines(cli, *command, library.path)
    dumped = [json.loads(cli("db", "dump", base).out) for base in (cluster, library.path)]
    assert [dumped[0][kind] for kind in ("publications", "webpages", "docs")] == [
        dumped[1][kind] for kind in ("publications", "webpages", "docs")
    ]
    for what in (["export", "--format", "jsonl"], ["report", "part-table"], ["report", "top-hosts"]):
        assert lines(cli, *what, "--db", cluster) == lines(cli, *what, "--db", library.path), what
    told, of_file = (
        json.loads(cli("status", "--db", base, "--format", "json").out) for base in (cluster, library.path)
    )
    assert (told["publications"], told["webpages"], told["docs"]) == (60, 40, 15)
    assert told["reconciled"] is of_file["reconciled"] is True
    assert lines(cli, "explain", doi, "--db", cluster) == lines(cli, "explain", doi, "--db", library.path)


def test_a_cluster_merges_into_a_file(cli: Cli, library: Library, cluster: str) -> None:
    """What a cluster holds comes over whole, to be worked with without it."""
    cli("db", "init", "own.db")
    assert cli("db", "merge", "own.db", cluster).status == 0
    own = json.loads(cli("db", "dump", "own.db").out)
    there = json.loads(cli("db", "dump", library.path).out)

    def by_title(found: dict[str, Any]) -> list[str]:
        return sorted(one["title"]["content"] for one in found["publications"])

    assert by_title(own) == by_title(there)
    assert [len(own[kind]) for kind in ("webpages", "docs")] == [40, 15]


def test_a_cluster_as_the_database_of_the_settings(
    cli: Cli, cluster: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commands that only read take it from there; the doctor looks at it."""
    monkeypatch.setenv("PUBWEAVE_DB", cluster)

    assert cli("db", "size", "--publications").out == "60\n"
    assert f"{cluster} has 60 publications" in cli("doctor", "--offline").out
    monkeypatch.setenv("PUBWEAVE_DB", "cassandra://127.0.0.1:1/x")
    told = cli("doctor", "--offline")
    assert told.status == 1
    assert "No Cassandra answers at 127.0.0.1:1" in told.out


def test_what_only_services_may_do_is_refused_with_the_way_to_it(cli: Cli, cluster: str) -> None:
    """One process fetches into a file, a cluster's services into the cluster."""
    for words in (
        ["fetch", "31092905", "--db", cluster],
        ["pipe", "--pub", "31092905", "--db-fetch", cluster],
        ["db", "compact", cluster],
        ["db", "init", cluster],
        ["db", "merge", cluster, "other.db"],
    ):
        ran = cli(*words)
        assert (ran.status, ran.out) == (2, ""), words
        assert f"{cluster} is written by the services" in ran.err, words


@pytest.mark.parametrize(
    "name", ["cassandra://", "cassandra://host", "cassandra://host/Bad-Name", "cassandra:///x"]
)
def test_a_cluster_named_badly_is_told_how(cli: Cli, name: str) -> None:
    ran = cli("db", "size", name)

    assert ran.status == 2
    assert "write cassandra://HOST[:PORT][,HOST…]/KEYSPACE" in ran.err
