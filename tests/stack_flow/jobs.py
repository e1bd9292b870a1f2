"""A job on the bus as a test sees it: what was said, what it ends with, and what must hold of it."""

import secrets
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from flow.judge import whole_chain
from flow.tables import row, system_on, table
from pubweave.adapters.cassandra import CassandraStorage
from pubweave.adapters.clock import SystemClock
from pubweave.adapters.kafka.admin import apply
from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.contract.catalogue import topics
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.publication_updated import PublicationUpdated
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.resource_done import ResourceDone
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.values import Identifiers
from pubweave.contract.vocabulary import LaneName
from pubweave.core.merging.state import PublicationState, StateRow
from pubweave.core.record import decode_record
from pubweave.runtimes.bus.client import following, new_job, submit
from pubweave.runtimes.bus.sending import Sender
from pubweave.runtimes.contents import put_back
from pubweave.runtimes.embedded.jobs import Line
from pubweave.runtimes.messages.publication import read_row
from simnet.fixture import Running
from simnet.log import Log

Table = dict[int, tuple[str, Any]]

_COUNTED: Final = ("needs-part", "reply-wanted", "reply-received", "part-candidates", "publications")
"""Whose messages make up the time of a job."""


async def embedded_table(net: Running, lines: Sequence[Line], monkeypatch: pytest.MonkeyPatch) -> Table:
    """Outcome and record of each line in one process that asks the whole chain, without a browser."""
    async with system_on(net, monkeypatch=monkeypatch, context=whole_chain(), resources=None) as system:
        return await table(system, lines)


def requests_of(job: str, lines: Sequence[Line], lane: LaneName = "interactive") -> list[FetchRequested]:
    now_ms = SystemClock().now_ms()
    return [
        FetchRequested(
            job=job,
            line=one.number,
            identifiers=one.identifiers,
            provenance=Identifiers(**{kind: "pubweave" for kind, _ in one.identifiers.known()}),
            submitted_at=now_ms,
            lane=lane,
        )
        for one in lines
    ]


class Job:
    """What was seen of one job."""

    def __init__(self, kafka: KafkaPlace, name: str) -> None:
        self.kafka = kafka
        self.name = name
        self.events = 0
        self.settled: dict[int, SubmissionSettled] = {}
        self.published: dict[str, PublicationUpdated] = {}
        self.needs: dict[str, NeedsPart] = {}
        self.done: set[str] = set()
        self.asked: Counter[tuple[str, str]] = Counter()
        """How often what was asked, when it is over."""
        self.redirected: set[str] = set()
        """Questions that the owner of another site went on with."""
        self.handed_on: set[str] = set()
        """Questions that another door went on with."""

    def under_way(self) -> int:
        """Needs that have been sent and not answered."""
        return len(self.needs.keys() - self.done)

    def hear(self, event: object) -> None:
        self.events += 1
        match event:
            case NeedsPart():
                self.needs[event.need] = event
            case ResourceDone():
                self.done.add(event.need)
            case ReplyWanted():
                if event.carried is not None:
                    self.redirected.add(event.ask)
                if event.fetched is not None:
                    self.handed_on.add(event.ask)
            case PublicationUpdated():
                before = self.published.get(event.publication)
                if before is None or before.version < event.version:
                    self.published[event.publication] = event
            case SubmissionSettled() if event.job == self.name:
                known = self.settled.setdefault(event.line, event)
                assert (known.outcome, known.version) == (event.outcome, event.version), event
            case _:
                pass

    def is_over(self, count: int) -> bool:
        return len(self.settled) == count and all(
            one.publication in self.published and self.published[one.publication].version >= one.version
            for one in self.settled.values()
        )

    async def table(self, storage: CassandraStorage) -> Table:
        """Outcome and record of each line."""
        found: Table = {}
        for number, one in sorted(self.settled.items()):
            record = decode_record(bytes(self.published[one.publication].record))
            found[number] = (one.outcome, row(await put_back(record, storage.blobs)))
        return found

    async def needs_without_one_outcome(self, storage: CassandraStorage) -> list[str]:
        """Law 3, as the facts in the store say."""
        states: dict[str, PublicationState] = {}
        for key in {need.publication for need in self.needs.values()}:
            state = states[key] = PublicationState(key)
            for stored in await storage.store.rows(key):
                fact = read_row(stored)
                if isinstance(fact, StateRow):
                    state.add(fact)
        found = []
        for name, need in self.needs.items():
            answers = states[need.publication].answers.get(name)
            if answers is None or answers.done is None:
                found.append(name)
        return found


