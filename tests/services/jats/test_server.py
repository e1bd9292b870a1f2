"""The HTTP service: answers as documented, errors enveloped, one ask per article, right under many clients."""

import asyncio
import json
import subprocess
import sys
import urllib.request
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from core.jats.making import article
from pubweave.jats.server import JatsServer
from pubweave.jats.source import FetchedXml, folder

pytestmark = pytest.mark.network


def xml_of(pmcid: str) -> bytes:
    number = pmcid.removeprefix("PMC")
    return article(
        meta=f"<article-id pub-id-type='pmc'>{number}</article-id><title-group><article-title>Title α {number}</article-title></title-group>",
        body=f"<sec><title>Methods</title><p>Body of {number}.</p></sec>",
    ).encode()


class Source:
    """A source that remembers what it was asked and how many asks there were at once."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.at_once = self.most_at_once = 0
        self.gate = asyncio.Event()
        self.gate.set()
        self.arrived, self.awaited, self.all_arrived = 0, -1, asyncio.Event()

    async def arrival(self, request: web.Request, handler: Any) -> web.StreamResponse:
        """A middleware that counts requests before they are handled."""
        self.arrived += 1
        answer = asyncio.ensure_future(handler(request))
        await asyncio.sleep(0)
        if self.arrived == self.awaited:
            self.all_arrived.set()
        found: web.StreamResponse = await answer
        return found

    async def get_xml(self, pmcid: str) -> FetchedXml:
        self.asked[pmcid] += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await self.gate.wait()
        self.at_once -= 1
        number = int(pmcid.removeprefix("PMC"))
        if number % 10 == 7:
            return FetchedXml("absent", message=f"{pmcid} is known nowhere")
        if number % 10 == 8:
            return FetchedXml("found", b"<article><body><p>torn")
        if number % 10 == 9:
            return FetchedXml("timeout")
        return FetchedXml("found", xml_of(pmcid))


@asynccontextmanager
async def serving(source: Source, **options: Any) -> AsyncIterator[str]:
    application = JatsServer(source.get_xml, **{"workers": 0, **options}).application()

    @web.middleware
    async def counting(request: web.Request, handler: Any) -> web.StreamResponse:
        return await source.arrival(request, handler)

    application.middlewares.append(counting)
    runner = web.AppRunner(application)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        yield f"http://{host}:{port}"
    finally:
        await runner.cleanup()


async def test_b03_parse_with_and_without_prefix() -> None:
    """B-03: digits, PMC and pmc all work; the bare document, ASCII-escaped, open to any origin (B-04, B-63)."""
    async with serving(Source()) as url, aiohttp.ClientSession() as client:
        for given in ("3507161", "PMC3507161", "pmc3507161"):
            async with client.get(f"{url}/parse/pmc/{given}") as reply:
                body = await reply.read()

                assert (reply.status, reply.content_type) == (200, "application/json")
                assert reply.headers["Access-Control-Allow-Origin"] == "*"
                assert b"Title \\u03b1 3507161" in body
                assert json.loads(body)["_id"] == "3507161"


async def test_a31_envelope_on_request() -> None:
    """A-31: `?envelope=1` wraps the document with the query."""
    async with (
        serving(Source()) as url,
        aiohttp.ClientSession() as client,
        client.get(f"{url}/parse/pmc/12?envelope=1") as reply,
    ):
        found = await reply.json()

    assert (found["query"], found["success"], found["data"]["pmcid"]) == (
        "/parse/pmc/12?envelope=1",
        True,
        "PMC12",
    )


@pytest.mark.parametrize(
    ("path", "outcome", "word"),
    [
        ("/", None, "unknown path"),
        ("/parse/pmc/", None, "unknown path"),
        ("/parse/pmc/abc", None, "no PMCID"),
        ("/parse/pmc/..%2F..%2Fetc%2Fpasswd", None, "no PMCID"),
        ("/parse/pmc/0", None, "no PMCID"),
        ("/parse/pmc/17", "absent", "known nowhere"),
        ("/parse/pmc/18", "malformed", "not well-formed"),
        ("/parse/pmc/19", "timeout", "timeout"),
        ("/getxml/pmc/17", "absent", "known nowhere"),
    ],
)
async def test_b04_errors_are_400_and_enveloped(path: str, outcome: str | None, word: str) -> None:
    """B-04: {"query", "success": false, "error": {"message"}}, and the outcome where somebody was asked."""
    async with (
        serving(Source()) as url,
        aiohttp.ClientSession() as client,
        client.get(aiohttp.client.URL(url + path, encoded=True)) as reply,
    ):
        found = await reply.json()

        assert (reply.status, found["success"], found["error"].get("outcome")) == (400, False, outcome)
        assert word in found["error"]["message"]
        assert found["query"].startswith(path[:11])
        assert reply.headers["Access-Control-Allow-Origin"] == "*"


async def test_post_health_getxml_and_sections() -> None:
    """POST /parse reads a body (a list for article sets), /getxml gives the source, ?section= cuts, /health answers."""
    async with serving(Source()) as url, aiohttp.ClientSession() as client:
        async with client.post(f"{url}/parse", data=xml_of("PMC5")) as reply:
            assert (await reply.json())["pmcid"] == "PMC5"
        both = b"<pmc-articleset>" + xml_of("PMC5") + xml_of("PMC6") + b"</pmc-articleset>"
        async with client.post(f"{url}/parse?extras=0", data=both) as reply:
            assert [one["pmcid"] for one in await reply.json()] == ["PMC5", "PMC6"]
        async with client.post(f"{url}/parse", data=b"<html/>") as reply:
            assert (reply.status, (await reply.json())["error"]["outcome"]) == (400, "empty")
        async with client.get(f"{url}/getxml/pmc/5") as reply:
            assert (reply.content_type, await reply.read()) == ("application/xml", xml_of("PMC5"))
        async with client.get(f"{url}/parse/pmc/5?section=methods") as reply:
            assert (await reply.json())["text"] == "Methods\n\nBody of 5."
        async with client.get(f"{url}/health") as reply:
            assert (reply.status, await reply.json()) == (200, {"status": "ok"})
        async with client.options(f"{url}/parse") as reply:
            assert "POST" in reply.headers["Access-Control-Allow-Methods"]


async def test_a_body_too_large_is_refused() -> None:
    """Bodies are bounded; the refusal is enveloped like the others."""
    async with (
        serving(Source(), max_body_bytes=1000) as url,
        aiohttp.ClientSession() as client,
        client.post(f"{url}/parse", data=b"<a>" + b"x" * 2000 + b"</a>") as reply,
    ):
        assert (reply.status, (await reply.json())["error"]["outcome"]) == (400, "too-large")


async def test_one_ask_however_many_wait() -> None:
    """Clients that want the same article while it is being fetched share one ask; one that leaves harms nobody."""
    source = Source()
    source.gate.clear()
    source.awaited = 21
    async with serving(source) as url, aiohttp.ClientSession() as client:
        leaving = asyncio.create_task(client.get(f"{url}/parse/pmc/5"))
        waiting = [asyncio.create_task(client.get(f"{url}/parse/pmc/5")) for _ in range(20)]
        await source.all_arrived.wait()
        leaving.cancel()
        source.gate.set()
        replies = await asyncio.gather(*waiting)
        answers = [(await reply.json())["pmcid"] for reply in replies]

    assert answers == ["PMC5"] * 20
    assert source.asked == {"PMC5": 1}


@pytest.mark.parametrize("workers", [0, 1], ids=["thread", "process"])
async def test_64_clients_with_good_missing_and_broken_ids(workers: int) -> None:
    """Every client gets its own right answer; asks never exceed what is allowed at once, nor one per request."""
    source = Source()
    wanted = [f"{number}" for number in range(10, 42)] * 4

    async def one(client: aiohttp.ClientSession, url: str, number: str) -> tuple[str, int, str]:
        async with client.get(f"{url}/parse/pmc/{number}") as reply:
            found = await reply.json()
            said = found["full_title"] if reply.status == 200 else found["error"]["outcome"]
            return number, reply.status, said

    def expected(number: str) -> tuple[str, int, str]:
        bad = {"7": "absent", "8": "malformed", "9": "timeout"}.get(number[-1])
        return (number, 400, bad) if bad else (number, 200, f"Title α {number}")

    connector = aiohttp.TCPConnector(limit=64)
    async with (
        serving(source, workers=workers, max_asks=5) as url,
        aiohttp.ClientSession(connector=connector) as client,
    ):
        answers = await asyncio.gather(*(one(client, url, number) for number in wanted))
        broken = await client.post(f"{url}/parse", data=b"<a>" * 300)
        after = await one(client, url, "11")

    assert answers == [expected(number) for number in wanted]
    assert source.most_at_once <= 5
    assert all(asks <= wanted.count(pmcid.removeprefix("PMC")) + 1 for pmcid, asks in source.asked.items())
    assert (broken.status, after) == (400, expected("11"))


async def test_a_folder_is_a_source_and_no_path_comes_from_a_request(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """B-05: a local store of XML by name; what is not an identifier is never looked for."""
    (tmp_path / "PMC35").mkdir()
    (tmp_path / "PMC35" / "PMC3507161.nxml").write_bytes(xml_of("PMC3507161"))
    get_xml = folder(tmp_path)

    assert (await get_xml("PMC3507161")).data == xml_of("PMC3507161")
    assert (await get_xml("PMC1")).outcome == "absent"


def test_t127_the_command_serves_until_it_is_told_to_stop(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """T-127: `pubweave jats serve` says where it listens, answers, and ends with 0 on SIGTERM."""
    (tmp_path / "PMC3507161.xml").write_bytes(xml_of("PMC3507161"))
    code = "from pubweave.jats.cli import jats; jats()"
    command = [
        sys.executable,
        "-c",
        code,
        "serve",
        "--port",
        "0",
        "--workers",
        "0",
        "--xml-dir",
        str(tmp_path),
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        url = process.stderr.readline().split()[-1]
        # no proxy of the environment stands between a machine and itself
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with direct.open(f"{url}/parse/pmc/3507161") as reply:
            found = json.load(reply)
        process.terminate()
        process.stderr.read()

    assert (found["pmcid"], process.returncode) == ("PMC3507161", 0)
