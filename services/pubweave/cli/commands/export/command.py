"""`pubweave export`: what is in a database, in any of the formats."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, TextIO

import click

from pubweave.cli.group import Command, Option
from pubweave.cli.options import setting_options, typed
from pubweave.cli.problems import OK, Failed, Refused
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
from pubweave.output.terminal import say

if TYPE_CHECKING:
    from pubweave.contract.values import Thresholds
    from pubweave.contract.vocabulary import EntryKind
    from pubweave.core.record import Record
    from pubweave.core.webpage_record import WebpageRecord
    from pubweave.output.out_file import Out
    from pubweave.output.publication import Selection
    from pubweave.output.writer import ListName, Writer

_WHAT: Final = "What comes out"
_KINDS: Final = ["publications", "webpages", "docs"]
_NAMES: Final[dict[str, str]] = {
    "fulltext": "the full text",
    "theAbstract": "the abstract",
    "title": "the title",
}
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
    gone_to: Path | None


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
@click.option(
    "--gone-to",
    type=click.Path(dir_okay=False),
    cls=Option,
    heading=_WHAT,
    metavar="FILE",
    help="Write the identifiers of publications whose contents are gone there, as input of `submit --ids` and "
    "`fetch --ids`; otherwise each is named.",
)
@setting_options("db", *LENGTHS)
@cluster_options
def export(database: str | None, **options: Any) -> int:
    """Write what is in a database, entry after entry, in any of the formats.

    Also works while a fetch is running: what is finished at the beginning is in it. Memory does not grow with
    the database. Long contents that are stored no more (a Cassandra was lost) are named, everything else is in it, and
    the exit status is 1.
    """
    from pubweave.output.out_file import Out
    from pubweave.runtimes.wiring import thresholds

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
            with _Gone(wishes.gone_to) as gone:
                with Out(wishes.out) as out:
                    await _Export(storage, wishes, kinds, thresholds(source.settings), out, gone).write()
                if gone.count:
                    raise Failed(gone.sentence(cluster=source.path is None))

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
        gone_to=Path(options["gone_to"]) if options["gone_to"] else None,
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


class _Gone:
    """Entries whose contents are stored no more: each is named; publications are listed in a file instead, if there is
    one."""

    def __init__(self, path: Path | None) -> None:
        self.count = 0
        self._path = path
        self._file: TextIO | None = None
        self._pages = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def publication(self, record: "Record", what: "list[str]") -> None:
        """:param what: the parts whose contents are gone"""
        self.count += 1
        ids = record.identifiers
        if self._path is None:
            known = " ".join(value for _, value in ids.known())
            say(f"{known}: the content of {' and '.join(what)} is gone")
            return
        if self._file is None:
            self._file = self._path.open("w", encoding="utf-8")
        self._file.write("\t".join((ids.pmid, ids.pmcid, ids.doi)) + "\n")

    def document(self, record: "Record") -> None:
        """Only what stands beside its full text is gone: nothing is missing but headings."""
        known = " ".join(value for _, value in record.identifiers.known())
        say(f"{known}: the structured document of its full text is gone; its plain text is shown")

    def page(self, page: "WebpageRecord") -> None:
        self.count += 1
        self._pages = True
        say(f"{page.start_url}: its content is gone")

    def sentence(self, *, cluster: bool) -> str:
        entries = "one entry are" if self.count == 1 else f"{self.count:,} entries are"
        command = "submit" if cluster else "fetch"
        file = self._path if self._path is not None else "FILE"
        how = f"`pubweave {command} --ids {file}` with their identifiers fetches them anew"
        if self._pages:
            page = "submit --urls FILE" if cluster else "page URL…"
            how += f", and `pubweave {page}` pages"
        return f"the contents of {entries} stored no more, everything else is written; {how}"


class _Export:
    def __init__(
        self,
        storage: Stored,
        wishes: _Wishes,
        kinds: "tuple[EntryKind, ...]",
        usable: "Thresholds",
        out: "Out",
        gone: _Gone,
    ) -> None:
        from pubweave.output.formats import Frame, NotInThisFormat

        self._storage, self._kinds, self._gone = storage, kinds, gone
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
        from pubweave.runtimes.contents import put_back
        from pubweave.runtimes.lost import gone, texts_gone

        async for stored in self._storage.store.records():
            record = await put_back(decode_record(stored.body), self._storage.blobs)
            envelope = Envelope(version=stored.version, reason=stored.reason)
            what = [_NAMES.get(name, name) for name in texts_gone(record)]
            if self._writer.wants_document(record):
                envelope = await with_document(envelope, record, self._storage.blobs)
                structured = record.fulltext.document
                if (
                    structured is not None
                    and await gone(self._storage.blobs, [structured.digest])
                    and not what
                ):
                    self._gone.document(record)
            if what:
                self._gone.publication(record, what)
            for piece in self._writer.publication(record, envelope):
                self._write(piece)

    async def _pages(self, kind: "EntryKind") -> None:
        from pubweave.core.webpage_record import decode_webpage
        from pubweave.runtimes.embedded.page_store import content_put_back

        if kind == "publication":
            return
        async for stored in self._storage.store.records(kind):
            page = await content_put_back(decode_webpage(stored.body), self._storage.blobs)
            if page.blob is not None:
                self._gone.page(page)
            for piece in self._writer.webpage(page, kind):
                self._write(piece)
