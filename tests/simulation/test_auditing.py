"""The auditor on simulated buses: a whole log has no gap, at no moment; what is lost is named."""

from collections import Counter
from collections.abc import Callable

import pytest

from flow.worlds import arbitrary_world, services
from pubweave.contract.identifier_asked import IdentifierAsked
from pubweave.contract.kinds import Event, kind_of, subject_of
from pubweave.contract.values import Identifiers
from pubweave.runtimes.bus.audit import Table
from simulation import test_identity, test_jobs, test_pages
from simulation.audited import DAY_MS, AuditedSystem, picked
from simulation.running import WILD, WorldDoor, line, settled
from simulation.system import NO_FAULTS, Faults

Loses = Callable[[str, Event], bool]


def nothing(_topic: str, _event: Event) -> bool:
    return False


def world(
    seed: int, faults: Faults, loses: Loses = nothing, drops: Loses = nothing
) -> tuple[AuditedSystem, int]:
    """One publication, three lines of a job."""
    drawn = arbitrary_world(seed)
    system = AuditedSystem(
        seed, list(services({"": drawn})), WorldDoor(), faults=faults, loses=loses, drops=drops
    )
    lines = [line(n, identifiers=drawn.supplied, settings=drawn.settings) for n in range(1, 4)]
    system.submit(*lines)
    system.close_job("job", len(lines))
    return system, len(lines)


def articles(
    seed: int, faults: Faults, loses: Loses = nothing, drops: Loses = nothing
) -> tuple[AuditedSystem, int]:
    """Lines that name few articles by different identifiers: claims, joins, conflicts."""
    lines = test_identity.lines_of(seed)
    system = AuditedSystem(
        seed, test_identity.services(), WorldDoor(), faults=faults, loses=loses, drops=drops
    )
    system.submit(*lines)
    system.close_job("job", len(lines))
    return system, len(lines)


def job(
    seed: int, faults: Faults, loses: Loses = nothing, drops: Loses = nothing
) -> tuple[AuditedSystem, int]:
    """Batches, second chances, and every question waits for a minute first."""
    delay_ms = 60_000 if seed % 2 else 0
    service = test_jobs.service(test_jobs.Healing({"3", "4"}), delay_ms=delay_ms)
    system = AuditedSystem(seed, [service], WorldDoor(), faults=faults, loses=loses, drops=drops)
    system.submit(*(line(n, identifiers=Identifiers(pmid=str(n))) for n in range(1, 11)))
    system.close_job("job", 10)
    return system, 10


def pages(
    seed: int, faults: Faults, loses: Loses = nothing, drops: Loses = nothing
) -> tuple[AuditedSystem, int]:
    """Web pages and docs."""
    system = AuditedSystem(
        seed, [], test_pages.World(), faults=faults, loses=loses, drops=drops, pages=test_pages.PAGES
    )
    system.submit(*test_pages.LINES)
    system.close_job("job", len(test_pages.LINES))
    return system, len(test_pages.LINES)


KINDS = [world, articles, job, pages]


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize("faults", [NO_FAULTS, WILD])
async def test_a_whole_log_has_no_gap_at_any_moment(
    make: Callable[..., tuple[AuditedSystem, int]], faults: Faults
) -> None:
    """Whatever happens to the machines: what is not settled is on its way, and somebody is named who has it."""
    looks = 0
    for seed in range(16):
        system, count = make(seed, faults)
        steps = 0
        while await system.step():
            steps += 1
            if steps % 7:
                continue
            looks += 1
            found = system.audit()
            assert found.gaps == (), f"seed {seed} after {steps} steps"
            (told,) = found.jobs or system.audit(job="job").jobs
            assert told.lines == sum(told.settled.values()) + told.on_their_way
            assert bool(told.on_their_way) == bool(found.waiting)
            assert told.lines == count
        at_rest = system.audit(later_ms=DAY_MS)
        assert (at_rest.gaps, at_rest.waiting, at_rest.jobs, at_rest.over) == ((), (), (), 1), f"seed {seed}"
    assert looks > 100


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize("how", ["loses", "drops"])
async def test_whatever_is_lost_and_hangs_a_line_is_named(
    make: Callable[..., tuple[AuditedSystem, int]], how: str
) -> None:
    """A message passed unheard, or lost when it was said: exactly the lines that have no outcome hang, each with its
    gap, which names the message or who waits for it."""
    hung = Counter[str]()
    for seed in range(120):
        system, count = make(seed, NO_FAULTS, **{how: picked(seed, 0.04)})
        await system.run()
        found = system.audit(later_ms=DAY_MS)
        without = {f"job.{number:09d}" for number in range(1, count + 1)} - {
            f"job.{number:09d}" for number in settled(system)
        }
        missing = sum(one.missing for one in found.jobs)
        named = {name for gap in found.gaps for name in gap.lines}
        assert len(without) == len(named) + missing, f"seed {seed}: {system.lost}, {found}"
        assert named <= without, f"seed {seed}: {system.lost}, {found}"
        assert found.waiting == (), f"seed {seed}: {system.lost}, {found}"
        assert bool(found.gaps) == bool(without)
        if system.lost is not None and without:
            topic, partition, offset, event = system.lost
            hung[kind_of(event)] += 1
            if how == "loses":
                assert_named(found, topic, partition, offset, event, seed)
    print(how, make.__name__, hung)
    assert sum(hung.values()) > 15, hung


DIRECT = {
    "fetch-requested": "not-entered",
    "needs-part": "not-asked",
    "reply-wanted": "not-answered",
    "reply-received": "not-read",
    "delayed": "not-said-again",
}
"""What hangs where a message of this kind was passed unheard; its place is the gap's."""


def assert_named(found: Table, topic: str, partition: int, offset: int, event: Event, seed: int) -> None:
    kind = DIRECT.get(kind_of(event))
    if kind is not None:
        places = {(gap.kind, gap.topic, gap.partition, gap.offset) for gap in found.gaps}
        assert (kind, topic, partition, offset) in places, f"seed {seed}: {event}, {found.gaps}"
    elif topic in ("part-candidates", "webpages", "new-ids"):
        subject = event.claim.publication if isinstance(event, IdentifierAsked) else subject_of(event)
        assert subject in {gap.publication for gap in found.gaps}, f"seed {seed}: {event}, {found.gaps}"
    else:
        assert {gap.kind for gap in found.gaps} == {"no-second-chance"}, f"seed {seed}: {event}, {found.gaps}"
