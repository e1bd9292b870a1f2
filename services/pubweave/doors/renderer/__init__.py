"""The renderer: pages that are made by scripts, as a browser shows them in the end.

Hears `reply-wanted` for the door `renderer`; gives the page's HTML after its scripts have settled, or with one word why
there is none. Never opens a connection: the browser has no way out of its own, and the page and everything it asks for
are brought by the fetcher, each in its own host's turn and within all its rules, or refused.

    settings.py   how many browsers, and their bounds
    chromium.py   one browser from its start to its end
    session.py    the talk with a browser, or with a page in it
    windows.py    which pages share a window, and how one is left
    page.py       one page: its requests, when it has settled, what it says
    shelf.py      scripts that pages have in common
    door.py       `Renderer`: a question, a page, an outcome

pyppeteer speaks the DevTools protocol; it is the `renderer` extra, the browser is Debian's `chromium`. Without either
every answer is `no-door`.
"""

from typing import TYPE_CHECKING, Any

from pubweave.doors.renderer.settings import RendererSettings

if TYPE_CHECKING:
    from pubweave.doors.renderer.door import Renderer

__all__ = ["Renderer", "RendererSettings"]


def __getattr__(name: str) -> Any:
    """`Renderer` brings asyncio's subprocesses with it: loaded when first wanted."""
    if name == "Renderer":
        from pubweave.doors.renderer.door import Renderer

        return Renderer
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
