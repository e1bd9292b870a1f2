"""Where Kafka and Cassandra are, out of the settings, as what the adapters want."""

import logging
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pubweave.problems import UserError
from pubweave.settings import Settings, load

if TYPE_CHECKING:
    from pubweave.adapters.cassandra import CassandraPlace, CassandraStorage
    from pubweave.adapters.kafka.place import KafkaPlace

_KEYSPACE: Final = re.compile("[a-z][a-z0-9_]*")
MECHANISMS: Final = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")


def kafka_place(settings: Settings) -> "KafkaPlace":
    """:raises UserError: the bus is not installed, or a setting cannot be used"""
    try:
        from pubweave.adapters.kafka.place import KafkaLogin, KafkaPlace
    except ImportError as missing:
        raise _not_installed(missing) from missing
    mechanism = settings.text("kafka_mechanism").upper()
    if mechanism not in MECHANISMS:
        origin = settings.effective("kafka_mechanism").origin
        raise UserError(
            f"{origin}: kafka_mechanism must be one of {', '.join(MECHANISMS)}, not {mechanism!r}"
        )
    login = KafkaLogin(
        tls=settings.switch("kafka_tls"),
        ca_file=_certificates(settings, "kafka_ca"),
        user=settings.text("kafka_user"),
        password=settings.text("kafka_password"),
        mechanism=mechanism,
    )
    return KafkaPlace.at(settings.text("kafka"), settings.text("prefix"), login)


def cassandra_place(settings: Settings, copies: int = 1) -> "CassandraPlace":
    """:param copies: how many the data centre keeps of a keyspace that is yet to be made
    :raises UserError: the bus is not installed, or a setting cannot be used
    """
    try:
        from pubweave.adapters.cassandra import CassandraLogin, CassandraPlace
    except ImportError as missing:
        raise _not_installed(missing) from missing
    login = CassandraLogin(
        tls=settings.switch("cassandra_tls"),
        ca_file=_certificates(settings, "cassandra_ca"),
        user=settings.text("cassandra_user"),
        password=settings.text("cassandra_password"),
    )
    centre = settings.text("cassandra_dc")
    return CassandraPlace.at(
        settings.text("cassandra"),
        keyspace=settings.text("keyspace"),
        local_dc=centre,
        replication={centre: copies},
        login=login,
    )


_SCHEME: Final = "cassandra:"


def is_cluster(where: str | Path) -> bool:
    """A database is named `cassandra://host[:port][,host…]/keyspace`: the Cassandra of a cluster. As a path it has lost
    a slash."""
    return str(where) == _SCHEME or str(where).startswith(f"{_SCHEME}/")


def told(where: str | Path) -> str:
    """A database as people name it."""
    text = str(where)
    return f"{_SCHEME}//{text.removeprefix(_SCHEME).lstrip('/')}" if is_cluster(where) else text


def cluster_place(where: str | Path, settings: Settings) -> "CassandraPlace":
    """The cluster that a database names; how to log in is a matter of the settings.

    :raises UserError: hosts or keyspace are missing, or the bus is not installed
    """
    import msgspec

    hosts, _, keyspace = str(where).removeprefix(_SCHEME).strip("/").partition("/")
    if not hosts or not _KEYSPACE.fullmatch(keyspace):
        raise UserError(f"{told(where)} is no cluster: write cassandra://HOST[:PORT][,HOST…]/KEYSPACE")
    named = tuple(one.strip() for one in hosts.split(",") if one.strip())
    return msgspec.structs.replace(cassandra_place(settings), hosts=named, keyspace=keyspace)


@asynccontextmanager
async def cluster(where: str | Path) -> "AsyncIterator[CassandraStorage]":
    """The storage of a cluster that is named as a database.

    :raises UserError: see `cluster_place`
    :raises StorageProblem: no cluster is there, or a keyspace that this program cannot use
    """
    place = cluster_place(where, load()[0])
    from pubweave.adapters.cassandra import CassandraStorage

    # What the driver says of each attempt is told in one sentence when the attempts end.
    logging.getLogger("cassandra").setLevel(logging.CRITICAL)
    storage = await CassandraStorage.open(place)
    try:
        yield storage
    finally:
        await storage.close()


def _certificates(settings: Settings, name: str) -> str:
    path = settings.path(name)
    if path is not None and not path.is_file():
        raise UserError(f"{settings.effective(name).origin}: the file {path} is not there")
    return str(path) if path is not None else ""


def _not_installed(missing: ImportError) -> UserError:
    return UserError(f"the bus needs what `pip install 'pubweave[bus]'` installs ({missing})")
