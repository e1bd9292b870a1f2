"""Lines that a program gives the library are judged as those that come from Kafka are."""

import pytest

from flow.test_going_on import DownForMany
from pubweave.adapters.sqlite.storage import SqliteStorage
from pubweave.contract.values import Identifiers
from pubweave.core.judging import faults_of_identifiers, tidy_identifiers
from pubweave.runtimes.embedded.explain import status
from pubweave.runtimes.embedded.jobs import JobSettings, Line
from pubweave.runtimes.embedded.system import EmbeddedSystem

BAD = [
    Identifiers(pmid="hello"),
    Identifiers(pmid="20000162 OR ext_id:20000163"),
    Identifiers(pmid="1", doi="10.1"),
    Identifiers(pmid="9" * 30),
    Identifiers(),
]


async def test_what_is_no_identifier_is_refused_with_its_reason() -> None:
    """Nothing is asked for it; the others are asked for, and the numbers add up."""
    storage, door = SqliteStorage.in_memory(), DownForMany()
    lines = [Line(number, each) for number, each in enumerate([*BAD, Identifiers(pmid=" 7 ")], start=1)]
    system = EmbeddedSystem.over(storage, door, resources=("europepmc",), second_chance=False)
    async with system:
        done = {
            one.line: one async for one in system.run_job(lines, JobSettings(idempotency_key="k"), job="job")
        }
        counted = await status(storage.store)
        again = {
            one.line: one.settled
            async for one in system.run_job(lines, JobSettings(idempotency_key="k"), job="job")
        }
    await storage.close()

    for number, each in enumerate(BAD, start=1):
        event = done[number].settled
        why = "; ".join(faults_of_identifiers(tidy_identifiers(each))) or "it names no identifier"
        assert (event.outcome, event.reason, done[number].record) == ("refused", why, None)
    assert done[6].settled.outcome != "refused"
    assert {value for asked in door.asked for value in asked} == {"7"}
    assert counted.submissions["refused"] == len(BAD)
    assert counted.reconciled, counted.differences
    assert {number: one.outcome for number, one in again.items()} == {
        number: one.settled.outcome for number, one in done.items()
    }


@pytest.mark.parametrize("job", ["a job with blanks", "x" * 300])
async def test_a_name_that_is_none_ends_the_lines_too(job: str) -> None:
    """The job ends; each line says why."""
    storage, door = SqliteStorage.in_memory(), DownForMany()
    system = EmbeddedSystem.over(storage, door, resources=("europepmc",), second_chance=False)
    async with system:
        done = [one.settled async for one in system.run_job([Line(1, Identifiers(pmid="1"))], job=job)]
    await storage.close()

    assert [one.outcome for one in done] == ["refused"]
    assert "is no name of a job" in done[0].reason
    assert door.asked == []
