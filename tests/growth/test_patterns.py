"""No regular expression of the product costs more than in proportion to the text that it meets.

One that did froze jobs for ever: a paragraph of forty digits, a megabyte of `<aaaa`, an attribute full of blanks.
"""

import math
import re
from functools import partial

import pytest

from growth import attacks, patterns
from growth.measuring import PATIENCE_S, Growth, cpu_s, growth

SIZE = 8_000
MOST_OF_BOUNDED_S = 0.25
KNOWN, UNKNOWN = patterns.found()


def worst(one: patterns.Found, size: int = SIZE) -> tuple[Growth, tuple[str, str, str]]:
    """The worst growth that a made text gives, and the text: before, again and again, after."""
    run = patterns.applied(one)
    bound = patterns.BOUNDED.get(one.place)
    found = Growth(0.0, 0.0), ("", "", "")
    for made in attacks.texts(one.pattern):
        if bound is None:
            measured = growth(run, partial(attacks.text, made), size)
        else:  # however it grows, it must be nothing at the longest
            taken = min(cpu_s(partial(run, attacks.text(made, bound))) for _ in range(3))
            measured = Growth(taken, taken if taken < MOST_OF_BOUNDED_S else math.inf)
        if (measured.factor, measured.large_s) > (found[0].factor, found[0].large_s):
            found = measured, made
        if not measured.is_bounded:
            break
    return found


def test_every_expression_is_known() -> None:
    """Each expression that the source compiles is measured; one that is built while the program runs stands in `BUILT`."""
    assert not UNKNOWN
    assert len(KNOWN) > 250


def test_every_exception_is_needed() -> None:
    """What stands in the lists of bounds and guards is there."""
    places = {one.place for one in KNOWN}
    assert set(patterns.BOUNDED) | set(patterns.GUARDED) <= places


@pytest.mark.timeout(600)
@pytest.mark.parametrize("one", KNOWN, ids=lambda one: one.place)
def test_cost_is_in_proportion(one: patterns.Found) -> None:
    """Four times the text costs at most eight times as much."""
    measured, text = worst(one)
    assert measured.is_bounded, (
        f"{one.pattern.pattern!r} on {text[0]!r} + n * {text[1]!r} + {text[2]!r}: {measured}"
    )


@pytest.mark.parametrize(
    ("expression", "ways"),
    [
        (r"^\W*(?:[\dIVX]+\.?)*\s*(introduction|methods)\W*$", ("match",)),  # a paragraph of forty digits
        (r"<([A-Za-z][\w:-]*)[^<>]*>", ("sub",)),
        (r"<(/?)([A-Za-z][\w:-]*)[^<>]*>", ("finditer",)),
        (r"(?i:pmcid)?[\s:]*((?i:pmc)[1-9][0-9]*)(?![0-9])", ("search",)),
        (r"(?:(?i:doi)[\s:]*)?((?:https?://(?:dx\.)?doi\.org/)?10\.[^\s/]+/\S+)", ("search",)),
        (r"<!--.*?-->", ("sub",)),
        (r"<[^>]*>", ("sub",)),
        (r"\s+$", ("sub",)),
    ],
)
def test_what_froze_jobs_is_found(expression: str, ways: tuple[str, ...]) -> None:
    """The measurement finds the expressions that froze jobs, and others of their kind."""
    planted = patterns.Found("planted", re.compile(expression), ways)
    assert not worst(planted, 4_000)[0].is_bounded


def test_what_is_linear_is_let_pass() -> None:
    """An expression of the same use that is in proportion is not suspected."""
    assert worst(patterns.Found("planted", re.compile(r"<([A-Za-z][\w:-]*+)[^<>]*+>"), ("sub",)))[
        0
    ].is_bounded


def test_what_hangs_is_broken_off() -> None:
    """A measurement ends where the expression would not."""
    assert PATIENCE_S <= cpu_s(lambda: re.match(r"(?:a+)+b", "a" * 40)) < 2 * PATIENCE_S
