"""A fetcher that may ask loopback."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from pubweave.adapters.clock import SystemClock
from pubweave.contract.exchange import Reply
from pubweave.doors.fetcher import FetcherDoor, FetcherSettings
from pubweave.ports import Clock, Store
from services.doors.fetcher.loopback import LOOPBACK, Fetch, OpenFetcher, wanted


@pytest.fixture
def open_fetcher() -> OpenFetcher:
    """`async with open_fetcher(setting=…) as fetcher`: may ask loopback, knows no budgets unless told."""

    @asynccontextmanager
    async def opened(
        *,
        clock: Clock | None = None,
        store: Store | None = None,
        environment: dict[str, str] | None = None,
        **settings: Any,
    ) -> AsyncIterator[FetcherDoor]:
        settings.setdefault("allow_addresses", LOOPBACK)
        settings.setdefault("no_budgets", True)
        fetcher = FetcherDoor(
            FetcherSettings(**settings), clock or SystemClock(), store, environment=environment or {}
        )
        async with fetcher:
            yield fetcher

    return opened


@pytest.fixture
def fetch(open_fetcher: OpenFetcher) -> Fetch:
    """Ask one question with a fetcher of its own."""

    async def fetched(url: str, *, settings: dict[str, Any] | None = None, **request: Any) -> Reply:
        async with open_fetcher(**(settings or {})) as fetcher:
            return await fetcher.fetch(wanted(url, **request))

    return fetched
