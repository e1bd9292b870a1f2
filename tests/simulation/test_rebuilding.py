"""The store can be lost: what was said is enough to make it anew."""

from typing import Any

import pytest

from pubweave.adapters.memory import MemoryStorage
from pubweave.contract.catalogue import topics
from pubweave.contract.examples import EXAMPLES
from pubweave.contract.kinds import Event, kind_of
from pubweave.core.merging.decide import Abilities, record_of, walk
from pubweave.core.merging.state import PublicationState, StateRow
from pubweave.ports import Store
from pubweave.runtimes.messages.publication import NO_EVENTS, Publication, read_row
from pubweave.runtimes.messages.rebuilding import CLAIMS, FACTS, Rebuilder, is_decided, rows_of
from simulation.running import WILD
from simulation.system import NO_FAULTS, Faults, SimulatedSystem
from simulation.test_identity import ASKED, lines_of, simulated

RUNS = 40


async def rebuilt(system: SimulatedSystem) -> Store:
    """As `pubweave rebuild --everything` reads: what owners decided, facts, claims."""
    storage = MemoryStorage()
    rebuilder = Rebuilder(storage.store)
    names = [name for topic in topics() if topic.topic.partition(".")[0] in FACTS for name in topic.names()]
    for event in system.events("part-candidates"):
        if is_decided(event):
            await rebuilder.take("part-candidates", event)
    for name in names:
        for event in system.events(name):
            await rebuilder.take(name, event)
    for event in system.events(CLAIMS):
        await rebuilder.take(CLAIMS, event)
    await rebuilder.hold()
    return storage.store


async def standing(store: Store, key: str) -> tuple[Any, ...]:
    """What a publication's rows come to: its record, who it is, and how its needs ended."""
    state = PublicationState(key)
    for row in await store.rows(key):
        fact = read_row(row)
        if isinstance(fact, StateRow):
            state.add(fact)
    outcomes = {name: answers.done and answers.done.outcome for name, answers in state.answers.items()}
    if state.survivor:
        return state.survivor, outcomes
    record = record_of(state, walk(state, Abilities(frozenset(ASKED))))  # type: ignore[arg-type]
    return record, state.claims, state.runs, set(state.sent), outcomes


@pytest.mark.parametrize("faults", [NO_FAULTS, WILD])
async def test_state_identity_and_lines_come_back_from_what_was_said(faults: Faults) -> None:
    """Records, who holds which identifier, who became part of whom, how needs and lines ended: whatever happened while
    they were written first."""
    for seed in range(RUNS):
        lines = lines_of(seed)
        system = await simulated(seed, lines, faults)
        before, after = system.storage.store, await rebuilt(system)
        for line in lines:
            key = line.submission
            kept = {row.id for row in await before.rows(key) if not row.id.startswith(NO_EVENTS)}
            assert kept <= {row.id for row in await after.rows(key)}, f"seed {seed}: a fact was not said"
            assert await standing(after, key) == await standing(before, key), f"seed {seed}, {key}"
            assert await after.resolve(key) == await before.resolve(key), f"seed {seed}"
            was, made = await before.submission("job", line.line), await after.submission("job", line.line)
            assert was is not None
            assert made is not None
            assert (made.body, made.publication, made.outcome) == (was.body, was.publication, was.outcome)
        assert [one async for one in after.aliases()] == [one async for one in before.aliases()], (
            f"seed {seed}"
        )
        assert await after.outcomes("job") == await before.outcomes("job"), f"seed {seed}"


@pytest.mark.parametrize(
    "event", [event for examples in EXAMPLES.values() for event in examples.values()], ids=kind_of
)
def test_an_owner_can_read_every_row_that_is_made_anew(event: Event) -> None:
    """Whatever stands on the topics of facts: a row that is none of its own would be its end."""
    for key, row in rows_of(event):
        if not key.startswith("job:"):
            Publication(key).add(read_row(row))
