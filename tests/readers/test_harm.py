"""Whatever a page does to the process that reads it, it costs that page: an outcome with the evidence, and the job, its
deadline and Ctrl-C hold."""

import asyncio
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from flow.tables import row
from pubweave import registry
from pubweave.adapters.clock import SystemClock
from pubweave.adapters.memory import MemoryBlobs
from pubweave.adapters.sqlite.storage import SqliteStorage
from pubweave.contract.exchange import Reply, Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.reply_received import ReplyReceived
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.resource_done import ResourceDone
from pubweave.contract.values import Identifiers, Link, Place
from pubweave.contract.webpage_read import WebpageRead
from pubweave.core.toolkit.service import Context, Said, Service
from pubweave.core.toolkit.webpage_asking import WebpageSaid, first_work
from pubweave.runtimes.doors import Doors
from pubweave.runtimes.embedded.jobs import Finished, JobSettings, Line
from pubweave.runtimes.embedded.system import EmbeddedSystem
from pubweave.runtimes.messages.effects import Effects
from pubweave.runtimes.messages.resources import Resource
from pubweave.runtimes.readers.pool import Readers
from pubweave.runtimes.readers.settings import ReadersSettings
from pubweave.runtimes.steps import Here, Steps
from readers import planted
from services.resources.small_internet import Internet, To, page, rules

TESTS = Path(__file__).parents[1]
OTHERS = 4
QUICK = ReadersSettings(workers=1, cpu_s=1, deadline_s=60, memory_mb=400)
"""Bounds that a good page keeps to on a machine with much to do, and a bad one reaches soon."""


@pytest.fixture(autouse=True)
def processes_find_the_planted_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(TESTS))


PATH = processes_find_the_planted_readers


def internet(what: str = "") -> Internet:
    """Articles 0…, long pages all; number 1 does what it is told."""
    there: dict[str, Any] = {}
    for number in range(OTHERS + 1):
        doi, url = f"10.5555/{number}", f"https://site.example/a/{number}"
        there[f"https://doi.org/{doi}"] = To(url)
        more = planted.evil(what) if number == 1 and what else planted.LONG
        there[url] = page(title=f"Nests above water, part {number}", doi=doi, more=more)
    return Internet(there)


@asynccontextmanager
async def system_over(net: Internet, steps: Steps) -> AsyncIterator[EmbeddedSystem]:
    storage = SqliteStorage.in_memory()
    try:
        async with EmbeddedSystem(
            storage,
            Doors(net),
            [planted.doi()],
            Context(rules=rules()),
            SystemClock(),
            second_chance=False,
            steps=steps,
        ) as system:
            yield system
    finally:
        await storage.close()


LINES = [Line(number + 1, Identifiers(doi=f"10.5555/{number}")) for number in range(OTHERS + 1)]


class Heard:
    """Steps of others, and how needs ended that did not find what they asked for."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self.ended: list[ResourceDone] = []

    async def said(self, service: Service, work: Work, reply: Reply | None, context: Context) -> list[Said]:
        said = await self._steps.said(service, work, reply, context)
        self.ended += [one for one in said if isinstance(one, ResourceDone) and one.outcome != "found"]
        return said

    async def page_said(self, *_: Any) -> list[WebpageSaid]:
        raise AssertionError("no page here")


async def job(net: Internet, steps: Steps, **wanted: Any) -> tuple[dict[int, Finished], list[ResourceDone]]:
    heard = Heard(steps)
    async with system_over(net, heard) as system:
        done = {one.line: one async for one in system.run_job(LINES, JobSettings(**wanted))}
    return done, heard.ended


def alive(pid: int) -> bool:
    """There is such a process, and it is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(
    ("what", "outcome", "evidence", "started"),
    [
        ("loop", "timeout", "more than 1 s of processor time", 2),
        ("sleep", "timeout", "no answer within 8 s", 2),
        ("eat", "too-large", "more than 400 MiB were needed", 2),
        ("crash", "failed", "died of SIGSEGV", 3),
        ("leave", "failed", "ended with status 3", 3),
        ("quit", "failed", "ended with status 1", 3),
    ],
)
async def test_it_costs_the_one_page(what: str, outcome: str, evidence: str, started: int) -> None:
    """The outcome says which resource, address and size, and how long it took; all the others are as ever."""
    settings = msgspec.structs.replace(QUICK, deadline_s=8) if what == "sleep" else QUICK
    async with Readers(settings) as readers:
        calm, nothing = await job(internet(), readers)
        assert readers.started == 1
        done, (ended,) = await job(internet(what), readers)
        left = readers.pids()

        assert nothing == []
        assert ended.outcome == outcome
        assert evidence in ended.evidence
        assert "https://site.example/a/1 for doi" in ended.evidence
        assert " bytes" in ended.evidence
        assert ended.fetch_exception
        assert {line: row(one.record) for line, one in done.items() if line != 2} == {
            line: row(one.record) for line, one in calm.items() if line != 2
        }
        assert readers.started == started
        assert len(left) == 1
    assert not any(map(alive, left))


