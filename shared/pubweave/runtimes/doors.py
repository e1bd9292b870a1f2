"""Which door answers a question, in one process."""

from typing import Protocol

import msgspec

from pubweave.contract.exchange import Reply
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.ports import Fetching


class PdfAnswering(Protocol):
    """The PDF reader: what the fetcher brought, read in a process of its own."""

    async def answer(self, fetched: Reply) -> Reply: ...


class Rendering(Protocol):
    """The renderer: a page in a browser that has no way out but the fetcher."""

    async def render(self, wanted: ReplyWanted, fetcher: Fetching) -> Reply: ...


class Doors:
    """The doors of one process behind one `fetch`; `wanted.door` says who answers.

    Whatever a door needs from outside the fetcher brings: the PDF reader gets the fetcher's reply, the renderer asks
    the fetcher for everything that the page wants.
    """

    def __init__(
        self, fetcher: Fetching, pdf_reader: PdfAnswering | None = None, renderer: Rendering | None = None
    ) -> None:
        self._fetcher = fetcher
        self._pdf_reader = pdf_reader
        self._renderer = renderer

    async def fetch(self, wanted: ReplyWanted) -> Reply:
        """One reply for one question; a door that is not here answers `no-door`."""
        match wanted.door:
            case "fetcher":
                return await self._fetcher.fetch(wanted)
            case "pdf_reader" if self._pdf_reader is not None:
                fetched = await self._fetcher.fetch(msgspec.structs.replace(wanted, door="fetcher"))
                return await self._pdf_reader.answer(fetched)
            case "renderer" if self._renderer is not None:
                return await self._renderer.render(wanted, self._fetcher)
            case _:
                return Reply(
                    outcome="no-door",
                    url=wanted.request.url,
                    evidence=f"there is no {wanted.door} here",
                )
