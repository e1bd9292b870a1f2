"""A real Chromium that opens one page and tells everything it notices, driven over its debugging protocol."""

import asyncio
import contextlib
import itertools
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import aiohttp

CHROMIUM: Final = next(
    filter(
        None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"))
    ),
    None,
)
_DEADLINE_S: Final = 60


class Page:
    """A tab; `complaints` are its console errors, exceptions and violations, `requests` every address it asked for."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._loaded = asyncio.Event()
        self.complaints: list[str] = []
        self.requests: list[str] = []

    async def listen(self) -> None:
        async for message in self._socket:
            told = message.json()
            if "id" in told:
                self._answers.pop(told["id"]).set_result(told)
            elif told["method"] == "Page.loadEventFired":
                self._loaded.set()
            elif told["method"] == "Network.requestWillBeSent":
                self.requests.append(told["params"]["request"]["url"])
            elif told["method"] in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
                self.complaints.append(str(told["params"]))

    async def ask(self, method: str, **params: Any) -> Any:
        """:raises AssertionError: the browser refuses"""
        number = next(self._numbers)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": params})
        told = await asyncio.wait_for(answer, _DEADLINE_S)
        assert "error" not in told, (method, told)
        return told["result"]

    async def open(self, path: Path) -> None:
        for domain in ("Page", "Network", "Runtime", "Log"):
            await self.ask(f"{domain}.enable")
        await self.ask("Page.navigate", url=path.as_uri())
        await asyncio.wait_for(self._loaded.wait(), _DEADLINE_S)

    async def run(self, expression: str) -> Any:
        """The value of an expression of the page; promises are waited for."""
        told = await self.ask(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    async def type(self, text: str) -> None:
        """Type into what has the focus, and wait until the page has drawn."""
        await self.ask("Input.insertText", text=text)
        await self.drawn()

    async def key(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            await self.ask("Input.dispatchKeyEvent", type=kind, key=key, text=key if len(key) == 1 else "")
        await self.drawn()

    async def drawn(self) -> None:
        await self.run(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))"
        )

    async def prefer(self, scheme: str) -> None:
        """`light` or `dark`, as the system would say it."""
        await self.ask(
            "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}]
        )


@contextlib.asynccontextmanager
async def opened(html: Path, profile: Path) -> AsyncIterator[Page]:
    """The page in a browser of its own that has no way out of this machine."""
    assert CHROMIUM is not None
    options = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking",
        "--proxy-server=127.0.0.1:9",
        f"--user-data-dir={profile}",
        "--remote-debugging-port=0",
        "--remote-allow-origins=*",
        "--window-size=1200,1400",
    ]
    process = await asyncio.create_subprocess_exec(
        CHROMIUM,
        *options,
        "about:blank",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "HOME": str(profile)},
    )
    try:
        assert process.stderr is not None
        port = await asyncio.wait_for(_port(process.stderr), _DEADLINE_S)
        drain = asyncio.create_task(process.stderr.read())
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://127.0.0.1:{port}/json/list") as reply:
                (tab,) = [one for one in await reply.json() if one["type"] == "page"]
            async with session.ws_connect(tab["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                page = Page(socket)
                listening = asyncio.create_task(page.listen())
                try:
                    await page.open(html)
                    yield page
                finally:
                    listening.cancel()
                    await asyncio.gather(listening, return_exceptions=True)
        process.terminate()
        await drain
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
        await process.wait()


async def _port(said: asyncio.StreamReader) -> int:
    """The browser says on which port it listens."""
    while line := (await said.readline()).decode(errors="replace"):
        if "DevTools listening on" in line:
            return int(line.split("//")[1].split("/")[0].rpartition(":")[2])
    raise AssertionError("the browser ended before it listened")
