"""What is looked up side by side before a batch is heard changes nothing but the time it takes, and effects keep their
order."""

from collections.abc import Iterable, Sequence
from typing import Any

from pubweave.adapters.memory import MemoryStorage
from pubweave.contract.codec import encode, version_of
from pubweave.contract.dead_letter import DeadLetter
from pubweave.contract.kinds import Event, kind_of
from pubweave.contract.new_id import NewId
from pubweave.contract.submissions_entered import SubmissionsEntered
from pubweave.contract.values import Identifiers
from pubweave.core.merging.decide import Abilities
from pubweave.ports import Row
from pubweave.runtimes.messages.driving import PutAside, hear_batch
from pubweave.runtimes.messages.effects import Delivered, Effects, Write
from pubweave.runtimes.messages.merger import Merger
from pubweave.runtimes.messages.publication import Taken
from simulation.clock import SimulatedClock
from simulation.running import line

ABILITIES = Abilities(frozenset({"europepmc"}))


class _Blind(Merger):
    """Looks everything up when it hears of it."""

    async def foresee(self, messages: Sequence[tuple[str, Event]]) -> None:
        pass


def delivered(topic: str, event: Event, offset: int = 0) -> Delivered:
    return Delivered(topic, kind_of(event), version_of(event), encode(event), offset=offset)


async def heard(
    merger: Merger, storage: MemoryStorage, batch: Sequence[Delivered]
) -> tuple[PutAside, list[Any]]:
    """How many were put aside, and what was said; what follows is written."""
    said: list[Any] = []

    async def apply(effects: Effects) -> None:
        for write in effects.first:
            await write()
        said.extend(one.event for one in effects.said)
        for write in effects.writes(storage.store):
            await write()

    return await hear_batch(merger, batch, apply, "merger", lambda: 0), said


def claim(publication: str, value: str, said: Any = "claimed", **others: Any) -> NewId:
    return NewId(publication=publication, id_kind="doi", value=value, said=said, **others)


async def test_a_batch_that_is_foreseen_says_the_same() -> None:
    """Lines whose identifiers somebody holds, a line that comes twice, claims of one identifier one after the other,
    and findings about publications that are in the store only."""
    lines = [line(n, identifiers=Identifiers(doi=f"10.1/{n % 3}")) for n in (1, 2, 3, 4, 1)]
    entered = [
        SubmissionsEntered(publication=one.submission, lines=(one,), entered_at=5) for one in lines[:2]
    ]
    batches = [
        [delivered("part-candidates", entered[0])],
        [
            *(delivered("fetch-requested.interactive", one) for one in lines),
            delivered("new-ids", claim("a", "10.1/9")),
            delivered("new-ids", claim("b", "10.1/9")),
            delivered("new-ids", claim("a", "10.1/9", "released", round=1)),
            delivered("new-ids", claim("b", "10.1/9", round=1)),
            *(delivered("part-candidates", one) for one in entered),
        ],
        [*(delivered("fetch-requested.interactive", one) for one in lines)],
    ]
    found = []
    for kind in (Merger, _Blind):
        storage, clock = MemoryStorage(), SimulatedClock()
        await storage.store.hold("elder", [("doi", "10.1/2")])
        # A new one for each batch, as after partitions have moved: it knows nothing.
        said = [await heard(kind(storage.store, clock, ABILITIES), storage, batch) for batch in batches]
        keys = sorted({one.publication for one in entered} | {"elder"})
        rows = [await storage.store.rows(key) for key in keys]
        found.append((said, rows, await storage.store.holders([("doi", "10.1/9"), ("doi", "10.1/2")])))

    assert found[0] == found[1]
    assert found[0][2] == {("doi", "10.1/9"): "b", ("doi", "10.1/2"): "elder"}
    assert any(one.publication == "elder" for one in found[0][0][1][1] if isinstance(one, SubmissionsEntered))


async def test_what_breaks_while_looking_ahead_costs_one_message() -> None:
    """A publication whose rows cannot be read: what is heard of it is put aside, what is heard of others is not."""
    storage, clock = MemoryStorage(), SimulatedClock()
    broken, sound = (
        SubmissionsEntered(publication=one.submission, lines=(one,), entered_at=5)
        for one in (line(1, identifiers=Identifiers(pmid="1")), line(2, identifiers=Identifiers(pmid="2")))
    )
    await storage.store.add_rows(broken.publication, [Row("1", b"needs-part 1 {")])
    aside, said = await heard(
        Merger(storage.store, clock, ABILITIES),
        storage,
        [delivered("part-candidates", broken, 1), delivered("part-candidates", sound, 2)],
    )

    assert (aside.letters, aside.broken) == (1, 1)
    assert [one.offset for one in said if isinstance(one, DeadLetter)] == [1]
    assert {getattr(one, "publication", "") for one in said} - {""} == {sound.publication}
    assert await storage.store.rows(sound.publication)


async def test_effects_of_one_name_keep_their_order_before_all_rows() -> None:
    """Two batches of effects become one: of one identifier the later word counts, and rows come last."""
    done: list[str] = []

    def noted(word: str) -> Write:
        async def write() -> None:
            done.append(word)

        return write

    class _Rows:
        async def add_rows(self, publication: str, rows: Iterable[Row]) -> None:
            done.append("rows")

    first, second = Effects(), Effects()
    first.follow("doi:10.1/a", noted("hold a"))
    first.then.append(noted("then"))
    first.keep("p", Taken("request"))
    second.follow("doi:10.1/b", noted("hold b"))
    second.follow("doi:10.1/a", noted("release a"))
    second.last.append(noted("last"))
    first.add(second)
    for write in first.writes(_Rows()):  # type: ignore[arg-type]
        await write()

    assert done.index("hold a") < done.index("release a") < done.index("then")
    assert done[-3:] == ["then", "rows", "last"]
    assert sorted(done) == sorted(["hold a", "hold b", "release a", "then", "rows", "last"])
