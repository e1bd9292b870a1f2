"""What a filter costs over 200,000 stored publications: memory, and time against a plain scan of the same rows.

    python bench/filters_bench.py [--publications N] [--all] [--filter NAME …]

Each filter runs as `pubweave pipe --pub-db DB --db DB FILTER --count` in a process of its own, which first scans the
rows that the filter has to read: every record decoded, and its texts put back where the filter looks into texts. Both
are measured in that one run, as time on the processor. Patterns are plain words: what a costly pattern costs is its
own. Limits: 300 MB of memory, 1.5 times the scan.

Without --all one filter of each way of comparing is taken; with it all of them, for an hour or so.
"""

import argparse
import asyncio
import contextlib
import io
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MEMORY_LIMIT_MB = 300
TIME_LIMIT = 1.5
_WORDS = [
    "membrane",
    "transport",
    "of",
    "heavy",
    "looms",
    "in",
    "woven",
    "tissue",
    "under",
    "a",
    "changing",
    "load",
    "and",
    "what",
    "became",
    "of",
    "it",
]
_SENTENCE = " ".join(_WORDS)

SOME = (
    "fetch-time-more",
    "retry-counter",
    "usable",
    "final",
    "oa",
    "journal-title",
    "citations-count-more",
    "corresp-author-name",
    "visited-host",
    "visited-type-more",
    "part-empty",
    "part-size-more",
    "part-type",
    "not-part-content",
    "grep",
)
VALUES = {
    "regex": ["woven tissue"],
    "time": ["2025-01-01T00:00:00Z"],
    "count": ["1"],
    "integer": ["200"],
    "type": ["citation"],
    "host": ["nature.com"],
    "part": ["title", "theAbstract"],
    "word": ["1038"],
}


async def build(path: Path, publications: int) -> None:
    """A database of records like those of a real one: an abstract each, a full text in the blobs for every third."""
    from pubweave.adapters.sqlite import SqliteStorage
    from pubweave.contract.values import CorrespAuthor, MeshTerm, VisitedSite
    from pubweave.contract.vocabulary import TypeName
    from pubweave.core.record import Part, Record, encode_record
    from pubweave.ports import StoredRecord

    storage = SqliteStorage.open(path, create=True)
    blobs = [await storage.blobs.put(f"{number} {_SENTENCE * 250}".encode()) for number in range(200)]

    def part(text: str, type_: TypeName = "europepmc", at: int = 1_750_000_000_000) -> Part:
        return Part(
            type=type_,
            url="https://www.ebi.ac.uk/europepmc/webservices/rest/search?query=ext_id",
            timestamp=at,
            size=len(text),
            text=text,
        )

    for start in range(0, publications, 1000):
        async with storage.store.batch():
            for number in range(start, min(start + 1000, publications)):
                blob = blobs[number % 200]
                record = Record(
                    f"{number:020d}",
                    fetch_time=1_700_000_000_000 + number * 1000,
                    retry_counter=number % 4,
                    oa=number % 3 == 0,
                    journal_title=f"Annals of looms {number % 50}",
                    pub_date=1_500_000_000_000,
                    citations_count=number % 30,
                    citations_timestamp=1_700_000_000_000,
                    corresp_author=(
                        CorrespAuthor(name=f"Ada Weaver {number % 9}", email="ada@loom.example"),
                    ),
                    visited_sites=(
                        VisitedSite(
                            url=f"https://www.nature.com/articles/{number}",
                            type="doi",
                            from_="https://doi.org/x",
                        ),
                    ),
                    pmid=part(str(number + 1)),
                    pmcid=part(f"PMC{number + 1}") if number % 2 else Part(),
                    doi=part(f"10.1038/S{number}"),
                    title=part(f"On {_SENTENCE} {number}"),
                    keywords=Part(type="europepmc", size=3, words=("loom", "tissue", f"load {number % 7}")),
                    mesh=Part(
                        type="europepmc",
                        size=8,
                        mesh=tuple(MeshTerm(f"{word.title()} {number % 11}") for word in _WORDS[:8]),
                    ),
                    theAbstract=part(f"{_SENTENCE} " * 15),
                    fulltext=Part(
                        type="europepmc_xml",
                        url="https://www.ebi.ac.uk/x",
                        size=len(_SENTENCE) * 250,
                        blob=blob,
                    )
                    if number % 3 == 0
                    else Part(),
                )
                await storage.store.put_record(
                    StoredRecord(record.publication, 1, encode_record(record)), "publication"
                )
                await storage.store.hold(record.publication, record.identifiers.known())
    await storage.close()


