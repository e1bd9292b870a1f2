"""Messages as JSON, one object a line, for who collects logs (F-LOG-10)."""

import json
import logging
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
import structlog

from pubweave.cli.log_layout import Form, Level, LogLayout, LogMessage, LogScreen, line_of, read_layout
from pubweave.cli.logs import listening
from pubweave.cli.problems import Refused
from services.cli.conftest import Cli


def test_every_line_is_an_object_whatever_it_holds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """File and screen; line breaks, traces and arguments included; the first line says the program."""
    log = tmp_path / "a" / "log.jsonl"
    with listening(print, log, ("fetch", "1"), form=Form(as_json=True)):
        logging.getLogger("pubweave.x").warning("two\nlines of %s", "“text”")
        try:
            raise ValueError("broken")
        except ValueError:
            structlog.get_logger("pubweave.y").exception("It broke", host="a.example")

    written = [json.loads(line) for line in log.read_text().splitlines()]
    said = [json.loads(line) for line in capsys.readouterr().err.splitlines()]

    assert [one["level"] for one in written] == ["DEBUG", "WARN", "ERROR"]
    assert "fetch 1" in written[0]["message"]
    assert written[1]["message"] == "two\nlines of “text”"
    assert "ValueError: broken" in written[2]["trace"]
    assert said == written[1:]
    assert {"time", "level", "message", "logger", "thread"} <= set(written[1])


def test_another_format_is_refused_with_its_origin(cli: Cli) -> None:
    """Text and JSON are all there is."""
    ran = cli("fetch", "1", "--log-format", "xml")

    assert (ran.status, ran.err.count("\n")) == (2, 1)
    assert "--log-format" in ran.err


LAYOUT = """
[screen]
line = "[{thread}] {level} {message}"
level = "INFO"
at_most = 2
[file]
line = "{time}.{ms:03d}|{level}|{message}|{logger}"
time = "%H:%M"
level = "WARN"
"""


def test_one_file_says_how_lines_look_and_which_are_worth_it(tmp_path: Path) -> None:
    """F-LIB-14: on the screen and in the log, from different levels on."""
    file, log, said = tmp_path / "layout.toml", tmp_path / "log", list[str]()
    file.write_text(LAYOUT)
    with listening(said.append, log, form=Form(layout=read_layout(file))) as ear:
        ours = logging.getLogger("pubweave.x")
        ours.debug("nobody hears this")
        ours.info("hello")
        for number in range(3):
            ours.warning("odd %d", number)

    assert said == ["[main] INFO hello", "[main] WARN odd 0"]
    assert ear.unsaid == 2
    lines = log.read_text().splitlines()
    assert [re.sub(r"^\d\d:\d\d\.\d{3}", "", line) for line in lines] == [
        f"|WARN|odd {number}|pubweave.x" for number in range(3)
    ]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("[screen]\nline = '{colour}'", r"line of \[screen\] has no field {colour}; there are: time, ms"),
        ("[file]\nline = '{message'", r"line of \[file\]"),
        ("[file]\nline = '{ms:q}'", r"line of \[file\]"),
        ("[file]\nline = '{message.__class__}'", "has no field"),
        ("[screen]\nlevel = 'LOUD'", "LOUD"),
        ("[screen]\nat_most = -1", "negative"),
        ("[printer]", "printer"),
        ("[", "cannot be used"),
        (None, "cannot be read"),
    ],
)
def test_a_layout_that_cannot_be_used_is_refused(tmp_path: Path, content: str | None, sentence: str) -> None:
    """With the file, and what is wrong in it."""
    file = tmp_path / "layout.toml"
    if content is not None:
        file.write_text(content)

    with pytest.raises(Refused, match=sentence) as caught:
        read_layout(file)
    assert "layout.toml" in caught.value.message


@pytest.mark.parametrize(("level", "escape"), [("ERROR", "31"), ("WARN", "33"), ("INFO", "")])
def test_levels_are_coloured_on_a_terminal_only(level: Level, escape: str) -> None:
    """F-LOG-01: on the screen, never in the log."""
    message = LogMessage(datetime.now(UTC), level, "odd", "x", "main")
    coloured = line_of(message, LogScreen(), coloured=True)

    assert (f"\x1b[{escape}m" in coloured) == bool(escape)
    assert "\x1b" not in line_of(message, LogScreen()) + line_of(message, LogLayout().file, coloured=True)


def test_messages_cannot_steer_a_terminal() -> None:
    """What others put into titles and addresses is shown, not obeyed (F-LOG-04)."""
    said: list[str] = []
    with listening(said.append):
        logging.getLogger("pubweave.x").warning("a\x1b[2Jb\u009bc\rd\te")

    assert said == ["warning: a\\x1b[2Jb\\x9bc\\rd\te"]


def test_the_layout_is_a_setting(cli: Cli, tmp_path: Path) -> None:
    """`--log-layout`; what is wrong is said before anything is done."""
    Path("layout.toml").write_text("[screen]\nline = 'HEY {message}'\n")
    ran = cli("pipe", "--out-ids", "--log-layout", "layout.toml")
    bad = cli("pipe", "--pub", "1", "--out-ids", "--log-layout", "none.toml")

    assert "pubweave: HEY There is nothing to work on" in ran.err
    assert (bad.status, bad.out) == (2, "")
    assert "none.toml" in bad.err


def test_services_say_everything_with_its_time(capsys: pytest.CaptureFixture[str]) -> None:
    """F-LOG-10: their screen is a log, read by machines and long afterwards; nothing is said only once or left out."""
    with listening(print, endless=True):
        for _ in range(30):
            logging.getLogger("pubweave.x").warning("odd")
    with listening(print, form=Form(as_json=True), endless=True):
        logging.getLogger("pubweave.x").warning("odd")
    *lines, as_object = capsys.readouterr().err.splitlines()

    assert len(lines) == 30
    assert all(
        re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} WARN  odd @pubweave.x \[main\]$", line)
        for line in lines
    )
    assert json.loads(as_object)["message"] == "odd"
