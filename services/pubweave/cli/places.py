"""Where Kafka and Cassandra are: the options that say it, and how to wait until somebody answers there."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from pubweave.cli.group import Option
from pubweave.cli.options import setting_options
from pubweave.output.terminal import say

if TYPE_CHECKING:
    from pubweave.adapters.cassandra import CassandraPlace
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
