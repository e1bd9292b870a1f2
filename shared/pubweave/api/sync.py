"""The same in plain calls, for scripts, notebooks and threads: `from pubweave.api import sync`.

An event loop runs in a thread of its own, one for each database or fetcher that is open. Every method may be called from
any thread, also from several at a time; parameters, results and errors are those of the asynchronous twins.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from pubweave.api import database as asynchronous
from pubweave.api import fetching
from pubweave.api.database import Sizes
from pubweave.api.fetching import Answer, Fetched, FetchedPage
from pubweave.contract.values import Cooldowns, Identifiers, Link
from pubweave.contract.vocabulary import PART_NAMES, EntryKind, PageKind, PartName
from pubweave.core.record import Record
from pubweave.core.webpage_record import WebpageRecord
from pubweave.settings import SettingValue

_T = TypeVar("_T")


class _Loop:
    """An event loop in a thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="pubweave", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Wait for what the coroutine gives; an interruption of the waiting cancels it."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def each(self, source: AsyncIterator[_T]) -> Iterator[_T]:
        """What the asynchronous iterator gives, as it comes; it is closed when nobody wants more."""
        try:
            while (got := self.run(_next(source))) is not None:
                yield got[0]
        finally:
            self.run(_close(source))

    @contextmanager
    def opened(self, manager: AbstractAsyncContextManager[_T]) -> Iterator[_T]:
        """What the manager opens. It is entered and left by one task, as asynchronous code expects."""
        ready: Future[_T] = Future()
        over = asyncio.Event()

        async def hold() -> None:
            try:
                async with manager as value:
                    ready.set_result(value)
                    await over.wait()
            except BaseException as problem:
                if ready.done():
                    raise
                ready.set_exception(problem)

        holding = asyncio.run_coroutine_threadsafe(hold(), self._loop)
        try:
            yield ready.result()
        finally:
            self._loop.call_soon_threadsafe(over.set)
            holding.result()

    def close(self) -> None:
        """End the thread. Safe only when nothing runs in the loop any more."""
        self.run(self._loop.shutdown_asyncgens())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _next(source: AsyncIterator[_T]) -> tuple[_T] | None:
    """The next thing, or None at the end."""
    try:
        return (await anext(source),)
    except StopAsyncIteration:
        return None


async def _close(source: AsyncIterator[Any]) -> None:
    if (close := getattr(source, "aclose", None)) is not None:
        await close()


@contextmanager
def _opened(manager: AbstractAsyncContextManager[_T]) -> Iterator[tuple[_Loop, _T]]:
    loop = _Loop()
    try:
        with loop.opened(manager) as value:
            yield loop, value
    finally:
        loop.close()


class Database:
    """`pubweave.api.Database` in plain calls."""

    def __init__(self, loop: _Loop, twin: asynchronous.Database) -> None:
        self._loop = loop
        self._twin = twin

    def get_publication(self, identifiers: str | Identifiers) -> Record | None:
        """See `pubweave.api.Database.get_publication`."""
        return self._loop.run(self._twin.get_publication(identifiers))

    def put_publication(self, record: Record) -> str:
        """See `pubweave.api.Database.put_publication`."""
        return self._loop.run(self._twin.put_publication(record))

    def contains_publication(self, identifiers: str | Identifiers) -> bool:
        """See `pubweave.api.Database.contains_publication`."""
        return self._loop.run(self._twin.contains_publication(identifiers))

    def remove_publication(self, identifiers: str | Identifiers) -> int:
        """See `pubweave.api.Database.remove_publication`."""
        return self._loop.run(self._twin.remove_publication(identifiers))

    def erase_publication(self, identifiers: str | Identifiers) -> bool:
        """See `pubweave.api.Database.erase_publication`."""
        return self._loop.run(self._twin.erase_publication(identifiers))

    def publications(self) -> Iterator[Record]:
        """See `pubweave.api.Database.publications`."""
        return self._loop.each(self._twin.publications())

    def publication_ids(self) -> Iterator[Identifiers]:
        """See `pubweave.api.Database.publication_ids`."""
        return self._loop.each(self._twin.publication_ids())

    def get_webpage(self, url: str) -> WebpageRecord | None:
        """See `pubweave.api.Database.get_webpage`."""
        return self._loop.run(self._twin.get_webpage(url))

    def get_doc(self, url: str) -> WebpageRecord | None:
        """See `pubweave.api.Database.get_doc`."""
        return self._loop.run(self._twin.get_doc(url))

    def put_webpage(self, page: WebpageRecord) -> None:
        """See `pubweave.api.Database.put_webpage`."""
        self._loop.run(self._twin.put_webpage(page))

    def put_doc(self, page: WebpageRecord) -> None:
        """See `pubweave.api.Database.put_doc`."""
        self._loop.run(self._twin.put_doc(page))

    def contains_webpage(self, url: str) -> bool:
        """See `pubweave.api.Database.contains_webpage`."""
        return self._loop.run(self._twin.contains_webpage(url))

    def contains_doc(self, url: str) -> bool:
        """See `pubweave.api.Database.contains_doc`."""
        return self._loop.run(self._twin.contains_doc(url))

    def remove_webpage(self, url: str) -> bool:
        """See `pubweave.api.Database.remove_webpage`."""
        return self._loop.run(self._twin.remove_webpage(url))

    def remove_doc(self, url: str) -> bool:
        """See `pubweave.api.Database.remove_doc`."""
        return self._loop.run(self._twin.remove_doc(url))

    def webpages(self) -> Iterator[WebpageRecord]:
        """See `pubweave.api.Database.webpages`."""
        return self._loop.each(self._twin.webpages())

    def docs(self) -> Iterator[WebpageRecord]:
        """See `pubweave.api.Database.docs`."""
        return self._loop.each(self._twin.docs())

    def page_urls(self, kind: PageKind) -> Iterator[str]:
        """See `pubweave.api.Database.page_urls`."""
        return self._loop.each(self._twin.page_urls(kind))

    def count(self, kind: EntryKind = "publication") -> int:
        """See `pubweave.api.Database.count`."""
        return self._loop.run(self._twin.count(kind))

    def sizes(self) -> Sizes:
        """See `pubweave.api.Database.sizes`."""
        return self._loop.run(self._twin.sizes())

    def import_json(self, path: str | Path, *, keep: bool = False) -> int:
        """See `pubweave.api.Database.import_json`."""
        return self._loop.run(self._twin.import_json(path, keep=keep))

    def merge(self, other: str | Path, *, keep: bool = False) -> int:
        """See `pubweave.api.Database.merge`."""
        return self._loop.run(self._twin.merge(other, keep=keep))

    def commit(self) -> None:
        """See `pubweave.api.Database.commit`."""
        self._loop.run(self._twin.commit())

    def compact(self) -> None:
        """See `pubweave.api.Database.compact`."""
        self._loop.run(self._twin.compact())


