"""`pubweave submit`: puts identifiers on the bus."""

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import click

from pubweave.cli.group import Command, Option
from pubweave.cli.options import in_effect, setting_options
from pubweave.cli.places import on_kafka
from pubweave.cli.problems import Refused
from pubweave.cli.stillness import Stillness
from pubweave.output.terminal import echo, say
from pubweave.runtimes.places import kafka_place
from pubweave.settings import SETTINGS

if TYPE_CHECKING:
    from pubweave.adapters.kafka.place import KafkaPlace
    from pubweave.contract.fetch_requested import FetchRequested
    from pubweave.ports import Clock


_OF_JOBS: Final = tuple(setting.name for setting in SETTINGS if setting.group == "fetching")
"""What travels with each line: what is enough, and when it is fetched again."""


@click.command(
    cls=Command,
    examples="pubweave submit 31092905 PMC6519000\npubweave submit --ids my.txt --lane bulk --deadline 2h --wait\n"
    "pubweave submit --urls tools.txt\npubweave submit 31092905 --fresh",
)
@click.argument("identifiers", nargs=-1, metavar="[IDS]…")
@click.option(
    "--ids",
    "files",
    cls=Option,
    multiple=True,
    metavar="FILE|-",
    help="As for `pubweave fetch`; - is standard input.",
)
@click.option(
    "--urls",
    "pages",
    cls=Option,
    multiple=True,
    metavar="FILE|-",
    help="A file with one address of a web page a line, as for `pubweave page`; - is standard input.",
)
@click.option("--doc", is_flag=True, cls=Option, help="The addresses are those of docs.")
@click.option(
    "--wait", is_flag=True, cls=Option, help="Print each line's outcome as it comes; end with the last."
)
@click.option(
    "--lane",
    type=click.Choice(["interactive", "bulk"]),
    default="interactive",
    show_default=True,
    cls=Option,
    help="`bulk` for a large job: few of it are under way at a time, and nobody waits behind it.",
)
@click.option(
    "--deadline",
    cls=Option,
    default="",
    metavar="SPAN|TIME",
    help="What is unfinished then is settled as parked: 90s, 30m, 2h, 1d, or 2026-11-21T18:00:00Z.",
)
@click.option(
    "--correlation-id", cls=Option, default="", metavar="TEXT", help="Repeated in everything that follows."
)
@click.option(
    "--fresh",
    is_flag=True,
    cls=Option,
    help="Fetch anew, from scratch, whatever is stored; that stays until the new record is there.",
)
@on_kafka
@setting_options(*_OF_JOBS)
def submit(**options: Any) -> None:
    """Put identifiers, and addresses of web pages and docs, on the bus; prints the job's name.

    How sources are asked is a matter of the services: `pubweave work` has the settings for that.
    """
    from pubweave.cli.addresses import addresses
    from pubweave.cli.input import Input

    place = kafka_place(in_effect(options))
    pages, _ = addresses((), options["pages"])
    with Input(options["identifiers"], options["files"], say) as given:
        if not given.survey().good and not pages:
            raise Refused("nothing to submit: there is no identifier or address in what was given")
        asyncio.run(_submit(place, given, [page.url for page in pages], options))


async def _submit(place: "KafkaPlace", given: Any, pages: list[str], options: dict[str, Any]) -> None:
    from pubweave.adapters.clock import SystemClock
    from pubweave.adapters.kafka.admin import ready
    from pubweave.adapters.kafka.topics import wanted
    from pubweave.cli.deadlines import deadline
    from pubweave.contract.fetch_requested import FetchRequested
    from pubweave.contract.values import Identifiers
    from pubweave.runtimes.bus.client import following, new_job
    from pubweave.runtimes.bus.client import submit as put_on_the_bus
    from pubweave.runtimes.bus.sending import Sender
    from pubweave.runtimes.wiring import cooldowns, run_settings
    from pubweave.version import IDENTIFICATION

    settings, clock = in_effect(options), SystemClock()
    until_ms = deadline(options["deadline"], clock.now_ms()) if options["deadline"] else 0
    await ready(place, wanted(prefix=place.prefix))
    job = new_job(clock)
    run, waits = run_settings(settings), cooldowns(settings)

    def lines() -> "Iterator[FetchRequested]":
        last = 0
        for line in given.lines():
            last = line.number
            yield requested(
                line=line.number,
                identifiers=line.identifiers,
                provenance=Identifiers(**{kind: IDENTIFICATION for kind, _ in line.identifiers.known()}),
            )
        for number, url in enumerate(pages, start=last + 1):
            yield requested(line=number, url=url, entry="doc" if options["doc"] else "webpage")

    def requested(**about: Any) -> FetchRequested:
        return FetchRequested(
            job=job,
            settings=run,
            cooldowns=waits,
            correlation_id=options["correlation_id"],
            deadline_at=until_ms,
            lane="bulk" if options["lane"] == "bulk" else "interactive",
            fresh=options["fresh"],
            submitted_at=clock.now_ms(),
            **about,
        )

    async with following(place, ["submissions-settled"]) as follower, Sender(place, clock.now_ms) as sender:
        count = await put_on_the_bus(sender, job, lines())
        echo(job)
        if options["wait"]:
            await _print_settled(follower, job, count, clock)


async def _print_settled(follower: Any, job: str, count: int, clock: "Clock") -> None:
    """Outcomes as JSON lines, each line of the job once, until so many have come."""
    from pubweave.contract.codec import encode
    from pubweave.contract.submission_settled import SubmissionSettled

    seen: set[int] = set()
    stillness = Stillness(clock, job)
    async for events in follower.batches():
        before = len(seen)
        for event in events:
            if isinstance(event, SubmissionSettled) and event.job == job and event.line not in seen:
                seen.add(event.line)
                echo(encode(event))
        if len(seen) >= count:
            return
        stillness.look(len(seen) > before)
