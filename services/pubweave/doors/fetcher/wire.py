"""One request on the wire: deadlines, sizes, TLS, proxies, kept-alive connections. No retries, no redirects."""

import asyncio
import logging
import os
import ssl
from functools import lru_cache
from weakref import WeakSet

import aiohttp
import msgspec
from aiohttp.abc import AbstractStreamWriter
from aiohttp.client_middlewares import ClientHandlerType
from aiohttp.connector import Connection
from yarl import URL

from pubweave.core.politeness import host_of
from pubweave.doors.fetcher.addresses import Address, AddressRules, CheckedResolver
from pubweave.doors.fetcher.outcomes import NO_WAY, Sight, sight_of
from pubweave.doors.fetcher.proxies import Proxies
from pubweave.doors.fetcher.settings import FetcherProblem, FetcherSettings
from pubweave.doors.fetcher.turns import Turn
from pubweave.ports import Clock

_log = logging.getLogger(__name__)

# After a connection was broken off, its end needs a moment to reach the server, who counts connections.
_BROKEN_OFF_S = 0.05

# aiohttp pauses the socket above this; most replies fit.
_READ_BUFFER_BYTES = 256 * 1024
_HEADER_BYTES = 64 * 1024

_HOSTS_REMEMBERED = 10_000


class Exchange(msgspec.Struct, frozen=True):
    """What one request met. `body` is as received, without transfer coding, still content-encoded."""

    sight: Sight
    status: int = 0
    headers: tuple[tuple[str, str], ...] = ()
    """As received, names in their own case."""
    body: bytes = b""
    evidence: str = ""
    at_ms: int = 0
    """UNIX time of its end."""
    unreached: bool = False
    """Nothing was sent: there was no way to the host."""

    def fields(self) -> dict[str, str]:
        """Headers by lower-case name; of repeated ones the first."""
        found: dict[str, str] = {}
        for name, value in self.headers:
            found.setdefault(name.lower(), value)
        return found


class WireCounts(msgspec.Struct):
    """What the wire has done since it was opened."""

    requests: int = 0
    connections: int = 0
    """Opened; with TLS, also the number of handshakes."""
    bytes: int = 0


