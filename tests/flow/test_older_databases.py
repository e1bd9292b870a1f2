"""A database file of version 0.1.0 is opened and gone on with: records, why they are so, and a job that was interrupted.

`data/of-0.1.0.db.gz` was made once, by `make` below under the code of 0.1.0 (which had a driver of its own for one
process), and cannot be made again by today's.
"""

import asyncio
import gzip
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from flow.worlds import Known, question, say
from pubweave.adapters.clock import SystemClock
from pubweave.adapters.sqlite.storage import SqliteStorage
from pubweave.contract.exchange import Reply, Request, Work
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.values import Identifiers
from pubweave.core.record import Part, Record
from pubweave.core.toolkit.answering import wanted
from pubweave.core.toolkit.service import Batching, Context, Said, Service
from pubweave.core.webpage_record import WebpageRecord
from pubweave.runtimes.embedded.database import RecordStore
from pubweave.runtimes.embedded.explain import explain, status
from pubweave.runtimes.embedded.jobs import JobSettings, Line
from pubweave.runtimes.embedded.system import EmbeddedSystem
from pubweave.runtimes.embedded.webpage_store import WebpageStore

FILE = Path(__file__).parent / "data" / "of-0.1.0.db.gz"
ASKED = ("europepmc", "europepmc_fulltext", "europepmc_mined", "pubmed_xml")
FIRST = [
    Line(1, Identifiers(pmid="1")),
    Line(2, Identifiers(pmid="2")),
    Line(3, Identifiers(pmid="3")),
    Line(4, Identifiers(doi="10.1/3")),
    Line(5, Identifiers(pmid="5")),
]
SECOND = [
    Line(1, Identifiers(pmid="1")),
    Line(2, Identifiers(pmid="12")),
    Line(3, Identifiers(pmid="13")),
    Line(4, Identifiers(pmid="14")),
    Line(5, Identifiers(pmid="15")),
    Line(6, Identifiers(pmcid="PMC13")),
]
INTERRUPTED = JobSettings(idempotency_key="interrupted")


def answer(resource: str, value: str) -> Known:
    """Every article has all its identifiers, a text and some terms; number 15 fails when it is asked first."""
    number = "".join(filter(str.isdigit, value.removeprefix("10.1/")))
    if resource == "europepmc":
        return Known(
            parts=[
                ("pmid", "europepmc", number, ()),
                ("pmcid", "europepmc", f"PMC{number}", ()),
                ("doi", "europepmc", f"10.1/{number}", ()),
                ("title", "europepmc", 40, ()),
                ("theAbstract", "europepmc", 900, ()),
                ("keywords", "europepmc", 4, ()),
            ],
            gates={"isOpenAccess": True, "hasTextMinedTerms": True},
        )
    if resource == "europepmc_fulltext":
        return Known(parts=[("fulltext", "europepmc_xml", 9000, ())])
    if resource.startswith("europepmc_mined"):
        return Known(parts=[(resource.partition(":")[2], "europepmc", 3, ())])
    return Known(parts=[("mesh", "pubmed_xml", 3, ())])


class Door:
    """Silent about some articles until it is told otherwise."""

    def __init__(self, silent: tuple[str, ...] = (), failing: tuple[str, ...] = ()) -> None:
        self.asked: list[str] = []
        self._silent = silent
        self._failing = failing
        self.silences = 0

    async def fetch(self, question_: ReplyWanted) -> Reply:
        address = question_.request.url
        self.asked.append(address)
        if address.endswith(self._silent or ("never",)):
            self.silences += 1
            await asyncio.Event().wait()
        if address.endswith(self._failing or ("never",)):
            return Reply(outcome="timeout", url=address, fetched_at=5, fetch_exception=True)
        return Reply(outcome="found", url=address, status=200, fetched_at=5)


def service(name: str) -> Service:
    def step(work: Work, reply: Reply | None, context: Context) -> list[Said]:
        (need,) = work.needs
        resource, _, value = question(need)
        if reply is None:
            return [wanted(Request(url=f"https://world.test/{resource}/{value}"), name, (need,))]  # type: ignore[arg-type]
        if reply.fetch_exception:
            return say(need, Known(outcome="timeout", success=False, fetch_exception=True), reply)
        return say(need, answer(resource, value), reply)

    return Service(name=name, story="Some articles.", step=step, batching=Batching())  # type: ignore[arg-type]


def system_over(storage: SqliteStorage, door: Door) -> EmbeddedSystem:
    return EmbeddedSystem(storage, door, [service(name) for name in ASKED], Context(), SystemClock())


