"""Deadlines as people write them."""

import re
from datetime import datetime
from typing import Final

from pubweave.cli.problems import Refused

_UNITS_MS: Final = {"s": 1_000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}


def deadline(text: str, now_ms: int) -> int:
    """UNIX ms of `90s`, `30m`, `2h`, `1d` from now, or of an instant such as `2026-11-21T18:00:00Z` (F-CLI-02).

    :raises Refused: neither, or past already
    """
    span = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(s|m|min|h|d)", text.strip())
    if span:
        at = now_ms + int(float(span[1]) * _UNITS_MS[span[2]])
    else:
        try:
            instant = datetime.fromisoformat(text.strip())
        except ValueError:
            instant = None
        if instant is None or instant.tzinfo is None:
            raise Refused(
                f"--deadline: '{text}' is neither a span such as 30m or 2h nor an instant "
                "such as 2026-11-21T18:00:00Z"
            )
        at = int(instant.timestamp() * 1000)
    if at <= now_ms:
        raise Refused(f"--deadline: '{text}' has passed already")
    return at
