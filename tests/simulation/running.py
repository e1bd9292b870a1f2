"""Running worlds on the simulated bus."""

from collections import Counter
from typing import Any

from flow.worlds import question
from pubweave.contract.exchange import Reply
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.core.record import Record, decode_record
from simulation.system import Faults, SimulatedSystem

WILD = Faults(crash=0.1, pause=0.06, repeat=0.1, rebalance=0.05, still=0.05)
"""Far worse than any cluster."""


class WorldDoor:
    """Answers whatever is asked; what is found there, the services of a world know."""

    async def fetch(self, wanted: ReplyWanted) -> Reply:
        return Reply(outcome="found", url=wanted.request.url, fetched_at=5)


def needs(system: SimulatedSystem) -> dict[str, NeedsPart]:
    """Every need that was sent, once."""
    found: dict[str, NeedsPart] = {}
    for topic in system.log:
        if topic.startswith("needs-part."):
            for need in system.events(topic):
                assert isinstance(need, NeedsPart)
                assert found.setdefault(need.need, need) == need, "one place, two questions"
    return found


def asks(system: SimulatedSystem) -> Counter[tuple[str, str, str]]:
    return Counter(question(need) for need in needs(system).values())


def settled(system: SimulatedSystem) -> dict[int, SubmissionSettled]:
    """By line; the same word twice is once, two different words are a failure."""
    found: dict[int, SubmissionSettled] = {}
    for one in system.events("submissions-settled"):
        assert isinstance(one, SubmissionSettled)
        before = found.setdefault(one.line, one)
        assert (before.outcome, before.publication, before.version) == (
            one.outcome,
            one.publication,
            one.version,
        ), f"line {one.line} was settled twice: {before}, {one}"
    return found


async def records(system: SimulatedSystem) -> dict[str, Record]:
    return {one.publication: decode_record(one.body) async for one in system.storage.store.records()}


async def stored_rows(system: SimulatedSystem, publication: str) -> list[Any]:
    return await system.storage.store.rows(publication)


def line(number: int, job: str = "job", **kwargs: Any) -> FetchRequested:
    return FetchRequested(job=job, line=number, submitted_at=number, **kwargs)
