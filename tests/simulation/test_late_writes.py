"""Members that stood still write late that an identifier leads to a publication that has let it go: nobody waits for ever,
and it leads there no more."""

from pubweave.adapters.memory import MemoryStorage
from pubweave.contract.identifier_asked import IdentifierAsked
from pubweave.contract.new_id import NewId
from pubweave.core.merging.decide import Abilities
from pubweave.runtimes.messages.effects import Effects
from pubweave.runtimes.messages.merger import Merger
from pubweave.runtimes.messages.publication import Judged, as_row, asked_key
from simulation.clock import SimulatedClock

FIRST, SECOND = "job.000000001", "job.000000002"
DOI = ("doi", "10.1/B")


def merger(storage: MemoryStorage) -> Merger:
    return Merger(storage.store, SimulatedClock(), Abilities(frozenset({"europepmc"})))


def released(round_: int) -> NewId:
    return NewId(publication=FIRST, id_kind="doi", value=DOI[1], said="released", round=round_)


CLAIM = NewId(publication=SECOND, id_kind="doi", value=DOI[1], said="claimed")


async def done(effects: Effects, storage: MemoryStorage) -> None:
    for write in effects.writes(storage.store):
        await write()


async def test_a_claim_that_comes_once_more_to_who_has_released_is_sent_on_once_more() -> None:
    """What was said of it the first time was undone by a late write, and the claimant has no answer."""
    storage = MemoryStorage()
    asked = IdentifierAsked(publication=FIRST, claim=CLAIM)
    await storage.store.add_rows(
        FIRST, [as_row(row) for row in (released(2), asked, Judged(asked_key(asked)))]
    )
    effects = Effects()
    await merger(storage).owner.hear(asked, effects)

    assert [said.event for said in effects.said] == [released(3), CLAIM]


async def test_a_release_is_done_whatever_is_in_memory() -> None:
    """The owner of an identifier knows that nobody holds it, or another; the store says who has released it."""
    for holds_it in ("", SECOND):
        storage = MemoryStorage()
        owner = merger(storage)
        await storage.store.hold(FIRST, [DOI])
        said = [released(1), *([CLAIM] if holds_it else [])]
        for event in said:
            effects = Effects()
            await owner.hear("new-ids", event, effects)
            await done(effects, storage)
        await storage.store.hold(FIRST, [DOI])  # late
        effects = Effects()
        await owner.hear("new-ids", released(2), effects)
        await done(effects, storage)

        assert (await storage.store.holders([DOI])).get(DOI, "") == holds_it


async def test_who_has_it_by_then_keeps_it() -> None:
    """A release that comes late itself takes nothing from whom the identifier leads to."""
    storage = MemoryStorage()
    owner = merger(storage)
    await storage.store.hold(SECOND, [DOI])
    effects = Effects()
    await owner.hear("new-ids", released(1), effects)
    await done(effects, storage)

    assert await storage.store.holders([DOI]) == {DOI: SECOND}
