"""`pubweave db`: make, measure and tidy up a database."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pubweave.cli.commands.db.whole import dump, import_, merge, put
from pubweave.cli.group import Command, GuessingGroup, Option
from pubweave.cli.options import in_effect, setting_options
from pubweave.cli.places import on_bus
from pubweave.cli.problems import OK, Failed, Refused
from pubweave.output.terminal import echo
from pubweave.runtimes.places import is_cluster

if TYPE_CHECKING:
    from pubweave.contract.vocabulary import PageKind
    from pubweave.runtimes.embedded.storage import Storage


@click.group(cls=GuessingGroup, context_settings={"help_option_names": ["-h", "--help"]})
def db() -> None:
    """Make, measure and tidy up a database."""


for _command in (put, import_, merge, dump):
    db.add_command(_command)


def _chosen(given: str | None, options: dict[str, Any]) -> Path:
    """The database named as an argument, or the one of the settings."""
    from pubweave.runtimes.wiring import database

    if given is not None and options.get("db") is not None:
        raise click.UsageError("the database is named twice", click.get_current_context())
    return database(in_effect({"db": given} if given is not None else options))


@db.command(cls=Command, examples="pubweave db init library.db")
@click.argument("database", required=False, metavar="[DB]")
@setting_options("db")
def init(database: str | None, **options: Any) -> None:
    """Make an empty database; refuse if it exists."""
    path = _chosen(database, options)
    if path.exists():
        raise Refused(f"{path} exists already")

    async def make() -> None:
        from pubweave.runtimes.wiring import writing

        async with writing(path, create=True):
            pass

    asyncio.run(make())


@db.command(
    cls=Command,
    examples="pubweave db size library.db\npubweave db size library.db --publications\n"
    "pubweave db size cassandra://127.0.0.1:9042/pubweave",
)
@click.argument("database", required=False, metavar="[DB]")
@click.option(
    "--publications", "kind", flag_value="publication", cls=Option, help="Only how many publications."
)
@click.option("--webpages", "kind", flag_value="webpage", cls=Option, help="Only how many web pages.")
@click.option("--docs", "kind", flag_value="doc", cls=Option, help="Only how many docs.")
@setting_options("db")
def size(database: str | None, kind: str | None, **options: Any) -> None:
    """Count what is in a database, and the bytes it takes."""
    path = _chosen(database, options)

    async def measure() -> None:
        from pubweave.adapters.sqlite import SqliteStorage
        from pubweave.runtimes.wiring import reading

        async with reading(path) as storage:
            counts = {
                "publication": await storage.store.count("publication"),
                "webpage": await storage.store.count("webpage"),
                "doc": await storage.store.count("doc"),
            }
            if kind is not None:
                echo(counts[kind])
                return
            sizes = storage.sizes() if isinstance(storage, SqliteStorage) else None
        echo(f"publications : {counts['publication']}")
        echo(f"webpages : {counts['webpage']}")
        echo(f"docs : {counts['doc']}")
        if sizes is not None:  # the nodes of a cluster know (`nodetool tablestats`)
            echo(f"bytes : {sizes.file_bytes + sizes.log_bytes}")
            echo(f"free bytes : {sizes.free_bytes}")

    asyncio.run(measure())


@db.command("map", cls=Command, examples="pubweave db map library.db\npubweave db map library.db --reverse")
@click.argument("database", required=False, metavar="[DB]")
@click.option(
    "--reverse",
    is_flag=True,
    cls=Option,
    help="One line a publication: its primary identifier, then all with their sources.",
)
@setting_options("db")
def map_(database: str | None, reverse: bool, **options: Any) -> None:
    """Print which identifier leads to which primary one.

    The primary identifier of a publication is the best it had when it was first stored: PMID before PMCID
    before DOI.
    """
    path = _chosen(database, options)

    async def print_map() -> None:
        from pubweave.core.record import decode_record
        from pubweave.runtimes.wiring import reading

        async with reading(path) as storage:
            if reverse:
                async for stored in storage.store.records():
                    record = decode_record(stored.body)
                    parts = (record.pmid, record.pmcid, record.doi)
                    known = ", ".join(f"{part.text} ({part.url})" if part.text else "" for part in parts)
                    echo(f"{record.primary_value or stored.publication} -> [{known}]")
                return
            primary: dict[str, str] = {}
            async for _, identifier, publication in storage.store.aliases():
                if publication not in primary:
                    found = await storage.store.record(publication)
                    primary = {
                        publication: decode_record(found.body).primary_value
                        if found is not None and not found.removed
                        else ""
                    }
                echo(f"{identifier} -> {primary[publication] or publication}")

    asyncio.run(print_map())


@db.command(cls=Command, examples="pubweave db commit library.db")
@click.argument("database", required=False, metavar="[DB]")
@setting_options("db")
def commit(database: str | None, **options: Any) -> None:
    """Move what an abrupt end left in the write-ahead file.

    Nothing is lost without it; it also brings a database of an older version up to date.
    """
    path = _chosen(database, options)

    async def move() -> None:
        from pubweave.runtimes.wiring import writing

        async with writing(path) as storage:
            storage.checkpoint()

    asyncio.run(move())


@db.command(cls=Command, examples="pubweave db compact library.db")
@click.argument("database", required=False, metavar="[DB]")
@setting_options("db")
def compact(database: str | None, **options: Any) -> None:
    """Give back the space of what was deleted."""
    path = _chosen(database, options)

    async def give_back() -> None:
        from pubweave.runtimes.wiring import writing

        async with writing(path) as storage:
            storage.compact()

    asyncio.run(give_back())


def _pages_or_docs(function: Callable[..., None]) -> Callable[..., None]:
    """The options that say which store is meant; publications without them."""
    for name, kind, what in (("--docs", "doc", "docs"), ("--webpages", "webpage", "web pages")):
        function = click.option(
            name, "kind", flag_value=kind, cls=Option, help=f"Of {what}, by their start addresses."
        )(function)
    return function


@db.command(
    cls=Command,
    examples="pubweave db get library.db 31092905\npubweave db get library.db 10.1093/nar/gkz369\n"
    "pubweave db get library.db https://bio.tools/bowtie2 --webpages",
)
@click.argument("database", metavar="DB")
@click.argument("identifier", nargs=-1, required=True, metavar="ID…")
@_pages_or_docs
def get(database: str, identifier: tuple[str, ...], kind: "PageKind | None") -> None:
    """Print the publication of one article's identifiers as JSON: found by PMID, else PMCID, else DOI; or a page."""

    async def look_up() -> None:
        import msgspec

        from pubweave.runtimes.wiring import reading

        async with reading(Path(database)) as storage:
            shown = await (
                _shown_page(storage, kind, identifier) if kind else _shown_publication(storage, identifier)
            )
        if shown is None:
            raise Failed(f"{' '.join(identifier)} is not in {database}")
        echo(msgspec.json.format(msgspec.json.encode(shown), indent=2))

    asyncio.run(look_up())


