"""A site, and pages over the real doors that may ask it."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from pubweave.adapters.clock import SystemClock
from pubweave.adapters.sqlite import SqliteStorage
from pubweave.core.toolkit.service import Context
from pubweave.doors.fetcher import FetcherDoor, FetcherSettings
from pubweave.doors.pdf_reader import PdfReader
from pubweave.doors.renderer import Renderer, RendererSettings
from pubweave.ports import Clock
from pubweave.runtimes.doors import Doors
from pubweave.runtimes.embedded.webpages import Webpages
from webpages.site import LOOPBACK, Site, running_site

Opened = Callable[..., AbstractAsyncContextManager[Webpages]]


@pytest.fixture
def site() -> Iterator[Site]:
    with running_site() as site:
        yield site


@pytest.fixture
def opened() -> Opened:
    """`async with opened(database=…, rules=…) as pages`: the real fetcher and PDF reader, loopback allowed; a browser
    only where it is asked for, so that a test says the same whether or not this machine has one."""

    @asynccontextmanager
    async def opened_(
        database: Path | None = None,
        rules: Any = None,
        *,
        browser: bool = False,
        clock: Clock | None = None,
        classic_cleaning: bool = False,
        **fetcher: Any,
    ) -> AsyncIterator[Webpages]:
        clock = clock or SystemClock()
        settings = FetcherSettings(
            **({"allow_addresses": LOOPBACK, "no_budgets": True, "use_environment_proxies": False} | fetcher)
        )
        storage = SqliteStorage.in_memory() if database is None else SqliteStorage.open(database, create=True)
        async with AsyncExitStack() as stack:
            stack.push_async_callback(storage.close)
            bringing = await stack.enter_async_context(FetcherDoor(settings, clock, storage.store))
            pdf_reader = await stack.enter_async_context(PdfReader())
            renderer = await stack.enter_async_context(Renderer(RendererSettings())) if browser else None
            doors = Doors(bringing, pdf_reader, renderer)
            context = Context(rules=rules, classic_cleaning=classic_cleaning)
            yield await stack.enter_async_context(Webpages(storage, doors, context, clock))

    return opened_
