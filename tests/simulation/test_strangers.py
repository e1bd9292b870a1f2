"""Messages of strangers among those of the system: each has one outcome or is one dead letter, and nothing stops."""

import json
import random
from typing import Any

import pytest

from core.test_judging import LANE
from pubweave.contract.dead_letter import DeadLetter
from pubweave.contract.exchange import Reply
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.values import Identifiers
from pubweave.runtimes.messages.effects import Delivered
from simulation.running import WILD, WorldDoor, line, needs, settled
from simulation.system import NO_FAULTS, Faults, SimulatedSystem
from simulation.test_jobs import Healing, service
from simulation.test_pages import HOST, PAGES, World

BAD = ["hello", "20000162 OR ext_id:20000163", "", "0", "9" * 30, "\x1b]0;x\x07"]


def message(number: int, **members: Any) -> Delivered:
    body = json.dumps({"kind": "fetch-requested", "job": "job", "line": number, **members}).encode()
    return Delivered(LANE, "fetch-requested", 1, body, f"job.{number:09d}/x")


@pytest.mark.parametrize("faults", [NO_FAULTS, WILD])
@pytest.mark.parametrize("seed", range(5))
async def test_every_line_ends_among_strangers(seed: int, faults: Faults) -> None:
    """Good lines finish, bad ones are refused, what is no line is put aside, and the job ends; whatever crashes."""
    rng = random.Random(seed)
    system = SimulatedSystem(seed, [service(Healing(set()))], WorldDoor(), faults=faults)
    good = [line(n, identifiers=Identifiers(pmid=str(n))) for n in range(1, 6)]
    strange = [message(10 + n, identifiers={"pmid": value}) for n, value in enumerate(BAD)]
    noise = [
        Delivered(
            rng.choice([LANE, "part-candidates", "webpages", "new-ids", "jobs"]), "", 0, rng.randbytes(9)
        )
        for _ in range(60)
    ]
    for one in (*strange, *noise):
        system.deliver(one, rng.randrange(3))
    system.submit(*good)
    system.close_job("job", len(good) + len(strange))
    await system.run()

    outcomes = {number: one.outcome for number, one in settled(system).items()}
    letters = {
        (one.topic, one.offset) for one in system.events("dead-letters") if isinstance(one, DeadLetter)
    }

    assert outcomes == {
        **{one.line: "finished" for one in good},
        **{10 + n: "refused" for n in range(len(BAD))},
    }
    assert {need.value for need in needs(system).values()} == {one.identifiers.pmid for one in good}
    assert len(letters) <= len(noise) <= len(system.events("dead-letters"))
    if faults == NO_FAULTS:
        assert await system.storage.store.rows("job:job") == [], "the job is over"


async def test_a_line_that_is_taken_keeps_its_outcome() -> None:
    """A stranger who sends nonsense under the name of somebody's line does not take its outcome from it."""
    system = SimulatedSystem(1, [service(Healing(set()))], WorldDoor(), faults=NO_FAULTS)
    system.submit(line(1, identifiers=Identifiers(pmid="1")))
    await system.run()
    system.deliver(message(1, identifiers={"pmid": "hello"}))
    await system.run()

    assert settled(system)[1].outcome == "finished"
    assert len(system.events("dead-letters")) == 1


async def test_a_line_that_is_meant_beyond_doubt_is_said_again_as_it_is_written() -> None:
    """What came is taken out of the log, so that an erasure, which knows the line as it is written, leaves nothing."""
    system = SimulatedSystem(1, [service(Healing(set()))], WorldDoor(), faults=NO_FAULTS)
    system.deliver(message(1, identifiers={"doi": "doi:10.1/abc"}), system._partition("job.000000001"))
    await system.run()

    assert settled(system)[1].outcome == "finished"
    assert {need.value for need in needs(system).values()} == {"10.1/ABC"}
    assert [one.identifiers.doi for one in system.kept(LANE) if isinstance(one, FetchRequested)] == [
        "10.1/ABC"
    ]


class _Refusing(World):
    async def fetch(self, wanted: Any) -> Reply:
        return Reply(
            "refused-address", wanted.request.url, evidence="10.0.0.1 is a private address", fetched_at=5
        )


async def test_a_refused_address_is_told_in_the_outcome_of_its_line() -> None:
    """Nobody asked it, so it did not finish."""
    system = SimulatedSystem(1, [], _Refusing(), pages=PAGES, faults=NO_FAULTS)
    system.submit(line(1, entry="webpage", url=f"{HOST}/good"))
    await system.run()
    told = settled(system)[1]

    assert told.outcome == "refused"
    assert "10.0.0.1 is a private address" in told.reason