class Wire:
    """Opens connections and keeps them. `open` before use, `close` after."""

    def __init__(
        self, settings: FetcherSettings, rules: AddressRules, proxies: Proxies, user_agent: str, clock: Clock
    ) -> None:
        self._settings = settings
        self._rules = rules
        self._proxies = proxies
        self._user_agent = user_agent
        self._clock = clock
        self._session: aiohttp.ClientSession | None = None
        self._connector: aiohttp.TCPConnector | None = None
        self._timeouts: dict[float, aiohttp.ClientTimeout] = {}
        self._endpoints: dict[str, set[tuple[str, int, bool]]] = {}
        self._any_certificate: ssl.SSLContext | None = None
        self._closing = False
        self._used: WeakSet[asyncio.BaseProtocol] = WeakSet()
        """Connections that have carried a request."""
        self.counts = WireCounts()

    async def open(self) -> None:
        """:raises FetcherProblem: the certificates cannot be used"""
        connector = self._connector = aiohttp.TCPConnector(
            ssl=_tls(
                self._settings.cert_file, os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
            ),
            limit=0,
            resolver=CheckedResolver(self._rules, self._proxies.places()),
            ttl_dns_cache=300,
            keepalive_timeout=self._settings.keep_alive_s,
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            timeout=aiohttp.ClientTimeout(total=None),
            request_class=_TellingRequest,
            read_bufsize=_READ_BUFFER_BYTES,
            max_line_size=_HEADER_BYTES,
            max_field_size=_HEADER_BYTES,
        )
        # Sending again is ours: each sending needs a place of its own in the windows.
        self._session._retry_connection = False

    async def close(self) -> None:
        self._closing = True
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def exchange(
        self,
        turn: Turn,
        address: Address,
        method: str,
        headers: dict[str, str],
        form: bytes | None,
        *,
        timeout_s: float,
        remaining_s: float,
        max_bytes: int,
        any_certificate: bool = False,
    ) -> Exchange:
        """Send one request and read what comes. Never raises but CancelledError: it was cancelled, or the wire is
        closed, which says nothing about the host.

        `timeout_s` bounds connecting and silence, `remaining_s` the whole of it (F-NET-02). With
        `any_certificate` also a host is asked for which nobody vouches (F-JS-04).
        """
        if self._closing:
            raise asyncio.CancelledError
        assert self._session is not None, "the wire is not open"
        trip = _Trip(turn, self._used, self.counts)
        reply: aiohttp.ClientResponse | None = None
        body: list[bytes] = []
        sight: Sight = "answered"
        evidence = ""
        headers["User-Agent"] = self._user_agent
        self._close_idle_elsewhere(address, any_certificate=any_certificate)
        try:
            async with asyncio.timeout(remaining_s):
                reply = await self._session.request(
                    method,
                    URL(address.url, encoded=True),
                    headers=headers,
                    data=form,
                    allow_redirects=False,
                    proxy=self._proxies.for_host(address.scheme, address.host, address.port),
                    timeout=self._timeout(timeout_s),
                    ssl=self._untrusting() if any_certificate and address.scheme == "https" else True,
                    middlewares=(trip,),
                )
                turn.answered()
                evidence = await _read(reply, body, max_bytes)
                if evidence:
                    sight = "too-large"
        except Exception as problem:
            if self._closing:
                raise asyncio.CancelledError from problem
            sight = sight_of(problem, https=address.scheme == "https")
            if sight == "unknown":
                _log.warning(
                    "%s could not be asked, for a reason not foreseen", address.host, exc_info=problem
                )
            if sight == "reset" and reply is not None:
                sight = "cut"
            elif sight == "cut" and reply is None:
                sight = "reset"
            elif sight == "reset" and trip.reused:
                sight = "stale"
            evidence = _words(problem, sight, timeout_s, sum(map(len, body)))
        finally:
            broken_off = reply is not None and not reply.content.at_eof()
            if reply is not None:
                # Without the whole body this closes the connection.
                reply.close() if broken_off else reply.release()
        if broken_off or (sight == "timeout" and turn.was_sent):
            await self._clock.sleep(_BROKEN_OFF_S)
        self._close_idle_surplus()
        self.counts.requests += 1
        received = b"" if sight == "too-large" else body[0] if len(body) == 1 else b"".join(body)
        self.counts.bytes += len(received)
        if reply is None:
            unreached = not turn.was_sent and sight in NO_WAY
            return Exchange(sight, evidence=evidence, at_ms=self._clock.now_ms(), unreached=unreached)
        return Exchange(
            sight,
            reply.status,
            tuple((_text(name), _text(value)) for name, value in reply.raw_headers),
            received,
            evidence,
            self._clock.now_ms(),
        )

    def close_idle(self) -> None:
        """Close every connection that nobody uses."""
        if self._connector is not None:
            for connections in self._connector._conns.values():
                for protocol, _ in connections:
                    protocol.abort()

    def _untrusting(self) -> ssl.SSLContext:
        """TLS that believes every certificate; else as always. Made when it is first needed."""
        if self._any_certificate is None:
            self._any_certificate = ssl.create_default_context()
            self._any_certificate.minimum_version = ssl.TLSVersion.TLSv1_2
            self._any_certificate.check_hostname = False
            self._any_certificate.verify_mode = ssl.CERT_NONE
        return self._any_certificate

    def _close_idle_elsewhere(self, address: Address, *, any_certificate: bool = False) -> None:
        """Close idle connections to this host under its other names, schemes and ports, and those that believe
        more or less of it (F-HOST-02): kept alive beside the one that is opened now, they would make one too many."""
        endpoint = (address.host, address.port, any_certificate)
        host = host_of(address.url)
        known = self._endpoints.pop(host, None) or set()
        known.add(endpoint)
        self._endpoints[host] = known
        if len(self._endpoints) > _HOSTS_REMEMBERED:
            # Asked so long ago that it has no idle connections any more.
            del self._endpoints[next(iter(self._endpoints))]
        if len(known) > 1 and self._connector is not None:
            for key, connections in self._connector._conns.items():
                place = (key.host or "", key.port or 0, key.ssl is not True)
                if place in known and place != endpoint:
                    for protocol, _ in connections:
                        protocol.abort()

    def _close_idle_surplus(self) -> None:
        """Keep no more idle connections than `max_connections`, those used last: a crawl over thousands of
        hosts would run out of sockets long before they have been idle for `keep_alive_s`."""
        if self._connector is None:
            return
        idle = self._connector._conns
        while len(idle) > self._settings.max_connections:
            for protocol, _ in idle.pop(next(iter(idle))):
                protocol.abort()

    def _timeout(self, timeout_s: float) -> aiohttp.ClientTimeout:
        timeout = self._timeouts.get(timeout_s)
        if timeout is None:
            if len(self._timeouts) > 100:
                self._timeouts.clear()
            timeout = aiohttp.ClientTimeout(total=None, connect=timeout_s, sock_read=timeout_s)
            self._timeouts[timeout_s] = timeout
        return timeout


