"""`pubweave tables`: the keyspace and tables of a Cassandra cluster, as this release wants them."""

import asyncio
from typing import TYPE_CHECKING, Any

import click

from pubweave.cli.group import Command, GuessingGroup, Option
from pubweave.cli.options import in_effect
from pubweave.cli.places import on_cassandra, patient, when_there
from pubweave.output.terminal import echo
from pubweave.runtimes.places import cassandra_place

if TYPE_CHECKING:
    from pubweave.adapters.cassandra.migrations import Phase


@click.group(cls=GuessingGroup, context_settings={"help_option_names": ["-h", "--help"]})
def tables() -> None:
    """Make the keyspace of a Cassandra cluster and bring its tables to this release."""


@tables.command(
    cls=Command,
    examples="pubweave tables apply --cassandra cassandra:9042\npubweave tables apply --phase pre --copies 3",
)
@on_cassandra
@patient
@click.option(
    "--copies",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    cls=Option,
    help="How many nodes of the data centre keep each row; used when the keyspace is made.",
)
@click.option(
    "--phase",
    type=click.Choice(["pre", "post", "all"]),
    default="all",
    show_default=True,
    cls=Option,
    help="pre: what the services of this release need; post: what only older ones needed goes.",
)
def apply(copies: int, phase: str, **options: Any) -> None:
    """Run the migrations that have not run yet; safe to repeat."""
    settings = in_effect(options)
    place = cassandra_place(settings, copies)

    async def make() -> None:
        from pubweave.adapters.cassandra import migrate

        phases: dict[str, tuple[Phase, ...]] = {
            "pre": ("pre",),
            "post": ("post",),
            "all": ("pre", "post"),
        }
        patience_s = settings.number("start_patience")
        done = await when_there(place, patience_s, lambda: migrate(place, phases[phase]))
        echo(f"{place.keyspace}: " + (f"ran {', '.join(done)}" if done else "nothing to be done"))

    asyncio.run(make())
