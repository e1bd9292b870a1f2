"""What goes over the wire: headers, redirects, cookies, connections, proxies, TLS."""

import asyncio
import base64
import contextlib
import inspect
import ssl
from importlib.metadata import version
from pathlib import Path

import pytest
import trustme

from pubweave.adapters.clock import ManualClock
from pubweave.adapters.memory import MemoryStore
from pubweave.doors.fetcher import FetcherDoor, FetcherSettings
from pubweave.doors.fetcher.budgets import Budget, Budgets
from pubweave.doors.fetcher.settings import FetcherProblem, FirstWindow
from services.doors.fetcher.loopback import (
    LOOPBACK,
    Asked,
    Fetch,
    OpenFetcher,
    Server,
    counted,
    pump,
    reply_bytes,
    says,
    wanted,
)

pytestmark = pytest.mark.network

HELLO = reply_bytes(b"<hello/>", "200 OK", "Content-Type: text/xml")


async def test_an_honest_request(fetch: Fetch) -> None:
    """Who asks, in which version, how to reach them (A-04); Referer is the origin (F-CFG-24); no cookies."""
    async with Server(says(HELLO)).running() as server:
        await fetch(
            f"{server.url}/a?b=c d",
            expect="xml",
            settings={"contact_email": "me@example.org", "contact_url": "https://example.org/bot"},
        )
    asked = server.asked[0]

    assert (asked.method, asked.target) == ("GET", "/a?b=c%20d")
    assert asked.headers == {
        "host": f"127.0.0.1:{server.port}",
        "user-agent": f"pubweave/{version('pubweave')} (+https://example.org/bot; mailto:me@example.org)",
        "referer": server.url,
        "accept": "application/xml, text/xml;q=0.9, */*;q=0.5",
        "accept-encoding": "gzip, deflate",
    }


async def test_the_user_agent_is_the_operators(fetch: Fetch) -> None:
    """F-NET-02."""
    async with Server(says(HELLO)).running() as server:
        await fetch(server.url, settings={"user_agent": "something else/1"})

    assert server.asked[0].headers["user-agent"] == "something else/1"


async def test_a_form_is_posted(fetch: Fetch) -> None:
    """F-NET-06: name and value pairs, url-encoded."""
    async with Server(says(HELLO)).running() as server:
        await fetch(server.url, method="POST", form=(("id", "1,2"), ("q", "ä & b")))
    asked = server.asked[0]

    assert (asked.method, asked.body) == ("POST", b"id=1%2C2&q=%C3%A4+%26+b")
    assert asked.headers["content-type"] == "application/x-www-form-urlencoded"


async def test_redirects_are_followed_to_the_final_address(fetch: Fetch) -> None:
    """F-NET-03: relative targets too; the final address is what later steps see."""

    async def lead_on(asked: Asked, writer: asyncio.StreamWriter) -> None:
        target = {"/a": "b/c?x=1#part", "/b/c?x=1": "../d"}.get(asked.target)
        writer.write(reply_bytes(b"", "301 Moved", f"Location: {target}") if target else HELLO)

    async with Server(lead_on).running() as server:
        reply = await fetch(f"{server.url}/a")

    assert [asked.target for asked in server.asked] == ["/a", "/b/c?x=1", "/d"]
    assert (reply.outcome, reply.url, reply.final_url) == ("found", f"{server.url}/a", f"{server.url}/d")


@pytest.mark.parametrize(
    ("status", "method", "body"),
    [("301 Moved", "GET", b""), ("302 Found", "GET", b""), ("303 See Other", "GET", b""), ("307 There", "POST", b"a=1"), ("308 There", "POST", b"a=1")],
)  # fmt: skip
async def test_a_redirected_form_is_what_the_status_says(
    status: str, method: str, body: bytes, fetch: Fetch
) -> None:
    """RFC 9110 15.4: 307 and 308 repeat the form, the others become a GET."""
    async with Server(says(reply_bytes(b"", status, "Location: /b"), HELLO)).running() as server:
        await fetch(server.url, method="POST", form=(("a", "1"),))

    assert [(asked.method, asked.body) for asked in server.asked] == [("POST", b"a=1"), (method, body)]


