"""The doors other than the fetcher, as each stands alone in a process of the bus."""

from pubweave.contract.exchange import Reply
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.runtimes.embedded.doors import PdfReading


class PdfDoor:
    """Reads what the fetcher has brought; the question carries it."""

    def __init__(self, reader: PdfReading) -> None:
        self._reader = reader

    async def fetch(self, wanted: ReplyWanted) -> Reply:
        """:raises ValueError: the question has not been to the fetcher"""
        if wanted.fetched is None:
            raise ValueError("there is nothing to read: the fetcher has not been asked")
        return await self._reader.answer(wanted.fetched)


class NoDoor:
    """Stands where a door is not installed: every question has an answer."""

    def __init__(self, name: str) -> None:
        self._name = name

    async def fetch(self, wanted: ReplyWanted) -> Reply:
        return Reply(outcome="no-door", url=wanted.request.url, evidence=f"there is no {self._name} here")
