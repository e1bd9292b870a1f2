"""Publication dates as API replies write them: UNIX milliseconds of 00:00 UTC (F-PT-22, F-PMX-04)."""

import re
from datetime import date
from typing import Final

UNKNOWN: Final = -1

_ISO: Final = re.compile(r"(\d{4})-(\d{2})-(\d{2})", re.ASCII)
_EPOCH: Final = date(1970, 1, 1).toordinal()
_DAY_MS: Final = 86_400_000


def iso_date_ms(text: str) -> int:
    """`YYYY-MM-DD` as UNIX ms; `UNKNOWN` for anything else, and for days that no calendar has."""
    match = _ISO.fullmatch(text.strip())
    if match is None:
        return UNKNOWN
    try:
        return (date(int(match[1]), int(match[2]), int(match[3])).toordinal() - _EPOCH) * _DAY_MS
    except ValueError:
        return UNKNOWN


def date_parts_ms(year: str, month: str, day: str) -> int:
    """Year, month and day in digits; a missing day is 01, a missing month makes it 01-01 (F-PMX-04)."""
    year, month, day = year.strip(), month.strip(), day.strip()
    if not year:
        return UNKNOWN
    if not month:
        month = day = "1"
    return iso_date_ms(f"{year}-{month:0>2}-{day or '1':0>2}")
