"""What a page says after its scripts have run, and what it may ask for on the way (F-JS-01 to F-JS-06)."""

import asyncio
import ssl

import pytest
import trustme

from pubweave.doors.renderer import Renderer
from services.doors.fetcher.loopback import Server, reply_bytes, says
from services.doors.renderer.conftest import Render, Site, needs_browser

pytestmark = [pytest.mark.network, pytest.mark.asyncio(loop_scope="module"), needs_browser]


def text(body: bytes) -> str:
    return body.decode("utf-8")


async def test_a_page_that_scripts_make_is_read(site: Site, render: Render) -> None:
    """Scripts, what they load and what they are sent: the page is as a person would see it."""
    site.put("/x.json", b'{"said": "f\xc3\xbcnf"}', "application/json")
    site.put(
        "/s.js",
        b"fetch('x.json').then(r => r.json()).then(told => { document.querySelector('p').textContent = told.said })",
        "text/javascript",
    )
    reply = await render(site.page("/a", "<title>t</title><p>nothing</p><script src='s.js'></script>"))

    assert (reply.outcome, reply.status, reply.final_url) == ("found", 200, site.url + "/a")
    assert reply.content_type == "text/html; charset=utf-8"
    assert "<p>fünf</p>" in text(reply.body)
    assert "<title>t</title>" in text(reply.body)
    assert site.asked == ["/a", "/s.js", "/x.json"]


async def test_everything_is_asked_by_the_fetcher(site: Site, render: Render) -> None:
    """Servers see our honest name, over the one connection a host has; not Chromium."""
    site.put("/s.js", b"fetch('/x').catch(() => 0)", "text/javascript")
    await render(site.page("/a", "<script src='/s.js'></script><iframe src='/f'></iframe>"))

    assert {asked.headers["user-agent"].partition("/")[0] for asked in site.server.asked} == {"pubweave"}
    assert site.server.most_open == 1


async def test_images_fonts_media_and_posts_are_not_asked_for(site: Site, render: Render) -> None:
    """F-JS-04; and scripts of strangers make us send nothing."""
    html = """<link rel=icon href=/icon><style>@font-face{font-family:f;src:url(/font)} p{font-family:f}</style><p>x
      <img src=/img><video src=/video autoplay></video>
      <script>fetch('/post', {method: 'POST', body: 'x'}).catch(() => 0); new Image().src = '/pixel';
      navigator.sendBeacon('/beacon', 'x')</script>"""
    reply = await render(site.page("/a", html))

    assert reply.outcome == "found"
    assert site.asked == ["/a"]


async def test_the_address_is_where_redirects_led(site: Site, render: Render) -> None:
    """Relative addresses and scripts go by it, and the reply says it."""
    site.say("/a", reply_bytes(b"", "302 Found", "Location: /deep/b"))
    site.page("/deep/b", "<script src='s.js'></script><p></p>")
    site.put(
        "/deep/s.js", b"document.querySelector('p') || document.write(location.pathname)", "text/javascript"
    )
    reply = await render(site.url + "/a")

    assert reply.final_url == site.url + "/deep/b"
    assert "/deep/b<p>" in text(reply.body)
    assert site.asked == ["/a", "/deep/b", "/deep/s.js"]


async def test_scripts_may_lead_on_to_another_page(site: Site, render: Render) -> None:
    """That page is the answer, with its own address; also behind a redirect."""
    site.say("/moved", reply_bytes(b"", "301 Moved", "Location: /there"))
    site.page("/there", "<p>there</p>")
    reply = await render(site.page("/a", "<script>location = '/moved#x'</script>"))

    assert (reply.outcome, reply.final_url) == ("found", site.url + "/there")
    assert "<p>there</p>" in text(reply.body)


async def test_scripts_that_lead_to_a_pdf_give_the_pdf_as_outcome(site: Site, render: Render) -> None:
    """F-JS-05: not HTML is `wrong-type` at its own address, so that the asker can try it as PDF (F-EXC-05)."""
    site.put("/x.pdf", b"%PDF-1.4", "application/pdf")
    reply = await render(site.page("/a", "<script>location = '/x.pdf'</script>"))

    assert (reply.outcome, reply.final_url, reply.content_type) == (
        "wrong-type",
        site.url + "/x.pdf",
        "application/pdf",
    )
    assert reply.url == site.url + "/a"


