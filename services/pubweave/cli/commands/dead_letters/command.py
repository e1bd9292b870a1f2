"""`pubweave dead-letters`: messages that were put aside, seen and said again."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
import msgspec

from pubweave.cli.group import Command, GuessingGroup
from pubweave.cli.options import in_effect
from pubweave.cli.places import on_kafka
from pubweave.cli.problems import Failed, Refused
from pubweave.output.terminal import echo, say
from pubweave.runtimes.places import kafka_place

if TYPE_CHECKING:
    from pubweave.adapters.kafka.place import KafkaPlace
    from pubweave.contract.dead_letter import DeadLetter


@click.group("dead-letters", cls=GuessingGroup, context_settings={"help_option_names": ["-h", "--help"]})
def dead_letters() -> None:
    """Look at the messages that nobody could read or handle."""


@dead_letters.command("list", cls=Command, examples="pubweave dead-letters list")
@on_kafka
def list_(**options: Any) -> None:
    """One line for each: its number, where it was found, by whom, and why it was put aside."""
    for number, letter in _letters(kafka_place(in_effect(options))):
        kind = f"{letter.event_kind} v{letter.event_version}" if letter.event_kind else "unknown"
        echo(f"{number}\t{letter.topic}\t{letter.service}\t{kind}\t{letter.reason}")


@dead_letters.command(cls=Command, examples="pubweave dead-letters show 3")
@click.argument("number", type=int)
@on_kafka
def show(number: int, **options: Any) -> None:
    """Everything that is known of one, as JSON; its bytes are base64 in `body`."""
    for found, letter in _letters(kafka_place(in_effect(options))):
        if found == number:
            echo(msgspec.json.format(msgspec.json.encode(letter), indent=2))
            return
    raise Refused(f"there is no dead letter {number}; `pubweave dead-letters list` tells which there are")


@dead_letters.command("replay", cls=Command, examples="pubweave dead-letters replay 3")
@click.argument("number", type=int)
@on_kafka
def replay_(number: int, **options: Any) -> None:
    """Say one again where it was going, once what broke on it is put right; a repeat does no harm."""
    place = kafka_place(in_effect(options))
    letter = dict(_letters(place)).get(number)
    if letter is None:
        raise Refused(f"there is no dead letter {number}; `pubweave dead-letters list` tells which there are")

    async def send() -> None:
        from pubweave.adapters.clock import SystemClock
        from pubweave.contract.codec import UndecodableEvent
        from pubweave.runtimes.bus.client import replay
        from pubweave.runtimes.bus.sending import Sender

        async with Sender(place, SystemClock().now_ms) as sender:
            try:
                await replay(sender, letter)
            except UndecodableEvent as problem:
                raise Failed(f"it still cannot be read: {problem}") from problem

    asyncio.run(send())


@dead_letters.command("drop", cls=Command, examples="pubweave dead-letters drop 3")
@click.argument("number", type=int)
@on_kafka
def drop(number: int, **options: Any) -> None:
    """Take this one and all before it away for good; Kafka keeps them in the order of their coming."""
    place = kafka_place(in_effect(options))
    gone = [found for found, _ in _letters(place) if found <= number]
    if number not in gone:
        raise Refused(f"there is no dead letter {number}; `pubweave dead-letters list` tells which there are")

    async def take_away() -> None:
        from pubweave.runtimes.bus.client import drop_letters

        await drop_letters(place, number)

    asyncio.run(take_away())
    say(f"{len(gone)} dead letters taken away")


def _letters(place: "KafkaPlace") -> "Sequence[tuple[int, DeadLetter]]":
    found: list[tuple[int, DeadLetter]] = []

    async def read() -> None:
        from pubweave.contract.dead_letter import DeadLetter
        from pubweave.runtimes.bus.client import following

        async with following(place, ["dead-letters"], from_the_start=True) as follower:
            async for event, _, offset in follower.events(to_the_end=True):
                if isinstance(event, DeadLetter):
                    found.append((offset, event))

    asyncio.run(read())
    return found
