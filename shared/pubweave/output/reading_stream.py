"""Entries back from a JSON output of any size, one by one."""

from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec

from pubweave.contract.vocabulary import EntryKind
from pubweave.core.record import Record
from pubweave.core.webpage_record import WebpageRecord
from pubweave.output.json_stream import NotJson, elements
from pubweave.output.reading import NotPublications, read_publication
from pubweave.output.webpage_reading import read_webpage

_LISTS: Final[dict[str, EntryKind]] = {"publications": "publication", "webpages": "webpage", "docs": "doc"}
_WORDS: Final[dict[EntryKind, str]] = {"publication": "publication", "webpage": "web page", "doc": "doc"}


def read_entries(read: Callable[[int], bytes]) -> Iterator[tuple[EntryKind, Record | WebpageRecord]]:
    """(kind, entry) of everything in a JSON document or JSON Lines, in their order; memory does not grow with them.

    The full form is needed, with metadata. JSON Lines of pages that do not say their kind are web pages.

    :param read: gives up to so many bytes, none at the end, as that of a binary file
    :raises NotPublications: at the first entry that cannot be read; those before it have been given
    """
    counts: dict[EntryKind, int] = {}
    try:
        for name, value in elements(read, _LISTS):
            kind = _LISTS.get(name) or _kind_of(value)
            counts[kind] = counts.get(kind, 0) + 1
            try:
                yield kind, _entry(kind, value)
            except (KeyError, TypeError, ValueError, OverflowError) as problem:
                said = f"{problem.args[0]} is missing" if isinstance(problem, KeyError) else str(problem)
                raise NotPublications(f"{_WORDS[kind]} {counts[kind]}: {said}") from problem
    except NotJson as problem:
        raise NotPublications(str(problem)) from problem


def _kind_of(value: dict[str, Any]) -> EntryKind:
    if "startUrl" not in value:
        return "publication"
    return "doc" if value.get("kind") == "doc" else "webpage"


def _entry(kind: EntryKind, value: Any) -> Record | WebpageRecord:
    """:raises ValueError: and what reading a member raises"""
    if not isinstance(value, dict):
        raise ValueError("it is no object")
    if kind == "publication":
        return read_publication(value)
    try:
        page = read_webpage(value)
    except msgspec.ValidationError as problem:
        raise ValueError(str(problem)) from problem
    if not page.start_url.strip():
        raise ValueError("it has no startUrl")
    return page
