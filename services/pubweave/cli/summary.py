"""What came out of a job: counted while it runs, told at its end."""

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from pubweave.cli.progress import duration, rate
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.values import Cooldowns, Thresholds
from pubweave.contract.vocabulary import PART_NAMES, PartName
from pubweave.core.merging.canfetch import ASKS_NOW, left_out, standing_of
from pubweave.core.merging.reach import UNREACHED
from pubweave.core.record import Record
from pubweave.output.labels import PART_LABELS
from pubweave.output.publication import parts_summary

if TYPE_CHECKING:
    from rich.console import Console

NAMED: Final = 20
"""So many unfinished identifiers are named; the rest are counted."""
UNANSWERED: Final = "unanswered"
"""Our word for a finished line of which no source said anything: a failure is no answer."""
_BAR: Final = 20
_WORDS: Final = {
    "finished": "finished",
    "known-nowhere": "known to no source",
    "corrected": "corrected to another identifier",
    "parked": "parked unfinished",
    UNANSWERED: "without any answer",
    "removed": "removed",
    "invalid": "invalid",
    "refused": "refused",
}


def name_of(settled: SubmissionSettled) -> str:
    """The line as people know it: its identifiers."""
    return " ".join(value for _, value in settled.identifiers.known()) or f"line {settled.line}"


def came_to_nothing(record: Record) -> bool:
    """Nobody said anything about it, not even that there is no such publication: every source failed."""
    return record.known and all(part.is_empty or part.type == "external" for _, part in record.parts())


class Summary:
    """Grows with each finished line; takes the same memory for ten as for a million."""

    def __init__(
        self, thresholds: Thresholds, parts: tuple[PartName, ...], cooldowns: Cooldowns | None = None
    ) -> None:
        self._thresholds = thresholds
        self._cooldowns = cooldowns or Cooldowns()
        self._parts = tuple(name for name in PART_NAMES if name in parts)
        self.lines = 0
        self.outcomes: dict[str, int] = {}
        self.states: dict[PartName, dict[str, int]] = {name: {} for name in self._parts}
        self.unfinished: list[str] = []
        self.unfinished_count = 0
        self.kept = 0
        """Lines whose stored record was good enough."""
        self.left_out = 0
        """Lines whose stored record lacks something and was not asked for now: cooldown or retry limit."""
        self.left_out_until_ms = 0
        """When the first of them may be asked for again; 0: never by its age."""
        self.unreached = 0
        """Lines for which no source could be reached."""
        self.retry = 0
        """Records whose last fetch met a technical failure."""
        self.example = ""

    def add(self, settled: SubmissionSettled, record: Record | None) -> None:
        outcome, reason = str(settled.outcome), settled.reason
        if outcome == "finished" and record is not None and came_to_nothing(record):
            outcome = UNANSWERED
            reason = "; ".join(filter(None, ("no source that answered knows it, and some failed", reason)))
        self.lines += 1
        self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1
        unreached = outcome == "parked" and reason == UNREACHED
        self.unreached += unreached
        if not settled.fetched:
            self._count_unasked(settled, record)
        if outcome in ("parked", "invalid", "refused", UNANSWERED):
            self.unfinished_count += 1
            if len(self.unfinished) < NAMED:
                told = f": {reason}" if reason and not unreached else ""  # that is said once, for all
                self.unfinished.append(f"{name_of(settled)}{told}")
        if record is None or not record.known or unreached:
            return
        self.retry += record.fetch_exception
        for name, word in parts_summary(record, self._parts, self._thresholds).items():
            self.states[name][word] = self.states[name].get(word, 0) + 1
        if not self.example:
            self.example = next((value for _, value in record.identifiers.known()), "")

    def _count_unasked(self, settled: SubmissionSettled, record: Record | None) -> None:
        left = None
        if record is not None:
            standing = standing_of(record, self._thresholds)
            left = left_out(standing, self._cooldowns, settled.settled_at)
        if left is None:
            self.kept += 1
            return
        self.left_out += 1
        if left.until_ms and (not self.left_out_until_ms or left.until_ms < self.left_out_until_ms):
            self.left_out_until_ms = left.until_ms

    def headline(self, seconds: float) -> str:
        """One line that says it all."""
        parts = [
            f"{self.outcomes[word]:,} {_WORDS.get(word, word)}"
            for word in (*_WORDS, *sorted(set(self.outcomes) - set(_WORDS)))
            if self.outcomes.get(word)
        ]
        pace = f" ({rate(self.lines / seconds)})" if seconds >= 1 and self.lines > 1 else ""
        things = "identifier" if self.lines == 1 else "identifiers"
        return f"{self.lines:,} {things} in {duration(seconds)}{pace}: {', '.join(parts) or 'nothing to do'}"

    def found(self, name: PartName) -> int:
        """Records in which a part is not empty."""
        return sum(count for word, count in self.states[name].items() if word != "missing")

    def part_lines(self) -> list[tuple[PartName, int, int, int]]:
        """(part, final, found but not final, missing) for each requested part."""
        return [
            (
                name,
                self.states[name].get("final", 0),
                self.found(name) - self.states[name].get("final", 0),
                self.states[name].get("missing", 0),
            )
            for name in self._parts
        ]


