"""Jobs on the simulated bus: second chances at the end, deadlines, long waits, and that the order of effects matters."""

import pytest

from flow.worlds import Known, question, say
from pubweave.adapters.memory import MemoryStorage
from pubweave.contract.codec import encode
from pubweave.contract.dead_letter import DeadLetter
from pubweave.contract.exchange import Reply, Request, Work
from pubweave.contract.line_standing import LineStanding
from pubweave.contract.values import Identifiers
from pubweave.core.merging.decide import Abilities
from pubweave.core.toolkit.answering import wanted
from pubweave.core.toolkit.service import Batching, Context, Said, Service
from pubweave.runtimes.messages.driving import hear_batch
from pubweave.runtimes.messages.effects import Delivered, Effects
from pubweave.runtimes.messages.groups import PACED
from pubweave.runtimes.messages.merger import Merger
from simulation.clock import SimulatedClock
from simulation.running import WILD, WorldDoor, line, needs, records, settled
from simulation.system import NO_FAULTS, Faults, SimulatedSystem, _Hand, _Place

BATCH = 3


class Healing:
    """A source that fails the first time it is asked for an identifier in a run, and not the second time."""

    def __init__(self, failing: set[str]) -> None:
        self.failing = failing

    def answer(self, kind: str, value: str, run: int) -> Known:
        if value in self.failing and run == 1:
            return Known(outcome="unavailable", success=False, fetch_exception=True)
        return Known(parts=[(kind, "europepmc", value, ()), ("title", "europepmc", 9, ())])


def service(source: Healing, *, delay_ms: int = 0) -> Service:
    """Europe PMC alone, asked in batches; with `delay_ms` every question waits first."""

    def step(work: Work, reply: Reply | None, context: Context) -> list[Said]:
        if reply is None:
            url = "https://world.test/" + ",".join(need.value for need in work.needs)
            return [wanted(Request(url=url), "europepmc", work.needs, delay_ms=delay_ms)]
        said: list[Said] = []
        for need in work.needs:
            _, kind, value = question(need)
            said += say(need, source.answer(kind, value, need.place.run), reply)
        return said

    return Service(name="europepmc", story="Heals.", step=step, batching=Batching(max_needs=BATCH))


async def job(
    seed: int, faults: Faults, *, failing: set[str], delay_ms: int = 0, deadline_at: int = 0
) -> SimulatedSystem:
    system = SimulatedSystem(seed, [service(Healing(failing), delay_ms=delay_ms)], WorldDoor(), faults=faults)
    system.submit(
        *(line(n, identifiers=Identifiers(pmid=str(n)), deadline_at=deadline_at) for n in range(1, 11))
    )
    system.close_job("job", 10)
    await system.run()
    return system


@pytest.mark.parametrize("faults", [NO_FAULTS, WILD])
async def test_an_exception_gets_one_second_chance_when_all_others_have_outcomes(faults: Faults) -> None:
    """F-CAN-09: one further run, before `submission-settled`; retryCounter 1."""
    for seed in range(40):
        system = await job(seed, faults, failing={"3", "4"})
        outcomes = settled(system)
        by_line = {int(record.pmid.text): record for record in (await records(system)).values()}

        assert sorted(outcomes) == list(range(1, 11)), f"seed {seed}"
        assert {n for n, record in by_line.items() if record.retry_counter} == {3, 4}, f"seed {seed}"
        assert not any(record.fetch_exception for record in by_line.values()), f"seed {seed}"
        runs = {need.publication: 0 for need in needs(system).values()}
        for need in needs(system).values():
            runs[need.publication] = max(runs[need.publication], need.place.run)
        assert sorted(runs.values()) == [1] * 8 + [2] * 2, f"seed {seed}"


@pytest.mark.parametrize("faults", [NO_FAULTS, WILD])
async def test_lines_of_one_publication_share_its_second_chance(faults: Faults) -> None:
    """It is asked once more for all lines that name it, and each of them gets what came of it."""
    for seed in range(40):
        system = SimulatedSystem(seed, [service(Healing({"3"}))], WorldDoor(), faults=faults)
        system.submit(*(line(number, identifiers=Identifiers(pmid="3")) for number in (1, 2, 3)))
        system.close_job("job", 3)
        await system.run()
        outcomes = settled(system)
        [(_, record)] = (await records(system)).items()
        first = {need.need for need in needs(system).values() if need.publication == record.publication}

        assert sorted(outcomes) == [1, 2, 3], f"seed {seed}"
        assert {one.outcome for one in outcomes.values()} == {"finished"}, f"seed {seed}"
        assert len({one.version for one in outcomes.values()}) == 1, f"seed {seed}"
        assert not record.fetch_exception, f"seed {seed}"
        assert len(first) == 2, f"seed {seed}"


