"""Put, get, remove and contains by any identifier (F-DB-10…17, T-113), and fetching over what was put."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flow.worlds import Known, World, services
from pubweave.adapters.clock import ManualClock
from pubweave.adapters.sqlite import SqliteStorage
from pubweave.contract.exchange import Reply
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.values import Identifiers, RunSettings, Thresholds
from pubweave.core.record import Part, Record, decode_record
from pubweave.core.toolkit.service import Context
from pubweave.runtimes.embedded.database import RecordStore
from pubweave.runtimes.embedded.jobs import JobSettings, Line
from pubweave.runtimes.embedded.system import EmbeddedSystem


def record(title: str = "", **ids: str) -> Record:
    parts: dict[str, Any] = {
        kind: Part(type="europepmc", url="u", timestamp=1, size=len(value), text=value)
        for kind, value in ids.items()
    }
    return Record("", fetch_time=5, title=Part(type="europepmc", size=len(title), text=title), **parts)


def database() -> tuple[RecordStore, SqliteStorage]:
    storage = SqliteStorage.in_memory()
    return RecordStore(storage, ManualClock(1_700_000_000_000)), storage


async def aliases(storage: SqliteStorage) -> set[tuple[str, str]]:
    return {(kind, value) async for kind, value, _ in storage.store.aliases()}


async def test_two_that_a_third_joins_become_one() -> None:
    """T-113, F-DB-12: put A (PMID) and B (DOI), then C with both: one is left, under A's key, and it says so."""
    base, storage = database()
    first = await base.put(record("A", pmid="1"))
    await base.put(record("B", doi="10.1/X"))
    third = await base.put(record("C", pmid="1", doi="10.1/X"))

    assert third == first
    assert await storage.store.count() == 1
    assert "one publication" in base.said[0]
    for identifiers in (Identifiers(pmid="1"), Identifiers(doi="10.1/X")):
        found = await base.get(identifiers)
        assert found is not None
        assert found.title.text == "C"
    await storage.close()


async def test_a_known_one_is_overwritten_and_keeps_identifiers_that_the_new_one_lacks() -> None:
    """F-DB-11, F-DB-02: same key, same primary; the PMCID stays in the map."""
    base, storage = database()
    key = await base.put(record("old", pmid="1", pmcid="PMC1"))

    assert await base.put(record("new", pmid="1")) == key
    found = await base.get(Identifiers(pmcid="PMC1"))
    assert found is not None
    assert found.title.text == "new"
    assert found.identifiers == Identifiers(pmid="1", pmcid="PMC1")
    assert (found.primary, found.primary_value) == ("pmid", "1")
    await storage.close()


async def test_a_replaced_identifier_leaves_the_map() -> None:
    """F-DB-13: also when it was the primary one."""
    base, storage = database()
    await base.put(record("old", pmid="1", doi="10.1/X"))
    await base.put(record("new", pmid="2", doi="10.1/X"))

    assert await aliases(storage) == {("pmid", "2"), ("doi", "10.1/X")}
    assert await base.get(Identifiers(pmid="1")) is None
    found = await base.get(Identifiers(pmid="2"))
    assert found is not None
    assert (found.primary, found.primary_value) == ("pmid", "2")
    await storage.close()


async def test_looking_up_goes_by_pmid_first_and_names_contradictions() -> None:
    """F-DB-10."""
    base, storage = database()
    await base.put(record("one", pmid="1", doi="10.1/X"))
    await base.put(record("two", pmid="2"))
    found = await base.get(Identifiers(pmid="2", doi="10.1/X"))

    assert found is not None
    assert found.title.text == "two"
    found = await base.get(Identifiers(pmcid="PMC9", doi="10.1/X"))
    assert found is not None
    assert found.title.text == "one"
    await base.get(Identifiers(pmid="1", doi="10.1/Y"))
    assert base.said[0].startswith("Old ID 10.1/X")
    await storage.close()


async def test_removing_takes_all_its_identifiers_along() -> None:
    """F-DB-14, F-DB-15: what is removed is a tombstone; contains wants every identifier."""
    base, storage = database()
    key = await base.put(record("one", pmid="1", pmcid="PMC1", doi="10.1/X"))

    assert await base.contains(Identifiers(pmid="1", doi="10.1/X"))
    assert not await base.contains(Identifiers(pmid="1", doi="10.1/Y"))
    assert await base.remove(Identifiers(doi="10.1/X")) == 1
    assert await aliases(storage) == set()
    assert await storage.store.count() == 0
    stored = await storage.store.record(key)
    assert stored is not None
    assert stored.removed
    assert stored.version == 2
    assert await base.remove(Identifiers(doi="10.1/X")) == 0
    assert base.said == ["doi 10.1/X is not in the database"]
    await storage.close()


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["", "1", "2"]),
            st.sampled_from(["", "PMC1", "PMC2"]),
            st.sampled_from(["", "10.1/A", "10.1/B"]),
        ).filter(any),
        max_size=8,
    )
)
async def test_map_and_records_always_agree(triplets: list[tuple[str, str, str]]) -> None:
    """F-DB-03: whatever is put, the map is exactly the identifiers of the records, each leading to its own."""
    base, storage = database()
    for number, (pmid, pmcid, doi) in enumerate(triplets):
        await base.put(
            record(
                f"title {number}",
                **{k: v for k, v in {"pmid": pmid, "pmcid": pmcid, "doi": doi}.items() if v},
            )
        )
    records = [decode_record(one.body) async for one in storage.store.records()]
    mapped = {(kind, value): key async for kind, value, key in storage.store.aliases()}

    assert {pair: await storage.store.resolve(key) for pair, key in mapped.items()} == {
        pair: one.publication for one in records for pair in one.identifiers.known()
    }
    await storage.close()


async def test_a_fetch_goes_on_from_what_was_put() -> None:
    """F-CAN-08: a record that was put is completed by the next fetch, not begun anew."""
    base, storage = database()
    await base.put(record("A title put by hand", pmid="1"))
    known = {
        ("europepmc", "pmid", "1"): Known(
            parts=[("title", "europepmc", 30, ()), ("theAbstract", "europepmc", 25, ())]
        )
    }
    world = World(0, Identifiers(pmid="1"), RunSettings(), known)

    class Door:
        async def fetch(self, wanted: ReplyWanted) -> Reply:
            return Reply(outcome="found", url=wanted.request.url, fetched_at=9)

    system = EmbeddedSystem(
        storage, Door(), services({"": world}), Context(), ManualClock(1_700_000_100_000_000)
    )
    wanted = JobSettings(settings=RunSettings(thresholds=Thresholds(abstractMinLength=20)))
    async with system:
        (done,) = [one async for one in system.run_job([Line(1, Identifiers(pmid="1"))], wanted)]

    assert done.record is not None
    assert done.record.title.text == "A title put by hand"
    assert done.record.theAbstract.size == 25
    assert done.settled.version == 2
    await storage.close()


async def test_a_record_without_identifiers_is_refused() -> None:
    base, storage = database()

    with pytest.raises(ValueError, match="needs a PMID"):
        await base.put(record("nobody"))
    await storage.close()