async def scan(path: Path, *, texts: bool) -> int:
    """Read every record; with its texts where the filter needs them."""
    from pubweave.adapters.sqlite import SqliteStorage
    from pubweave.core.record import decode_record
    from pubweave.runtimes.contents import put_back

    storage = SqliteStorage.open_reading(path)
    count = 0
    async for stored in storage.store.records():
        record = decode_record(stored.body)
        if texts:
            await put_back(record, storage.blobs)
        count += 1
    await storage.close()
    return count


def words_of(name: str) -> list[str]:
    from pubweave.cli.operations.table import BY_NAME

    operation = BY_NAME[name]
    words = [operation.spelling, *VALUES.get(operation.argument, [])]
    if operation.companion:
        words += [
            f"--{operation.companion}",
            "title",
            "theAbstract",
            *(["fulltext"] if "content" in name else []),
        ]
    return words


def one(path: Path, name: str) -> dict[str, float]:
    """In a process of its own: the scan, then the filter."""
    from pubweave.cli.main import run

    texts = name.removeprefix("not-") in ("grep", "part-content")
    began = time.process_time()
    rows = asyncio.run(scan(path, texts=texts))
    scanned_s = time.process_time() - began
    began = time.process_time()
    told = io.StringIO()
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())), contextlib.redirect_stderr(told):
        status = run(["pipe", "--pub-db", str(path), "--db", str(path), *words_of(name), "--count"])
        filtered_s = time.process_time() - began
        sys.stdout.seek(0)
        shown = sys.stdout.read()
    if status:
        raise SystemExit(f"{name}: exit status {status}: {told.getvalue()}")
    return {
        "rows": rows,
        "left": int(shown.split(" : ")[1]),
        "scan_s": scanned_s,
        "filter_s": filtered_s,
        "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main() -> int:
    from pubweave.cli.operations.selecting import FILTERS

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--publications", type=int, default=200_000)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--filter", nargs="+", default=list(SOME))
    parser.add_argument("--one", nargs=2, metavar=("DB", "FILTER"))
    given = parser.parse_args()
    if given.one:
        print(json.dumps(one(Path(given.one[0]), given.one[1])))
        return 0
    names = sorted(FILTERS) if given.all else given.filter
    worst_time = worst_memory = 0.0
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        path = Path(folder) / "library.db"
        asyncio.run(build(path, given.publications))
        print(f"{given.publications:,} publications, {path.stat().st_size / 1e6:,.0f} MB on disk")
        print(f"{'filter':26}{'left':>9}{'scan s':>9}{'filter s':>10}{'ratio':>7}{'MB':>7}")
        for name in names:
            command = [sys.executable, __file__, "--one", str(path), name]
            found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
            ratio = found["filter_s"] / found["scan_s"]
            worst_time, worst_memory = max(worst_time, ratio), max(worst_memory, found["memory_mb"])
            print(
                f"{name:26}{found['left']:9,}{found['scan_s']:9.1f}{found['filter_s']:10.1f}{ratio:7.2f}"
                f"{found['memory_mb']:7.0f}",
                flush=True,
            )
    good = worst_time <= TIME_LIMIT and worst_memory < MEMORY_LIMIT_MB
    print(
        f"worst: {worst_time:.2f} times the scan (limit {TIME_LIMIT}), {worst_memory:.0f} MB (limit {MEMORY_LIMIT_MB})"
    )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
