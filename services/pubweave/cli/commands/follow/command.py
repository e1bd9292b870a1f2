"""`pubweave follow`: prints finished records of the bus as they come."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from pubweave.cli.group import Command, Option
from pubweave.cli.options import in_effect
from pubweave.cli.places import on_cassandra, on_kafka
from pubweave.cli.problems import Refused
from pubweave.cli.stillness import Stillness
from pubweave.output.terminal import echo
from pubweave.runtimes.places import cassandra_place, kafka_place

if TYPE_CHECKING:
    from pubweave.contract.kinds import Event


@click.command(
    cls=Command,
    examples="pubweave follow --from-cursor seen.json\npubweave follow --job 019a8c… --from-the-start\n"
    "pubweave follow --inline --cassandra cassandra:9042",
)
@click.option("--job", default="", cls=Option, metavar="NAME", help="Only the outcomes of this job's lines.")
@click.option("--from-the-start", is_flag=True, cls=Option, help="Also what is there already.")
@click.option(
    "--from-cursor",
    type=click.Path(dir_okay=False, path_type=Path),
    cls=Option,
    metavar="FILE",
    help="Go on where this file says, and note in it how far was printed; made if it is not there.",
)
@click.option(
    "--inline",
    is_flag=True,
    cls=Option,
    help="Long texts stand in the records, read from Cassandra; otherwise records name them by their digest.",
)
@on_kafka
@on_cassandra
def follow(**options: Any) -> None:
    """Print finished records as they come, as JSON lines; with --job the outcomes of its lines.

    What is printed again after an interruption has the same publication and version.
    """
    asyncio.run(_follow(options))


async def _follow(options: dict[str, Any]) -> None:
    from pubweave.adapters.clock import SystemClock
    from pubweave.contract.codec import encode
    from pubweave.contract.submission_settled import SubmissionSettled
    from pubweave.runtimes.bus.client import following

    job, noted = options["job"], options["from_cursor"]
    topic = "submissions-settled" if job else "publications"
    cursor = _cursor_in(noted)
    seen: set[int] = set()
    stillness = Stillness(SystemClock(), job)
    async with (
        _texts(options) as put_back,
        following(
            kafka_place(in_effect(options)), [topic], from_the_start=options["from_the_start"], cursor=cursor
        ) as follower,
    ):
        async for events in follower.batches():
            before = len(seen)
            for event in events:
                if isinstance(event, SubmissionSettled):
                    if event.job != job or event.line in seen:
                        continue
                    seen.add(event.line)
                echo(encode(await put_back(event)))
            if job:
                stillness.look(len(seen) > before)
            if noted is not None and (events or not noted.exists()):
                # Only now: what was printed and not noted is printed again, never the other way round.
                written = noted.with_name(noted.name + ".new")
                written.write_bytes(msgspec.json.format(msgspec.json.encode(follower.cursor), indent=1))
                written.replace(noted)


def _cursor_in(noted: Path | None) -> dict[str, int] | None:
    """:raises Refused: the file is no cursor"""
    if noted is None or not noted.exists():
        return None
    try:
        return msgspec.json.decode(noted.read_bytes(), type=dict[str, int])
    except msgspec.DecodeError as problem:
        raise Refused(f"--from-cursor: {noted} was not written by `pubweave follow`: {problem}") from problem


@asynccontextmanager
async def _texts(options: dict[str, Any]) -> "AsyncIterator[Callable[[Event], Awaitable[Event]]]":
    """How an event is completed with its long texts, where that is wanted."""
    if not options["inline"]:

        async def as_it_is(event: "Event") -> "Event":
            return event

        yield as_it_is
        return
    from pubweave.adapters.cassandra import CassandraStorage
    from pubweave.contract.publication_updated import PublicationUpdated
    from pubweave.core.record import decode_record, encode_record
    from pubweave.runtimes.contents import put_back

    storage = await CassandraStorage.open(cassandra_place(in_effect(options)))

    async def completed(event: "Event") -> "Event":
        if not isinstance(event, PublicationUpdated):
            return event
        record = await put_back(decode_record(bytes(event.record)), storage.blobs)
        return msgspec.structs.replace(event, record=msgspec.Raw(encode_record(record)))

    try:
        yield completed
    finally:
        await storage.close()
