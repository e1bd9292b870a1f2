"""The five ways of getting content (17.6), each in the order of the identifier lists."""

import asyncio
import hashlib
import logging
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from pubweave.cli.operations.selecting import ListedEntry
from pubweave.cli.operations.selecting.model import Entry
from pubweave.cli.operations.sieve import PASSED, REFUSED, Sieve
from pubweave.cli.operations.sources import DatabaseSource, decoded, listed_of
from pubweave.cli.operations.worklist import KINDS, EntryRow, Numbered, Worklist
from pubweave.contract.values import RunSettings
from pubweave.contract.vocabulary import EntryKind
from pubweave.core.record import Record
from pubweave.ports import StoredRecord
from pubweave.settings import Settings
from pubweave.version import IDENTIFICATION

if TYPE_CHECKING:
    from pubweave.cli.progress import ProgressView
    from pubweave.core.reading.jats.document import Document
    from pubweave.runtimes.embedded.system import EmbeddedSystem

_log = logging.getLogger(__name__)

_PLACES_A_WAY: Final = 1 << 40
"""Entries of one way come before those of the next (F-CLI-115)."""

_STEP: Final = 16
"""With --pre-filter and --limit so many entries are fetched at a time, at least."""


class OperationOptions(NamedTuple):
    """What holds for every way."""

    run_settings: RunSettings
    limit: int
    """0: none."""
    pre_filter: bool
    sorted: bool
    """Entries will be sorted by identifiers."""
    counts_only: bool
    """Nobody will look at the entries, only at how many there are."""
    whole: frozenset[EntryKind]
    """Kinds of which a whole database is loaded, without a list of what it has."""
    filters_lists: bool
    """There are filters of identifiers."""
    wants: Callable[[EntryKind, ListedEntry], bool]
    """Whether an element of such a list would pass them."""
    settings_for: Callable[[Path], Settings]
    """The settings, with this database."""
    view: Callable[[int | None], "ProgressView"]


