"""A small FTP server on loopback that behaves as a test tells it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field


@dataclass
class FtpServer:
    """Serves `files` by path; `answers` are given to commands instead of its own, the first word decides."""

    files: dict[str, bytes] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)
    greeting: str = "220-Hello\r\n 220 not yet\r\n220 here"
    ends_after: int | None = None
    """Breaks the file off after so many bytes."""
    slow: Callable[[], asyncio.Event] | None = None
    heard: list[str] = field(default_factory=list)
    port: int = 0
    open_now: int = 0
    most_open: int = 0
    data_connections: int = 0

    @property
    def url(self) -> str:
        return f"ftp://127.0.0.1:{self.port}"

    @asynccontextmanager
    async def running(self) -> AsyncIterator["FtpServer"]:
        tasks: set[asyncio.Task[None]] = set()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            tasks.add(task)
            self.open_now += 1
            self.most_open = max(self.most_open, self.open_now)
            try:
                await self._talk(reader, writer)
            except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                pass
            finally:
                self.open_now -= 1
                writer.close()
                tasks.discard(task)

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for task in list(tasks):
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await server.wait_closed()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        def say(line: str) -> None:
            writer.write(line.encode() + b"\r\n")

        data: asyncio.Queue[asyncio.StreamWriter] = asyncio.Queue()

        async def connected(_: asyncio.StreamReader, to: asyncio.StreamWriter) -> None:
            self.data_connections += 1
            data.put_nowait(to)

        say(self.greeting)
        listening: asyncio.Server | None = None
        try:
            while line := await reader.readline():
                command = line.decode().rstrip("\r\n")
                self.heard.append(command)
                word, _, rest = command.partition(" ")
                if word in self.answers:
                    if self.answers[word]:
                        say(self.answers[word])
                        continue
                    await asyncio.Event().wait()
                if word in ("EPSV", "PASV"):
                    listening = await asyncio.start_server(connected, "127.0.0.1", 0)
                    port = listening.sockets[0].getsockname()[1]
                    # What PASV says of the address is a lie, of another machine of ours.
                    told = (
                        f"229 go (|||{port}|)"
                        if word == "EPSV"
                        else f"227 go (10,0,0,1,{port >> 8},{port & 255})"
                    )
                    say(told)
                elif word == "SIZE":
                    say(f"213 {len(self.files[rest])}" if rest in self.files else "550 no")
                elif word == "RETR":
                    await self._send(say, rest, data)
                else:
                    say(
                        {"USER": "331 who", "PASS": "230 in", "TYPE": "200 so", "QUIT": "221 bye"}.get(
                            word, "502 what"
                        )
                    )
        finally:
            if listening is not None:
                listening.close()
            while not data.empty():
                data.get_nowait().close()

    async def _send(
        self, say: Callable[[str], None], path: str, data: "asyncio.Queue[asyncio.StreamWriter]"
    ) -> None:
        to = await data.get()
        if path not in self.files:
            say("550 No such file")
            to.close()
            return
        say("150 here it comes")
        try:
            with suppress(ConnectionError):
                to.write(self.files[path][: self.ends_after])
                await to.drain()
                if self.slow is not None:
                    await self.slow().wait()
        finally:
            to.close()
        say("226 done" if self.ends_after is None else "426 broken off")
