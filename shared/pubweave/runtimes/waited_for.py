"""What the fetcher is waiting for, for people."""

from collections.abc import Sequence

from pubweave.doors.fetcher.turns import UnitStatus


def waiting_sentences(units: Sequence[UnitStatus]) -> list[str]:
    """What is being waited for, most urgent first, as short sentences for a person."""
    busiest = sorted(units, key=lambda unit: -(unit.queued + unit.in_flight))
    return [
        f"{unit.unit}: {_reason(unit)}, {unit.queued} queued, {unit.in_flight} in flight"
        for unit in busiest
        if unit.queued or unit.in_flight
    ]


def _reason(unit: UnitStatus) -> str:
    if not unit.waiting:
        return "answering"
    return f"{unit.waiting} ({unit.allowance})" if unit.allowance else unit.waiting
