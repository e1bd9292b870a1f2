"""Memory and SQLite do the same thing, whatever is asked of them in whatever order."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from hypothesis import given, settings
from hypothesis import strategies as st

from ports.failing import failing_batch
from ports.shared_contract import Storage
from ports.streams import entry
from pubweave.adapters.memory import MemoryStorage
from pubweave.adapters.sqlite import SqliteStorage
from pubweave.contract.digests import content_digest
from pubweave.ports import Attempt, Row, StoredJob, StoredRecord, StoredSubmission

Step: TypeAlias = Callable[[Storage], Awaitable[Any]]

NAMES = st.sampled_from("abc")
IDENTIFIERS = st.tuples(st.sampled_from(["pmid", "doi"]), st.sampled_from("12"))
BODIES = st.sampled_from([b"", b"x", b"y" * 2000])
OUTCOMES = st.sampled_from(["", "finished", "parked"])
FEW = {"max_size": 3}


def step(name: str, *arguments: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[str, tuple[Any, ...]]]:
    return st.tuples(st.just(name), st.tuples(*arguments))


entries = st.lists(st.builds(entry, st.sampled_from("1234"), NAMES, BODIES), **FEW)
records = st.builds(
    StoredRecord, NAMES, st.integers(1, 4), BODIES, st.just("why"), st.integers(0, 9), st.booleans()
)
jobs = st.builds(
    StoredJob, NAMES, NAMES, st.just(""), st.integers(1, 3), BODIES, st.just(1), st.sampled_from([0, 5])
)
lines = st.builds(StoredSubmission, NAMES, st.integers(0, 3), BODIES, NAMES, BODIES, OUTCOMES)
attempts = st.builds(
    Attempt, NAMES, NAMES, NAMES, OUTCOMES, st.just(200), st.just(1), st.just(2), st.just(3), st.just("")
)
counts = st.dictionaries(st.tuples(NAMES, OUTCOMES), st.integers(1, 3), max_size=2)

STEPS = st.one_of(
    step("log.append", NAMES, entries),
    step("log.commit", NAMES, NAMES, st.integers(0, 5)),
    step("log.erase", NAMES, NAMES),
    step("blobs.put", BODIES),
    step("blobs.delete", BODIES.map(content_digest)),
    step("store.add_rows", NAMES, st.lists(st.builds(Row, st.sampled_from("1234"), BODIES), **FEW)),
    step("store.drop_rows", NAMES),
    step("store.hold", NAMES, st.lists(IDENTIFIERS, **FEW)),
    step("store.release", NAMES, st.lists(IDENTIFIERS, **FEW)),
    step("store.redirect", NAMES, NAMES),
    step("store.put_record", records, st.sampled_from(["publication", "webpage"])),
    step("store.drop_record", NAMES),
    step("store.put_job", jobs),
    step("store.put_submission", lines),
    step("store.put_pending", NAMES, BODIES),
    step("store.drop_pending", st.lists(NAMES, **FEW)),
    step("store.add_attempts", st.lists(attempts, **FEW)),
    step("store.count_needs", counts),
    step("store.book_quota", NAMES, NAMES, st.integers(0, 9)),
    step("store.set_meta", NAMES, NAMES),
)
BATCHES = st.lists(
    st.tuples(st.sampled_from(["alone", "batch", "failing"]), st.lists(STEPS, max_size=6)), max_size=8
)


async def follow(storage: Storage, steps: list[tuple[str, tuple[Any, ...]]]) -> None:
    for name, arguments in steps:
        port, method = name.split(".")
        await getattr(getattr(storage, port), method)(*arguments)


async def everything(storage: Storage) -> dict[str, Any]:
    """All that a storage shows, as far as the ports promise it (offsets may differ)."""
    log, store, blobs = storage.log, storage.store, storage.blobs
    shown: dict[str, Any] = {}
    for name in "abc":
        shown[f"topic {name}"] = [logged.entry for logged in await log.read(name)]
        shown[f"rows {name}"] = await store.rows(name)
        shown[f"meta {name}"] = await store.meta(name), await store.resolve(name)
        shown[f"job {name}"] = await store.job(name), await store.unfinished_job(name)
        shown[f"lines {name}"] = [line async for line in store.submissions(name)], await store.last_line(name)
        shown[f"unsettled {name}"] = [line async for line in store.submissions(name, unsettled=True)]
        shown[f"waiting {name}"] = await store.submissions_of(name)
        shown[f"outcomes {name}"] = await store.outcomes(name)
        for other in "abc":
            shown[f"key {name} {other}"] = [logged.entry for logged in await log.of_key(name, other)]
            shown[f"committed {name} {other}"] = await log.committed(name, other)
            shown[f"quota {name} {other}"] = await store.quota(name, other)
        for kind in ("publication", "webpage"):
            shown[f"record {kind} {name}"] = await store.record(name, kind)
    for kind in ("publication", "webpage"):
        shown[f"records {kind}"] = [record async for record in store.records(kind)], await store.count(kind)
    shown["blobs"] = [await blobs.has(content_digest(body)) for body in (b"", b"x", b"y" * 2000)]
    shown["aliases"] = [alias async for alias in store.aliases()]
    shown["jobs"] = [job async for job in store.jobs()]
    shown["pending"] = sorted(await store.pending())
    shown["counts"] = await store.attempts(), await store.needs()
    return shown


@settings(derandomize=True, max_examples=120, deadline=None)
@given(BATCHES)
def test_memory_and_sqlite_agree(batches: list[tuple[str, list[tuple[str, tuple[Any, ...]]]]]) -> None:
    """After any steps, alone, in batches or in batches that fail, both show the same."""

    async def compare() -> None:
        memory, sqlite = MemoryStorage(), SqliteStorage.in_memory()
        for how, steps in batches:
            for storage in (memory, sqlite):
                if how == "alone":
                    await follow(storage, steps)
                elif how == "batch":
                    async with storage.store.batch():
                        await follow(storage, steps)
                else:
                    before = await everything(storage)
                    async with failing_batch(storage.store):
                        await follow(storage, steps)

                    assert await everything(storage) == before

            assert await everything(memory) == await everything(sqlite)
        await sqlite.close()

    asyncio.run(compare())