@lru_cache(maxsize=8)
def _tls(cert_file: str, *environment: str | None) -> ssl.SSLContext:
    """TLS 1.2 or newer (F-CFG-24), with the authorities of SSL_CERT_FILE, SSL_CERT_DIR or the system (OpenSSL
    reads those itself; they are arguments because they are part of what is remembered), and `cert_file`.

    Reading the system's authorities costs 50 ms, so a context is made once.
    """
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    for name, path in (("SSL_CERT_FILE", environment[0]), ("cert_file", cert_file)):
        if path:
            # OpenSSL passes over a file that it cannot read, and then trusts nobody.
            try:
                context.load_verify_locations(cafile=path)
            except OSError as problem:
                reason = problem.strerror or "it holds no certificate"
                raise FetcherProblem(f"{name} is {path}, which cannot be used: {reason}.") from problem
    return context


class _Trip:
    """One request on its way. What aiohttp's tracing would tell of it costs a fifth of a request."""

    __slots__ = ("_counts", "_used", "reused", "turn")

    def __init__(self, turn: Turn, used: "WeakSet[asyncio.BaseProtocol]", counts: WireCounts) -> None:
        self._used = used
        self._counts = counts
        self.turn = turn
        self.reused = False
        """It went over a connection that has carried another before."""

    async def __call__(
        self, request: aiohttp.ClientRequest, handler: ClientHandlerType
    ) -> aiohttp.ClientResponse:
        """As a middleware of aiohttp, which knows the request before it is sent."""
        assert isinstance(request, _TellingRequest)
        request.trip = self
        return await handler(request)

    def over(self, protocol: asyncio.BaseProtocol) -> None:
        """It has its connection."""
        if protocol in self._used:
            self.reused = True
        else:
            self._used.add(protocol)
            self._counts.connections += 1


class _TellingRequest(aiohttp.ClientRequest):
    """Tells its trip when it is written."""

    trip: _Trip | None = None

    async def send(self, conn: Connection) -> aiohttp.ClientResponse:
        trip = self.trip
        if trip is not None and conn.protocol is not None:
            trip.over(conn.protocol)
            trip.turn.sent()
        return await super().send(conn)

    async def write_bytes(
        self, writer: AbstractStreamWriter, conn: Connection, content_length: int | None = None
    ) -> None:
        await super().write_bytes(writer, conn, content_length)
        if self.trip is not None:
            self.trip.turn.sent()


async def _read(reply: aiohttp.ClientResponse, body: list[bytes], max_bytes: int) -> str:
    """Read the body as it comes; says so if it is, or will be, larger than allowed.

    What was read stands in `body` also when this raises.
    """
    announced = reply.content_length
    if announced is not None and announced > max_bytes:
        return f"{announced} bytes announced, {max_bytes} allowed"
    size = 0
    content = reply.content
    while not content.at_eof():
        piece = await content.readany()
        size += len(piece)
        if size > max_bytes:
            return f"more than {max_bytes} bytes"
        if piece:
            body.append(piece)
    return ""


def _text(raw: bytes) -> str:
    """Header bytes, none lost: UTF-8 where it is that, else as they are."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _words(problem: BaseException, sight: Sight, timeout_s: float, received: int) -> str:
    """The evidence, without the query of the address, in which a key may stand."""
    if sight == "timeout":
        what = f"after {received} bytes" if received else "before an answer"
        return f"timeout {what} (limit {timeout_s:g} s, twice that for the whole request)"
    if sight == "bad-http" and isinstance(problem, aiohttp.ClientResponseError):
        return f"not HTTP: {' '.join(problem.message.split())[:200]}"
    if sight == "no-tunnel" and isinstance(problem, aiohttp.ClientHttpProxyError):
        return f"the proxy answered {problem.status}"
    if sight == "bad-url":
        return "not an address"
    if sight == "refused-address" and problem.__cause__ is not None:
        return str(problem.__cause__)
    prefix = f"after {received} bytes: " if sight == "cut" else ""
    told = " ".join(str(problem).split()) or type(problem).__name__
    return f"{prefix}{told}"[:300]
