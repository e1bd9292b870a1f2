"""A run in which no request reached a host is no fetch on the bus either, whatever is repeated and whatever crashes."""

import pytest

from pubweave.contract.exchange import Reply
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.resource_done import ResourceDone
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.values import Identifiers
from pubweave.core.merging.reach import UNREACHED
from pubweave.resources.europepmc import SERVICE
from simulation.running import WILD, line, records
from simulation.system import NO_FAULTS, Faults, SimulatedSystem


class DownDoor:
    """No answer ever; `unreached` says whether a request got as far as a host."""

    def __init__(self, unreached: bool) -> None:
        self.unreached = unreached

    async def fetch(self, wanted: ReplyWanted) -> Reply:
        return Reply(outcome="unavailable", url=wanted.request.url, fetched_at=5, unreached=self.unreached)


@pytest.mark.parametrize("faults", [NO_FAULTS, WILD])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("unreached", [True, False])
async def test_only_what_reached_a_host_is_counted(seed: int, unreached: bool, faults: Faults) -> None:
    """Four times asked for and never reached, each line is parked with nothing counted, and asked for the next time; where
    hosts were reached, it is a fetch as ever."""
    system = SimulatedSystem(seed, [SERVICE], DownDoor(unreached), faults=faults)
    for job in ("one", "two", "three", "four"):
        system.submit(*(line(n, job, identifiers=Identifiers(pmid=str(n))) for n in range(1, 6)))
        system.close_job(job, 5)
        await system.run()
    done = [one for one in system.events("part-candidates") if isinstance(one, ResourceDone)]
    ends = {
        (one.job, one.line): one
        for one in system.events("submissions-settled")
        if isinstance(one, SubmissionSettled)
    }
    times = [record.fetch_time for record in (await records(system)).values()]

    assert len(ends) == 20
    assert {one.unreached for one in done} == {unreached}
    if unreached:
        assert {(one.outcome, one.reason) for one in ends.values()} == {("parked", UNREACHED)}
        assert not any(times)
        assert all(one.fetched for one in ends.values())
    else:
        assert len(times) == 5
        assert all(times)
