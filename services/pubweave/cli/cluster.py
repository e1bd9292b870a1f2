"""`pubweave db put | import | remove | erase` on a cluster: said on Kafka to the services, which do it."""

import shutil
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import IO, TYPE_CHECKING, Any, Final

from pubweave.cli.options import in_effect
from pubweave.cli.problems import OK, UNFINISHED, Failed, Refused
from pubweave.output.terminal import echo, say
from pubweave.runtimes.places import cluster, kafka_place, told

_WAIT_S: Final = 60.0
_NOT_YET: Final = "it was told to the services, which have not done it yet: look whether the mergers run"

if TYPE_CHECKING:
    from pubweave.contract.values import Identifiers
    from pubweave.contract.vocabulary import PageKind
    from pubweave.runtimes.bus.changing import Changing
    from pubweave.runtimes.embedded.bringing import Brought


@asynccontextmanager
async def changing(database: str, options: dict[str, Any]) -> "AsyncIterator[Changing]":
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


def _identifiers(texts: tuple[str, ...]) -> "list[Identifiers]":
    from pubweave.runtimes.embedded.database import triplet

    try:
        return [triplet(text) for text in texts]
    except ValueError as problem:
        raise Refused(str(problem)) from problem


async def remove(
    database: str, texts: tuple[str, ...], kind: "PageKind | None", options: dict[str, Any]
) -> int:
    """:raises Failed: some of it is not there"""
    wanted = [] if kind else _identifiers(texts)
    async with changing(database, options) as told_to:
        count = len(await told_to.remove_all(wanted))
        missing = list(told_to.missing)
        for url in texts if kind else ():
            there = await told_to.pages.remove(kind, url) if kind else False
            count += there
            missing += [] if there else [f"{kind} {url} is not in the database"]
        done = await told_to.all_done(options["wait"])
    echo(f"{count} {'removed' if done else 'to be removed'} from {told(database)}", err=True)
    if missing:
        raise Failed("; ".join(missing))
    return _status(done)


async def bring(
    database: str,
    file: IO[bytes],
    moved: "Callable[[Brought], None]",
    options: dict[str, Any],
    *,
    pages: "PageKind" = "webpage",
    keep: bool,
    skip: bool = False,
) -> "tuple[Brought, int]":
    """Put what a JSON output holds: looked through whole before anything is put, then entry by entry.

    :returns: what became of the entries, and the exit status
    :raises Refused: something in it cannot be read; nothing was put
    """
    from pubweave.adapters.clock import SystemClock
    from pubweave.core.record import Record
    from pubweave.output.reading import NotPublications
    from pubweave.output.reading_stream import read_entries
    from pubweave.runtimes.embedded.bringing import Bringing

    with tempfile.TemporaryFile() as kept:
        shutil.copyfileobj(file, kept)
        try:
            kept.seek(0)
            for _, entry in read_entries(kept.read, pages, (lambda sentence: None) if skip else None):
                if isinstance(entry, Record) and not skip and not entry.identifiers.known():
                    raise ValueError("a publication needs a PMID, a PMCID or a DOI to be stored")
        except (NotPublications, ValueError) as problem:
            raise Refused(f"{file.name}: {problem}; nothing was put") from problem
        kept.seek(0)
        async with changing(database, options) as told_to:
            bringing = Bringing(
                told_to.storage,
                SystemClock(),
                keep=keep,
                skip=skip,
                say=lambda sentence: echo(sentence, err=True),
                moved=moved,
                records=told_to,
                pages=told_to.pages,
            )
            await bringing.all_of(read_entries(kept.read, pages, bringing.left_out if skip else None))
            done = await told_to.all_done(options["wait"])
    return bringing.brought, _status(done)


async def erase(
    database: str, texts: tuple[str, ...], kind: "PageKind | None", options: dict[str, Any]
) -> int:
    """:raises Failed: nothing is known of some of it"""
    wanted = [] if kind else _identifiers(texts)
    wiped, missing = [], []
    async with changing(database, options) as told_to:
        for number, text in enumerate(texts):
            if kind:
                page = await told_to.erase_page(kind, text)
                found = [page] if page is not None else []
            else:
                found = await told_to.erase(wanted[number])
            wiped += found
            missing += [] if found else [text]
        done = await told_to.done([] if kind else [one.key for one in wiped], options["wait"])
        done = await told_to.all_done(options["wait"]) and done
    shared = sum(one.shared for one in wiped)
    stay = f"; {shared:,} that other entries have, too, stay" if shared else ""
    echo(
        f"{len(wiped):,} {'erased' if done else 'to be erased'} from {told(database)}, with "
        f"{sum(one.contents for one in wiped):,} long texts{stay}",
        err=True,
    )
    if missing:
        raise Failed(f"nothing is known of {', '.join(missing)} in {told(database)}")
    return _status(done)


@asynccontextmanager
async def changing_settled(database: str) -> "AsyncIterator[Changing]":
    """For steps of a pipeline: Kafka is that of the settings, and what was said is waited for at the end."""
    async with changing(database, {}) as told_to:
        yield told_to
        if not await told_to.all_done(_WAIT_S):
            say(_NOT_YET)


def _status(done: bool) -> int:
    if not done:
        say(_NOT_YET)
    return OK if done else UNFINISHED
