"""The proxy: plain requests and CONNECT, HTTP/1.1 keep-alive, one asyncio loop, no framework."""

import asyncio
import json
import selectors
import socket
import ssl
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from simnet.certs import Authority
from simnet.draw import share
from simnet.facts import lines
from simnet.faults import Fault, Faults, spoil
from simnet.hosts import ROUTERS
from simnet.log import Entry, Log, unit
from simnet.messages import Reply, Request
from simnet.universe import Universe

LONGEST_HEAD = 64 * 1024
_REASONS = {status.value: status.phrase for status in HTTPStatus}
_UNKNOWN = b"<html><head><title>502 Bad Gateway</title></head><body><h1>502</h1><p>unknown host: %s</p></body></html>"


class Watch(selectors.DefaultSelector):
    """A selector that knows since when what it reports may have been waiting.

    `earliest`: if it had to wait for the report, the moment of the report; otherwise the report before, because the
    server was busy in between.
    """

    _AT_ONCE_S = 50e-6

    def __init__(self) -> None:
        super().__init__()
        self.earliest = self._last = time.monotonic()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        called = time.monotonic()
        found = super().select(timeout)
        now = time.monotonic()
        self.earliest = now if now - called > self._AT_ONCE_S else self._last
        self._last = now
        return found


def new_loop() -> asyncio.AbstractEventLoop:
    """An event loop with a `Watch`."""
    return asyncio.SelectorEventLoop(Watch())


@dataclass
class Settings:
    """How the simulated network behaves. Latency is from a whole request to its reply, in seconds."""

    latency_s: float = 0.0
    latency_of: dict[str, float] = field(default_factory=dict)
    """by host, `www.` does not matter"""
    jitter: float = 0.0
    """latency varies by up to this share both ways, by the content of the ask and `jitter_seed` alone"""
    jitter_seed: int = 0
    faults: list[Fault] = field(default_factory=list)
    faults_seed: int = 0
    compress: bool = False
    """gzip replies above 1 KB for clients that accept it"""


