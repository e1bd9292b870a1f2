"""Filters of publications by their parts (17.9): every listed part must meet the condition, or with `not-` none.

Each is made of a test of one part; the list of parts comes with the option or with its companion.
"""

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Final, TypeAlias

from pubweave.cli.operations.selecting.comparing import finder, host_names, quick_host
from pubweave.cli.operations.selecting.model import FilterCondition, Maker, Surroundings, Test
from pubweave.contract.vocabulary import TYPE_NAMES, PartName, TypeName
from pubweave.core.record import Part, Record, is_final, is_usable
from pubweave.core.types import FINAL, PDF, is_better, is_lesser

PartTest: TypeAlias = Callable[[PartName, Part], bool]
_PartMaker: TypeAlias = Callable[[FilterCondition, Surroundings], PartTest]


def _every(maker: _PartMaker, *, holds: bool) -> Maker:
    def make(condition: FilterCondition, surroundings: Surroundings) -> Test:
        test = maker(condition, surroundings)
        parts: list[tuple[PartName, Callable[[Record], Part]]] = [
            (name, attrgetter(name)) for name in condition.parts
        ]

        def every(record: Record) -> bool:
            # A loop, for this runs once for each record of a database.
            for name, of in parts:  # noqa: SIM110
                if test(name, of(record)) is not holds:
                    return False
            return True

        return every

    return make


def _empty(_: FilterCondition, __: Surroundings) -> PartTest:
    return lambda _name, part: part.is_empty


def _usable(_: FilterCondition, surroundings: Surroundings) -> PartTest:
    return lambda name, part: is_usable(name, part, surroundings.thresholds)


def _final(_: FilterCondition, surroundings: Surroundings) -> PartTest:
    return lambda name, part: is_final(name, part, surroundings.thresholds)


def texts_of(name: PartName, part: Part) -> tuple[str, ...]:
    """The texts in which a pattern is looked for: the content, or each element."""
    match name:
        case "keywords":
            return part.words
        case "mesh":
            return tuple(term.term for term in part.mesh)
        case "efo" | "go":
            return tuple(term.term for term in part.terms)
        case _:
            return (part.text,)


def _content(condition: FilterCondition, _: Surroundings) -> PartTest:
    finds = finder(condition.pattern)
    return lambda name, part: any(map(finds, texts_of(name, part)))


def _size(condition: FilterCondition, _: Surroundings) -> PartTest:
    numbers = frozenset(condition.numbers)
    return lambda _name, part: part.size in numbers


def _larger(condition: FilterCondition, _: Surroundings) -> PartTest:
    number = condition.number
    return lambda _name, part: part.size > number


def _smaller(condition: FilterCondition, _: Surroundings) -> PartTest:
    number = condition.number
    return lambda _name, part: part.size < number


def _of_types(which: Callable[[FilterCondition], Iterable[str]]) -> _PartMaker:
    """Its type is one of these."""

    def make(condition: FilterCondition, _: Surroundings) -> PartTest:
        types = frozenset(which(condition))
        return lambda _name, part: part.type in types

    return make


def _url(condition: FilterCondition, _: Surroundings) -> PartTest:
    finds = finder(condition.pattern)
    return lambda _name, part: finds(part.url)


def _url_host(condition: FilterCondition, _: Surroundings) -> PartTest:
    hosts = host_names(condition.words)
    return lambda _name, part: quick_host(part.url) in hosts


def _since(condition: FilterCondition, _: Surroundings) -> PartTest:
    time = condition.number
    return lambda _name, part: part.timestamp >= time


def _until(condition: FilterCondition, _: Surroundings) -> PartTest:
    time = condition.number
    return lambda _name, part: part.timestamp <= time


def _type_in(condition: FilterCondition) -> TypeName:
    return next(name for name in TYPE_NAMES if name == condition.words[0])


_BOTH_WAYS: Final[dict[str, _PartMaker]] = {
    "part-empty": _empty,
    "part-usable": _usable,
    "part-final": _final,
    "part-content": _content,
    "part-size": _size,
    "part-type": _of_types(lambda condition: condition.words),
    "part-type-final": _of_types(lambda _: FINAL),
    "part-type-pdf": _of_types(lambda _: PDF),
    "part-url": _url,
    "part-url-host": _url_host,
}

_ONE_WAY: Final[dict[str, _PartMaker]] = {
    "part-size-more": _larger,
    "part-size-less": _smaller,
    "part-type-more": _of_types(
        lambda condition: [one for one in TYPE_NAMES if is_better(one, _type_in(condition))]
    ),
    "part-type-less": _of_types(
        lambda condition: [one for one in TYPE_NAMES if is_lesser(one, _type_in(condition))]
    ),
    "part-time-more": _since,
    "part-time-less": _until,
}

PART_FILTERS: Final[dict[str, Maker]] = {
    **{name: _every(maker, holds=True) for name, maker in (_BOTH_WAYS | _ONE_WAY).items()},
    **{f"not-{name}": _every(maker, holds=False) for name, maker in _BOTH_WAYS.items()},
}
