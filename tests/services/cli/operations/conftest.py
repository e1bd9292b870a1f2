"""A database of plain entries, in all three stores."""

import asyncio
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from pubweave.adapters.clock import SystemClock
from pubweave.adapters.sqlite import SqliteStorage
from pubweave.core.record import Record
from pubweave.core.webpage_record import WebpageRecord
from pubweave.runtimes.embedded.database import RecordStore
from pubweave.runtimes.embedded.webpage_store import WebpageStore
from services.cli.operations.selecting import plain
from services.cli.operations.selecting.test_filters import entry_of

PUBLICATIONS = plain.publications(60, seed=2)
WEBPAGES = plain.webpages(40, seed=2)
DOCS = plain.webpages(15, seed=3)


class Library(NamedTuple):
    """A database and what is in it."""

    path: Path
    publications: list[plain.Plain]
    webpages: list[plain.Plain]
    docs: list[plain.Plain]

    @property
    def from_it(self) -> list[str]:
        """The beginning of a command line that gets everything from it."""
        base = str(self.path)
        return ["pipe", "--pub-db", base, "--web-db", base, "--doc-db", base, "--db", base]


async def fill(path: Path) -> None:
    storage = SqliteStorage.open(path, create=True)
    try:
        async with storage.store.batch():
            records, pages = RecordStore(storage, SystemClock()), WebpageStore(storage, SystemClock())
            for value in (*PUBLICATIONS, *WEBPAGES):
                _, entry = entry_of(value)
                if isinstance(entry, Record):
                    await records.put(entry)
                else:
                    await pages.put("webpage", entry)
            for value in DOCS:
                _, entry = entry_of(value)
                assert isinstance(entry, WebpageRecord)
                await pages.put("doc", entry)
    finally:
        await storage.close()


@pytest.fixture(scope="session")
def _library_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("library") / "library.db"
    asyncio.run(fill(path))
    return path


@pytest.fixture
def library(_library_file: Path, tmp_path: Path) -> Library:
    """A fresh copy, in the working folder."""
    path = tmp_path / "here" / "library.db"
    shutil.copy(_library_file, path)
    return Library(Path("library.db"), PUBLICATIONS, WEBPAGES, DOCS)
