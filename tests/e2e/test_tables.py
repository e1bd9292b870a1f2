"""The tables of tests (chapter 22): in step with what was recorded, and never fewer."""

from e2e.recorded_web import RecordedWeb
from e2e.tables import TABLES, all_rows, text_of
from pubweave.cli.commands.rules.testing import SIZES, page_sizes_of, read_sizes
from pubweave.cli.commands.test.trial import TESTED, read_table
from shared_data import needs_shared_data

FOLDERS = [TABLES.parent / name for name in ("sites", "webpages")]

LINES = 814
"""How many lines there are; may only rise (F-GEN-06 says about 750)."""


@needs_shared_data
async def test_the_recorded_replies_give_what_the_tables_say() -> None:
    """`python -m e2e.tables` in tests/ writes them anew: look at what has changed."""
    rows = await all_rows(RecordedWeb())

    assert {name: text_of(found) for name, found in rows.items()} == {
        path.name: path.read_text() for path in TABLES.glob("*.csv")
    }


def test_every_rule_gives_of_its_page_what_its_line_says() -> None:
    """Offline: our own pages, one for each file of rules."""
    for path in FOLDERS:
        assert dict(page_sizes_of(path)) == read_sizes(path / SIZES)


def test_there_are_never_fewer_lines() -> None:
    """Tables of real services, and of our own pages."""
    by_table = {tested.table: tested for tested in TESTED.values()}
    lines = sum(len(list(read_table(path, by_table[path.name]))) for path in TABLES.glob("*.csv"))
    lines += sum(len(read_sizes(path / SIZES)) for path in FOLDERS)

    assert lines >= LINES
