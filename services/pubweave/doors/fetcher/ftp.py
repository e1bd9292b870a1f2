"""One file over FTP (F-EXC-01, F-PDF-08; RFC 959, 1123, 2428): anonymous, binary, passive, one connection a file.

What came is told as an `Exchange` with the nearest HTTP status, so that everything behind it (table, limits,
recording, replaying) is the same; the server's own code stands in the evidence.
"""

import asyncio
import contextlib
import mimetypes
import re
from collections.abc import Awaitable
from typing import Final, TypeVar
from urllib.parse import unquote, urlsplit

from pubweave.doors.fetcher.addresses import Address, AddressRules, CheckedResolver
from pubweave.doors.fetcher.outcomes import Sight, sight_of
from pubweave.doors.fetcher.turns import Turn
from pubweave.doors.fetcher.wire import Exchange
from pubweave.ports import Clock

_T = TypeVar("_T")

PASSWORD: Final = "anonymous@"
_LINE_BYTES: Final = 4096
_LINES: Final = 500
_PIECE_BYTES: Final = 256 * 1024

_EPSV: Final = re.compile(r"\((.)\1\1(\d{1,5})\1\)")
_PASV: Final = re.compile(r"\d{1,3},\d{1,3},\d{1,3},\d{1,3},(\d{1,3}),(\d{1,3})")


class BadPath(ValueError):
    """There is no such path in FTP."""


class _FtpRefusal(Exception):
    """The server says no."""

    def __init__(self, code: int, told: str) -> None:
        super().__init__(f"FTP {code} {told}"[:300])
        self.code = code


class _NotFtp(Exception):
    """What answers does not speak FTP."""


class FtpWire:
    """Opens a connection for each file. Nothing is kept open."""

    def __init__(self, rules: AddressRules, clock: Clock) -> None:
        self._rules = rules
        self._clock = clock

    async def exchange(
        self, turn: Turn, address: Address, *, timeout_s: float, remaining_s: float, max_bytes: int
    ) -> Exchange:
        """Bring one file. Never raises but CancelledError.

        `timeout_s` bounds connecting and silence, `remaining_s` the whole of it; 0 for the first is no limit.
        """
        talk = _Talk(timeout_s)
        body = bytearray()
        try:
            path = path_of(address.url)
            async with asyncio.timeout(remaining_s):
                await talk.connect(self._rules, address)
                turn.sent()
                await talk.log_in()
                turn.answered()
                return await self._file(talk, path, body, max_bytes)
        except BadPath as problem:
            return self._ended(Exchange("bad-url", evidence=str(problem)))
        except _FtpRefusal as problem:
            return self._ended(Exchange("answered", _status(problem.code), evidence=str(problem)))
        except _NotFtp as problem:
            return self._ended(Exchange("bad-http", evidence=f"not FTP: {problem}"))
        except Exception as problem:  # noqa: BLE001 - whatever it is has a word in the table
            sight = sight_of(problem)
            told = " ".join(str(problem).split()) or type(problem).__name__
            if sight == "timeout":
                told = f"timeout after {len(body)} bytes (limit {timeout_s:g} s, twice that for the whole request)"
            if sight == "reset" and body:
                return self._ended(_answer(address, "cut", bytes(body), f"after {len(body)} bytes: {told}"))
            return self._ended(Exchange(sight, evidence=told[:300]))
        finally:
            talk.close()

    async def _file(self, talk: "_Talk", path: str, body: bytearray, max_bytes: int) -> Exchange:
        await talk.ask("TYPE I", 200)
        size = await talk.size(path)
        if size > max_bytes:
            return self._ended(
                Exchange("too-large", 200, evidence=f"{size} bytes announced, {max_bytes} allowed")
            )
        data = await talk.passive()
        try:
            await talk.ask(f"RETR {path}", 125, 150)
            while piece := await talk.within(data.read(_PIECE_BYTES)):
                body += piece
                if len(body) > max_bytes:
                    return self._ended(Exchange("too-large", 200, evidence=f"more than {max_bytes} bytes"))
        finally:
            talk.close_data()
        address = talk.address
        try:
            await talk.hear(226, 250)
        except (_FtpRefusal, OSError, asyncio.IncompleteReadError) as problem:
            # All of it is there if the server had said how much that is.
            if len(body) != size:
                return self._ended(
                    _answer(address, "cut", bytes(body), f"after {len(body)} bytes: {problem}")
                )
        if 0 <= len(body) < size:
            return self._ended(_answer(address, "cut", bytes(body), f"{len(body)} bytes of {size}"))
        with contextlib.suppress(OSError):
            talk.write("QUIT")
        return self._ended(_answer(address, "answered", bytes(body), ""))

    def _ended(self, exchange: Exchange) -> Exchange:
        return Exchange(
            exchange.sight,
            exchange.status,
            exchange.headers,
            exchange.body,
            exchange.evidence,
            self._clock.now_ms(),
        )