async def test_a_page_that_hangs_is_not_read_a_second_time(tmp_path: Path) -> None:
    """Same bytes, same outcome, at once; also from another address, and after a restart where there is a folder."""
    settings = msgspec.structs.replace(QUICK, quarantine=tmp_path)
    for started in (1, 0):
        async with Readers(settings) as readers:
            reply = reply_of(page(more=planted.evil("loop")))
            first = await readers.said(planted.doi(), AT_THE_PAGE, reply, Context())
            again = await readers.said(planted.doi(), AT_THE_PAGE, reply, Context())

            assert [one.outcome for one in (*first, *again) if isinstance(one, ResourceDone)] == [
                "timeout"
            ] * 2
            assert "not read again" in str(again)
            assert readers.started == started
    assert {Path(name).suffix for name in os.listdir(tmp_path)} == {".reply", ".json"}


async def test_others_may_end_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that died while it had nothing to do, or of something that does not come again, costs no page."""
    async with Readers(QUICK) as readers:
        service, reply = planted.doi(), reply_of(page(more=planted.LONG))
        calm = await readers.said(service, AT_THE_PAGE, reply, Context())
        (pid,) = readers.pids()
        os.kill(pid, signal.SIGKILL)
        assert await readers.said(service, AT_THE_PAGE, reply, Context()) == calm

        reading = asyncio.create_task(
            readers.said(service, AT_THE_PAGE, reply_of(page(more=planted.evil("nap"))), Context())
        )
        while not readers.reading():  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0.01)
        os.kill(readers.reading()[0], signal.SIGKILL)
        (done,) = [one for one in await reading if isinstance(one, ResourceDone)]

        assert done.outcome != "failed"
        assert readers.started == 3


async def test_processes_are_replaced_in_time() -> None:
    """After so many steps, or when they hold too much."""
    reply = reply_of(page(more=planted.LONG))
    for settings in (
        msgspec.structs.replace(QUICK, steps_per_worker=2),
        msgspec.structs.replace(QUICK, resident_mb=1, steps_at_least=2),
    ):
        async with Readers(settings) as readers:
            for _ in range(5):
                await readers.said(planted.doi(), AT_THE_PAGE, reply, Context())
            assert readers.started == 3


async def test_a_page_resource_is_no_exception() -> None:
    """Web pages and docs: the same outcomes."""
    link = Link(url="https://site.example/a/1", type="webpage", from_="")
    need = msgspec.structs.replace(_NEED, resource="webpages", link=link)
    work = msgspec.structs.replace(first_work(need), step="plain")
    async with Readers(QUICK) as readers:
        for what, outcome in (("loop", "timeout"), ("eat", "too-large"), ("leave", "failed")):
            reply = reply_of(page(more=planted.evil(what)))
            (read,) = await readers.page_said(planted.webpages(), work, reply, Context(), 1)

            assert isinstance(read, WebpageRead)
            assert (read.outcome, read.fetch_exception) == (outcome, True)
            assert "https://site.example/a/1 for webpages" in read.evidence


async def test_where_no_process_starts_replies_are_read_where_they_arrive(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """And it is said, once."""
    monkeypatch.setattr(sys, "executable", "/there/is/no/python")
    reply = reply_of(page(more=planted.LONG))
    async with Readers(QUICK) as readers:
        for _ in range(2):
            said = await readers.said(planted.doi(), AT_THE_PAGE, reply, Context())
            assert said == await Here().said(planted.doi(), AT_THE_PAGE, reply, Context())

    assert len([one for one in caplog.records if "No process can be started" in one.message]) == 1


def limits_of(pid: int) -> str:
    """As Linux shows them."""
    return Path(f"/proc/{pid}/limits").read_text()


async def test_the_operating_system_holds_the_bounds() -> None:
    """No file written, no core, no further process, so much memory: of the process itself, not of its good will."""
    async with Readers(QUICK) as readers:
        await readers.said(planted.doi(), AT_THE_PAGE, reply_of(page(more=planted.LONG)), Context())
        (pid,) = readers.pids()
        told = limits_of(pid)
    limits = {line[:26].strip(): line[26:].split()[:2] for line in told.splitlines()}

    assert limits["Max file size"] == limits["Max core file size"] == limits["Max processes"] == ["0", "0"]
    assert limits["Max address space"] == [str(400 << 20)] * 2


async def test_the_deadline_of_the_job_holds() -> None:
    """While a page hangs: its line is parked, the others have their records, and no process is left."""
    endless = msgspec.structs.replace(QUICK, workers=2, cpu_s=600, deadline_s=600)
    async with Readers(endless) as readers:
        calm, _ = await job(internet(), readers)
        began_s = time.monotonic()
        done, _ = await job(internet("loop"), readers, deadline_at=SystemClock().now_ms() + 15_000)
        took_s = time.monotonic() - began_s

        assert done[2].settled.outcome == "parked"
        assert {line: row(one.record) for line, one in done.items() if line != 2} == {
            line: row(one.record) for line, one in calm.items() if line != 2
        }
        assert took_s < 60
        assert readers.reading() == ()
        left = readers.pids()
    assert not any(map(alive, left))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_the_one_that_asks(number: signal.Signals) -> None:
    """Ctrl-C and a polite request to end it close everything at once, though a page hangs; killed, it leaves none behind."""
    victim = subprocess.Popen(
        [sys.executable, "-m", "readers.victim"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        # Whoever started the tests in the background has made them, and all they start, deaf to SIGINT.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert victim.stdout is not None
    try:
        pid = int(victim.stdout.readline())
        assert alive(pid)
        reader = os.pidfd_open(pid)
        victim.send_signal(number)
        assert select.select([reader], [], [], 60)[0], "the process that hangs in a page goes on"
        os.close(reader)
        said = victim.stdout.read()
        status = victim.wait(60)
    finally:
        victim.kill()
        victim.communicate()

    assert said == ("" if number == signal.SIGKILL else "over\n")
    assert status == (-signal.SIGKILL if number == signal.SIGKILL else 1)


_NEED = NeedsPart(
    publication="p",
    need="n",
    place=Place(1, 1, 1, 1, 1, 1),
    resource="doi",
    identifiers=Identifiers(doi="10.5555/1"),
    ask="doi",
    missing=("title", "theAbstract", "fulltext"),
)


def _at_the_page() -> Work:
    """Where `doi` stands when the resolver has led to the page."""
    doi = registry.service("doi")
    (resolving,) = doi.step(Work(resource="doi", needs=(_NEED,)), None, Context())
    assert isinstance(resolving, ReplyWanted)
    led = Reply(
        outcome="found",
        url=resolving.request.url,
        final_url=resolving.request.url,
        status=302,
        headers=(("location", "https://site.example/a/1"),),
    )
    (asking,) = doi.step(resolving.work, led, Context())
    assert isinstance(asking, ReplyWanted)
    return asking.work


AT_THE_PAGE = _at_the_page()


def reply_of(html: str) -> Reply:
    url = "https://site.example/a/1"
    return Reply(
        outcome="found",
        url=url,
        final_url=url,
        status=200,
        content_type="text/html",
        body=html.encode(),
        fetched_at=1,
    )


async def test_a_member_on_the_bus_goes_on() -> None:
    """The message with the page that hangs has its outcome, and the messages after it are heard."""
    async with Readers(QUICK) as readers:
        member = Resource(planted.doi(), Context(rules=rules()), MemoryBlobs(), SystemClock(), readers)
        outcomes = []
        for more in (planted.LONG, planted.evil("loop"), planted.LONG + "<p>another</p>"):
            heard = ReplyReceived(ask="a", reply=reply_of(page(more=more)), work=AT_THE_PAGE)
            effects = Effects()
            await member.hear("reply-received.doi", heard, effects)
            outcomes += [one.event.outcome for one in effects.said if isinstance(one.event, ResourceDone)]

    assert outcomes == ["found", "timeout", "found"]
