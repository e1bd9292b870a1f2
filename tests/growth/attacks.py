"""Texts made to cost a regular expression the most it can cost, from its own structure.

An expression goes back and forth where a repetition takes what a later part, or another start of the search, could
have taken as well. So each text repeats what some repetition in it accepts (alone, with what stands before it, by
pairs of its letters) and ends in what lets the match fail.
"""

import re
from collections.abc import Iterator
from itertools import islice, product
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any, Final

_MANY: Final = 24
"""From this many repetitions on, a bound is no bound for a text that is long."""
_PAIRS: Final = 8
_ENDS: Final = ("", "\x00", "!")
USUAL: Final = (
    "<", "<a", "<a ", "</", "<!--", "<?", "<![CDATA[", "&", "&a", "&#", "a=", "a='", 'a="', " ", "\n", "\t ", "\r\n", "a", "A", "I",
    "0", "1", "1.", "a.", "a ", "a-", "A. ", "a@", "a.a@", "@", ".", "-", ":", ": ", "/", "//", "://", "doi", "10.", "10.1/",
    "PMC", "PMC1", "http://", "charset", "(", ")", "{", "[", "\\", "|", ",", ";", "_", "#", "%", '"', "'", "1-", "1 ", "1:", "I. ",
)  # fmt: skip
_BY_CATEGORY: Final = {
    sre.CATEGORY_DIGIT: "10",
    sre.CATEGORY_NOT_DIGIT: "a <",
    sre.CATEGORY_SPACE: " \n\t",
    sre.CATEGORY_NOT_SPACE: "a1.<",
    sre.CATEGORY_WORD: "a1_",
    sre.CATEGORY_NOT_WORD: " .<",
}
_TYPICAL: Final = "a1 <.-A=/\n:;\"'>&_é\x00"


def texts(pattern: "re.Pattern[Any]") -> Iterator[tuple[str, str, str]]:
    """Before, again and again, after: `before + again * n + after` is a text that costs. Each once."""
    seen: set[tuple[str, str, str]] = set()
    for number, (before, again) in enumerate(_pumps(pattern)):
        for after in _ENDS[:1] if number < len(USUAL) else _ENDS:
            told = (before, again, after)
            if again and told not in seen:
                seen.add(told)
                yield told


def _pumps(pattern: "re.Pattern[Any]") -> Iterator[tuple[str, str]]:
    for usual in USUAL:
        yield "", usual
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    tree = _parser.parse(
        source, pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags
    )
    whole = "".join(_samples(tree, 1)[:1])
    yield "", whole
    letters: dict[str, None] = {}
    for before, body in _repetitions(tree, ""):
        bodies = _samples(body, 3)
        for one in bodies:
            yield before, one
            yield "", before + one
            yield "", before + one * 8
        letters.update((letter, None) for one in bodies for letter in one[:1])
    chosen = list(islice(letters, _PAIRS))
    for one, other in product(chosen, chosen):
        if one != other:
            yield "", one + other
            yield whole, one + other


def _repetitions(tree: Any, before: str) -> Iterator[tuple[str, Any]]:
    """Each repetition without a small bound: the shortest text in front of it, and what it repeats."""
    for operator, argument in tree:
        if operator in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            _, most, body = argument
            if most >= _MANY:
                yield before, body
            yield from _repetitions(body, before)
        elif operator is sre.SUBPATTERN:
            yield from _repetitions(argument[3], before)
        elif operator is sre.ATOMIC_GROUP:
            yield from _repetitions(argument, before)
        elif operator is sre.BRANCH:
            for branch in argument[1]:
                yield from _repetitions(branch, before)
        elif operator in (sre.ASSERT, sre.ASSERT_NOT):
            yield from _repetitions(argument[1], before)
        before += "".join(_samples([(operator, argument)], 1)[:1])


def _samples(tree: Any, wanted: int) -> list[str]:
    """Up to `wanted` short texts that the tree accepts, as good as it can be told without matching."""
    found = [""]
    for operator, argument in tree:
        found = [done + more for done in found for more in _choices(operator, argument, wanted)][
            : max(wanted, 1)
        ]
    return found


def _choices(operator: Any, argument: Any, wanted: int) -> list[str]:
    if operator is sre.LITERAL:
        return [chr(argument)]
    if operator is sre.NOT_LITERAL:
        return [letter for letter in _TYPICAL if ord(letter) != argument][:wanted]
    if operator is sre.ANY:
        return list("a <"[:wanted])
    if operator is sre.IN:
        return _members(argument, wanted)
    if operator is sre.BRANCH:
        return [text for branch in argument[1] for text in _samples(branch, 1)][: max(wanted, 1)] or [""]
    if operator is sre.SUBPATTERN:
        return _samples(argument[3], wanted)
    if operator is sre.ATOMIC_GROUP:
        return _samples(argument, wanted)
    if operator in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        least, most, body = argument
        times = max(least, min(1, most)) if wanted > 1 else min(least, 64)
        return [one * times for one in _samples(body, wanted)] or [""]
    return [""]


def _members(items: Any, wanted: int) -> list[str]:
    if items and items[0][0] is sre.NEGATE:
        barred = set(_members(items[1:], 10_000))
        return [letter for letter in _TYPICAL if letter not in barred][:wanted] or ["\u4e00"]
    found: dict[str, None] = {}
    for operator, argument in items:
        if operator is sre.LITERAL:
            found[chr(argument)] = None
        elif operator is sre.RANGE:
            low, high = argument
            found.update((letter, None) for letter in _TYPICAL if low <= ord(letter) <= high)
            found[chr(low)] = None
            found[chr(high)] = None
        elif operator is sre.CATEGORY:
            found.update((letter, None) for letter in _BY_CATEGORY[argument])
    return list(found)[: max(wanted, 1)] or ["a"]


def text(made: tuple[str, str, str], length: int) -> str:
    """The text of about this length."""
    before, again, after = made
    return before + again * (length // len(again)) + after
