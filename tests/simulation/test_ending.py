"""Removing and erasing as messages: whatever crashes, pauses and repeats, what was asked for is what is there."""

import random
from typing import Any

import msgspec
import pytest

from flow.worlds import Known, question, say
from pubweave.adapters.clock import SystemClock
from pubweave.adapters.memory import MemoryStorage, MemoryStore
from pubweave.adapters.sqlite import SqliteStorage
from pubweave.contract.catalogue import topics
from pubweave.contract.codec import encode
from pubweave.contract.digests import content_digest
from pubweave.contract.erasure_requested import ErasureRequested
from pubweave.contract.exchange import Reply, Request, Work
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.kinds import Event
from pubweave.contract.publication_erased import PublicationErased
from pubweave.contract.publication_removed import PublicationRemoved
from pubweave.contract.put_requested import PutRequested
from pubweave.contract.removal_requested import RemovalRequested
from pubweave.contract.values import Identifiers
from pubweave.core.record import Part, Record, decode_record, encode_record
from pubweave.core.toolkit.answering import wanted
from pubweave.core.toolkit.service import Batching, Context, Said, Service
from pubweave.runtimes.embedded.database import RecordStore
from pubweave.runtimes.messages.publication import Erased, read_row
from pubweave.runtimes.messages.webpages import PageRebuilder
from simulation import test_pages as pages
from simulation.running import WILD, WorldDoor, line, records
from simulation.system import NO_FAULTS, Faults, SimulatedSystem
from simulation.test_rebuilding import rebuilt

RUNS = 40
WORDS = ("warble", "gristle")
ARTICLES = {
    word: {"pmid": f"7777000{n}", "pmcid": f"PMC777000{n}", "doi": f"10.7777/{word.upper()}"}
    for n, word in enumerate(WORDS)
}
OF = {(kind, value): word for word, known in ARTICLES.items() for kind, value in known.items()}
LONG = {word: f"{word} " * 900 for word in WORDS}
COMPACTED = [name for topic in topics() if topic.compacted for name in topic.names()]


def answer_of(need: Any) -> Known:
    resource, kind, value = question(need)
    word = OF.get((kind, value))
    if resource == "pubmed_xml" and word:
        return Known(parts=[("mesh", "pubmed_xml", 2, ())])
    if resource != "europepmc" or word is None:
        return Known(outcome="absent", success=False)
    parts = [(kind, "europepmc", found, ()) for kind, found in ARTICLES[word].items()]
    return Known(
        parts=[*parts, ("title", "europepmc", f"A {word}", ()), ("theAbstract", "europepmc", LONG[word], ())]
    )


def services() -> list[Service]:
    def service(name: str) -> Service:
        def step(work: Work, reply: Reply | None, context: Context) -> list[Said]:
            if reply is None:
                return [
                    wanted(Request(url="https://world.test/" + "/".join(question(need))), name, (need,))  # type: ignore[arg-type]
                    for need in work.needs
                ]
            (need,) = work.needs
            return say(need, answer_of(need), reply)

        return Service(name=name, story="Two articles.", step=step, batching=Batching())  # type: ignore[arg-type]

    return [service(name) for name in ("europepmc", "pubmed_xml", "pmc")]


def lines_of(rng: random.Random, job: str, words: tuple[str, ...] = WORDS) -> list[FetchRequested]:
    names = [name for name, word in OF.items() if word in words]
    return [
        line(number, job, identifiers=Identifiers(**{kind: value}))
        for number, (kind, value) in enumerate(rng.choices(names, k=rng.randint(1, 4)), start=1)
    ]


async def begun(seed: int, faults: Faults) -> tuple[random.Random, SimulatedSystem, str]:
    """A system in which the first article has a record, and its key."""
    rng = random.Random(seed)
    system = SimulatedSystem(seed, services(), WorldDoor(), faults=faults)
    lines = [line(0, identifiers=Identifiers(pmid=ARTICLES["warble"]["pmid"])), *lines_of(rng, "job")]
    system.submit(*lines)
    system.close_job("job", len(lines))
    await system.run()
    return rng, system, await led_to(system, "warble")


async def led_to(system: SimulatedSystem, word: str) -> str:
    """The publication that all identifiers of an article lead to; "" if none leads anywhere."""
    store = system.storage.store
    holders = await store.holders([(kind, value) for kind, value in OF if OF[kind, value] == word])  # type: ignore[misc]
    found = {await store.resolve(holder) for holder in holders.values()}
    assert len(found) <= 1, f"{word} leads to {found}"
    return found.pop() if found else ""


