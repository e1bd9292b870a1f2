"""A client for the simulated internet: aiohttp through the proxy, trusting its authority."""

import ssl
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

import aiohttp
import pytest
from simnet.fixture import Running, running
from simnet.universe import Universe

REST = "https://www.ebi.ac.uk/europepmc/webservices/rest/"
ANNOTATIONS = "https://www.ebi.ac.uk/europepmc/annotations_api/annotationsByArticleIds"
EFETCH = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/efetch.fcgi"


@dataclass
class Answer:
    """A reply, read."""

    status: int
    body: bytes
    headers: dict[str, str]


class Client:
    """Asks through the proxy; keeps connections."""

    def __init__(self, net: Running) -> None:
        self.net = net
        context = ssl.create_default_context(cafile=str(net.ca_file))
        self.session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=context, limit=50), auto_decompress=True, timeout=aiohttp.ClientTimeout(20)
        )

    async def get(self, url: str, **parameters: str) -> Answer:
        return await self._ask("GET", url, params=parameters)

    async def post(self, url: str, **form: str) -> Answer:
        return await self._ask("POST", url, data=form)

    async def _ask(self, method: str, url: str, **more: object) -> Answer:
        async with self.session.request(
            method, url, proxy=self.net.proxy_url, allow_redirects=False, **more  # type: ignore[arg-type]
        ) as reply:
            return Answer(reply.status, await reply.read(), {k.lower(): v for k, v in reply.headers.items()})


@pytest.fixture(scope="session")
def universe() -> Universe:
    """The standard universe."""
    return Universe(1, 2000)


@pytest.fixture(scope="session")
def shared_net(universe: Universe) -> Iterator[Running]:
    """One simulated internet for tests that need no faults and no clean log."""
    with running(universe) as net:
        yield net


@pytest.fixture
async def client(shared_net: Running) -> AsyncIterator[Client]:
    client = Client(shared_net)
    yield client
    await client.session.close()
