"""What pages have in common is asked for once."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pubweave.adapters.clock import ManualClock
from pubweave.contract.exchange import Reply
from pubweave.doors.renderer.shelf import KEPT_S, LARGEST_BYTES, Shelf
from services.doors.renderer.conftest import Render, Site, needs_browser


def reply(size: int, outcome: str = "found") -> Reply:
    return Reply(outcome, "http://a/", body=b"x" * size)  # type: ignore[arg-type]


async def test_what_is_kept_grows_old() -> None:
    """After ten minutes it is asked for anew."""
    clock = ManualClock()
    shelf = Shelf(clock)
    shelf.put("a", reply(1))
    await clock.advance(KEPT_S)
    assert shelf.get("a") == reply(1)
    await clock.advance(1)

    assert shelf.get("a") is None


def test_only_what_was_found_and_is_not_huge_is_kept() -> None:
    """A failure is asked for again by the next page."""
    shelf = Shelf(ManualClock())
    shelf.put("failed", reply(0, "timeout"))
    shelf.put("huge", reply(LARGEST_BYTES + 1))

    assert (shelf.get("failed"), shelf.get("huge")) == (None, None)


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 60))))
def test_it_never_holds_more_than_its_bytes(puts: list[tuple[str, int]]) -> None:
    """What was put last is there if it fits at all; the rest makes room."""
    shelf = Shelf(ManualClock(), most_bytes=100)
    for name, size in puts:
        shelf.put(name, reply(size))
        assert shelf.get(name) == reply(size)
        held = [kept for one in "abcdef" if (kept := shelf.get(one)) is not None]
        assert sum(len(kept.body) for kept in held) == shelf._bytes <= 100


@needs_browser
@pytest.mark.network
@pytest.mark.asyncio(loop_scope="module")
async def test_a_page_that_comes_again_as_it_was_is_not_rendered_again(site: Site, render: Render) -> None:
    """Nor does it ask again; one that came otherwise is rendered, and so is what scripts led on to."""
    site.put("/data", b"told", "text/plain")
    script = "<script>fetch('/data').then(r => r.text()).then(t => document.body.append(t))</script>"
    first, again = [await render(site.page("/a", script)) for _ in range(2)]
    other = await render(site.page("/a", script + "<p>new</p>"))
    led = [await render(site.page("/b", "<script>location.replace('/a')</script>")) for _ in range(2)]

    assert b"told" in first.body
    assert msgspec.structs.replace(again, fetched_at=0) == msgspec.structs.replace(first, fetched_at=0)
    assert b"<p>new</p>" in other.body
    assert [one.final_url for one in led] == [site.url + "/a"] * 2
    assert site.asked == ["/a", "/data", "/a", "/a", "/data"] + ["/b", "/a", "/data"] * 2


@needs_browser
@pytest.mark.network
@pytest.mark.asyncio(loop_scope="module")
async def test_pages_share_their_scripts_and_nothing_else(site: Site, render: Render) -> None:
    """Two pages of one site: the script comes once, what it asks for comes for each."""
    site.put(
        "/s.js", b"fetch('/data').then(r => r.text()).then(t => document.body.append(t))", "text/javascript"
    )
    site.put("/data", b"told", "text/plain")
    for path in ("/a", "/b"):
        found = await render(site.page(path, "<p>x</p><script src=/s.js></script>"))
        assert b"told" in found.body

    assert sorted(site.asked) == ["/a", "/b", "/data", "/data", "/s.js"]
