"""What came out of a job: counted while it runs, told at its end."""

from typing import TYPE_CHECKING, Final

from pubweave.cli.progress import duration, rate
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.values import Thresholds
from pubweave.contract.vocabulary import PART_NAMES, PartName
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

    def __init__(self, thresholds: Thresholds, parts: tuple[PartName, ...]) -> None:
        self._thresholds = thresholds
        self._parts = tuple(name for name in PART_NAMES if name in parts)
        self.lines = 0
        self.outcomes: dict[str, int] = {}
        self.states: dict[PartName, dict[str, int]] = {name: {} for name in self._parts}
        self.unfinished: list[str] = []
        self.unfinished_count = 0
        self.kept = 0
        """Lines whose stored record was good enough."""
        self.retry = 0
        """Records whose last fetch met a technical failure."""
        self.example = ""

    def add(self, settled: SubmissionSettled, record: Record | None) -> None:
        outcome, reason = str(settled.outcome), settled.reason
        if outcome == "finished" and record is not None and came_to_nothing(record):
            outcome, reason = UNANSWERED, "no source could be asked; nothing is known of it yet"
        self.lines += 1
        self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1
        self.kept += not settled.fetched
        if outcome in ("parked", "invalid", "refused", UNANSWERED):
            self.unfinished_count += 1
            if len(self.unfinished) < NAMED:
                self.unfinished.append(f"{name_of(settled)}{f': {reason}' if reason else ''}")
        if record is None or not record.known:
            return
        self.retry += record.fetch_exception
        for name, word in parts_summary(record, self._parts, self._thresholds).items():
            self.states[name][word] = self.states[name].get(word, 0) + 1
        if not self.example:
            self.example = next((value for _, value in record.identifiers.known()), "")

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


def tell(
    summary: Summary,
    *,
    seconds: float,
    stored_in: str,
    written_to: str,
    bad: int,
    unsaid: int,
    console: "Console",
) -> None:
    """Say it on the console (stderr)."""
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
