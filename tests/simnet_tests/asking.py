"""A client for the simulated internet: aiohttp through the proxy, trusting its authority."""

import ssl
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import aiohttp

from simnet.fixture import Process, Running

REST = "https://www.ebi.ac.uk/europepmc/webservices/rest/"
SEARCH = REST + "search"
SEARCH_POST = REST + "searchPOST"
ANNOTATIONS = "https://www.ebi.ac.uk/europepmc/annotations_api/annotationsByArticleIds"
EFETCH = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/efetch.fcgi"


@dataclass
class Answer:
    """A reply, read whole."""

    status: int
    body: bytes
    headers: dict[str, str]


class Client:
    """Asks through the proxy, follows nothing, keeps up to `limit` connections."""

    def __init__(self, net: Running | Process, limit: int = 1, timeout_s: float = 20) -> None:
        self.net = net
        self.session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                ssl=ssl.create_default_context(cafile=str(net.ca_file)), limit=limit
            ),
            timeout=aiohttp.ClientTimeout(timeout_s),
        )

    async def __aenter__(self) -> "Client":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.session.close()

    async def get(self, url: str, **parameters: str) -> Answer:
        return await self._ask("GET", url, params=parameters)

    async def post(self, url: str, **form: str) -> Answer:
        return await self._ask("POST", url, data=form)

    async def _ask(self, method: str, url: str, **more: Any) -> Answer:
        async with self.session.request(
            method, url, proxy=self.net.proxy_url, allow_redirects=False, **more
        ) as reply:
            headers = {name.lower(): value for name, value in reply.headers.items()}
            return Answer(reply.status, await reply.read(), headers)
