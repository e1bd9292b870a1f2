"""May an entry be fetched again, and what that does to its counters (chapter 14)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pubweave.contract.values import Cooldowns
from pubweave.core.merging.canfetch import ASKS_NOW, Decision, Standing, can_fetch, counters, left_out

MINUTE = 60_000
T0 = 1_700_000_000_000
NEVER = Cooldowns(emptyCooldown=-1, nonFinalCooldown=-1, fetchExceptionCooldown=-1, retryLimit=0)


def standing(**changes: object) -> Standing:
    return Standing(
        fetch_time=T0, retry_counter=3, fetch_exception=False, is_empty=False, is_final=True
    )._replace(
        **changes  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("condition", "entry", "minutes", "decision"),
    [
        ("1 never fetched", standing(fetch_time=0), 0, Decision(True, True)),
        ("2 empty, old enough", standing(is_empty=True, is_final=False), 720, Decision(True, True)),
        ("2 empty, too young", standing(is_empty=True, is_final=False), 719, Decision(False, False)),
        ("3 not final, old enough", standing(is_final=False), 10_080, Decision(True, True)),
        ("3 not final, too young", standing(is_final=False), 10_079, Decision(False, False)),
        ("4 exception, old enough", standing(fetch_exception=True), 1_440, Decision(True, True)),
        ("4 exception, too young", standing(fetch_exception=True), 1_439, Decision(False, False)),
        ("5 retries left", standing(is_final=False, retry_counter=2), 0, Decision(True, False)),
        (
            "5 exception, retries left",
            standing(fetch_exception=True, retry_counter=0),
            0,
            Decision(True, False),
        ),
        ("final: never", standing(retry_counter=0), 10**9, Decision(False, False)),
    ],
)
def test_conditions(condition: str, entry: Standing, minutes: int, decision: Decision) -> None:
    """F-CAN-01, F-CAN-05."""
    assert can_fetch(entry, Cooldowns(), T0 + minutes * MINUTE) == decision, condition


def test_everything_switched_off() -> None:
    """F-CAN-06."""
    for entry in (standing(is_empty=True, is_final=False), standing(fetch_exception=True)):
        assert can_fetch(entry, NEVER, T0 + 10**12) == Decision(False, False)


def test_a_negative_limit_retries_for_ever() -> None:
    assert can_fetch(standing(is_final=False, retry_counter=10**6), Cooldowns(retryLimit=-1), T0).fetches


def test_an_empty_entry_is_fetched_four_times_and_again_after_the_cooldown() -> None:
    """T-073: 1 + 3 fetches at once, then none; after the cooldown the counters begin anew (F-CFG-03)."""
    fetch_time, retry, fetched = 0, 0, 0
    for now in (T0, T0 + 1, T0 + 2, T0 + 3, T0 + 4):
        decision = can_fetch(Standing(fetch_time, retry, False, True, False), Cooldowns(), now)
        if decision.fetches:
            fetch_time, retry = counters(fetch_time, retry, decision, now)
            fetched += 1

    assert (fetched, fetch_time, retry) == (4, T0, 3)
    later = T0 + 720 * MINUTE
    decision = can_fetch(Standing(fetch_time, retry, False, True, False), Cooldowns(), later)
    assert counters(fetch_time, retry, decision, later) == (later, 0)


@settings(derandomize=True, deadline=None)
@given(
    st.builds(
        Standing, st.integers(0, 2 * T0), st.integers(0, 9), st.booleans(), st.booleans(), st.booleans()
    ),
    st.builds(Cooldowns, *[st.integers(-5, 20_000)] * 3, st.integers(-2, 9)),
    st.integers(T0, 3 * T0),
)
def test_resetting_means_fetching(entry: Standing, cooldowns: Cooldowns, now: int) -> None:
    """F-CAN-02…04: one evaluation; a reset without a fetch does not exist."""
    decision = can_fetch(entry, cooldowns, now)

    assert decision.fetches or not decision.resets


@pytest.mark.parametrize(
    ("entry", "minutes", "until"),
    [
        (standing(is_empty=True, is_final=False), 5, T0 + 720 * MINUTE),
        (standing(is_final=False), 5, T0 + 10_080 * MINUTE),
        (standing(is_final=False, fetch_exception=True), 5, T0 + 1_440 * MINUTE),
    ],
)
def test_what_is_left_out_says_until_when_and_what_asks_now(
    entry: Standing, minutes: int, until: int
) -> None:
    """At that minute it may be fetched, not one before; and with the option that is named it may be at once."""
    now = T0 + minutes * MINUTE
    left = left_out(entry, Cooldowns(), now)

    assert left is not None
    assert left.until_ms == until
    assert ASKS_NOW in left.sentence
    assert can_fetch(entry, Cooldowns(), until).fetches
    assert not can_fetch(entry, Cooldowns(), until - 1).fetches
    assert can_fetch(entry, Cooldowns(retryLimit=int(ASKS_NOW.split()[-1])), now).fetches


def test_what_lacks_nothing_and_what_may_be_fetched_is_not_left_out() -> None:
    assert left_out(standing(), Cooldowns(), T0) is None
    assert left_out(standing(is_final=False, retry_counter=0), Cooldowns(), T0) is None
    never = left_out(standing(is_empty=True, is_final=False), NEVER, T0)
    assert never is not None
    assert never.until_ms == 0
