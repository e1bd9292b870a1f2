"""A site and a whole system that may ask it."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from pubweave.core.service import Context
from pubweave.doors.fetcher.settings import FetcherSettings
from pubweave.runtimes.embedded.system import SystemConfig, open_system
from pubweave.runtimes.embedded.webpages import Webpages
from webpages.site import LOOPBACK, Site, running_site

Opened = Callable[..., AbstractAsyncContextManager[Webpages]]


@pytest.fixture
def site() -> Iterator[Site]:
    with running_site() as site:
        yield site


@pytest.fixture
def opened() -> Opened:
    """`async with opened(database=…, rules=…) as pages`: the real fetcher and PDF reader, loopback allowed."""

    @asynccontextmanager
    async def opened_(database: Path | None = None, rules: Any = None) -> AsyncIterator[Webpages]:
        config = SystemConfig(
            database=database,
            context=Context(rules=rules),
            fetcher=FetcherSettings(allow_addresses=LOOPBACK, no_budgets=True, use_environment_proxies=False),
        )
        async with open_system(config) as system, system.webpages() as pages:
            yield pages

    return opened_
