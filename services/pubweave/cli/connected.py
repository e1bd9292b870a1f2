"""The commands of other applications with the pipeline connected to them.

`pubweave articles run --submit` sends what it found into a job; `pubweave jats` fetches through the fetcher, so
budgets, one connection per host and all else hold for it, too.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import msgspec

from pubweave.articles import cli as articles_cli
from pubweave.articles.sink import Sink
from pubweave.cli.group import group_of
from pubweave.cli.options import in_effect, say
from pubweave.cli.problems import Failed
from pubweave.contract.values import Identifiers, Link
from pubweave.jats import cli as jats_cli
from pubweave.jats import source as jats_source
from pubweave.jats.source import FetchedXml, GetXml

if TYPE_CHECKING:
    from pubweave.runtimes.embedded.jobs import Line

articles = group_of(articles_cli.articles)
jats = group_of(jats_cli.jats)


class _Found(msgspec.Struct, array_like=True):
    """One article as it waits for the end of the iteration."""

    identifiers: Identifiers
    links: tuple[Link, ...]


class JobSink:
    """Keeps what is found in a temporary file, and runs a job over it at the end: memory stays constant however
    many articles there are. Records go to the database of the settings."""

    def __init__(self) -> None:
        self._kept = tempfile.TemporaryFile()  # noqa: SIM115  # closed by `close`
        self._count = 0

    def submit(self, identifiers: dict[str, str], links: list[tuple[str, str]]) -> None:
        found = _Found(
            Identifiers(**identifiers),
            tuple(Link(url=url, type="pdf_link" if type_ == "pdf_link" else "link") for url, type_ in links),
        )
        self._kept.write(msgspec.json.encode(found) + b"\n")
        self._count += 1

    def close(self) -> None:
        """Run the job; returns when every article submitted has its outcome."""
        if self._count:
            asyncio.run(self._run())
        self._kept.close()

    async def _run(self) -> None:
        from pubweave.cli.wiring import cooldowns, run_settings, system_config
        from pubweave.runtimes.embedded.jobs import JobSettings
        from pubweave.runtimes.embedded.opening import open_system

        settings = in_effect({})
        outcomes: dict[str, int] = {}
        async with open_system(system_config(settings, create=True)) as system:
            wanted = JobSettings(settings=run_settings(settings), cooldowns=cooldowns(settings), lane="bulk")
            async for one in system.run_job(self._lines(), wanted, total=self._count):
                outcome = one.settled.outcome
                outcomes[outcome] = outcomes.get(outcome, 0) + 1
        told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
        say(f"{self._count} articles submitted: {told}")

    def _lines(self) -> Iterator["Line"]:
        from pubweave.runtimes.embedded.jobs import Line

        decoder = msgspec.json.Decoder(_Found)
        self._kept.seek(0)
        for number, line in enumerate(self._kept, start=1):
            found = decoder.decode(line)
            yield Line(number, found.identifiers, links=found.links)


@asynccontextmanager
async def fetched_articles() -> AsyncIterator[GetXml]:
    """Europe PMC's full text of a PMCID, asked through the fetcher (B-03)."""
    from pubweave.adapters.clock import SystemClock
    from pubweave.cli.wiring import system_config
    from pubweave.contract.exchange import Request
    from pubweave.core.toolkit.answering import wanted
    from pubweave.doors.fetcher.door import Fetcher

    config = system_config(in_effect({}), create=False)
    async with Fetcher(config.fetcher, SystemClock()) as fetcher:

        async def get(pmcid: str) -> FetchedXml:
            request = Request(
                url=f"{config.context.addresses.europepmc}/{pmcid}/fullTextXML",
                expect="xml",
                family="europepmc",
            )
            reply = await fetcher.fetch(wanted(request, "europepmc_fulltext", ()))
            if reply.outcome == "found" and reply.truncated:
                return FetchedXml("malformed", message="the reply breaks off")
            return FetchedXml(reply.outcome, reply.body, reply.evidence)

        yield get


def fetch_now(url: str) -> bytes:
    """A child sitemap or a further OAI-PMH reply, asked through the fetcher.

    :raises Failed: it could not be had; the text says why
    """

    async def ask() -> bytes:
        from pubweave.adapters.clock import SystemClock
        from pubweave.cli.wiring import system_config
        from pubweave.contract.exchange import Request
        from pubweave.core.toolkit.answering import wanted
        from pubweave.doors.fetcher.door import Fetcher

        config = system_config(in_effect({}), create=False)
        async with Fetcher(config.fetcher, SystemClock()) as fetcher:
            reply = await fetcher.fetch(wanted(Request(url=url, robots=True), "links", ()))
        if reply.outcome != "found" or reply.truncated:
            raise Failed(f"{url} could not be had: {reply.outcome} ({reply.evidence})")
        return reply.body

    return asyncio.run(ask())


def _sink() -> Sink:
    return JobSink()


articles_cli.sink_factory = _sink
articles_cli.fetch = fetch_now
jats_source.open_source = fetched_articles
