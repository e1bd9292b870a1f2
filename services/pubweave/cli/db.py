"""`pubweave db`: make, measure and tidy up a database."""

import asyncio
from pathlib import Path
from typing import Any

import click

from pubweave.cli.group import Command, Group, Option
from pubweave.cli.options import in_effect, setting_options
from pubweave.cli.problems import Failed, Refused


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
def db() -> None:
    """Make, measure and tidy up a database."""


def _chosen(given: str | None, options: dict[str, Any]) -> Path:
    """The database named as an argument, or the one of the settings."""
    from pubweave.cli.wiring import database

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
        from pubweave.cli.wiring import writing

        async with writing(path, create=True):
            pass

    asyncio.run(make())


@db.command(cls=Command, examples="pubweave db size library.db\npubweave db size library.db --publications")
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
        from pubweave.cli.wiring import reading

        async with reading(path) as storage:
            counts = {
                "publication": await storage.store.count("publication"),
                "webpage": await storage.store.count("webpage"),
                "doc": await storage.store.count("doc"),
            }
            if kind is not None:
                click.echo(counts[kind])
                return
            sizes = storage.sizes()
        click.echo(f"publications : {counts['publication']}")
        click.echo(f"webpages : {counts['webpage']}")
        click.echo(f"docs : {counts['doc']}")
        click.echo(f"bytes : {sizes.file_bytes + sizes.log_bytes}")
        click.echo(f"free bytes : {sizes.free_bytes}")

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
        from pubweave.cli.wiring import reading
        from pubweave.core.record import decode_record

        async with reading(path) as storage:
            if reverse:
                async for stored in storage.store.records():
                    record = decode_record(stored.body)
                    parts = (record.pmid, record.pmcid, record.doi)
                    known = ", ".join(f"{part.text} ({part.url})" if part.text else "" for part in parts)
                    click.echo(f"{record.primary_value or stored.publication} -> [{known}]")
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
                click.echo(f"{identifier} -> {primary[publication] or publication}")

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
        from pubweave.cli.wiring import writing

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
        from pubweave.cli.wiring import writing

        async with writing(path) as storage:
            storage.compact()

    asyncio.run(give_back())


@db.command(
    cls=Command,
    examples="pubweave db put library.db records.json\npubweave fetch 31092905 --format json | pubweave db put library.db -",
)
@click.argument("database", metavar="DB")
@click.argument("file", type=click.File("rb"), metavar="FILE|-")
def put(database: str, file: Any) -> None:
    """Put publications from JSON output in place, overwriting those with the same identifiers.

    Two stored publications that one of the file joins become one. Everything is put, or nothing.
    """

    async def put_all() -> None:
        from pubweave.adapters.clock import SystemClock
        from pubweave.cli.wiring import writing
        from pubweave.output.reading import NotPublications, read_publications
        from pubweave.runtimes.embedded.database import Database

        try:
            records = list(read_publications(file.read()))
        except NotPublications as problem:
            raise Refused(f"{file.name}: {problem}") from problem
        async with writing(Path(database)) as storage, storage.store.batch():
            target = Database(storage, SystemClock())
            for number, record in enumerate(records, start=1):
                try:
                    await target.put(record)
                except ValueError as problem:
                    raise Refused(f"{file.name}: publication {number}: {problem}") from problem
                for sentence in target.said:
                    click.echo(sentence, err=True)
        click.echo(f"{len(records)} put into {database}", err=True)

    asyncio.run(put_all())


@db.command(
    cls=Command, examples="pubweave db get library.db 31092905\npubweave db get library.db 10.1093/nar/gkz369"
)
@click.argument("database", metavar="DB")
@click.argument("identifier", nargs=-1, required=True, metavar="ID…")
def get(database: str, identifier: tuple[str, ...]) -> None:
    """Print the publication of one article's identifiers as JSON: found by PMID, else PMCID, else DOI."""

    async def look_up() -> None:
        from pubweave.adapters.clock import SystemClock
        from pubweave.cli.wiring import reading
        from pubweave.contract.values import Thresholds
        from pubweave.output.publication import EVERYTHING, publication_object
        from pubweave.runtimes.embedded.database import Database

        wanted = _together(identifier)
        async with reading(Path(database)) as storage:
            source = Database(storage, SystemClock())
            record = await source.get(wanted)
            for sentence in source.said:
                click.echo(sentence, err=True)
        if record is None:
            raise Failed(f"{' '.join(identifier)} is not in {database}")
        import msgspec

        shown = publication_object(record, Thresholds(), EVERYTHING)
        click.echo(msgspec.json.format(msgspec.json.encode(shown), indent=2))

    asyncio.run(look_up())


@db.command(cls=Command, examples="pubweave db contains library.db 31092905 10.1093/nar/gkz369")
@click.argument("database", metavar="DB")
@click.argument("identifier", nargs=-1, required=True, metavar="ID…")
def contains(database: str, identifier: tuple[str, ...]) -> None:
    """Say whether every one of these identifiers is known: `true` or `false`."""

    async def look_up() -> None:
        from pubweave.adapters.clock import SystemClock
        from pubweave.cli.wiring import reading
        from pubweave.runtimes.embedded.database import Database, triplet

        async with reading(Path(database)) as storage:
            source = Database(storage, SystemClock())
            known = [await source.contains(_checked(triplet, one)) for one in identifier]
        click.echo("true" if all(known) else "false")

    asyncio.run(look_up())


@db.command(cls=Command, examples="pubweave db remove library.db 31092905")
@click.argument("database", metavar="DB")
@click.argument("identifier", nargs=-1, required=True, metavar="ID…")
def remove(database: str, identifier: tuple[str, ...]) -> None:
    """Remove the publications that these identifiers lead to; a tombstone stays."""

    async def take_out() -> None:
        from pubweave.adapters.clock import SystemClock
        from pubweave.cli.wiring import writing
        from pubweave.runtimes.embedded.database import Database, triplet

        wanted = [_checked(triplet, one) for one in identifier]
        removed, missing = 0, []
        async with writing(Path(database)) as storage:
            target = Database(storage, SystemClock())
            for one in wanted:
                removed += await target.remove(one)
                missing += target.said
        click.echo(f"{removed} removed from {database}", err=True)
        if missing:
            raise Failed("; ".join(missing))

    asyncio.run(take_out())


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
