"""`pubweave work`, `submit`, `follow` and `dead-letters`: the services on Kafka and Cassandra."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from pubweave.cli.group import Command, Group, Option
from pubweave.cli.options import in_effect, say, setting_options, typed
from pubweave.cli.places import (
    cassandra_place,
    kafka_answers,
    kafka_place,
    on_cassandra,
    on_kafka,
    patient,
    when_there,
)
from pubweave.cli.problems import Failed, Refused
from pubweave.output.terminal import echo
from pubweave.settings import SETTINGS

if TYPE_CHECKING:
    from pubweave.adapters.cassandra import CassandraPlace
    from pubweave.adapters.kafka.place import KafkaPlace
    from pubweave.adapters.rule_files import WatchedRules
    from pubweave.contract.dead_letter import DeadLetter
    from pubweave.contract.fetch_requested import FetchRequested
    from pubweave.contract.kinds import Event
    from pubweave.ports import Clock
    from pubweave.runtimes.bus.system import BusConfig, BusSystem


def _place(options: dict[str, Any]) -> "KafkaPlace":
    """:raises Refused: the bus is not installed, or a setting cannot be used"""
    return kafka_place(in_effect(options))


# Services.


@click.command(
    cls=Command,
    examples="pubweave work all\npubweave work merger materialiser --kafka kafka:9092 --cassandra cassandra:9042",
)
@click.argument("services", nargs=-1, required=True, metavar="SERVICE…|all")
@on_kafka
@on_cassandra
@click.option(
    "--session-timeout",
    type=click.FloatRange(min=6),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    cls=Option,
    help="After this long without a sign of life its partitions go to others.",
)
@click.option(
    "--health",
    default="",
    envvar="PUBWEAVE_HEALTH",
    metavar="HOST:PORT",
    cls=Option,
    help="Answer GET /healthz, /readyz and /metrics there; also PUBWEAVE_HEALTH.",
)
@click.option(
    "--refetch-per-minute",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="NUMBER",
    cls=Option,
    help="The scheduler submits up to so many publications whose cooldown is over; 0 for none.",
)
@patient
@setting_options(*(setting.name for setting in SETTINGS if setting.group != "bus" and setting.name != "db"))
def work(**options: Any) -> None:
    """Run services on Kafka and Cassandra until they are told to end.

    SERVICE is merger, materialiser, scheduler, fetcher, renderer, pdf_reader, webpages, docs, or a resource; `all`
    runs the whole system in one process. Messages go to standard error as they would go to a log, with their times;
    `--log-format json` makes objects of them.
    """
    from pubweave import registry
    from pubweave.cli.logs import listening_as_set
    from pubweave.cli.wiring import cooldowns, rules_of, run_settings, system_config

    chosen = in_effect(options)
    place, cassandra = kafka_place(chosen), cassandra_place(chosen)
    from pubweave.runtimes.bus.system import ALL, BusConfig, known
    from pubweave.runtimes.messages.merger import IN_FLIGHT

    try:
        services = known(options["services"])
    except KeyError as unknown:
        raise Refused(f"there is no service {unknown}; there are: all, {', '.join(ALL)}") from unknown
    rules = rules_of(chosen)
    settings = system_config(chosen, create=False, rules=rules)
    config = BusConfig(
        kafka=place,
        services=services,
        context=settings.context,
        fetcher=settings.fetcher,
        pdf_reader=settings.pdf_reader,
        renderer=settings.renderer,
        readers=settings.readers,
        resources=settings.resources if settings.resources is not None else tuple(registry.RESOURCES),
        in_flight=settings.in_flight if chosen.effective("in_flight").origin != "default" else IN_FLIGHT,
        refetch_per_minute=options["refetch_per_minute"],
        refetch_settings=run_settings(chosen),
        refetch_cooldowns=cooldowns(chosen),
        session_timeout_s=options["session_timeout"],
    )
    # Process 1 of a container ends at no signal that it has not asked for; later, services end in order.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with listening_as_set(chosen, say, typed(), endless=True):
        asyncio.run(_work(config, cassandra, rules, options["health"], chosen.number("start_patience")))


async def _work(
    config: "BusConfig", cassandra: "CassandraPlace", rules: "WatchedRules", health: str, patience_s: float
) -> None:
    from pubweave.adapters.cassandra import CassandraStorage
    from pubweave.cli.wiring import rules_watched
    from pubweave.runtimes.bus.serving import serving
    from pubweave.runtimes.bus.system import open_bus

    await kafka_answers(config.kafka, patience_s)
    storage = await when_there(cassandra, patience_s, lambda: CassandraStorage.open(cassandra))
    try:
        async with (
            open_bus(config, storage) as bus,
            serving(bus, health),
            rules_watched(rules, bus),
        ):
            say(f"running: {', '.join(config.services)}")
            await _until_told(bus)
    finally:
        await storage.close()


async def _until_told(bus: "BusSystem") -> None:
    from pubweave.runtimes.bus.health import Poisoned

    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, told.set)
    failing = asyncio.create_task(bus.wait())
    ending = asyncio.create_task(told.wait())
    await asyncio.wait([failing, ending], return_when=asyncio.FIRST_COMPLETED)
    ending.cancel()
    try:
        if failing.done():
            await failing
    except Poisoned as poisoned:
        raise Failed(str(poisoned)) from poisoned
    finally:
        failing.cancel()


# Jobs.

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
    from pubweave.cli.input import Input
    from pubweave.cli.page import addresses

    place = _place(options)
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
    from pubweave.cli.wiring import cooldowns, run_settings
    from pubweave.contract.fetch_requested import FetchRequested
    from pubweave.contract.values import Identifiers
    from pubweave.runtimes.bus.client import following, new_job
    from pubweave.runtimes.bus.client import submit as put_on_the_bus
    from pubweave.runtimes.bus.sending import Sender
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


STILL_S: Final = 60.0
"""A job without a new outcome for so long is told of; then after twice that time, and so on."""


class _Stillness:
    """Says when a job does not move, and who says why."""

    def __init__(self, clock: "Clock", job: str) -> None:
        self._clock = clock
        self._job = job
        self._moved_s = clock.monotonic_s()
        self._after_s = STILL_S

    def look(self, moved: bool) -> None:
        now_s = self._clock.monotonic_s()
        if moved:
            self._moved_s, self._after_s = now_s, STILL_S
        elif now_s - self._moved_s >= self._after_s:
            say(
                f"no further outcome for {now_s - self._moved_s:.0f} s; `pubweave status --cluster --job {self._job}` "
                "says what is on its way and what hangs"
            )
            self._after_s *= 2


async def _print_settled(follower: Any, job: str, count: int, clock: "Clock") -> None:
    """Outcomes as JSON lines, each line of the job once, until so many have come."""
    from pubweave.contract.codec import encode
    from pubweave.contract.submission_settled import SubmissionSettled

    seen: set[int] = set()
    stillness = _Stillness(clock, job)
    async for events in follower.batches():
        before = len(seen)
        for event in events:
            if isinstance(event, SubmissionSettled) and event.job == job and event.line not in seen:
                seen.add(event.line)
                echo(encode(event))
        if len(seen) >= count:
            return
        stillness.look(len(seen) > before)


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
    stillness = _Stillness(SystemClock(), job)
    async with (
        _texts(options) as put_back,
        following(
            _place(options), [topic], from_the_start=options["from_the_start"], cursor=cursor
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
    place, cassandra = _place(options), cassandra_place(in_effect(options))

    async def write() -> None:
        from pubweave.adapters.cassandra import CassandraStorage
        from pubweave.cli.how_far import HowFar
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


# Dead letters.


@click.group("dead-letters", cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
def dead_letters() -> None:
    """Look at the messages that nobody could read or handle."""


@dead_letters.command("list", cls=Command, examples="pubweave dead-letters list")
@on_kafka
def list_(**options: Any) -> None:
    """One line for each: its number, where it was found, by whom, and why it was put aside."""
    for number, letter in _letters(_place(options)):
        kind = f"{letter.event_kind} v{letter.event_version}" if letter.event_kind else "unknown"
        echo(f"{number}\t{letter.topic}\t{letter.service}\t{kind}\t{letter.reason}")


@dead_letters.command(cls=Command, examples="pubweave dead-letters show 3")
@click.argument("number", type=int)
@on_kafka
def show(number: int, **options: Any) -> None:
    """Everything that is known of one, as JSON; its bytes are base64 in `body`."""
    for found, letter in _letters(_place(options)):
        if found == number:
            echo(msgspec.json.format(msgspec.json.encode(letter), indent=2))
            return
    raise Refused(f"there is no dead letter {number}; `pubweave dead-letters list` tells which there are")


@dead_letters.command("replay", cls=Command, examples="pubweave dead-letters replay 3")
@click.argument("number", type=int)
@on_kafka
def replay_(number: int, **options: Any) -> None:
    """Say one again where it was going, once what broke on it is put right; a repeat does no harm."""
    place = _place(options)
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
    place = _place(options)
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
