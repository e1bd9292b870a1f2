"""The HTTP server: `/parse/pmc/{id}`, `/getxml/pmc/{id}`, `POST /parse`, `/health` (B-03…B-05).

One article is asked for once, however many clients wait for it; reading happens in processes of its own, so that a
hostile document costs its process and nothing else. Errors are always enveloped, with status 400 (A-31).
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any, Final

from aiohttp import web

from pubweave.core.reading.jats.plain import MalformedJats, articles, parse_xml
from pubweave.core.reading.jats.read import read_document
from pubweave.core.reading.jats.sections import find_sections, text_of
from pubweave.core.reading.jats.xml import MAX_BYTES
from pubweave.jats.encoding import ascii_json
from pubweave.jats.source import FetchedXml, GetXml, nowhere, pmcid_of

PORT: Final = 8088
_CORS: Final = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
    "Access-Control-Allow-Headers": "Content-Type",
}


class BadRequest(Exception):
    """The request cannot be answered; the text says why."""

    def __init__(self, message: str, outcome: str = "") -> None:
        super().__init__(message)
        self.outcome = outcome


def read_to_json(data: bytes, extras: bool, section: str | None) -> list[bytes]:
    """The articles of a reply as JSON, one each; run in a process of its own.

    :raises MalformedJats: no XML, or hostile
    """
    made = []
    found = articles(parse_xml(data))
    del data
    found.reverse()
    while found:
        # popped, so that the tree of the last article is gone before its JSON is made
        document = read_document(found.pop(), extras=extras or section is not None)
        if section is None:
            made.append(ascii_json(document))
        else:
            sections = find_sections(document, section)
            made.append(
                ascii_json(
                    {
                        "pmcid": document.pmcid,
                        "path": section,
                        "text": text_of(sections),
                        "sections": sections,
                    }
                )
            )
    return made


def _truth(text: str | None, default: bool) -> bool:
    return default if text is None else text.lower() not in ("0", "false", "no", "")


class JatsServer:
    """The service as an aiohttp application.

    :param get_xml: asked for articles; keeps budgets itself
    :param workers: processes that read; 0 reads in a thread (tests, small machines)
    :param max_asks: how many articles are asked for at once
    :param max_reads: how many documents wait or are read at once; further requests wait without bodies in memory
    """

    def __init__(
        self,
        get_xml: GetXml = nowhere,
        *,
        workers: int = 1,
        max_asks: int = 8,
        max_reads: int = 16,
        max_body_bytes: int = MAX_BYTES,
    ) -> None:
        self._get_xml = get_xml
        self._workers = workers
        self._asks = asyncio.Semaphore(max_asks)
        self._reads = asyncio.Semaphore(max_reads)
        self._executor: Executor | None = None
        self._in_flight: dict[str, asyncio.Task[FetchedXml]] = {}
        self._max_body_bytes = max_body_bytes

    def application(self) -> web.Application:
        """The routes; unknown ones are answered as the seed's server does, with 400."""
        application = web.Application(client_max_size=self._max_body_bytes)
        application.router.add_get("/health", self._health)
        application.router.add_get("/parse/pmc/{id}", self._answering(self._parse))
        application.router.add_get("/getxml/pmc/{id}", self._answering(self._xml))
        application.router.add_post("/parse", self._answering(self._post))
        application.router.add_route("OPTIONS", "/{anything:.*}", self._preflight)
        application.router.add_route("*", "/{anything:.*}", self._answering(self._unknown))
        application.on_cleanup.append(self._close)
        return application

    def _answering(self, handler: "Callable[[web.Request], Any]") -> "Callable[[web.Request], Any]":
        async def answer(request: web.Request) -> web.StreamResponse:
            try:
                made: web.StreamResponse = await handler(request)
            except BadRequest as refused:
                return self._error(request, str(refused), refused.outcome)
            except MalformedJats as refused:
                return self._error(request, str(refused), "malformed")
            except web.HTTPRequestEntityTooLarge:
                return self._error(
                    request, f"the body has more than {self._max_body_bytes} bytes", "too-large"
                )
            return made

        return answer

    def _error(self, request: web.Request, message: str, outcome: str = "") -> web.Response:
        error = {"message": message, **({"outcome": outcome} if outcome else {})}
        body = ascii_json({"query": request.path_qs, "success": False, "error": error})
        return web.Response(status=400, body=body, content_type="application/json", headers=_CORS)

    def _answer(self, request: web.Request, data: bytes) -> web.Response:
        if _truth(request.query.get("envelope"), default=False):
            query = ascii_json(request.path_qs)
            data = b'{"query":' + query + b',"success":true,"data":' + data + b"}"
        return web.Response(body=data, content_type="application/json", headers=_CORS)

    async def _health(self, request: web.Request) -> web.Response:
        return web.Response(body=b'{"status":"ok"}', content_type="application/json", headers=_CORS)

    async def _preflight(self, request: web.Request) -> web.Response:
        return web.Response(status=204, headers=_CORS)

    async def _unknown(self, request: web.Request) -> web.Response:
        raise BadRequest("unknown path; ask for /parse/pmc/{id}, /getxml/pmc/{id}, POST /parse or /health")

    async def _parse(self, request: web.Request) -> web.Response:
        found = await self._fetched(request)
        made = await self._read(found.data, request)
        if not made:
            raise BadRequest("the source's answer has no article", "empty")
        return self._answer(request, made[0])

    async def _xml(self, request: web.Request) -> web.Response:
        found = await self._fetched(request)
        return web.Response(body=found.data, content_type="application/xml", headers=_CORS)

    async def _post(self, request: web.Request) -> web.Response:
        async with self._reads:
            data = await request.read()
            made = await self._read_unbounded(data, request)
        if not made:
            raise BadRequest("there is no article in the body", "empty")
        return self._answer(request, made[0] if len(made) == 1 else b"[" + b",".join(made) + b"]")

    async def _fetched(self, request: web.Request) -> FetchedXml:
        """The XML of the article asked for; clients that ask for the same share one ask."""
        given = request.match_info["id"]
        pmcid = pmcid_of(given)
        if pmcid is None:
            raise BadRequest(f"{given!r} is no PMCID")
        task = self._in_flight.get(pmcid)
        if task is None:
            task = asyncio.create_task(self._ask(pmcid))
            self._in_flight[pmcid] = task
            task.add_done_callback(lambda _: self._in_flight.pop(pmcid, None))
        # a client that goes away must not take the answer from the others
        found = await asyncio.shield(task)
        if found.outcome != "found":
            raise BadRequest(found.message or f"{pmcid}: {found.outcome}", found.outcome)
        return found

    async def _ask(self, pmcid: str) -> FetchedXml:
        async with self._asks:
            return await self._get_xml(pmcid)

    async def _read(self, data: bytes, request: web.Request) -> list[bytes]:
        async with self._reads:
            return await self._read_unbounded(data, request)

    async def _read_unbounded(self, data: bytes, request: web.Request) -> list[bytes]:
        extras = _truth(request.query.get("extras"), default=True)
        if self._executor is None:
            self._executor = self._make_executor()
        executor = self._executor
        try:
            return await asyncio.get_running_loop().run_in_executor(
                executor, read_to_json, data, extras, request.query.get("section")
            )
        except BrokenProcessPool:
            if self._executor is executor:
                self._executor = None
                executor.shutdown(wait=False)
            raise BadRequest("the process that read the document died", "malformed") from None

    def _make_executor(self) -> Executor:
        if self._workers == 0:
            return ThreadPoolExecutor(1, thread_name_prefix="jats")
        return ProcessPoolExecutor(self._workers, mp_context=get_context("spawn"), max_tasks_per_child=500)

    async def _close(self, application: web.Application) -> None:
        for task in list(self._in_flight.values()):
            task.cancel()
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)


async def serve(
    get_xml: GetXml, host: str, port: int, workers: int, ready: "Callable[[str, int], None]"
) -> None:
    """Serve until cancelled; `ready` is told the address, which port 0 leaves to the system."""
    runner = web.AppRunner(JatsServer(get_xml, workers=workers).application(), access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        await site.start()
        address = runner.addresses[0]
        ready(str(address[0]), int(address[1]))
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()
