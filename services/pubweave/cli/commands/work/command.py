"""`pubweave work`: runs services on Kafka and Cassandra."""

import asyncio
import os
import signal
import sys
from typing import TYPE_CHECKING, Any, Final

import click

from pubweave.cli.group import Command, Option
from pubweave.cli.options import in_effect, setting_options, typed
from pubweave.cli.places import kafka_answers, on_cassandra, on_kafka, patient, when_there
from pubweave.cli.problems import Failed, Refused
from pubweave.output.terminal import say
from pubweave.runtimes.places import cassandra_place, kafka_place
from pubweave.settings import SETTINGS

if TYPE_CHECKING:
    from pubweave.adapters.cassandra import CassandraPlace
    from pubweave.adapters.rule_files import WatchedRules
    from pubweave.runtimes.bus.system import BusConfig, BusSystem


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
    from pubweave.runtimes.wiring import cooldowns, rules_of, run_settings, system_config

    chosen = in_effect(options)
    place, cassandra = kafka_place(chosen), cassandra_place(chosen)
    from pubweave.runtimes.bus.loop import loop_factory
    from pubweave.runtimes.bus.system import ALL, BusConfig, known
    from pubweave.runtimes.messages.merger import IN_FLIGHT

    rules = rules_of(chosen)
    settings = system_config(chosen, create=False, rules=rules)
    asked = settings.resources if settings.resources is not None else registry.ON
    try:
        services = known(options["services"], asked)
    except KeyError as unknown:
        raise Refused(f"there is no service {unknown}; there are: all, {', '.join(ALL)}") from unknown
    for idle in (one for one in services if one in registry.RESOURCES and one not in asked):
        say(f"{idle} is asked only where the mergers' setting `resources` names it: --resources +{idle}")
    config = BusConfig(
        kafka=place,
        services=services,
        context=settings.context,
        fetcher=settings.fetcher,
        pdf_reader=settings.pdf_reader,
        renderer=settings.renderer,
        readers=settings.readers,
        resources=asked,
        in_flight=settings.in_flight if chosen.effective("in_flight").origin != "default" else IN_FLIGHT,
        refetch_per_minute=options["refetch_per_minute"],
        refetch_settings=run_settings(chosen),
        refetch_cooldowns=cooldowns(chosen),
        session_timeout_s=options["session_timeout"],
    )
    # Process 1 of a container ends at no signal that it has not asked for; later, services end in order.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with (
        listening_as_set(chosen, say, typed(), endless=True),
        asyncio.Runner(loop_factory=loop_factory()) as runner,
    ):
        runner.run(_work(config, cassandra, rules, options["health"], chosen.number("start_patience")))


_POLITE: Final = (signal.SIGINT, signal.SIGTERM)


async def _work(
    config: "BusConfig", cassandra: "CassandraPlace", rules: "WatchedRules", health: str, patience_s: float
) -> None:
    from pubweave.adapters.cassandra import CassandraStorage
    from pubweave.runtimes.bus.serving import serving
    from pubweave.runtimes.bus.system import open_bus
    from pubweave.runtimes.wiring import rules_watched

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
    """A second signal ends the process where it stands: what it was at is done again by others."""
    from pubweave.runtimes.bus.health import Poisoned

    told = asyncio.Event()
    loop = asyncio.get_running_loop()

    def heed() -> None:
        told.set()
        for number in _POLITE:
            loop.remove_signal_handler(number)
            signal.signal(number, lambda number, _: os._exit(128 + number))

    for number in _POLITE:
        loop.add_signal_handler(number, heed)
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
