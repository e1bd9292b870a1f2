"""Web pages and docs in the pipeline: fetched, put, removed."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pubweave.cli.operations.worklist import Numbered, Worklist
from pubweave.cli.problems import Failed
from pubweave.contract.vocabulary import EntryKind
from pubweave.settings import Settings

if TYPE_CHECKING:
    from pubweave.adapters.sqlite import SqliteStorage
    from pubweave.core.webpage_record import WebpageRecord


async def fetch(
    kind: EntryKind,
    settings: Settings,
    elements: Iterator[Numbered],
    worklist: Worklist,
    *,
    create: bool,
    put_into: str | None,
) -> int:
    """Fetch pages into the database of the settings.

    :returns: how many there were
    """
    raise Failed("web pages and docs cannot be fetched yet")


async def put(storage: "SqliteStorage", kind: EntryKind, page: "WebpageRecord") -> None:
    """Put a page with its content in place, over what is there."""
    raise Failed("web pages and docs cannot be put yet")


async def remove(storage: "SqliteStorage", kind: EntryKind, url: str) -> bool:
    """:returns: whether it was there"""
    raise Failed("web pages and docs cannot be removed yet")
