"""What is stored, wherever: a database file, or the Cassandra of a cluster; for commands that only read."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from pubweave.cli.group import Option
from pubweave.cli.options import in_effect
from pubweave.cli.places import on_cassandra

if TYPE_CHECKING:
    from pubweave.ports import Blobs, Store
    from pubweave.settings import Settings

_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])


class Stored(NamedTuple):
    """Open for reading."""

    store: "Store"
    blobs: "Blobs"


class StoredSource(NamedTuple):
    """Where to read."""

    settings: "Settings"
    path: Path | None
    """None: Cassandra."""

    @property
    def name(self) -> str:
        """For headings."""
        return self.path.name if self.path is not None else self.settings.text("keyspace")

    def is_file(self, other: str) -> bool:
        """The database is this file: nothing may be written there."""
        return self.path is not None and self.path.absolute() == Path(other).absolute()


def cluster_options(command: _Decorated) -> _Decorated:
    """`--cluster`, and which Cassandra that is."""
    flag = click.option(
        "--cluster",
        is_flag=True,
        cls=Option,
        help="Read from the Cassandra of a cluster instead of from a database file.",
    )
    return flag(on_cassandra(command))


def source_of(database: str | None, options: dict[str, Any], context: click.Context) -> StoredSource:
    """The database that was named as an argument, the one of the settings, or the cluster.

    :raises click.UsageError: two of them
    """
    from pubweave.runtimes.wiring import database as chosen

    if options["cluster"]:
        if database is not None or options["db"] is not None:
            raise click.UsageError("--cluster reads from Cassandra, not from a database file", context)
        return StoredSource(in_effect(options), None)
    if database is not None and options["db"] is not None:
        raise click.UsageError("the database is named twice", context)
    settings = in_effect({**options, "db": database} if database is not None else options)
    return StoredSource(settings, chosen(settings))


@asynccontextmanager
async def opened(source: StoredSource) -> AsyncIterator[Stored]:
    """:raises StorageProblem: it cannot be opened"""
    if source.path is not None:
        from pubweave.runtimes.wiring import reading

        async with reading(source.path) as storage:
            yield Stored(storage.store, storage.blobs)
        return
    from pubweave.runtimes.places import cassandra_place

    place = cassandra_place(source.settings)
    from pubweave.adapters.cassandra import CassandraStorage

    cluster = await CassandraStorage.open(place)
    try:
        yield Stored(cluster.store, cluster.blobs)
    finally:
        await cluster.close()
