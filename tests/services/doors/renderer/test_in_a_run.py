"""The renderer as a run finds it: behind the doors of the embedded system."""

import msgspec
import pytest

from pubweave.contract.exchange import Reply
from pubweave.doors.fetcher import FetcherDoor
from pubweave.doors.renderer import Renderer
from pubweave.runtimes.doors import Doors
from services.doors.fetcher.loopback import wanted
from services.doors.renderer.conftest import Site, needs_browser

pytestmark = [pytest.mark.network, pytest.mark.asyncio(loop_scope="module")]


@needs_browser
async def test_a_question_for_the_renderer_is_rendered(
    site: Site, fetcher: FetcherDoor, renderer: Renderer
) -> None:
    """Its reply is a page like any other."""
    url = site.page("/a", "<p></p><script>document.querySelector('p').append('by a ' + 'script')</script>")
    question = msgspec.structs.replace(wanted(url, expect="html"), door="renderer")
    reply: Reply = await Doors(fetcher, None, renderer).fetch(question)

    assert (reply.outcome, reply.url) == ("found", url)
    assert b"<p>by a script</p>" in reply.body
