"""How much room a million publications take in Cassandra, and how fast its adapter is beside the bare driver.

    python bench/cassandra_bench.py [--records 20000]

Starts a Cassandra of its own, stores synthetic publications as the cluster does (state rows, identifiers, the
record, the settled line; full texts as blobs), flushes and compacts, and looks at the files. Fails where the
adapter reaches less than a third of the bare driver, which writes the same rows, and looks nothing up, in the
same run.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from pubweave.adapters.cassandra import CassandraPlace, CassandraStorage, migrate
from pubweave.contract.values import MeshTerm, VisitedSite
from pubweave.core.record import Part, Record, encode_record
from pubweave.ports import Row, StoredRecord, StoredSubmission
from stack.processes import free_ports
from stack.servers import nodetool, start_server

AT_ONCE: Final = 64
ROWS_EACH: Final = 40
FULL_TEXTS: Final = 1000
FULL_TEXT_WORDS: Final = 5000
FLOOR: Final = 0.33

STATE = ("state",)
FOUND = ("record", "record_part", "record_listed", "holder", "held", "redirect")
JOBS = ("submission", "submission_open", "submission_waiting", "submission_block", "job", "job_by_key")


class Words:
    """Text that compresses as English does: few words are frequent, most are rare."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        letters = "etaoinshrdlcumwfgypb"
        self._all = [
            "".join(self.random.choices(letters, k=self.random.randint(2, 11))) for _ in range(40_000)
        ]
        self._weights = list(accumulate(1 / (rank + 10) for rank in range(len(self._all))))

    def text(self, words: int) -> str:
        return " ".join(self.random.choices(self._all, cum_weights=self._weights, k=words))


def record(number: int, words: Words) -> Record:
    """Title, abstract, terms, three identifiers, two sites; the full text is a reference."""
    url = f"https://www.ebi.ac.uk/europepmc/webservices/rest/search?query=ext_id:{number}"

    def part(text: str, **others: Any) -> Part:
        return Part(
            type="europepmc", url=url, timestamp=1_790_000_000_000, size=len(text), text=text, **others
        )

    abstract = words.text(220)
    return Record(
        publication=f"{number:032x}",
        fetch_time=1_790_000_000_000,
        journal_title=words.text(4),
        pmid=part(str(10_000_000 + number)),
        pmcid=part(f"PMC{number}"),
        doi=part(f"10.1234/journal.{number}"),
        title=part(words.text(14)),
        keywords=Part(type="europepmc", url=url, size=6, words=tuple(words.text(2) for _ in range(6))),
        mesh=Part(
            type="europepmc", url=url, size=8, mesh=tuple(MeshTerm(term=words.text(2)) for _ in range(8))
        ),
        theAbstract=part(abstract),
        fulltext=Part(type="europepmc_xml", url=url, size=30_000),
        visited_sites=tuple(
            VisitedSite(url=f"https://www.{words.text(1)}.example/{number}", type="webpage") for _ in range(2)
        ),
    )


def rows(number: int, words: Words) -> list[Row]:
    """What a run leaves: forty candidates and outcomes of 250 bytes or so, three of them with the abstract."""
    ids = [f"{words.random.getrandbits(128):032x}" for _ in range(ROWS_EACH)]
    place = '{"kind":"part-candidate","publication":"%032x","place":[0,1,1,%d,4],"part":"title","type":"europepmc",'
    return [
        Row(id_, (place % (number, at) + f'"text":"{words.text(220 if at < 3 else 18)}"' + "}").encode())
        for at, id_ in enumerate(ids)
    ]


async def side_by_side(step: Callable[[int], Awaitable[None]], numbers: Iterable[int]) -> float:
    """Seconds that the steps took, a few at once."""
    left = iter(numbers)

    async def work() -> None:
        for number in left:
            await step(number)

    started = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(AT_ONCE)))
    return time.perf_counter() - started