def about(word: str, events: list[Event]) -> list[Event]:
    """Events that name an identifier, the title or the text of an article."""
    names = [word, *ARTICLES[word].values()]
    return [event for event in events if any(name in encode(event).decode() for name in names)]


async def settled_in(system: SimulatedSystem, job: str) -> dict[int, str]:
    return {one.line: one.outcome async for one in system.storage.store.submissions(job)}


@pytest.mark.parametrize("faults", [NO_FAULTS, WILD])
async def test_what_is_removed_leaves_a_tombstone_and_leads_nowhere(faults: Faults) -> None:
    """Version and reason as in one process; Kafka lets go of the record; everything else is as before."""
    for seed in range(RUNS):
        _, system, key = await begun(seed, faults)
        before = await records(system)
        stored = await system.storage.store.record(key)
        assert stored is not None
        system.say(RemovalRequested(publication=key, request="r", requested_at=5))
        await system.run()

        after = await system.storage.store.record(key)
        assert after is not None, f"seed {seed}"
        assert (after.removed, after.body, after.reason) == (True, b"", "removed"), f"seed {seed}"
        assert after.version == stored.version + 1, f"seed {seed}"
        assert await led_to(system, "warble") == "", f"seed {seed}"
        del before[key]
        assert await records(system) == before, f"seed {seed}"
        told = [one for one in system.events("publications") if isinstance(one, PublicationRemoved)]
        assert (key, ARTICLES["warble"]["doi"]) in [(one.publication, one.identifiers.doi) for one in told]
        assert about("warble", system.kept("publications")) == [], f"seed {seed}"


@pytest.mark.parametrize("faults", [NO_FAULTS, WILD])
async def test_what_is_asked_for_while_it_is_removed_gets_a_record_of_its_own(faults: Faults) -> None:
    """Lines on their way to what has just been removed go on: each has its outcome, and the article one record."""
    for seed in range(RUNS):
        rng, system, key = await begun(seed, faults)
        first = (await records(system))[key]
        more = lines_of(rng, "later", ("warble",))
        said = [RemovalRequested(publication=key, request="r"), *more]
        for event in rng.sample(said, len(said)):
            system.say(event)
            for _ in range(rng.randrange(15)):
                await system.step()
        system.close_job("later", len(more))
        await system.run()
        system.submit(line(1, "last", identifiers=Identifiers(doi=ARTICLES["warble"]["doi"])))
        system.close_job("last", 1)
        await system.run()

        outcomes = {**await settled_in(system, "later"), 99: (await settled_in(system, "last"))[1]}
        assert set(outcomes) == {99, *(one.line for one in more)}, f"seed {seed}"
        assert set(outcomes.values()) <= {"finished", "parked"}, f"seed {seed}: {outcomes}"
        assert outcomes[99] == "finished", f"seed {seed}"
        found = {name: one for name, one in (await records(system)).items() if one.title.text == "A warble"}
        (again,) = found.values()
        assert key not in found, f"seed {seed}"
        assert (again.identifiers, again.theAbstract.blob) == (first.identifiers, first.theAbstract.blob)
        assert await led_to(system, "warble") in found, f"seed {seed}"


def bytes_of(store: MemoryStore) -> bytes:
    """Everything that a store in memory holds."""
    return repr({name: value for name, value in vars(store).items() if name != "_journal"}).encode()


@pytest.mark.parametrize("faults", [NO_FAULTS, WILD])
@pytest.mark.parametrize("removed_before", [False, True])
async def test_nothing_stays_of_what_is_erased(faults: Faults, removed_before: bool) -> None:
    """Not in the topics that keep facts, once compacted, nor in any table, nor among the contents."""
    for seed in range(RUNS):
        _, system, key = await begun(seed, faults)
        others = {name: one for name, one in (await records(system)).items() if name != key}
        if removed_before:
            system.say(RemovalRequested(publication=key, request="r"))
            await system.run()
        text = content_digest(LONG["warble"].strip().encode())
        assert await system.storage.blobs.has(text)
        system.say(ErasureRequested(publication=key, request="e", contents=(text,)))
        await system.run()

        for topic in COMPACTED:
            assert about("warble", system.kept(topic)) == [], f"seed {seed}: {topic}"
        store = system.storage.store
        held = bytes_of(store)
        for name in ("warble", *ARTICLES["warble"].values()):
            assert name.encode() not in held, f"seed {seed}: {name}"
        assert not await system.storage.blobs.has(text), f"seed {seed}"
        (left,) = [read_row(row) for row in await store.rows(key)]
        assert isinstance(left, Erased), f"seed {seed}"
        assert await records(system) == others, f"seed {seed}"
        assert set((await settled_in(system, "job")).values()) == {"finished"}, f"seed {seed}"