class Fetcher:
    """`pubweave.api.Fetcher` in plain calls."""

    init_publication = staticmethod(fetching.Fetcher.init_publication)
    init_webpage = staticmethod(fetching.Fetcher.init_webpage)

    def __init__(self, loop: _Loop, twin: fetching.Fetcher) -> None:
        self._loop = loop
        self._twin = twin
        self.database = Database(loop, twin.database)
        """Where it reads and stores; put and remove only what is not being fetched."""

    def publications(
        self,
        identifiers: Iterable[str | Identifiers | Record],
        *,
        parts: Sequence[PartName] = PART_NAMES,
        cooldowns: Cooldowns | None = None,
    ) -> Iterator[Fetched]:
        """See `pubweave.api.Fetcher.publications`."""
        return self._loop.each(self._twin.publications(identifiers, parts=parts, cooldowns=cooldowns))

    def get_publication(
        self,
        identifiers: str | Identifiers | Record,
        *,
        parts: Sequence[PartName] = PART_NAMES,
        links: Sequence[Link] = (),
        cooldowns: Cooldowns | None = None,
    ) -> Record:
        """See `pubweave.api.Fetcher.get_publication`."""
        return self._loop.run(
            self._twin.get_publication(identifiers, parts=parts, links=links, cooldowns=cooldowns)
        )

    def update_citations_count(self, identifiers: str | Identifiers | Record) -> Record:
        """See `pubweave.api.Fetcher.update_citations_count`."""
        return self._loop.run(self._twin.update_citations_count(identifiers))

    def webpages(
        self, urls: Iterable[str], *, fresh: bool = False, cooldowns: Cooldowns | None = None
    ) -> Iterator[FetchedPage]:
        """See `pubweave.api.Fetcher.webpages`."""
        return self._loop.each(self._twin.webpages(urls, fresh=fresh, cooldowns=cooldowns))

    def docs(
        self, urls: Iterable[str], *, fresh: bool = False, cooldowns: Cooldowns | None = None
    ) -> Iterator[FetchedPage]:
        """See `pubweave.api.Fetcher.docs`."""
        return self._loop.each(self._twin.docs(urls, fresh=fresh, cooldowns=cooldowns))

    def get_webpage(self, url: str | WebpageRecord, *, fresh: bool = False) -> WebpageRecord:
        """See `pubweave.api.Fetcher.get_webpage`."""
        return self._loop.run(self._twin.get_webpage(url, fresh=fresh))

    def get_doc(self, url: str | WebpageRecord, *, fresh: bool = False) -> WebpageRecord:
        """See `pubweave.api.Fetcher.get_doc`."""
        return self._loop.run(self._twin.get_doc(url, fresh=fresh))

    def get_document(
        self, url: str, *, javascript: bool = False, form: Mapping[str, str] | None = None
    ) -> Answer:
        """See `pubweave.api.Fetcher.get_document`."""
        return self._loop.run(self._twin.get_document(url, javascript=javascript, form=form))


@contextmanager
def open_database(path: str | Path, *, create: bool = False, readonly: bool = False) -> Iterator[Database]:
    """See `pubweave.api.open_database`."""
    manager = asynchronous.open_database(path, create=create, readonly=readonly)
    with _opened(manager) as (loop, twin):
        yield Database(loop, twin)


@contextmanager
def open_fetcher(
    database: str | Path | None = None,
    *,
    create: bool = False,
    settings: Mapping[str, SettingValue] | None = None,
) -> Iterator[Fetcher]:
    """See `pubweave.api.open_fetcher`."""
    manager = fetching.open_fetcher(database, create=create, settings=settings)
    with _opened(manager) as (loop, twin):
        yield Fetcher(loop, twin)
