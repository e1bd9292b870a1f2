"""Makers of tests about one property, so that each filter is one line.

Times compare inclusively, numbers strictly (17.7); a pattern is found anywhere (F-CLI-01).
"""

import re
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeAlias

from pubweave.cli.operations.selecting.model import FilterCondition, Maker, Surroundings, Test
from pubweave.core.politeness import host_of
from pubweave.core.reading.java_regex import JavaPattern

Property: TypeAlias = Callable[[Any], Any]


def flag(of: Property) -> Maker:
    """It is set."""

    def make(_: FilterCondition, __: Surroundings) -> Test:
        return lambda entry: bool(of(entry))

    return make


def empty(of: Property) -> Maker:
    """There is nothing."""

    def make(_: FilterCondition, __: Surroundings) -> Test:
        return lambda entry: not of(entry)

    return make


def finder(pattern: JavaPattern) -> Callable[[str], bool]:
    """Whether the pattern is found in a text. What it cannot do without is looked for first, which is sooner."""
    find, required = pattern.find, pattern.required
    if not required:
        return lambda text: find(text) is not None
    if pattern.required_folded:
        return lambda text: required in text.lower() and find(text) is not None
    return lambda text: required in text and find(text) is not None


def found(of: Property) -> Maker:
    """The pattern is found in a text."""

    def make(condition: FilterCondition, _: Surroundings) -> Test:
        finds = finder(condition.pattern)
        return lambda entry: finds(of(entry))

    return make


def among(of: Property) -> Maker:
    """A number is in the list."""

    def make(condition: FilterCondition, _: Surroundings) -> Test:
        numbers = frozenset(condition.numbers)
        return lambda entry: of(entry) in numbers

    return make


def more(of: Property) -> Maker:
    """Strictly more."""

    def make(condition: FilterCondition, _: Surroundings) -> Test:
        number = condition.number
        return lambda entry: of(entry) > number

    return make


def less(of: Property) -> Maker:
    """Strictly less."""

    def make(condition: FilterCondition, _: Surroundings) -> Test:
        number = condition.number
        return lambda entry: of(entry) < number

    return make


def since(of: Property) -> Maker:
    """At that time or later."""

    def make(condition: FilterCondition, _: Surroundings) -> Test:
        time = condition.number
        return lambda entry: of(entry) >= time

    return make


def until(of: Property) -> Maker:
    """At that time or earlier."""

    def make(condition: FilterCondition, _: Surroundings) -> Test:
        time = condition.number
        return lambda entry: of(entry) <= time

    return make


_USUAL: Final = re.compile(r"https?://(?:www\.)?([a-z0-9.-]*[a-z0-9])(?=[/?#]|\Z)")
"""Addresses whose host can be seen without taking them apart: nothing to fold, no user, no port."""


def quick_host(url: str) -> str:
    """The same as `host_of`, sooner."""
    usual = _USUAL.match(url)
    return usual[1] if usual else host_of(url)


def host_among(of: Property) -> Maker:
    """The host of an address is in the list, whatever its case and a leading `www.`."""

    def make(condition: FilterCondition, _: Surroundings) -> Test:
        hosts = host_names(condition.words)
        return lambda entry: quick_host(of(entry)) in hosts

    return make


def host_names(words: Iterable[str]) -> frozenset[str]:
    """Hosts as people give them, folded as those of addresses are."""
    return frozenset(host_of(f"http://{word.strip()}/") or word.strip().lower() for word in words)


def word_among(of: Property) -> Maker:
    """A word is in the list."""

    def make(condition: FilterCondition, _: Surroundings) -> Test:
        words = frozenset(condition.words)
        return lambda entry: of(entry) in words

    return make


def some(of: Property, maker: Callable[[Property], Maker]) -> Maker:
    """One element of a list passes; none of an empty list does (F-CLI-181)."""

    def make(condition: FilterCondition, surroundings: Surroundings) -> Test:
        test = maker(_itself)(condition, surroundings)
        return lambda entry: any(test(element) for element in of(entry))

    return make


def _itself(element: Any) -> Any:
    return element


def all_empty(of: Property) -> Maker:
    """No element of a list says anything; so it is of an empty list (F-CLI-181)."""

    def make(_: FilterCondition, __: Surroundings) -> Test:
        return lambda entry: not any(of(entry))

    return make


def opposite(maker: Maker) -> Maker:
    """Of the filter that begins with `not-`."""

    def make(condition: FilterCondition, surroundings: Surroundings) -> Test:
        test = maker(condition, surroundings)
        return lambda entry: not test(entry)

    return make
