"""Documents as JSON bytes: ASCII only (B-63), so that any consumer reads them right."""

import codecs
from typing import Any, Final

import msgspec

_encoder: Final = msgspec.json.Encoder()
_ERRORS: Final = "pubweave-json-escape"


class _Escapes(dict[str, str]):
    """Runs of characters as JSON escapes; few are met, and those again and again."""

    MAX: Final = 50_000

    def __missing__(self, run: str) -> str:
        if len(self) >= self.MAX:
            self.clear()
        units = run.encode("utf-16-be", "surrogatepass")
        made = "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
        if len(run) <= 4:
            self[run] = made
        return made


_escapes: Final = _Escapes()


def _escaped(error: UnicodeError) -> tuple[str, int]:
    # called for every run of letters beyond ASCII: nothing here but the look-up
    return _escapes[error.object[error.start : error.end]], error.end  # type: ignore[attr-defined]


codecs.register_error(_ERRORS, _escaped)


def ascii_json(value: Any, *, pretty: bool = False) -> bytes:
    r"""A Struct or plain value as JSON in ASCII: α is ``\u03b1``."""
    data = _encoder.encode(value)
    if pretty:
        data = msgspec.json.format(data, indent=2)
    return data if data.isascii() else data.decode().encode("ascii", _ERRORS)
