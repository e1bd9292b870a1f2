"""Pages that mean harm, or are just bad: each ends with one word, and the next page is rendered."""

import asyncio
import logging
import os
import select
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pubweave.doors.renderer import Renderer, RendererSettings
from services.doors.fetcher.loopback import Server, reply_bytes, says
from services.doors.renderer.conftest import Render, Site, needs_browser

pytestmark = [pytest.mark.network, pytest.mark.asyncio(loop_scope="module"), needs_browser]

OTHER_WAYS = """<p>start</p><script>
  const host = 'HOST', told = text => document.body.append(text + ' ');
  for (const make of [
    () => new WebSocket('ws://' + host), () => new EventSource('http://' + host + '/events'),
    () => new WebTransport('https://' + host), () => navigator.sendBeacon('http://' + host + '/beacon', 'x'),
    () => new RTCPeerConnection({iceServers: [{urls: 'stun:' + host}]}).createDataChannel('x'),
    () => navigator.serviceWorker.register('/sw.js'), () => new SharedWorker('http://' + host + '/shared.js'),
    () => fetch('http://' + host + '/post', {method: 'POST', body: 'x', mode: 'no-cors', keepalive: true}),
    () => window.open('http://' + host + '/window'),
    () => { const f = document.createElement('form'); f.method = 'POST'; f.target = '_blank';
            f.action = 'http://' + host + '/form'; document.body.append(f); f.submit() },
    () => { const l = document.createElement('link'); l.rel = 'prerender'; l.href = 'http://' + host + '/pre';
            document.head.append(l) },
    () => { const l = document.createElement('link'); l.rel = 'preconnect'; l.href = 'http://' + host;
            document.head.append(l) },
    () => new Worker(URL.createObjectURL(new Blob([`
      try { const s = new WebSocket('ws://HOST'); s.onerror = () => postMessage('worker refused') }
      catch (_) { postMessage('worker refused') }`]))).onmessage = message => told(message.data),
  ]) { try { make() } catch (_) { } }
  told('end');
</script>"""

NETWORK = """<script>
  for (const url of ['http://169.254.169.254/latest/meta-data/', 'http://HOST/', 'http://localhost:PORT/',
                     'http://[::1]:PORT/', 'http://0.0.0.0:PORT/', 'http://2130706434:PORT/', 'file:///etc/passwd']) {
    fetch(url).then(() => document.write('READ ')).catch(() => 0);
    const frame = document.createElement('iframe'); frame.src = url; document.documentElement.append(frame);
    const script = document.createElement('script'); script.src = url; document.documentElement.append(script);
  }
</script>"""


async def renders_on(site: Site, render: Render) -> bool:
    reply = await render(
        site.page("/fine", "<p></p><script>document.querySelector('p').append('fi' + 'ne')</script>")
    )
    return reply.outcome == "found" and b"<p>fine</p>" in reply.body


async def test_a_page_has_no_way_out_but_the_fetcher(site: Site, render: Render) -> None:
    """Sockets, beacons, posts, windows, workers: not one connection arrives at a server that the fetcher itself
    might ask."""
    async with Server(says(reply_bytes(b"x"))).running() as other:
        host = f"127.0.0.1:{other.port}"
        reply = await render(site.page("/a", OTHER_WAYS.replace("HOST", host)))

        assert other.connections == 0
    assert reply.outcome == "found"
    assert b"worker refused" in reply.body
    assert b"end" in reply.body
    assert site.asked == ["/a"]


async def test_a_page_reaches_nothing_of_our_own_network(site: Site, render: Render) -> None:
    """Private, local and link-local addresses are refused in the browser as everywhere (P-46)."""
    async with Server(says(reply_bytes(b"document.write('READ ')")), host="127.0.0.2").running() as inner:
        html = NETWORK.replace("HOST", f"127.0.0.2:{inner.port}").replace("PORT", str(inner.port))
        reply = await render(site.page("/a", html))

        assert inner.connections == 0
    assert reply.outcome == "found"
    assert b"READ " not in reply.body.rpartition(b"</script>")[2]


async def test_dialogs_do_not_hold_a_page_up(site: Site, render: Render) -> None:
    """None is ever answered with yes."""
    html = """<p></p><script>alert(1); const told = [confirm(2), prompt(3)]; onbeforeunload = () => 'stay';
      document.querySelector('p').append(told.join())</script>"""
    reply = await render(site.page("/a", html))

    assert b"<p>false,</p>" in reply.body
    assert await renders_on(site, render)


