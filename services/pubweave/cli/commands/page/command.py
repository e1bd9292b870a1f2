"""`pubweave page`: addresses in, web pages or docs as clean text out."""

import asyncio
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlsplit

import click

from pubweave.cli.group import Command, Option
from pubweave.cli.options import OF_REQUESTS, in_effect, setting_options, typed
from pubweave.cli.problems import BAD_INPUT, OK, UNFINISHED, Refused
from pubweave.cli.showing import check_format
from pubweave.output.terminal import say

if TYPE_CHECKING:
    from pubweave.cli.progress import View
    from pubweave.contract.vocabulary import PageKind
    from pubweave.output.out_file import Out
    from pubweave.output.writer import Writer
    from pubweave.runtimes.embedded.jobs import Progress
    from pubweave.runtimes.embedded.webpages import PageFinished, PageWishes, Webpages
    from pubweave.settings import Settings

FORMATS_OF_PAGES: Final = ("text", "html", "json", "jsonl")
SCHEMES: Final = ("http", "https", "ftp")
SETTINGS_OF_PAGES: Final = (
    "webpage_min_length",
    "webpage_min_length_javascript",
    "timeout",
    "empty_cooldown",
    "non_final_cooldown",
    "fetch_exception_cooldown",
    "retry_limit",
    "db",
    "webpages_yaml",
    "email",
    "user_agent",
    "budgets",
    "connections_per_host",
    "in_flight",
    *OF_REQUESTS,
)
"""The settings that matter here; all others hold as they are set elsewhere."""

NAMED: Final = 20
"""So many pages that could not be read are named; the rest are counted."""
_READ: Final = frozenset({"found", "rule-missed", "empty"})
_UNREAD: Final = frozenset({"reset", "wrong-type", "malformed", "blocked"})
"""What came was no page, which counts as not read also where an older content is kept."""

_WHAT: Final = "What to fetch"
_OUT: Final = "What comes out"
_HOW: Final = "How it runs"
_EXAMPLES: Final = """
pubweave page https://bowtie-bio.sourceforge.net/bowtie2/index.shtml
pubweave page --urls tools.txt --format json --out tools.json
pubweave page --doc --urls - --plain < manuals.txt
pubweave page https://github.com/samtools/samtools --webpages-yaml my-rules.yaml
"""


class Address(NamedTuple):
    """One line of the input."""

    number: int
    """Counted through all sources."""
    url: str


class _Wishes(NamedTuple):
    argv: tuple[str, ...]
    urls: tuple[str, ...]
    files: tuple[str, ...]
    entry: "PageKind"
    writer: "type[Writer]"
    plain: bool
    out: Path | None
    deadline: str
    quiet: bool


@click.command(cls=Command, examples=_EXAMPLES)
@click.argument("urls", nargs=-1, metavar="[URL]…")
@click.option(
    "--urls",
    "files",
    cls=Option,
    heading=_WHAT,
    multiple=True,
    metavar="FILE|-",
    help="A file with one address a line; # starts a comment. May be given several times; - is standard input.",
)
@click.option(
    "--doc",
    is_flag=True,
    cls=Option,
    heading=_WHAT,
    help="They are documentation: kept in the store of docs, apart from web pages.",
)
@click.option(
    "--format",
    "format_",
    cls=Option,
    heading=_OUT,
    metavar="FORMAT",
    help=f"{', '.join(FORMATS_OF_PAGES)}. Otherwise by the name of --out; text without one.",
)
@click.option(
    "--out",
    cls=Option,
    heading=_OUT,
    metavar="FILE",
    help="Write the results there; the file is there whole or not at all.",
)
@click.option(
    "--plain", is_flag=True, cls=Option, heading=_OUT, help="Only address, title and content of each."
)
@click.option(
    "--quiet", "-q", is_flag=True, cls=Option, heading=_OUT, help="No progress, no warnings, no summary."
)
@click.option(
    "--deadline",
    cls=Option,
    heading=_HOW,
    default="",
    metavar="WHEN",
    help="End then with what is there: a span such as 30m or 2h, or an instant such as 2026-11-21T18:00:00Z.",
)
@setting_options(*SETTINGS_OF_PAGES)
def page(**options: Any) -> int:
    """Fetch web pages of tools and databases, and make clean text of them.

    What is found is stored in the database; a good page is not asked for again, another one as the cooldowns and
    the retry limit say. PDFs are read, too. Exit status: 0 all pages were read, 1 some could not be, 2 bad input
    (lines that are no addresses are named and left out).
    """
    from pubweave.cli.interrupting import run_until_told
    from pubweave.cli.logs import listening_as_set
    from pubweave.output.out_file import Out

    settings = in_effect(options)
    wishes = _wishes(options)
    lines, bad = addresses(wishes.urls, wishes.files)
    if not lines:
        raise Refused("nothing to fetch: there is no address in what was given")
    with Out(wishes.out) as out:
        run = _Run(settings, wishes, lines, out)
        with listening_as_set(settings, run.say, wishes.argv, warnings=not wishes.quiet) as ear:
            status = run_until_told(run.go())
        run.tell(bad, ear.unsaid)
    return BAD_INPUT if bad else status


