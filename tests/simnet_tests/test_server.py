"""The proxy: real names over HTTP and HTTPS, kept connections, a log that counts, a process that goes away."""

import asyncio
import contextlib
import json
import os
import signal
import ssl
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from lxml import etree

from simnet.certs import Authority
from simnet.chain import walk, web_examples
from simnet.facts import Publication, ids_of
from simnet.fixture import process, running
from simnet.log import Entry, Log
from simnet.server import Settings, Simnet
from simnet.universe import Universe
from simnet_tests.asking import ANNOTATIONS, EFETCH, REST, SEARCH, SEARCH_POST, Client

pytestmark = pytest.mark.network


@pytest.fixture(scope="module")
def ordinary(universe: Universe) -> Publication:
    """A publication that every resource knows."""
    return next(
        p
        for p in universe
        if p.kind == "plain" and all(p.ids) and p.europepmc_fulltext and p.pmc_fulltext and p.mined_under == "both"
        and p.unpaywall and p.pages
    )  # fmt: skip


async def test_search_by_get_as_the_specification_has_it(client: Client, ordinary: Publication) -> None:
    """XML core by `ext_id:… src:med`."""
    answer = await client.get(
        SEARCH, query=f"ext_id:{ordinary.ids.pmid} src:med", resulttype="core", format="xml"
    )
    root = etree.fromstring(answer.body)

    assert answer.status == 200
    assert "application/xml" in answer.headers["content-type"]
    assert root.findtext("hitCount") == "1"
    assert ordinary.ids.pmid == root.findtext("resultList/result/pmid")
    assert ordinary.ids.pmcid == root.findtext("resultList/result/pmcid")


async def test_search_by_post_with_a_hundred_identifiers(client: Client, universe: Universe) -> None:
    """JSON core by searchPOST: every record once, in an order that is not the query's, no `nextPageUrl`."""
    wanted = [p.ids.pmid for p in universe if p.kind == "plain"][:100]
    query = " OR ".join(f"(EXT_ID:{pmid} AND SRC:MED)" for pmid in wanted)
    answer = await client.post(SEARCH_POST, query=query, resultType="core", format="json", pageSize="1000")
    reply = json.loads(answer.body)
    got = [result["pmid"] for result in reply["resultList"]["result"]]

    assert reply["hitCount"] == 100
    assert sorted(wanted) == sorted(got)
    assert wanted != got
    assert "nextPageUrl" not in reply
    assert "JSESSIONID" in answer.headers["set-cookie"]


async def test_pages_follow_each_other_by_cursor(client: Client, universe: Universe) -> None:
    """Three pages of ten; the last one names no cursor."""
    wanted = [p.ids.pmid for p in universe if p.kind == "plain"][:25]
    query, cursor, got = f"EXT_ID:({' OR '.join(wanted)}) AND SRC:MED", "*", []
    for _ in range(3):
        answer = await client.get(SEARCH, query=query, format="json", pageSize="10", cursorMark=cursor)
        reply = json.loads(answer.body)
        got += [result["id"] for result in reply["resultList"]["result"]]
        cursor = reply.get("nextCursorMark", "")

    assert cursor == ""
    assert sorted(wanted) == sorted(got)


@pytest.mark.parametrize(
    "parameters", [{"query": ""}, {"query": "(doi:1"}, {"query": "doi:1", "pageSize": "1001"}, {"query": "doi:1", "cursorMark": "no"}]
)  # fmt: skip
async def test_bad_searches_are_400(client: Client, parameters: dict[str, str]) -> None:
    """What the service cannot do is an error with a JSON body."""
    answer = await client.get(SEARCH, **parameters)

    assert answer.status == 400
    assert "errMsg" in json.loads(answer.body)


async def test_full_text(client: Client, ordinary: Publication) -> None:
    """fullTextXML gives the article, 404 with JSON what is not there."""
    there = await client.get(f"{REST}{ordinary.ids.pmcid}/fullTextXML")
    not_there = await client.get(f"{REST}PMC1/fullTextXML")

    assert etree.QName(etree.fromstring(there.body.lstrip())).localname == "article"
    assert (not_there.status, "errMsg" in json.loads(not_there.body)) == (404, True)


async def test_annotations(client: Client, ordinary: Publication, universe: Universe) -> None:
    """Up to eight articles and both types in one call; articles without annotations are left out; nine are 400."""
    silent = next(p for p in universe if p.ids.pmid and not p.mined_under)
    both = {"type": "Experimental Methods,Gene Ontology", "format": "JSON"}
    asked = f"PMC:{ordinary.ids.pmcid},MED:{silent.ids.pmid}"
    answer = await client.get(ANNOTATIONS, articleIds=asked, **both)
    too_many = await client.get(ANNOTATIONS, articleIds=",".join(f"MED:{n}" for n in range(1, 10)), **both)
    items = json.loads(answer.body)

    assert [ordinary.ids.pmid] == [item["extId"] for item in items]
    assert {"Experimental Methods", "Gene Ontology"} >= {a["type"] for a in items[0]["annotations"]}
    assert too_many.status == 400


