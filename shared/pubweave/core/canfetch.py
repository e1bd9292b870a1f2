"""May a stored entry be fetched (again)? And what that does to its counters (chapter 14)."""

from typing import NamedTuple

from pubweave.contract.values import Cooldowns


class Standing(NamedTuple):
    """What the decision looks at; the same for publications, web pages and docs (F-CAN-07)."""

    fetch_time: int
    """UNIX ms of the first fetch or of the last reset; 0 = never."""
    retry_counter: int
    fetch_exception: bool
    is_empty: bool
    is_final: bool


class Decision(NamedTuple):
    fetches: bool
    resets: bool
    """One of conditions 1 to 4: fetchTime becomes now, retryCounter 0 (F-CAN-02)."""


_MINUTE_MS = 60_000


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


def counters(fetch_time: int, retry_counter: int, decision: Decision, now_ms: int) -> tuple[int, int]:
    """(fetchTime, retryCounter) after an accepted fetch (F-CAN-02, F-CAN-03)."""
    return (now_ms, 0) if decision.resets else (fetch_time, retry_counter + 1)
