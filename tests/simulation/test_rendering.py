"""Pages that scripts make on the simulated bus: the renderer asks in the middle of a page, whatever happens to machines."""

import asyncio
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec
import pytest

from pubweave import registry
from pubweave.adapters.clock import ManualClock, SystemClock
from pubweave.adapters.memory import MemoryStorage
from pubweave.contract.digests import quick_digest
from pubweave.contract.exchange import Reply, Request, Work
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.reply_received import ReplyReceived
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.webpage_read import WebpageRead
from pubweave.core.toolkit.service import Context
from pubweave.core.webpage_record import WebpageRecord
from pubweave.ports import Fetching, StorageProblem
from pubweave.runtimes.bus.turns import FetcherTurns
from pubweave.runtimes.doors import Doors
from pubweave.runtimes.embedded.webpages import PageLine, PageWishes, Webpages
from pubweave.runtimes.messages.asking import Asking, PageAsking
from pubweave.runtimes.messages.doors import PageDoor
from pubweave.runtimes.messages.effects import Effects
from services.doors.fetcher.loopback import wanted
from simulation.running import WILD, settled
from simulation.system import NO_FAULTS, Faults, SimulatedSystem
from simulation.test_pages import records

PAGES: Final = tuple(registry.page_service(entry) for entry in ("webpage", "doc"))
HOST: Final = "http://tool.example"
PATHS: Final = ("/app", "/large", "/twice", "/gone", "/plain")


def page(*scripts: str, more: str = "") -> str:
    return f"<html><head><title>Empty</title></head><body>{' '.join(scripts)}{more}</body></html>"


LONG: Final = "<p>" + "word " * 30_000 + "</p>"
CONTENTS: Final[Mapping[str, str]] = {
    "/app": page("load:/app.js;", "load:/more.js;"),
    "/large": page("load:/large.js;", more="<!-- " + "x" * 80_000 + " -->"),
    "/twice": page("load:/app.js;", "load:/app.js;", "load:/missing.js;"),
    "/plain": "<title>Plain</title>" + "<p>Enough text without any script, " * 20,
    "/app.js": "<title>App</title>" + "<p>What the first script brings. " * 10,
    "/more.js": "<p>And what the second one brings.",
    "/large.js": "<title>Large</title>" + LONG,
}


