"""Entries back from a JSON output of any size, one by one."""

from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec

from pubweave.contract.vocabulary import EntryKind, PageKind
from pubweave.core.record import Record
from pubweave.core.webpage_record import WebpageRecord
from pubweave.output.json_stream import NotJson, elements
from pubweave.output.reading import NotPublications, read_publication
from pubweave.output.webpage_reading import read_webpage

_LISTS: Final[dict[str, EntryKind]] = {"publications": "publication", "webpages": "webpage", "docs": "doc"}
_WORDS: Final[dict[EntryKind, str]] = {"publication": "publication", "webpage": "web page", "doc": "doc"}


def read_entries(
    read: Callable[[int], bytes],
    pages: PageKind = "webpage",
    skipped: Callable[[str], None] | None = None,
) -> Iterator[tuple[EntryKind, Record | WebpageRecord]]:
    """(kind, entry) of everything in a JSON document or JSON Lines, in their order; memory does not grow with them.

    The full form is needed, with metadata.

    :param read: gives up to so many bytes, none at the end, as that of a binary file
    :param pages: what pages in JSON Lines are that do not say it themselves
    :param skipped: hears which entry cannot be read, and why; the others are given. Without it the first such raises
    :raises NotPublications: at the first entry that cannot be read, those before it have been given; or at the end of a
        document that has none of the lists
    """
    counts: dict[EntryKind, int] = {}
    seen: set[str] = set()
    try:
        for name, value in elements(read, _LISTS, seen):
            kind = _LISTS.get(name) or _kind_of(value, pages)
            counts[kind] = counts.get(kind, 0) + 1
            try:
                entry = _entry(kind, value)
            except (KeyError, TypeError, ValueError, OverflowError) as problem:
                said = f"{problem.args[0]} is missing" if isinstance(problem, KeyError) else str(problem)
                sentence = f"{_WORDS[kind]} {counts[kind]}: {said}"
                if skipped is None:
                    raise NotPublications(sentence) from problem
                skipped(sentence)
                continue
            yield kind, entry
    except NotJson as problem:
        raise NotPublications(str(problem)) from problem
    if not seen and not counts:
        raise NotPublications('there is no member "publications", "webpages" or "docs"')


def _kind_of(value: dict[str, Any], pages: PageKind) -> EntryKind:
    if "startUrl" not in value:
        return "publication"
    kind = value.get("kind")
    return kind if kind in ("doc", "webpage") else pages


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
