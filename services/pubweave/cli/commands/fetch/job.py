"""One call of `pubweave fetch`, from its lines to its last word."""

import asyncio
import io
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from pubweave.cli.problems import BAD_INPUT, OK, UNFINISHED, Refused
from pubweave.output.terminal import echo, said, screen

if TYPE_CHECKING:
    from pubweave.cli.commands.fetch.shape import Shape
    from pubweave.cli.input import Input, Survey
    from pubweave.cli.progress import ProgressView
    from pubweave.contract.vocabulary import PartName
    from pubweave.output.out_file import Out
    from pubweave.output.publication import Selection
    from pubweave.output.writer import Piece
    from pubweave.runtimes.embedded.jobs import JobSettings
    from pubweave.runtimes.embedded.system import EmbeddedSystem
    from pubweave.settings import Settings


_FILE_WIDTH: Final = 110
"""Columns of a card in a file."""


class FetchOptions(NamedTuple):
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


def say(sentence: str) -> None:
    echo(said(sentence), err=True)


def lines(count: int) -> str:
    return "1 line is" if count == 1 else f"{count:,} lines are"


class FetchJob:
    """One job, from its lines to its last word."""

    def __init__(
        self, settings: "Settings", wishes: FetchOptions, given: "Input", survey: "Survey", out: "Out"
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
        self._view: ProgressView = view_for(
            survey.good,
            quiet=wishes.quiet,
            results_on_screen=wishes.out is None and sys.stdout.isatty() and self._shape.as_finished,
        )

    def _make_shape(self) -> "Shape":
        from pubweave.cli.commands.fetch import shape

        usable = self._run_settings.thresholds
        if self._wishes.format != "pretty":
            from pubweave.output.formats import FORMATS, DocumentFrame, NotInThisFormat

            writer = FORMATS[self._wishes.format]
            try:
                made = writer(self._wishes.selection, DocumentFrame(self._wishes.argv, usable))
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
        """FetchJob the job; lines that are wanted as they finish are written at once.

        :returns: the job's id
        """
        from pubweave.cli.commands.fetch.results import envelope_of, placeholder
        from pubweave.cli.commands.fetch.shape import ShownLine
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
                    self._write(self._shape.one(ShownLine(record, envelope_of(one.settled))))
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
