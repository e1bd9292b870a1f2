"""How messages look and which are worth it: one file in TOML for the screen and the log (F-LIB-14).

    [screen]
    line = "{kind}: {message}"
    level = "WARN"
    at_most = 10
    colours = { ERROR = "red", WARN = "yellow" }

    [file]
    line = "{time},{ms:03d} {level:5} {message} @{logger} [{thread}]"
    time = "%Y-%m-%d %H:%M:%S"
    level = "DEBUG"

What is left out is as here.
"""

import string
import tomllib
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from pubweave.cli.problems import Refused
from pubweave.output.terminal import Styled, for_people

if TYPE_CHECKING:
    from pubweave.settings import Settings

Level = Literal["DEBUG", "INFO", "WARN", "ERROR"]
Colour = Literal["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white", ""]

LEVELS: Final[tuple[Level, ...]] = ("DEBUG", "INFO", "WARN", "ERROR")
_WORDS: Final[dict[str, str]] = {"WARN": "warning"}
_COLOURS: Final[dict[Level, Colour]] = {"ERROR": "red", "WARN": "yellow"}
_FIELDS: Final = ("time", "ms", "level", "kind", "message", "logger", "thread")


class LogMessage(msgspec.Struct, frozen=True):
    """One message; the text is a single line already."""

    now: datetime
    level: str
    text: str
    logger: str
    thread: str


class LogScreen(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the user sees while the program works; `pubweave: ` stands before each line."""

    line: str = "{kind}: {message}"
    time: str = "%H:%M:%S"
    level: Level = "WARN"
    """This level and those above it are said, …"""
    at_most: int = 10
    """… so many different ones, and as many errors again."""
    colours: dict[Level, Colour] = msgspec.field(default_factory=lambda: dict(_COLOURS))
    """Of `{kind}` and `{level}`, on a terminal (F-LOG-01)."""


class File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is appended to the log."""

    line: str = "{time},{ms:03d} {level:5} {message} @{logger} [{thread}]"
    time: str = "%Y-%m-%d %H:%M:%S"
    level: Level = "DEBUG"


class LogLayout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Both. With JSON (`--log-format json`) only the levels and `at_most` hold."""

    screen: LogScreen = LogScreen()
    file: File = File()


class Form(msgspec.Struct, frozen=True):
    """How messages are written."""

    as_json: bool = False
    layout: LogLayout = LogLayout()


def is_heard(level: str, least: Level) -> bool:
    """Whether a message of this level is worth it."""
    return level not in LEVELS or LEVELS.index(level) >= LEVELS.index(least)


def line_of(message: LogMessage, part: LogScreen | File, *, coloured: bool = False) -> str:
    """A message as the layout wants it, without line end.

    :param coloured: with the escapes of a terminal
    """
    level, kind = message.level, _WORDS.get(message.level, message.level.lower())
    if coloured and isinstance(part, LogScreen) and (colour := _colour(part, level)):
        import click

        level, kind = click.style(for_people(level), fg=colour), click.style(for_people(kind), fg=colour)
    else:
        level, kind, coloured = for_people(level), for_people(kind), False
    line = part.line.format(
        time=message.now.strftime(part.time),
        ms=message.now.microsecond // 1000,
        level=level,
        kind=kind,
        message=for_people(message.text),
        logger=for_people(message.logger),
        thread=for_people(message.thread),
    )
    return Styled(line) if coloured else line


def _colour(screen: LogScreen, level: str) -> Colour:
    return next((colour for name, colour in screen.colours.items() if name == level), "")


def log_form(settings: "Settings") -> Form:
    """How the settings want messages to be written.

    :raises Refused: the format is neither text nor json; the layout's file is not there, or something in it is wrong
    """
    word = settings.text("log_format")
    if word not in ("text", "json"):
        raise Refused(f"{settings.effective('log_format').origin}: log_format is text or json, not {word!r}")
    path = settings.path("log_layout")
    return Form(as_json=word == "json", layout=LogLayout() if path is None else read_layout(path))


def read_layout(path: Path) -> LogLayout:
    """The layout of a file.

    :raises Refused: it cannot be read, or something in it is wrong; the text says what
    """
    try:
        layout = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), LogLayout)
    except OSError as problem:
        raise Refused(f"the log layout {path} cannot be read: {(problem.strerror or '').lower()}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as problem:
        raise Refused(f"the log layout {path} cannot be used: {problem}") from None
    if layout.screen.at_most < 0:
        raise Refused(f"the log layout {path} cannot be used: at_most is negative")
    for name, part in (("screen", layout.screen), ("file", layout.file)):
        _check(path, name, part)
    return layout


def _check(path: Path, name: str, part: LogScreen | File) -> None:
    where = f"the log layout {path} cannot be used: line of [{name}]"
    try:
        fields = [field for _, field, _, _ in string.Formatter().parse(part.line) if field is not None]
    except ValueError as problem:
        raise Refused(f"{where}: {problem}") from None
    unknown = [field for field in fields if field not in _FIELDS]
    if unknown:
        raise Refused(f"{where} has no field {{{unknown[0]}}}; there are: {', '.join(_FIELDS)}")
    try:
        line_of(LogMessage(datetime.now().astimezone(), "INFO", "", "", ""), part)
    except (ValueError, KeyError, IndexError) as problem:
        raise Refused(f"{where}: {problem}") from None