class World:
    """Hosts; what is asked for how often, by the question's name."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    async def fetch(self, wanted: ReplyWanted) -> Reply:
        url = wanted.request.url
        self.asked[url.removeprefix(HOST)] += 1
        content = CONTENTS.get(url.removeprefix(HOST))
        told = {"url": url, "final_url": url, "content_type": "text/html", "fetched_at": 5}
        if content is None:
            return Reply("absent", status=404, evidence="HTTP 404", **told)  # type: ignore[arg-type]
        return Reply("found", status=200, body=content.encode(), **told)  # type: ignore[arg-type]


class Browser:
    """Loads what a page names, all at once, and puts what comes in its place, in the order of the page."""

    def missing(self) -> str:
        return ""

    def page_wanted(self, wanted: ReplyWanted) -> ReplyWanted:
        request = msgspec.structs.replace(wanted.request, expect="html", javascript=True)
        return msgspec.structs.replace(wanted, request=request)

    async def show(self, wanted: ReplyWanted, document: Reply, fetcher: Fetching) -> Reply:
        urls = [HOST + path for path in re.findall(r"load:(\S+?);", document.body.decode())]
        replies = await asyncio.gather(*(fetcher.fetch(one) for one in self._questions(wanted, urls)))
        body = b"".join(reply.body for reply in replies if reply.outcome == "found") or document.body
        return msgspec.structs.replace(document, body=body, evidence="rendered")

    def _questions(self, wanted: ReplyWanted, urls: list[str]) -> Iterator[ReplyWanted]:
        counts: Counter[str] = Counter()
        for url in urls:
            counts[url] += 1
            yield ReplyWanted(
                ask=f"{wanted.ask} {counts[url]} {quick_digest(url)}",
                unit=wanted.unit,
                request=Request(url),
                work=Work(wanted.work.resource, ()),
            )

    async def render(self, wanted: ReplyWanted, fetcher: Fetching) -> Reply:
        """As one process does it."""
        document = await fetcher.fetch(msgspec.structs.replace(self.page_wanted(wanted), door="fetcher"))
        return await self.show(wanted, document, fetcher) if document.outcome == "found" else document


async def embedded() -> tuple[dict[tuple[str, str], WebpageRecord], Counter[str]]:
    """The same pages in one process, and what it asked for."""
    storage, world = MemoryStorage(), World()
    async with Webpages(storage, Doors(world, None, Browser()), Context(), SystemClock()) as pages:
        lines = [PageLine(number, HOST + path) for number, path in enumerate(PATHS)]
        assert len([one async for one in pages.fetch(lines, PageWishes())]) == len(PATHS)
    return await records(storage), world.asked


async def ran(seed: int, faults: Faults) -> tuple[SimulatedSystem, World]:
    world = World()
    system = SimulatedSystem(seed, [], world, faults=faults, pages=PAGES, renderer=Browser)
    for number, path in enumerate(PATHS, start=1):
        system.submit(FetchRequested(job="job", line=number, url=HOST + path, entry="webpage"))
    system.close_job("job", len(PATHS))
    await system.run()
    return system, world


async def test_what_a_page_loads_comes_back_to_the_process_that_shows_it() -> None:
    """The records of one process, asking for the same; two members, whose answers lie on partitions of their own."""
    expected, asked = await embedded()
    for seed in range(10):
        system, world = await ran(seed, NO_FAULTS)

        assert await records(system.storage) == expected, f"seed {seed}"
        assert world.asked == asked, f"seed {seed}"
    assert expected["webpage", f"{HOST}/app"].title == "App"
    assert "second one" in expected["webpage", f"{HOST}/app"].content
    assert asked["/app.js"] == 3


async def test_pages_are_rendered_anew_when_machines_end() -> None:
    """Renderers and fetchers crash, stand still and lose their partitions in the middle of pages: the records stay the
    same, and every line has one outcome."""
    expected, _ = await embedded()
    in_the_middle = 0
    for seed in range(40):
        system, _ = await ran(seed, WILD)
        in_the_middle += sum("in the middle of a page" in what for what in system.history)

        assert await records(system.storage) == expected, f"seed {seed}"
        assert sorted(settled(system)) == list(range(1, len(PATHS) + 1)), f"seed {seed}"
        read = {
            (one.publication, one.epoch, one.run)
            for one in system.events("webpages")
            if isinstance(one, WebpageRead)
        }
        assert len(read) == len(PATHS), f"seed {seed}"
    assert in_the_middle > 10, "the faults hardly ever met a page"


async def test_the_same_seed_replays() -> None:
    """Step by step, pages included."""
    histories = [(await ran(7, WILD))[0].history for _ in range(2)]

    assert histories[0] == histories[1]


async def test_a_page_that_is_not_brought_needs_no_browser() -> None:
    """Nor does what is absent ever reach a renderer."""
    system, _ = await ran(1, NO_FAULTS)
    brought = [
        one.request.url.removeprefix(HOST)
        for one in system.events("reply-wanted.renderer")
        if isinstance(one, ReplyWanted) and one.fetched is not None
    ]

    assert "/gone" not in brought
    assert {"/app", "/large", "/twice"} <= set(brought)


async def test_long_contents_do_not_travel() -> None:
    """The page and what it loads lie among the blobs, both ways."""
    system, _ = await ran(1, NO_FAULTS)
    replies = [one.reply for one in system.events("page-replies") if isinstance(one, ReplyReceived)]
    documents = [
        one.fetched
        for one in system.events("reply-wanted.renderer")
        if isinstance(one, ReplyWanted) and one.fetched is not None
    ]

    assert [reply.blob is not None for reply in replies if reply.url.endswith("/large.js")] == [True]
    assert [reply.blob is not None for reply in documents if reply.url.endswith("/large")] == [True]


class Saying:
    """Keeps what is said."""

    def __init__(self, problem: StorageProblem | None = None) -> None:
        self.said: list[ReplyWanted] = []
        self._problem = problem

    async def __call__(self, question: ReplyWanted) -> None:
        if self._problem is not None:
            raise self._problem
        self.said.append(question)


def answer(question: ReplyWanted, asker: str, evidence: str = "") -> ReplyReceived:
    work = msgspec.structs.replace(question.work, asker=asker)
    return ReplyReceived(ask=question.ask, reply=Reply("found", "", evidence=evidence), work=work)


async def test_answers_for_others_and_answers_too_late_are_left() -> None:
    """Addresses share partitions: only what bears the own one counts, once, and only while somebody waits."""
    asking = Asking("mine", Saying(), MemoryStorage().blobs, ManualClock())
    question = wanted(f"{HOST}/app.js")
    waiting = asyncio.create_task(asking.ask(question))
    await asyncio.sleep(0)
    asking.heard(answer(question, "another's", "of a process that has ended"))
    asking.heard(answer(question, "mine", "the first"))
    asking.heard(answer(question, "mine", "said again"))
    assert (await waiting).evidence == "the first"
    asking.heard(answer(question, "mine", "too late"))
    again = asyncio.create_task(asking.ask(question))
    await asyncio.sleep(0)
    assert asking.reasons() == ["questions of pages that wait for the fetcher: 1"]
    again.cancel()
    await asyncio.gather(again, return_exceptions=True)

    assert again.cancelled()
    assert asking.reasons() == []


class Failing(Browser):
    """Takes whatever goes wrong for a fault of the page, as browsers do."""

    async def show(self, wanted: ReplyWanted, document: Reply, fetcher: Fetching) -> Reply:
        try:
            return await super().show(wanted, document, fetcher)
        except StorageProblem as problem:
            return msgspec.structs.replace(document, outcome="failed", evidence=str(problem))


async def test_a_question_that_cannot_be_said_is_no_outcome_of_the_page() -> None:
    """The service cannot go on; nothing is said about the page, so another renders it."""
    storage = MemoryStorage()
    asking = Asking("mine", Saying(StorageProblem("no Kafka")), storage.blobs, ManualClock())
    document = Reply("found", f"{HOST}/app", status=200, body=CONTENTS["/app"].encode())
    question = msgspec.structs.replace(wanted(f"{HOST}/app"), door="renderer", bring=True, fetched=document)
    effects = Effects()
    with pytest.raises(StorageProblem, match="no Kafka"):
        await PageDoor(Failing(), asking, storage.blobs, SystemClock()).hear("", question, effects)

    assert effects.said == []
    assert PageAsking(asking).problem is None


async def test_without_a_browser_no_host_is_asked() -> None:
    """One reply that says so."""

    class Nothing(Browser):
        def missing(self) -> str:
            return "there is no Chromium here"

    storage, effects, saying = MemoryStorage(), Effects(), Saying()
    question = msgspec.structs.replace(wanted(f"{HOST}/app"), door="renderer")
    asking = Asking("mine", saying, storage.blobs, ManualClock())
    await PageDoor(Nothing(), asking, storage.blobs, SystemClock()).hear("", question, effects)
    (said,) = (one.event for one in effects.said)

    assert isinstance(said, ReplyReceived)
    assert (said.reply.outcome, said.reply.evidence) == ("no-door", "there is no Chromium here")
    assert saying.said == []


async def test_a_page_that_takes_its_time_is_a_reason_to_stand_still() -> None:
    """Not for ever: who ends no page for longer than any page takes is not alive."""

    class Slow(Browser):
        async def show(self, wanted: ReplyWanted, document: Reply, fetcher: Fetching) -> Reply:
            await asyncio.Event().wait()
            raise AssertionError

    storage, clock = MemoryStorage(), ManualClock()
    door = PageDoor(Slow(), Asking("mine", Saying(), storage.blobs, clock), storage.blobs, clock)
    document = Reply("found", f"{HOST}/app", status=200)
    question = msgspec.structs.replace(wanted(f"{HOST}/app"), door="renderer", bring=True, fetched=document)
    hearing = asyncio.create_task(door.hear("", question, Effects()))
    await asyncio.sleep(0)
    told = [door.reasons()]
    for seconds in (150, 40):
        await clock.advance(seconds)
        told.append(door.reasons())
    hearing.cancel()
    await asyncio.gather(hearing, return_exceptions=True)

    assert told == [["pages being rendered: 1"], ["pages being rendered: 1"], []]
    assert door.reasons() == []


class Standing:
    """A fetcher whose host never has a turn."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.dropped: list[str] = []

    async def hop(self, wanted: ReplyWanted) -> Reply:
        self.asked.append(wanted.ask)
        try:
            await asyncio.Event().wait()
        finally:
            self.dropped.append(wanted.ask)
        raise AssertionError


async def test_what_nobody_waits_for_is_not_asked_any_more() -> None:
    """Not at all if it comes too late, and no longer when the page must have ended: one answer, which nobody hears."""
    clock, saying, standing = ManualClock(), Saying(), Standing()
    asking = Asking("mine", saying, MemoryStorage().blobs, clock)
    waiting = asyncio.create_task(asking.ask(wanted(f"{HOST}/app.js", timeout_ms=15_000)))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    (question,) = saying.said
    soon = msgspec.structs.replace(question, ask="soon over", until=clock.now_ms() + 1)
    late = msgspec.structs.replace(question, ask="too late", until=clock.now_ms())
    turns = FetcherTurns(standing, clock, 10.0)  # type: ignore[arg-type]
    replies = [await turns.fetch(soon), await turns.fetch(late)]

    assert question.until == clock.now_ms() + 61_000
    assert [reply.outcome for reply in replies if isinstance(reply, Reply)] == ["timeout", "timeout"]
    assert (standing.asked, standing.dropped) == (["soon over"], ["soon over"])
