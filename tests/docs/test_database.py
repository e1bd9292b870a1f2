"""docs/database.md names the commands that there are, all of them."""

import re
from pathlib import Path

from pubweave.cli.commands.db.command import db

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "database.md"


def test_every_command_is_in_the_table() -> None:
    """And none that is not there."""
    named = set(re.findall(r"pubweave db ([a-z]+)", GUIDE.read_text(encoding="utf-8")))

    assert named == set(db.commands)
