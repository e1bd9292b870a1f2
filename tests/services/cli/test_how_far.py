"""How far a rebuilding is, in one line."""

import pytest

from pubweave.cli.commands.rebuild.how_far import HowFar, sentence
from pubweave.runtimes.bus.rebuilding import RebuildingProgress


@pytest.mark.parametrize(
    ("progress", "passed_s", "told"),
    [
        (RebuildingProgress("facts", 41, 100, 20), 2.0, "41 %, facts, 10/s, about 6 s left"),
        (
            RebuildingProgress("claims", 500_000, 1_000_000, 100_000),
            100.0,
            "50 %, claims, 1,000/s, about 8 min 20 s left",
        ),
        (RebuildingProgress("facts", 7, 100, 0), 1.0, "7 %, facts"),
        (RebuildingProgress("records", 0, 0, 0), 0.0, "100 %, records"),
    ],
)
def test_percent_step_rate_and_what_is_left(progress: RebuildingProgress, passed_s: float, told: str) -> None:
    """The rate is that of this process; what was done before an interruption counts for the percentage only."""
    assert sentence(progress, passed_s) == told


def test_nothing_moves_where_nobody_looks(capfd: pytest.CaptureFixture[str]) -> None:
    """Into a pipe or a log only sentences go."""
    with HowFar() as told:
        told(RebuildingProgress("facts", 41, 100, 20))
        told.say("3 rows read")

    assert capfd.readouterr().err == "pubweave: 3 rows read\n"