async def fill(storage: CassandraStorage, records: int) -> None:
    words = Words(1)
    store = storage.store

    async def one(number: int) -> None:
        made = record(number, words)
        name = made.publication
        line = (
            f'{{"kind":"fetch-requested","job":"01JOB","line":{number},"pmid":"{made.pmid.text}"}}'.encode()
        )
        settled = f'{{"kind":"submission-settled","publication":"{name}","outcome":"finished"}}'.encode()
        await store.put_submission(StoredSubmission("01JOB", number, line, name))
        await store.add_rows(name, rows(number, words))
        await store.hold(name, [("pmid", made.pmid.text), ("pmcid", made.pmcid.text), ("doi", made.doi.text)])
        await store.put_record(StoredRecord(name, 1, encode_record(made), words.text(12), 1_790_000_000_000))
        await store.put_submission(StoredSubmission("01JOB", number, line, name, settled, "finished"))

    seconds = await side_by_side(one, range(records))
    print(
        f"{records} publications stored in {seconds:.0f} s: {records / seconds:.0f} a second, "
        f"{records * ROWS_EACH / seconds:.0f} state rows a second"
    )

    async def text(_: int) -> None:
        await storage.blobs.put(words.text(FULL_TEXT_WORDS).encode())

    seconds = await side_by_side(text, range(FULL_TEXTS))
    print(f"{FULL_TEXTS} full texts stored in {seconds:.0f} s: {FULL_TEXTS / seconds:.0f} a second")

    async def read(number: int) -> None:
        assert await store.record(f"{number:032x}") is not None

    reads = min(records, 5000)
    print(f"{reads / await side_by_side(read, range(reads)):.0f} records a second read")


async def against_the_driver(storage: CassandraStorage, publications: int = 3000) -> float:
    """Rows a second of the adapter (which first looks what is there) by those of the bare driver."""
    words = Words(2)
    given = [rows(number, words)[:8] for number in range(500)]

    async def ours(number: int) -> None:
        await storage.store.add_rows(f"ours-{number}", given[number % 500])

    def bare() -> float:
        from cassandra.query import BatchStatement, BatchType

        session, keyspace = storage.session._raw, storage.session.place.keyspace
        insert = session.prepare(
            f"INSERT INTO {keyspace}.state (publication, id, added, body) VALUES (?, ?, ?, ?)"
        )
        started = time.perf_counter()
        futures: list[Any] = []
        for number in range(publications):
            batch = BatchStatement(batch_type=BatchType.UNLOGGED)
            for at, row in enumerate(given[number % 500]):
                batch.add(insert, (f"bare-{number}", row.id, at, row.body))
            futures.append(session.execute_async(batch))
            if len(futures) >= AT_ONCE:
                futures.pop(0).result()
        for future in futures:
            future.result()
        return time.perf_counter() - started

    ratios = []
    for _ in range(3):
        ours_s = await side_by_side(ours, range(publications))
        bare_s = await asyncio.to_thread(bare)
        ratios.append(bare_s / ours_s)
        await storage.session.change_schema(f"TRUNCATE {storage.session.place.keyspace}.state")
        print(
            f"8 rows a publication: {8 * publications / ours_s:.0f} rows/s, "
            f"bare driver {8 * publications / bare_s:.0f} rows/s: {ratios[-1]:.2f} of it"
        )
    return sorted(ratios)[1]


def room(folder: Path, tables: Iterable[str]) -> int:
    """Bytes of the files of these tables."""
    return sum(
        file.stat().st_size
        for table in tables
        for place in folder.glob(f"{table}-*")
        for file in place.rglob("*")
        if file.is_file()
    )


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=20_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pubweave-bench-") as folder:
        (jmx,) = free_ports(1)
        server, port = start_server("cassandra", Path(folder), flags=[f"-Dcassandra.jmx.local.port={jmx}"])
        try:
            place = CassandraPlace.at(f"127.0.0.1:{port}", keyspace="bench")
            await migrate(place)
            storage = await CassandraStorage.open(place)
            ratio = await against_the_driver(storage)
            await fill(storage, given.records)
            await storage.close()
            nodetool(Path(folder), jmx, "flush", "bench")
            nodetool(Path(folder), jmx, "compact", "bench")
            data = Path(folder) / "data" / "data" / "bench"
            per_million = 1e6 / given.records / 1e9
            sizes = {
                name: room(data, tables) * per_million
                for name, tables in (("state", STATE), ("records and identifiers", FOUND), ("jobs", JOBS))
            }
            for name, size in sizes.items():
                print(f"{name}: {size:.2f} GB a million publications")
            texts = room(data, ("blob",)) * 1e6 / FULL_TEXTS / 1e9
            print(
                f"together {sum(sizes.values()):.2f} GB a million publications and copy; "
                f"and {texts:.1f} GB a million full texts of {FULL_TEXT_WORDS} words"
            )
        finally:
            server.stop()
    print(f"adapter {ratio:.2f} of the bare driver (floor {FLOOR})")
    return 0 if ratio >= FLOOR else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
