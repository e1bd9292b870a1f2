"""How a retry is decided: which ends of an attempt are tried again, how often, and after which wait."""

from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Final

from pubweave.contract.exchange import Request
from pubweave.doors.fetcher.outcomes import CASES
from pubweave.doors.fetcher.settings import FetcherSettings
from pubweave.doors.fetcher.trail import AttemptEnd
from pubweave.doors.fetcher.wire import Exchange

_LONGEST_RETRY_AFTER_S: Final = 86_400.0


class Retries:
    """The attempts of one question, and whether there is another."""

    __slots__ = ("_is_pdf", "_settings", "_timeouts", "attempts", "limited")

    def __init__(self, request: Request, settings: FetcherSettings) -> None:
        self._settings = settings
        self._is_pdf = request.expect == "pdf"
        self._timeouts = 0
        self.attempts = 0
        self.limited = 0
        """How often the server has asked to be left alone."""

    def goes_on(self, ended: AttemptEnd, now_ms: int) -> bool:
        """Count an attempt, settle its row of the table (a first timeout, a PDF's), and say whether there is another."""
        case = ended.case
        if ended.closed:
            return False
        if case.name == "timeout":
            self._timeouts += 1
            if self._is_pdf:
                ended.case = CASES["timeout-pdf"]
            elif self._timeouts == 1:
                ended.case = CASES["timeout-first"]
                return True
        elif case.again == "after-wait":
            once_more = self._waits(ended, now_ms)
            self._timeouts, self.limited = 0, self.limited + 1
            return once_more
        return False

    def _waits(self, ended: AttemptEnd, now_ms: int) -> bool:
        """True if this question is sent again when the pause of its unit is over."""
        wait_s = wait_told_s(ended.exchange, self.limited, now_ms) if ended.exchange is not None else None
        ended.retry_after_ms = max(1, int((wait_s or 0.0) * 1000))
        return (
            self.limited + 1 < self._settings.rate_limit_attempts
            and ended.retry_after_ms <= self._settings.longest_wait_ms
        )


def wait_told_s(exchange: Exchange, limited: int, now_ms: int) -> float | None:
    """How long the server asks to be left alone, `limited` times having asked so before; None if not."""
    fields = exchange.fields() if exchange.status in (429, 503) else {}
    if exchange.status != 429 and "retry-after" not in fields:
        return None
    told = retry_after_s(fields.get("retry-after", ""), now_ms)
    # Without a word about how long: 1, 2, 4, … seconds.
    return min(told if told is not None else 2.0**limited, _LONGEST_RETRY_AFTER_S)


def retry_after_s(told: str, now_ms: int) -> float | None:
    """Seconds to wait (RFC 9110 10.2.3: a number, or a date); None if it does not say or cannot be read."""
    told = told.strip()
    if told.isascii() and told.isdigit():
        return float(told)
    try:
        when = parsedate_to_datetime(told)
        # A date without a zone, as old servers write it, is UTC (RFC 9110 5.6.7).
        return max(when.replace(tzinfo=when.tzinfo or UTC).timestamp() - now_ms / 1000, 0.0)
    except (ValueError, TypeError, OverflowError):
        return None
