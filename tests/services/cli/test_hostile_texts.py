"""A record of a stranger with escapes and bidirectional controls in every text of it, shown by every command on a terminal."""

import asyncio
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import orjson
import pytest

from pubweave import api
from pubweave.core.record import Part
from pubweave.output.terminal import for_people

EVIL = "evil \x1b]0;owned\x07\x1b[2J\x9b31m \u202eb\u2066c\x08\x7f\u200f [red]x[/nothing]"
OURS = re.compile(
    r"\x1b\[(?:[0-9;]*m|\?25[hl]|2K|1A)|\x1b\]8;[^\x1b\x07]*(?:\x1b\\|\x07)|\r\n|\r(?=\x1b\[2K)"
)
"""Colours, links and the movements of a progress bar; a terminal ends lines with both."""
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
ID = "31092905"

COMMANDS = [
    ("explain", ID),
    ("explain", ID, "title"),
    ("export", "base.db", "--format", "text"),
    ("export", "base.db", "--format", "json"),
    ("export", "base.db", "--format", "csv"),
    ("export", "base.db", "--format", "bibtex"),
    ("status",),
    ("report",),
    ("db", "get", "base.db", ID),
    ("db", "map", "base.db"),
    ("db", "dump", "base.db"),
    ("db", "contains", "base.db", EVIL.replace("\x00", "")),
    ("id", "check", EVIL),
    ("fetch", EVIL),
    ("rules", EVIL),
    (EVIL,),
]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    path = tmp_path / "here" / "base.db"

    async def put() -> None:
        async with api.open_database(path, create=True) as database:
            text = EVIL * 20
            part = Part(
                type="europepmc", url="https://x.example/" + EVIL, timestamp=1, size=len(text), text=text
            )
            words = Part(type="europepmc", url=EVIL, timestamp=1, size=1, words=(EVIL,))
            record = msgspec.structs.replace(
                api.init_publication(ID),
                title=part,
                theAbstract=part,
                fulltext=part,
                keywords=words,
                journal_title=EVIL,
            )
            await database.put_publication(record)

    asyncio.run(put())
    return path


def on_a_terminal(*arguments: str) -> str:
    """Everything that a terminal is sent."""
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "pubweave.cli.main", *arguments],
        stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env={**os.environ, "PUBWEAVE_DB": "base.db"},
    )  # fmt: skip
    os.close(theirs)
    sent = b""
    while True:
        try:
            piece = os.read(ours, 65_536)
        except OSError:  # what a terminal says when the last writer has gone
            break
        if not piece:
            break
        sent += piece
    os.close(ours)
    running.wait()
    return sent.decode()


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("base")
@pytest.mark.parametrize(
    "command", COMMANDS, ids=lambda command: " ".join(command)[:30].encode("unicode_escape").decode()
)
def test_no_command_sends_it_to_a_terminal(command: tuple[str, ...]) -> None:
    """Only our own colours and line ends; and it said something."""
    sent = on_a_terminal(*command)

    assert sent
    assert "Traceback" not in sent
    assert "owned\x07" not in sent
    assert not STEERING.search(OURS.sub("", sent)), sent[:2000]


def test_a_program_gets_the_data_as_they_are(base: Path) -> None:
    """In a pipe."""
    told = subprocess.run(
        [sys.executable, "-m", "pubweave.cli.main", "export", str(base), "--format", "json"],
        capture_output=True,
        check=True,
    )

    assert orjson.loads(told.stdout)
    assert "\u202eb" in told.stdout.decode() or "\\u202eb" in told.stdout.decode()
    assert for_people(EVIL) not in told.stdout.decode()
