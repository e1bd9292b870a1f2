"""What people are told: progress, summary, cards, logs, deadlines."""

import io
import logging
from pathlib import Path

import pytest
import structlog
from rich.console import Console

from output.records import empty_record, full_record
from pubweave.cli import pretty, progress, summary
from pubweave.cli.commands.fetch.results import envelope_of, placeholder
from pubweave.cli.commands.fetch.shape import PrettyShape, ShownLine, format_of
from pubweave.cli.deadlines import deadline
from pubweave.cli.log_layout import LogScreen
from pubweave.cli.logs import listening
from pubweave.cli.problems import Refused
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.values import Identifiers, Thresholds
from pubweave.contract.vocabulary import PART_NAMES
from pubweave.core.record import Part, Record
from pubweave.output.publication import Envelope
from pubweave.runtimes.embedded.jobs import Progress
from pubweave.version import VERSION

USUAL = Thresholds()


def at(settled: int, *, total: int | None = 400, rate: float = 10.0, eta: float | None = 25.0) -> Progress:
    return Progress(
        total=total,
        read=settled + 30,
        settled=settled,
        by_outcome={"finished": settled},
        in_flight=30,
        rate_per_s=rate,
        eta_s=eta,
        waiting=[f"host{number}: budget" for number in range(5)],
    )


def settled(
    outcome: str = "finished", *, reason: str = "", fetched: bool = True, line: int = 1
) -> SubmissionSettled:
    return SubmissionSettled(
        job="j",
        line=line,
        identifiers=Identifiers(pmid=str(line)),
        outcome=outcome,  # type: ignore[arg-type]
        reason=reason,
        fetched=fetched,
    )


def test_progress_is_one_sentence() -> None:
    assert progress.sentence(at(100)) == (
        "100 of 400 done (25 %), 10/s, about 25 s left, 30 under way; "
        "waiting for host0: budget; host1: budget; host2: budget; and 2 more"
    )
    assert progress.sentence(at(0, total=None, rate=0.0, eta=None)).startswith("0 done, 30 under way")


def test_lines_of_progress_are_not_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing on standard output, nothing twice."""
    lines = progress.ProgressLines()
    for settled_lines in (1, 1, 2):
        lines.update(at(settled_lines))
    captured = capsys.readouterr()

    assert captured.out == ""
    assert len(captured.err.splitlines()) == 2


def test_the_bar_moves_with_the_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count, rate, time left and what it waits for; all of it on stderr."""
    screen = io.StringIO()
    monkeypatch.setattr("sys.stderr", screen)
    bar = progress.Bar(400)
    bar._console = Console(file=screen, force_terminal=True, width=120, _environ={})
    bar._bar.live.console = bar._console
    bar.start()
    bar.update(at(100))
    bar._bar.refresh()
    bar.say("a notice")
    bar.stop()
    shown = screen.getvalue()

    assert "/400" in shown
    assert "10/s · 25 s left" in shown
    assert "waits for host0: budget; and 4 more" in shown
    assert "pubweave: a notice" in shown


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.4, "0 s"), (59.4, "59 s"), (200, "3 min 20 s"), (7500, "2 h 05 min")]
)
def test_durations(seconds: float, words: str) -> None:
    assert progress.duration(seconds) == words


def told(counted: summary.Summary, **more: object) -> str:
    console = Console(file=io.StringIO(), width=100)
    details = {"seconds": 10.0, "stored_in": "x.db (2 publications)", "written_to": "", "bad": 0, "unsaid": 0}
    summary.tell(counted, **(details | more), console=console)  # type: ignore[arg-type]
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_summary_counts_parts_of_what_is_known() -> None:
    """Found, not final and missing add up; publications that nobody knows are counted apart."""
    counted = summary.Summary(USUAL, PART_NAMES)
    short = Record(publication="p", title=Part(type="europepmc", size=5, text="Title"))
    for line, record in enumerate((full_record(), short, empty_record()), start=1):
        counted.add(settled("finished" if record.known else "known-nowhere", line=line), record)
    text = told(counted)

    assert "3 identifiers in 10 s (18.0/min): 2 finished, 1 known to no source" in text
    for name, final, other, missing in counted.part_lines():
        assert final + other + missing == 2, name
    assert counted.part_lines()[3] == ("title", 2, 0, 0)
    assert "50 %  1 missing" in text
    assert "Stored in x.db (2 publications)" in text


def test_the_summary_names_what_is_unfinished() -> None:
    counted = summary.Summary(USUAL, PART_NAMES)
    for line in range(summary.NAMED + 5):
        counted.add(settled("parked", reason="not finished at its deadline", line=line + 1), None)
    text = told(counted, bad=2, unsaid=7, written_to="out.json")

    assert counted.unfinished_count == summary.NAMED + 5
    assert "  1: not finished at its deadline" in text
    assert "and 5 more" in text
    assert "2 lines were no identifier" in text
    assert "7 more warnings" in text
    assert "Written to out.json" in text


def test_a_failure_of_all_sources_is_not_called_finished() -> None:
    """Demand 1: nobody answered, so there is no answer, and the exit status says so."""
    nothing = Record(publication="p", pmid=Part(type="external", size=1, text="1"))
    found = Record(publication="q", pmid=Part(type="europepmc", size=1, text="2"))
    counted = summary.Summary(USUAL, PART_NAMES)
    for line, record in enumerate((nothing, found, empty_record()), start=1):
        counted.add(settled(line=line), record)

    assert counted.unfinished_count == 1
    assert "2 finished, 1 without any answer" in told(counted)
    assert "  1: no source that answered knows it, and some failed" in told(counted)