async def test_a_withheld_line_waits_for_the_last_of_the_others() -> None:
    """No second chance before every other line has its outcome."""
    system = SimulatedSystem(5, [service(Healing({"1"}))], WorldDoor())
    system.submit(line(1, identifiers=Identifiers(pmid="1")))
    await system.run()
    told = [event for event in system.events("jobs") if isinstance(event, LineStanding)]

    assert [one.said for one in told] == ["withheld"]
    assert settled(system) == {}

    system.submit(line(2, identifiers=Identifiers(pmid="2")))
    system.close_job("job", 2)
    await system.run()

    assert sorted(settled(system)) == [1, 2]


@pytest.mark.parametrize("faults", [NO_FAULTS, WILD])
async def test_a_long_wait_is_a_delayed_event(faults: Faults) -> None:
    """Nobody sleeps: what waits for an hour goes through the scheduler, survives crashes, and comes back."""
    for seed in range(20):
        system = await job(seed, faults, failing=set(), delay_ms=3_600_000)

        assert {one.outcome for one in settled(system).values()} == {"finished"}, f"seed {seed}"
        assert system.events("delayed"), f"seed {seed}"
        assert system.clock.now_ms() > 3_600_000, f"seed {seed}"


@pytest.mark.parametrize("faults", [NO_FAULTS, WILD])
async def test_at_its_deadline_a_line_is_parked_and_said(faults: Faults) -> None:
    """What is unfinished then is settled as parked, its needs are cancelled, and a late answer changes nothing."""
    for seed in range(20):
        system = await job(seed, faults, failing=set(), delay_ms=3_600_000, deadline_at=2_000_000)
        outcomes = settled(system)

        assert {(one.outcome, one.reason) for one in outcomes.values()} == {
            ("parked", "not finished at its deadline")
        }, f"seed {seed}"
        assert len(outcomes) == 10


class _RowsFirst(SimulatedSystem):
    """A runtime with the effects in the wrong order: it says what follows after it wrote that it had."""

    def _effects(self, effects: Effects) -> list:  # type: ignore[type-arg]
        first, writes = len(effects.first), len(effects.writes(self.storage.store))
        done = super()._effects(effects)
        return [*done[:first], *done[len(done) - writes :], *done[first : len(done) - writes]]


async def test_the_simulation_notices_effects_in_the_wrong_order() -> None:
    """The faults are real: where rows come before messages, a crash between them loses a line."""
    lost = 0
    for seed in range(30):
        system = _RowsFirst(seed, [service(Healing(set()))], WorldDoor(), faults=WILD)
        system.submit(*(line(n, identifiers=Identifiers(pmid=str(n))) for n in range(1, 11)))
        await system.run()
        lost += 10 - len(settled(system))

    assert lost > 0


async def test_a_poisoned_message_is_put_aside_and_said() -> None:
    """It costs one message: what cannot be read goes to dead letters byte for byte, the rest goes on."""

    storage, clock = MemoryStorage(), SimulatedClock()
    merger = Merger(storage.store, clock, Abilities(frozenset({"europepmc"})))
    good = line(1, identifiers=Identifiers(pmid="1"))
    said: list[object] = []

    async def apply(effects: Effects) -> None:
        said.extend(one.event for one in effects.said)

    aside = await hear_batch(
        merger,
        [
            Delivered("part-candidates", "gate-flag", 1, b"{", "p/1", 7),
            Delivered("part-candidates", "gate-flag", 99, b"{}", "p/2", 8),
            Delivered("fetch-requested.interactive", "fetch-requested", 1, encode(good), good.submission, 9),
            Delivered("new-ids", "fetch-requested", 1, b"x", "", 10, "id is missing"),
        ],
        apply,
        "merger",
        clock.now_ms,
    )
    letters = [one for one in said if isinstance(one, DeadLetter)]

    assert (aside.letters, aside.broken) == (3, 0)
    assert [(one.body, one.key, one.offset) for one in letters] == [
        (b"{", "p/1", 7),
        (b"{}", "p/2", 8),
        (b"x", "", 10),
    ]
    assert letters[2].reason == "id is missing"
    assert any(type(one).__name__ == "SubmissionsEntered" for one in said)


