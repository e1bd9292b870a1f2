"""`pubweave fetch`: identifiers in, finished records out."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pubweave.cli.group import Command, Option
from pubweave.cli.options import in_effect, setting_options, typed
from pubweave.cli.problems import Refused
from pubweave.cli.showing import (
    FORMAT_WORDS,
    PART_WORDS,
    check_format,
    check_selection,
    part_named,
    parts_option,
)

if TYPE_CHECKING:
    from pubweave.settings import Settings
from pubweave.cli.commands.fetch.job import FetchJob, FetchOptions, lines, say

_WHAT: Final = "What to fetch"


_OUT: Final = "What comes out"


_HOW: Final = "How it runs"


_EXAMPLES: Final = """
pubweave fetch 31092905 PMC6519000 10.1093/nar/gkz369
pubweave fetch --ids my.txt --format json --out records.json
cut -f1 list.tsv | pubweave fetch --ids - --format jsonl > records.jsonl
pubweave fetch --ids my.txt --fetch-part pmid pmcid doi --out-part pmid pmcid doi --plain
pubweave fetch --ids my.txt --record exchanges/     (then, without the network: --replay exchanges/)
"""


@click.command(cls=Command, examples=_EXAMPLES)
@click.argument("identifiers", nargs=-1, metavar="[IDS]…")
@click.option(
    "--ids",
    "files",
    cls=Option,
    heading=_WHAT,
    multiple=True,
    metavar="FILE|-",
    help="A file with one identifier a line, or PMID, PMCID and DOI divided by tabs; # starts a comment. "
    "May be given several times; - is standard input.",
)
@parts_option(
    "--fetch-part",
    "fetch_part",
    _WHAT,
    "Fetch only these parts; identifiers are kept whenever they are found. "
    f"Parts: {', '.join(PART_WORDS[:10])}.",
)
@parts_option("--not-fetch-part", "not_fetch_part", _WHAT, "Fetch all parts but these.")
@click.option(
    "--strict", is_flag=True, cls=Option, heading=_WHAT, help="If one line is bad, refuse all and do nothing."
)
@click.option(
    "--format",
    "format_",
    cls=Option,
    heading=_OUT,
    metavar="FORMAT",
    help=f"{', '.join(FORMAT_WORDS)}, or pretty (for terminals); docs/formats.md tells what each holds. "
    "Otherwise by the name of --out; pretty on a terminal, text elsewhere.",
)
@click.option(
    "--out",
    cls=Option,
    heading=_OUT,
    metavar="FILE",
    help="Write the results there; the file is there whole or not at all.",
)
@click.option("--plain", is_flag=True, cls=Option, heading=_OUT, help="Leave the metadata out.")
@parts_option("--out-part", "out_part", _OUT, "Put out only these parts, whatever is fetched.")
@click.option(
    "--quiet",
    "-q",
    is_flag=True,
    cls=Option,
    heading=_OUT,
    help="No progress, no warnings, no summary; what is wrong with the input is said.",
)
@click.option(
    "--deadline",
    cls=Option,
    heading=_HOW,
    default="",
    metavar="WHEN",
    help="Park what is unfinished then: a span such as 30m or 2h, or an instant such as 2026-11-21T18:00:00Z.",
)
@click.option(
    "--idempotency-key",
    cls=Option,
    heading=_HOW,
    default="",
    metavar="TEXT",
    help="Go on with the unfinished job of this key. Otherwise made from the input and the parts, so that the "
    "same command goes on where it was interrupted.",
)
@click.option(
    "--correlation-id",
    cls=Option,
    heading=_HOW,
    default="",
    metavar="TEXT",
    help="Repeated in everything that follows from this job.",
)
@setting_options()
def fetch(**options: Any) -> int:
    """Make finished records out of PMIDs, PMCIDs and DOIs.

    What is found is stored in the database; asking again fetches only what is missing. Interrupt it whenever
    you like: the same command goes on from there. Exit status: 0 all went well, 1 some could not be finished,
    2 bad input (lines that are no identifiers are named and left out).
    """
    from pubweave.cli.input import Input
    from pubweave.cli.interrupting import run_until_told
    from pubweave.cli.logs import listening_as_set
    from pubweave.output.out_file import Out

    settings = in_effect(options)
    wishes = _wishes(options)
    _check_files(settings, wishes)
    with Input(wishes.identifiers, wishes.files, say) as given:
        survey = given.survey()
        if wishes.strict and survey.bad:
            raise Refused(f"nothing was done: {lines(survey.bad)} no identifier (--strict)")
        if not survey.good:
            raise Refused("nothing to fetch: there is no identifier in what was given")
        with Out(wishes.out) as out:
            run = FetchJob(settings, wishes, given, survey, out)
            with listening_as_set(settings, run.say, wishes.argv, warnings=not wishes.quiet) as ear:
                status = run_until_told(run.go())
            run.tell(ear.unsaid)
            return status


def _wishes(options: dict[str, Any]) -> FetchOptions:
    """:raises click.UsageError: options that contradict each other"""
    from pubweave.cli.commands.fetch.shape import format_of
    from pubweave.contract.vocabulary import PART_NAMES
    from pubweave.output.formats import FORMATS
    from pubweave.output.publication import Selection

    context = click.get_current_context()
    if not options["identifiers"] and not options["files"]:
        raise click.UsageError("nothing to fetch: give identifiers, or a file of them with --ids", context)
    wanted = tuple(map(part_named, options["fetch_part"]))
    unwanted = tuple(map(part_named, options["not_fetch_part"]))
    if wanted and unwanted:
        raise click.UsageError("--fetch-part and --not-fetch-part exclude each other", context)
    if options["format_"] is not None:
        check_format(options["format_"], (*FORMAT_WORDS, "pretty"), context)
    selection = Selection(plain=options["plain"], parts=tuple(map(part_named, options["out_part"])))
    format_ = format_of(options["format_"], options["out"])
    if format_ == "pretty" and selection != Selection():
        if options["format_"]:
            raise click.UsageError(
                "--format pretty shows everything; --plain and --out-part are for text", context
            )
        format_ = "text"
    if format_ in FORMATS:
        check_selection(FORMATS[format_], plain=selection.plain, parts=bool(selection.parts), context=context)
    return FetchOptions(
        argv=typed(context),
        identifiers=options["identifiers"],
        files=options["files"],
        fetch_parts=wanted or tuple(name for name in PART_NAMES if name not in unwanted),
        selection=selection,
        format=format_,
        out=Path(options["out"]) if options["out"] else None,
        strict=options["strict"],
        deadline=options["deadline"],
        idempotency_key=options["idempotency_key"],
        correlation_id=options["correlation_id"],
        quiet=options["quiet"],
    )


def _check_files(settings: "Settings", wishes: FetchOptions) -> None:
    """:raises Refused: results would be written over what is read"""
    if wishes.out is None:
        return
    read = [
        (settings.path("db"), "the database"),
        *((Path(file), "a file of identifiers") for file in wishes.files),
    ]
    for path, what in read:
        if path is not None and path.absolute() == wishes.out.absolute():
            raise Refused(f"--out {wishes.out} is {what}; choose another name")
