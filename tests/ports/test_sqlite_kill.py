"""What was committed outlives `kill -9`; what was not leaves no trace."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pubweave.adapters.sqlite import SqliteStorage

# Writes one fact through log, store and blobs in each batch, and tells how far it is.
WRITER = """
import asyncio, sys
from pubweave.adapters.sqlite import SqliteStorage
from pubweave.ports import Entry, Row

def tell(word, number):
    print(word, number, flush=True)

async def main(path, pause):
    storage = SqliteStorage.open(path, create=True)
    number = await storage.log.committed("writer", "facts")
    while True:
        number += 1
        async with storage.store.batch():
            await storage.log.append("facts", [Entry("p", f"{number:032x}", "delayed", 1, b"x" * 500)])
            if pause == "in the batch":
                tell("begun", number)
            await storage.store.add_rows("p", [Row(f"{number:032x}", b"y" * 500)])
            await storage.blobs.put(str(number).encode() * 50_000)
            await storage.log.commit("writer", "facts", number)
        tell("done", number)

asyncio.run(main(*sys.argv[1:]))
"""


def run_and_kill(path: Path, wait_for: str, pause: str) -> int:
    """Run the writer until it says so, kill it, and give the last number that it called done."""
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), pause],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout is not None
    assert writer.stderr is not None
    done = 0
    for line in writer.stdout:
        word, number = line.split()
        if word == "done":
            done = int(number)
        if line.strip() == wait_for:
            break
    writer.send_signal(signal.SIGKILL)
    for line in writer.stdout:
        if line.startswith("done") and line.endswith("\n"):
            done = int(line.split()[1])
    complaint = writer.stderr.read()
    writer.stdout.close()
    writer.stderr.close()

    assert writer.wait() == -signal.SIGKILL, complaint
    return done


async def what_is_there(path: Path) -> tuple[int, int, int, int]:
    """How many facts the log, the store and the blobs hold, and how far the writer said to be."""
    storage = SqliteStorage.open(path, create=False)
    logged = await storage.log.read("facts", limit=100_000)
    rows = await storage.store.rows("p")

    assert [one.entry.id for one in logged] == [f"{number:032x}" for number in range(1, len(logged) + 1)]
    assert [row.id for row in rows] == [one.entry.id for one in logged]
    assert all(one.entry.body == b"x" * 500 for one in logged)
    assert storage._connection.one("PRAGMA integrity_check") == ("ok",)

    committed = await storage.log.committed("writer", "facts")
    blobs = storage.sizes().rows["blob"]
    await storage.close()
    return len(logged), len(rows), blobs, committed


@pytest.mark.parametrize("pause", ["after the batch", "in the batch"])
async def test_a_killed_writer_loses_nothing_that_was_committed(tmp_path: Path, pause: str) -> None:
    """Killed again and again at different moments, log, store and blobs agree with each other and hold at
    least what the writer had called done; the next writer gets in and goes on."""
    path = tmp_path / "a.db"
    reached = 0
    for step in (1, 3, 40):
        word = "begun" if pause == "in the batch" else "done"
        done = run_and_kill(path, f"{word} {reached + step}", pause)
        facts, rows, blobs, committed = await what_is_there(path)

        assert facts >= done
        assert facts == rows == blobs == committed

        reached = facts

    assert reached >= 40
