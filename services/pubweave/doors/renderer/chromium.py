"""One Chromium from its start to its end, without any way to the network.

It is spoken to over two pipes instead of a port: nobody else on the machine can, and it ends with us, however we end.
"""

import asyncio
import contextlib
import fcntl
import json
import os
import shutil
import signal
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Self

from pubweave.doors.renderer.session import SOON_S, BrowserGone, DevtoolsSession, heard
from pubweave.doors.renderer.settings import RendererSettings
from pubweave.doors.renderer.windows import Windows

_NAMES: Final = (
    # The same engine without a browser's windows: a third of the memory, a tenth of the start.
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
)
_LONGEST_MESSAGE_BYTES: Final = 256 << 20
_ENDING_S: Final = 5.0
_PROFILE: Final = "pubweave-browser-"
_OWNER: Final = "owner"
_LONGEST_FOLDER: Final = 60
"""Chromium makes a socket below it, whose path may have 107 bytes."""

_FLAGS: Final = (
    "--headless",
    "--remote-debugging-pipe",
    # No way out: names are not resolved, and what needs none meets a proxy that is not there, on loopback too.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--dns-prefetch-disable",
    # Frames of other sites stay in the page's process, where their requests are met.
    "--disable-site-isolation-trials",
    "--disable-features=IsolateOrigins,site-per-process,Translate,MediaRouter,OptimizationHints,"
    "DialMediaRouteProvider,ServiceWorkerPaymentApps,BackForwardCache,Prerender2,SpeculationRulesPrefetchFuture",
    # The fetcher's replies have no headers for this; there is nothing in the browser to protect.
    "--disable-web-security",
    "--blink-settings=imagesEnabled=false",
    "--js-flags=--max-old-space-size=512",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-crash-reporter",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-gpu",
    "--disable-hang-monitor",
    "--disable-notifications",
    "--disable-popup-blocking",
    "--disable-prompt-on-repost",
    "--disable-sync",
    "--disk-cache-size=1",
    "--metrics-recording-only",
    "--mute-audio",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
    "--no-service-autorun",
    # Each host has a window of its own.
    "--no-startup-window",
    "--password-store=basic",
    "--use-mock-keychain",
)


class NoBrowser(Exception):
    """There is no browser here, or nothing that speaks with it; the text says what to install."""


def executable(settings: RendererSettings) -> Path:
    """:raises NotInstalled: there is none"""
    if settings.executable is not None:
        found = shutil.which(settings.executable)
        if found is None:
            raise NoBrowser(f"{settings.executable} is no program that can be run")
        return Path(found)
    for name in _NAMES:
        found = shutil.which(name)
        if found is not None:
            return Path(found)
    raise NoBrowser("there is no browser here: install Chromium (Debian: apt install chromium)")


class Browser:
    """A process group with a profile of its own. `kill` it at the end, whatever happened."""

    def __init__(self, process: asyncio.subprocess.Process, profile: "_Profile", connection: Any) -> None:
        self._process = process
        self._profile = profile
        self._connection = connection
        self.whole = DevtoolsSession(connection)
        self.windows = Windows(self.whole, self._session)
        self.pages = 0
        """How many it has shown."""
        self.ended = False
        self.when_ended: Callable[[], None] | None = None
        """Told when it ends by itself."""
        connection.setClosedCallback(self._closed)

    @property
    def pid(self) -> int:
        """Of the browser's first process, and the number of its group."""
        return self._process.pid

    @classmethod
    async def start(cls, settings: RendererSettings) -> Self:
        """:raises NotInstalled: no browser, or no pyppeteer
        :raises BrowserGone: it did not come up
        """
        program = executable(settings)
        pipe_connection = _pipe_connection()
        profile = await asyncio.to_thread(_Profile)
        flags = [*_FLAGS, f"--user-data-dir={profile.path}"]
        if not settings.sandbox or os.geteuid() == 0:
            flags.append("--no-sandbox")
        # The user's own surroundings, proxies and keys among them, are none of its business.
        environment = {
            "HOME": str(profile.path),
            "PATH": os.environ.get("PATH", os.defpath),
            "TMPDIR": str(profile.path) if len(str(profile.path)) <= _LONGEST_FOLDER else "/tmp",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "DBUS_SESSION_BUS_ADDRESS": "disabled:",
        }
        # Chromium reads commands from descriptor 3 and writes to 4.
        redirected = 'exec "$0" "$@" 3<&0 4>&1 0</dev/null 1>&2'
        with (profile.path / "messages").open("wb") as messages:
            process = await asyncio.create_subprocess_exec(
                "/bin/sh",
                "-c",
                redirected,
                str(program),
                *flags,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=messages,
                env=environment,
                start_new_session=True,
                limit=_LONGEST_MESSAGE_BYTES,
            )
        browser = cls(process, profile, pipe_connection(process))
        try:
            await browser.whole.ask("Browser.getVersion", within_s=settings.start_s)
            await browser.whole.ask("Target.setDiscoverTargets", discover=True)
        except BrowserGone as problem:
            told = browser._last_words()
            await browser.kill()
            raise BrowserGone(f"{program} did not come up: {told or problem}") from problem
        except BaseException:
            await browser.kill()
            raise
        return browser

    async def answers(self) -> bool:
        """It is still there and hears us."""
        if self.ended or self._process.returncode is not None:
            return False
        try:
            await self.whole.ask("Browser.getVersion")
        except BrowserGone:
            return False
        return True

    async def _session(self, target: str) -> DevtoolsSession:
        """Talk with one page."""
        try:
            async with asyncio.timeout(SOON_S):
                session = await self._connection.createSession({"targetId": target, "type": "page"})
        except Exception as problem:
            raise BrowserGone(f"a page could not be opened: {problem}") from problem
        return DevtoolsSession(session)

    def memory_mb(self) -> int:
        """What all its processes hold; 0 where that cannot be told."""
        pages = 0
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError, ValueError, IndexError):
                # The name in parentheses may hold anything.
                fields = (entry / "stat").read_text("utf-8", "replace").rpartition(") ")[2].split()
                if int(fields[2]) == self.pid:
                    # Shared memory, the program itself above all, is counted once at most.
                    resident, shared = (entry / "statm").read_text("ascii").split()[1:3]
                    pages += int(resident) - int(shared)
        return pages * os.sysconf("SC_PAGE_SIZE") >> 20

    def strike(self) -> None:
        """End it at once; `kill` is still to come."""
        self.ended = True
        self._connection.struck = True
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    def _closed(self) -> None:
        self.ended = True
        if self.when_ended is not None:
            self.when_ended()

    async def kill(self) -> None:
        """End all its processes and remove its profile. Safe to repeat."""
        self.strike()
        # Processes of it may hold the pipes a moment longer.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_ENDING_S):
                await self._process.wait()
        await self._connection.end()
        await asyncio.to_thread(self._profile.remove)

    def _last_words(self) -> str:
        with contextlib.suppress(OSError):
            lines = (self._profile.path / "messages").read_text("utf-8", "replace").strip().splitlines()
            return " / ".join(lines[-3:])[-400:]
        return ""


