"""`pubweave db remove | erase` on a cluster: said on Kafka to the services, which do it."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

import click

from pubweave.cli.options import in_effect, say
from pubweave.cli.places import cluster, kafka_place, told
from pubweave.cli.problems import OK, UNFINISHED, Failed, Refused

if TYPE_CHECKING:
    from pubweave.contract.values import Identifiers
    from pubweave.contract.vocabulary import PageKind
    from pubweave.runtimes.bus.changing import Changing


@asynccontextmanager
async def _changing(database: str, options: dict[str, Any]) -> "AsyncIterator[Changing]":
    """:raises StorageProblem: nobody answers, or topics or tables are missing"""
    kafka = kafka_place(in_effect(options))
    from pubweave.adapters.clock import SystemClock
    from pubweave.adapters.kafka.admin import ready
    from pubweave.adapters.kafka.topics import wanted
    from pubweave.runtimes.bus.changing import Changing
    from pubweave.runtimes.bus.sending import Sender

    clock = SystemClock()
    async with AsyncExitStack() as opened:
        storage = await opened.enter_async_context(cluster(database))
        await ready(kafka, wanted(prefix=kafka.prefix))
        sender = await opened.enter_async_context(Sender(kafka, clock.now_ms))
        yield Changing(storage, kafka, sender, clock)


def _identifiers(texts: tuple[str, ...], kind: "PageKind | None") -> "list[Identifiers]":
    from pubweave.runtimes.embedded.database import triplet

    if kind is not None:
        raise Refused("a cluster has no message yet that takes web pages and docs out; publications can be")
    try:
        return [triplet(text) for text in texts]
    except ValueError as problem:
        raise Refused(str(problem)) from problem


async def remove(
    database: str, texts: tuple[str, ...], kind: "PageKind | None", options: dict[str, Any]
) -> int:
    """:raises Failed: some of it is not there"""
    wanted = _identifiers(texts, kind)
    async with _changing(database, options) as changing:
        keys = await changing.remove(wanted)
        done = await changing.done(keys, options["wait"])
    click.echo(f"{len(keys)} {'removed' if done else 'to be removed'} from {told(database)}", err=True)
    if changing.missing:
        raise Failed("; ".join(changing.missing))
    return _status(done)


async def erase(
    database: str, texts: tuple[str, ...], kind: "PageKind | None", options: dict[str, Any]
) -> int:
    """:raises Failed: nothing is known of some of it"""
    wanted = _identifiers(texts, kind)
    wiped, missing = [], []
    async with _changing(database, options) as changing:
        for text, identifiers in zip(texts, wanted, strict=True):
            found = await changing.erase(identifiers)
            wiped += found
            missing += [] if found else [text]
        done = await changing.done([one.key for one in wiped], options["wait"])
    shared = sum(one.shared for one in wiped)
    stay = f"; {shared:,} that other entries have, too, stay" if shared else ""
    click.echo(
        f"{len(wiped):,} {'erased' if done else 'to be erased'} from {told(database)}, with "
        f"{sum(one.contents for one in wiped):,} long texts{stay}",
        err=True,
    )
    if missing:
        raise Failed(f"nothing is known of {', '.join(missing)} in {told(database)}")
    return _status(done)


def _status(done: bool) -> int:
    if not done:
        say("it was told to the services, which have not done it yet: look whether the mergers run")
    return OK if done else UNFINISHED
