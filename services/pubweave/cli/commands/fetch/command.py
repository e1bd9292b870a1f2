"""`pubweave fetch`: identifiers in, finished records out."""

import asyncio
import io
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from pubweave.cli.group import Command, Option
from pubweave.cli.options import in_effect, setting_options, typed
from pubweave.cli.problems import BAD_INPUT, OK, UNFINISHED, Refused
from pubweave.cli.showing import (
    FORMAT_WORDS,
    PART_WORDS,
    check_format,
    check_selection,
    part_named,
    parts_option,
)
from pubweave.output.terminal import echo, said, screen

if TYPE_CHECKING:
    from pubweave.cli.commands.fetch.shape import Shape
    from pubweave.cli.input import Input, Survey
    from pubweave.cli.progress import View
    from pubweave.contract.vocabulary import PartName
    from pubweave.output.out_file import Out
    from pubweave.output.publication import Selection
    from pubweave.output.writer import Piece
    from pubweave.runtimes.embedded.jobs import JobSettings
    from pubweave.runtimes.embedded.system import EmbeddedSystem
    from pubweave.settings import Settings

_FILE_WIDTH: Final = 110
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


class Wishes(NamedTuple):
    """The options of `fetch` that are no settings."""

    argv: tuple[str, ...]
    """The whole command line, without its secrets."""
    identifiers: tuple[str, ...]
    files: tuple[str, ...]
    fetch_parts: tuple["PartName", ...]
    selection: "Selection"
    format: str
    """A name of `output.formats.FORMATS`, or `pretty`."""
    out: Path | None
    strict: bool
    deadline: str
    idempotency_key: str
    correlation_id: str
    quiet: bool


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
    with Input(wishes.identifiers, wishes.files, _say) as given:
        survey = given.survey()
        if wishes.strict and survey.bad:
            raise Refused(f"nothing was done: {_lines(survey.bad)} no identifier (--strict)")
        if not survey.good:
            raise Refused("nothing to fetch: there is no identifier in what was given")
        with Out(wishes.out) as out:
            run = _Run(settings, wishes, given, survey, out)
            with listening_as_set(settings, run.say, wishes.argv, warnings=not wishes.quiet) as ear:
                status = run_until_told(run.go())
            run.tell(ear.unsaid)
            return status


def _say(sentence: str) -> None:
    echo(said(sentence), err=True)


def _lines(count: int) -> str:
    return "1 line is" if count == 1 else f"{count:,} lines are"