async def test_lines_under_way_are_parked_by_an_erasure_and_their_jobs_end() -> None:
    """An erasure in the middle of a job; what is asked for afterwards is fetched as if it had never been there."""
    parked = 0
    for seed in range(RUNS):
        rng = random.Random(seed)
        system = SimulatedSystem(seed, services(), WorldDoor(), faults=WILD)
        lines = [line(0, identifiers=Identifiers(pmid=ARTICLES["warble"]["pmid"])), *lines_of(rng, "job")]
        system.submit(*lines)
        system.close_job("job", len(lines))
        for _ in range(rng.randrange(80)):
            await system.step()
        system.say(ErasureRequested(publication=lines[0].submission, request="e"))
        await system.run()
        outcomes = await settled_in(system, "job")
        assert set(outcomes) == {one.line for one in lines}, f"seed {seed}"
        assert all(outcomes.values()), f"seed {seed}: {outcomes}"
        parked += "parked" in outcomes.values()
        system.submit(line(1, "again", identifiers=Identifiers(pmcid=ARTICLES["warble"]["pmcid"])))
        system.close_job("again", 1)
        await system.run()

        assert (await settled_in(system, "again"))[1] == "finished", f"seed {seed}"
        key = await led_to(system, "warble")
        assert (await records(system))[key].title.text == "A warble", f"seed {seed}"
        erased = [one for one in system.events("part-candidates") if isinstance(one, PublicationErased)]
        assert key not in {one.publication for one in erased}, f"seed {seed}"

    assert parked > RUNS / 8