async def test_efetch_by_get_and_by_post(client: Client, universe: Universe) -> None:
    """db=pubmed: the records it knows; db=pmc: whole articles or an error inside."""
    some = [p for p in universe if p.pubmed and not p.pubmed.book][:50]
    one = await client.get(EFETCH, db="pubmed", retmode="xml", id=some[0].ids.pmid)
    many = await client.post(
        EFETCH, db="pubmed", retmode="xml", id=",".join([p.ids.pmid for p in some] + ["1"])
    )
    in_pmc = [p for p in some if p.pmc_fulltext][:5]
    articles = await client.post(
        EFETCH, db="pmc", id=",".join(p.ids.pmcid.removeprefix("PMC") for p in in_pmc)
    )
    none = await client.get(EFETCH, db="pmc", id="1")

    assert len(etree.fromstring(one.body)) == 1
    assert len(some) == len(etree.fromstring(many.body))
    assert len(in_pmc) == len(etree.fromstring(articles.body).findall("article"))
    assert b"error=" in none.body


async def test_a_target_that_is_too_long(client: Client) -> None:
    """A GET of thousands of identifiers is 414, which is what POST is for."""
    answer = await client.get(EFETCH, db="pubmed", id=",".join(["12345678"] * 1000))

    assert answer.status == 414


async def test_the_pubmed_page(client: Client, ordinary: Publication) -> None:
    """The element F-PMH-03 looks for is there, and absent where nothing is found."""
    page = await client.get("https://www.ncbi.nlm.nih.gov/pubmed/", term=ordinary.ids.pmid)
    nothing = await client.get("https://www.ncbi.nlm.nih.gov/pubmed/", term="1")

    assert b'id="article-details"' in page.body
    assert b'id="article-details"' not in nothing.body


async def test_from_a_doi_to_the_page(client: Client, ordinary: Publication) -> None:
    """doi.org redirects to the publisher in any case of the DOI; the page has citation tags and a PDF."""
    step = await client.get(f"https://doi.org/{ordinary.ids.doi.upper()}")
    unknown = await client.get("https://dx.doi.org/10.5555/none")
    page = await client.get(step.headers["location"])
    while page.status == 302:
        page = await client.get(page.headers["location"])
    pdf = await client.get(next(iter(ordinary.pages.values())).pdf_url)

    assert (step.status, unknown.status) == (302, 404)
    assert b"citation_title" in page.body
    assert pdf.body.startswith(b"%PDF")


async def test_unpaywall(client: Client, ordinary: Publication) -> None:
    """A record with an e-mail address, 422 without, 404 for what it does not know."""
    base = "https://api.unpaywall.org/v2/"
    found = await client.get(base + ordinary.ids.doi, email="me@uni.example")
    no_mail = await client.get(base + ordinary.ids.doi)
    unknown = await client.get(base + "10.5555/none", email="me@uni.example")

    assert ordinary.ids.doi.lower() == json.loads(found.body)["doi"]
    assert (no_mail.status, unknown.status) == (422, 404)


async def test_the_old_mined_terms(client: Client, ordinary: Publication) -> None:
    """textMinedTerms by PMCID and by PMID."""
    by_pmcid = await client.get(f"{REST}PMC/{ordinary.ids.pmcid}/textMinedTerms/GO_TERM")
    by_pmid = await client.get(f"{REST}MED/{ordinary.ids.pmid}/textMinedTerms/GO_TERM")

    assert ordinary.go == len(etree.fromstring(by_pmcid.body).findall(".//tmSummary"))
    assert ordinary.go == len(etree.fromstring(by_pmid.body).findall(".//tmSummary"))


@pytest.mark.parametrize("host", ["www.ebi.ac.uk", "eutils.ncbi.nlm.nih.gov", "doi.org", "www.nature.com"])
async def test_robots(client: Client, host: str) -> None:
    """Every host has a robots.txt."""
    answer = await client.get(f"https://{host}/robots.txt")

    assert (answer.status, answer.body.startswith(b"User-agent:")) == (200, True)


async def test_plain_http_and_unknown_hosts(client: Client) -> None:
    """The proxy answers plain requests under their real names and refuses all others."""
    known = await client.get("http://doi.org/10.5555/none")
    unknown = await client.get("http://nowhere.example/")

    assert (known.status, unknown.status) == (404, 502)
    assert b"unknown host" in unknown.body