def _wishes(options: dict[str, Any]) -> Wishes:
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
    return Wishes(
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


def _check_files(settings: "Settings", wishes: Wishes) -> None:
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


class _Run:
    """One job, from its lines to its last word."""

    def __init__(
        self, settings: "Settings", wishes: Wishes, given: "Input", survey: "Survey", out: "Out"
    ) -> None:
        from pubweave.cli.progress import view_for
        from pubweave.cli.summary import Summary
        from pubweave.runtimes.wiring import cooldowns, run_settings

        self._settings = settings
        self._wishes = wishes
        self._given = given
        self._survey = survey
        self._out = out
        self._run_settings = run_settings(settings, wishes.fetch_parts)
        self._shape = self._make_shape()
        self._summary: Summary = Summary(
            self._run_settings.thresholds, wishes.fetch_parts, cooldowns(settings)
        )
        self._seconds = 0.0
        self._stored_in = ""
        self._view: View = view_for(
            survey.good,
            quiet=wishes.quiet,
            results_on_screen=wishes.out is None and sys.stdout.isatty() and self._shape.as_finished,
        )

    def _make_shape(self) -> "Shape":
        from pubweave.cli.commands.fetch import shape

        usable = self._run_settings.thresholds
        if self._wishes.format != "pretty":
            from pubweave.output.formats import FORMATS, Frame, NotInThisFormat

            writer = FORMATS[self._wishes.format]
            try:
                made = writer(self._wishes.selection, Frame(self._wishes.argv, usable))
            except NotInThisFormat as problem:
                raise Refused(str(problem)) from None
            return shape.WriterShape(made)

        from pubweave.cli.pretty import CARDS_UP_TO

        # A file gets no colours, however colourful the terminal is.
        console = screen() if self._wishes.out is None else screen(file=io.StringIO(), width=_FILE_WIDTH)
        return shape.PrettyShape(usable, console=console, cards=self._survey.good <= CARDS_UP_TO)

    def _job_settings(self) -> "JobSettings":
        from pubweave.cli.deadlines import deadline
        from pubweave.contract.digests import quick_digest
        from pubweave.runtimes.embedded.jobs import JobSettings
        from pubweave.runtimes.wiring import cooldowns
        from pubweave.version import IDENTIFICATION

        wishes = self._wishes
        key = wishes.idempotency_key or quick_digest(self._survey.digest, repr(self._run_settings))
        return JobSettings(
            settings=self._run_settings,
            cooldowns=cooldowns(self._settings),
            correlation_id=wishes.correlation_id or f"fetch-{key[:12]}",
            idempotency_key=key,
            deadline_at=deadline(wishes.deadline, time.time_ns() // 1_000_000) if wishes.deadline else 0,
            provenance=IDENTIFICATION,
        )

    async def go(self) -> int:
        """Do it.

        :returns: the exit status
        """
        from pubweave.runtimes.wiring import database, running

        job_settings = self._job_settings()
        path = database(self._settings)
        new = not path.exists()
        started_s = time.monotonic()
        async with running(self._settings, create=True) as system:
            if new and not self._wishes.quiet:
                self._view.say(f"the database {path} is new")
            self._write(self._shape.begin())
            job = await self._fetch(system, job_settings)
            if not self._shape.as_finished:
                await self._write_in_order(system, job)
            self._write(self._shape.end())
            self._out.flush()
            self._stored_in = f"{path} ({await system.storage.store.count():,} publications)"
        self._seconds = time.monotonic() - started_s
        if self._survey.bad:
            return BAD_INPUT
        return UNFINISHED if self._summary.unfinished_count else OK

    def _write(self, pieces: "Iterable[Piece]") -> None:
        for piece in pieces:
            self._out.write(piece)

    async def _fetch(self, system: "EmbeddedSystem", job_settings: "JobSettings") -> str:
        """Run the job; lines that are wanted as they finish are written at once.

        :returns: the job's id
        """
        from pubweave.cli.commands.fetch.results import envelope_of, placeholder
        from pubweave.cli.commands.fetch.shape import Shown
        from pubweave.runtimes.embedded.jobs import Line

        lines = (Line(given.number, given.identifiers, given.text) for given in self._given.lines())
        job = ""
        self._view.start()
        watching = asyncio.create_task(self._watch(system))
        try:
            async for one in system.run_job(lines, job_settings, total=self._survey.good):
                job = one.settled.job
                self._summary.add(one.settled, one.record)
                if self._shape.as_finished:
                    record = one.record or placeholder(one.settled)
                    self._write(self._shape.one(Shown(record, envelope_of(one.settled))))
                    self._out.flush()
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
            self._view.stop()
        return job

    async def _watch(self, system: "EmbeddedSystem") -> None:
        while True:
            await asyncio.sleep(self._view.every_s)
            self._view.update(system.progress())

    async def _write_in_order(self, system: "EmbeddedSystem", job: str) -> None:
        from pubweave.cli.commands.fetch.results import in_order
        from pubweave.cli.documents import with_document

        blobs = system.storage.blobs
        async for shown in in_order(system.storage.store, blobs, job):
            if self._shape.wants_document(shown.record):
                shown = shown._replace(envelope=await with_document(shown.envelope, shown.record, blobs))
            self._write(self._shape.one(shown))

    def say(self, sentence: str) -> None:
        """A notice, whatever moves on the screen."""
        self._view.say(sentence)

    def tell(self, unsaid: int) -> None:
        """The last word, once the results are where they belong.

        :param unsaid: how many warnings nobody has seen
        """
        if self._wishes.quiet:
            return

        from rich.text import Text

        from pubweave.cli import summary

        console = screen(stderr=True)
        summary.tell(
            self._summary,
            seconds=self._seconds,
            stored_in=self._stored_in,
            written_to=str(self._wishes.out) if self._wishes.out else "",
            bad=self._survey.bad,
            unsaid=unsaid,
            console=console,
            not_asked=self._survey.good - self._summary.lines if self._summary.unreached else 0,
        )
        effective = self._settings.effective("db")
        db_option = f" --db {effective.value}" if effective.origin == "--db" else ""
        for command, sentence in summary.next_steps(self._summary, db_option):
            console.print(
                Text.assemble("  ", (command, "cyan"), "  ", (sentence, "dim")),
                soft_wrap=True,
                highlight=False,
            )
