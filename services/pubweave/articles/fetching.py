"""What sources name and is not there: asked through the fetcher, so budgets, one connection per host and all else hold."""

import asyncio

from pubweave.articles.problems import NotPossible
from pubweave.contract.exchange import Request
from pubweave.core.toolkit.answering import wanted
from pubweave.runtimes.wiring import fetching, settings_in_effect


def fetch_now(url: str) -> bytes:
    """A child sitemap or a further OAI-PMH reply.

    :raises Failed: it could not be had; the text says why
    """

    async def ask() -> bytes:
        async with fetching(settings_in_effect()) as fetcher:
            reply = await fetcher.fetch(wanted(Request(url=url, robots=True), "links", ()))
        if reply.outcome != "found" or reply.truncated:
            raise NotPossible(f"{url} could not be had: {reply.outcome} ({reply.evidence})")
        return reply.body

    return asyncio.run(ask())
