"""`pubweave export`: what is in a database, in any of the formats."""

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

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
from pubweave.cli.stored import cluster_options, opened, source_of

if TYPE_CHECKING:
    from pubweave.contract.vocabulary import EntryKind
from pubweave.cli.commands.export.writing import Export, ExportOptions, Gone, possible

_WHAT: Final = "What comes out"


_KINDS: Final = ["publications", "webpages", "docs"]


_EXAMPLES: Final = """
pubweave export library.db --format json --out library.json
pubweave export library.db --out library.html
pubweave export library.db --format csv --out-part pmid pmcid doi title --plain
pubweave export library.db --format bibtex > library.bib
"""


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
            kinds = await possible(storage, wishes)
            with Gone(wishes.gone_to) as gone:
                with Out(wishes.out) as out:
                    await Export(storage, wishes, kinds, thresholds(source.settings), out, gone).write()
                if gone.count:
                    raise Failed(gone.sentence(cluster=source.path is None))

    asyncio.run(run())
    return OK


def _wishes(options: dict[str, Any], title: str, context: click.Context) -> ExportOptions:
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
    return ExportOptions(
        argv=typed(context),
        writer=writer,
        selection=Selection(plain=options["plain"], parts=tuple(map(part_named, options["out_part"]))),
        kinds=tuple(kind for word, kind in words.items() if not options["only"] or word in options["only"]),
        asked=bool(options["only"]),
        out=Path(options["out"]) if options["out"] else None,
        title=title,
        gone_to=Path(options["gone_to"]) if options["gone_to"] else None,
    )