def _wishes(options: dict[str, Any]) -> _Wishes:
    """:raises click.UsageError: options that contradict each other"""
    from pubweave.output.formats import FORMATS, format_of_file

    context = click.get_current_context()
    if not options["urls"] and not options["files"]:
        raise click.UsageError("nothing to fetch: give addresses, or a file of them with --urls", context)
    if options["files"].count("-") > 1:
        raise click.UsageError("--urls - is given twice; standard input can be read once", context)
    name = options["format_"]
    if name is None:
        name = format_of_file(options["out"]) if options["out"] else "text"
        name = name if name in FORMATS_OF_PAGES else "text"
    check_format(name, FORMATS_OF_PAGES, context)
    return _Wishes(
        argv=typed(context),
        urls=options["urls"],
        files=options["files"],
        entry="doc" if options["doc"] else "webpage",
        writer=FORMATS[name],
        plain=options["plain"],
        out=Path(options["out"]) if options["out"] else None,
        deadline=options["deadline"],
        quiet=options["quiet"],
    )


def addresses(urls: Sequence[str], files: Sequence[str]) -> tuple[list[Address], int]:
    """Everything that can be fetched, in order, and how many lines are no addresses; these are named.

    :raises Refused: a source cannot be read at all
    """
    found: list[Address] = []
    bad = 0
    for number, (source, what, at, text) in enumerate(_lines(urls, files), start=1):
        problem = problem_of(text)
        if problem:
            bad += 1
            say(f"{source} {what} {at}: {problem}")
        else:
            found.append(Address(number, text))
    return found, bad


def _lines(urls: Sequence[str], files: Sequence[str]) -> Iterator[tuple[str, str, int, str]]:
    from pubweave.input.identifier_lists import opened, raw_lines, source_of

    for at, url in enumerate(urls, start=1):
        yield "command line", "argument", at, url.strip()
    for file in files:
        source = source_of(file)
        with opened(source) as stream:
            for at, text, _ in raw_lines(source, stream):
                text = text.strip()
                # A hash inside an address is part of it.
                if text and not text.startswith("#"):
                    yield source.name, "line", at, text.partition(" #")[0].rstrip()


def problem_of(url: str) -> str:
    """Why a line is no address; "" if it is one."""
    shown = repr(url[:80]) + ("…" if len(url) > 80 else "")
    if not url:
        return "it is empty"
    if any(letter.isspace() or not letter.isprintable() for letter in url):
        return f"{shown} holds a space or what cannot be printed; addresses have %20 there"
    try:
        split = urlsplit(url)
        host = split.hostname or ""
    except ValueError as problem:
        return f"{shown} is no web address: {problem}"
    if split.scheme.lower() in SCHEMES and host:
        return ""
    if "://" not in url and "." in url.partition("/")[0]:
        return f"{shown} is no web address; did you mean https://{url[:80]}?"
    return f"{shown} is no web address; they begin with https://, http:// or ftp://"


def page_wishes(settings: "Settings", entry: "PageKind", **more: Any) -> "PageWishes":
    """What holds for every page, by the settings in effect."""
    from pubweave.runtimes.embedded.webpages import PageWishes
    from pubweave.runtimes.wiring import cooldowns, run_settings

    return PageWishes(entry=entry, settings=run_settings(settings), cooldowns=cooldowns(settings), **more)


