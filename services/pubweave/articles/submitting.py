"""`pubweave articles run --submit`: what was found goes into a job."""

import asyncio
import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from pubweave.contract.values import Identifiers, Link
from pubweave.output.terminal import say
from pubweave.runtimes.wiring import cooldowns, run_settings, settings_in_effect, system_config

if TYPE_CHECKING:
    from pubweave.runtimes.embedded.jobs import Line


class _HeldArticle(msgspec.Struct, array_like=True):
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
        found = _HeldArticle(
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
        from pubweave.runtimes.embedded.jobs import JobSettings
        from pubweave.runtimes.embedded.opening import open_system

        settings = settings_in_effect()
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

        decoder = msgspec.json.Decoder(_HeldArticle)
        self._kept.seek(0)
        for number, line in enumerate(self._kept, start=1):
            found = decoder.decode(line)
            yield Line(number, found.identifiers, links=found.links)