async def test_scripts_that_lead_to_no_page_are_told(site: Site, render: Render) -> None:
    """What is not there has its own word; so has what is no address of a page."""
    gone = await render(site.page("/a", "<script>location = '/nothing'</script>"))
    inner = await render(site.page("/b", "<script>location = 'chrome://version'</script>"))

    assert (gone.outcome, gone.status) == ("absent", 404)
    assert inner.outcome == "bad-url"


async def test_failing_scripts_do_not_stop_a_page(site: Site, render: Render) -> None:
    """F-JS-04: neither a broken script nor one that is not there."""
    html = "<script src=/nothing.js></script><script>throw 1</script><script>)(</script><p>all the same</p>"
    reply = await render(site.page("/a", html))

    assert reply.outcome == "found"
    assert "all the same" in text(reply.body)


async def test_what_does_not_come_is_not_rendered(site: Site, render: Render) -> None:
    """A wall, an error, a PDF: the fetcher's own word; F-JS-05."""
    site.say("/wall", reply_bytes(b"<p>log in</p>", "403 Forbidden", "Content-Type: text/html"))
    site.put("/pdf", b"%PDF-1.4", "application/pdf")

    assert (await render(site.url + "/wall")).outcome == "blocked"
    assert (await render(site.url + "/nothing")).outcome == "absent"
    assert (await render(site.url + "/pdf")).outcome == "wrong-type"
    assert (await render("http://10.1.2.3/")).outcome == "refused-address"
    assert (await render("ssh://127.0.0.1/")).outcome == "bad-url"


async def test_robots_txt_holds_for_a_page_and_for_all_it_asks_for(site: Site, render: Render) -> None:
    """A browser is no way around it."""
    site.put("/robots.txt", b"User-agent: *\nDisallow: /no", "text/plain")
    site.put("/no.js", b"document.write('read')", "text/javascript")
    page = await render(site.page("/a", "<script src=/no.js></script><p>x"), robots=True)
    refused = await render(site.page("/no", "x"), robots=True)

    assert page.outcome == "found"
    assert "read<p>" not in text(page.body)
    assert refused.outcome == "refused-by-robots"
    assert site.asked == ["/robots.txt", "/a"]


async def test_certificates_that_nobody_vouches_for_are_accepted(render: Render) -> None:
    """F-EXC-09, F-JS-04 (T-029): plainly asked it is `tls-failure`, in the browser it is read."""
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("somebody.example").configure_cert(context)
    page = reply_bytes(b"<p>read</p>", "200 OK", "Content-Type: text/html")
    async with Server(says(page), tls=context).running() as server:
        reply = await render(server.url + "/", robots=True)

    assert (reply.outcome, reply.final_url) == ("found", server.url + "/")


async def test_pages_know_nothing_of_each_other(site: Site, render: Render, renderer: Renderer) -> None:
    """Whatever one has stored, the next finds nothing, although it is shown in the same window."""
    html = """<p id=found></p><script>(async () => {
      const stored = () => [localStorage.length, sessionStorage.length, document.cookie, window.name, history.length];
      const found = [...stored(), (await indexedDB.databases()).length];
      localStorage.a = sessionStorage.a = 1; document.cookie = 'a=1; max-age=1000'; window.name = 'a';
      await new Promise(opened => {
        const wanted = indexedDB.open('a');
        wanted.onsuccess = () => { wanted.result.close(); opened(); };
      });
      addEventListener('unload', () => { localStorage.b = 1; });
      document.getElementById('found').textContent = found.join('|') + ' and then ' + stored().join('|');
    })();</script>"""
    replies = [text((await render(site.page(f"/{number}", html))).body) for number in range(2)]
    windows = renderer._idle[0].windows
    opened = windows.opened
    replies.append(text((await render(site.page("/2", html))).body))

    assert renderer._idle[0].windows is windows
    assert windows.opened == opened

    assert ['<p id="found">0|0|||2|0 and then 1|1|a=1|a|2</p>' in reply for reply in replies] == [True] * 3


async def test_pages_are_rendered_one_after_the_other(site: Site, render: Render) -> None:
    """More questions than browsers: all are answered, in the one browser."""
    urls = [site.page(f"/{number}", f"<script>document.write({number}+100)</script>") for number in range(3)]
    replies = await asyncio.gather(*map(render, urls))

    assert [f">{number + 100}<" in text(reply.body) for number, reply in enumerate(replies)] == [True] * 3