async def test_a_store_made_anew_from_the_log_knows_nothing_of_what_was_erased() -> None:
    """Also from a log that has not been compacted yet."""
    for seed in range(RUNS // 2):
        _, system, key = await begun(seed, WILD)
        system.say(ErasureRequested(publication=key, request="e"))
        await system.run()
        made = await rebuilt(system)

        assert isinstance(made, MemoryStore)
        held = bytes_of(made)
        for name in ARTICLES["warble"].values():
            assert name.encode() not in held, f"seed {seed}: {name}"


@pytest.mark.parametrize("faults", [NO_FAULTS, WILD])
async def test_what_is_fetched_from_scratch_takes_the_place_of_what_was_stored(faults: Faults) -> None:
    """Nothing that only the old answers had stays; the key does, and so does the record until the new one is there."""
    for seed in range(RUNS):
        rng, system, key = await begun(seed, faults)
        before = (await records(system))[key]
        kind, value = rng.choice([name for name, word in OF.items() if word == "warble"])
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(ARTICLES, "warble", {**ARTICLES["warble"], "pmcid": ""})
            system.submit(line(1, "anew", identifiers=Identifiers(**{kind: value}), fresh=True))
            system.close_job("anew", 1)
            await system.run()

        assert (await settled_in(system, "anew"))[1] == "finished", f"seed {seed}"
        (after,) = [one for one in (await records(system)).values() if one.title.text == "A warble"]
        known = after.identifiers
        assert (known.pmid, known.doi) == (before.identifiers.pmid, before.identifiers.doi), f"seed {seed}"
        assert known.pmcid == (value if kind == "pmcid" else ""), f"seed {seed}"
        assert after.publication == key, f"seed {seed}"


def put_of(key: str, request: str, known: dict[str, str], title: str) -> PutRequested:
    parts = {kind: Part(type="europepmc", size=len(text), text=text) for kind, text in known.items()}
    record = Record(
        publication=key, fetch_time=7, title=Part(type="pubmed_xml", size=len(title), text=title), **parts
    )
    return PutRequested(publication=key, request=request, record=msgspec.Raw(encode_record(record)))


async def of_one_process(*puts: PutRequested) -> Record:
    """What the last of these puts leaves in the database of one process."""
    storage = SqliteStorage.in_memory()
    database = RecordStore(storage, SystemClock())
    for put in puts:
        await database.put(decode_record(bytes(put.record)))
    (stored,) = [one async for one in storage.store.records()]
    await storage.close()
    return msgspec.structs.replace(decode_record(stored.body), publication="")


@pytest.mark.parametrize("faults", [NO_FAULTS, WILD])
async def test_what_is_put_takes_the_place_of_what_was_stored(faults: Faults) -> None:
    """The record is that of one process; identifiers that it has no more lead nowhere, its own lead to it."""
    for seed in range(RUNS):
        _, system, key = await begun(seed, faults)
        others = {name: one for name, one in (await records(system)).items() if name != key}
        known = {"pmid": ARTICLES["warble"]["pmid"], "doi": "10.7777/corrected", "pmcid": "PMC7770000"}
        first, second = put_of(key, "one", known, "A first title"), put_of(key, "two", known, "A title put")
        system.say(first)
        await system.run()
        system.say(second, second)
        await system.run()

        found = await records(system)
        assert msgspec.structs.replace(found.pop(key), publication="") == await of_one_process(second)
        assert found == others, f"seed {seed}"
        holders = await system.storage.store.holders(
            [("doi", "10.7777/corrected"), ("doi", "10.7777/warble")]
        )
        led = {name: await system.storage.store.resolve(holder) for name, holder in holders.items()}
        assert led == {("doi", "10.7777/corrected"): key}, f"seed {seed}"
        assert [one for one in system.kept("part-candidates") if isinstance(one, PutRequested)] == []


@pytest.mark.parametrize("faults", [NO_FAULTS, WILD])
async def test_an_article_that_is_put_while_it_is_fetched_has_one_record(faults: Faults) -> None:
    """Every line has its outcome, all identifiers lead to one record, and what was put is not lost."""
    for seed in range(RUNS):
        rng = random.Random(seed)
        system = SimulatedSystem(seed, services(), WorldDoor(), faults=faults)
        lines = lines_of(rng, "job", ("warble",))
        put = put_of("zz.000000001", "one", ARTICLES["warble"], "A title put")
        for event in rng.sample([*lines, put], len(lines) + 1):
            system.say(event)
            for _ in range(rng.randrange(25)):
                await system.step()
        system.close_job("job", len(lines))
        await system.run()

        outcomes = await settled_in(system, "job")
        assert set(outcomes) == {one.line for one in lines}, f"seed {seed}"
        assert all(outcomes.values()), f"seed {seed}: {outcomes}"
        (record,) = (await records(system)).values()
        assert record.identifiers == Identifiers(**ARTICLES["warble"]), f"seed {seed}"
        assert record.title.text == "A title put", f"seed {seed}"
        assert await led_to(system, "warble") == record.publication, f"seed {seed}"


@pytest.mark.parametrize("faults", [NO_FAULTS, WILD])
async def test_nothing_stays_of_a_page_that_is_erased_and_it_can_be_fetched_anew(faults: Faults) -> None:
    """Facts, lines, record and text; the page of another kind at the same address stays."""
    lines = (pages.line(1, "/long"), pages.line(2, "/good"), pages.line(3, "/long", "doc"))
    url = f"{pages.HOST}/long"
    for seed in range(RUNS):
        system = await pages.ran(seed, faults, lines)
        before = await pages.records(system.storage)
        blob = before["webpage", url].blob
        assert blob is not None
        system.say(ErasureRequested(publication=f"webpage {url}", request="e", contents=(blob.digest,)))
        # A member that sleeps through an erasure and ends it afterwards would take away what came meanwhile.
        meanwhile = seed % 2 and faults is NO_FAULTS
        if meanwhile:
            system.submit(pages.line(1, "/long", job="meanwhile"))
        await system.run()
        erased = await pages.records(system.storage)
        if meanwhile and ("webpage", url) in erased:
            continue  # it was submitted after it was erased

        assert erased == {name: page for name, page in before.items() if name != ("webpage", url)}, (
            f"seed {seed}"
        )
        for topic in COMPACTED:
            left = [one for one in system.kept(topic) if f'webpage {url}"'.encode() in encode(one)]
            assert left == [], f"seed {seed}: {topic}"
        assert await system.storage.store.rows(f"webpage {url}") == [], f"seed {seed}"
        assert not await system.storage.blobs.has(blob.digest), f"seed {seed}"
        assert await settled_in(system, "job") == dict.fromkeys((1, 2, 3), "finished"), f"seed {seed}"

        made = MemoryStorage()
        rebuilder = PageRebuilder(made.store)
        for event in system.events("webpages"):
            await rebuilder.take(event)
        assert await rebuilder.finish() == 2, f"seed {seed}: the log is not compacted yet, but it is erased"
        assert await pages.records(made) == erased, f"seed {seed}"

        system.submit(pages.line(1, "/long", job="again"))
        system.close_job("again", 1)
        await system.run()
        assert (await pages.records(system.storage))["webpage", url].title == before["webpage", url].title
        assert await settled_in(system, "again") == {1: "finished"}, f"seed {seed}"