class Simnet:
    """One running simulated internet: a proxy port and a control port on the loopback interface."""

    def __init__(self, universe: Universe, settings: Settings | None = None) -> None:
        self.universe = universe
        self.settings = settings or Settings()
        self.authority = Authority(sorted(ROUTERS))
        self.log = Log()
        self.faults = Faults(self.settings.faults_seed, list(self.settings.faults))
        self.port = self.control_port = 0
        self.seen: Callable[[Entry], None] | None = None
        self._servers: list[asyncio.Server] = []
        self._transports: set[asyncio.BaseTransport] = set()
        self._connections = 0

    def earliest(self, now: float) -> float:
        """Since when a request that is taken up now may have been waiting."""
        watch = getattr(asyncio.get_running_loop(), "_selector", None)
        return min(watch.earliest, now) if isinstance(watch, Watch) else now

    async def start(self, port: int = 0, control_port: int = 0) -> None:
        """Listen; `port` and `control_port` are then the real numbers."""
        loop = asyncio.get_running_loop()
        proxy = await loop.create_server(lambda: _Connection(self), "127.0.0.1", port, backlog=1024)
        control = await loop.create_server(lambda: _Connection(self, control=True), "127.0.0.1", control_port)
        self._servers = [proxy, control]
        self.port = proxy.sockets[0].getsockname()[1]
        self.control_port = control.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Close the ports and every connection."""
        for server in self._servers:
            server.close()
        for transport in list(self._transports):
            transport.abort() if isinstance(transport, asyncio.WriteTransport) else transport.close()
        for server in self._servers:
            await server.wait_closed()
        await asyncio.sleep(0)

    @property
    def proxy_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def control_url(self) -> str:
        return f"http://127.0.0.1:{self.control_port}"

    def latency(self, host: str, resource: str, ids: tuple[str, ...]) -> float:
        """Seconds between this request and its reply."""
        latency = self.settings.latency_of.get(unit(host), self.settings.latency_s)
        if self.settings.jitter and latency:
            latency *= 1 + self.settings.jitter * (
                2 * share(self.settings.jitter_seed, "latency", resource, *ids) - 1
            )
        return latency

    # -- the control port -----------------------------------------------------------------------------------------

    def control(self, request: Request) -> Reply:
        """Questions and orders from another process, as JSON: GET /summary, /log?since=N, /ids, /faults, /ca.pem;
        POST /reset, /faults (a list of faults), /settings (latency_s, latency_of, jitter, jitter_seed)."""
        path = urlsplit(request.target).path
        given = dict(parse_qsl(urlsplit(request.target).query))
        if request.method == "POST":
            return self._order(path, request.body)
        answer: Any
        if path == "/summary":
            answer = self.log.summary()
        elif path == "/log":
            answer = self.log.as_json(int(given.get("since", 0)))
        elif path == "/faults":
            answer = [fault.as_json() for fault in self.faults.faults]
        elif path == "/ids":
            submissions = self.universe.submissions(int(given["count"]) if "count" in given else None)
            return Reply(200, lines(submissions).encode(), "text/plain;charset=UTF-8")
        elif path == "/ca.pem":
            return Reply(200, self.authority.pem, "application/x-pem-file")
        else:
            return Reply(404, b"{}", "application/json")
        return Reply(200, json.dumps(answer, ensure_ascii=False).encode(), "application/json")

    def _order(self, path: str, body: bytes) -> Reply:
        try:
            given = json.loads(body or b"{}")
            if path == "/reset":
                self.log.reset()
            elif path == "/faults":
                self.faults.replace(Fault(**one) for one in given)
            elif path == "/settings":
                for name, value in given.items():
                    if name not in ("latency_s", "latency_of", "jitter", "jitter_seed"):
                        raise ValueError(f"no such setting: {name}")
                    setattr(self.settings, name, value)
            else:
                return Reply(404, b"{}", "application/json")
        except (ValueError, TypeError) as error:
            return Reply(400, json.dumps({"error": str(error)}).encode(), "application/json")
        return Reply(200, b"{}", "application/json")


class _Connection(asyncio.Protocol):
    """One client connection; requests are answered one after the other.

    Inside a tunnel `host` is its host; before and without a tunnel each request names its own.
    """

    def __init__(self, net: Simnet, control: bool = False, host: str = "", number: int = 0) -> None:
        self.net = net
        self.is_control = control
        self.host = host
        self.number = number
        self.transport: asyncio.Transport | None = None
        self.buffer = bytearray()
        self.busy = bool(host)  # inside a tunnel nothing is read before the handshake is over
        self.tunnelled = False
        self.hosts: set[str] = set()
        self.entry: Entry | None = None
        self.waiting: asyncio.TimerHandle | None = None
        self.tasks: set[asyncio.Task[None]] = set()

    # -- asyncio --------------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.net._transports.add(transport)
        if not self.number:
            self.net._connections += 1
            self.number = self.net._connections
        if self.host:
            self._count(self.host)
            self.busy = False
            if self.buffer:
                self._next()

    def connection_lost(self, error: Exception | None) -> None:
        if self.transport is not None:
            self.net._transports.discard(self.transport)
        if self.waiting is not None:
            self.waiting.cancel()
        for task in self.tasks:
            task.cancel()
        if self.entry is not None:
            self.net.log.answered(self.entry, time.monotonic(), 0, 0)
            self.entry = None
        if not self.tunnelled:
            for host in self.hosts:
                self.net.log.closed(host)

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        if not self.busy:
            self._next()

    # -- reading --------------------------------------------------------------------------------------------------

    def _count(self, host: str) -> None:
        if host not in self.hosts:
            self.hosts.add(host)
            self.net.log.opened(host)

    def _next(self) -> None:
        request = self._parse()
        if request is None:
            return
        self.busy = True
        if request.method == "CONNECT":
            self._tunnel(request.host)
        elif self.is_control:
            self._send(self.net.control(request), keep=True)
        else:
            self._serve(request)

    def _parse(self) -> Request | None:
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self.buffer) > LONGEST_HEAD:
                self._abort()
            return None
        first, *rest = self.buffer[:end].decode("latin-1").split("\r\n")
        headers = {}
        for line in rest:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        start = end + 4
        if "chunked" in headers.get("transfer-encoding", ""):
            body, after = _chunked(self.buffer, start)
            if after < 0:
                return None
        else:
            after = start + int(headers.get("content-length", 0))
            if len(self.buffer) < after:
                return None
            body = bytes(self.buffer[start:after])
        del self.buffer[:after]
        method, target, _ = first.split(" ", 2)
        if method == "CONNECT":
            return Request(method, "https", target.rsplit(":", 1)[0].lower(), "", headers)
        if target.startswith("http://") or target.startswith("https://"):
            parts = urlsplit(target)
            rest_of = target[len(f"{parts.scheme}://{parts.netloc}") :] or "/"
            return Request(method, "http", (parts.hostname or "").lower(), rest_of, headers, body)
        scheme = "https" if self.host else "http"
        host = self.host or headers.get("host", "").rsplit(":", 1)[0].lower()
        return Request(method, scheme, host, target, headers, body)

    # -- tunnels --------------------------------------------------------------------------------------------------

    def _tunnel(self, host: str) -> None:
        assert self.transport is not None
        if host not in ROUTERS:
            self._send(Reply(502, _UNKNOWN % host.encode()), keep=False)
            return
        self.transport.pause_reading()
        self.transport.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        self.tunnelled = True
        self._spawn(self._upgrade(host))

    async def _upgrade(self, host: str) -> None:
        inner = _Connection(self.net, host=host, number=self.number)
        assert self.transport is not None
        self.net._transports.discard(self.transport)
        try:
            transport = await asyncio.get_running_loop().start_tls(
                self.transport, inner, self.net.authority.context(host), server_side=True
            )
        except (ConnectionError, ssl.SSLError, asyncio.CancelledError, OSError):
            self._abort()
            return
        if transport is None:
            return
        inner.connection_made(transport)

    def _spawn(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    # -- answering ------------------------------------------------------------------------------------------------

    def _serve(self, request: Request) -> None:
        net, now = self.net, time.monotonic()
        router = ROUTERS.get(request.host)
        if router is None:
            self._send(Reply(502, _UNKNOWN % request.host.encode()), keep=True)
            return
        self._count(request.host)
        ask = router(net.universe, request)
        weather, fault = net.faults.for_ask(request.host, ask)
        names = "+".join([fault.kind] if fault else ["cut-batch"] if weather.cut_after is not None else [])
        self.entry = Entry(
            len(net.log.entries) and net.log.entries[-1].number + 1,
            now,
            now,
            request.host,
            self.number,
            request.method,
            request.target[:300],
            ask.resource,
            ask.ids,
            fault=names,
            earliest=net.earliest(now),
        )
        net.log.arrived(self.entry)
        if net.seen is not None:
            net.seen(self.entry)
        if fault is not None and fault.kind == "tarpit":
            return

        def answer() -> None:
            self.waiting = None
            reply = ask.answer(weather)
            if request.method == "HEAD":
                reply = Reply(reply.status, b"", reply.content_type, reply.headers)
            if fault is not None:
                reply = spoil(fault, reply, request.url)
            elif (
                net.settings.compress
                and len(reply.body) > 1024
                and "gzip" in request.headers.get("accept-encoding", "")
            ):
                reply = _compressed(reply)
            self._send(reply, "close" not in request.headers.get("connection", "").lower(), fault)

        latency = net.latency(request.host, ask.resource, ask.ids)
        if latency > 0:
            self.waiting = asyncio.get_running_loop().call_later(latency, answer)
        else:
            answer()

    def _send(self, reply: Reply, keep: bool, fault: Fault | None = None) -> None:
        kind = fault.kind if fault else ""
        if kind == "reset":
            self._reset()
            return
        assert self.transport is not None
        if self.transport.is_closing():
            return
        head = [
            f"HTTP/1.1 {reply.status} {_REASONS.get(reply.status, 'Status')}",
            f"Content-Type: {reply.content_type}",
            f"Content-Length: {len(reply.body)}",
            *(f"{name}: {value}" for name, value in reply.headers),
            "Connection: keep-alive" if keep else "Connection: close",
        ]
        start = ("\r\n".join(head) + "\r\n\r\n").encode("latin-1", "replace")
        if kind == "drip" and fault is not None:
            self._spawn(self._drip(start, reply, keep, fault))
            return
        if kind == "cut":
            self._done(reply.status, len(reply.body) // 2)
            self.transport.write(start + reply.body[: len(reply.body) // 2])
            self.transport.close()
            return
        # Noted before it is sent: who has the reply may look into the log at once.
        self._done(reply.status, len(reply.body))
        self.transport.write(start + reply.body)
        self._finish(keep)

    async def _drip(self, start: bytes, reply: Reply, keep: bool, fault: Fault) -> None:
        assert self.transport is not None
        self.transport.write(start)
        size = max(1, -(-len(reply.body) // fault.pieces))
        for place in range(0, len(reply.body), size):
            await asyncio.sleep(fault.seconds / fault.pieces)
            if place + size >= len(reply.body):
                self._done(reply.status, len(reply.body))
            self.transport.write(reply.body[place : place + size])
        self._done(reply.status, len(reply.body))
        self._finish(keep)

    def _finish(self, keep: bool) -> None:
        self.busy = False
        if not keep and self.transport is not None:
            self.transport.close()
        elif self.buffer:
            self._next()

    def _done(self, status: int, size: int) -> None:
        if self.entry is not None:
            self.net.log.answered(self.entry, time.monotonic(), status, size)
            self.entry = None

    def _reset(self) -> None:
        assert self.transport is not None
        self._done(0, 0)
        raw = self.transport.get_extra_info("socket")
        if raw is not None:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()

    def _abort(self) -> None:
        if self.transport is not None:
            self.transport.abort()


def _chunked(buffer: bytearray, start: int) -> tuple[bytes, int]:
    """The body from `start` on and where it ends; (b"", -1) when it is not whole yet."""
    pieces: list[bytes] = []
    at = start
    while True:
        line = buffer.find(b"\r\n", at)
        if line < 0:
            return b"", -1
        size = int(bytes(buffer[at:line]).split(b";")[0], 16)
        begin, end = line + 2, line + 2 + size
        if len(buffer) < end + 2:
            return b"", -1
        if size == 0:
            return b"".join(pieces), end + 2
        pieces.append(bytes(buffer[begin:end]))
        at = end + 2


def _compressed(reply: Reply) -> Reply:
    import gzip

    headers = (*reply.headers, ("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding"))
    return Reply(reply.status, gzip.compress(reply.body, 1), reply.content_type, headers)
