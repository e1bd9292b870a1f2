"""What strangers send does not steer a terminal."""

import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.table import Table
from rich.text import Text

from pubweave.output import terminal
from pubweave.output.terminal import Styled, echo, for_people, said, screen

HOSTILE = "a\x1b]0;owned\x07\x1b[2J\x9b31mb\u202ec\u2066d\r\x08\x7f\u200f[red]e[/nothing]"
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@settings(deadline=None)
@given(st.text())
def test_nothing_that_steers_a_terminal_is_left(text: str) -> None:
    """Whatever the text; what is harmless stays as it is, and again changes nothing."""
    shown = for_people(text)

    assert not STEERING.search(shown)
    assert len(shown) == len(text)
    assert for_people(shown) == shown
    assert all(new in (old, "\ufffd") for old, new in zip(text, shown, strict=True))


def test_a_console_shows_text_of_others_as_text() -> None:
    """In sentences, tables and styled texts; brackets are brackets, and no colours but our own come out."""
    out = io.StringIO()
    console = screen(file=out, force_terminal=True, width=200, color_system="standard")
    table = Table()
    table.add_column(HOSTILE)
    table.add_row(HOSTILE)
    for one in (HOSTILE, table, Text(HOSTILE, "red")):
        console.print(one)
    printed = re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue())

    assert not STEERING.search(printed)
    assert printed.count("[red]e[/nothing]") == 4


@pytest.mark.parametrize("on_terminal", [True, False])
def test_data_in_a_pipe_stay_as_they_are(
    on_terminal: bool, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """On a terminal, and on standard error always, they are shown; a program gets them byte for byte."""
    monkeypatch.setattr(terminal, "on_terminal", lambda: on_terminal)
    echo(HOSTILE)
    echo(HOSTILE.encode())
    echo(HOSTILE, err=True)
    echo(said(Styled("\x1b[31mours\x1b[0m")), err=True)
    out, err = capsysbinary.readouterr()

    assert bool(STEERING.search(out.decode())) == (not on_terminal)
    assert out == ((for_people(HOSTILE) if on_terminal else HOSTILE) + "\n").encode() * 2
    assert not STEERING.search(err.decode().splitlines()[0])


def test_our_own_colours_are_shown_as_such(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """On a terminal as colours; elsewhere they are left out, not shown as what they are made of."""
    echo(said(Styled("\x1b[31mours\x1b[0m")), err=True)
    monkeypatch.setattr("click.utils.should_strip_ansi", lambda *_: False)
    echo(said(Styled("\x1b[31mours\x1b[0m")), err=True)

    assert capfd.readouterr().err == "pubweave: ours\npubweave: \x1b[31mours\x1b[0m\n"
