"""Every filter of content, by its option (17.7 to 17.10, F-CLI-130 to F-CLI-231)."""

import re
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any, Final, NamedTuple

from pubweave.cli.operations.selecting.comparing import (
    all_empty,
    among,
    empty,
    finder,
    flag,
    found,
    host_among,
    less,
    more,
    opposite,
    since,
    some,
    until,
    word_among,
)
from pubweave.cli.operations.selecting.model import (
    EVERY_KIND,
    PAGES,
    PUBLICATIONS,
    Entry,
    Filter,
    FilterCondition,
    Maker,
    Surroundings,
    Test,
)
from pubweave.cli.operations.selecting.parts import PART_FILTERS, texts_of
from pubweave.contract.vocabulary import CONTENT_PARTS, EntryKind
from pubweave.core.record import Record, is_usable, minimum_size
from pubweave.core.types import FINAL, PDF, is_better, is_lesser
from pubweave.core.webpage_record import WebpageRecord


class _FilterMaker(NamedTuple):
    maker: Maker
    kinds: frozenset[EntryKind]
    needs_texts: bool = False


def _usable(_: FilterCondition, surroundings: Surroundings) -> Test:
    page_length = surroundings.thresholds.webpageMinLength
    sizes = [
        (attrgetter(name), minimum_size(name, surroundings.thresholds))
        for name in CONTENT_PARTS
        if name != "fulltext"
    ]

    def test(entry: Entry) -> bool:
        if isinstance(entry, WebpageRecord):
            return entry.is_usable(page_length)
        # As `Record.is_usable` says it, without asking again for each record what the sizes are.
        for of, minimum in sizes:
            if of(entry).size >= minimum:
                return True
        return is_usable("fulltext", entry.fulltext, surroundings.thresholds)

    return test


def _final(_: FilterCondition, surroundings: Surroundings) -> Test:
    usable, page_length = surroundings.thresholds, surroundings.thresholds.webpageMinLength

    def test(entry: Entry) -> bool:
        if isinstance(entry, WebpageRecord):
            return entry.is_final(page_length)
        # Full texts are what most records lack.
        return entry.fulltext.type in FINAL and entry.is_final(usable)

    return test


def _totally_final(_: FilterCondition, surroundings: Surroundings) -> Test:
    return lambda record: bool(record.is_totally_final(surroundings.thresholds))


_WORDS: Final = re.compile(r"(?:\(\?i\))?[A-Za-z0-9]+(?: [A-Za-z0-9]+)*")
"""Patterns that are words and nothing else."""


def _grep(condition: FilterCondition, surroundings: Surroundings) -> Test:
    pattern, plain_text = condition.pattern, surroundings.plain_text
    finds = finder(pattern)
    if _WORDS.fullmatch(pattern.pattern):
        # Between two of the texts that the whole is made of there is always more than a space.
        return lambda entry: any(map(finds, _every_text(entry)))
    if not pattern.required.isalnum():
        return lambda entry: finds(plain_text(entry))
    required = pattern.required

    def test(entry: Entry) -> bool:
        # A word that must occur stands in one of the texts that the whole is made of, if anywhere.
        texts = _every_text(entry)
        if pattern.required_folded:
            texts = (text.lower() for text in texts)
        return any(required in text for text in texts) and finds(plain_text(entry))

    return test


def _every_text(entry: Entry) -> Iterator[str]:
    if isinstance(entry, WebpageRecord):
        yield from (entry.start_url, entry.title, entry.content)
    else:
        for name, part in entry.parts():
            yield from texts_of(name, part)


def _preprint(record: Record) -> bool:
    return record.preprint


def _has_rules(_: FilterCondition, surroundings: Surroundings) -> Test:
    return lambda page: surroundings.has_rules(page.final_url)


def _site_type(test: Callable[[Any, Any], bool]) -> Maker:
    """A visited site is of a type that stands so to the given one."""

    def make(condition: FilterCondition, _: Surroundings) -> Test:
        (given,) = condition.words
        return lambda record: any(test(site.type, given) for site in record.visited_sites)

    return make