async def test_keys_do_not_travel_to_other_hosts(open_fetcher: OpenFetcher) -> None:
    """Who sends us elsewhere with 307 gets our form there, but not the key that was meant for him."""
    form = (("id", "1"), ("api_key", "secret"), ("email", "me@uni.example"))
    async with Server(says(HELLO)).running() as target:
        away = reply_bytes(b"", "307 There", f"Location: http://localhost:{target.port}/")
        async with (
            Server(says(reply_bytes(b"", "307 Here", "Location: /again"), away)).running() as first,
            open_fetcher() as fetcher,
        ):
            await fetcher.fetch(wanted(f"{first.url}/", method="POST", form=form))

    whole = b"id=1&api_key=secret&email=me%40uni.example"
    assert [asked.body for asked in (*first.asked, *target.asked)] == [whole, whole, b"id=1"]


async def test_a_redirect_can_be_seen_instead_of_followed(fetch: Fetch) -> None:
    """What asks doi.org wants the target, not the page."""
    async with Server(says(reply_bytes(b"", "302 Found", "Location: https://x.org/a"))).running() as server:
        reply = await fetch(server.url, follow_redirects=False)

    assert (reply.outcome, reply.status, reply.header("location")) == ("found", 302, "https://x.org/a")


async def test_cookies_live_as_long_as_one_fetch(open_fetcher: OpenFetcher) -> None:
    """A site that redirects to itself until its cookie comes back is read; another fetch has no cookie
    (fault 61)."""

    async def insist(asked: Asked, writer: asyncio.StreamWriter) -> None:
        if "seen=1; kind=b" in asked.headers.get("cookie", ""):
            writer.write(HELLO)
        else:
            writer.write(
                reply_bytes(
                    b"", "302 Found", "Location: /", "Set-Cookie: seen=1; Path=/", "Set-Cookie: kind=b"
                )
            )

    async with Server(insist).running() as server, open_fetcher() as fetcher:
        first = await fetcher.fetch(wanted(f"{server.url}/"))
        await fetcher.fetch(wanted(f"{server.url}/"))

    assert first.outcome == "found"
    assert [asked.headers.get("cookie", "") for asked in server.asked] == ["", "seen=1; kind=b"] * 2


async def test_a_redirect_to_another_host_waits_for_that_hosts_turn(open_fetcher: OpenFetcher) -> None:
    """Each hop is asked on its own host's turn: with one connection allowed, the target never sees two."""
    async with Server(says(HELLO)).running() as target:
        away = reply_bytes(b"", "302 Found", f"Location: http://localhost:{target.port}/")
        async with Server(says(away)).running() as first, open_fetcher() as fetcher:
            questions = [wanted(f"{first.url}/{n}") for n in range(5)]
            questions += [wanted(f"http://localhost:{target.port}/direct{n}") for n in range(5)]
            replies = await asyncio.gather(*map(fetcher.fetch, questions))

    assert {reply.outcome for reply in replies} == {"found"}
    assert (len(target.asked), target.most_open) == (10, 1)


async def test_connections_are_kept_alive(open_fetcher: OpenFetcher) -> None:
    """Fault 62: many questions, one connection; also after errors with a body."""
    missing = reply_bytes(b"no such thing", "404 Not Found")
    async with Server(says(HELLO, missing, HELLO)).running() as server, open_fetcher() as fetcher:
        await asyncio.gather(*(fetcher.fetch(wanted(f"{server.url}/{n}")) for n in range(30)))

    assert (len(server.asked), server.connections) == (30, 1)
    assert (fetcher.counts.requests, fetcher.counts.connections) == (30, 1)


