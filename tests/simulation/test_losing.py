"""Contents that are stored no more count as lacking: whoever submits the publication or page again has them fetched."""

import pytest

from flow.worlds import Known, question, say
from pubweave.adapters.memory import MemoryStorage
from pubweave.contract.exchange import Reply, Request, Work
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.reply_received import ReplyReceived
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.values import BlobRef, Identifiers, Place
from pubweave.core.record import Record
from pubweave.core.toolkit.answering import wanted
from pubweave.core.toolkit.service import Batching, Context, Said, Service
from pubweave.runtimes.contents import put_back
from pubweave.runtimes.lost import gone_of_page, gone_of_publication, texts_gone
from pubweave.runtimes.messages.effects import Effects
from pubweave.runtimes.messages.resources import Resource
from simulation import test_pages as pages
from simulation.clock import SimulatedClock
from simulation.running import WILD, WorldDoor, line, needs, records
from simulation.system import NO_FAULTS, Faults, SimulatedSystem

RUNS = 25
TEXT = "All of the article. " * 1_000


def service(name: str, failing: set[int]) -> Service:
    """Says everything of any article, its full text a long one; in these runs it fails instead."""

    def step(work: Work, reply: Reply | None, context: Context) -> list[Said]:
        if reply is None:
            return [
                wanted(Request(url="https://world.test/" + "/".join(question(need))), name, (need,))  # type: ignore[arg-type]
                for need in work.needs
            ]
        (need,) = work.needs
        return say(need, answer_of(need, failing), reply)

    return Service(name=name, story="One article.", step=step, batching=Batching())  # type: ignore[arg-type]


def answer_of(need: NeedsPart, failing: set[int]) -> Known:
    if need.place.run in failing:
        return Known(outcome="unavailable", success=False)
    return Known(
        parts=[
            ("pmid", "europepmc", need.identifiers.pmid, ()),
            ("title", "europepmc", 60, ()),
            ("theAbstract", "europepmc", 900, ()),
            ("fulltext", "europepmc_xml", TEXT, ()),
        ]
    )


async def ran(seed: int, faults: Faults, failing: set[int]) -> SimulatedSystem:
    services = [service("europepmc", failing), service("pmc", failing)]
    system = SimulatedSystem(seed, services, WorldDoor(), faults=faults)
    for number in (1, 2, 3):
        system.submit(line(number, identifiers=Identifiers(pmid=str(number))))
    system.close_job("job", 3)
    await system.run()
    return system


async def asked_again(system: SimulatedSystem, job: str) -> int:
    """How many needs follow from submitting the first of them once more."""
    before = len(needs(system))
    system.submit(line(1, job=job, identifiers=Identifiers(pmid="1")))
    system.close_job(job, 1)
    await system.run()
    return len(needs(system)) - before


async def first(system: SimulatedSystem) -> Record:
    found = [one for one in (await records(system)).values() if one.pmid.text == "1"]
    (record,) = found
    return await put_back(record, system.storage.blobs)


async def lose(system: SimulatedSystem, record: Record) -> None:
    assert record.fulltext.blob is not None
    await system.storage.blobs.delete(record.fulltext.blob.digest)


@pytest.mark.parametrize("faults", [NO_FAULTS, WILD])
async def test_a_lost_text_is_fetched_by_the_next_submission(faults: Faults) -> None:
    """Once, and the record is what it was; what others have is not asked for."""
    for seed in range(RUNS):
        system = await ran(seed, faults, set())
        before = await first(system)
        assert before.fulltext.text == TEXT.strip()
        assert await asked_again(system, "all-is-there") == 0, f"seed {seed}"
        await lose(system, before)
        after = await first(system)
        assert list(texts_gone(after)) == ["fulltext"]
        assert after.title == before.title
        assert await asked_again(system, "lost") > 0, f"seed {seed}"
        again = await first(system)

        assert (again.fulltext.text, again.fulltext.type) == (before.fulltext.text, before.fulltext.type)
        assert (again.title, again.theAbstract) == (before.title, before.theAbstract), "these were not lost"
        assert await asked_again(system, "found-again") == 0, f"seed {seed}"
        assert await gone_of_publication(system.storage.store, system.storage.blobs, again.publication) == ()
        await lose(system, again)
        assert await asked_again(system, "lost-again") > 0, "a second loss is as good as the first"
        assert (await first(system)).fulltext.text == before.fulltext.text


async def test_what_no_source_has_any_more_stays_named() -> None:
    """A failing source takes nothing from the record: what is left of it stays, and so does that its text is gone."""
    system = await ran(1, NO_FAULTS, {2, 3})
    before = await first(system)
    await lose(system, before)
    assert await asked_again(system, "lost") > 0
    after = await first(system)

    assert list(texts_gone(after)) == ["fulltext"]
    assert after.fulltext.size == before.fulltext.size
    assert after.title.text == before.title.text


@pytest.mark.parametrize("faults", [NO_FAULTS, WILD])
async def test_a_lost_page_is_fetched_by_the_next_submission(faults: Faults) -> None:
    """As publications."""
    for seed in range(RUNS):
        system = await pages.ran(seed, faults, (pages.line(1, "/long"), pages.line(2, "/good")))
        wanted_ = await pages.records(system.storage)
        (digest,) = {one.blob.digest for one in wanted_.values() if one.blob is not None}
        await system.storage.blobs.delete(digest)
        url = f"{pages.HOST}/long"
        assert await gone_of_page(system.storage.store, system.storage.blobs, "webpage", url) == (digest,)
        before = len(needs(system))
        for job in ("again", "once-more"):
            system.submit(FetchRequested(job=job, line=1, url=url, entry="webpage"))
            system.submit(FetchRequested(job=job, line=2, url=f"{pages.HOST}/good", entry="webpage"))
            system.close_job(job, 2)
            await system.run()

        assert await system.storage.blobs.has(digest), f"seed {seed}"
        assert await pages.records(system.storage) == wanted_, f"seed {seed}"
        assert len(needs(system)) == before + 1, f"seed {seed}: once, and nothing else"


async def test_a_reply_that_was_lost_before_it_was_read_is_asked_for_again() -> None:
    """Its event is still on the bus; nobody gets a dead letter for it, and the question is the same as before."""
    storage, context = MemoryStorage(), Context()
    resource = Resource(service("europepmc", set()), context, storage.blobs, SimulatedClock())
    place = Place(1, 1, 1, 1, 1, 0)
    need = NeedsPart(
        publication="p",
        need="n",
        place=place,
        resource="europepmc",
        identifiers=Identifiers(pmid="1"),
        ask="pmid",
    )
    first_, again = Effects(), Effects()
    await resource.hear("needs-part.europepmc", need, first_)
    await resource.end_of_batch(first_)
    (asked,) = (one.event for one in first_.said)
    assert isinstance(asked, ReplyWanted)
    reply = Reply("found", "https://world.test/", blob=BlobRef(digest="a" * 32, bytes=70_000))
    received = ReplyReceived(ask=asked.ask, reply=reply, work=asked.work, door="fetcher")
    await resource.hear("reply-received.europepmc", received, again)

    assert [one.event for one in again.said] == [asked]