async def test_windows_are_closed_and_downloads_denied(site: Site, render: Render) -> None:
    """The page itself stays what it was."""
    site.put("/d", b"x", "application/octet-stream")
    html = """<p>page</p><a id=w target=_blank href=/w>w</a><a id=d download href=/d>d</a>
      <script>w.click(); d.click()</script>"""
    reply = await render(site.page("/a", html))

    assert reply.outcome in ("found", "wrong-type")
    assert await renders_on(site, render)
    assert "/w" not in site.asked


async def test_a_page_that_never_settles_is_read_as_it_is(site: Site, render: Render) -> None:
    """F-JS-03: when its time is over, what is there counts."""
    site.put("/more", b"x", "text/plain")
    html = "<p>here</p><script>setInterval(() => fetch('/more'), 20)</script>"
    reply = await render(site.page("/a", html), timeout_ms=3_000)

    assert reply.outcome == "found"
    assert b"<p>here</p>" in reply.body
    assert "when its time was over" in reply.evidence


async def test_a_page_that_spins_is_killed(
    site: Site, render: Render, renderer: Renderer, caplog: pytest.LogCaptureFixture
) -> None:
    """F-JS-02, T-031: it cannot be read, so it counts as a failure, with an error in the log; its processes are gone."""
    assert await renders_on(site, render)
    before = renderer.pids()
    reply = await render(site.page("/a", "<p>x</p><script>while (true) { }</script>"), timeout_ms=1_500)

    assert (reply.outcome, reply.fetch_exception, reply.web_fetch_exception) == ("timeout", True, True)
    assert reply.body == b""
    assert [record.levelno for record in caplog.records if "killed" in record.message] == [logging.ERROR]
    for pid in before:
        await gone(pid)
    assert await renders_on(site, render)


async def test_a_page_that_eats_memory_is_killed(site: Site, render: Render, small: Renderer) -> None:
    """Before the machine runs out of it."""
    html = "<script>const a = []; while (true) a.push(new Uint8Array(1 << 24).fill(7))</script>"
    reply = await render(site.page("/a", html), by=small, timeout_ms=30_000)

    assert (reply.outcome, reply.fetch_exception) == ("failed", True)
    assert "memory" in reply.evidence or "crashed" in reply.evidence
    assert await renders_on(site, render)


async def test_a_page_that_crashes_is_an_outcome(site: Site, render: Render, renderer: Renderer) -> None:
    """Its process is gone, the browser may stay."""
    site.put("/more", b"x", "text/plain")
    crashing = asyncio.ensure_future(
        render(site.page("/a", "<script>setInterval(() => fetch('/more'), 20)</script>"))
    )
    while site.asked.count("/more") < 2:
        assert not crashing.done()
        await asyncio.sleep(0)
    for pid in group(renderer.pids()[0], "--type=renderer"):
        os.kill(pid, signal.SIGKILL)
    reply = await crashing

    assert (reply.outcome, reply.fetch_exception) == ("failed", True)
    assert "crashed" in reply.evidence
    assert await renders_on(site, render)


async def test_a_browser_that_ends_is_an_outcome(site: Site, render: Render, renderer: Renderer) -> None:
    """Whoever ended it; a new one is started for the next page."""
    site.put("/more", b"x", "text/plain")
    ending = asyncio.ensure_future(
        render(site.page("/a", "<script>setInterval(() => fetch('/more'), 20)</script>"))
    )
    while site.asked.count("/more") < 2:
        assert not ending.done()
        await asyncio.sleep(0)
    os.kill(renderer.pids()[0], signal.SIGKILL)
    reply = await ending

    assert (reply.outcome, reply.fetch_exception) == ("failed", True)
    assert await renders_on(site, render)


async def test_a_page_that_asks_for_ten_thousand_things_gets_some(
    site: Site, render: Render, small: Renderer
) -> None:
    """As many as one page may ask for; the others are refused in the browser."""
    html = "<p>x</p><script>for (let i = 0; i < 10000; i++) fetch('/r/' + i).catch(() => 0)</script>"
    reply = await render(site.page("/a", html), by=small, timeout_ms=20_000)

    assert reply.outcome == "found"
    assert len(site.asked) == 21


async def test_a_page_that_loads_too_much_gets_no_more(site: Site, render: Render, small: Renderer) -> None:
    """Bytes of everything it asks for are counted together."""
    site.put("/big", b"x" * 300_000, "text/plain")
    html = """<p></p><script>(async () => { for (let i = 0; i < 9; i++)
      await fetch('/big?' + i).then(r => r.text()).then(() => document.querySelector('p').append(i)) })()</script>"""
    reply = await render(site.page("/a", html), by=small)

    assert b"<p>012</p>" in reply.body
    assert len(site.asked) == 5


