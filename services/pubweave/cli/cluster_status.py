"""`pubweave status --cluster`: what was submitted to a cluster and what became of it, by its topics themselves."""

import asyncio
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from pubweave.cli.problems import OK, UNFINISHED, Refused
from pubweave.output.terminal import echo
from pubweave.runtimes.places import kafka_place
from pubweave.settings import Settings

if TYPE_CHECKING:
    from pubweave.adapters.kafka.place import KafkaPlace
    from pubweave.runtimes.bus.audit import Gap, JobAudit, Table, Waiting

MOST_TOLD: Final = 10
"""Gaps of one kind that are told one by one; lines that are named of a gap."""


def cluster_status(settings: Settings, job: str, format_: str) -> int:
    """Say it; the exit status is 1 if something hangs.

    :raises Refused: there is no such job
    :raises StorageProblem: no Kafka there, or a topic is missing
    """
    from pubweave.adapters.clock import SystemClock

    place, now_ms = kafka_place(settings), SystemClock().now_ms()
    table = asyncio.run(audit_of(place, now_ms, job))
    if job and not table.jobs:
        raise Refused(f"nothing of a job {job} is in the topics of the Kafka at {place.told()}")
    if format_ == "json":
        import msgspec

        told = {**msgspec.structs.asdict(table), "hangs": table.hangs}
        echo(msgspec.json.format(msgspec.json.encode(told), indent=2).decode())
    else:
        for sentence in sentences(table, now_ms, job):
            echo(sentence)
    return UNFINISHED if table.hangs else OK


async def audit_of(place: "KafkaPlace", now_ms: int, job: str = "") -> "Table":
    """See `runtimes.bus.auditing.audited`."""
    from pubweave.runtimes.bus.auditing import audited
    from pubweave.runtimes.bus.system import ALL

    return await audited(place, ALL, now_ms, job)


def sentences(table: "Table", now_ms: int, job: str = "") -> Iterator[str]:
    """The table for people, a line each."""
    for one in table.jobs:
        yield _of_job(one)
    if table.over and not job:
        yield f"{_many(table.over, 'job is', 'jobs are')} over: every line has its outcome"
    if table.asked:
        yield f"{table.asked:,} questions about lines without an outcome, {table.answered:,} of them answered"
    for waiting in sorted(table.waiting, key=lambda one: -one.lines):
        yield _of_waiting(waiting, now_ms)
    yield from gap_sentences(table.gaps)
    if table.dead_letters:
        yield f"{table.dead_letters:,} dead letters: see `pubweave dead-letters list`"
    if not table.hangs:
        yield "✔ What was submitted is settled or on its way, and nothing hangs."


def gap_sentences(gaps: "Sequence[Gap]") -> Iterator[str]:
    """Each gap of a kind until there are too many, then how many more there are; and what helps."""
    told: dict[tuple[str, str], int] = {}
    for gap in gaps:
        kind = (gap.kind, gap.topic)
        told[kind] = told.get(kind, 0) + 1
        if told[kind] <= MOST_TOLD:
            yield f"✘ {_of_gap(gap)}"
    for (_, topic), count in told.items():
        if count > MOST_TOLD:
            yield f"✘ … and {count - MOST_TOLD:,} more like this at {topic}; --format json names them all"
    kinds = {gap.kind for gap in gaps}
    if kinds & {"not-entered", "not-there"}:
        yield "Lines that were never entered: submit them again, under a new job."
    if any(gap.dead_letter >= 0 for gap in gaps):
        yield "What was put aside: once its reason is put right, `pubweave dead-letters replay NUMBER`."


def _of_job(one: "JobAudit") -> str:
    counts = {**one.settled, "on their way": one.on_their_way, "hang": one.hanging, "missing": one.missing}
    told = ", ".join(f"{count:,} {word}" for word, count in counts.items() if count)
    more = "" if one.closed else "; it is not closed, more lines may come"
    return f"job {one.job}: {_many(one.lines, 'line', 'lines')}{': ' if told else ''}{told}{more}"


def _of_waiting(one: "Waiting", now_ms: int) -> str:
    lines = _many(one.lines, "line waits", "lines wait")
    if one.until_ms > now_ms:
        until = datetime.fromtimestamp(one.until_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        told = f"{lines} for something delayed until {until} at the latest"
    else:
        age_s = max(0, now_ms - one.since_ms) // 1000
        age = f"{age_s} s" if age_s < 120 else f"{age_s // 60} min"
        told = f"{lines} for {one.service} at {one.topic}, the oldest message for {age}"
    if one.members:
        return told
    return f"✘ {told}: no {one.service} is there; start `pubweave work {one.service}`"


def _of_gap(gap: "Gap") -> str:
    lines = [f"{job} line {int(number)}" for job, _, number in (one.rpartition(".") for one in gap.lines)]
    more = f" and {len(lines) - MOST_TOLD:,} more" if len(lines) > MOST_TOLD else ""
    named = f"{', '.join(lines[:MOST_TOLD])}{more}: " if lines else ""
    at = f", offset {gap.offset}" if gap.offset >= 0 else ""
    place = f" ({gap.topic}/{gap.partition}{at}, passed by {gap.service})" if gap.topic else ""
    about = f" of publication {gap.publication}" if gap.publication else ""
    return f"{named}{gap.sentence}{about}{place}"


def _many(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"
