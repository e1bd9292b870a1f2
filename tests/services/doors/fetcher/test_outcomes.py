"""Every row of the table of outcomes, met by asking a server that really behaves like that."""

import asyncio
import contextlib
import gzip
import logging
import socket
import struct
import time
import zlib
from collections.abc import Awaitable, Callable
from math import inf
from typing import Any

import msgspec
import pytest
import trustme

from pubweave.adapters.memory import MemoryStore
from pubweave.doors.fetcher.outcomes import CASES, Case, flags, log_level
from pubweave.doors.fetcher.retrying import retry_after_s
from services.doors.fetcher.loopback import (
    Answer,
    Asked,
    Fetch,
    OpenFetcher,
    Server,
    reply_bytes,
    says,
    wanted,
)

XML = b"<?xml version='1.0'?><set><record>one</record></set>"
HTML = b"<!DOCTYPE html><html><body>We are down for maintenance</body></html>"
SHORT = 250


class Met(msgspec.Struct):
    """A situation: what the server does, what is asked, and what must be said."""

    case: str
    answer: Answer
    request: dict[str, Any] = {}
    settings: dict[str, Any] = {}
    attempts: int = 1
    truncated: bool = False
    body: bytes | None = None
    evidence: str = ""


async def tarpit(asked: Asked, writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def slow_drip(asked: Asked, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: 100000\r\n\r\n")
    with contextlib.suppress(ConnectionError):
        while True:
            writer.write(b"<")
            await writer.drain()
            await asyncio.sleep(0.02)


def reset_after(sent: bytes) -> Answer:
    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(sent)
        await writer.drain()
        if sent:
            await asyncio.sleep(0.02)
        connection = writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()

    return answer


async def endless_redirect(asked: Asked, writer: asyncio.StreamWriter) -> None:
    number = int(asked.target.strip("/") or "0")
    writer.write(reply_bytes(b"", "302 Found", f"Location: /{number + 1}"))


def typed(body: bytes, content_type: str, *headers: str, status: str = "200 OK") -> Answer:
    return says(reply_bytes(body, status, f"Content-Type: {content_type}", *headers))


def chunked_and_cut(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n" % (len(body), body)


def ended(sent: bytes) -> Answer:
    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(sent)
        await writer.drain()
        writer.close()

    return answer


BOMB = gzip.compress(b"<a>" + b" " * 8_000_000 + b"</a>")

MET = [
    Met("found", typed(XML, "text/xml"), {"expect": "xml"}, body=XML),
    Met("found", typed(gzip.compress(XML), "text/xml", "Content-Encoding: gzip"), {"expect": "xml"}, body=XML),
    Met("found", typed(b'{"a": 1}', "application/json"), {"expect": "json"}, body=b'{"a": 1}'),
    Met("found", typed(b"%PDF-1.4 ...", "application/octet-stream"), {"expect": "pdf"}),
    Met("found", typed(HTML, "text/html; charset=utf-8"), {"expect": "html"}),
    Met("found", typed(b"x" * 3_000_000, "text/html"), {"expect": "html"}, body=b"x" * 3_000_000),
    Met("redirect-given", says(reply_bytes(b"", "302 Found", "Location: https://example.org/")),
        {"follow_redirects": False}),
    Met("cut-xml", ended(reply_bytes(XML, length=5000)), {"expect": "xml"}, truncated=True, body=XML),
    Met("cut-xml", ended(chunked_and_cut(XML)), {"expect": "xml"}, truncated=True, body=XML),
    Met("cut-xml", reset_after(reply_bytes(XML, length=5000)), {"expect": "xml"}, truncated=True, body=XML),
    Met("cut-xml", ended(reply_bytes(gzip.compress(XML * 99)[:-30], "200 OK", "Content-Encoding: gzip", length=900)),
        {"expect": "xml"}, truncated=True),
    Met("cut", ended(reply_bytes(b'{"a": [1,', length=5000)), {"expect": "json"}, truncated=True, body=b'{"a": [1,'),
    Met("cut", ended(reply_bytes(HTML, length=5000)), {"expect": "xml"}, truncated=True, body=HTML),
    Met("cut", ended(reply_bytes(HTML, length=5000)), {"expect": "html"}, truncated=True, body=HTML),
    Met("empty", says(reply_bytes(b"")), {"expect": "xml"}),
    Met("empty", says(b"HTTP/1.1 204 No Content\r\n\r\n"), {"expect": "json"}),
    Met("wall", typed(HTML, "text/html", status="403 Forbidden"), {"expect": "html"}, body=HTML),
    Met("wall", says(reply_bytes(b"", "401 Unauthorized"))),
    Met("wall", says(reply_bytes(b"", "451 Unavailable For Legal Reasons"))),
    Met("challenge", typed(HTML, "text/html", "cf-mitigated: challenge", status="503 Wait")),
    Met("absent", says(reply_bytes(b"not here", "404 Not Found")), body=b"not here"),
    Met("gone", says(reply_bytes(b"", "410 Gone"))),
    Met("rate-limited", says(reply_bytes(b"", "429 Too Many Requests", "Retry-After: 0")), attempts=4),
    Met("come-back", says(reply_bytes(b"", "503 Busy", "Retry-After: 3600"))),
    Met("unavailable-503", says(reply_bytes(b"", "503 Service Unavailable"))),
    Met("unavailable", says(reply_bytes(b"", "500 Oops"))),
    Met("unavailable", says(reply_bytes(b"", "502 Bad Gateway"))),
    Met("http-error", says(reply_bytes(b"", "400 Bad Request"))),
    Met("http-error", says(reply_bytes(b"", "418 Teapot"))),
    Met("odd-status", says(reply_bytes(b"", "302 Found"))),
    Met("odd-status", says(b"HTTP/1.1 304 Not Modified\r\n\r\n")),
    Met("pdf-instead", typed(b"%PDF-1.7", "application/pdf"), {"expect": "html"}),
    Met("pdf-instead", typed(b"%PDF-1.7", "text/html"), {"expect": "html"}),
    Met("pdf-instead", typed(b"?", "application/octet-stream"), {"expect": "html"}),
    Met("wrong-type", typed(b"\x89PNG", "image/png"), {"expect": "html"}),
    Met("wrong-type", typed(b"{}", "application/json"), {"expect": "html"}),
    Met("wrong-type", typed(HTML, "text/html"), {"expect": "pdf"}),
    Met("wrong-type", typed(b"\x89PNG", "image/png"), {"expect": "xml"}),
    Met("wrong-kind", typed(HTML, "text/html"), {"expect": "xml"}, evidence="HTML where xml"),
    Met("wrong-kind", typed(b"<?xml version='1.0'?>\n<!-- x -->\n<HTML >", "text/xml"), {"expect": "xml"}),
    Met("wrong-kind", typed(b"Error: try again", "text/plain"), {"expect": "xml"}, evidence="Error: try again"),
    Met("wrong-kind", typed(HTML, "application/json"), {"expect": "json"}),
    Met("wrong-kind", typed(b"<html>no</html>", "application/pdf"), {"expect": "pdf"}),
    Met("bad-encoding", typed(b"\x1f\x8bgarbage", "text/xml", "Content-Encoding: gzip"), {"expect": "xml"},
        truncated=True),
    Met("bad-encoding", typed(gzip.compress(XML * 99)[:-30], "text/xml", "Content-Encoding: gzip"), {"expect": "xml"},
        truncated=True),
    Met("bad-encoding", typed(b"\x0b\x02", "text/xml", "Content-Encoding: br"), {"expect": "xml"}, truncated=True),
    Met("bad-http", ended(b"SSH-2.0-OpenSSH_9.2\r\n\r\n")),
    Met("bad-http", ended(b"HTTP/1.1 200 OK\r\nno colon here\r\n\r\n")),
    Met("too-large", typed(b"x" * 5000, "text/html"), {"expect": "html", "max_bytes": 4999}),
    Met("too-large", ended(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 5000), {"max_bytes": 4999}),
    Met("too-large", typed(BOMB, "text/xml", "Content-Encoding: gzip"), {"expect": "xml"}, evidence="blow up"),
    Met("too-large", typed(BOMB, "text/xml", "Content-Encoding: gzip"), {"expect": "xml", "max_bytes": 500_000},
        evidence="when decompressed"),
    Met("timeout", tarpit, {"expect": "xml", "timeout_ms": SHORT}, attempts=2, evidence="before an answer"),
    Met("timeout", slow_drip, {"expect": "xml", "timeout_ms": SHORT}, attempts=2, evidence="after"),
    Met("timeout-pdf", tarpit, {"expect": "pdf", "timeout_ms": SHORT}),
    Met("reset", reset_after(b"")),
    Met("reset", ended(b"")),
    Met("reset", ended(b"HTTP/1.1 200 OK\r\nContent-Le")),
    Met("redirect-loop", endless_redirect, evidence="more than 10"),
    Met("redirect-loop", says(reply_bytes(b"", "301 Moved", "Location: /")), evidence="comes back"),
    Met("denied", says(reply_bytes(b"")), settings={"deny_hosts": ("127.0.0.1",)}),
]  # fmt: skip


@pytest.mark.network
@pytest.mark.parametrize("met", MET, ids=lambda met: met.case)
async def test_what_a_server_does_has_one_word(met: Met, fetch: Fetch) -> None:
    """Outcome, flags, salvage and number of attempts are those of the table's row."""
    case = CASES[met.case]
    async with Server(met.answer).running() as server:
        reply = await fetch(f"{server.url}/", settings=met.settings, **met.request)

    assert case.outcome == reply.outcome, reply.evidence
    assert (case.publication != "no", case.web) == (reply.fetch_exception, reply.web_fetch_exception)
    assert met.attempts == reply.attempts
    assert met.truncated == reply.truncated
    assert met.evidence in reply.evidence
    if met.body is not None:
        assert met.body == reply.body


Elsewhere = Callable[[Fetch], Awaitable[Any]]


async def _refused(fetch: Fetch) -> Any:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        return await fetch(f"http://127.0.0.1:{closed.getsockname()[1]}/")


async def _unresolved(fetch: Fetch) -> Any:
    return await fetch("http://no-such-host.invalid/")


async def _tls(fetch: Fetch) -> Any:
    async def no_tls(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(no_tls, "127.0.0.1", 0) as plain:
        return await fetch(f"https://127.0.0.1:{plain.sockets[0].getsockname()[1]}/")


async def _unknown_authority(fetch: Fetch) -> Any:
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    async with Server(says(reply_bytes(XML)), tls=context).running() as stranger:
        return await fetch(f"{stranger.url}/")


async def _no_tunnel(fetch: Fetch) -> Any:
    async with Server(says(reply_bytes(b"", "502 Bad Gateway"))).running() as proxy:
        return await fetch("https://example.org/", settings={"environment": {"https_proxy": proxy.url}})


async def _bad_url(fetch: Fetch) -> Any:
    return await fetch("gopher://example.org/paper.pdf")


async def _private(fetch: Fetch) -> Any:
    return await fetch("http://169.254.169.254/latest/meta-data")


async def _private_by_name(fetch: Fetch) -> Any:
    return await fetch("http://localhost:1/", settings={"allow_addresses": ("10.0.0.0/8",)})


async def _private_by_redirect(fetch: Fetch) -> Any:
    async with Server(says(reply_bytes(b"", "302 Found", "Location: http://10.1.2.3/"))).running() as server:
        return await fetch(f"{server.url}/")


async def _not_replayed(fetch: Fetch) -> Any:
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "empty.warc").touch()
        return await fetch("https://example.org/", settings={"replay_from": Path(folder)})


ELSEWHERE: list[tuple[str, Elsewhere]] = [
    ("refused", _refused),
    ("unresolved", _unresolved),
    ("tls", _tls),
    ("tls", _unknown_authority),
    ("no-tunnel", _no_tunnel),
    ("bad-url", _bad_url),
    ("refused-address", _private),
    ("refused-address", _private_by_name),
    ("refused-address", _private_by_redirect),
    ("not-replayed", _not_replayed),
]


@pytest.mark.network
@pytest.mark.parametrize(
    ("name", "situation"), ELSEWHERE, ids=lambda value: getattr(value, "__name__", value)
)
async def test_what_happens_before_an_answer_has_one_word(
    name: str, situation: Elsewhere, fetch: Fetch
) -> None:
    """Names, addresses, connections, certificates: outcome and flags are those of the table's row."""
    case = CASES[name]
    reply = await situation(fetch)

    assert case.outcome == reply.outcome, reply.evidence
    assert (case.publication == "yes", case.web) == (reply.fetch_exception, reply.web_fetch_exception)
    assert reply.evidence


@pytest.mark.network
async def test_a_timeout_is_tried_again_at_once(fetch: Fetch, open_fetcher: OpenFetcher) -> None:
    """F-EXC-07: the second attempt's answer is the answer, and both attempts leave their row."""
    store = MemoryStore()
    calls = 0

    async def late_then_there(asked: Asked, writer: asyncio.StreamWriter) -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            await asyncio.Event().wait()
        writer.write(reply_bytes(XML))

    async with Server(late_then_there).running() as server, open_fetcher(store=store) as fetcher:
        reply = await fetcher.fetch(wanted(f"{server.url}/", expect="xml", timeout_ms=800))

    assert (reply.outcome, reply.attempts) == ("found", 2)
    assert await store.attempts() == {("127.0.0.1", "timeout"): 1, ("127.0.0.1", "found"): 1}


@pytest.mark.network
async def test_a_short_retry_after_is_waited_for(open_fetcher: OpenFetcher) -> None:
    """429 with a short Retry-After ends as what comes afterwards."""
    store = MemoryStore()
    busy = reply_bytes(b"", "429 Too Many Requests", "Retry-After: 0")
    async with (
        Server(says(busy, busy, reply_bytes(XML))).running() as server,
        open_fetcher(store=store) as fetcher,
    ):
        reply = await fetcher.fetch(wanted(f"{server.url}/", expect="xml"))

    assert (reply.outcome, reply.attempts, reply.body) == ("found", 3, XML)
    assert await store.attempts() == {("127.0.0.1", "rate-limited"): 2, ("127.0.0.1", "found"): 1}


@pytest.mark.network
async def test_a_long_retry_after_is_given_back_to_all_who_wait(open_fetcher: OpenFetcher) -> None:
    """Above 30 s nobody waits here: those in the queue and those who come later are told when to come again,
    and the server is not asked in between."""
    async with (
        Server(says(reply_bytes(b"", "429 Too Many Requests", "Retry-After: 90"))).running() as server,
        open_fetcher() as fetcher,
    ):
        replies = await asyncio.gather(*(fetcher.fetch(wanted(f"{server.url}/{n}")) for n in range(5)))
        later = await fetcher.fetch(wanted(f"{server.url}/later"))
        status = fetcher.status()

    assert len(server.asked) == 1
    assert {reply.outcome for reply in (*replies, later)} == {"rate-limited"}
    assert all(80_000 < reply.retry_after_ms <= 90_000 for reply in (*replies, later))
    assert [(unit.unit, unit.waiting) for unit in status] == [("127.0.0.1", "retry-after")]


@pytest.mark.network
async def test_retry_after_may_be_a_date(open_fetcher: OpenFetcher) -> None:
    """RFC 9110 10.2.3: a date counts from now."""
    async with (
        Server(
            says(reply_bytes(b"", "503 Busy", "Retry-After: Fri, 31 Dec 2099 23:59:59 GMT"))
        ).running() as server,
        open_fetcher() as fetcher,
    ):
        reply = await fetcher.fetch(wanted(f"{server.url}/"))

    assert (reply.outcome, reply.retry_after_ms) == ("rate-limited", 86_400_000)


@pytest.mark.parametrize(
    ("told", "seconds"),
    [
        ("120", 120.0),
        ("Sun, 06 Nov 1994 08:51:37 GMT", 120.0),
        ("Sunday, 06-Nov-94 08:51:37 GMT", 120.0),
        ("Sun Nov  6 08:51:37 1994", 120.0),
        ("Sun, 06 Nov 1994 08:47:37 GMT", 0.0),
        ("9" * 5000, inf),
        ("-5", None),
        ("1.5", None),
        ("soon", None),
        ("", None),
        ("\u0663", None),
    ],
)
def test_every_form_of_retry_after_is_read_the_same_everywhere(
    told: str, seconds: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RFC 9110 5.6.7: three forms of dates, all of them UTC, wherever the machine stands; what cannot be read
    says nothing."""
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    time.tzset()
    try:
        assert retry_after_s(told, 784_111_777_000) == seconds
    finally:
        monkeypatch.undo()
        time.tzset()


def test_every_row_is_met() -> None:
    """A row that no situation above meets is not tested; these are shown where they belong."""
    shown_elsewhere = {
        "timeout-first": "test_a_timeout_is_tried_again_at_once",
        "not-now": "test_a_long_retry_after_is_given_back_to_all_who_wait",
        "over-quota": "test_quotas.py",
        "robots": "test_robots.py",
        "robots-unreadable": "test_robots.py",
        "denied-among": "test_deny_list.py",
        "failed": "test_gates.py",
        "unavailable-doi": "test_a_resolver_that_is_down_is_a_temporary_failure",
    }

    assert set(CASES) == {met.case for met in MET} | {name for name, _ in ELSEWHERE} | set(shown_elsewhere)


@pytest.mark.parametrize(
    "url", ["https://doi.org/10.1/A", "https://x.org/a.PDF", "https://x.org/a.ps", "http://x/a.gz"]
)
def test_status_errors_of_dois_and_files_set_no_flag(url: str) -> None:
    """F-EXC-03: the exception for failing DOIs and files; 503 sets the flag all the same (F-EXC-02)."""
    assert flags(CASES["absent"], url) == (False, False)
    assert flags(CASES["unavailable"], url) == (False, False)
    assert flags(CASES["unavailable-503"], url) == (True, True)
    assert flags(CASES["refused"], url) == (True, True)


def test_a_resolver_that_is_down_is_a_temporary_failure() -> None:
    """A-24: 5xx of doi.org sets the flag, an unknown DOI does not; both are logged as errors."""
    from pubweave.doors.fetcher.outcomes import case_of_status

    url = "https://doi.org/10.1/A"
    down: Case | None = case_of_status(500, {}, url, follow=True)

    assert down is CASES["unavailable-doi"]
    assert flags(CASES["unavailable-doi"], url) == (True, False)
    assert log_level(CASES["absent"], url) == logging.ERROR
    assert log_level(CASES["absent"], "https://example.org/") == logging.WARNING


def test_deflate_is_read_in_both_its_forms() -> None:
    """Servers send `deflate` with and without its wrapping; both decode."""
    from pubweave.doors.fetcher.bodies import decoded

    bare = zlib.compressobj(wbits=-15)

    assert decoded(zlib.compress(XML), "deflate", 1000, 100) == XML
    assert decoded(bare.compress(XML) + bare.flush(), "deflate", 1000, 100) == XML
