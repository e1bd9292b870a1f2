"""Filters of publications by their parts (17.9): every listed part must meet the condition, or with `not-` none.

Each is made of a test of one part; the list of parts comes with the option or with its companion.
"""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from pubweave.contract.vocabulary import PartName
from pubweave.core.record import Part, Record, is_final, is_usable
from pubweave.core.selecting.comparing import finder, host_names, quick_host
from pubweave.core.selecting.model import Condition, Maker, Surroundings, Test
from pubweave.core.types import FINAL, PDF, is_better, is_lesser

PartTest: TypeAlias = Callable[[PartName, Part], bool]
_PartMaker: TypeAlias = Callable[[Condition, Surroundings], PartTest]


def _every(maker: _PartMaker, *, holds: bool) -> Maker:
    def make(condition: Condition, surroundings: Surroundings) -> Test:
        test, parts = maker(condition, surroundings), condition.parts

        def every(record: Record) -> bool:
            return all(test(name, record.part(name)) is holds for name in parts)

        return every

    return make


def _empty(_: Condition, __: Surroundings) -> PartTest:
    return lambda _name, part: part.is_empty


def _usable(_: Condition, surroundings: Surroundings) -> PartTest:
    return lambda name, part: is_usable(name, part, surroundings.thresholds)


def _final(_: Condition, surroundings: Surroundings) -> PartTest:
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


def _content(condition: Condition, _: Surroundings) -> PartTest:
    finds = finder(condition.pattern)
    return lambda name, part: any(map(finds, texts_of(name, part)))


def _size(compares: Callable[[int, Condition], bool]) -> _PartMaker:
    def make(condition: Condition, _: Surroundings) -> PartTest:
        return lambda _name, part: compares(part.size, condition)

    return make


def _type(test: Callable[[Any, Condition], bool]) -> _PartMaker:
    def make(condition: Condition, _: Surroundings) -> PartTest:
        return lambda _name, part: test(part.type, condition)

    return make


def _url(condition: Condition, _: Surroundings) -> PartTest:
    finds = finder(condition.pattern)
    return lambda _name, part: finds(part.url)


def _url_host(condition: Condition, _: Surroundings) -> PartTest:
    hosts = host_names(condition.words)
    return lambda _name, part: quick_host(part.url) in hosts


def _since(condition: Condition, _: Surroundings) -> PartTest:
    return lambda _name, part: part.timestamp >= condition.number


def _until(condition: Condition, _: Surroundings) -> PartTest:
    return lambda _name, part: part.timestamp <= condition.number


_BOTH_WAYS: Final[dict[str, _PartMaker]] = {
    "part-empty": _empty,
    "part-usable": _usable,
    "part-final": _final,
    "part-content": _content,
    "part-size": _size(lambda size, condition: size in condition.numbers),
    "part-type": _type(lambda type_, condition: type_ in condition.words),
    "part-type-final": _type(lambda type_, _: type_ in FINAL),
    "part-type-pdf": _type(lambda type_, _: type_ in PDF),
    "part-url": _url,
    "part-url-host": _url_host,
}

_ONE_WAY: Final[dict[str, _PartMaker]] = {
    "part-size-more": _size(lambda size, condition: size > condition.number),
    "part-size-less": _size(lambda size, condition: size < condition.number),
    "part-type-more": _type(lambda type_, condition: is_better(type_, condition.words[0])),  # type: ignore[arg-type]
    "part-type-less": _type(lambda type_, condition: is_lesser(type_, condition.words[0])),  # type: ignore[arg-type]
    "part-time-more": _since,
    "part-time-less": _until,
}

PART_FILTERS: Final[dict[str, Maker]] = {
    **{name: _every(maker, holds=True) for name, maker in (_BOTH_WAYS | _ONE_WAY).items()},
    **{f"not-{name}": _every(maker, holds=False) for name, maker in _BOTH_WAYS.items()},
}
