"""What it costs to bring 20,000 stored publications out of a database, into another, and out for good.

    python bench/stored_bench.py [--publications N]

Each is measured as time on the processor, in a process of its own, beside the least that it has to do there, in the same
process before it:

* `export`, in four formats: a plain scan of the database, every record decoded, its texts put back, and written to a file as
  the plain JSON of its members.
* `db import`: a plain `json.load` of the same file, which holds all of it in memory.
* `db erase` of a hundred publications: a plain scan of the records, and a compaction of the same file (SQLite's VACUUM), which
  erasing for good cannot do without.

Limits are ratios of these; and 300 MB of memory for each command, as for filters.
"""

import argparse
import asyncio
import contextlib
import io
import json
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path

from filters_bench import MEMORY_LIMIT_MB, build, scan
from support import verdict

LIMITS = {
    "export json": 3.5,
    "export jsonl": 3.0,
    "export csv": 5.0,
    "export html": 9.0,
    "import": 4.0,
    "erase": 7.0,
}
ERASED = 100


def cpu_s() -> float:
    """User and system time of this process until now."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def peak_mb() -> float:
    """VmHWM."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("no VmHWM: this is not Linux")


def command(*words: str) -> None:
    """Run one command of the program here, silently.

    :raises SystemExit: it failed
    """
    from pubweave.cli.main import run

    told = io.StringIO()
    with contextlib.redirect_stderr(told), contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):
        status = run(words)
    if status:
        raise SystemExit(f"{' '.join(words[:3])}: exit status {status}: {told.getvalue()}")


def floor(what: str, database: Path, file: Path) -> None:
    """The least that has to be done."""
    if what == "import":
        with file.open("rb") as body:
            json.load(body)
    elif what == "erase":
        asyncio.run(scan(database, texts=False))
        copy = database.with_name("compacted.db")
        shutil.copy(database, copy)
        with contextlib.closing(sqlite3.connect(copy, isolation_level=None)) as base:
            base.execute("VACUUM")
        copy.unlink()
    else:
        plain = database.with_name("plain.json")
        asyncio.run(written_plainly(database, plain))
        plain.unlink()


async def written_plainly(path: Path, to: Path) -> None:
    """Every record with its texts, as JSON that nobody has asked for."""
    import msgspec

    from pubweave.adapters.sqlite import SqliteStorage
    from pubweave.core.record import decode_record
    from pubweave.runtimes.contents import put_back

    storage = SqliteStorage.open_reading(path)
    encoder = msgspec.json.Encoder()
    with to.open("wb") as file:
        async for stored in storage.store.records():
            file.write(encoder.encode(await put_back(decode_record(stored.body), storage.blobs)) + b"\n")
    await storage.close()


def work(what: str, database: Path, file: Path) -> None:
    """The command."""
    match what.split():
        case ["export", name]:
            command(
                "export", str(database), "--format", name, "--out", str(database.with_name(f"out.{name}"))
            )
        case ["import"]:
            target = database.with_name("target.db")
            command("db", "init", str(target))
            command("db", "import", str(target), str(file), "--quiet")
            target.unlink()
        case ["erase"]:
            copy = database.with_name("erased.db")
            shutil.copy(database, copy)
            command("db", "erase", str(copy), *(str(number * 7 + 1) for number in range(ERASED)))
            copy.unlink()


def measured(part: str, what: str, database: Path, file: Path) -> dict[str, float]:
    """One of the two, in a process of its own."""
    words = [sys.executable, __file__, "--part", part, what, str(database), str(file)]
    told = subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout
    return dict(json.loads(told))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--publications", type=int, default=20_000)
    parser.add_argument("--part", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        part, what, database, file = given.part
        import_module("pubweave.runtimes.embedded.opening")  # so that imports are in neither figure
        import_module("pubweave.cli.commands.export.command")
        began = cpu_s()
        (floor if part == "floor" else work)(what, Path(database), Path(file))
        print(json.dumps({"cpu_s": cpu_s() - began, "memory_mb": peak_mb()}))
        return 0
    good, most_mb = True, 0.0
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        database, file = Path(folder) / "library.db", Path(folder) / "library.json"
        asyncio.run(build(database, given.publications))
        command("export", str(database), "--format", "json", "--out", str(file))
        sizes = (
            f"{database.stat().st_size / 1e6:,.0f} MB on disk, {file.stat().st_size / 1e6:,.0f} MB as JSON"
        )
        print(f"{given.publications:,} publications, {sizes}")
        for what, limit in LIMITS.items():
            least = measured("floor", what, database, file)
            done = measured("work", what, database, file)
            figures = f"{done['cpu_s']:.1f} s over {least['cpu_s']:.1f} s, {done['memory_mb']:.0f} MB"
            good &= verdict(f"{what} ({figures})", done["cpu_s"] / least["cpu_s"], limit)
            most_mb = max(most_mb, done["memory_mb"])
    good &= verdict("memory", most_mb, MEMORY_LIMIT_MB, "MB")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