async def _shown_publication(storage: "Storage", identifier: tuple[str, ...]) -> dict[str, Any] | None:
    from pubweave.adapters.clock import SystemClock
    from pubweave.contract.values import Thresholds
    from pubweave.output.publication import EVERYTHING, publication_object
    from pubweave.runtimes.embedded.database import RecordStore

    source = RecordStore(storage, SystemClock())
    record = await source.get(_together(identifier))
    for sentence in source.said:
        echo(sentence, err=True)
    return publication_object(record, Thresholds(), EVERYTHING) if record is not None else None


async def _shown_page(storage: "Storage", kind: "PageKind", urls: tuple[str, ...]) -> dict[str, Any] | None:
    from pubweave.adapters.clock import SystemClock
    from pubweave.contract.values import Thresholds
    from pubweave.output.webpage import webpage_object
    from pubweave.runtimes.embedded.webpage_store import WebpageStore

    if len(urls) > 1:
        raise Refused("give one address; pubweave export prints many pages")
    page = await WebpageStore(storage, SystemClock()).get(kind, urls[0])
    return webpage_object(page, Thresholds()) if page is not None else None


@db.command(
    cls=Command,
    examples="pubweave db contains library.db 31092905 10.1093/nar/gkz369\n"
    "pubweave db contains library.db https://bio.tools/bowtie2 --webpages",
)
@click.argument("database", metavar="DB")
@click.argument("identifier", nargs=-1, required=True, metavar="ID…")
@_pages_or_docs
def contains(database: str, identifier: tuple[str, ...], kind: "PageKind | None") -> None:
    """Say whether every one of these identifiers is known: `true` or `false`."""

    async def look_up() -> None:
        from pubweave.adapters.clock import SystemClock
        from pubweave.runtimes.embedded.database import RecordStore, triplet
        from pubweave.runtimes.embedded.webpage_store import WebpageStore
        from pubweave.runtimes.wiring import reading

        async with reading(Path(database)) as storage:
            if kind:
                pages = WebpageStore(storage, SystemClock())
                known = [await pages.contains(kind, url) for url in identifier]
            else:
                source = RecordStore(storage, SystemClock())
                known = [await source.contains(_checked(triplet, one)) for one in identifier]
        echo("true" if all(known) else "false")

    asyncio.run(look_up())


