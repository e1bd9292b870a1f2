"""What the program says about itself while it works: to the user, and to a file; never to standard output."""

import json
import logging
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

import structlog

from pubweave.cli.problems import Refused
from pubweave.version import NAME, VERSION

if TYPE_CHECKING:
    from pubweave.settings import Settings

SAID: Final = 10
"""So many different warnings are said, and at most twice as many with the errors; a file gets all."""
_REMEMBERED: Final = 10_000
_NO_DETAIL: Final = ("event", "level", "exc_info", "exception", "logger")
_LEVELS: Final = {"warn": "WARN", "warning": "WARN", "critical": "ERROR", "exception": "ERROR"}


class Ear:
    """Hears structlog and the standard library's logging; says and writes what is worth it."""

    def __init__(
        self, say: Callable[[str], None], file: IO[str] | None, *, warnings: bool, as_json: bool = False
    ) -> None:
        self._say = say
        self._as_json = as_json
        self._limits = {"WARN": SAID if warnings else 0, "ERROR": 2 * SAID}
        self._file = file
        self._heard: set[str] = set()
        self._shown = 0
        self.unsaid = 0
        """Different warnings and errors that were not said."""

    def hear(self, level: str, logger: str, sentence: str, trace: str = "") -> None:
        """One message; a line each, whatever it holds (F-LOG-04)."""
        level = _LEVELS.get(level.lower(), level.upper())
        line = sentence.replace("\\", "\\\\").replace("\r", "\\r").replace("\n", "\\n")
        thread = threading.current_thread().name.replace("MainThread", "main")
        now = datetime.now().astimezone()
        if self._as_json:
            written = _as_object(now, level, logger, thread, sentence, trace)
        else:
            stamp = f"{now:%Y-%m-%d %H:%M:%S},{now.microsecond // 1000:03d}"
            written = f"{stamp} {level:5} {line} @{logger} [{thread}]\n{trace}"
        if self._file is not None:
            self._file.write(written)
            self._file.flush()
        if level not in ("ERROR", "WARN") or line in self._heard:
            return
        if len(self._heard) < _REMEMBERED:
            self._heard.add(line)
        if self._shown < self._limits[level]:
            self._shown += 1
            what = "error" if level == "ERROR" else "warning"
            self._say(written.rstrip("\n") if self._as_json else f"{what}: {line}")
        else:
            self.unsaid += 1


def _as_object(now: datetime, level: str, logger: str, thread: str, sentence: str, trace: str) -> str:
    """A message as one line of JSON (F-LOG-10)."""
    told = {
        "time": now.isoformat(timespec="milliseconds"),
        "level": level,
        "message": sentence,
        "logger": logger,
        "thread": thread,
        **({"trace": trace} if trace else {}),
    }
    return json.dumps(told, ensure_ascii=False) + "\n"


def log_form(settings: "Settings") -> bool:
    """Whether messages are written as JSON.

    :raises Refused: the setting is neither text nor json
    """
    form = settings.text("log_format")
    if form not in ("text", "json"):
        raise Refused(f"{settings.effective('log_format').origin}: log_format is text or json, not {form!r}")
    return form == "json"


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
    as_json: bool = False,
) -> Iterator[Ear]:
    """Warnings and errors are said, everything is written to the file.

    :param path: appended to; folders that are missing are made (F-LOG-01)
    :param argv: the arguments, scrubbed, for the first line (F-LOG-02)
    :param warnings: say warnings; errors are always said
    :param as_json: one object a line, on the screen (without `say`) and in the file
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
    ear = Ear(_bare if as_json else say, file, warnings=warnings, as_json=as_json)
    if file is not None:
        ear.hear("debug", "pubweave.cli.main", f"{NAME} {VERSION} {' '.join(argv)}")
    structlog.configure(
        processors=[structlog.processors.format_exc_info, _rendered],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO if file is None else logging.DEBUG),
        logger_factory=lambda *names: _Structlog(ear, str(names[0]) if names else "pubweave"),
        cache_logger_on_first_use=False,
    )
    handler, everybody, ours = _Handler(ear), logging.getLogger(), logging.getLogger("pubweave")
    everybody.addHandler(handler)
    ours.setLevel(logging.DEBUG if file is not None else logging.WARNING)
    try:
        yield ear
    finally:
        everybody.removeHandler(handler)
        ours.setLevel(logging.NOTSET)
        structlog.reset_defaults()
        if file is not None:
            file.close()