class Getting:
    """Gets entries and keeps where they are."""

    def __init__(self, worklist: Worklist, sieve: Sieve, wishes: OperationOptions) -> None:
        self._worklist = worklist
        self._sieve = sieve
        self._wishes = wishes
        self._open = AsyncExitStack()
        self._ways: list[DatabaseSource] = []
        self._counted: dict[EntryKind, int] = dict.fromkeys(KINDS, 0)
        """What --limit counts."""
        self.unfinished = 0
        """How many could not be fetched to their end."""

    async def __aenter__(self) -> "Getting":
        await self._open.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._open.aclose()

    # What was got.

    async def entries(self, kind: EntryKind, *, texts: bool) -> AsyncIterator[tuple[EntryRow, Entry]]:
        """The entries of a kind in their order, with their texts if wanted."""
        for page in self._worklist.entries(kind, 200):
            stored: dict[tuple[int, str], StoredRecord] = {}
            for way in {row.way for row in page}:
                found = await self._ways[way].by_key(kind, [row.key for row in page if row.way == way])
                stored |= {(way, key): record for key, record in found.items()}
            for row in page:
                entry = _counted_anew(decoded(kind, stored[row.way, row.key]), row)
                yield row, await self._ways[row.way].with_texts(entry) if texts else entry

    async def document(self, row: EntryRow, record: Record) -> "Document | None":
        """The structured document of an entry's full text, if there is one."""
        return await self._ways[row.way].document(record)

    async def _way(self, path: str) -> int:
        source = await DatabaseSource.open(path)
        self._open.push_async_callback(source.close)
        source.freeze()
        self._ways.append(source)
        return len(self._ways) - 1

    def _left(self, kind: EntryKind) -> int | None:
        """How many --limit still lets through; None: no limit."""
        return max(0, self._wishes.limit - self._counted[kind]) if self._wishes.limit else None

    async def _take(self, kind: EntryKind, way: int, number: int, key: str, entry: Entry) -> None:
        """Filter an entry and keep it if it passes."""
        await self._keep(kind, way, number, key, entry, self._sieve.passes_bare(kind, entry))

    async def _keep(self, kind: EntryKind, way: int, number: int, key: str, entry: Entry, place: int) -> None:
        """Keep an entry if it passes.

        :param place: what `Sieve.passes_bare` said of it
        """
        if place >= 0:
            whole = await self._ways[way].with_texts(entry)
            passes = self._sieve.passes_whole(kind, whole, place)
        else:
            passes = place == PASSED
        if passes and self._wishes.counts_only:
            self._worklist.tally(kind)
        elif passes:
            self._worklist.got(
                kind,
                way * _PLACES_A_WAY + number,
                way,
                key,
                listed_of(entry) if self._wishes.sorted else None,
                entry.fetch_time,
            )
        if passes or not self._wishes.pre_filter:
            self._counted[kind] += 1

    # The ways.

    async def load(self, path: str) -> None:
        """`-db`: from a database; what is not there is left out (F-CLI-110)."""
        way = await self._way(path)
        for kind in KINDS:
            if kind in self._wishes.whole:
                await self._load_whole(kind, way)
                continue
            missing = 0
            for page in self._worklist.pages(kind):
                if self._left(kind) == 0:
                    break
                for one, stored in zip(page, await self._ways[way].look_up(kind, page), strict=True):
                    if self._left(kind) == 0:
                        break
                    if stored is None:
                        missing += 1
                    else:
                        entry = decoded(kind, stored)
                        _warn_of_others(one, entry)
                        await self._take(kind, way, one.number, stored.publication, entry)
            if missing:
                _log.warning("%d of the %ss are not in %s", missing, kind, path)

    async def _load_whole(self, kind: EntryKind, way: int) -> None:
        """Everything that a database has of a kind, read once."""
        number = 0
        wants, filters_lists = self._wishes.wants, self._wishes.filters_lists
        async for stored in self._ways[way].everything(kind):
            entry = decoded(kind, stored)
            if filters_lists and not wants(kind, listed_of(entry)):
                continue
            if self._wishes.limit and self._left(kind) == 0:
                break
            number += 1
            place = self._sieve.passes_bare(kind, entry)
            if place == REFUSED and not self._wishes.limit:
                continue
            await self._keep(kind, way, number, stored.publication, entry, place)

    async def fetch(self, put_into: str | None) -> None:
        """`-fetch` and `-fetch-put`: anew, into a database of our own that ends with the command
        (F-CLI-111, F-CLI-112)."""
        folder = self._open.enter_context(tempfile.TemporaryDirectory(prefix="pubweave-"))
        path = Path(folder) / f"fetched-{len(self._ways)}.db"
        if put_into is not None:
            await self._check(put_into)
        await self._fetched(path, create=True, put_into=put_into, keeps=True)

    async def fetch_missing(self, path: str, *, keeps: bool) -> None:
        """`-db-fetch` and `-db-fetch-end`: what is not stored or may be fetched again (F-CLI-113, F-CLI-114)."""
        await self._check(path)
        await self._fetched(Path(path), create=False, put_into=None, keeps=keeps)

    async def _check(self, path: str) -> None:
        """:raises StorageProblem: it is no database that is there"""
        await (await DatabaseSource.open(path)).close()

    async def _fetched(self, path: Path, *, create: bool, put_into: str | None, keeps: bool) -> None:
        for kind in KINDS:
            if not self._worklist.count(kind):
                continue
            elements = self._worklist.elements(kind)
            while self._left(kind) != 0:
                numbers = await self._some(kind, path, elements, create=create, put_into=put_into)
                if not numbers:
                    break
                create = False
                if keeps:
                    await self._take_fetched(kind, await self._way(str(path)))
                else:
                    self._counted[kind] += numbers
                if not self._wishes.limit:
                    break

    async def _take_fetched(self, kind: EntryKind, way: int) -> None:
        """Filter what a job has brought, in the order of the list."""
        for page in self._worklist.fetched():
            stored = await self._ways[way].by_key(kind, [key for _, key in page])
            for number, key in page:
                if key in stored and self._left(kind) != 0:
                    await self._take(kind, way, number, key, decoded(kind, stored[key]))

    async def _some(
        self,
        kind: EntryKind,
        path: Path,
        elements: Iterator[Numbered],
        *,
        create: bool,
        put_into: str | None,
    ) -> int:
        """Fetch the next elements of a list: all of them, or as many as --limit can need.

        :returns: how many there were
        """
        left = self._left(kind)
        if left is not None and self._wishes.pre_filter:
            left = max(left, _STEP)
        some = islice(elements, left)
        self._worklist.forget_fetched()
        if kind == "publication":
            return await self._publications(path, some, create=create, put_into=put_into)
        from pubweave.cli.operations import pages

        return await pages.fetch(
            kind,
            self._wishes.settings_for(path),
            self._wishes.run_settings,
            some,
            self._worklist,
            create=create,
            fresh=put_into is not None,
            put_into=put_into,
        )

    async def _publications(
        self, path: Path, elements: Iterator[Numbered], *, create: bool, put_into: str | None
    ) -> int:
        from pubweave.adapters.clock import SystemClock
        from pubweave.cli.summary import offline_sentence
        from pubweave.core.merging.reach import UNREACHED
        from pubweave.runtimes.embedded.database import RecordStore
        from pubweave.runtimes.embedded.jobs import JobSettings, Line
        from pubweave.runtimes.wiring import cooldowns, running, writing

        settings = self._wishes.settings_for(path)
        wanted = JobSettings(
            settings=self._wishes.run_settings,
            cooldowns=cooldowns(settings),
            provenance=IDENTIFICATION,
            correlation_id="pipe",
            idempotency_key="" if self._wishes.limit else self._key(),
        )
        count = unreached = 0

        def lines() -> Iterator[Line]:
            nonlocal count
            for one in elements:
                count += 1
                yield Line(one.number, one.listed.identifiers, provenance=one.listed.provenance)

        view = self._wishes.view(self._worklist.count("publication"))
        async with AsyncExitStack() as stack:
            system = await stack.enter_async_context(running(settings, create=create))
            target = None
            if put_into is not None:
                storage = await stack.enter_async_context(writing(Path(put_into)))
                target = RecordStore(storage, SystemClock())
            await stack.enter_async_context(_watched(system, view))
            async for finished in system.run_job(lines(), wanted):
                settled = finished.settled
                if settled.outcome == "parked" and settled.reason == UNREACHED:
                    self.unfinished += 1
                    unreached += 1
                elif settled.outcome == "parked":
                    self.unfinished += 1
                    _log.warning("line %d is parked: %s", settled.line, settled.reason)
                if settled.publication:
                    self._worklist.was_fetched(finished.line, settled.publication)
                if target is not None and finished.record is not None:
                    await target.put(finished.record)
                    for sentence in target.said:
                        _log.error("%s", sentence)
        if unreached:
            _log.error("%s", offline_sentence(self._worklist.count("publication") - count))
        return count

    def _key(self) -> str:
        """Names this very list and what is wanted of it, so that an interrupted command goes on where it was."""
        hasher = hashlib.blake2b(repr(self._wishes.run_settings).encode(), digest_size=16)
        for one in self._worklist.elements("publication"):
            hasher.update(
                "\0".join((str(one.number), *msgspec.structs.astuple(one.listed.identifiers))).encode()
            )
        return f"pipe-{hasher.hexdigest()}"


@asynccontextmanager
async def _watched(system: "EmbeddedSystem", view: "ProgressView") -> AsyncIterator[None]:
    """Show how far it is."""

    async def watch() -> None:
        while True:
            await asyncio.sleep(view.every_s)
            view.update(system.progress())

    view.start()
    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        view.stop()


def _counted_anew(entry: Entry, row: EntryRow) -> Entry:
    if row.citations_count is None:
        return entry
    return msgspec.structs.replace(
        entry, citations_count=row.citations_count, citations_timestamp=row.citations_timestamp
    )


def _warn_of_others(asked: Numbered, entry: Entry) -> None:
    """Identifiers asked for that contradict the stored ones (F-DB-10)."""
    if not isinstance(entry, Record):
        return
    for kind, value in asked.listed.identifiers.known():
        own = entry.part(kind).text
        if own and own != value:
            _log.warning("Old ID %s differs from the %s %s asked for", own, kind, value)
