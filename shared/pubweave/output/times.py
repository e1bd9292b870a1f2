"""Times as people and machines read them: ISO 8601, UTC, milliseconds (F-JSON-14)."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@lru_cache(maxsize=1024)  # the parts of a record often share their times
def instant(unix_ms: int) -> str:
    """`2018-08-31T13:37:51.123Z`; negative times lie before 1970, as the specification wants them.

    :raises OverflowError: outside the years 1 to 9999
    """
    seconds, ms = divmod(unix_ms, 1000)
    moment = _EPOCH + timedelta(seconds=seconds)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{ms:03d}Z" if moment.year > 999 else _early(moment, ms)


def _early(moment: datetime, ms: int) -> str:
    # strftime does not pad the year on Linux.
    return f"{moment.year:04d}{moment:-%m-%dT%H:%M:%S}.{ms:03d}Z"


@lru_cache(maxsize=1024)
def date(unix_ms: int) -> str:
    """`2018-08-31`; -1 (unknown) is 1969-12-31.

    :raises OverflowError: outside the years 1 to 9999
    """
    moment = _EPOCH + timedelta(days=unix_ms // 86_400_000)
    return moment.date().isoformat()