class _Talk:
    """The connection that commands go over, and what comes of it."""

    def __init__(self, timeout_s: float) -> None:
        self._timeout_s = timeout_s or None
        self._place = ""
        self._reader: asyncio.StreamReader
        self._writer: asyncio.StreamWriter | None = None
        self._data: asyncio.StreamWriter | None = None
        self.address: Address

    async def connect(self, rules: AddressRules, address: Address) -> None:
        """:raises RefusedAddress: the name leads to no address that may be asked"""
        self.address = address
        resolver = CheckedResolver(rules)
        try:
            found = await self.within(resolver.resolve(address.host, address.port))
        finally:
            await resolver.close()
        problem: OSError = ConnectionRefusedError(f"{address.host} has no address")
        for place in found:
            try:
                self._reader, self._writer = await self.within(
                    asyncio.open_connection(place["host"], address.port, limit=_LINE_BYTES)
                )
            except OSError as failed:
                problem = failed
                continue
            self._place = place["host"]
            return
        raise problem

    async def log_in(self) -> None:
        code, _ = await self.hear(120, 220)
        while code == 120:
            code, _ = await self.hear(120, 220)
        code, _ = await self.ask("USER anonymous", 230, 331)
        if code == 331:
            await self.ask(f"PASS {PASSWORD}", 202, 230)

    async def size(self, path: str) -> int:
        """Bytes of a file (RFC 3659 4); -1 where the server does not say."""
        try:
            _, told = await self.ask(f"SIZE {path}", 213)
        except _FtpRefusal as refused:
            if refused.code == 421:
                raise
            return -1
        return int(told) if told.isascii() and told.isdigit() else -1

    async def passive(self) -> asyncio.StreamReader:
        """The connection for a file: to the very address that commands go to, whatever the server says."""
        try:
            _, told = await self.ask("EPSV", 229)
            found = _EPSV.search(told)
            port = int(found.group(2)) if found else 0
        except _FtpRefusal as refused:
            if refused.code == 421:
                raise
            _, told = await self.ask("PASV", 227)
            found = _PASV.search(told)
            port = int(found.group(1)) * 256 + int(found.group(2)) if found else 0
        if not 0 < port < 65536:
            raise _NotFtp(f"no port in {told[:100]!r}")
        reader, self._data = await self.within(asyncio.open_connection(self._place, port))
        return reader

    async def ask(self, command: str, *expected: int) -> tuple[int, str]:
        """:raises _Refused: an answer that is not expected"""
        self.write(command)
        return await self.hear(*expected)

    def write(self, command: str) -> None:
        assert self._writer is not None
        self._writer.write(command.encode("utf-8", "surrogateescape") + b"\r\n")

    async def hear(self, *expected: int) -> tuple[int, str]:
        """One answer, which may have several lines (RFC 959 4.2); the text of its last."""
        line = await self._line()
        code, more = line[:3], line[3:4]
        if not (code.isascii() and code.isdigit()) or more not in ("", " ", "-"):
            raise _NotFtp(repr(line[:60]))
        for _ in range(_LINES):
            if more != "-":
                break
            line = await self._line()
            more = "" if line[:3] == code and line[3:4] in ("", " ") else "-"
        else:
            raise _NotFtp(f"an answer of more than {_LINES} lines")
        if int(code) not in expected:
            raise _FtpRefusal(int(code), line[4:].strip())
        return int(code), line[4:].strip()

    async def _line(self) -> str:
        try:
            raw = await self.within(self._reader.readuntil(b"\n"))
        except asyncio.LimitOverrunError as problem:
            raise _NotFtp(f"a line of more than {_LINE_BYTES} bytes") from problem
        return raw.decode("utf-8", "replace").rstrip("\r\n")

    async def within(self, waited: Awaitable[_T]) -> _T:
        """Silence has a limit."""
        return await asyncio.wait_for(waited, self._timeout_s)

    def close_data(self) -> None:
        if self._data is not None:
            self._data.transport.abort()
            self._data = None

    def close(self) -> None:
        self.close_data()
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def path_of(url: str) -> str:
    """The path in the server's own words, from where an anonymous user stands (RFC 1738 3.2.2).

    :raises BadPath: it has line ends in it, with which a page could say commands of its own to the server
    """
    parts = urlsplit(url)
    written = parts.path.removeprefix("/").partition(";type=")[0] + (f"?{parts.query}" if parts.query else "")
    path = unquote(written, errors="surrogateescape")
    if any(char in path for char in "\r\n\0"):
        raise BadPath("a line end in a path of FTP")
    if not path or path.endswith("/"):
        raise BadPath("no file is named: FTP folders are not listed")
    return path


def _answer(address: Address, sight: Sight, body: bytes, evidence: str) -> Exchange:
    kind, packed = mimetypes.guess_type(urlsplit(address.url).path, strict=False)
    if packed:
        kind = "application/gzip" if packed == "gzip" else "application/octet-stream"
    headers = (("Content-Type", kind or "application/octet-stream"),)
    return Exchange(sight, 200, headers, body, evidence)


def _status(code: int) -> int:
    """What HTTP would have said: not there, not allowed, not now, or just no."""
    if code in (550, 553):
        return 404
    if code in (530, 532, 332):
        return 401
    return 503 if code < 500 else 400
