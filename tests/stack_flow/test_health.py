"""Alive means progress; everything poisoned means stop."""

import pytest

from pubweave.runtimes.bus.health import BROKEN_LIMIT, STALLED_S, Health, Poisoned
from simulation.clock import SimulatedClock


def test_what_stands_still_with_work_waiting_is_not_alive() -> None:
    """Lag and no progress for a minute without a stated reason: Faust is known to stop silently."""
    clock = SimulatedClock()
    health = Health("merger", clock, lambda: 7)
    health.moved(3)
    clock.advance(int(STALLED_S * 1000) - 1)
    assert health.problem() == ""

    clock.advance(2)

    assert "7 messages wait" in health.problem()

    health.moved(1)
    assert health.problem() == ""


def test_a_stated_reason_or_nothing_to_do_is_no_problem() -> None:
    clock = SimulatedClock()
    idle = Health("merger", clock, lambda: 0)
    patient = Health("fetcher", clock, lambda: 7, lambda: ["ncbi: over its budget"])
    clock.advance(10 * int(STALLED_S * 1000))

    assert (idle.problem(), patient.problem()) == ("", "")


def test_idle_time_does_not_count_when_work_comes() -> None:
    """A long silence, then a message: it has a minute from then on."""
    clock, lag = SimulatedClock(), [0]
    health = Health("merger", clock, lambda: lag[0])
    clock.advance(10 * int(STALLED_S * 1000))
    assert health.problem() == ""
    lag[0] = 5

    assert health.problem() == ""


def test_a_service_that_breaks_on_a_few_messages_goes_on_and_on_many_stops() -> None:
    """The limit is on a share of the latest messages, not on all there ever were."""
    health = Health("merger", SimulatedClock(), lambda: 0)
    for _ in range(100):
        health.moved(100, dead=BROKEN_LIMIT // 4, broken=BROKEN_LIMIT // 4)
    with pytest.raises(Poisoned, match="dead-letters"):
        health.moved(BROKEN_LIMIT, dead=BROKEN_LIMIT, broken=BROKEN_LIMIT)


def test_messages_that_are_bad_themselves_stop_nobody() -> None:
    """However many strangers send: they are counted, and the service goes on."""
    health = Health("merger", SimulatedClock(), lambda: 0)
    for _ in range(100):
        health.moved(100, dead=100)

    assert (health.done, health.dead) == (10_000, 10_000)
