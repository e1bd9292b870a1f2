"""Redirects to another site are asked by that site's owner, and end as if one fetcher had followed them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise

import msgspec
import pytest

from pubweave.adapters.clock import SystemClock
from pubweave.adapters.memory import MemoryStorage
from pubweave.contract.exchange import Reply
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.doors.fetcher import FetcherDoor, FetcherSettings
from pubweave.runtimes.messages.effects import Effects
from pubweave.runtimes.messages.resources import Door
from services.doors.fetcher.loopback import LOOPBACK, Asked, Server, reply_bytes, wanted

pytestmark = pytest.mark.network

PAGE = reply_bytes(b"<html><body>here</body></html>", "200 OK", "Content-Type: text/html")


class Sites:
    """Two sites that lead to each other as a path says: `/b/a/page` goes to b, then to a, then is a page. Each sets a
    cookie of its own, `insist` leads to the same address until it comes back, `form` is a 307, `loop` never ends."""

    def __init__(self) -> None:
        self.a = Server(self._answer, host="127.0.0.1")
        self.b = Server(self._answer, host="127.0.0.2")

    def url(self, path: str) -> str:
        return f"{self.a.url}{path}"

    async def _answer(self, asked: Asked, writer: asyncio.StreamWriter) -> None:
        first, _, rest = asked.path.removeprefix("/").partition("/")
        server = self.a if asked.headers["host"].startswith("127.0.0.1") else self.b
        name = "a" if server is self.a else "b"
        match first:
            case "page":
                writer.write(PAGE)
            case "insist" if f"{name}=1" in asked.headers.get("cookie", ""):
                writer.write(reply_bytes(b"", "302 Found", f"Location: /{rest}"))
            case "insist":
                writer.write(
                    reply_bytes(b"", "302 Found", f"Location: {asked.path}", f"Set-Cookie: {name}=1; Path=/")
                )
            case "loop":
                other = self.b if server is self.a else self.a
                writer.write(reply_bytes(b"", "302 Found", f"Location: {other.url}/loop"))
            case _:
                target = (self.a if first.startswith("a") else self.b).url
                status = "307 Temporary Redirect" if first.endswith("form") else "303 See Other"
                writer.write(
                    reply_bytes(b"", status, f"Location: {target}/{rest}", f"Set-Cookie: from={name}; Path=/")
                )

    def asked(self) -> list[tuple[str, str, bytes, str]]:
        """What both saw, and forget it."""
        found = [
            (asked.method, asked.target, asked.body, asked.headers.get("cookie", ""))
            for asked in (*self.a.asked, *self.b.asked)
        ]
        self.a.asked.clear()
        self.b.asked.clear()
        return found


@asynccontextmanager
async def sites() -> AsyncIterator[tuple[Sites, FetcherDoor, FetcherDoor]]:
    """Two sites and two fetchers, each of a process of its own."""
    both, settings = Sites(), FetcherSettings(allow_addresses=LOOPBACK, no_budgets=True)
    async with (
        both.a.running(),
        both.b.running(),
        FetcherDoor(settings, SystemClock(), environment={}) as one,
        FetcherDoor(settings, SystemClock(), environment={}) as other,
    ):
        yield both, one, other


def told(reply: Reply) -> Reply:
    return msgspec.structs.replace(reply, fetched_at=0)


@pytest.mark.parametrize(
    "path",
    [
        "/page",
        "/b/page",
        "/b/a/page",
        "/insist/b/insist/a/insist/page",
        "/bform/aform/page",
        "/bform/a/page",
        "/loop",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_what_its_owners_fetch_hop_by_hop_is_what_one_fetcher_would(path: str, method: str) -> None:
    """The same reply, the same requests with the same cookies and forms; every hop by the owner of its site."""
    form = (("q", "1"),) if method == "POST" else ()
    async with sites() as (both, one, other):
        question = wanted(both.url(path), method=method, form=form)
        followed = told(await one.fetch(question))
        requests = both.asked()
        going: Reply | ReplyWanted = question
        hosts: list[str] = []
        for _ in range(30):
            if not isinstance(going, ReplyWanted):
                break
            url = going.carried.url if going.carried else going.request.url
            hosts.append(url.split("/")[2].partition(":")[0])
            going = await (one if len(hosts) % 2 else other).hop(
                msgspec.json.decode(msgspec.json.encode(going), type=ReplyWanted)
            )
        assert isinstance(going, Reply)
        assert told(going) == followed
        assert both.asked() == requests
        assert all(before != after for before, after in pairwise(hosts))
        assert len(hosts) > 1 or path == "/page"


async def test_a_door_says_the_question_to_the_owner_of_the_site() -> None:
    """And no reply: that is the owner's to give."""
    async with sites() as (both, one, _):

        class Hops:
            async def fetch(self, wanted: ReplyWanted) -> Reply | ReplyWanted:
                return await one.hop(wanted)

        door, effects = Door(Hops(), MemoryStorage().blobs, SystemClock()), Effects()
        await door.hear("reply-wanted.fetcher", wanted(both.url("/b/page")), effects)
        (said,) = effects.said

    assert (said.topic, said.key) == ("reply-wanted.fetcher", "127.0.0.2")
    assert isinstance(said.event, ReplyWanted)
    assert said.event.carried is not None
    assert said.event.carried.hops == 1
