"""`pubweave rebuild`: makes finished records anew from the log alone."""

import asyncio
from typing import TYPE_CHECKING, Any

import click

from pubweave.cli.group import Command, Option
from pubweave.cli.options import in_effect
from pubweave.cli.places import on_cassandra, on_kafka
from pubweave.output.terminal import say
from pubweave.runtimes.places import cassandra_place, kafka_place

if TYPE_CHECKING:
    pass


@click.command(
    cls=Command,
    examples="pubweave rebuild --kafka kafka:9092 --cassandra cassandra:9042\npubweave rebuild --everything",
)
@click.option(
    "--everything",
    is_flag=True,
    cls=Option,
    help="Also the mergers' state, identifiers, redirects and lines: for a Cassandra that was lost.",
)
@click.option(
    "--from-the-start",
    is_flag=True,
    cls=Option,
    help="Begin anew, even if one was interrupted; otherwise that one is gone on with.",
)
@on_kafka
@on_cassandra
def rebuild(everything: bool, from_the_start: bool, **options: Any) -> None:
    """Write the finished records anew from the log into Cassandra, and the views over them; safe while services run.

    Interrupt it whenever you like: the same command goes on from there. On a terminal it says how far it is.
    """
    place, cassandra = kafka_place(in_effect(options)), cassandra_place(in_effect(options))

    async def write() -> None:
        from pubweave.adapters.cassandra import CassandraStorage
        from pubweave.cli.commands.rebuild.how_far import HowFar
        from pubweave.runtimes.bus.rebuilding import Rebuilding

        storage = await CassandraStorage.open(cassandra)
        try:
            with HowFar() as told:
                async with Rebuilding.open(
                    place, storage.store, everything=everything, anew=from_the_start, told=told
                ) as rebuilding:
                    if rebuilding.before:
                        say(
                            f"one that was interrupted is gone on with: {rebuilding.before} % of it were done"
                        )
                    if everything:
                        told.say(f"{await rebuilding.state():,} rows read")
                    told.say(f"{await rebuilding.records():,} versions written")
                    told.say(f"{await storage.views.rebuild():,} records in the views")
                    await rebuilding.finished()
        finally:
            await storage.close()

    asyncio.run(write())
