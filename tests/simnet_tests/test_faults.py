"""Faults over the wire: each does what its name says, and depends on the ask alone."""

import asyncio
import gzip
import json
from collections.abc import Callable

import aiohttp
import pytest

from simnet.facts import Publication
from simnet.faults import KINDS, Fault, Faults, parse
from simnet.fixture import running
from simnet.messages import Ask, Reply
from simnet.universe import Universe
from simnet_tests.asking import EFETCH, SEARCH_POST, Answer, Client

pytestmark = pytest.mark.network
SMALL = Universe(1, 300)
PUBMED = [p for p in SMALL if p.pubmed and not p.pubmed.book]


def ask(resource: str, *ids: str) -> Ask:
    return Ask(resource, ids, lambda weather: Reply(200))


async def fetch(fault: Fault, times: int = 1, timeout_s: float = 20) -> list[Answer]:
    """One PubMed record, asked `times` times in a network with this fault."""
    with running(SMALL, faults=[fault]) as net:
        async with Client(net, timeout_s=timeout_s) as client:
            return [await client.get(EFETCH, db="pubmed", id=PUBMED[0].ids.pmid) for _ in range(times)]


@pytest.mark.parametrize("status", ["429", "500", "502", "503", "504"])
async def test_error_statuses(status: str) -> None:
    """The status, with Retry-After when asked for."""
    [answer] = await fetch(Fault(status, "pubmed_xml", retry_after_s=7))  # type: ignore[arg-type]

    assert (int(status), "7") == (answer.status, answer.headers["retry-after"])


@pytest.mark.parametrize(
    ("kind", "holds"),
    [
        ("html", lambda body: body.startswith(b"<!DOCTYPE html>")),
        ("empty", lambda body: body == b""),
        ("version-only", lambda body: list(json.loads(body)) == ["version"]),
        ("truncated", lambda body: body.startswith(b"<?xml") and not body.endswith(b"Set>")),
        ("wrong-type", lambda body: body.startswith(b"\x89PNG")),
        ("drip", lambda body: body.endswith(b"Set>")),
    ],
)
async def test_bodies_at_200(kind: str, holds: Callable[[bytes], bool]) -> None:
    """Status 200, and a body that is not the answer (or comes slowly)."""
    [answer] = await fetch(Fault(kind, seconds=0.2, pieces=4))  # type: ignore[arg-type]

    assert answer.status == 200
    assert holds(answer.body)


async def test_a_cut_connection() -> None:
    """The length is of the whole body, half of it comes."""
    with pytest.raises(aiohttp.ClientPayloadError):
        await fetch(Fault("cut"))


async def test_a_reset_connection() -> None:
    """No reply, the connection is reset."""
    with pytest.raises(aiohttp.ClientError):
        await fetch(Fault("reset"))


async def test_a_tarpit() -> None:
    """No reply, the connection stays."""
    with pytest.raises(asyncio.TimeoutError):
        await fetch(Fault("tarpit"), timeout_s=0.3)


async def test_what_only_claims_to_be_gzip() -> None:
    """Content-Encoding: gzip over bytes that are not."""
    with pytest.raises(aiohttp.ClientPayloadError):
        await fetch(Fault("bad-gzip"))


async def test_a_gzip_bomb() -> None:
    """A few kilobytes that become megabytes."""
    [answer] = await fetch(Fault("bomb", megabytes=3))

    assert len(answer.body) == 3 << 20
    assert int(answer.headers["content-length"]) < 10_000


async def test_redirects_without_end() -> None:
    """Each redirect leads to another that has not been seen."""
    with running(SMALL, faults=[Fault("redirects", "doi.org")]) as net:
        async with Client(net) as client:
            seen = ["https://doi.org/10.5555/none"]
            for _ in range(25):
                answer = await client.get(seen[-1])
                seen.append(answer.headers["location"])

    assert len(seen) == len(set(seen))


async def test_compressed_replies() -> None:
    """With `compress`, clients that accept gzip get it."""
    with running(SMALL, compress=True) as net:
        async with Client(net) as client:
            answer = await client.get(EFETCH, db="pubmed", id=PUBMED[0].ids.pmid)

    assert answer.headers["content-encoding"] == "gzip"
    assert answer.body.endswith(b"Set>")
    assert len(gzip.compress(answer.body, 1)) == int(answer.headers["content-length"])


async def test_a_fault_heals() -> None:
    """With heals_after=2 the third attempt of the same ask is answered."""
    answers = await fetch(Fault("503", heals_after=2), times=4)

    assert [answer.status for answer in answers] == [503, 503, 200, 200]


