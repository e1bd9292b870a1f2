"""T-120: every idea of the specification's chapter 25 has a decision."""

from pathlib import Path

ROWS = [
    line.split("|")[1:4]
    for line in (Path(__file__).parents[2] / "docs" / "future.md").read_text().splitlines()
    if line.startswith("| F-FUT-")
]
DECISIONS = ("done", "open", "no", "kept", "in part")


def test_every_idea_stands_once_with_a_decision_and_its_reason() -> None:
    """F-FUT-01 to F-FUT-23, in order."""
    assert [idea.split()[0] for idea, _, _ in ROWS] == [f"F-FUT-{number:02}" for number in range(1, 24)]
    for idea, decision, reason in ROWS:
        assert decision.strip().startswith(DECISIONS), idea
        assert len(reason.split()) >= 4, idea