def _author(name: str) -> Callable[[Record], list[str]]:
    def of(record: Record) -> list[str]:
        return [getattr(author, name) for author in record.corresp_author]

    return of


def _sites(name: str) -> Callable[[Record], list[Any]]:
    def of(record: Record) -> list[Any]:
        return [getattr(site, name) for site in record.visited_sites]

    return of


def _count_of(name: str) -> Callable[[Record], int]:
    def of(record: Record) -> int:
        return len(getattr(record, name))

    return of


def _title_size(page: WebpageRecord) -> int:
    return len(page.title)


_BOTH_WAYS: Final[dict[str, _FilterMaker]] = {
    # 17.7: all kinds.
    "retry-counter": _FilterMaker(among(attrgetter("retry_counter")), EVERY_KIND),
    "fetch-exception": _FilterMaker(flag(attrgetter("fetch_exception")), EVERY_KIND),
    "empty": _FilterMaker(flag(lambda entry: entry.is_empty()), EVERY_KIND),
    "usable": _FilterMaker(_usable, EVERY_KIND),
    "final": _FilterMaker(_final, EVERY_KIND),
    "grep": _FilterMaker(_grep, EVERY_KIND, needs_texts=True),
    # 17.8: publications.
    "totally-final": _FilterMaker(_totally_final, PUBLICATIONS),
    "oa": _FilterMaker(flag(attrgetter("oa")), PUBLICATIONS),
    "preprint": _FilterMaker(flag(_preprint), PUBLICATIONS),
    "journal-title": _FilterMaker(found(attrgetter("journal_title")), PUBLICATIONS),
    "journal-title-empty": _FilterMaker(empty(attrgetter("journal_title")), PUBLICATIONS),
    "citations-count": _FilterMaker(among(attrgetter("citations_count")), PUBLICATIONS),
    **{
        f"corresp-author-{name}": _FilterMaker(some(_author(name), found), PUBLICATIONS)
        for name in ("name", "orcid", "email", "phone", "uri")
    },
    **{
        f"corresp-author-{name}-empty": _FilterMaker(all_empty(_author(name)), PUBLICATIONS)
        for name in ("name", "orcid", "email", "phone", "uri")
    },
    "corresp-author-size": _FilterMaker(among(_count_of("corresp_author")), PUBLICATIONS),
    "visited": _FilterMaker(some(_sites("url"), found), PUBLICATIONS),
    "visited-host": _FilterMaker(some(_sites("url"), host_among), PUBLICATIONS),
    "visited-type": _FilterMaker(some(_sites("type"), word_among), PUBLICATIONS),
    "visited-type-final": _FilterMaker(
        flag(lambda record: any(site.type in FINAL for site in record.visited_sites)), PUBLICATIONS
    ),
    "visited-type-pdf": _FilterMaker(
        flag(lambda record: any(site.type in PDF for site in record.visited_sites)), PUBLICATIONS
    ),
    "visited-from": _FilterMaker(some(_sites("from_"), found), PUBLICATIONS),
    "visited-from-host": _FilterMaker(some(_sites("from_"), host_among), PUBLICATIONS),
    "visited-size": _FilterMaker(among(_count_of("visited_sites")), PUBLICATIONS),
    # 17.10: web pages and docs.
    "broken": _FilterMaker(flag(lambda page: page.is_broken()), PAGES),
    "start-url": _FilterMaker(found(attrgetter("start_url")), PAGES),
    "start-url-host": _FilterMaker(host_among(attrgetter("start_url")), PAGES),
    "final-url": _FilterMaker(found(attrgetter("final_url")), PAGES),
    "final-url-host": _FilterMaker(host_among(attrgetter("final_url")), PAGES),
    "final-url-empty": _FilterMaker(empty(attrgetter("final_url")), PAGES),
    "content-type": _FilterMaker(found(attrgetter("content_type")), PAGES),
    "content-type-empty": _FilterMaker(empty(attrgetter("content_type")), PAGES),
    "status-code": _FilterMaker(among(attrgetter("status_code")), PAGES),
    "title": _FilterMaker(found(attrgetter("title")), PAGES),
    "title-size": _FilterMaker(among(_title_size), PAGES),
    "content": _FilterMaker(found(attrgetter("content")), PAGES, needs_texts=True),
    "content-size": _FilterMaker(among(attrgetter("content_size")), PAGES),
    "license": _FilterMaker(found(attrgetter("license")), PAGES),
    "license-empty": _FilterMaker(empty(attrgetter("license")), PAGES),
    "language": _FilterMaker(found(attrgetter("language")), PAGES),
    "language-empty": _FilterMaker(empty(attrgetter("language")), PAGES),
    "has-scrape": _FilterMaker(_has_rules, PAGES),
}