async def test_a_batch_cut_in_the_middle() -> None:
    """efetch ends inside the fourth record when three are let through; one record alone is whole."""
    with running(SMALL, faults=[Fault("cut-batch", "pubmed_xml", records=3)]) as net:
        async with Client(net) as client:
            many = await client.post(EFETCH, db="pubmed", id=",".join(p.ids.pmid for p in PUBMED[:9]))
            one = await client.get(EFETCH, db="pubmed", id=PUBMED[8].ids.pmid)

    assert many.body.count(b"</PubmedArticle>") == 3
    assert many.body.count(b"<PubmedArticle>") == 4
    assert one.body.endswith(b"Set>")


async def test_or_queries_lose_identifiers() -> None:
    """A share of the identifiers is lost in a query of many, the same ones each time; PMCIDs and single queries lose
    nothing, and another form of the query loses others."""
    known = [p for p in SMALL if p.kind == "plain" and all(p.ids)][:90]

    async def found(client: Client, terms: list[str]) -> set[str]:
        answer = await client.post(
            SEARCH_POST, query=" OR ".join(terms), resultType="lite", format="json", pageSize="1000"
        )
        return {result["id"] for result in json.loads(answer.body)["resultList"]["result"]}

    def by_pmid(some: list[Publication]) -> list[str]:
        return [f"(EXT_ID:{p.ids.pmid} AND SRC:MED)" for p in some]

    with running(SMALL, faults=[Fault("lose", "europepmc", 0.16)]) as net:
        async with Client(net) as client:
            first = await found(client, by_pmid(known))
            again = await found(client, by_pmid(known))
            backwards = await found(client, by_pmid(known[::-1]))
            lost = [p for p in known if p.ids.pmid not in first]
            alone = [await found(client, by_pmid([p])) for p in lost]
            by_pmcid = await found(client, [f"PMCID:{p.ids.pmcid}" for p in lost])
            by_doi = await found(client, [f'DOI:"{p.ids.doi}"' for p in known])

    assert 5 <= len(lost) <= 25
    assert first == again == backwards
    assert [{p.ids.pmid} for p in lost] == alone
    assert {p.ids.pmid for p in lost} == by_pmcid
    assert by_doi != first


def test_whether_an_ask_meets_a_fault_depends_on_its_content_alone() -> None:
    """Neither order nor time matters, the seed does; about the asked share is met."""
    fault = Fault("500", "pubmed_xml", 0.3)
    asks = [ask("pubmed_xml", str(number)) for number in range(1000)]

    def met(seed: int, some: list[Ask]) -> set[str]:
        faults = Faults(seed, [fault])
        return {one.ids[0] for one in some if faults.for_ask("eutils.ncbi.nlm.nih.gov", one)[1]}

    assert met(1, asks) == met(1, asks[::-1])
    assert met(1, asks) != met(2, asks)
    assert 230 < len(met(1, asks)) < 370


def test_where_a_fault_is() -> None:
    """A host with or without `www.`, a resource, or everywhere."""
    one = ask("europepmc", "1")

    assert Fault("500", "ebi.ac.uk").meets(0, "www.ebi.ac.uk", one)
    assert Fault("500", "www.ebi.ac.uk").meets(0, "www.ebi.ac.uk", one)
    assert Fault("500", "europepmc").meets(0, "www.ebi.ac.uk", one)
    assert Fault("500").meets(0, "www.ebi.ac.uk", one)
    assert not Fault("500", "annotations").meets(0, "www.ebi.ac.uk", one)


def test_faults_on_the_command_line() -> None:
    """kind@where=probability;option=value."""
    assert parse("503@europepmc=0.2;heals_after=2") == Fault("503", "europepmc", 0.2, 2)
    assert parse("reset") == Fault("reset")
    for wrong in ("nonsense@x", "503;no_such=1", "503@x=much"):
        with pytest.raises(ValueError, match=r"fault|convert"):
            parse(wrong)


def test_every_kind_is_told() -> None:
    """The kinds that the command line lists are those that exist."""
    assert len(KINDS) == 19


def test_a_fault_may_be_meant_for_one_address_alone() -> None:
    """`naming`: whoever asks for another identifier, or asks otherwise, does not meet it."""
    fault = parse("503@publisher;naming=https://host.example/A")
    host, page = "host.example", "https://host.example/a"

    assert fault.meets(0, host, ask("publisher", page))
    assert not fault.meets(0, host, ask("publisher", page + "b"))
    assert not fault.meets(0, host, ask("publisher_pdf", page))
