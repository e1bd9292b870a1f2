"""The manual says what the program does."""

from pathlib import Path

from pubweave.doors.fetcher.outcomes import as_markdown

MANUAL = Path(__file__).resolve().parents[4] / "docs" / "operating-fetcher.md"


def test_the_table_in_the_manual_is_the_table() -> None:
    """docs/operating-fetcher.md holds `outcomes.as_markdown()` between its two marks."""
    told = MANUAL.read_text("utf-8").partition("<!-- outcomes -->\n")[2].partition("\n<!-- /outcomes -->")[0]

    assert told == as_markdown()
