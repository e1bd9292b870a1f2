"""Equal events, equal bytes.

msgspec leaves a member out when it *is* the default, not when it equals it: an `Identifiers()` made anew, or
a 15000 read from a settings file, would be written where the default itself is not. Before an event is
written, such members become the default itself. Kinds without such members (all findings) cost nothing.
"""

from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
from msgspec import inspect as shapes

_Struct = TypeVar("_Struct", bound=msgspec.Struct)

_NONE: Final = object()
"""Stands for "no default"."""


class _Step(NamedTuple):
    """One member that has to be looked at."""

    member: str
    default: Any
    nested: bool
    """It holds Structs, or tuples of them, that have steps of their own."""


def canonical(value: _Struct) -> _Struct:
    """The same value, every member that equals its default being the default; itself if nothing changes."""
    changes: dict[str, Any] = {}
    for member, default, nested in _steps(type(value)):
        found = getattr(value, member)
        if found is default:
            continue
        better = _inside(found) if nested else found
        if default is not _NONE and better == default:
            better = default
        if better is not found:
            changes[member] = better
    return msgspec.structs.replace(value, **changes) if changes else value


def _inside(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        return canonical(value)
    if isinstance(value, tuple):
        items = [_inside(item) for item in value]
        changed = any(new is not old for new, old in zip(items, value, strict=True))
        return tuple(items) if changed else value
    return value


@lru_cache(maxsize=1024)
def _steps(struct: type[msgspec.Struct]) -> tuple[_Step, ...]:
    shape = shapes.type_info(struct)
    assert isinstance(shape, shapes.StructType)
    steps = []
    for field in shape.fields:
        default = _NONE if field.default is msgspec.NODEFAULT else field.default
        nested = any(_steps(inner) for inner in _structs(field.type))
        if nested or not _is_one_object(default):
            steps.append(_Step(field.name, default, nested))
    return tuple(steps)


def _is_one_object(default: Any) -> bool:
    """Every value equal to it is the very same object (in CPython), or there is no default to compare with."""
    if default is _NONE or default is None or isinstance(default, bool) or default in ("", b"", ()):
        return True
    return isinstance(default, int) and -5 <= default <= 256


def _structs(shape: shapes.Type) -> list[type[msgspec.Struct]]:
    """The Structs that a type is made of, tuples and alternatives looked through."""
    match shape:
        case shapes.StructType():
            return [shape.cls]
        case shapes.VarTupleType():
            return _structs(shape.item_type)
        case shapes.TupleType():
            return [found for item in shape.item_types for found in _structs(item)]
        case shapes.UnionType():
            return [found for one in shape.types for found in _structs(one)]
        case _:
            return []
