"""Web pages and docs in the pipeline: how they are fetched."""

from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

from pubweave.cli.operations.worklist import Numbered, Worklist
from pubweave.contract.values import RunSettings
from pubweave.contract.vocabulary import PageKind
from pubweave.settings import Settings


async def fetch(
    kind: PageKind,
    settings: Settings,
    run: RunSettings,
    elements: Iterator[Numbered],
    worklist: Worklist,
    *,
    create: bool,
    fresh: bool,
    put_into: str | None,
) -> int:
    """Fetch pages into the database of the settings.

    :param fresh: whatever is stored
    :param put_into: a database that gets each page as soon as it is there
    :returns: how many there were
    """
    from pubweave.adapters.clock import SystemClock
    from pubweave.runtimes.embedded.webpage_store import WebpageStore
    from pubweave.runtimes.embedded.webpages import PageLine, PageWishes
    from pubweave.runtimes.wiring import cooldowns, pages_running, writing

    count = 0

    def lines() -> Iterator[PageLine]:
        nonlocal count
        for one in elements:
            count += 1
            yield PageLine(one.number, one.listed.url)

    wishes = PageWishes(
        entry=kind, settings=run, cooldowns=cooldowns(settings), fresh=fresh, correlation_id="pipe"
    )
    async with AsyncExitStack() as stack:
        running = await stack.enter_async_context(pages_running(settings, create=create))
        target = None
        if put_into is not None:
            storage = await stack.enter_async_context(writing(Path(put_into)))
            target = WebpageStore(storage, SystemClock())
        async for finished in running.fetch(lines(), wishes):
            worklist.was_fetched(finished.line, finished.url)
            if target is not None:
                await target.put(kind, finished.record)
    return count