async def test_a_host_under_two_names_or_schemes_still_has_one_connection(open_fetcher: OpenFetcher) -> None:
    """F-HOST-02: `www.` or not, http or https, with what is kept alive counted as well."""
    async with (
        Server(says(HELLO)).running() as one,
        Server(says(HELLO)).running() as other,
        counted(one, other) as (urls, count),
        open_fetcher() as fetcher,
    ):
        replies = await asyncio.gather(*(fetcher.fetch(wanted(urls[n // 2 % 2])) for n in range(20)))

    assert {reply.outcome for reply in replies} == {"found"}
    assert (count.most, len(one.asked), len(other.asked)) == (1, 10, 10)


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_connection_that_went_stale_is_replaced_silently(
    method: str, open_fetcher: OpenFetcher
) -> None:
    """A kept-alive connection that the server closes while we ask: asked again on a new one, POST too, since
    what we post are questions; it is one attempt."""

    async def hang_up_on_the_second(asked: Asked, writer: asyncio.StreamWriter) -> None:
        if (asked.connection, asked.path) == (1, "/2"):
            writer.close()
        else:
            writer.write(HELLO)

    async with Server(hang_up_on_the_second).running() as server, open_fetcher() as fetcher:
        await fetcher.fetch(wanted(f"{server.url}/1", method=method))
        reply = await fetcher.fetch(wanted(f"{server.url}/2", method=method))

    assert (reply.outcome, reply.attempts) == ("found", 1)
    assert [(asked.connection, asked.path) for asked in server.asked] == [(1, "/1"), (1, "/2"), (2, "/2")]
    # Sent in three turns: what was sent again had a place of its own in the windows.
    assert fetcher.counts.requests == 3


def server_tls(authority: trustme.CA, *names: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names).configure_cert(context)
    return context


async def test_authorities_of_the_operator_are_trusted(tmp_path: Path, fetch: Fetch) -> None:
    """`cert_file` adds to the system's authorities."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    async with Server(says(HELLO), tls=server_tls(authority, "127.0.0.1")).running() as server:
        reply = await fetch(server.url, settings={"cert_file": str(tmp_path / "ca.pem")})

    assert reply.outcome == "found"


async def test_ssl_cert_file_is_honoured(
    tmp_path: Path, fetch: Fetch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For users behind proxies that open TLS, and for the simulated internet."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    async with Server(says(HELLO), tls=server_tls(authority, "127.0.0.1")).running() as server:
        reply = await fetch(server.url)

    assert reply.outcome == "found"


@pytest.mark.parametrize("how", ["setting", "environment"])
@pytest.mark.parametrize("content", [None, b"no certificate"])
async def test_certificates_that_cannot_be_used_are_told(
    how: str,
    content: bytes | None,
    tmp_path: Path,
    open_fetcher: OpenFetcher,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Instead of trusting nobody and calling it the servers' fault."""
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_bytes(content)
    if how == "environment":
        monkeypatch.setenv("SSL_CERT_FILE", str(path))
    with pytest.raises(FetcherProblem, match=r"is .*ca\.pem, which cannot be used"):
        async with open_fetcher(cert_file=str(path) if how == "setting" else ""):
            pass


async def test_old_tls_is_not_spoken(tmp_path: Path, fetch: Fetch) -> None:
    """F-CFG-24: TLS 1.2 or 1.3."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    context = server_tls(authority, "127.0.0.1")
    context.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="TLSv1 is deprecated"):
        context.minimum_version = ssl.TLSVersion.TLSv1
    with pytest.warns(DeprecationWarning, match="TLSv1_1 is deprecated"):
        context.maximum_version = ssl.TLSVersion.TLSv1_1
    async with Server(says(HELLO), tls=context).running() as server:
        reply = await fetch(server.url, settings={"cert_file": str(tmp_path / "ca.pem")})

    assert reply.outcome == "tls-failure"


def proxy(password: str = "") -> Server:
    """A forward proxy that answers everything itself, if it is asked with the right password."""
    expected = "Basic " + base64.b64encode(password.encode()).decode() if password else None

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        welcome = expected in (None, asked.headers.get("proxy-authorization"))
        writer.write(HELLO if welcome else reply_bytes(b"", "407 Proxy Authentication Required"))

    return Server(answer)


async def test_plain_requests_go_through_the_proxy(fetch: Fetch) -> None:
    """HTTP_PROXY: the whole address is asked of the proxy, its own name is nobody's business."""
    async with proxy().running() as server:
        reply = await fetch("http://www.example.org/a", settings={"environment": {"http_proxy": server.url}})

    assert reply.outcome == "found"
    assert server.asked[0].target == "http://www.example.org/a"


async def test_the_proxys_password_is_sent_to_it(fetch: Fetch) -> None:
    """And a proxy that wants another one is a wall, not a crash."""
    async with proxy("me:secret").running() as server:
        through = {"http_proxy": f"http://me:secret@127.0.0.1:{server.port}"}
        reply = await fetch("http://example.org/", settings={"environment": through})
        refused = await fetch("http://example.org/", settings={"environment": {"http_proxy": server.url}})

    assert (reply.outcome, refused.outcome) == ("found", "blocked")


async def test_tls_goes_through_the_proxys_tunnel_once(tmp_path: Path, open_fetcher: OpenFetcher) -> None:
    """HTTPS_PROXY: one CONNECT and one handshake for many questions."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    tunnels: list[bytes] = []
    pumps: set[asyncio.Task[None]] = set()

    async with Server(says(HELLO), tls=server_tls(authority, "papers.example.org")).running() as server:

        async def tunnel(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            tunnels.append((await reader.readuntil(b"\r\n\r\n")).partition(b"\r\n")[0])
            inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            task = asyncio.create_task(pump(inner_reader, writer))
            pumps.add(task)
            await pump(reader, inner_writer)
            await task

        async with await asyncio.start_server(tunnel, "127.0.0.1", 0) as forward:
            through = {"https_proxy": f"http://127.0.0.1:{forward.sockets[0].getsockname()[1]}"}
            async with open_fetcher(
                environment=through, cert_file=str(tmp_path / "ca.pem"), allow_addresses=()
            ) as fetcher:
                replies = [await fetcher.fetch(wanted(f"https://papers.example.org/{n}")) for n in range(5)]
            await asyncio.gather(*pumps)

    assert {reply.outcome for reply in replies} == {"found"}
    assert tunnels == [b"CONNECT papers.example.org:443 HTTP/1.1"]
    assert (fetcher.counts.connections, len(server.asked)) == (1, 5)


async def test_the_whole_request_has_twice_the_timeout(open_fetcher: OpenFetcher) -> None:
    """F-NET-02: steady dripping is let drip beyond the timeout, but not for ever."""
    ends: list[float] = []

    async def drip(asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            while True:
                writer.write(b".")
                await writer.drain()
                await asyncio.sleep(0.01)
        except ConnectionError:
            ends.append(loop.time() - began)

    async with Server(drip).running() as server, open_fetcher() as fetcher:
        reply = await fetcher.fetch(wanted(f"{server.url}/", timeout_ms=150, expect="pdf"))
        await server.idle()

    assert reply.outcome == "timeout"
    assert ends[0] > 0.16


async def test_a_timeout_of_zero_is_none(fetch: Fetch) -> None:
    """F-CFG-01: its minimum is 0."""

    async def late(asked: Asked, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.05)
        writer.write(HELLO)

    async with Server(late).running() as server:
        reply = await fetch(server.url, timeout_ms=0)

    assert (reply.outcome, reply.attempts) == ("found", 1)


async def test_idle_connections_are_bounded(open_fetcher: OpenFetcher) -> None:
    """Over many hosts the connections that wait are those used last, and never more than may be in use."""
    async with contextlib.AsyncExitStack() as stack:
        servers = [
            await stack.enter_async_context(Server(says(HELLO), host=f"127.0.0.{number}").running())
            for number in range(1, 13)
        ]
        fetcher = await stack.enter_async_context(open_fetcher(max_connections=4))
        for server in [*servers, *servers[8:]]:
            await fetcher.fetch(wanted(server.url))
        for server in servers[:8]:
            await server.quiet.wait()

        assert [server.connections for server in servers] == [1] * 12
        assert [server.open_now for server in servers] == [0] * 8 + [1] * 4


async def test_many_headers_and_long_ones_are_read(fetch: Fetch) -> None:
    """Publishers send kilobytes of policy."""
    long_header = f"Content-Security-Policy: {'x' * 30_000}"
    async with Server(says(reply_bytes(b"<a/>", "200 OK", long_header, "ETag: 1"))).running() as server:
        reply = await fetch(server.url)

    assert (reply.outcome, reply.header("etag")) == ("found", "1")


async def test_a_question_that_goes_away_frees_the_host(open_fetcher: OpenFetcher) -> None:
    """CancelledError passes, the connection is closed, the next question goes."""

    async def first_never(asked: Asked, writer: asyncio.StreamWriter) -> None:
        if asked.path == "/never":
            arrived.set()
            await asyncio.Event().wait()
        writer.write(HELLO)

    arrived = asyncio.Event()
    async with Server(first_never).running() as server, open_fetcher() as fetcher:
        never = asyncio.create_task(fetcher.fetch(wanted(f"{server.url}/never")))
        await arrived.wait()
        never.cancel()
        with pytest.raises(asyncio.CancelledError):
            await never
        reply = await fetcher.fetch(wanted(f"{server.url}/next"))

        assert reply.outcome == "found"
        assert fetcher.status() == []


async def test_rows_are_written_before_the_reply(open_fetcher: OpenFetcher) -> None:
    """Design law 6: whoever has the reply finds its attempt in the store."""
    store = MemoryStore()
    async with Server(says(HELLO)).running() as server, open_fetcher(store=store) as fetcher:
        for count in (1, 2, 3):
            await fetcher.fetch(wanted(f"{server.url}/"))

            assert await store.attempts() == {("127.0.0.1", "found"): count}


BUDGETED = Budgets([Budget(family="api", at=("127.0.0.1",), requests=1)])


async def waits_first(store: MemoryStore | None, first_window: FirstWindow) -> bool:
    """Does a budgeted unit stand still after this start?"""
    clock = ManualClock()
    settings = FetcherSettings(allow_addresses=LOOPBACK, first_window=first_window)
    async with (
        Server(says(HELLO)).running() as server,
        FetcherDoor(settings, clock, store, environment={}) as fetcher,
    ):
        fetcher.use_budgets(BUDGETED)
        question = asyncio.create_task(fetcher.fetch(wanted(server.url)))
        await clock.advance(0)
        waited = [unit.waiting for unit in fetcher.status()] == ["first-window"]
        await clock.advance(1.06)
        await question
    return waited


async def test_a_clean_stop_is_remembered() -> None:
    """`remember`: nothing to wait for in a new store; a run that ended well says when it did, and only what is
    left of the window is waited for."""
    store = MemoryStore()
    assert not await waits_first(store, "remember")
    assert (await store.meta("fetcher-ended-at")).isdigit()

    await store.set_meta("fetcher-ended-at", str(ManualClock().now_ms() - 500))
    assert await waits_first(store, "remember")
    await store.set_meta("fetcher-ended-at", str(ManualClock().now_ms() - 2_000))
    assert not await waits_first(store, "remember")


async def test_a_run_that_did_not_end_well_is_waited_for() -> None:
    """Killed, it may have asked until this moment."""
    store = MemoryStore()
    await store.set_meta("fetcher-ended-at", "running")

    assert await waits_first(store, "remember")


async def test_without_a_store_every_start_waits() -> None:
    """Unless a test says that nobody else asks."""
    assert await waits_first(None, "remember")
    assert await waits_first(MemoryStore(), "wait")
    assert not await waits_first(None, "skip")


def test_aiohttp_lets_us_send_again_ourselves() -> None:
    """The wire switches off a retry of aiohttp and looks at its idle connections by attributes that are not
    promised; if they are renamed, this tells."""
    import aiohttp

    assert "_retry_connection" in aiohttp.ClientSession.ATTRS
    assert "self._conns" in inspect.getsource(aiohttp.BaseConnector)


async def test_a_certificate_is_tested_unless_the_browser_asks(open_fetcher: OpenFetcher) -> None:
    """F-EXC-09, F-JS-04: `javascript` accepts any; a connection that was opened so is never used for others, nor
    kept beside theirs (F-HOST-01)."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("somebody.example").configure_cert(context)
    async with Server(says(HELLO), tls=context).running() as server, open_fetcher() as fetcher:
        outcomes = [
            (await fetcher.fetch(wanted(f"{server.url}/", javascript=javascript))).outcome
            for javascript in (False, True, False, True)
        ]

        assert server.most_open == 1
    assert outcomes == ["tls-failure", "found", "tls-failure", "found"]
