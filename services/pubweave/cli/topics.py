"""`pubweave topics`: the topics of a Kafka cluster, as the catalogue wants them."""

import asyncio
from typing import Any

import click

from pubweave.cli.group import Command, Group, Option
from pubweave.cli.problems import Failed, Refused

_DEFAULT = "127.0.0.1:9092"


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
def topics() -> None:
    """Make and check the topics of a Kafka cluster."""


def _where(command: Any) -> Any:
    """The options that say which cluster."""
    for option in (
        click.option(
            "--prefix",
            default="",
            metavar="TEXT",
            cls=Option,
            help="Stands before the name of every topic, where several installations share a cluster.",
        ),
        click.option(
            "--kafka",
            default=_DEFAULT,
            show_default=True,
            envvar="PUBWEAVE_KAFKA",
            metavar="HOST:PORT",
            cls=Option,
            help="Some brokers of the cluster, divided by commas; also PUBWEAVE_KAFKA.",
        ),
    ):
        command = option(command)
    return command


def _cluster(kafka: str, prefix: str) -> tuple[Any, Any]:
    """What asks a cluster, and where it is."""
    try:
        from pubweave.adapters.kafka import KafkaPlace, admin
    except ModuleNotFoundError as problem:
        raise Refused(f"the topics need {problem.name}: install pubweave with its extra `bus`") from problem
    return admin, KafkaPlace.at(kafka, prefix)


@topics.command(
    cls=Command, examples="pubweave topics apply --kafka kafka:9092\npubweave topics apply --copies 3"
)
@_where
@click.option(
    "--copies",
    type=click.IntRange(min=0),
    default=0,
    cls=Option,
    help="How many brokers keep each new topic; 0 = three, or as many as there are.",
)
def apply(kafka: str, prefix: str, copies: int) -> None:
    """Create what is missing and change what differs; safe to repeat.

    No topic is deleted, and none gets another number of partitions: what of that is needed is told, with
    exit status 1.
    """

    async def make() -> None:
        admin, place = _cluster(kafka, prefix)
        done = await admin.apply(place, copies=copies)
        for topic in done.create:
            click.echo(f"{topic.name}: created, {topic.partitions} partitions")
        for change in done.change:
            for what in change.told:
                click.echo(f"{change.name}: {what}")
        if done.is_empty():
            click.echo("all topics are as they should be")
        for problem in done.problems:
            click.echo(problem, err=True)
        if done.problems:
            raise Failed(f"{len(done.problems)} of the topics must be put right by a person")

    asyncio.run(make())


@topics.command(cls=Command, examples="pubweave topics check --kafka kafka:9092")
@_where
def check(kafka: str, prefix: str) -> None:
    """Say what is not as it should be, and change nothing; exit status 1 if anything is not."""

    async def look() -> None:
        admin, place = _cluster(kafka, prefix)
        needed = await admin.needed(place)
        for sentence in needed.sentences():
            click.echo(sentence)
        if not needed.is_empty():
            raise Failed(f"the topics are not as they should be; run `pubweave topics apply --kafka {kafka}`")
        click.echo("all topics are as they should be")

    asyncio.run(look())