async def new_topics(kafka: str) -> KafkaPlace:
    """Topics that nobody else uses."""
    place = KafkaPlace.at(kafka, prefix=f"t{secrets.token_hex(4)}.")
    await apply(place)
    return place


async def watched(
    kafka: KafkaPlace,
    lines: Sequence[Line],
    seen: Callable[[Job], Awaitable[None]],
    lane: LaneName = "interactive",
) -> Job:
    """Submit the lines and watch until each has its outcome and its record.

    :param seen: called whenever something was said, and every so often
    """
    clock = SystemClock()
    job = Job(kafka, new_job(clock))
    names = [
        name
        for topic in topics()
        if topic.topic.partition(".")[0] in (*_COUNTED, "submissions-settled")
        for name in topic.names()
    ]
    async with following(kafka, names, from_the_start=True) as follower:
        async with Sender(kafka, clock.now_ms) as sender:
            count = await submit(sender, job.name, requests_of(job.name, lines, lane))
        async for batch in follower.batches():
            for event in batch:
                job.hear(event)
            await seen(job)
            if job.is_over(count):
                return job
    raise AssertionError("the topics ended")


def asked(log: Log) -> Counter[tuple[str, str]]:
    """How often each identifier was asked for at each resource."""
    return Counter(
        (entry.resource, one.lower() if one.startswith("10.") else one)
        for entry in log.entries
        for one in entry.ids
    )


def _unnumbered(value: Any) -> Any:
    """Without the number that a finding has within its answer: a resource that is asked while others have not answered
    yet says more than one that is asked later, so the numbers depend on how fast others were. Nothing else does."""
    if isinstance(value, dict):
        return {
            name: tuple(inner)[:-1] if name == "place" and inner else _unnumbered(inner)
            for name, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return type(value)(_unnumbered(inner) for inner in value)
    return value


def differences(wanted: Table, found: Table) -> dict[int, Any]:
    """For each line that differs, what: (wanted, found) by member of the record."""
    different: dict[int, Any] = {}
    given = _unnumbered(found)
    for number, expected in _unnumbered(wanted).items():
        got = given.get(number)
        if got == expected:
            continue
        before, after = expected[1] or {}, (got[1] if got is not None else None) or {}
        different[number] = {
            "outcome": (expected[0], got[0] if got is not None else None),
            **{
                name: (before.get(name), after.get(name))
                for name in before.keys() | after.keys()
                if before.get(name) != after.get(name)
            },
        }
    return different


def surplus(more: Counter[tuple[str, str]], fewer: Counter[tuple[str, str]]) -> int:
    """How many questions of the first are too many."""
    return sum((more - fewer).values())


def budgets(folder: Path) -> Path:
    """Budgets that a job of some hundred lines meets, of a second each."""
    path = folder / "budgets.yaml"
    path.write_text("".join(f"{family}: {{requests: {rate}}}\n" for family, rate in RATES.items()))
    return path


RATES: Final = {"europepmc": 60, "annotations": 20, "ncbi": 20, "ncbi_pages": 20, "unpaywall": 30}

FAMILIES: Final = {
    "europepmc": "europepmc",
    "annotations": "annotations",
    "ncbi": "eutils",
    "ncbi_pages": "pubmed_html",
    "unpaywall": "unpaywall",
}
"""What the simulated internet calls them."""


def over_limits(log: Log, connections: int, pauses: int) -> list[str]:
    """Hosts that were asked more than they allow; a pause may cost one connection and one request more."""
    found = [
        f"{host}: {most} connections"
        for host, most in log.connections_most.items()
        if most > connections + pauses and host != "doi.org"
    ]
    found += [
        f"{family}: {log.busiest_window(FAMILIES[family])} requests in a second"
        for family, rate in RATES.items()
        if log.busiest_window(FAMILIES[family]) > rate + pauses
    ]
    return found
