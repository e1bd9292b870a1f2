"""What the program says about itself while it works; never on standard output."""

import logging
from collections.abc import Callable, MutableMapping
from typing import Any, Final

import structlog

_QUIET: Final = ("event", "level", "exc_info", "logger")


class _Sentences:
    """A logger that hands finished sentences on."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say

    def msg(self, message: str) -> None:
        self._say(message)

    debug = info = warning = error = critical = exception = msg


def _sentence(_: Any, level: str, event: MutableMapping[str, Any]) -> str:
    details = ", ".join(f"{name} {value}" for name, value in event.items() if name not in _QUIET)
    text = f"{event['event']} ({details})" if details else str(event["event"])
    lead = {"warning": "warning: ", "error": "error: ", "critical": "error: "}.get(level, "")
    return lead + " ".join(text.split())


class _Handler(logging.Handler):
    """The same for modules that use the standard library's logging."""

    def __init__(self, say: Callable[[str], None], level: int) -> None:
        super().__init__(level)
        self._say = say

    def emit(self, record: logging.LogRecord) -> None:
        self._say(_sentence(None, record.levelname.lower(), {"event": record.getMessage()}))


def hear(say: Callable[[str], None], *, level: int = logging.WARNING) -> None:
    """From now on warnings and errors of the whole program are said through `say`, a line each (F-LOG-04)."""
    structlog.configure(
        processors=[structlog.processors.format_exc_info, _sentence],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *_: _Sentences(say),
        cache_logger_on_first_use=False,
    )
    root = logging.getLogger()
    for handler in [handler for handler in root.handlers if isinstance(handler, _Handler)]:
        root.removeHandler(handler)
    root.addHandler(_Handler(say, level))