@db.command(
    cls=Command,
    examples="pubweave db remove library.db 31092905\n"
    "pubweave db remove library.db https://bio.tools/bowtie2 --webpages\n"
    "pubweave db remove cassandra://127.0.0.1:9042/pubweave 31092905 --kafka 127.0.0.1:9092",
)
@click.argument("database", metavar="DB")
@click.argument("identifier", nargs=-1, required=True, metavar="ID…")
@_pages_or_docs
@on_bus
def remove(database: str, identifier: tuple[str, ...], kind: "PageKind | None", **options: Any) -> int:
    """Remove the publications that these identifiers lead to, or these pages; a tombstone stays.

    From a cluster (cassandra://HOST[:PORT][,HOST…]/KEYSPACE) the services remove them: they are told by Kafka.
    """
    if is_cluster(database):
        from pubweave.cli.cluster import remove as have_removed

        return asyncio.run(have_removed(database, identifier, kind, options))

    async def take_out() -> None:
        from pubweave.adapters.clock import SystemClock
        from pubweave.runtimes.embedded.database import RecordStore, triplet
        from pubweave.runtimes.embedded.webpage_store import WebpageStore
        from pubweave.runtimes.wiring import writing

        wanted = [] if kind else [_checked(triplet, one) for one in identifier]
        removed, missing = 0, []
        async with writing(Path(database)) as storage:
            target = RecordStore(storage, SystemClock())
            for one in wanted:
                removed += await target.remove(one)
                missing += target.said
            if kind:
                pages = WebpageStore(storage, SystemClock())
                for url in identifier:
                    there = await pages.remove(kind, url)
                    removed += there
                    missing += [] if there else [f"{kind} {url} is not in the database"]
        echo(f"{removed} removed from {database}", err=True)
        if missing:
            raise Failed("; ".join(missing))

    asyncio.run(take_out())
    return OK


@db.command(
    cls=Command,
    examples="pubweave db erase library.db 31092905\n"
    "pubweave db erase library.db https://bio.tools/bowtie2 --webpages\n"
    "pubweave db erase cassandra://127.0.0.1:9042/pubweave 31092905 --kafka 127.0.0.1:9092",
)
@click.argument("database", metavar="DB")
@click.argument("identifier", nargs=-1, required=True, metavar="ID…")
@_pages_or_docs
@on_bus
def erase(database: str, identifier: tuple[str, ...], kind: "PageKind | None", **options: Any) -> int:
    """Erase everything known of publications or pages, for good, also of those that were removed before.

    Records, what they were made of, the log, long texts that nothing else has, who asked for them: no byte of it stays in
    the file, which is compacted for that. Recordings, exports, logs and backups are files of yours: they stay.

    From a cluster (cassandra://HOST[:PORT][,HOST…]/KEYSPACE) the services erase publications: they are told by Kafka,
    which lets go of the bytes when it compacts its topics, as Cassandra does with its files. They look again after ten
    minutes for what somebody slow had still written. What only passes by, in topics kept for days, goes with its time.
    """
    if is_cluster(database):
        from pubweave.cli.cluster import erase as have_erased

        return asyncio.run(have_erased(database, identifier, kind, options))

    async def wipe() -> None:
        from pubweave.adapters.clock import SystemClock
        from pubweave.runtimes.embedded.database import triplet
        from pubweave.runtimes.embedded.erasing import Erasing
        from pubweave.runtimes.wiring import writing

        wanted = [] if kind else [_checked(triplet, one) for one in identifier]
        missing = []
        entries = contents = shared = 0
        async with writing(Path(database)) as storage:
            erasing = Erasing(storage, SystemClock())
            for number, text in enumerate(identifier):
                erased = await (erasing.page(kind, text) if kind else erasing.publications(wanted[number]))
                if erased is None:
                    missing.append(text)
                    continue
                entries += 1
                contents += erased.contents
                shared += erased.shared
            if entries:
                storage.compact()
        stay = f"; {shared:,} that other entries have, too, stay" if shared else ""
        echo(f"{entries:,} erased from {database}, with {contents:,} long texts{stay}", err=True)
        if entries:
            echo(
                "What was recorded with --record, exported, logged or backed up is not in the database: "
                "look for it yourself",
                err=True,
            )
        if missing:
            raise Failed(f"nothing is known of {', '.join(missing)} in {database}")

    asyncio.run(wipe())
    return OK


def _checked(check: Any, text: str) -> Any:
    try:
        return check(text)
    except ValueError as problem:
        raise Refused(str(problem)) from problem


def _together(texts: tuple[str, ...]) -> Any:
    """Identifiers of one article as a triplet."""
    from pubweave.contract.values import Identifiers
    from pubweave.runtimes.embedded.database import triplet

    found: dict[str, str] = {}
    for text in texts:
        for kind, value in _checked(triplet, text).known():
            if found.setdefault(kind, value) != value:
                raise Refused(f"{text} is a second {kind.upper()}: give the identifiers of one article")
    return Identifiers(**found)
