"""On the simulated bus every publication gets the record of the sequential chain, for the same questions."""

from collections import Counter

import pytest

from flow.oracle import Oracle
from flow.test_oracle import expected, seen
from flow.worlds import arbitrary_world, services
from pubweave.core.merging.state import PublicationState, StateRow
from pubweave.runtimes.messages.publication import read_row
from simulation.running import WILD, WorldDoor, asks, line, needs, records, settled, stored_rows
from simulation.system import NO_FAULTS, Faults, SimulatedSystem

RUNS = 300


async def run(seed: int, faults: Faults, *, second_chance: bool = False) -> SimulatedSystem:
    world = arbitrary_world(seed)
    system = SimulatedSystem(
        seed, services({"": world}), WorldDoor(), faults=faults, second_chance=second_chance
    )
    system.submit(line(1, identifiers=world.supplied, settings=world.settings))
    system.close_job("job", 1)
    await system.run()
    return system


@pytest.mark.parametrize("block", range(4))
async def test_whatever_happens_the_record_is_that_of_the_sequential_chain(block: int) -> None:
    """Crashes, repeats, rebalances and late effects change neither a record nor what is asked (P-20, P-21)."""
    crashes = late = 0
    for seed in range(block * RUNS // 4, (block + 1) * RUNS // 4):
        oracle = Oracle(arbitrary_world(seed))
        wanted = expected(oracle)
        system = await run(seed, WILD)
        (record,) = (await records(system)).values()

        assert seen(record) == wanted, f"world {seed}"
        assert asks(system) == Counter(oracle.asks), f"world {seed}"
        assert list(settled(system)) == [1], f"world {seed}"
        crashes += system.crashes
        late += system.late_effects

    assert crashes > RUNS
    assert late > RUNS / 4


async def test_every_need_has_exactly_one_outcome() -> None:
    """Law 3: whatever was sent and answered how often, one outcome is accepted for each need."""
    for seed in range(100):
        system = await run(seed, WILD)
        for publication in await records(system):
            state = PublicationState(publication)
            for stored in await stored_rows(system, publication):
                row = read_row(stored)
                if isinstance(row, StateRow):
                    state.add(row)
            done = {name for name, answers in state.answers.items() if answers.done is not None}

            assert done == set(needs(system)), f"world {seed}"
            assert set(state.sent) == set(needs(system)), f"world {seed}"


async def test_a_seed_replays() -> None:
    """The same seed: the same steps and the same messages at the same places."""
    one, other = await run(7, WILD), await run(7, WILD)

    assert one.history == other.history
    assert one.log == other.log
    assert one.history != (await run(8, WILD)).history


async def test_without_faults_everything_is_said_once() -> None:
    """The repeats of the other tests come from the faults, not from the handlers."""
    for seed in range(30):
        system = await run(seed, NO_FAULTS)
        for topic, partitions in system.log.items():
            keys = [one.key for partition in partitions for one in partition]
            if topic not in ("publications", "part-candidates"):
                assert len(keys) == len(set(keys)), f"world {seed}: {topic}"