async def test_a_connection_is_kept(universe: Universe) -> None:
    """Twenty requests of one client with one connection come over one connection, one at a time."""
    with running(universe) as net:
        async with Client(net) as client:
            for number in range(20):
                await client.get(f"https://doi.org/10.5555/{number}")
        summary = net.log.summary()

    assert summary["connections_made"]["doi.org"] == 1
    assert summary["requests_most"]["doi.org"] == 1
    assert summary["hosts"]["doi.org"]["status 404"] == 20


async def test_concurrency_is_seen(universe: Universe) -> None:
    """Five connections at once are counted as five, connections and requests."""
    with running(universe, latency_s=0.05) as net:
        async with Client(net, limit=5) as client:
            await asyncio.gather(*(client.get(f"https://doi.org/10.5555/{number}") for number in range(10)))
        summary = net.log.summary()

    assert summary["connections_most"]["doi.org"] == 5
    assert summary["requests_most"]["doi.org"] == 5


async def test_what_was_asked_is_known(universe: Universe, ordinary: Publication) -> None:
    """The log names resources and identifiers, one by one, whatever the batch."""
    with running(universe) as net:
        async with Client(net) as client:
            await client.get(SEARCH, query=f"ext_id:{ordinary.ids.pmid} src:med")
            await client.post(SEARCH_POST, query=f"(pmcid:{ordinary.ids.pmcid}) OR (doi:{ordinary.ids.doi})")
            await client.post(EFETCH, db="pubmed", id="1,2")
            await client.get(ANNOTATIONS, articleIds="MED:1,PMC:PMC2", type="Gene Ontology")
        asks = net.log.asks()

    assert {
        ("europepmc", ordinary.ids.pmid),
        ("europepmc", ordinary.ids.pmcid),
        ("europepmc", ordinary.ids.doi.lower()),
        ("pubmed_xml", "1"),
        ("pubmed_xml", "2"),
        ("annotations", "MED:1"),
        ("annotations", "PMC:PMC2"),
    } == asks


def entries(*starts: float) -> list[Entry]:
    return [
        Entry(number, start, start, "www.ebi.ac.uk", 1, "GET", "/", "europepmc", ())
        for number, start in enumerate(starts)
    ]


def test_the_busiest_window() -> None:
    """The highest count in any half-open window: a request exactly one second later is in the next."""
    log = Log(entries(0.0, 0.5, 0.99, 1.0, 1.4, 5.0))

    assert log.busiest_window("europepmc") == 4
    assert log.busiest_window("europepmc", 0.5) == 3
    assert log.busiest_window("ebi.ac.uk") == 4
    assert log.busiest_window("annotations") == 0


def test_a_busy_server_blames_nobody() -> None:
    """A request that may have waited counts from when it may have come, the others from when they were taken up."""
    log = Log(entries(0.0, 0.5, 0.995))
    assert log.busiest_window("europepmc") == 3
    log.entries[0].earliest = -0.0
    assert log.busiest_window("europepmc") == 3
    log = Log(entries(1.0, 1.5, 1.995))
    log.entries[0].earliest = 0.99

    assert log.busiest_window("europepmc") == 2


async def test_a_pause_of_the_server_is_known(universe: Universe) -> None:
    """What arrives while the server is busy has an earliest time before the pause ended; what arrives when it is idle has not."""
    with running(universe) as net:
        async with Client(net, limit=2) as client:
            await client.get("https://doi.org/10.5555/first")
            await client.get("https://dx.doi.org/10.5555/second")
            busy, go = threading.Event(), threading.Event()

            def pause() -> None:
                busy.set()
                go.wait(20)

            net.loop.call_soon_threadsafe(pause)
            await asyncio.to_thread(busy.wait, 20)
            before = time.monotonic()
            waiting = asyncio.ensure_future(client.get("https://doi.org/10.5555/third"))
            for _ in range(50):
                await asyncio.sleep(0)
            paused = time.monotonic()
            go.set()
            await waiting
        third = net.log.entries[-1]

    assert third.earliest <= before
    assert third.start >= paused


def test_a_window_is_of_a_family(universe: Universe) -> None:
    """Full texts and searches are one family, annotations another."""
    log = Log(entries(0.0, 0.1))
    log.entries[1].resource = "europepmc_fulltext"

    assert log.busiest_window("europepmc_fulltext") + log.busiest_window("europepmc") - 1 == 2
    assert log.summary()["busiest_second"] == {"europepmc": 2}


