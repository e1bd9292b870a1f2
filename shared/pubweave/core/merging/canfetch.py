"""May a stored entry be fetched (again)? And what that does to its counters (chapter 14)."""

from datetime import UTC, datetime
from typing import Final, NamedTuple

from pubweave.contract.values import Cooldowns, Thresholds
from pubweave.core.record import Record


class Standing(NamedTuple):
    """What the decision looks at; the same for publications, web pages and docs (F-CAN-07)."""

    fetch_time: int
    """UNIX ms of the first fetch or of the last reset; 0 = never."""
    retry_counter: int
    fetch_exception: bool
    is_empty: bool
    is_final: bool


def standing_of(record: Record, thresholds: Thresholds) -> Standing:
    """What the decision looks at of a publication."""
    return Standing(
        record.fetch_time,
        record.retry_counter,
        record.fetch_exception,
        record.is_empty(),
        record.is_final(thresholds),
    )


class Decision(NamedTuple):
    fetches: bool
    resets: bool
    """One of conditions 1 to 4: fetchTime becomes now, retryCounter 0 (F-CAN-02)."""


_MINUTE_MS = 60_000

ASKS_NOW: Final = "--retry-limit -1"
"""The option with which everything that lacks something is asked for again at once."""


def can_fetch(standing: Standing, cooldowns: Cooldowns, now_ms: int) -> Decision:
    """The decision and the counter update from one evaluation and one clock reading (F-CAN-01…04)."""

    def passed(cooldown_min: int) -> bool:
        return cooldown_min >= 0 and now_ms - standing.fetch_time >= cooldown_min * _MINUTE_MS

    resets = (
        standing.fetch_time == 0
        or (standing.is_empty and passed(cooldowns.emptyCooldown))
        or (not standing.is_final and not standing.is_empty and passed(cooldowns.nonFinalCooldown))
        or (standing.fetch_exception and passed(cooldowns.fetchExceptionCooldown))
    )
    if resets:
        return Decision(fetches=True, resets=True)
    lacks = standing.is_empty or not standing.is_final or standing.fetch_exception
    retries = cooldowns.retryLimit < 0 or standing.retry_counter < cooldowns.retryLimit
    return Decision(fetches=lacks and retries, resets=False)


class LeftOut(NamedTuple):
    """Something is lacking in an entry, and it is not asked for now."""

    until_ms: int
    """From then on it may be fetched again; 0: not because of its age."""
    sentence: str
    """Why, until when, and what asks all the same."""


def left_out(standing: Standing, cooldowns: Cooldowns, now_ms: int) -> LeftOut | None:
    """What keeps an entry from being fetched although something is lacking; None where it may be fetched, or is good
    enough."""
    if can_fetch(standing, cooldowns, now_ms).fetches:
        return None
    why = [
        (word, cooldown)
        for holds, word, cooldown in (
            (standing.is_empty, "empty", cooldowns.emptyCooldown),
            (not standing.is_empty and not standing.is_final, "not final", cooldowns.nonFinalCooldown),
            (standing.fetch_exception, "met a technical failure", cooldowns.fetchExceptionCooldown),
        )
        if holds
    ]
    if not why:
        return None
    ends = [standing.fetch_time + cooldown * _MINUTE_MS for _, cooldown in why if cooldown >= 0]
    until_ms = min(ends, default=0)
    when = f" before {datetime.fromtimestamp(until_ms / 1000, UTC):%Y-%m-%d %H:%M} UTC" if until_ms else ""
    words = ", ".join(word for word, _ in why)
    return LeftOut(
        until_ms, f"{words}, and not asked again{when} (cooldown, retry limit); {ASKS_NOW} asks now"
    )


def counters(fetch_time: int, retry_counter: int, decision: Decision, now_ms: int) -> tuple[int, int]:
    """(fetchTime, retryCounter) after an accepted fetch (F-CAN-02, F-CAN-03)."""
    return (now_ms, 0) if decision.resets else (fetch_time, retry_counter + 1)
