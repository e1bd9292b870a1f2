"""`pubweave topics`: the topics of a Kafka cluster, as the catalogue wants them."""

import asyncio
from typing import Any

import click

from pubweave.cli.cluster_status import audit_of, gap_sentences
from pubweave.cli.group import Command, GuessingGroup, Option
from pubweave.cli.options import format_option, in_effect
from pubweave.cli.places import on_kafka, patient, when_there
from pubweave.cli.problems import OK, UNFINISHED, Failed
from pubweave.output.terminal import echo
from pubweave.runtimes.places import kafka_place


@click.group(cls=GuessingGroup, context_settings={"help_option_names": ["-h", "--help"]})
def topics() -> None:
    """Make and check the topics of a Kafka cluster."""


@topics.command(
    cls=Command, examples="pubweave topics apply --kafka kafka:9092\npubweave topics apply --copies 3"
)
@on_kafka
@click.option(
    "--copies",
    type=click.IntRange(min=0),
    default=0,
    cls=Option,
    help="How many brokers keep each new topic; 0 = three, or as many as there are.",
)
@patient
def apply(copies: int, **options: Any) -> None:
    """Create what is missing and change what differs; safe to repeat.

    No topic is deleted, and none gets another number of partitions: what of that is needed is told, with
    exit status 1.
    """

    settings = in_effect(options)
    place = kafka_place(settings)

    async def make() -> None:
        from pubweave.adapters.kafka import admin

        patience_s = settings.number("start_patience")
        done = await when_there(place, patience_s, lambda: admin.apply(place, copies=copies))
        for topic in done.create:
            echo(f"{topic.name}: created, {topic.partitions} partitions")
        for change in done.change:
            for what in change.told:
                echo(f"{change.name}: {what}")
        if done.is_empty():
            echo("all topics are as they should be")
        for problem in done.problems:
            echo(problem, err=True)
        if done.problems:
            raise Failed(f"{len(done.problems)} of the topics must be put right by a person")

    asyncio.run(make())


@topics.command(cls=Command, examples="pubweave topics check --kafka kafka:9092")
@on_kafka
def check(**options: Any) -> None:
    """Say what is not as it should be, and change nothing; exit status 1 if anything is not."""

    place = kafka_place(in_effect(options))

    async def look() -> None:
        from pubweave.adapters.kafka import admin
        from pubweave.adapters.kafka.topics import command

        needed = await admin.needed(place)
        for sentence in needed.sentences():
            echo(sentence)
        if not needed.is_empty():
            run = command("apply", ",".join(place.hosts), place.prefix)
            raise Failed(f"the topics are not as they should be; run {run}")
        echo("all topics are as they should be")

    asyncio.run(look())


@topics.command(
    cls=Command, examples="pubweave topics waiting --kafka kafka:9092\npubweave topics waiting --format json"
)
@format_option()
@on_kafka
def waiting(format_: str, **options: Any) -> int:
    """Count what each service has still to do: questions by source, requests to hosts, replies, findings.

    A message counts until the service has said that it is done, so what is under way counts, too. Also says how many
    dead letters there are, and which lines hang though nothing waits for them (`pubweave status --cluster` has more);
    then the exit status is 1. Works whether services run or not.
    """
    place = kafka_place(in_effect(options))

    async def look() -> int:
        from pubweave.adapters.clock import SystemClock
        from pubweave.adapters.kafka.admin import ready
        from pubweave.adapters.kafka.lag import lags
        from pubweave.runtimes.bus.system import ALL
        from pubweave.runtimes.messages.groups import groups_of

        await ready(place)
        # Dead letters are no group's to hear: counted as by one that has done none.
        groups = {group: topics for name in ALL for group, topics in groups_of(name).items()}
        found = await lags(place, {**groups, "nobody": ("dead-letters",)})
        letters = found.pop("nobody")["dead-letters"]
        table = await audit_of(place, SystemClock().now_ms())
        hanging = sum(one.hanging + one.missing for one in table.jobs)
        on_their_way = sum(one.on_their_way for one in table.jobs)
        if format_ == "json":
            import msgspec

            told = {
                "waiting": found,
                "dead_letters": letters,
                "on_their_way": on_their_way,
                "hanging": hanging,
            }
            echo(msgspec.json.format(msgspec.json.encode(told), indent=2).decode())
            return UNFINISHED if table.gaps else OK
        rows = [(one, topic, count) for one, of in found.items() for topic, count in of.items() if count]
        for service, topic, count in sorted(rows, key=lambda row: -row[2]):
            echo(f"{count:>10,}  {service:<20}  {topic}")
        if not rows and not on_their_way and not table.gaps:
            echo("nothing waits")
        elif not rows and on_their_way:
            echo(f"{on_their_way:,} lines are on their way: see `pubweave status --cluster`")
        if letters:
            echo(f"{letters:,} dead letters: see `pubweave dead-letters list`")
        for sentence in gap_sentences(table.gaps):
            echo(sentence)
        return UNFINISHED if table.gaps else OK

    return asyncio.run(look())
