"""The audit, message by message: what the simulated bus never shows."""

from collections.abc import Sequence

from pubweave.contract.dead_letter import DeadLetter
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.job_closed import JobClosed
from pubweave.contract.kinds import Event
from pubweave.contract.line_standing import LineStanding
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.submissions_entered import SubmissionsEntered
from pubweave.contract.values import Identifiers
from pubweave.runtimes.bus.audit import OVERDUE_MS, STILL_MS, Audit, HeardUpTo, Said, Table

NOW_MS = 10_000_000
LANE = "fetch-requested.interactive"
SERVICES = dict.fromkeys((LANE, "part-candidates", "jobs"), "merger")


def requested(line: int) -> FetchRequested:
    return FetchRequested(job="j", line=line)


def settled(line: int) -> SubmissionSettled:
    return SubmissionSettled(job="j", line=line, identifiers=Identifiers(), outcome="finished")


def withheld(line: int) -> LineStanding:
    return LineStanding(job="j", line=line, publication="p", said="withheld", requested=requested(line))


def entered(line: int) -> SubmissionsEntered:
    return SubmissionsEntered(publication="p", lines=(requested(line),))


def audit(
    messages: Sequence[tuple[str, Event]], *, heard: int = 100, at_ms: int = 0, members: bool = True
) -> Table:
    """All in partition 0, one after the other."""
    places = {(topic, 0): HeardUpTo(heard, members) for topic in SERVICES}
    counting = Audit(places, SERVICES, NOW_MS)
    said = []
    for number, (topic, event) in enumerate(messages):
        said.append(Said(topic, 0, number, at_ms, "p/key" if topic == "part-candidates" else "key", event))
    for stage in counting.stages():
        for one in said:
            if one.topic in stage.topics and one.at_ms >= stage.since_ms:
                counting.take(one)
    return counting.table()


def test_a_line_that_was_put_aside_names_its_dead_letter() -> None:
    letter = DeadLetter(
        topic=LANE, event_kind="fetch-requested", event_version=1, reason="odd", body=b"", key="key", offset=0
    )
    (gap,) = audit([(LANE, requested(1)), ("dead-letters", letter)]).gaps

    assert (gap.kind, gap.dead_letter, gap.lines) == ("not-entered", 1, ("j.000000001",))
    assert "dead letter 1 (odd)" in gap.sentence


def test_a_finding_that_was_put_aside_is_named_by_its_publication() -> None:
    letter = DeadLetter(
        topic="part-candidates", event_kind="", event_version=0, reason="odd", body=b"", key="p/key", offset=9
    )
    table = audit([(LANE, requested(1)), ("part-candidates", entered(1)), ("dead-letters", letter)])

    (gap,) = table.gaps
    assert (gap.kind, gap.publication, gap.dead_letter) == ("not-begun", "p", 2)
    assert table.dead_letters == 1


def test_lines_that_are_in_no_topic_are_counted() -> None:
    """But not while what was sent together may still arrive."""
    messages: list[tuple[str, Event]] = [
        (LANE, requested(1)),
        ("submissions-settled", settled(1)),
        ("jobs", JobClosed(job="j", lines=3)),
    ]
    table, at_once = audit(messages), audit(messages, at_ms=NOW_MS - STILL_MS + 1)

    (gap,) = table.gaps
    (job,) = table.jobs
    assert (gap.kind, job.missing, job.lines) == ("not-there", 2, 1)
    assert table.hangs
    assert at_once.gaps == ()


def test_a_job_that_was_never_closed_gives_nobody_a_second_chance() -> None:
    """Whoever submits slowly may still do so."""
    messages: list[tuple[str, Event]] = [
        (LANE, requested(1)),
        ("part-candidates", entered(1)),
        ("jobs", withheld(1)),
    ]
    table, at_once = audit(messages), audit(messages, at_ms=NOW_MS - OVERDUE_MS + 1)

    assert [(gap.kind, gap.lines) for gap in table.gaps] == [("not-closed", ("j.000000001",))]
    assert at_once.gaps == ()
    assert [one.topic for one in at_once.waiting] == ["jobs"]


def test_a_withheld_line_hangs_with_the_one_it_waits_for() -> None:
    table = audit(
        [
            (LANE, requested(1)),
            (LANE, requested(2)),
            ("part-candidates", entered(1)),
            ("jobs", withheld(1)),
            ("jobs", JobClosed(job="j", lines=2)),
        ]
    )

    (gap,) = table.gaps
    assert (gap.kind, gap.lines) == ("not-entered", ("j.000000001", "j.000000002"))


def test_without_anybody_who_hears_nothing_moves() -> None:
    """What waits is no gap, but it hangs."""
    table = audit([(LANE, requested(1)), (LANE, requested(1))], heard=0, members=False)

    (waiting,) = table.waiting
    assert (waiting.service, waiting.lines, waiting.members) == ("merger", 1, False)
    assert (table.gaps, table.hangs) == ((), True)


def test_a_giant_line_number_costs_no_memory() -> None:
    """Lines are numbered by strangers."""
    table = audit([(LANE, requested(2**62)), (LANE, requested(-5)), ("submissions-settled", settled(2**62))])

    (job,) = table.jobs
    assert (job.lines, job.settled, job.hanging) == (2, {"finished": 1}, 1)
