"""What a filter is made of."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from pubweave.contract.values import Thresholds
from pubweave.contract.vocabulary import EntryKind, PartName
from pubweave.core.reading.java_regex import JavaPattern
from pubweave.core.record import Record
from pubweave.core.webpage_record import WebpageRecord

Entry: TypeAlias = Record | WebpageRecord


class FilterCondition(NamedTuple):
    """One option as it was given."""

    name: str
    """Without dashes: `oa`, `not-part-size`."""
    patterns: tuple[JavaPattern, ...] = ()
    numbers: tuple[int, ...] = ()
    """Counts and status codes; a time in UNIX milliseconds."""
    words: tuple[str, ...] = ()
    """Types, hosts, registrants."""
    parts: tuple[PartName, ...] = ()
    """Of a flag about parts its own list, of the others that of the companion option."""

    @property
    def pattern(self) -> JavaPattern:
        return self.patterns[0]

    @property
    def number(self) -> int:
        return self.numbers[0]


class Surroundings(NamedTuple):
    """What a predicate has to know beside the entry."""

    thresholds: Thresholds
    plain_text: Callable[[Entry], str]
    """The whole of an entry as text output has it with `--plain`."""
    has_rules: Callable[[str], bool]
    """Whether there are rules for web pages at this address."""


class Filter(NamedTuple):
    """One filter, ready to be asked."""

    name: str
    kinds: frozenset[EntryKind]
    """The kinds it is for; entries of others pass."""
    holds: Callable[[Any], bool]
    """Of a `Record`, or of a `WebpageRecord` for web pages and docs."""
    needs_texts: bool
    """It reads texts that may be kept beside the record; they must be put back first."""


Test: TypeAlias = Callable[[Any], bool]
Maker: TypeAlias = Callable[[FilterCondition, Surroundings], Test]

EVERY_KIND: frozenset[EntryKind] = frozenset(("publication", "webpage", "doc"))
PUBLICATIONS: frozenset[EntryKind] = frozenset(("publication",))
PAGES: frozenset[EntryKind] = frozenset(("webpage", "doc"))
