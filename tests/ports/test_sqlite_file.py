"""The file itself: opening what is not a database, full disks, other writers, older and newer schemas, care."""

import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ports.streams import entry
from pubweave.adapters.sqlite import SqliteStorage
from pubweave.adapters.sqlite.schema import MIGRATIONS, USABLE_FROM_NAME, migrate, schema_version
from pubweave.ports import Entry, Row, StorageProblem, StoredRecord

MAPDB_FILE = bytes.fromhex("4a03000000000000 0000000000000001 00000001445eeee1 0000000000100385") + bytes(
    4096
)
"""How a database of PubFetcher begins: a header of MapDB 3 (seen in a file that MapDB 3.0.8 made)."""


def refused(path: Path, *, create: bool = False) -> str:
    """The sentence with which opening is refused; nothing is left beside the file."""
    with pytest.raises(StorageProblem) as caught:
        SqliteStorage.open(path, create=create)

    assert not path.with_name(path.name + ".lock").exists()
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert str(path) in sentence or str(path.parent) in sentence
    return sentence


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can reach (those of pytest are their owner's alone)."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        yield Path(folder)


@contextmanager
def an_ordinary_user() -> Iterator[None]:
    """Run as somebody to whom the modes of files apply."""
    if os.geteuid() != 0:
        yield
        return
    os.setresuid(65534, 65534, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Nobody but root can write in the folder, or into its files."""
    for path in (*folder.iterdir(), folder):
        path.chmod(0o555)
    with an_ordinary_user():
        yield
    for path in (folder, *folder.iterdir()):
        path.chmod(0o777)


def files_in(folder: Path) -> dict[str, bytes]:
    """All files of a folder by name."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


# What is not a database.


def test_a_database_that_is_not_there_is_not_made_by_chance(tmp_path: Path) -> None:
    """F-DB-16: only who asks for it makes one."""
    assert "There is no database" in refused(tmp_path / "a.db")
    assert list(tmp_path.iterdir()) == []


def test_a_database_is_made_where_asked_for(tmp_path: Path) -> None:
    """And opens again without being asked for."""
    SqliteStorage.open(tmp_path / "a.db", create=True)._connection.close()
    (tmp_path / "a.db.lock").unlink()
    again = SqliteStorage.open(tmp_path / "a.db", create=False)

    assert again.sizes().rows["state"] == 0

    again._connection.close()


def test_a_directory_is_not_a_database(tmp_path: Path) -> None:
    """Not even where one may be made."""
    folder = tmp_path / "folder"
    folder.mkdir()

    assert "is a directory" in refused(folder)
    assert "is a directory" in refused(folder, create=True)


def test_a_folder_is_not_made(tmp_path: Path) -> None:
    """A mistyped path does not become a tree of folders."""
    assert "There is no folder" in refused(tmp_path / "missing" / "a.db", create=True)


@pytest.mark.parametrize("content", [b"29515763\n", b"x" * 5000, b"SQLite format 2\x00" + bytes(100), b"J"])
def test_another_file_is_left_alone(tmp_path: Path, content: bytes) -> None:
    """An ID file given for a database is not overwritten."""
    path = tmp_path / "ids.txt"
    path.write_bytes(content)

    assert "not a Pubweave database" in refused(path)
    assert "not a Pubweave database" in refused(path, create=True)
    assert path.read_bytes() == content


def test_another_programs_sqlite_file_is_left_alone(tmp_path: Path) -> None:
    """A browser's history, say."""
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE meta (name, value)")
        other.execute("INSERT INTO meta VALUES ('schema-version', '1')")
    other.close()
    before = path.read_bytes()

    assert "not a Pubweave database" in refused(path, create=True)
    assert path.read_bytes() == before


def test_a_pubfetcher_database_is_named_as_such(tmp_path: Path) -> None:
    """With the way over: its JSON export."""
    path = tmp_path / "pub.db"
    path.write_bytes(MAPDB_FILE)
    sentence = refused(path)

    assert "PubFetcher" in sentence
    assert "JSON" in sentence


def test_an_empty_file_is_a_new_database_where_one_may_be_made(tmp_path: Path) -> None:
    """As `mktemp` leaves one."""
    path = tmp_path / "a.db"
    path.touch()

    assert "is empty" in refused(path)

    SqliteStorage.open(path, create=True)._connection.close()

    assert path.stat().st_size > 0


def test_a_damaged_database_is_said_to_be_damaged(tmp_path: Path) -> None:
    """One sentence, no traceback."""
    path = tmp_path / "a.db"
    SqliteStorage.open(path, create=True)._connection.close()
    (tmp_path / "a.db.lock").unlink()
    path.write_bytes(path.read_bytes()[:100] + os.urandom(8000))

    assert "damaged" in refused(path)


# What may not be written.


def test_a_read_only_file_is_said_to_be_read_only(open_folder: Path) -> None:
    """Before anything is written, with what to do."""
    path = open_folder / "a.db"
    with an_ordinary_user():
        SqliteStorage.open(path, create=True)._connection.close()
        (open_folder / "a.db.lock").unlink()
        path.chmod(0o444)

        assert "read-only" in refused(path)

        path.chmod(0o644)


def test_a_read_only_folder_is_said_to_be_read_only(open_folder: Path) -> None:
    """SQLite writes beside the file, so the folder counts too."""
    path = open_folder / "a.db"
    with an_ordinary_user():
        SqliteStorage.open(path, create=True)._connection.close()
        (open_folder / "a.db.lock").unlink()
    with read_only(open_folder):
        sentences = refused(path), refused(open_folder / "new.db", create=True)

    assert all("read-only" in sentence for sentence in sentences)


async def test_a_file_that_cannot_be_written_can_be_looked_at(open_folder: Path) -> None:
    """Somebody else's database in a folder of theirs."""
    path = open_folder / "a.db"
    written = SqliteStorage.open(path, create=True)
    await written.store.add_rows("p", [Row("1", b"x")])
    await written.close()
    with read_only(open_folder):
        storage = SqliteStorage.open_reading(path)
        rows = await storage.store.rows("p")
        await storage.close()

    assert rows == [Row("1", b"x")]


async def test_a_full_disk_is_said_and_nothing_is_half_written(tmp_path: Path) -> None:
    """The batch that did not fit is undone whole; what was there stays; with room again it goes on."""
    storage = SqliteStorage.open(tmp_path / "a.db", create=True)
    await storage.store.add_rows("p", [Row("0", b"before")])
    pages = storage._connection.one("PRAGMA page_count")[0]
    storage._connection.one(f"PRAGMA max_page_count = {pages + 20}")

    async def too_much() -> None:
        async with storage.store.batch():
            await storage.store.add_rows("p", [Row("1", b"fits")])
            await storage.log.append("facts", [entry("1", body=os.urandom(200_000))])

    with pytest.raises(StorageProblem, match=r"disk of the database .*a\.db is full"):
        await too_much()

    assert await storage.store.rows("p") == [Row("0", b"before")]
    assert await storage.log.read("facts") == []

    storage._connection.one("PRAGMA max_page_count = 1000000")
    await too_much()

    assert await storage.store.rows("p") == [Row("0", b"before"), Row("1", b"fits")]
    assert len(await storage.log.read("facts")) == 1

    await storage.close()


async def test_a_batch_that_ran_out_of_room_stores_nothing_more(tmp_path: Path) -> None:
    """Who catches the problem inside the batch cannot store the rest of it by itself."""
    storage = SqliteStorage.open(tmp_path / "a.db", create=True)
    pages = storage._connection.one("PRAGMA page_count")[0]
    storage._connection.one(f"PRAGMA max_page_count = {pages + 5}")
    batch = storage.store.batch()
    await batch.__aenter__()
    await storage.store.add_rows("p", [Row("1", b"")])
    with pytest.raises(StorageProblem, match="is full"):
        await storage.store.add_rows("p", [Row("2", bytes(200_000))])
    with pytest.raises(StorageProblem, match="nothing of it was"):
        await storage.store.add_rows("p", [Row("3", b"")])
    with pytest.raises(StorageProblem, match="nothing of it was"):
        await batch.__aexit__(None, None, None)

    assert await storage.store.rows("p") == []

    await storage.close()


# Opens a new database where no file may grow beyond so many bytes: what a full disk does to a writer.
CRAMPED = """
import resource, signal, sys
from pubweave.adapters.sqlite import SqliteStorage
from pubweave.ports import StorageProblem
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    SqliteStorage.open(sys.argv[1], create=True)
except StorageProblem as problem:
    print(problem)
"""


@pytest.mark.parametrize("room_bytes", [0, 3, 5000, 30_000])
def test_a_database_that_does_not_fit_leaves_nothing_behind(tmp_path: Path, room_bytes: int) -> None:
    """Wherever making it fails, one sentence, and no half-made file that would be taken for a database."""
    made = subprocess.run(
        [sys.executable, "-c", CRAMPED, str(tmp_path / "a.db"), str(room_bytes)],
        capture_output=True,
        text=True,
        check=True,
    )

    assert len(made.stdout.splitlines()) == 1
    assert str(tmp_path / "a.db") in made.stdout
    assert files_in(tmp_path) == {}


# Others at the same file.


async def test_two_writers_are_refused_with_the_first_ones_process(tmp_path: Path) -> None:
    """The second one learns whom to wait for; when the first has ended it gets in."""
    path = tmp_path / "a.db"
    first = SqliteStorage.open(path, create=True)
    with pytest.raises(StorageProblem, match=f"being written by process {os.getpid()}:"):
        SqliteStorage.open(path, create=False)
    await first.close()
    second = SqliteStorage.open(path, create=False)
    await second.close()
    await second.close()

    assert list(files_in(tmp_path)) == ["a.db"]


async def test_a_reader_sees_what_was_committed_and_disturbs_nobody(tmp_path: Path) -> None:
    """Looking at a database while a job runs; writing through it is refused."""
    path = tmp_path / "a.db"
    writer = SqliteStorage.open(path, create=True)
    await writer.store.add_rows("p", [Row("1", b"x")])
    reader = SqliteStorage.open_reading(path)
    async with writer.store.batch():
        await writer.store.add_rows("p", [Row("2", b"y")])

        assert await reader.store.rows("p") == [Row("1", b"x")]

    assert await reader.store.rows("p") == [Row("1", b"x"), Row("2", b"y")]
    with pytest.raises(StorageProblem, match="read-only"):
        await reader.store.add_rows("p", [Row("3", b"z")])

    await reader.close()
    await writer.close()


async def test_another_program_that_locks_the_file_is_waited_for_and_then_named(tmp_path: Path) -> None:
    """A tool that holds SQLite's own lock."""
    path = tmp_path / "a.db"
    storage = SqliteStorage.open(path, create=True)
    storage._connection.one("PRAGMA busy_timeout = 1")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageProblem, match="locked by another program"):
        await storage.store.add_rows("p", [Row("1", b"x")])
    other.execute("ROLLBACK")
    other.close()
    await storage.store.add_rows("p", [Row("1", b"x")])

    assert await storage.store.rows("p") == [Row("1", b"x")]

    await storage.close()


# Schemas.


def test_a_newer_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    """With both numbers and what to do."""
    path = tmp_path / "a.db"
    newest = max(MIGRATIONS)
    SqliteStorage.open(path, create=True)._connection.close()
    (tmp_path / "a.db.lock").unlink()
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE meta SET value = ? WHERE name = 'schema-version'", (str(newest + 1),))
    raw.close()
    before = path.read_bytes()
    sentence = refused(path)

    assert f"newer Pubweave (schema {newest + 1}, this one knows {newest})" in sentence
    assert path.read_bytes() == before


def test_a_newer_database_that_was_only_added_to_can_be_used(tmp_path: Path) -> None:
    """The way back from an update, where the newer program says so."""
    path = tmp_path / "a.db"
    newest = max(MIGRATIONS)
    SqliteStorage.open(path, create=True)._connection.close()
    (tmp_path / "a.db.lock").unlink()
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE meta SET value = ? WHERE name = 'schema-version'", (str(newest + 1),))
        raw.execute("INSERT INTO meta VALUES (?, ?)", (USABLE_FROM_NAME, str(newest)))
    raw.close()

    SqliteStorage.open(path, create=False)._connection.close()
    with sqlite3.connect(path) as raw:
        told = dict(raw.execute("SELECT name, value FROM meta"))
    raw.close()

    assert told["schema-version"] == str(newest + 1), "it stays the newer one's"


def test_an_older_database_is_brought_forward_step_by_step(tmp_path: Path) -> None:
    """Each missing migration is run once, in order."""
    raw = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    migrate(raw, "a.db")
    raw.execute("INSERT INTO state (publication, id, body) VALUES ('p', '1', 'x')")
    newest = max(MIGRATIONS)
    toy = {
        **MIGRATIONS,
        newest + 1: ("ALTER TABLE state ADD COLUMN colour TEXT NOT NULL DEFAULT 'grey'",),
        newest + 2: ("UPDATE state SET colour = 'green'", "CREATE TABLE toy (x)"),
    }
    migrate(raw, "a.db", toy)
    migrate(raw, "a.db", toy)

    assert schema_version(raw) == newest + 2
    assert raw.execute("SELECT publication, colour FROM state").fetchall() == [("p", "green")]

    raw.close()


def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    """Half a migration would be a database of no schema at all."""
    raw = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    migrate(raw, "a.db")
    newest = max(MIGRATIONS)
    with pytest.raises(sqlite3.OperationalError):
        migrate(raw, "a.db", {**MIGRATIONS, newest + 1: ("CREATE TABLE toy (x)", "this is not SQL")})

    assert schema_version(raw) == newest
    assert raw.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'toy'").fetchone() == (0,)

    raw.close()


def test_migrations_count_up_without_gaps() -> None:
    """A released number is never used again."""
    assert list(MIGRATIONS) == list(range(1, len(MIGRATIONS) + 1))


# Care.


async def test_what_was_erased_is_not_in_the_file_any_more(tmp_path: Path) -> None:
    """Not in the file, not beside it, whatever it was kept in; everything else still is."""
    path = tmp_path / "a.db"
    secret = b"a-sentence-that-must-go-" + b"0123456789" * 300
    storage = SqliteStorage.open(path, create=True)
    kept = b"a-sentence-that-stays-" + b"abcdefghij" * 300
    for key, sentence in (("gone", secret), ("stays", kept)):
        await storage.log.append("facts", [entry(f"{key}{number}", key, sentence) for number in range(20)])
        await storage.store.add_rows(key, [Row(str(number), sentence) for number in range(20)])
        await storage.store.put_record(StoredRecord(key, 1, sentence))
    noise = os.urandom(400_000)
    blob = await storage.blobs.put(secret[:24] + noise)
    await storage.log.erase("facts", "gone")
    await storage.store.drop_rows("gone")
    await storage.store.drop_record("gone")
    await storage.blobs.delete(blob.digest)
    bytes_there = b"".join(files_in(tmp_path).values())

    assert secret[:24] not in bytes_there
    assert noise[:100] not in bytes_there
    assert kept[:22] in bytes_there
    assert [row.body for row in await storage.store.rows("stays")] == [kept] * 20

    await storage.close()


async def test_compacting_gives_space_back(tmp_path: Path) -> None:
    """After much was deleted; what is left is whole."""
    storage = SqliteStorage.open(tmp_path / "a.db", create=True)
    for number in range(20):
        await storage.blobs.put(os.urandom(100_000) + bytes([number]))
    kept = await storage.blobs.put(b"kept" * 5000)
    for (name,) in storage._connection.all(
        "SELECT digest FROM blob WHERE digest <> ?", (bytes.fromhex(kept.digest),)
    ):
        await storage.blobs.delete(name.hex())
    before = storage.sizes()
    storage.compact()
    after = storage.sizes()

    assert before.free_bytes > 1_900_000
    assert after.free_bytes == 0
    assert after.file_bytes < before.file_bytes - 1_900_000
    assert await storage.blobs.get(kept.digest) == b"kept" * 5000

    await storage.close()


_COMPACTING = """
import asyncio, os, resource, sys
from pubweave.adapters.sqlite import SqliteStorage

async def main(path):
    storage = SqliteStorage.open(path, create=True)
    for _ in range(200):
        await storage.blobs.put(os.urandom(250_000))
    storage.checkpoint()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    storage.compact()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    await storage.close()

asyncio.run(main(sys.argv[1]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the unit is another")
def test_compacting_does_not_hold_the_database_in_memory(tmp_path: Path) -> None:
    """The copy of 50 MB that it makes lies on the disk: no more than 15 MB are taken for it."""
    ran = subprocess.run(
        [sys.executable, "-c", _COMPACTING, str(tmp_path / "a.db")],
        capture_output=True,
        text=True,
        check=True,
    )

    assert int(ran.stdout) < 15 * 1024


async def test_a_checkpoint_moves_everything_into_the_file(tmp_path: Path) -> None:
    """After it the file alone can be copied away."""
    path = tmp_path / "a.db"
    storage = SqliteStorage.open(path, create=True)
    await storage.store.add_rows("p", [Row("1", b"x")])

    assert storage.sizes().log_bytes > 0

    storage.checkpoint()

    assert storage.sizes().log_bytes == 0

    copy = tmp_path / "copy.db"
    copy.write_bytes(path.read_bytes())
    other = SqliteStorage.open(copy, create=False)

    assert await other.store.rows("p") == [Row("1", b"x")]
    assert other.sizes().rows["state"] == 1

    await other.close()
    await storage.close()


async def test_compacting_inside_a_batch_is_refused(tmp_path: Path) -> None:
    """It would end the batch."""
    storage = SqliteStorage.open(tmp_path / "a.db", create=True)
    async with storage.store.batch():
        await storage.store.add_rows("p", [Row("1", b"x")])
        with pytest.raises(StorageProblem, match="inside a batch"):
            storage.compact()

    assert await storage.store.rows("p") == [Row("1", b"x")]

    await storage.close()


async def test_a_damaged_content_is_noticed(tmp_path: Path) -> None:
    """A blob that no longer has its digest is never handed out."""
    storage = SqliteStorage.open(tmp_path / "a.db", create=True)
    plain = await storage.blobs.put(b"short")
    packed = await storage.blobs.put(b"long" * 1000)
    flipped = await storage.blobs.put(b"same length")
    await storage._connection.write("UPDATE blob SET body = x'00' WHERE bytes <> 11")
    await storage._connection.write("UPDATE blob SET body = CAST('some length' AS BLOB) WHERE bytes = 11")
    for reference in (plain, packed, flipped):
        with pytest.raises(StorageProblem, match="is damaged"):
            await storage.blobs.get(reference.digest)

    await storage.close()


async def test_long_texts_take_less_room_than_they_have_bytes(tmp_path: Path) -> None:
    """Contents are compressed; those that do not shrink are not."""
    storage = SqliteStorage.open(tmp_path / "a.db", create=True)
    await storage.blobs.put(("All that glitters is not gold. " * 3000).encode())
    await storage.blobs.put(os.urandom(1000))
    text, noise = storage._connection.all("SELECT length(body), bytes FROM blob ORDER BY number")

    assert text[0] < text[1] / 10
    assert noise == (1000, 1000)

    await storage.close()


async def test_rows_of_a_state_that_are_in_the_log_are_not_stored_twice(tmp_path: Path) -> None:
    """`rows` gives what was added and what the log has of that key, of the kinds of a state alone."""
    storage = SqliteStorage.open(tmp_path / "rows.db", create=True)
    await storage.store.add_rows("p", [Row("1", b"row of before")])
    await storage.log.append("part-candidates", [Entry("p", "2", "gate-flag", 1, b"{}")])
    await storage.log.append("publications", [Entry("p", "3", "publication-updated", 1, b"{}")])
    await storage.log.append("part-candidates", [Entry("q", "4", "gate-flag", 1, b"{}")])

    assert storage.store.rows_in_log
    assert await storage.store.rows("p") == [Row("1", b"row of before"), Row("2", b"gate-flag 1 {}")]

    await storage.log.erase("part-candidates", "p")
    await storage.store.drop_rows("p")

    assert await storage.store.rows("p") == []
    await storage.close()
