"""A system of its own: its database, its doors, its processes, closed at the end."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from pubweave.adapters.clock import SystemClock
from pubweave.adapters.sqlite.storage import SqliteStorage
from pubweave.contract.vocabulary import ResourceName
from pubweave.core.toolkit.service import Context
from pubweave.doors.fetcher.door import FetcherDoor
from pubweave.doors.fetcher.settings import FetcherSettings
from pubweave.doors.pdf_reader import PdfReader, PdfReaderSettings
from pubweave.doors.renderer import Renderer, RendererSettings
from pubweave.ports import Clock
from pubweave.runtimes.doors import Doors
from pubweave.runtimes.embedded.jobs import IN_FLIGHT
from pubweave.runtimes.embedded.system import EmbeddedSystem
from pubweave.runtimes.readers.pool import Readers
from pubweave.runtimes.readers.settings import ReadersSettings
from pubweave.runtimes.waited_for import waiting_sentences


class SystemConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What `open_system` needs to know."""

    database: Path | None
    """The SQLite file; None: in memory, gone at the end."""
    create: bool = True
    """Make the file if it is not there (F-DB-16 holds where this is false)."""
    context: Context = Context()
    fetcher: FetcherSettings = FetcherSettings()
    in_flight: int = IN_FLIGHT
    """Publications under way at a time."""
    second_chance: bool = True
    resources: tuple[ResourceName, ...] | None = None
    """Which resources there are to ask; None: all."""
    pdf_reader: PdfReaderSettings = PdfReaderSettings()
    """Its processes are started when there is a PDF to be read."""
    renderer: RendererSettings = RendererSettings()
    """Its browsers are started when there is a page to be rendered."""
    readers: ReadersSettings = ReadersSettings()
    """Its processes are started when there is a long reply to be read."""


@asynccontextmanager
async def open_system(config: SystemConfig, clock: Clock | None = None) -> AsyncIterator[EmbeddedSystem]:
    """A system over its own database and fetcher, closed at the end.

    :raises StorageProblem: the database cannot be opened; the text says what to do
    :raises FetcherProblem: a setting of the fetcher cannot be used
    """
    clock = clock or SystemClock()
    storage = (
        SqliteStorage.in_memory()
        if config.database is None
        else SqliteStorage.open(config.database, create=config.create)
    )
    try:
        async with (
            FetcherDoor(config.fetcher, clock, storage.store) as fetcher,
            PdfReader(config.pdf_reader) as pdf_reader,
            Renderer(config.renderer) as renderer,
            Readers(config.readers) as readers,
        ):
            context = config.context
            if not renderer.is_here:
                # To ask for a browser that is not here costs nothing; the page is then asked for once, not twice.
                context = msgspec.structs.replace(context, browser_first=True)
            system = EmbeddedSystem.over(
                storage,
                Doors(fetcher, pdf_reader, renderer),
                context,
                clock=clock,
                in_flight=config.in_flight,
                resources=config.resources,
                second_chance=config.second_chance,
                describe_waiting=lambda: waiting_sentences(fetcher.status()),
                recorded=fetcher.recorded_batches,
                steps=readers,
            )
            async with system:
                yield system
    finally:
        await storage.close()
