"""What Cassandra promises beyond the ports: who wins, what a crash may repeat, the schema, and the views."""

import asyncio
from collections.abc import AsyncIterator
from datetime import date
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings

from ports.store_contract import record, submission
from ports.test_agreement import BATCHES, everything, follow
from pubweave.adapters.cassandra import CassandraPlace, CassandraStorage, migrate
from pubweave.adapters.cassandra.__main__ import main
from pubweave.adapters.cassandra.migrations import Migration, known
from pubweave.adapters.cassandra.session import Lookups, RowsAtOnce, Session
from pubweave.adapters.clock import ManualClock
from pubweave.adapters.memory import MemoryLog, MemoryStorage
from pubweave.ports import Attempt, Blobs, Log, Row, StorageProblem, Store
from stack.keyspaces import Emptied, drop
from stack.records import FULL, TITLE, stored
from stack.storages import cassandra, emptied, on_cassandra, place, storage

__all__ = ["cassandra", "emptied", "place", "storage"]

pytestmark = on_cassandra

USUAL = RowsAtOnce()
"""What goes together where the server does not say how much may."""


async def all_of(rows: AsyncIterator[Any]) -> list[Any]:
    return [row async for row in rows]


def another_process(storage: CassandraStorage, writer: str = "another") -> CassandraStorage:
    """What another process that opened the same keyspace has; nothing in memory is shared."""
    return CassandraStorage(storage.session, writer)


class WithLog(NamedTuple):
    """Store and blobs with a log in memory, for comparing."""

    store: Store
    blobs: Blobs
    log: Log


