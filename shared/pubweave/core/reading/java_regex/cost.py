"""How much work an expression can be, told from its form."""

import math
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any, Final

_REPEATS: Final = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)


def ways(python: str, length: int) -> float:
    """In how many ways, at most, the expression (of `re`) can be laid over a text of that length from one place on: what
    an engine that goes back over its choices may have to try. Infinite where repeats stand in repeats."""
    return _of_many(_parser.parse(python), length)


def _of_many(items: Any, length: int) -> float:
    return math.prod(_of_one(operator, argument, length) for operator, argument in items)


def _of_one(operator: Any, argument: Any, length: int) -> float:
    if operator in _REPEATS:
        least, most, body = argument
        each = _of_many(body, length)
        most = min(int(most), length)
        if each > 1 and most > 1:
            return math.inf
        return (max(most - int(least), 0) + 1) * each
    if operator is sre.BRANCH:
        return sum(_of_many(branch, length) for branch in argument[1])
    if operator is sre.SUBPATTERN:
        return _of_many(argument[-1], length)
    if operator is sre.ATOMIC_GROUP:
        return _of_many(argument, length)
    if operator in (sre.ASSERT, sre.ASSERT_NOT):
        return _of_many(argument[1], length)
    if operator is sre.GROUPREF_EXISTS:
        return math.inf
    return 1.0
