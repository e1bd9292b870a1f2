"""One call of `pubweave page`, from its addresses to its last word."""

import asyncio
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from pubweave.cli.addresses import AddressLine
from pubweave.cli.problems import OK, UNFINISHED
from pubweave.output.terminal import say

if TYPE_CHECKING:
    from pubweave.cli.progress import ProgressView
    from pubweave.contract.vocabulary import PageKind
    from pubweave.output.out_file import Out
    from pubweave.output.writer import Writer
    from pubweave.runtimes.embedded.jobs import Progress
    from pubweave.runtimes.embedded.webpages import PageFinished, PageWishes, Webpages
    from pubweave.settings import Settings


NAMED: Final = 20
"""So many pages that could not be read are named; the rest are counted."""


_READ: Final = frozenset({"found", "rule-missed", "empty"})


_UNREAD: Final = frozenset({"reset", "wrong-type", "malformed", "blocked"})
"""What came was no page, which counts as not read also where an older content is kept."""


class PagesOptions(NamedTuple):
    argv: tuple[str, ...]
    urls: tuple[str, ...]
    files: tuple[str, ...]
    entry: "PageKind"
    writer: "type[Writer]"
    plain: bool
    out: Path | None
    deadline: str
    quiet: bool


class PagesJob:
    """One call, from its lines to its last word."""

    def __init__(
        self, settings: "Settings", wishes: PagesOptions, lines: Sequence[AddressLine], out: "Out"
    ) -> None:
        from pubweave.cli.progress import view_for
        from pubweave.output.publication import Selection
        from pubweave.output.writer import PAGES, DocumentFrame
        from pubweave.runtimes.wiring import thresholds

        self._settings = settings
        self._wishes = wishes
        self._lines = lines
        self._out = out
        frame = DocumentFrame(
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
        self._view: ProgressView = view_for(
            len(lines),
            quiet=wishes.quiet,
            results_on_screen=wishes.out is None and sys.stdout.isatty() and self._writer.as_finished,
        )

    async def go(self) -> int:
        """:returns: the exit status"""
        import msgspec

        from pubweave.cli.deadlines import deadline
        from pubweave.contract.digests import quick_digest
        from pubweave.runtimes.wiring import page_wishes, pages_running

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
