"""The politeness laws, read off the servers' own logs."""

import asyncio
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from pubweave.adapters.memory import MemoryStore
from pubweave.core.toolkit.service import Addresses
from pubweave.doors.fetcher.budgets import Budget, Budgets
from pubweave.ports import Attempt
from services.doors.fetcher.loopback import Asked, OpenFetcher, Server, counted, reply_bytes, says, wanted
from simnet.faults import Fault
from simnet.fixture import Process, process

pytestmark = pytest.mark.network

WINDOW_S = 0.4
REST = Addresses().europepmc


@pytest.fixture(scope="module")
def net() -> Iterator[Process]:
    with process("--seed", "3", "--size", "60", "--latency-ms", "15") as running:
        yield running


def pmids(net: Process) -> list[str]:
    lines = net.ids_file.read_text().splitlines()
    return [pmid for line in lines if (pmid := line.partition("\t")[0]).isdigit()]


def budget(family: str, path: str, requests: int) -> Budget:
    return Budget(family=family, at=(path,), requests=requests, seconds=WINDOW_S)


async def test_no_window_is_above_a_budget_and_no_host_above_its_connections(
    net: Process, open_fetcher: OpenFetcher
) -> None:
    """Law: with faults that break connections and force second attempts, as the simulated internet saw it."""
    net.reset()
    net.set_faults(
        Fault("503", "europepmc", 0.3, heals_after=1), Fault("reset", "pubmed_xml", 0.3, heals_after=1)
    )
    budgets = Budgets(
        [
            budget("europepmc", "www.ebi.ac.uk/europepmc/webservices/rest", 4),
            budget("annotations", "www.ebi.ac.uk/europepmc/annotations_api", 3),
            budget("eutils", "eutils.ncbi.nlm.nih.gov", 5),
        ]
    )
    questions = [
        wanted(url, lane=lane, expect="xml", timeout_ms=20_000)
        for pmid, lane in zip(pmids(net), ["bulk", "interactive"] * 7, strict=False)
        for url in (
            f"{REST}/search?query=ext_id:{pmid}%20src:med&resultType=core&format=xml",
            f"{Addresses().annotations}/annotationsByArticleIds?articleIds=MED:{pmid}&format=XML",
            f"{Addresses().eutils}/efetch.fcgi?db=pubmed&id={pmid}&retmode=xml",
        )
    ]
    async with open_fetcher(
        environment=net.environment,
        cert_file=str(net.ca_file),
        connections_per_host=2,
        no_budgets=False,
        first_window="skip",
        window_padding_ms=100,
    ) as fetcher:
        fetcher.use_budgets(budgets)
        replies = await asyncio.gather(*map(fetcher.fetch, questions))
    log, summary = net.log, net.summary()

    assert len(log.entries) >= len(questions) == len(replies)
    assert {reply.outcome for reply in replies} == {"found", "unavailable", "reset"}
    busiest = {name: log.busiest_window(name, WINDOW_S) for name in ("europepmc", "annotations", "eutils")}
    assert busiest["europepmc"] <= 4
    assert busiest["annotations"] <= 3
    assert busiest["eutils"] <= 5
    assert max(summary["connections_most"].values()) <= 2
    assert max(summary["requests_most"].values()) <= 2


async def test_by_default_a_host_has_one_connection(net: Process, open_fetcher: OpenFetcher) -> None:
    """F-HOST-01, over two families of one host and two hosts, with everything asked at once; and it is the
    same connection all the time (fault 62)."""
    net.set_faults()
    questions = [
        wanted(f"{base}{pmid}", expect="xml", timeout_ms=20_000)
        for pmid in pmids(net)[:12]
        for base in (
            f"{REST}/search?resultType=lite&format=xml&query=ext_id:",
            f"{Addresses().annotations}/annotationsByArticleIds?format=XML&articleIds=MED:",
            f"{Addresses().eutils}/efetch.fcgi?db=pubmed&retmode=xml&id=",
        )
    ]
    net.reset()
    async with open_fetcher(environment=net.environment, cert_file=str(net.ca_file)) as fetcher:
        await asyncio.gather(*map(fetcher.fetch, questions))
    summary = net.summary()

    assert summary["requests"] == len(questions)
    assert summary["connections_most"]["ebi.ac.uk"] == 1
    assert summary["requests_most"] == {"ebi.ac.uk": 1, "eutils.ncbi.nlm.nih.gov": 1}
    assert summary["connections_made"] == {"ebi.ac.uk": 1, "eutils.ncbi.nlm.nih.gov": 1}


