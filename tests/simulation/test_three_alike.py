"""One driver, three ways to deliver what it says: a generated world gives the same record, for the same questions, in one
process over SQLite, on the simulated bus with everything going wrong, and in the sequential chain of the specification.

`make test` takes a sample; `make test-worlds` 10,000 (WORLDS says how many).
"""

import asyncio
import os
import random
from collections import Counter

from flow.oracle import Oracle
from flow.test_identity import ARTICLES, KNOWN
from flow.test_oracle import expected, seen
from flow.worlds import World, arbitrary_world, question, services
from pubweave.adapters.clock import SystemClock
from pubweave.adapters.sqlite.storage import SqliteStorage
from pubweave.contract.codec import decode
from pubweave.contract.exchange import Reply
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.submissions_entered import SubmissionsEntered
from pubweave.contract.values import Identifiers
from pubweave.contract.vocabulary import IdentifierKind
from pubweave.core.record import Record
from pubweave.core.toolkit.service import Context
from pubweave.runtimes.embedded.jobs import JobSettings, Line
from pubweave.runtimes.embedded.system import EmbeddedSystem
from pubweave.runtimes.messages.owner import ALONE
from simulation import test_identity
from simulation.running import WILD, asks, line, records, settled
from simulation.test_worlds import run

WORLDS = int(os.environ.get("WORLDS", "120"))


class AnyOrder:
    """Answers in an order of its own."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)

    async def fetch(self, wanted: ReplyWanted) -> Reply:
        for _ in range(self._rng.randrange(12)):
            await asyncio.sleep(0)
        return Reply(outcome="found", url=wanted.request.url, fetched_at=5)


async def embedded(seed: int, world: World) -> tuple[Record, Counter[tuple[str, str, str]]]:
    """The record of one process, and what was asked for it."""
    storage = SqliteStorage.in_memory()
    system = EmbeddedSystem(
        storage, AnyOrder(seed), services({"": world}), Context(), SystemClock(), second_chance=False
    )
    async with system, asyncio.timeout(60):
        wanted = JobSettings(settings=world.settings, provenance="")
        (done,) = [one async for one in system.run_job([Line(1, world.supplied)], wanted)]
        asked: Counter[tuple[str, str, str]] = Counter()
        for name in system.services:
            for logged in await storage.log.read(f"needs-part.{name}"):
                need = decode(logged.entry.kind, logged.entry.version, logged.entry.body)
                assert isinstance(need, NeedsPart)
                asked[question(need)] += 1
    await storage.close()
    assert done.record is not None
    return done.record, asked


async def test_embedded_simulated_and_the_sequential_chain_agree() -> None:
    for seed in range(WORLDS):
        world = arbitrary_world(seed)
        oracle = Oracle(arbitrary_world(seed))
        wanted = expected(oracle)
        record, asked = await embedded(seed, world)
        system = await run(seed, WILD)
        (simulated,) = (await records(system)).values()

        assert seen(record) == wanted, f"world {seed}, embedded"
        assert seen(simulated) == wanted, f"world {seed}, simulated"
        assert asked == asks(system) == Counter(oracle.asks), f"world {seed}"


def lines_led_astray(seed: int) -> list[FetchRequested]:
    """Names of two articles that have all identifiers; many lines have one of the one and another of the other."""
    rng = random.Random(seed)
    articles = [
        {kind: value for kind, value in article.items() if value and value != "10.1/A"}
        for article in ARTICLES[:2]
    ]
    found = []
    for number in range(1, rng.randint(3, 7)):
        names = dict([rng.choice(sorted(rng.choice(articles).items()))])
        if rng.random() < 0.4:
            kind, value = rng.choice(sorted(rng.choice(articles).items()))
            names.setdefault(kind, value)
        found.append(line(number, identifiers=Identifiers(**names)))
    return found


def article_in(identifiers: Identifiers) -> str:
    """The PMID of the one article that these name; "" where they name two."""
    named = {KNOWN[name]["pmid"] for name in identifiers.known()}
    return named.pop() if len(named) == 1 else ""


def article_read(record: Record) -> str:
    """The PMID of the article that a record was read from. Its identifiers do not tell: those that wrong lines named as well
    belong to whoever was submitted first (design law 4)."""
    value = record.title.url.partition(":")[2]
    kind: IdentifierKind = "pmcid" if value.startswith("PMC") else "doi" if "/" in value else "pmid"
    return article_in(Identifiers(**{kind: value})) if value else ""


async def test_lines_led_astray_end_alike() -> None:
    """A line that another line's wrong identifiers have led to another article is fetched alone, wherever it runs: no line
    that names one article gets another one. (What becomes of a line that names two depends on who claims them first.)"""
    astray = 0
    for seed in range(WORLDS):
        lines = lines_led_astray(seed)
        one_process = await test_identity.in_one_process(lines)
        system = await test_identity.simulated(seed, lines, WILD)
        told = settled(system)

        articles = {key: article_read(record) for key, record in (await records(system)).items()}

        assert sorted(told) == sorted(one_process.settled) == [one.line for one in lines], f"seed {seed}"
        for one in lines:
            meant = article_in(one.identifiers)
            if not meant:
                continue
            simulated, alone = told[one.line], one_process.settled[one.line]
            assert (simulated.outcome, alone.event.outcome) == ("finished", "finished"), (
                f"seed {seed}, {one.line}"
            )
            assert alone.record is not None
            key = await system.storage.store.resolve(simulated.publication)
            assert articles[key] == article_read(alone.record) == meant, f"seed {seed}, {one.line}"
        entered = [one for one in system.events("part-candidates") if isinstance(one, SubmissionsEntered)]
        astray += any(one.publication.endswith(ALONE) for one in entered)

    assert astray > WORLDS / 50