async def test_a_page_that_grows_too_long_is_too_large(site: Site, render: Render, small: Renderer) -> None:
    """It is not cut silently (fault 49)."""
    html = "<body><script>document.body.append('x'.repeat(200000))</script>"
    reply = await render(site.page("/a", html), by=small)

    assert (reply.outcome, reply.body) == ("too-large", b"")


async def test_a_page_that_leads_round_and_round_is_stopped(
    site: Site, render: Render, small: Renderer
) -> None:
    """It stays where it is after so many pages."""
    await render(
        site.page("/a", "<script>location = '/a?' + Math.random()</script>"), by=small, timeout_ms=4_000
    )

    assert len(site.asked) == 4


async def test_scripts_cannot_lie_about_the_page(site: Site, render: Render) -> None:
    """It is read as the browser itself writes it."""
    html = """<p>true</p><script>
      Object.defineProperty(document, 'documentElement', {get() { return {outerHTML: 'lie'} }});
      Object.defineProperty(Element.prototype, 'outerHTML', {get() { return 'lie' }});</script>"""
    reply = await render(site.page("/a", html))

    assert b"<p>true</p>" in reply.body


async def test_half_characters_do_not_break_the_reply(site: Site, render: Render) -> None:
    """A script may write what is no text."""
    reply = await render(
        site.page("/a", "<p></p><script>document.querySelector('p').append('a\\ud800b')</script>")
    )

    assert reply.body.decode("utf-8").count("<p>a") == 1


async def test_who_cancels_a_page_leaves_nothing_behind(site: Site, render: Render) -> None:
    """Its browser ends with it."""
    site.put("/more", b"x", "text/plain")
    async with Renderer(RendererSettings()) as own:
        busy = asyncio.ensure_future(
            render(site.page("/a", "<script>setInterval(() => fetch('/more'), 20)</script>"), by=own)
        )
        while "/more" not in site.asked:
            assert not busy.done()
            await asyncio.sleep(0)
        pid = own.pids()[0]
        busy.cancel()
        await asyncio.gather(busy, return_exceptions=True)

        assert (busy.cancelled(), own.pids()) == (True, ())
        await gone(pid)


async def test_a_browser_is_replaced_after_so_many_pages(site: Site, render: Render) -> None:
    """What it leaked is given back."""
    async with Renderer(RendererSettings(pages_per_browser=1, quiet_ms=0)) as short:
        assert [(await render(site.page(path, "x"), by=short)).outcome for path in ("/a", "/b")] == [
            "found"
        ] * 2
        assert (short.started, short.pids()) == (2, ())


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """Sockets have short paths; pytest's folders do not."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


KILLED = """
import asyncio
from pubweave.doors.renderer.chromium import Browser
from pubweave.doors.renderer import RendererSettings
async def main():
    browser = await Browser.start(RendererSettings())
    print(browser.pid, flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""


async def test_a_browser_does_not_outlive_us(monkeypatch: pytest.MonkeyPatch, short_folder: Path) -> None:
    """Also when we are killed without a last word: its pipe ends, and so does it; the next one removes its files, and
    nobody else's."""
    monkeypatch.setenv("TMPDIR", str(short_folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", KILLED, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    pid = int(await process.stdout.readline())
    browser = os.pidfd_open(pid)
    process.kill()
    await process.wait()
    ended, _, _ = await asyncio.to_thread(select.select, [browser], [], [], 20)
    os.close(browser)
    left = os.listdir(short_folder)
    async with Renderer() as first, Renderer() as second:
        for renderer in (first, second):
            renderer._idle.append(await renderer._browser())
        theirs = os.listdir(short_folder)

    assert ended
    assert len(left) == 1
    assert len(theirs) == 2
    assert left[0] not in theirs
    assert os.listdir(short_folder) == []


def group(pid: int, having: str = "") -> list[int]:
    """The processes of a browser that are still there, those with this in their command line."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            state, _, pgrp = (entry / "stat").read_text("utf-8", "replace").rpartition(") ")[2].split()[:3]
            if (
                int(pgrp) == pid
                and state != "Z"
                and having in (entry / "cmdline").read_text("utf-8", "replace")
            ):
                found.append(int(entry.name))
        except (OSError, ValueError):
            continue
    return found


async def gone(pid: int) -> None:
    """A signal has been sent; what is left of the group ends in its own time, but it ends."""
    while group(pid):  # noqa: ASYNC110 - nothing tells of it
        await asyncio.sleep(0)
