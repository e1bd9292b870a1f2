"""Where Kafka and Cassandra are, out of the settings; as options, and as what the adapters want."""

import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from pubweave.cli.group import Option
from pubweave.cli.options import in_effect, say, setting_options
from pubweave.cli.problems import Refused
from pubweave.settings import Settings

if TYPE_CHECKING:
    from pubweave.adapters.cassandra import CassandraPlace, CassandraStorage
    from pubweave.adapters.kafka.place import KafkaPlace

_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])
_Done = TypeVar("_Done")

_KAFKA: Final = (
    "kafka",
    "prefix",
    "kafka_tls",
    "kafka_ca",
    "kafka_user",
    "kafka_password",
    "kafka_mechanism",
)
_CASSANDRA: Final = (
    "cassandra",
    "keyspace",
    "cassandra_dc",
    "cassandra_tls",
    "cassandra_ca",
    "cassandra_user",
    "cassandra_password",
)
_KEYSPACE: Final = re.compile("[a-z][a-z0-9_]*")
MECHANISMS: Final = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")


def on_kafka(command: _Decorated) -> _Decorated:
    """The options that say which Kafka."""
    return setting_options(*_KAFKA)(command)


def on_cassandra(command: _Decorated) -> _Decorated:
    """The options that say which Cassandra and keyspace."""
    return setting_options(*_CASSANDRA)(command)


def on_bus(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a command that changes a cluster: which Kafka, and how long to wait until it is done."""
    waiting = click.option(
        "--wait",
        type=click.FloatRange(min=0),
        default=60.0,
        show_default=True,
        metavar="SECONDS",
        cls=Option,
        help="For a cluster: wait up to so long until it is done; it is done also when nobody waits any more.",
    )
    return waiting(on_kafka(command))


def patient(command: _Decorated) -> _Decorated:
    """The option that says how long to wait for both."""
    return setting_options("start_patience")(command)


def kafka_place(settings: Settings) -> "KafkaPlace":
    """:raises Refused: the bus is not installed, or a setting cannot be used"""
    try:
        from pubweave.adapters.kafka.place import KafkaLogin, KafkaPlace
    except ImportError as missing:
        raise _not_installed(missing) from missing
    mechanism = settings.text("kafka_mechanism").upper()
    if mechanism not in MECHANISMS:
        origin = settings.effective("kafka_mechanism").origin
        raise Refused(f"{origin}: kafka_mechanism must be one of {', '.join(MECHANISMS)}, not {mechanism!r}")
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
    :raises Refused: the bus is not installed, or a setting cannot be used
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

    :raises Refused: hosts or keyspace are missing, or the bus is not installed
    """
    import msgspec

    hosts, _, keyspace = str(where).removeprefix(_SCHEME).strip("/").partition("/")
    if not hosts or not _KEYSPACE.fullmatch(keyspace):
        raise Refused(f"{told(where)} is no cluster: write cassandra://HOST[:PORT][,HOST…]/KEYSPACE")
    named = tuple(one.strip() for one in hosts.split(",") if one.strip())
    return msgspec.structs.replace(cassandra_place(settings), hosts=named, keyspace=keyspace)


@asynccontextmanager
async def cluster(where: str | Path) -> "AsyncIterator[CassandraStorage]":
    """The storage of a cluster that is named as a database.

    :raises Refused: see `cluster_place`
    :raises StorageProblem: no cluster is there, or a keyspace that this program cannot use
    """
    place = cluster_place(where, in_effect({}))
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
        raise Refused(f"{settings.effective(name).origin}: the file {path} is not there")
    return str(path) if path is not None else ""


def _not_installed(missing: ImportError) -> Refused:
    return Refused(f"the bus needs what `pip install 'pubweave[bus]'` installs ({missing})")


async def when_there(
    place: "KafkaPlace | CassandraPlace", patience_s: float, step: Callable[[], Awaitable[_Done]]
) -> _Done:
    """Do this as soon as somebody answers at that place.

    :raises StorageAway: nobody does
    """
    from pubweave.adapters.clock import SystemClock
    from pubweave.runtimes.bus.waiting import awaited

    name = type(place).__name__.removesuffix("Place")
    return await awaited(f"{name} at {place.told()}", step, SystemClock(), say, patience_s)


async def kafka_answers(place: "KafkaPlace", patience_s: float) -> None:
    """Wait until a broker answers.

    :raises StorageAway: none does
    """
    from pubweave.adapters.kafka.admin import needed

    await when_there(place, patience_s, lambda: needed(place))


async def cassandra_answers(place: "CassandraPlace", patience_s: float) -> None:
    """Wait until a node answers; the keyspace need not be there.

    :raises StorageAway: none does
    """
    from pubweave.adapters.cassandra.session import Session

    async def attempt() -> None:
        session = await Session.connect(place)
        await session.close()

    await when_there(place, patience_s, attempt)
