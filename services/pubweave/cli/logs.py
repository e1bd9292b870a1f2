"""What the program says about itself while it works: to the user, and to a file; never to standard output."""

import json
import logging
import os
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Final

import structlog

from pubweave.cli.log_layout import LEVELS, Form, Level, LogMessage, is_heard, line_of, log_form
from pubweave.cli.problems import Refused
from pubweave.output.terminal import for_people
from pubweave.settings import Settings
from pubweave.version import NAME, VERSION

_AS_TEXT: Final = Form()
SOURCES: Final = "pubweave.sources"
"""The logger of what sources say of publications (`runtimes.told`)."""
_REMEMBERED: Final = 10_000
_NO_DETAIL: Final = ("event", "level", "exc_info", "exception", "logger")
_LEVELS: Final = {"warn": "WARN", "warning": "WARN", "critical": "ERROR", "exception": "ERROR"}
_ESCAPED: Final = {
    **{code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if code != 0x09},
    **{0x0A: "\\n", 0x0D: "\\r", 0x5C: "\\\\"},
}
"""Titles and addresses of others must not steer a terminal."""
_NUMBERS: Final[dict[Level, int]] = {
    "DEBUG": logging.DEBUG,
    "INFO": logging.INFO,
    "WARN": logging.WARNING,
    "ERROR": logging.ERROR,
}


class Ear:
    """Hears structlog and the standard library's logging; says and writes what is worth it."""

    def __init__(
        self,
        say: Callable[[str], None],
        file: IO[str] | None,
        *,
        warnings: bool,
        form: Form = _AS_TEXT,
        endless: bool = False,
    ) -> None:
        self._say = say
        self._endless = endless
        self._as_json, self._layout = form.as_json, form.layout
        at_most = form.layout.screen.at_most
        self._at_most, self._at_most_errors = at_most if warnings else 0, 2 * at_most
        self._coloured = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
        self._file = file
        self._heard: set[str] = set()
        self._shown = 0
        self.unsaid = 0
        """Different warnings and errors that were not said."""

    def hear(self, level: str, logger: str, sentence: str, trace: str = "") -> None:
        """One message; a line each, whatever it holds (F-LOG-04).

        What sources said of publications is for the file, or for the log of a service: a job has thousands of such lines.
        """
        level = _LEVELS.get(level.lower(), level.upper())
        thread = threading.current_thread().name.replace("MainThread", "main")
        line = sentence.translate(_ESCAPED)
        message = LogMessage(datetime.now().astimezone(), level, line, logger, thread)
        screen, file = self._layout.screen, self._layout.file
        as_object = _as_object(message, sentence, trace) if self._as_json else ""
        if self._file is not None and is_heard(level, file.level):
            self._file.write(
                (as_object or line_of(message, file)) + f"\n{'' if as_object else for_people(trace)}"
            )
            self._file.flush()
        if not is_heard(level, screen.level) or (logger == SOURCES and not self._endless):
            return
        if self._endless:
            self._say(as_object or line_of(message, file))
            return
        if line in self._heard:
            return
        if len(self._heard) < _REMEMBERED:
            self._heard.add(line)
        if self._shown < (self._at_most_errors if level == "ERROR" else self._at_most):
            self._shown += 1
            self._say(as_object or line_of(message, screen, coloured=self._coloured))
        else:
            self.unsaid += 1


def _as_object(message: LogMessage, sentence: str, trace: str) -> str:
    """A message as one line of JSON (F-LOG-10)."""
    told = {
        "time": message.now.isoformat(timespec="milliseconds"),
        "level": message.level,
        "message": sentence,
        "logger": message.logger,
        "thread": message.thread,
        **({"trace": trace} if trace else {}),
    }
    return json.dumps(told, ensure_ascii=False)


class _Structlog:
    def __init__(self, ear: Ear, name: str) -> None:
        self._ear, self._name = ear, name

    def msg(self, level: str, sentence: str, trace: str) -> None:
        self._ear.hear(level, self._name, sentence, trace)

    debug = info = warning = warn = error = critical = exception = fatal = msg


def _rendered(
    _: Any, level: str, event: MutableMapping[str, Any]
) -> tuple[tuple[str, str, str], dict[str, Any]]:
    details = ", ".join(f"{name} {value}" for name, value in event.items() if name not in _NO_DETAIL)
    sentence = f"{event['event']} ({details})" if details else str(event["event"])
    trace = event.get("exception", "")
    return (level, sentence, f"{trace}\n" if trace else ""), {}


class _Handler(logging.Handler):
    def __init__(self, ear: Ear) -> None:
        super().__init__(logging.DEBUG)
        self._ear = ear

    def emit(self, record: logging.LogRecord) -> None:
        sentence, trace = record.getMessage(), ""
        if record.exc_info and record.exc_info[1] is not None:
            sentence += f" ({type(record.exc_info[1]).__name__}: {record.exc_info[1]})"
            trace = "".join(traceback.format_exception(record.exc_info[1]))
        self._ear.hear(record.levelname, record.name, sentence, trace)


def _bare(line: str) -> None:
    sys.stderr.write(line + "\n")


@contextmanager
def listening(
    say: Callable[[str], None],
    path: Path | None = None,
    argv: Sequence[str] = (),
    *,
    warnings: bool = True,
    form: Form = _AS_TEXT,
    endless: bool = False,
) -> Iterator[Ear]:
    """Warnings and errors are said, everything is written to the file.

    :param path: appended to; folders that are missing are made (F-LOG-01)
    :param argv: the arguments, scrubbed, for the first line (F-LOG-02)
    :param warnings: say warnings; errors are always said
    :param endless: the program runs for days, and its screen is a log: everything is said, as often as it happens, with its
        time (the layout of the file, from the level of the screen on; without `say`)
    :param form: how; as JSON it is one object a line, on the screen (without `say`) and in the file
    :raises Refused: the file cannot be written
    """
    file: IO[str] | None = None
    if path is not None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = path.open("a", encoding="utf-8", errors="replace")
        except OSError as problem:
            raise Refused(
                f"the log {path} cannot be written: {(problem.strerror or str(problem)).lower()}"
            ) from None
    speaking = _bare if form.as_json or endless else say
    ear = Ear(speaking, file, warnings=warnings, form=form, endless=endless)
    least = form.layout.screen.level
    if file is not None:
        least = min(least, form.layout.file.level, key=LEVELS.index)
        ear.hear("debug", "pubweave.cli.main", f"{NAME} {VERSION} {' '.join(argv)}")
    structlog.configure(
        processors=[structlog.processors.format_exc_info, _rendered],
        wrapper_class=structlog.make_filtering_bound_logger(_NUMBERS[least]),
        logger_factory=lambda *names: _Structlog(ear, str(names[0]) if names else "pubweave"),
        cache_logger_on_first_use=False,
    )
    handler, everybody, ours = _Handler(ear), logging.getLogger(), logging.getLogger("pubweave")
    everybody.addHandler(handler)
    ours.setLevel(_NUMBERS[least])
    try:
        yield ear
    finally:
        everybody.removeHandler(handler)
        ours.setLevel(logging.NOTSET)
        structlog.reset_defaults()
        if file is not None:
            file.close()


def listening_as_set(
    settings: Settings,
    say: Callable[[str], None],
    argv: Sequence[str],
    *,
    warnings: bool = True,
    endless: bool = False,
) -> AbstractContextManager[Ear]:
    """`listening` with the file, format and layout of the settings.

    :raises Refused: one of these settings cannot be used, or the file cannot be written
    """
    form = log_form(settings)
    return listening(say, settings.path("log"), argv, warnings=warnings, form=form, endless=endless)
