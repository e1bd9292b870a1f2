"""`pubweave db put | import | merge | dump`: many entries into a database, or all of it out."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from pubweave.cli.group import Command, Option
from pubweave.cli.places import on_bus
from pubweave.cli.problems import OK, UNFINISHED, Refused
from pubweave.cli.progress import ProgressView, view_for
from pubweave.output.terminal import echo
from pubweave.runtimes.places import is_cluster

if TYPE_CHECKING:
    from pubweave.contract.vocabulary import PageKind
    from pubweave.runtimes.embedded.bringing import Bringing, Brought

_keep = click.option(
    "--keep",
    is_flag=True,
    cls=Option,
    help="Leave entries that are there as they are; otherwise those that come take their place.",
)
_quiet = click.option("--quiet", is_flag=True, cls=Option, help="Do not show the progress.")


class _Moving:
    """Shows how far it is; the rest is foretold by the bytes that have been read."""

    def __init__(self, view: ProgressView, file: IO[bytes] | None) -> None:
        self._view = view
        self._file = file
        self._bytes = _size(file)
        self._began = self._shown = time.monotonic()

    def __call__(self, brought: "Brought") -> None:
        now = time.monotonic()
        if now - self._shown < self._view.every_s:
            return
        from pubweave.runtimes.embedded.jobs import Progress

        self._shown, took = now, now - self._began
        at = self._file.tell() if self._file is not None and self._bytes else 0
        self._view.update(
            Progress(
                total=None,
                read=brought.read,
                settled=brought.read,
                by_outcome={},
                in_flight=0,
                rate_per_s=brought.read / took,
                eta_s=took * (self._bytes - at) / at if at else None,
                waiting=[],
            )
        )


def _size(file: IO[bytes] | None) -> int:
    """In bytes; 0 for what has no end to be known."""
    try:
        return Path(file.name).stat().st_size if file is not None and file.seekable() else 0
    except (OSError, TypeError):
        return 0


@contextmanager
def _shown(*, quiet: bool) -> Iterator[ProgressView]:
    view = view_for(None, quiet=quiet, results_on_screen=False)
    view.start()
    try:
        yield view
    finally:
        view.stop()


async def _bring(
    database: Path,
    work: "Callable[[Bringing], Awaitable[None]]",
    moved: "Callable[[Brought], None]",
    *,
    keep: bool,
    skip: bool = False,
) -> "Brought":
    """Everything in one transaction: after an interruption, whatever its kind, the database is as it was."""
    from pubweave.adapters.clock import SystemClock
    from pubweave.runtimes.embedded.bringing import Bringing
    from pubweave.runtimes.wiring import writing

    async with writing(database) as storage:
        bringing = Bringing(
            storage,
            SystemClock(),
            keep=keep,
            skip=skip,
            say=lambda sentence: echo(sentence, err=True),
            moved=moved,
        )
        async with storage.store.batch():
            await work(bringing)
    return bringing.brought


async def bring_file(
    database: Path,
    file: IO[bytes],
    moved: "Callable[[Brought], None]",
    *,
    pages: "PageKind" = "webpage",
    keep: bool,
    skip: bool = False,
) -> "Brought":
    """Put what a JSON output holds.

    :raises Refused: something in it cannot be read; nothing was put
    """
    from pubweave.output.reading import NotPublications
    from pubweave.output.reading_stream import read_entries

    async def work(bringing: "Bringing") -> None:
        try:
            skipped = bringing.left_out if skip else None
            await bringing.all_of(read_entries(file.read, pages, skipped))
        except (NotPublications, ValueError) as problem:
            raise Refused(f"{file.name}: {problem}; nothing was put") from problem

    return await _bring(database, work, moved, keep=keep, skip=skip)


@click.command(
    cls=Command,
    examples="pubweave db put library.db records.json\n"
    "pubweave fetch 31092905 --format json | pubweave db put library.db -\n"
    "pubweave db put library.db manuals.jsonl --docs\n"
    "pubweave db put cassandra://127.0.0.1:9042/pubweave records.json --kafka 127.0.0.1:9092",
)
@click.argument("database", metavar="DB")
@click.argument("file", type=click.File("rb"), metavar="FILE|-")
@click.option(
    "--docs", is_flag=True, cls=Option, help="Pages in JSON Lines are docs; otherwise they are web pages."
)
@_keep
@on_bus
def put(database: str, file: IO[bytes], docs: bool, keep: bool, **options: Any) -> int:
    """Put publications, web pages and docs from JSON output in place, overwriting those that are the same.

    Publications are the same by their identifiers, pages by their start addresses. Two stored publications that one
    of the file joins become one. Everything is put, or nothing. Into a cluster (cassandra://HOST[:PORT]/KEYSPACE) the
    services put them, told by Kafka, one by one; nothing if something of the file cannot be read.
    """
    if is_cluster(database):
        from pubweave.cli.cluster import bring

        brought, status = asyncio.run(
            bring(
                database, file, lambda brought: None, options, pages="doc" if docs else "webpage", keep=keep
            )
        )
        echo(f"{brought.put} put into {database}{_kept(brought)}", err=True)
        return status
    brought = asyncio.run(
        bring_file(Path(database), file, lambda brought: None, pages="doc" if docs else "webpage", keep=keep)
    )
    echo(f"{brought.put} put into {database}{_kept(brought)}", err=True)
    return OK


@click.command(
    "import",
    cls=Command,
    examples="pubweave db init library.db\n"
    "pubweave db import library.db pubfetcher-export.json\n"
    "pubweave db import library.db - < export.json",
)
@click.argument("database", metavar="DB")
@click.argument("file", type=click.File("rb"), metavar="FILE|-")
@_keep
@click.option(
    "--skip",
    is_flag=True,
    cls=Option,
    help="Leave out entries that cannot be read or have no identifier, telling each; the exit status is 1 then.",
)
@_quiet
@on_bus
def import_(database: str, file: IO[bytes], keep: bool, skip: bool, quiet: bool, **options: Any) -> int:
    """Bring a database over from its JSON export: PubFetcher's, or one of `pubweave export`.

    What a `-db OLD.db -out --format json` of PubFetcher wrote comes over with all contents, types, times and counters;
    the file may be larger than the memory. Everything comes over, or nothing does (into a cluster: as `pubweave db put`).
    """
    if is_cluster(database):
        from pubweave.cli.cluster import bring

        with _shown(quiet=quiet) as view:
            brought, status = asyncio.run(
                bring(database, file, _Moving(view, None), options, keep=keep, skip=skip)
            )
        _tell(brought, database)
        return UNFINISHED if brought.skipped else status
    with _shown(quiet=quiet) as view:
        brought = asyncio.run(bring_file(Path(database), file, _Moving(view, file), keep=keep, skip=skip))
    _tell(brought, database)
    return UNFINISHED if brought.skipped else OK


@click.command(
    cls=Command,
    examples="pubweave db merge library.db new.db\npubweave db merge library.db a.db b.db --keep\n"
    "pubweave db merge library.db cassandra://127.0.0.1:9042/pubweave",
)
@click.argument("database", metavar="DB")
@click.argument("other", nargs=-1, required=True, metavar="OTHER…")
@_keep
@_quiet
def merge(database: str, other: tuple[str, ...], keep: bool, quiet: bool) -> None:
    """Put everything that other databases hold into this one; they stay as they are.

    Publications are the same by their identifiers, pages by their start addresses. What comes over are the finished
    entries; how they came about (`pubweave explain`) stays in the other database. Everything comes over, or nothing.
    """
    paths = [Path(one) for one in other]
    for path in paths:
        if path.exists() and Path(database).exists() and path.samefile(database):
            raise Refused(f"{path} is the database itself")

    async def work(bringing: "Bringing") -> None:
        from pubweave.adapters.sqlite import SqliteStorage
        from pubweave.runtimes.wiring import reading

        for path in paths:
            async with reading(path) as source:
                if isinstance(source, SqliteStorage):
                    source.snapshot()
                await bringing.all_in(source)

    with _shown(quiet=quiet) as view:
        brought = asyncio.run(_bring(Path(database), work, _Moving(view, None), keep=keep))
    _tell(brought, database)


def _tell(brought: "Brought", database: str) -> None:
    echo(
        f"{brought.publications:,} publications, {brought.webpages:,} web pages and {brought.docs:,} docs put "
        f"into {database}{_kept(brought)}",
        err=True,
    )


def _kept(brought: "Brought") -> str:
    kept = f"; {brought.kept:,} that were there already left as they were" if brought.kept else ""
    return kept + (f"; {brought.skipped:,} left out" if brought.skipped else "")


@click.command(
    cls=Command,
    examples="pubweave db dump library.db --out library.json\npubweave db dump library.db | gzip > library.json.gz",
)
@click.argument("database", required=False, metavar="[DB]")
@click.option(
    "--out",
    cls=Option,
    metavar="FILE",
    help="Write there; the file is there whole or not at all. Otherwise to standard output.",
)
@click.pass_context
def dump(context: click.Context, database: str | None, out: str | None) -> int:
    """Write everything that a database holds as one JSON document, which `pubweave db import` takes back.

    The same as `pubweave export --format json`, which can leave things out.
    """
    root = context.find_root().command
    assert isinstance(root, click.Group)
    export = root.get_command(context, "export")
    assert export is not None
    status: int = context.invoke(export, database=database, format_="json", out=out)
    return status