@pytest.mark.parametrize(
    ("fault", "outcome", "attempts"),
    [
        (Fault("429", retry_after_s=0), "rate-limited", 4),
        (Fault("429", retry_after_s=0, heals_after=2), "found", 3),
        (Fault("429", retry_after_s=3600), "rate-limited", 1),
        (Fault("500"), "unavailable", 1),
        (Fault("502"), "unavailable", 1),
        (Fault("503"), "unavailable", 1),
        (Fault("503", retry_after_s=0, heals_after=1), "found", 2),
        (Fault("504"), "unavailable", 1),
        (Fault("html"), "malformed", 1),
        (Fault("cut"), "found", 1),
        (Fault("drip", seconds=0.2, pieces=5), "found", 1),
        (Fault("drip", seconds=60), "timeout", 2),
        (Fault("reset"), "reset", 1),
        (Fault("empty"), "empty", 1),
        (Fault("bomb", megabytes=30), "too-large", 1),
        (Fault("redirects"), "redirect-loop", 1),
        (Fault("tarpit"), "timeout", 2),
        (Fault("bad-gzip"), "malformed", 1),
        (Fault("wrong-type"), "wrong-type", 1),
    ],
    ids=lambda value: f"{value.kind}" if isinstance(value, Fault) else None,
)
async def test_every_fault_of_the_simulated_internet_has_its_word(
    fault: Fault, outcome: str, attempts: int, net: Process, open_fetcher: OpenFetcher
) -> None:
    """The table again, against a server that somebody else wrote, through a proxy and TLS."""
    net.set_faults(fault)
    url = f"{REST}/search?query=ext_id:{pmids(net)[0]}%20src:med&resultType=core&format=xml"
    async with open_fetcher(environment=net.environment, cert_file=str(net.ca_file)) as fetcher:
        reply = await fetcher.fetch(
            wanted(url, expect="xml", timeout_ms=300 if outcome == "timeout" else 20_000)
        )

    assert (reply.outcome, reply.attempts) == (outcome, attempts), reply.evidence
    assert reply.truncated == (fault.kind in ("cut", "bad-gzip"))


async def test_a_run_with_faults_is_repeated_from_its_recording(
    net: Process, tmp_path: Path, open_fetcher: OpenFetcher
) -> None:
    """A run against the simulated internet, faults included, is repeated from its recording: equal replies."""
    net.set_faults(Fault("503", "europepmc", 0.3), Fault("cut", "pubmed_xml", 0.3))
    questions = [
        wanted(url, expect="xml", timeout_ms=20_000)
        for pmid in pmids(net)[:10]
        for url in (
            f"{REST}/search?query=ext_id:{pmid}&format=xml",
            f"{Addresses().eutils}/efetch.fcgi?db=pubmed&id={pmid}&retmode=xml",
        )
    ]
    async with open_fetcher(
        environment=net.environment, cert_file=str(net.ca_file), record_to=tmp_path
    ) as fetcher:
        live = await asyncio.gather(*map(fetcher.fetch, questions))
    async with open_fetcher(replay_from=tmp_path) as fetcher:
        replayed = await asyncio.gather(*map(fetcher.fetch, reversed(questions)))

    assert {(reply.outcome, reply.truncated) for reply in live} == {
        ("found", False),
        ("found", True),
        ("unavailable", False),
    }
    assert replayed[::-1] == live


async def test_a_broken_off_connection_does_not_count_twice(open_fetcher: OpenFetcher) -> None:
    """A second attempt after a timeout opens its connection when the first is gone, as the server sees it."""

    async def never(asked: Asked, writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    async with Server(never).running() as server:
        async with counted(server) as ([url], count), open_fetcher() as fetcher:
            reply = await fetcher.fetch(wanted(url, timeout_ms=100))

        assert (reply.outcome, server.connections, count.most) == ("timeout", 2, 1)


async def test_numbers_reconcile(open_fetcher: OpenFetcher) -> None:
    """Law 3: every question has one reply, every attempt one row; the attempts of the replies are the rows."""
    store = MemoryStore()
    answers = [
        reply_bytes(b"<a/>"),
        reply_bytes(b"", "404 Not Found"),
        reply_bytes(b"", "429 Busy", "Retry-After: 0"),
        reply_bytes(b"", "500 Oops"),
        reply_bytes(b"", "302 Found", "Location: /elsewhere"),
        reply_bytes(b"<a/>"),
    ]
    async with (
        Server(says(*(answers * 5))).running() as server,
        open_fetcher(store=store, deny_hosts=("denied.example",)) as fetcher,
    ):
        urls = [f"{server.url}/{number}" for number in range(20)]
        urls += ["http://denied.example/", "ftp://x.example/", "http://10.0.0.1/"]
        replies = await asyncio.gather(*(fetcher.fetch(wanted(url)) for url in urls))
    rows = await store.attempts()

    assert len(replies) == 23
    assert sum(rows.values()) == sum(reply.attempts for reply in replies)
    for outcome in {reply.outcome for reply in replies}:
        ended = sum(reply.outcome == outcome for reply in replies)
        assert sum(count for (_, word), count in rows.items() if word == outcome) >= ended, outcome


class Rows(MemoryStore):
    """Keeps attempt rows as they are."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Attempt] = []

    async def add_attempts(self, attempts: Sequence[Attempt]) -> None:
        self.rows += attempts
        await super().add_attempts(attempts)


async def test_an_attempt_lasts_from_its_turn_on(open_fetcher: OpenFetcher) -> None:
    """What waits in the queue of a host costs the host nothing: attempts at one connection do not overlap."""
    store, page = Rows(), reply_bytes(b"x")

    async def slow(asked: Asked, writer: asyncio.StreamWriter) -> None:
        # not a moment to wait for: the time that the host takes is what is measured
        await asyncio.sleep(0.05)
        writer.write(page)
        await writer.drain()

    async with Server(slow).running() as server, open_fetcher(store=store) as fetcher:
        await asyncio.gather(*(fetcher.fetch(wanted(f"{server.url}/{number}")) for number in range(4)))

    rows = sorted(store.rows, key=lambda row: row.started_at)
    assert len(rows) == 4
    for before, after in itertools.pairwise(rows):
        assert after.started_at >= before.ended_at