async def make(path: Path) -> None:
    """What a user of 0.1.0 left behind."""
    storage = SqliteStorage.open(path, create=True)
    async with system_over(storage, Door()) as system:
        assert len([one async for one in system.run_job(FIRST, job="first")]) == len(FIRST)
    database, title = RecordStore(storage, SystemClock()), Part(type="external", size=11, text="Put by hand")
    await database.put(Record("", fetch_time=5, pmid=Part(type="external", size=1, text="7"), title=title))
    await database.remove(Identifiers(pmid="5"))
    page = WebpageRecord("https://tool.test/", title="A tool", content="What it does. " * 20)
    await WebpageStore(storage, SystemClock()).put("webpage", page)
    door = Door(
        silent=("europepmc/13", "europepmc/PMC13", "europepmc_fulltext/PMC14"), failing=("europepmc/15",)
    )
    async with system_over(storage, door) as system:
        settled = []

        async def run() -> None:
            settled.extend([one.line async for one in system.run_job(SECOND, INTERRUPTED, job="second")])

        job = asyncio.create_task(run())
        await asyncio.sleep(5)
        assert door.silences == 3
        assert "https://world.test/europepmc/15" in door.asked
        job.cancel()
        await asyncio.gather(job, return_exceptions=True)
    await storage.close()


@pytest.fixture
async def storage(tmp_path: Path) -> AsyncIterator[SqliteStorage]:
    file = tmp_path / "pubweave.db"
    file.write_bytes(gzip.decompress(FILE.read_bytes()))
    opened = SqliteStorage.open(file, create=False)
    yield opened
    await opened.close()


async def test_records_and_their_reasons_are_read(storage: SqliteStorage) -> None:
    system = system_over(storage, Door())
    titles = {}
    for value in ("1", "2", "10.1/3", "7", "12"):
        told = await explain(storage.store, storage.blobs, value)
        assert told is not None
        titles[value] = told.record.title.text
        assert all(need.outcome for need in told.needs)
    await system.close()

    assert set(titles.values()) == {"Put by hand", ("europepmc-title-" * 3)[:40]}
    assert await RecordStore(storage, SystemClock()).get(Identifiers(pmid="5")) is None
    page = await WebpageStore(storage, SystemClock()).get("webpage", "https://tool.test/")
    assert page is not None
    assert page.title == "A tool"


async def test_an_interrupted_job_is_gone_on_with(storage: SqliteStorage) -> None:
    """What had its outcome keeps it, what was on its way is asked again and nothing besides, the line that had failed
    gets its second chance, and the numbers add up."""
    door = Door()
    async with system_over(storage, door) as system, asyncio.timeout(30):
        done = {one.line: one async for one in system.run_job(SECOND, INTERRUPTED)}
        told = await status(storage.store)
        number_13 = await explain(storage.store, storage.blobs, "13")

    assert {line: one.settled.outcome for line, one in done.items()} == dict.fromkeys(range(1, 7), "finished")
    assert done[3].settled.publication == done[6].settled.publication
    assert all(one.record is not None and one.record.fulltext.size == 9000 for one in done.values())
    assert done[5].record is not None
    assert not done[5].record.fetch_exception
    assert told.reconciled, told.differences
    assert told.unfinished_jobs == []
    assert number_13 is not None
    assert {need.outcome for need in number_13.needs} <= {"found", "superseded"}
    assert not any(address.endswith(("/1", "/12", "PMC12")) for address in door.asked)


async def test_what_is_there_can_be_fetched_put_and_removed(storage: SqliteStorage) -> None:
    """A new job over stored publications, records put over them, and one that another job had left unfinished."""
    async with system_over(storage, Door()) as system, asyncio.timeout(30):
        lines = [
            Line(1, Identifiers(doi="10.1/2")),
            Line(2, Identifiers(pmid="13")),
            Line(3, Identifiers(pmid="5")),
        ]
        done = {one.line: one async for one in system.run_job(lines, job="third")}
    database = RecordStore(storage, SystemClock())
    before = await database.find(Identifiers(pmid="2"))
    title = Part(type="external", size=9, text="Corrected")
    key = await database.put(Record("", pmid=Part(type="external", size=1, text="2"), title=title))
    after = await database.get(Identifiers(doi="10.1/2"))

    assert {line: one.settled.outcome for line, one in done.items()} == dict.fromkeys((1, 2, 3), "finished")
    assert before is not None
    assert before.publication == key
    assert after is not None
    assert after.title.text == "Corrected"
    assert await database.remove(Identifiers(pmid="1")) == 1
    assert await database.find(Identifiers(pmid="1")) is None


if __name__ == "__main__":
    asyncio.run(make(Path(sys.argv[1])))