_ONE_WAY: Final[dict[str, _FilterMaker]] = {
    "fetch-time-more": _FilterMaker(since(attrgetter("fetch_time")), EVERY_KIND),
    "fetch-time-less": _FilterMaker(until(attrgetter("fetch_time")), EVERY_KIND),
    "retry-counter-more": _FilterMaker(more(attrgetter("retry_counter")), EVERY_KIND),
    "retry-counter-less": _FilterMaker(less(attrgetter("retry_counter")), EVERY_KIND),
    "pub-date-more": _FilterMaker(since(attrgetter("pub_date")), PUBLICATIONS),
    "pub-date-less": _FilterMaker(until(attrgetter("pub_date")), PUBLICATIONS),
    "citations-count-more": _FilterMaker(more(attrgetter("citations_count")), PUBLICATIONS),
    "citations-count-less": _FilterMaker(less(attrgetter("citations_count")), PUBLICATIONS),
    "citations-timestamp-more": _FilterMaker(since(attrgetter("citations_timestamp")), PUBLICATIONS),
    "citations-timestamp-less": _FilterMaker(until(attrgetter("citations_timestamp")), PUBLICATIONS),
    "corresp-author-size-more": _FilterMaker(more(_count_of("corresp_author")), PUBLICATIONS),
    "corresp-author-size-less": _FilterMaker(less(_count_of("corresp_author")), PUBLICATIONS),
    "visited-type-more": _FilterMaker(_site_type(is_better), PUBLICATIONS),
    "visited-type-less": _FilterMaker(_site_type(is_lesser), PUBLICATIONS),
    "visited-time-more": _FilterMaker(some(_sites("timestamp"), since), PUBLICATIONS),
    "visited-time-less": _FilterMaker(some(_sites("timestamp"), until), PUBLICATIONS),
    "visited-size-more": _FilterMaker(more(_count_of("visited_sites")), PUBLICATIONS),
    "visited-size-less": _FilterMaker(less(_count_of("visited_sites")), PUBLICATIONS),
    "status-code-more": _FilterMaker(more(attrgetter("status_code")), PAGES),
    "status-code-less": _FilterMaker(less(attrgetter("status_code")), PAGES),
    "title-size-more": _FilterMaker(more(_title_size), PAGES),
    "title-size-less": _FilterMaker(less(_title_size), PAGES),
    "content-size-more": _FilterMaker(more(attrgetter("content_size")), PAGES),
    "content-size-less": _FilterMaker(less(attrgetter("content_size")), PAGES),
    "content-time-more": _FilterMaker(since(attrgetter("content_time")), PAGES),
    "content-time-less": _FilterMaker(until(attrgetter("content_time")), PAGES),
}

_MADE: Final[dict[str, _FilterMaker]] = {
    **_BOTH_WAYS,
    **{f"not-{name}": made._replace(maker=opposite(made.maker)) for name, made in _BOTH_WAYS.items()},
    **_ONE_WAY,
    # Each part for itself: the opposite of "all parts are" is "no part is" (17.9).
    **{
        name: _FilterMaker(maker, PUBLICATIONS, needs_texts="content" in name)
        for name, maker in PART_FILTERS.items()
    },
}

FILTERS: Final[frozenset[str]] = frozenset(_MADE)
"""The names of all filters of content."""


def filter_of(condition: FilterCondition, surroundings: Surroundings) -> Filter:
    """:raises KeyError: there is no such filter"""
    made = _MADE[condition.name]
    return Filter(
        condition.name,
        made.kinds,
        made.maker(condition, surroundings),
        made.needs_texts,
    )
