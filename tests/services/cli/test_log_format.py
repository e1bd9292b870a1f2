"""Messages as JSON, one object a line, for who collects logs (F-LOG-10)."""

import json
import logging
from pathlib import Path

import pytest
import structlog

from pubweave.cli.logs import listening
from services.cli.conftest import Cli


def test_every_line_is_an_object_whatever_it_holds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """File and screen; line breaks, traces and arguments included; the first line says the program."""
    log = tmp_path / "a" / "log.jsonl"
    with listening(print, log, ("fetch", "1"), as_json=True):
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