async def steps_until_served(size: int, faults: Faults, in_flight: int) -> int:
    """How much happens until one publication has its outcome that is asked for behind a large job."""
    system = SimulatedSystem(3, [service(Healing(set()))], WorldDoor(), faults=faults, in_flight=in_flight)
    system.submit(
        *(line(n, "large", identifiers=Identifiers(pmid=str(n)), lane="bulk") for n in range(1, size + 1))
    )
    for _ in range(400):
        await system.step()
    system.submit(line(1, "small", identifiers=Identifiers(pmid="77777")))
    steps = 0
    while not any(one.key.startswith("small.") for one in told_of(system)):
        await system.step()
        steps += 1
    assert len(told_of(system)) < size / 2, "the large job was over anyway"
    return steps


@pytest.mark.parametrize("faults", [NO_FAULTS, Faults(crash=0, pause=0, repeat=0.05, rebalance=0.02)])
async def test_one_publication_does_not_wait_behind_a_job_of_ten_thousand(faults: Faults) -> None:
    """Lanes: few of a large job are under way at a time, so whoever asks for one publication is served after a
    bounded number of steps, however large the job is."""
    bounded = await steps_until_served(10_000, faults, in_flight=20)
    unbounded = await steps_until_served(10_000, faults, in_flight=1_000_000)

    assert bounded < 500
    assert unbounded > 2 * bounded, "it is the bound that does it"


async def test_a_large_job_ends_however_few_of_it_are_under_way() -> None:
    """Also where lines wait for their second chance, which hold the places of others for a while only."""
    failing = {str(n) for n in range(1, 11)}
    system = SimulatedSystem(4, [service(Healing(failing))], WorldDoor(), faults=WILD, in_flight=3)
    system.submit(*(line(n, identifiers=Identifiers(pmid=str(n)), lane="bulk") for n in range(1, 41)))
    system.close_job("job", 40)
    await system.run()

    assert sorted(settled(system)) == list(range(1, 41))


STANDSTILL = WILD._replace(still=0.15)
"""Members stop for so long that others have their partitions, and then go on with what they have in hand."""


async def test_a_large_job_loses_no_line_whoever_stands_still() -> None:
    """And moves offsets back when it goes on: lines are heard again, and each has one outcome."""
    heard_late = 0
    for seed in range(20):
        system = SimulatedSystem(
            seed, [service(Healing({"7"}))], WorldDoor(), faults=STANDSTILL, in_flight=12, members=3
        )
        system.submit(*(line(n, identifiers=Identifiers(pmid=str(n)), lane="bulk") for n in range(1, 31)))
        system.close_job("job", 30)
        await system.run()
        heard_late += system.heard_late

        assert sorted(settled(system)) == list(range(1, 31))
    assert heard_late > 0


class _Dropping(SimulatedSystem):
    """Drops what it has in hand of a partition that it holds back, and goes on behind it: as Faust does."""

    def _read_ahead(self, place: _Place, hand: _Hand, most: int) -> None:
        super()._read_ahead(place, hand, most)
        if place.topic == PACED["merger"].topic:
            while len(hand.messages) > self._at_once:
                hand.messages.pop()


async def test_the_simulation_notices_what_is_dropped_in_hand() -> None:
    """Members read ahead for real: where that is lost, lines are, without any other fault."""
    system = _Dropping(1, [service(Healing(set()))], WorldDoor(), faults=NO_FAULTS, in_flight=3)
    system.submit(*(line(n, identifiers=Identifiers(pmid=str(n)), lane="bulk") for n in range(1, 101)))
    await system.run()

    assert 0 < len(settled(system)) < 100


def told_of(system: SimulatedSystem) -> list[Delivered]:
    return [one for partition in system.log.get("submissions-settled", []) for one in partition]


async def test_lines_whose_end_others_hear_hold_no_place() -> None:
    """When partitions move, the places of their lines are free at once; those of the others are kept."""
    storage = MemoryStorage()
    merger = Merger(storage.store, SimulatedClock(), Abilities(frozenset({"europepmc"})), in_flight=2)
    lines = [line(n, identifiers=Identifiers(pmid=str(n)), lane="bulk") for n in (1, 2)]
    for one in lines:
        await merger.hear("fetch-requested.bulk", one, Effects())
    assert merger.room() == 0

    merger.keep_places(lambda submission: submission == lines[0].submission)

    assert merger.room() == 1
