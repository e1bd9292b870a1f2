"""Articles of Europe PMC, asked for through the fetcher, so budgets, one connection per host and all else hold (B-03)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pubweave.contract.exchange import Request
from pubweave.core.toolkit.answering import wanted
from pubweave.jats.source import FetchedXml, GetXml
from pubweave.runtimes.wiring import fetching, settings_in_effect


@asynccontextmanager
async def fetched_articles() -> AsyncIterator[GetXml]:
    """Europe PMC's full text of a PMCID."""
    settings = settings_in_effect()
    async with fetching(settings) as fetcher:

        async def get(pmcid: str) -> FetchedXml:
            url = f"{settings.text('address_europepmc')}/{pmcid}/fullTextXML"
            request = Request(url=url, expect="xml", family="europepmc")
            reply = await fetcher.fetch(wanted(request, "europepmc_fulltext", ()))
            if reply.outcome == "found" and reply.truncated:
                return FetchedXml("malformed", message="the reply breaks off")
            return FetchedXml(reply.outcome, reply.body, reply.evidence)

        yield get