async def test_as_a_process() -> None:
    """The command says where it listens, answers its control port, and writes every submission."""
    with process("--seed", "3", "--size", "40", "--examples", "5") as net:
        universe = Universe(3, 40)
        async with Client(net) as client:
            answer = await client.get("https://doi.org/10.5555/none")
        summary, log, lines = net.summary(), net.log, net.ids_file.read_text(encoding="utf-8").splitlines()
        net.reset()
        after = net.summary()

    assert answer.status == 404
    assert summary["requests"] == 1
    assert {("doi", "10.5555/none")} == log.asks()
    assert ["\t".join(ids) for ids in universe.submissions()] == lines
    assert after["requests"] == 0


def test_the_process_is_gone_after_sigterm(tmp_path: Path) -> None:
    """SIGTERM ends it with status 0 and its files are removed."""
    child, told = _start(tmp_path / "ready.json")
    try:
        child.send_signal(signal.SIGTERM)
        status = child.wait(20)
    finally:
        child.kill()

    assert status == 0
    assert not Path(told["ca"]).exists()


def test_the_process_is_gone_when_its_parent_is(tmp_path: Path) -> None:
    """It watches the process it was told of and quits when that one is gone."""
    parent = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    child, _ = _start(tmp_path / "ready.json", "--parent", str(parent.pid))
    try:
        assert parent.stdin is not None
        parent.stdin.close()
        parent.wait(20)
        status = child.wait(20)
    finally:
        child.kill()
        parent.kill()

    assert status == 0


def _start(ready: Path, *arguments: str) -> tuple[subprocess.Popen[bytes], dict[str, str]]:
    tests = str(Path(__file__).resolve().parents[1])
    child = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "simnet",
            "--size",
            "5",
            "--examples",
            "1",
            "--ready-file",
            str(ready),
            *arguments,
        ],
        env={**os.environ, "PYTHONPATH": tests},
        stdout=subprocess.PIPE,
    )
    assert child.stdout is not None
    child.stdout.readline()
    child.stdout.close()
    return child, json.loads(ready.read_text())


def test_latencies_differ_by_the_ask_and_by_their_seed(universe: Universe) -> None:
    """Jitter depends on what is asked and on its seed, never on when; without jitter all are the same."""

    def latencies(jitter: float, seed: int) -> list[float]:
        net = Simnet(
            universe, Settings(latency_s=0.1, jitter=jitter, jitter_seed=seed, latency_of={"doi.org": 0.2})
        )
        return [net.latency("www.ebi.ac.uk", "europepmc", (str(number),)) for number in range(50)]

    assert set(latencies(0, 1)) == {0.1}
    assert latencies(0.5, 1) == latencies(0.5, 1)
    assert latencies(0.5, 1) != latencies(0.5, 2)
    assert 0.05 <= min(latencies(0.5, 1)) < max(latencies(0.5, 1)) <= 0.15


def test_without_trustme_the_command_openssl_does_it() -> None:
    """An authority made by the command line tool convinces a client of every host's name."""
    authority = Authority(["doi.org", "www.ebi.ac.uk"], openssl=True)
    client = ssl.create_default_context(cadata=authority.pem.decode())
    for host in ("doi.org", "www.ebi.ac.uk"):
        to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
        one = client.wrap_bio(to_client, to_server, server_hostname=host)
        other = authority.context(host).wrap_bio(to_server, to_client, server_side=True)
        for side in (one, other, one, other):
            with contextlib.suppress(ssl.SSLWantReadError):
                side.do_handshake()

        assert one.getpeercert()


def test_examples_are_worth_showing(universe: Universe) -> None:
    """Mostly complete records, by PMID, PMCID and DOI; then a preprint and a retracted article."""
    examples = universe.examples(9)
    owners = [universe.owner(ids_of(one)) for one in examples]

    assert examples == Universe(1, 500).examples(9)
    assert [one.isdigit() for one in examples[:3]] == [True, False, False]
    assert [one.startswith("PMC") for one in examples[:3]] == [False, True, False]
    assert all(owner and owner.europepmc_fulltext for owner in owners[:6])
    assert {owner.kind for owner in owners if owner} >= {"plain", "preprint"}
    assert "retracted" in {owner.notice for owner in owners if owner}


def test_examples_of_the_web_have_what_others_lack(universe: Universe) -> None:
    """A full text from a publisher's page, one from an open copy's page or PDF: each by another type."""
    found = [walk(universe, ids_of(one)) for one in web_examples(universe)]
    types = [one.parts["fulltext"].type for one in found if one]

    assert "doi" in types
    assert any(type_.startswith("pdf_") for type_ in types)
    assert len(set(types)) == len(types) >= 2
