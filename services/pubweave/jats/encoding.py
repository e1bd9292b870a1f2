"""Documents as JSON bytes: ASCII only (B-63), so that any consumer reads them right."""

import codecs
from typing import Any, Final

import msgspec

_encoder: Final = msgspec.json.Encoder()
_ERRORS: Final = "pubweave-json-escape"


def _escaped(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    units = text.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2)), error.end


codecs.register_error(_ERRORS, _escaped)


def ascii_json(value: Any, *, pretty: bool = False) -> bytes:
    r"""A Struct or plain value as JSON in ASCII: α is ``\u03b1``."""
    data = _encoder.encode(value)
    if pretty:
        data = msgspec.json.format(data, indent=2)
    return data if data.isascii() else data.decode().encode("ascii", _ERRORS)
