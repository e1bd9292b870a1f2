"""What `pubweave status --cluster` says to people."""

from pubweave.cli.cluster_status import MOST_TOLD, sentences
from pubweave.runtimes.bus.audit import Gap, JobAudit, Table, Waiting
from services.cli.conftest import Cli

NOW_MS = 1_700_000_000_000


def table(
    gaps: tuple[Gap, ...] = (), waiting: tuple[Waiting, ...] = (), jobs: tuple[JobAudit, ...] = ()
) -> Table:
    return Table(jobs=jobs, over=2, asked=4, answered=3, gaps=gaps, waiting=waiting, dead_letters=0)


def test_numbers_and_who_is_waited_for_are_told() -> None:
    job = JobAudit(
        job="j", lines=5, settled={"finished": 2}, on_their_way=2, hanging=1, missing=0, closed=False
    )
    waiting = (
        Waiting(service="fetcher", topic="reply-wanted.fetcher", lines=2, since_ms=NOW_MS - 200_000),
        Waiting(service="scheduler", topic="delayed", lines=1, until_ms=NOW_MS + 60_000),
        Waiting(service="pmc", topic="needs-part.pmc", lines=1, since_ms=NOW_MS - 5_000, members=False),
    )

    assert list(sentences(table(waiting=waiting, jobs=(job,)), NOW_MS)) == [
        "job j: 5 lines: 2 finished, 2 on their way, 1 hang; it is not closed, more lines may come",
        "2 jobs are over: every line has its outcome",
        "4 questions about lines without an outcome, 3 of them answered",
        "2 lines wait for fetcher at reply-wanted.fetcher, the oldest message for 3 min",
        "1 line waits for something delayed until 2023-11-14 22:14:20 UTC at the latest",
        "✘ 1 line waits for pmc at needs-part.pmc, the oldest message for 5 s: no pmc is there; start "
        "`pubweave work pmc`",
    ]


def test_many_gaps_of_a_kind_are_told_in_one_line() -> None:
    gaps = tuple(
        Gap(
            kind="not-entered",
            sentence="never entered",
            lines=(f"j.{number:09d}",),
            service="merger",
            topic="fetch-requested.bulk",
            partition=1,
            offset=number,
        )
        for number in range(90)
    )
    told = list(sentences(table(gaps=gaps), NOW_MS))

    assert "✘ j line 3: never entered (fetch-requested.bulk/1, offset 3, passed by merger)" in told
    assert sum(line.startswith("✘ j line") for line in told) == MOST_TOLD
    assert "✘ … and 80 more like this at fetch-requested.bulk; --format json names them all" in told
    assert told[-1] == "Lines that were never entered: submit them again, under a new job."


def test_nothing_that_hangs_is_said() -> None:
    assert list(sentences(table(), NOW_MS))[-1].startswith("✔ ")


def test_a_job_is_one_of_a_cluster(cli: Cli) -> None:
    found = cli("status", "--job", "j")

    assert (found.status, found.err) == (2, "pubweave: --job names a job of a cluster: add --cluster\n")