class _Profile:
    """A folder for a browser's files, which ours alone is while `_owner` is open; those of runs that were killed go."""

    def __init__(self) -> None:
        for left in Path(tempfile.gettempdir()).glob(f"{_PROFILE}*/{_OWNER}"):
            with contextlib.suppress(OSError), left.open("rb") as theirs:
                fcntl.flock(theirs, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left.parent, ignore_errors=True)
        self.path = Path(tempfile.mkdtemp(prefix=_PROFILE))
        self._owner = (self.path / _OWNER).open("wb")
        fcntl.flock(self._owner, fcntl.LOCK_EX)

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        self._owner.close()


def _pipe_connection() -> Callable[[asyncio.subprocess.Process], Any]:
    """pyppeteer's connection over the pipes of a process.

    :raises NotInstalled: there is no pyppeteer
    """
    try:
        from pyppeteer.connection import Connection
    except ImportError as problem:
        raise NoBrowser(
            "nothing here speaks with a browser: pip install 'pubweave[renderer]' brings it"
        ) from problem

    class PipeConnection(Connection):  # type: ignore[misc]
        """What is spoken is pyppeteer's; what carries it is ours instead of its WebSocket."""

        def __init__(self, process: asyncio.subprocess.Process) -> None:
            with warnings.catch_warnings():
                # About how it makes the WebSocket that is not used.
                warnings.simplefilter("ignore", DeprecationWarning)
                super().__init__("ws://not.used", asyncio.get_running_loop())
            self._ws = _Pipe(process)
            self.struck = False

        def send(self, method: str, params: dict[str, Any] | None = None) -> "asyncio.Future[Any]":
            if self.struck:
                raise BrowserGone("the browser was ended")
            future: asyncio.Future[Any] = super().send(method, params)
            # Most of what is said to a page on the way is not waited for by anybody.
            future.add_done_callback(heard)
            return future

        async def _on_message(self, message: str) -> None:
            told = json.loads(message)
            waiting = self._callbacks.get(told.get("id", -1))
            if waiting is not None and waiting.done():
                # Nobody waits any more; pyppeteer would stumble.
                del self._callbacks[told["id"]]
                return
            await super()._on_message(message)

        async def end(self) -> None:
            self._connected = False
            for asked in [self, *self._sessions.values()]:
                asked._callbacks = {key: one for key, one in asked._callbacks.items() if not one.done()}
            await self._on_close()
            await asyncio.gather(self._recv_fut, return_exceptions=True)

    return PipeConnection


class _Pipe:
    """What pyppeteer takes for its WebSocket: messages that end with a zero byte."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._writer = process.stdin
        self._reader = process.stdout

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()

    async def recv(self) -> str:
        try:
            return (await self._reader.readuntil(b"\0"))[:-1].decode("utf-8", "replace")
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError) as problem:
            raise ConnectionResetError("the browser's pipe has ended") from problem

    async def send(self, message: str) -> None:
        with contextlib.suppress(ConnectionError, RuntimeError):
            self._writer.write(message.encode() + b"\0")
            await self._writer.drain()

    async def close(self) -> None:
        self._writer.close()
