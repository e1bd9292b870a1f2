"""`pubweave export`: what is in a database, in any of the formats."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from pubweave.cli.group import Command, Option
from pubweave.cli.options import say, setting_options, typed
from pubweave.cli.problems import OK, Refused
from pubweave.cli.showing import (
    FORMAT_WORDS,
    LENGTHS,
    PART_WORDS,
    check_format,
    check_selection,
    part_named,
    parts_option,
)
from pubweave.cli.stored import Stored, cluster_options, opened, source_of

if TYPE_CHECKING:
    from pubweave.cli.outfile import Out
    from pubweave.contract.values import Thresholds
    from pubweave.contract.vocabulary import EntryKind
    from pubweave.output.publication import Selection
    from pubweave.output.writer import ListName, Writer

_WHAT: Final = "What comes out"
_KINDS: Final = ["publications", "webpages", "docs"]
_EXAMPLES: Final = """
pubweave export library.db --format json --out library.json
pubweave export library.db --out library.html
pubweave export library.db --format csv --out-part pmid pmcid doi title --plain
pubweave export library.db --format bibtex > library.bib
"""


class _Wishes(NamedTuple):
    argv: tuple[str, ...]
    writer: "type[Writer]"
    selection: "Selection"
    kinds: "tuple[EntryKind, ...]"
    """Those that were asked for; all kinds that the format holds if none was."""
    asked: bool
    out: Path | None
    title: str


@click.command(cls=Command, examples=_EXAMPLES)
@click.argument("database", required=False, metavar="[DB]")
@click.option(
    "--format",
    "format_",
    cls=Option,
    heading=_WHAT,
    metavar="FORMAT",
    help=f"{', '.join(FORMAT_WORDS)}; docs/formats.md tells what each holds. Otherwise by the name of --out; "
    "json without one.",
)
@click.option(
    "--out",
    cls=Option,
    heading=_WHAT,
    metavar="FILE",
    help="Write there; the file is there whole or not at all. Otherwise to standard output.",
)
@click.option("--plain", is_flag=True, cls=Option, heading=_WHAT, help="Leave the metadata out.")
@parts_option(
    "--out-part", "out_part", _WHAT, f"Put out only these parts. Parts: {', '.join(PART_WORDS[:10])}."
)
@click.option(
    "--only",
    cls=Option,
    heading=_WHAT,
    listed=_KINDS,
    metavar="KIND …",
    help="Only these kinds of entries: publications, webpages, docs. Otherwise all that the format can hold.",
)
@setting_options("db", *LENGTHS)
@cluster_options
def export(database: str | None, **options: Any) -> int:
    """Write what is in a database, entry after entry, in any of the formats.

    Also works while a fetch is running: what is finished at the beginning is in it. Memory does not grow with
    the database.
    """
    from pubweave.cli.outfile import Out
    from pubweave.cli.wiring import thresholds

    context = click.get_current_context()
    source = source_of(database, options, context)
    wishes = _wishes(options, source.name, context)
    if wishes.out is not None and source.is_file(options["out"]):
        raise Refused(f"--out {wishes.out} is the database; choose another name")
    if wishes.writer.binary and wishes.out is None and sys.stdout.isatty():
        raise click.UsageError(f"{wishes.writer.name} is no text; give --out FILE", context)

    async def run() -> None:
        async with opened(source) as storage:
            kinds = await _possible(storage, wishes)
            with Out(wishes.out) as out:
                await _Export(storage, wishes, kinds, thresholds(source.settings), out).write()

    asyncio.run(run())
    return OK


def _wishes(options: dict[str, Any], title: str, context: click.Context) -> _Wishes:
    """:raises click.UsageError: options that contradict each other"""
    from pubweave.output.formats import FORMATS, format_of_file
    from pubweave.output.publication import Selection
    from pubweave.settings import nearest

    named = options["format_"]
    if named is not None:
        check_format(named, FORMAT_WORDS, context)
    elif options["out"]:
        named = format_of_file(options["out"])
        if not named and "." in Path(options["out"]).name:
            raise click.UsageError(f"which format is {options['out']} to have? give --format", context)
    writer = FORMATS[named or "json"]
    check_selection(writer, plain=options["plain"], parts=bool(options["out_part"]), context=context)
    words: dict[str, EntryKind] = {"publications": "publication", "webpages": "webpage", "docs": "doc"}
    for word in options["only"]:
        if word not in words:
            near = nearest(word, _KINDS)
            hint = f"did you mean {near}?" if near else f"there are: {', '.join(_KINDS)}"
            raise click.UsageError(f"--only: there is no '{word}'; {hint}", context)
    return _Wishes(
        argv=typed(context),
        writer=writer,
        selection=Selection(plain=options["plain"], parts=tuple(map(part_named, options["out_part"]))),
        kinds=tuple(kind for word, kind in words.items() if not options["only"] or word in options["only"]),
        asked=bool(options["only"]),
        out=Path(options["out"]) if options["out"] else None,
        title=title,
    )


async def _possible(storage: Stored, wishes: _Wishes) -> "tuple[EntryKind, ...]":
    """The kinds that will be in it; what has no place in the format is refused if it was asked for by name,
    else told and left out.

    :raises Refused: nothing would be left
    """
    kinds: list[EntryKind] = []
    for kind in wishes.kinds:
        words = _list_of(kind).replace("webpages", "web pages")
        if _list_of(kind) not in wishes.writer.holds:
            reason = f"{wishes.writer.name} has no place for {words}"
        elif kinds and wishes.writer.one_list:
            reason = f"{wishes.writer.name} holds one kind of entries at a time (--only {_list_of(kind)})"
        else:
            kinds.append(kind)
            continue
        if wishes.asked:
            raise Refused(reason)
        if count := await storage.store.count(kind):
            say(
                f"{reason}; {count:,} {words} left out"
                if words not in reason
                else f"{reason}; {count:,} left out"
            )
    return tuple(kinds)


def _list_of(kind: "EntryKind") -> "ListName":
    names: dict[EntryKind, ListName] = {"publication": "publications", "webpage": "webpages", "doc": "docs"}
    return names[kind]


class _Export:
    def __init__(
        self,
        storage: Stored,
        wishes: _Wishes,
        kinds: "tuple[EntryKind, ...]",
        usable: "Thresholds",
        out: "Out",
    ) -> None:
        from pubweave.output.formats import Frame, NotInThisFormat

        self._storage, self._kinds = storage, kinds
        self._write: Callable[[str | bytes], None] = out.write
        frame = Frame(wishes.argv, usable, tuple(map(_list_of, kinds)), title=wishes.title)
        try:
            self._writer = wishes.writer(wishes.selection, frame)
        except NotInThisFormat as problem:
            raise Refused(str(problem)) from None

    async def write(self) -> None:
        for piece in self._writer.begin():
            self._write(piece)
        for kind in self._kinds:
            if kind == "publication":
                await self._publications()
            else:
                await self._pages(kind)
        for piece in self._writer.end():
            self._write(piece)

    async def _publications(self) -> None:
        from pubweave.cli.documents import with_document
        from pubweave.core.record import decode_record
        from pubweave.output.publication import Envelope
        from pubweave.runtimes.embedded.engine import put_back

        async for stored in self._storage.store.records():
            record = await put_back(decode_record(stored.body), self._storage.blobs)
            envelope = Envelope(version=stored.version, reason=stored.reason)
            if self._writer.wants_document(record):
                envelope = await with_document(envelope, record, self._storage.blobs)
            for piece in self._writer.publication(record, envelope):
                self._write(piece)

    async def _pages(self, kind: "EntryKind") -> None:
        import msgspec

        from pubweave.core.webpage_record import decode_webpage

        if kind == "publication":
            return
        async for stored in self._storage.store.records(kind):
            page = decode_webpage(stored.body)
            if page.blob is not None:
                content = (await self._storage.blobs.get(page.blob.digest)).decode("utf-8", "surrogatepass")
                page = msgspec.structs.replace(page, content=content, blob=None, blob_size=0)
            for piece in self._writer.webpage(page, kind):
                self._write(piece)