class _Run:
    """One call, from its lines to its last word."""

    def __init__(self, settings: "Settings", wishes: _Wishes, lines: Sequence[Address], out: "Out") -> None:
        from pubweave.cli.progress import view_for
        from pubweave.output.publication import Selection
        from pubweave.output.writer import PAGES, Frame
        from pubweave.runtimes.wiring import thresholds

        self._settings = settings
        self._wishes = wishes
        self._lines = lines
        self._out = out
        frame = Frame(
            argv=wishes.argv,
            thresholds=thresholds(settings),
            lists=(PAGES[wishes.entry],),
            title="Docs" if wishes.entry == "doc" else "Web pages",
        )
        self._writer = wishes.writer(Selection(plain=wishes.plain), frame)
        self._outcomes: dict[str, int] = {}
        first = {line.url: line.number for line in reversed(lines)}
        self._repeated = {line.number for line in lines if first[line.url] != line.number}
        """Lines whose address stood before: they ask nothing of their own."""
        self._unread: list[str] = []
        self._unread_count = 0
        self._kept = 0
        self._left_out = 0
        self._left_out_until_ms = 0
        self._asked = 0
        self._unreached = 0
        self._done = 0
        self._started_s = time.monotonic()
        self._view: View = view_for(
            len(lines),
            quiet=wishes.quiet,
            results_on_screen=wishes.out is None and sys.stdout.isatty() and self._writer.as_finished,
        )

    async def go(self) -> int:
        """:returns: the exit status"""
        import msgspec

        from pubweave.cli.deadlines import deadline
        from pubweave.contract.digests import quick_digest
        from pubweave.runtimes.wiring import pages_running

        now_ms = time.time_ns() // 1_000_000
        deadline_at = deadline(self._wishes.deadline, now_ms) if self._wishes.deadline else 0
        wishes = page_wishes(self._settings, self._wishes.entry, deadline_at=deadline_at)
        key = quick_digest(repr((wishes.entry, wishes.settings)), *(line.url for line in self._lines))
        wishes = msgspec.structs.replace(wishes, idempotency_key=key, correlation_id=f"page-{key[:12]}")
        async with pages_running(self._settings, create=True) as pages:
            self._write(self._writer.begin())
            await self._fetch(pages, wishes)
            if not self._writer.as_finished:
                await self._write_in_order(pages)
            self._write(self._writer.end())
        self._out.flush()
        return UNFINISHED if self._unread_count else OK

    async def _fetch(self, pages: "Webpages", wishes: "PageWishes") -> None:
        from pubweave.runtimes.embedded.webpages import PageLine

        self._view.start()
        watching = asyncio.create_task(self._watch())
        try:
            lines = (PageLine(line.number, line.url) for line in self._lines)
            async for finished in pages.fetch(lines, wishes):
                self._count(finished)
                if self._writer.as_finished:
                    self._write(self._writer.webpage(finished.record, self._wishes.entry))
                    self._out.flush()
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
            self._view.stop()

    def _count(self, finished: "PageFinished") -> None:
        record = finished.record
        self._done += 1
        self._unreached += finished.unreached
        self._asked += bool(finished.outcome) and not finished.parked
        if not finished.fetched and not finished.parked:
            self._count_unasked(finished)
        outcome = finished.outcome or record.outcome or "found"
        self._outcomes[outcome] = self._outcomes.get(outcome, 0) + 1
        unread = not record.content and (record.is_broken() or outcome not in _READ)
        if finished.parked or unread or outcome in _UNREAD:
            self._unread_count += 1
            if self._unread_count <= NAMED:
                evidence = finished.evidence or record.evidence
                self._unread.append(f"{finished.url}: {outcome}" + (f": {evidence}" if evidence else ""))

    def _count_unasked(self, finished: "PageFinished") -> None:
        from pubweave.core.merging.canfetch import left_out
        from pubweave.core.merging.webpage_fold import standing
        from pubweave.runtimes.wiring import cooldowns, run_settings

        held = standing(finished.record, run_settings(self._settings))
        left = left_out(held, cooldowns(self._settings), time.time_ns() // 1_000_000)
        if left is None or finished.line in self._repeated:
            self._kept += 1
            return
        self._left_out += 1
        if left.until_ms and (not self._left_out_until_ms or left.until_ms < self._left_out_until_ms):
            self._left_out_until_ms = left.until_ms

    async def _write_in_order(self, pages: "Webpages") -> None:
        from pubweave.core.webpage_record import WebpageRecord

        for line in self._lines:
            record = await pages.store.get(self._wishes.entry, line.url)
            self._write(self._writer.webpage(record or WebpageRecord(line.url), self._wishes.entry))

    def _write(self, pieces: Iterator[str | bytes]) -> None:
        for piece in pieces:
            self._out.write(piece)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(self._view.every_s)
            self._view.update(self._progress())

    def _progress(self) -> "Progress":
        from pubweave.runtimes.embedded.jobs import Progress

        seconds = max(1e-9, time.monotonic() - self._started_s)
        rate = self._done / seconds
        left = len(self._lines) - self._done
        return Progress(
            total=len(self._lines),
            read=len(self._lines),
            settled=self._done,
            by_outcome=dict(self._outcomes),
            in_flight=left,
            rate_per_s=rate,
            eta_s=left / rate if rate > 0 else None,
            waiting=[],
        )

    def say(self, sentence: str) -> None:
        """A warning, above whatever moves."""
        self._view.say(sentence)

    def tell(self, bad: int, unsaid: int) -> None:
        """Pages that could not be read are named also with --quiet; then the summary."""
        from pubweave.cli.progress import duration
        from pubweave.cli.summary import left_out_sentence, offline_sentence

        for sentence in self._unread:
            say(sentence)
        if self._unread_count > len(self._unread):
            say(f"and {self._unread_count - len(self._unread):,} more could not be read")
        if self._wishes.quiet:
            return
        count = len(self._lines)
        what = ("doc" if self._wishes.entry == "doc" else "page") + ("" if count == 1 else "s")
        told = ", ".join(f"{number:,} {word}" for word, number in sorted(self._outcomes.items()))
        kept = f"; {self._kept:,} stored already, nothing was asked for them" if self._kept else ""
        lines = "line was no address" if bad == 1 else "lines were no addresses"
        left_out = f"; {bad:,} {lines} (named above)" if bad else ""
        more = f"; {unsaid:,} more warnings were not shown, --log FILE keeps them all" if unsaid else ""
        took = duration(time.monotonic() - self._started_s)
        where = self._settings.path("db")
        if self._left_out:
            say(left_out_sentence(self._left_out, self._left_out_until_ms))
        if self._asked and self._asked == self._unreached:
            say(offline_sentence())
        say(f"{count:,} {what} in {took}: {told}{kept}{left_out}{more}; stored in {where}")
