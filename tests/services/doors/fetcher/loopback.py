"""Small servers on loopback that behave as a test tells them, and questions for them."""

import asyncio
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pubweave.contract.exchange import Reply, Request, Work
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.doors.fetcher import FetcherDoor

LOOPBACK = ("127.0.0.0/8", "::1/128")


@dataclass
class Asked:
    """One request as the server saw it."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    connection: int
    at_s: float
    ended_s: float = 0.0

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]


Answer = Callable[[Asked, asyncio.StreamWriter], Awaitable[None]]


def reply_bytes(
    body: bytes = b"", status: str = "200 OK", *headers: str, length: int | None = None, close: bool = False
) -> bytes:
    """One HTTP/1.1 answer. `length` lies about the body's length."""
    lines = [f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(body) if length is None else length}"]
    if close:
        lines.append("Connection: close")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


@dataclass
class Server:
    """Writes whatever bytes its answers write; keeps a log. An answer that closes the writer ends the
    connection."""

    answer: Answer
    tls: ssl.SSLContext | None = None
    host: str = "127.0.0.1"
    asked: list[Asked] = field(default_factory=list)
    connections: int = 0
    open_now: int = 0
    most_open: int = 0
    port: int = 0
    quiet: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def url(self) -> str:
        return f"{'https' if self.tls else 'http'}://{self.host}:{self.port}"

    async def idle(self) -> None:
        """Wait until all connections have ended."""
        await self.quiet.wait()

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Server"]:
        tasks: set[asyncio.Task[Any]] = set()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            tasks.add(task)
            self.connections += 1
            number = self.connections
            self.open_now += 1
            self.quiet.clear()
            self.most_open = max(self.most_open, self.open_now)
            try:
                while not writer.is_closing():
                    asked = await _read_request(reader, number)
                    if asked is None:
                        break
                    self.asked.append(asked)
                    await self.answer(asked, writer)
                    asked.ended_s = time.monotonic()
            except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                pass
            finally:
                self.open_now -= 1
                if not self.open_now:
                    self.quiet.set()
                writer.close()
                tasks.discard(task)

        server = await asyncio.start_server(serve, self.host, 0, ssl=self.tls)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for task in list(tasks):
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await server.wait_closed()


async def _read_request(reader: asyncio.StreamReader, connection: int) -> Asked | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    at_s = time.monotonic()
    first, *lines = head.decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in lines if line)
    }
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(method, target, headers, body, connection, at_s)


def says(*answers: bytes) -> Answer:
    """Give these answers in turn, the last one for ever."""
    left = list(answers)

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(left.pop(0) if len(left) > 1 else left[0])
        await writer.drain()

    return answer


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass bytes on until there are no more."""
    try:
        while piece := await reader.read(65536):
            writer.write(piece)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


@dataclass
class Count:
    """How many connections there are now, and were at most."""

    now: int = 0
    most: int = 0


@asynccontextmanager
async def counted(*servers: Server) -> AsyncIterator[tuple[list[str], Count]]:
    """Addresses that lead to these servers, and the count of connections over all of them."""
    count = Count()

    async def passed_on(server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        count.now += 1
        count.most = max(count.most, count.now)
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", server.port)
        back = asyncio.create_task(pump(inner_reader, writer))
        await pump(reader, inner_writer)
        count.now -= 1
        await back

    doors = [await asyncio.start_server(partial(passed_on, server), "127.0.0.1", 0) for server in servers]
    yield [f"http://127.0.0.1:{door.sockets[0].getsockname()[1]}/" for door in doors], count
    for door in doors:
        door.close()
        await door.wait_closed()


def wanted(
    url: str, *, lane: str = "interactive", ask: str = "", delay_ms: int = 0, **request: Any
) -> ReplyWanted:
    request.setdefault("timeout_ms", 5_000)
    return ReplyWanted(
        ask=ask or url,
        unit="-",
        request=Request(url=url, **request),
        work=Work(resource="pmc", needs=()),
        delay_ms=delay_ms,
        lane=lane,  # type: ignore[arg-type]
    )


OpenFetcher = Callable[..., AbstractAsyncContextManager[FetcherDoor]]
Fetch = Callable[..., Awaitable[Reply]]