def test_the_summary_says_what_was_good_enough_already() -> None:
    counted = summary.Summary(USUAL, PART_NAMES)
    counted.add(settled(fetched=False), full_record())
    text = told(counted)

    assert "1 were stored already" in text or "1 was stored already" in text
    assert "For 1 a request failed" in text


def test_a_card_has_what_a_reader_looks_for() -> None:
    console = Console(file=io.StringIO(), width=100)
    text = pretty.rendered(console, pretty.card(full_record(), Envelope(), USUAL))

    for words in (
        "Warp < weft & <b>tension</b>",
        "Annals of Small Looms · 30 August 2018 · cited 17 times · open access · preprint · RETRACTED",
        "PMID 31092905  PMCID PMC6519000  DOI 10.5555/LOOM.1 (as given)",
        "Textiles*; Humans",
        "weaving assay (5)",
        "3,317 characters",
        "GO terms",
        "PubMed XML (MeSH)",
    ):
        assert words in text


def test_a_card_does_not_steer_the_terminal() -> None:
    """What a source sends as a title stays text: no escape sequences, no markup."""
    record = Record(
        publication="p",
        title=Part(type="europepmc", size=9, text="\x1b[2J[red]boo[/red]"),
        doi=Part(type="europepmc", size=9, text="10.1/a b]\x07"),
    )
    console = Console(file=io.StringIO(), width=80, force_terminal=True, color_system=None)
    text = pretty.rendered(
        console, pretty.card(record, Envelope(), USUAL), pretty.table([(record, Envelope())], USUAL)
    )

    assert "[2J[red]boo[/red]" in text
    assert "\x1b[2J" not in text
    assert "\x07" not in text


def test_many_records_are_a_table() -> None:
    """A line each; what is parked says so."""
    console = Console(file=io.StringIO(), width=100)
    shape = PrettyShape(USUAL, console=console, cards=False)
    pieces = [*shape.begin()]
    for line in (1, 2):
        pieces += shape.one(ShownLine(full_record(), Envelope(line=line)))
    parked = settled("parked", reason="not finished at its deadline", line=3)
    pieces += [*shape.one(ShownLine(placeholder(parked), envelope_of(parked))), *shape.end()]
    text = "".join(map(str, pieces))

    assert text.count("Warp < weft") == 2
    assert "parked: not finished at" in text
    assert pretty.LEGEND in text


@pytest.mark.parametrize(
    ("given", "out", "expected"),
    [
        ("json", "x.txt", "json"),
        (None, "x.JSON", "json"),
        (None, "x.jsonl", "jsonl"),
        (None, "x.txt", "text"),
        (None, "x", "text"),
        (None, None, "text"),
    ],
)
def test_the_format_follows_the_name(given: str | None, out: str | None, expected: str) -> None:
    """Standard output of tests is no terminal."""
    assert format_of(given, out) == expected


def test_the_log_has_a_line_for_everything(tmp_path: Path) -> None:
    """F-LOG-01 to F-LOG-04: first the arguments; date, level, message, logger, thread; one message, one line."""
    said: list[str] = []
    file = tmp_path / "new" / "folder" / "run.log"
    for _ in range(2):
        with listening(said.append, file, ["fetch", "1"]):
            structlog.get_logger("pubweave.some").warning("two\nlines", host="loom.example")
            try:
                raise KeyError("a bug")
            except KeyError:
                logging.getLogger("pubweave.other").exception("from %s", "logging")
            structlog.get_logger("pubweave.some").debug("only in the file")
    lines = file.read_text().splitlines()

    traces = [line for line in lines if line.startswith(("Traceback", " ", "KeyError"))]
    lines = [line for line in lines if line not in traces]

    assert len(lines) == 8
    assert "KeyError: 'a bug'" in traces
    pattern = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} (DEBUG|WARN |ERROR) .* @[\w.]+ \[main\]"
    import re

    assert all(re.fullmatch(pattern, line) for line in lines), lines
    assert f" DEBUG Pubweave {VERSION} fetch 1 @" in lines[0]
    assert r"WARN  two\nlines (host loom.example) @pubweave.some [main]" in lines[1]
    assert said[:2] == [r"warning: two\nlines (host loom.example)", "error: from logging (KeyError: 'a bug')"]


def test_the_screen_gets_the_first_warnings_once(tmp_path: Path) -> None:
    """Hundreds of warnings help nobody; errors are always said."""
    said: list[str] = []
    with listening(said.append) as ear:
        for number in range(LogScreen().at_most + 5):
            for _ in range(3):
                structlog.get_logger("pubweave").warning(f"number {number}")
        for _ in range(3):
            structlog.get_logger("pubweave").error("a person must act")

    assert len(said) == LogScreen().at_most + 1
    assert said[-1] == "error: a person must act"
    assert ear.unsaid == 5


def test_a_log_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"the log .* cannot be written"), listening(print, tmp_path):
        pytest.fail("must not begin")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("90s", 1_000_090_000),
        ("1.5 h", 1_005_400_000),
        ("2d", 1_172_800_000),
        ("3min", 1_000_180_000),
        ("1970-01-13T00:00:00Z", 1_036_800_000),
        ("1970-01-13T00:00:00.123Z", 1_036_800_123),
    ],
)
def test_deadlines_are_spans_or_instants(text: str, expected: int) -> None:
    assert deadline(text, 1_000_000_000) == expected


@pytest.mark.parametrize(
    "text", ["soon", "5", "-5m", "0s", "1970-01-13", "1970-01-13T00:00:00", "1970-01-01T00:00:00Z"]
)
def test_what_is_no_deadline_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="--deadline"):
        deadline(text, 1_000_000_000)