def left_out_sentence(count: int, until_ms: int) -> str:
    """What was not asked for although something is lacking: how many, until when, and what asks now."""
    when = (
        f"from {datetime.fromtimestamp(until_ms / 1000, UTC):%Y-%m-%d %H:%M} UTC on"
        if until_ms
        else "no more"
    )
    what = "1 that lacks something was" if count == 1 else f"{count:,} that lack something were"
    return f"{what} left out (cooldown, retry limit): asked again {when}; {ASKS_NOW} asks now."


def offline_sentence(not_asked: int = 0) -> str:
    """What to look at where nobody could be reached.

    :param not_asked: how many lines were not come to
    """
    names = [
        name
        for name in ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY")
        if os.environ.get(name) or os.environ.get(name.lower())
    ]
    proxy = f"the proxy settings ({', '.join(names)})" if names else "the proxy settings (none are set)"
    rest = f"the job ended early, {not_asked:,} more were not asked for; " if not_asked else ""
    return (
        f"No source could be reached: look at the network and at {proxy}, or let `pubweave doctor` look; "
        f"{rest}nothing was counted, and the same command asks again."
    )


def tell(
    summary: Summary,
    *,
    seconds: float,
    stored_in: str,
    written_to: str,
    bad: int,
    unsaid: int,
    console: "Console",
    not_asked: int = 0,
) -> None:
    """Say it on the console (stderr).

    :param not_asked: lines that the job did not come to, because no source could be reached
    """
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    console.print(Text(summary.headline(seconds), "bold"), soft_wrap=True)
    records = max((final + other + missing for _, final, other, missing in summary.part_lines()), default=0)
    if records > 1:
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
        for _ in range(2):
            table.add_column(no_wrap=True)
        table.add_column(justify="right", no_wrap=True)
        table.add_column(style="dim", no_wrap=True)
        for name, final, other, missing in summary.part_lines():
            found = final + other
            full = round(_BAR * final / records)
            half = round(_BAR * found / records) - full
            bar = (
                Text("█" * full, "green")
                .append("█" * half, "yellow")
                .append("░" * (_BAR - full - half), "dim")
            )
            notes = [f"{other:,} not final"] if other else []
            notes += [f"{missing:,} missing"] if missing else []
            table.add_row(PART_LABELS[name], bar, f"{100 * found // records} %", ", ".join(notes))
        console.print(Padding(table, (0, 0, 0, 2), expand=False))
    if summary.kept:
        console.print(
            f"{summary.kept:,} were stored already and good enough; nothing was asked for them.",
            highlight=False,
        )
    if summary.left_out:
        console.print(
            left_out_sentence(summary.left_out, summary.left_out_until_ms), soft_wrap=True, highlight=False
        )
    if summary.retry:
        console.print(
            f"For {summary.retry:,} a request failed; the same command later fetches what is missing.",
            highlight=False,
        )
    if summary.unfinished:
        console.print("Not finished:", style="yellow")
        for line in summary.unfinished:
            console.print(Text(f"  {line}"), soft_wrap=True)
        if summary.unfinished_count > len(summary.unfinished):
            console.print(
                f"  and {summary.unfinished_count - len(summary.unfinished):,} more", highlight=False
            )
    if summary.unreached:
        console.print(Text(offline_sentence(not_asked), "red"), soft_wrap=True)
    if bad:
        lines = "line was" if bad == 1 else "lines were"
        console.print(Text(f"{bad:,} {lines} no identifier (named above) and left out.", "yellow"))
    if unsaid:
        console.print(f"{unsaid:,} more warnings were not shown; --log FILE keeps them all.", highlight=False)
    if written_to:
        console.print(Text(f"Written to {written_to}"), soft_wrap=True)
    console.print(Text(f"Stored in {stored_in}"), soft_wrap=True)


def next_steps(summary: Summary, db_option: str) -> list[tuple[str, str]]:
    """(what to type, what it does): chosen by what came out."""
    from pubweave.cli.options import program

    steps = []
    if summary.example:
        steps.append(
            (
                f"{program()} explain{db_option} {summary.example} title",
                "where a value comes from, and what else was found",
            )
        )
    steps.append((f"{program()} status{db_option}", "what was asked, and what became of it"))
    return steps