@settings(
    derandomize=True,
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(batches=BATCHES)
async def test_memory_and_cassandra_agree(
    emptied: Emptied, batches: list[tuple[str, list[tuple[str, tuple[Any, ...]]]]]
) -> None:
    """After any steps, alone or in batches, both show the same."""
    memory, opened = MemoryStorage(), await emptied.storage()
    ours = WithLog(opened.store, opened.blobs, MemoryLog())
    for _, steps in batches:
        wanted = [step for step in steps if not step[0].startswith("log.")]
        for one in (WithLog(memory.store, memory.blobs, MemoryLog()), ours):
            async with one.store.batch():
                await follow(one, wanted)

    assert await everything(ours) == await everything(WithLog(memory.store, memory.blobs, MemoryLog()))


# Who wins.


async def test_an_older_writer_never_hides_a_newer_record(storage: CassandraStorage) -> None:
    """An owner that was away writes what it still knows, whatever the clocks say: nobody sees it, not in the
    record, not in the lists, not in a long body's parts."""
    old = another_process(storage).store
    long = [bytes([number]) * 600_000 for number in (1, 2)]
    await storage.store.put_record(record("p", 5, long[1]))
    await storage.store.put_record(record("q", 5, b"", removed=True))
    await old.put_record(record("p", 4, long[0]))
    await old.put_record(record("q", 4, b"{}"))
    found = await storage.store.record("p"), await storage.store.record("q")

    assert found == (record("p", 5, long[1]), record("q", 5, b"", removed=True))
    assert await all_of(storage.store.records()) == [record("p", 5, long[1])]
    assert await storage.store.count() == 1


async def test_old_versions_do_not_pile_up(storage: CassandraStorage) -> None:
    """A publication fetched a hundred times takes the room of one version."""
    for version in range(1, 6):
        await storage.store.put_record(record("p", version, bytes([version]) * 300_000))
    places = "record", "record_part", "record_listed"
    rows = [
        await storage.session.direct(f"SELECT version FROM {storage.session.place.keyspace}.{table}")
        for table in places
    ]

    assert rows == [[(5,)], [(5,), (5,)], [(5,)]]


async def test_a_late_writer_never_reopens_a_line(storage: CassandraStorage) -> None:
    """A worker that was away writes a line as it knew it, after another one settled it: no list shows it."""
    late = another_process(storage).store
    await late.put_submission(submission(1, "p"))
    await storage.store.put_submission(submission(1, "q", "finished"))
    await late.put_submission(submission(1, "p"))
    await late.put_submission(submission(1, "q"))
    unsettled = await all_of(storage.store.submissions("job1", unsettled=True))

    assert unsettled == []
    assert await storage.store.submission("job1", 1) == submission(1, "q", "finished")
    assert await storage.store.submissions_of("p") == await storage.store.submissions_of("q") == []
    assert await storage.store.outcomes() == {"finished": 1}


async def test_a_line_that_moves_waits_at_its_new_place_only(storage: CassandraStorage) -> None:
    """As when its publication turned out to be another one."""
    await storage.store.put_submission(submission(1, "p"))
    await storage.store.put_submission(submission(1, "q"))

    assert await storage.store.submissions_of("p") == []
    assert await storage.store.submissions_of("q") == [submission(1, "q")]


async def test_lines_lie_in_blocks_of_a_thousand(storage: CassandraStorage) -> None:
    """Far apart, they are still in order, and the last one is found."""
    lines = [0, 999, 1000, 25_000, 1_000_000]
    for line in reversed(lines):
        await storage.store.put_submission(submission(line))

    assert await all_of(storage.store.submissions("job1")) == [submission(line) for line in lines]
    assert await storage.store.last_line("job1") == 1_000_000
    assert await all_of(storage.store.submissions("job1", unsettled=True, after=999)) == [
        submission(line) for line in lines[2:]
    ]


# What a crash may repeat.


async def test_counts_of_all_writers_add_up(storage: CassandraStorage) -> None:
    """Each process has a number of its own, which a repeated write does not change."""
    other = another_process(storage).store
    attempt = Attempt("ask", "u", "h.example", "found", 200, 1, 2)
    await storage.store.add_attempts([attempt, attempt])
    await other.add_attempts([attempt])
    await storage.store.count_needs({("pmc", ""): 2})
    await asyncio.gather(*(other.count_needs({("pmc", ""): 1}) for _ in range(50)))

    assert await storage.store.attempts() == {("h.example", "found"): 3}
    assert await storage.store.needs() == {("pmc", ""): 52}


async def test_a_content_without_its_end_is_not_there(storage: CassandraStorage) -> None:
    """A writer that died between the chunks and the head leaves nothing that would be taken for a content; the
    next one puts it whole."""
    content = bytes(range(256)) * 4000
    reference = await storage.blobs.put(content)
    keyspace = storage.session.place.keyspace
    await storage.session.direct(
        f"DELETE bytes, coding, chunks FROM {keyspace}.blob WHERE digest = 0x{reference.digest}"
    )

    assert not await storage.blobs.has(reference.digest)
    with pytest.raises(KeyError):
        await storage.blobs.get(reference.digest)

    await storage.blobs.put(content)

    assert await storage.blobs.get(reference.digest) == content


@pytest.mark.parametrize("harm", ["lost", "changed"])
async def test_a_damaged_content_is_noticed(storage: CassandraStorage, harm: str) -> None:
    """A blob that no longer has its digest is never handed out."""
    import random

    reference = await storage.blobs.put(random.Random(1).randbytes(600_000))
    table = f"{storage.session.place.keyspace}.blob"
    where = f"WHERE digest = 0x{reference.digest} AND position = 1"
    await storage.session.direct(
        f"DELETE FROM {table} {where}" if harm == "lost" else f"UPDATE {table} SET body = 0x00 {where}"
    )
    with pytest.raises(StorageProblem, match="is damaged"):
        await storage.blobs.get(reference.digest)


# Asking.


async def test_no_more_is_in_flight_than_allowed(place: CassandraPlace) -> None:
    """However much is asked for at once; everything is answered."""
    import msgspec

    opened = await CassandraStorage.open(msgspec.structs.replace(place, in_flight=3))
    most = now = 0
    ask = opened.session._ask

    async def counted(*arguments: Any) -> Any:
        nonlocal most, now
        now += 1
        most = max(most, now)
        try:
            return await ask(*arguments)
        finally:
            now -= 1

    opened.session._ask = counted  # type: ignore[method-assign]
    found = await asyncio.gather(*(opened.store.meta(str(number)) for number in range(100)))
    await opened.close()

    assert found == [""] * 100
    assert most == 3


async def asked_by(storage: CassandraStorage, *steps: Any) -> list[str]:
    """What is asked of the cluster while these run side by side: the text of each statement, or `BATCH`."""
    asked: list[str] = []
    ask = storage.session._ask

    async def noted(statement: Any, paging_state: Any) -> Any:
        prepared = getattr(statement, "prepared_statement", None)
        asked.append(prepared.query_string if prepared is not None else "BATCH")
        return await ask(statement, paging_state)

    storage.session._ask = noted  # type: ignore[method-assign]
    await asyncio.gather(*steps)
    storage.session._ask = ask  # type: ignore[method-assign]
    return asked


async def test_what_is_written_at_one_moment_goes_together(storage: CassandraStorage) -> None:
    """Identifiers of twelve publications: two requests for what is listed and two for who holds what, not 24."""
    storage.session._together = USUAL
    names = [(f"p{number}", f"10.1/{number}") for number in range(12)]
    asked = await asked_by(storage, *(storage.store.hold(name, [("doi", doi)]) for name, doi in names))
    held = await storage.store.holders([("doi", doi) for _, doi in names])

    assert len(asked) <= 4
    assert held == {("doi", doi): name for name, doi in names}


async def test_long_rows_do_not_wait_for_each_other(storage: CassandraStorage) -> None:
    """Cassandra warns of requests above 5 KiB for several partitions, unless it is told otherwise, so long rows go alone."""
    import msgspec

    storage.session._together = USUAL
    lines = [
        msgspec.structs.replace(submission(number, f"p{number}", "finished"), body=bytes(4000))
        for number in range(3)
    ]
    asked = await asked_by(storage, *(storage.store.put_submission(line) for line in lines))
    inserts = [text for text in asked if ".submission (" in text]

    assert len(inserts) == 3
    assert await all_of(storage.store.submissions("job1")) == lines


async def test_so_much_goes_together_as_the_operator_allows(storage: CassandraStorage) -> None:
    """The server's own limits are asked for, and kept below."""
    told = dict(
        await storage.session.direct(
            "SELECT name, value FROM system_views.settings WHERE name IN "
            "('batch_size_warn_threshold', 'unlogged_batch_across_partitions_warn_threshold')"
        )
    )
    allowed = storage.session._together = await storage.session._allowed()
    asked = await asked_by(
        storage, *(storage.store.add_rows(f"p{n}", [Row("r", bytes(900))], new=True) for n in range(40))
    )

    assert told == {
        "batch_size_warn_threshold": "64KiB",
        "unlogged_batch_across_partitions_warn_threshold": "50",
    }
    assert USUAL.bytes < allowed.bytes < 64 * 1024
    assert (USUAL.partitions, allowed.partitions) == (10, 50)
    assert asked == ["BATCH"]


async def test_what_comes_while_others_are_written_goes_together(storage: CassandraStorage) -> None:
    """One request after the other, each with all that came meanwhile; and none waits for long."""
    rows = [Row("r", b"x")]

    async def one_after_the_other() -> None:
        writing = []
        for number in range(200):
            writing.append(asyncio.ensure_future(storage.store.add_rows(f"p{number}", rows, new=True)))
            await asyncio.sleep(0)
        await asyncio.gather(*writing)

    asked = await asked_by(storage, one_after_the_other())

    assert len(asked) < 20
    assert [await storage.store.rows(f"p{number}") for number in (0, 199)] == [rows, rows]


async def test_what_is_looked_up_at_one_moment_is_looked_up_together(storage: CassandraStorage) -> None:
    """States, lines and answers: each finds its own, and nothing where there is nothing."""
    store = storage.store
    for number in range(0, 30, 2):
        await store.add_rows(f"p{number}", [Row("r", b"%d" % number)])
        await store.put_submission(submission(number, f"p{number}", "finished"))
        await store.put_answer(f"a{number}", b"%d" % number)
    states: list[Any] = []
    lines: list[Any] = []
    answers: list[Any] = []

    async def look(number: int) -> None:
        states.append((number, await store.rows(f"p{number}")))
        lines.append((number, await store.submission("job1", number)))
        answers.append((number, await store.answer(f"a{number}")))

    asked = await asked_by(storage, *map(look, range(30)))
    even = {number: not number % 2 for number in range(30)}

    assert len(asked) < 12
    assert dict(states) == {n: [Row("r", b"%d" % n)] if there else [] for n, there in even.items()}
    assert dict(answers) == {n: b"%d" % n if there else b"" for n, there in even.items()}
    assert {n: line and line.line for n, line in lines} == {
        n: n if there else None for n, there in even.items()
    }


async def test_a_look_that_fails_fails_for_all_and_the_next_one_may_not() -> None:
    """Whoever asks again is answered."""
    looks: list[list[int]] = []

    async def look(keys: list[int]) -> dict[int, str]:
        looks.append(keys)
        if len(looks) == 1:
            raise StorageProblem("away")
        return {key: str(key) for key in keys}

    gathered = Lookups(look, 2)
    failed = await asyncio.gather(*map(gathered.get, (1, 2, 3)), return_exceptions=True)
    found = await asyncio.gather(*map(gathered.get, (1, 2, 3)))

    assert [type(one) for one in failed] == [StorageProblem] * 3
    assert found == ["1", "2", "3"]
    assert looks == [[1, 2], [1, 2], [3]]


async def test_a_refused_row_is_told_to_all_that_went_with_it(storage: CassandraStorage) -> None:
    """Nobody takes for durable what is not: who wrote beside it writes again."""
    insert = "INSERT INTO {keyspace}.holder (kind, value, publication) VALUES (?, ?, ?)"
    found = await asyncio.gather(
        *(storage.session.write_small((insert, (kind, "10.1/a", "p"))) for kind in ("doi", None, "pmid")),
        return_exceptions=True,
    )

    assert [type(one) for one in found] == [StorageProblem] * 3
    assert await storage.store.holders([("doi", "10.1/a"), ("pmid", "10.1/a")]) == {}


async def test_rows_known_to_be_new_are_not_looked_for(storage: CassandraStorage) -> None:
    """The owner has read them all; asking for each again costs as much as writing it."""
    rows = [Row(str(number), b"x") for number in range(3)]
    known = await asked_by(storage, storage.store.add_rows("p", rows, new=True))
    unknown = await asked_by(storage, storage.store.add_rows("q", rows))

    assert known == ["BATCH"]
    assert [text.partition(" ")[0] for text in unknown] == ["SELECT", "BATCH"]


async def test_an_answer_that_comes_too_late_is_none(place: CassandraPlace) -> None:
    """The statement is tried again while there is patience, then the cluster counts as away."""
    import msgspec

    opened = await CassandraStorage.open(place)
    opened.session.place = msgspec.structs.replace(place, timeout_s=0.0, patience_s=0.0)
    try:
        with pytest.raises(StorageProblem, match="has not answered"):
            await opened.store.meta("anything")
    finally:
        await opened.close()


async def test_says_when_nobody_answers() -> None:
    """One sentence with the address and what to look at."""
    nowhere = CassandraPlace.at("127.0.0.1:1", timeout_s=2)
    with pytest.raises(StorageProblem, match=r"No Cassandra answers at 127\.0\.0\.1:1 in the data centre"):
        await CassandraStorage.open(nowhere)


async def test_waits_for_a_cluster_that_is_away_and_then_says_so(place: CassandraPlace) -> None:
    """A statement is tried again for as long as patience lasts."""
    from cassandra import OperationTimedOut

    clock = ManualClock()
    opened = await CassandraStorage.open(place, clock=clock)
    ask, failures = opened.session._ask, iter(range(3))

    async def away(*arguments: Any) -> Any:
        if next(failures, None) is not None:
            raise OperationTimedOut
        return await ask(*arguments)

    opened.session._ask = away  # type: ignore[method-assign]
    waiting = asyncio.ensure_future(opened.store.meta("a"))
    while not waiting.done():
        await asyncio.sleep(0.005)  # the driver's thread prepares the statement
        await clock.advance_to_next()

    assert waiting.result() == ""

    failures = iter(range(10_000))
    waiting = asyncio.ensure_future(opened.store.meta("a"))
    while not waiting.done():
        await clock.advance_to_next()
    with pytest.raises(StorageProblem, match="has not answered for 20 s"):
        waiting.result()

    await opened.close()


async def test_a_closed_store_says_so(place: CassandraPlace) -> None:
    """It does not hang."""
    opened = await CassandraStorage.open(place)
    await opened.close()
    with pytest.raises(StorageProblem, match="was closed here"):
        await opened.store.meta("a")


# The schema.


async def test_a_keyspace_is_made_once_and_brought_forward(place: CassandraPlace) -> None:
    """Two at once, in either phase; what was run is not run again; what fails is run again as a whole."""
    import msgspec

    other = msgspec.structs.replace(place, keyspace="pubweave_test_migrations")
    await drop(other)
    first = Migration(1, "pre", "0001_pre_a", "CREATE TABLE IF NOT EXISTS {keyspace}.a (k int PRIMARY KEY);")
    broken = Migration(2, "pre", "0002_pre_b", first.text.replace(".a", ".b") + "this is not CQL;")
    later = Migration(3, "post", "0003_post_c", "DROP TABLE IF EXISTS {keyspace}.a;")
    mended = Migration(2, "pre", "0002_pre_b", first.text.replace(".a", ".b"))

    assert await migrate(other, steps=[first]) == ["0001_pre_a"]
    assert await migrate(other, steps=[first]) == []

    with pytest.raises(StorageProblem, match="refused a statement"):
        await migrate(other, steps=[first, broken])

    assert await migrate(other, ["pre"], steps=[first, mended, later]) == ["0002_pre_b"]
    assert await migrate(other, ["post"], steps=[first, mended, later]) == ["0003_post_c"]

    with pytest.raises(StorageProblem, match=r"newer Pubweave|is not the one"):
        await CassandraStorage.open(other)

    await drop(other)


async def test_a_keyspace_that_is_not_there_is_refused_with_the_command_to_run(place: CassandraPlace) -> None:
    """Opening never makes tables: two services that start at once would both do it."""
    import msgspec

    other = msgspec.structs.replace(place, keyspace="pubweave_test_nothing")
    with pytest.raises(
        StorageProblem, match=rf"lacks {known()[0].name}: run `pubweave tables apply --cassandra"
    ):
        await CassandraStorage.open(other)


async def test_the_command_brings_a_keyspace_forward(
    place: CassandraPlace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says what it did; where nothing is to be done it says that; what is wrong is one sentence."""
    arguments = ["migrate", "--hosts", place.hosts[0], "--keyspace"]
    monkeypatch.setattr("sys.argv", ["cassandra", *arguments, place.keyspace])

    assert await asyncio.to_thread(main) == 0
    assert capsys.readouterr().out == f"{place.keyspace}: nothing to be done\n"

    monkeypatch.setattr("sys.argv", ["cassandra", *arguments, "Not-a-keyspace"])

    assert await asyncio.to_thread(main) == 1
    assert capsys.readouterr().err.startswith("pubweave: 'Not-a-keyspace' cannot be a keyspace")


async def test_a_name_that_is_no_keyspace_is_refused(place: CassandraPlace) -> None:
    """It is written into statements as it is."""
    with pytest.raises(StorageProblem, match="cannot be a keyspace"):
        await migrate(CassandraPlace(hosts=place.hosts, keyspace="a; DROP KEYSPACE b"))


async def test_somebody_else_who_changes_the_schema_is_waited_for(place: CassandraPlace) -> None:
    """Two programs that make tables at once can leave a cluster that does not agree on them."""
    import msgspec

    other = msgspec.structs.replace(place, keyspace="pubweave_test_lock")
    clock = ManualClock()
    step = Migration(1, "pre", "0001_pre_a", "CREATE TABLE IF NOT EXISTS {keyspace}.a (k int PRIMARY KEY);")
    await drop(other)
    await migrate(other, steps=[])
    session = await Session.connect(other)
    await session.direct(
        f"INSERT INTO {other.keyspace}.migration (name, digest, applied_at) "
        f"VALUES ('0000_lock', 'elsewhere:7', {clock.now_ms()}) IF NOT EXISTS"
    )
    await session.close()
    with pytest.raises(StorageProblem, match=r"Somebody else \(elsewhere:7\)"):
        await migrate(other, clock=clock, steps=[step])

    later = ManualClock(clock.now_ms() + 3_600_000)

    assert await migrate(other, clock=later, steps=[step]) == ["0001_pre_a"]

    await drop(other)


# Views.


async def test_views_say_what_the_records_say(storage: CassandraStorage) -> None:
    """By state, host and day; what an older version said is not shown, before and after rebuilding."""
    versions = [
        stored("p", 1, ("a.example", "b.example"), day=10, fetch_time=5),
        stored("q", 1, ("b.example",), day=10, fetch_time=7, **FULL),
        stored("r", 1, ("c.example",), day=11, fetch_time=3),
        stored("p", 2, ("b.example",), day=11, fetch_time=6, title=TITLE),
    ]
    for one in versions:
        await storage.store.put_record(one)
        await storage.views.note(one)

    async def shown() -> tuple[Any, ...]:
        views = storage.views
        return (
            [await views.to_refetch(state, 100) for state in ("empty", "failed", "incomplete", "final")],
            [await all_of(views.of_host(host)) for host in ("a.example", "b.example", "c.example")],
            [await views.changed_on(date(1970, 1, day)) for day in (11, 12)],
        )

    expected = (
        [["r"], [], ["p"], ["q"]],
        [[], ["p", "q"], ["r"]],
        [["q"], ["r", "p"]],
    )

    assert await shown() == expected
    assert await storage.views.to_refetch("incomplete", before_ms=6) == []

    assert await storage.views.rebuild() == 3
    assert await shown() == expected
    assert await storage.views.top_hosts() == [("b.example", 2), ("c.example", 1)]

    await storage.store.put_record(record("r", 2, b"", removed=True))
    await storage.views.note(record("r", 2, b"", removed=True))

    assert (await shown())[0] == [[], [], ["p"], ["q"]]


async def test_rebuilding_leaves_nothing_of_the_edition_before(storage: CassandraStorage) -> None:
    """Neither after one rebuilding nor after three."""
    one = stored("p", hosts=("a.example",))
    await storage.store.put_record(one)
    for _ in range(3):
        await storage.views.note(one)
        await storage.views.rebuild()
    keyspace = storage.session.place.keyspace
    rows = [
        await storage.session.direct(f"SELECT edition FROM {keyspace}.{table}")
        for table in ("by_state", "by_host", "by_day")
    ]

    assert rows == [[(3,)]] * 3


# State.


async def test_rows_of_two_owners_one_after_the_other_stay_in_order(storage: CassandraStorage) -> None:
    """The second owner adds behind what the first has written, and repeats nothing."""
    other = another_process(storage).store
    await storage.store.add_rows("p", [Row(str(number), b"1") for number in range(150)])
    await other.add_rows("p", [Row(str(number), b"2") for number in range(100, 250)])

    assert await other.rows("p") == [
        Row(str(number), b"1" if number < 150 else b"2") for number in range(250)
    ]
