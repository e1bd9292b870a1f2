"""What a newer release says and this one does not know: members are kept and passed on, words are told apart.

A body that the Struct of its kind refuses is read once more, by a Struct made for it: a subclass with the members
that are not known here. What is made of such an event (`msgspec.structs.replace`, an echo, a stored row) has
them still. A word that is not in its list is kept as well, but whoever decides by words must not guess what it
means: such an event is `UnknownWords`, and waits for a release that knows them.
"""

import re
from collections import OrderedDict
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeVar, Union, cast

import msgspec
from msgspec import inspect as shapes

_shape_of = lru_cache(maxsize=1024)(shapes.type_info)
_decoder_of = lru_cache(maxsize=1024)(msgspec.json.Decoder)
"""Both take far longer than what they are for."""

Struct_ = TypeVar("Struct_", bound=msgspec.Struct)

_OBJECTS: Final = msgspec.json.Decoder(dict[str, Any])
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}", re.ASCII)

MOST_MEMBERS: Final = 32
"""Members of one Struct that are kept without being known; more are no newer release's."""

MOST_STRUCTS: Final = 512
"""Structs that are kept in one process. Each combination of new members takes one; the one not met for longest goes, so that
whoever invents names fills no memory."""


class Unknown(NamedTuple):
    """What was found in one body."""

    members: int
    words: tuple[str, ...]


class TooMuchUnknown(ValueError):
    """More than a newer release would say."""


def read_widely(struct: type[Struct_], body: bytes) -> tuple[Struct_, Unknown]:
    """What a body says that the Struct alone refuses.

    :raises msgspec.DecodeError: it is not of the Struct's shape either way
    :raises TooMuchUnknown: it says more than is kept
    """
    made, unknown = widened(struct, _OBJECTS.decode(body))
    return cast(Struct_, _decoder_of(made).decode(body)), unknown


class _Wide(NamedTuple):
    """A type for what was found, and what of it nobody here knows."""

    type: Any
    unknown: Unknown


_MADE: OrderedDict[tuple[Any, ...], type[msgspec.Struct]] = OrderedDict()


def widened(struct: type[msgspec.Struct], told: dict[str, Any]) -> tuple[type[msgspec.Struct], Unknown]:
    """The Struct, or one made of it, that holds all that `told` says; and what of it is not known.

    :param told: the JSON object of an event or value, as Python values
    :raises TooMuchUnknown: it says more than is kept
    """
    made = _of_struct(struct, told)
    return made.type, made.unknown


def _of_struct(struct: type[msgspec.Struct], told: dict[str, Any]) -> _Wide:
    shape = _shape_of(struct)
    assert isinstance(shape, shapes.StructType)
    changed: list[tuple[str, Any, Any]] = []
    members = 0
    words: tuple[str, ...] = ()
    known = {field.encode_name for field in shape.fields}
    renamed = {}
    for field in shape.fields:
        if field.encode_name not in told:
            continue
        wide = _of(field.type, told[field.encode_name])
        if wide is None:
            continue
        members += wide.unknown.members
        words += wide.unknown.words
        default = msgspec.field() if field.required else msgspec.field(default=field.default)
        changed.append((field.name, wide.type, default))
        if field.encode_name != field.name:
            renamed[field.name] = field.encode_name
    new = sorted(name for name in told if name not in known and name != shape.tag_field)
    if len(new) > MOST_MEMBERS or not all(map(_NAME.fullmatch, new)):
        raise TooMuchUnknown(
            "members that nobody knows, and more or other ones than a newer release would say"
        )
    if not changed and not new:
        return _Wide(struct, Unknown(0, ()))
    taken = {field.name for field in shape.fields}
    for name in new:
        attribute = f"{name}_" if name in taken or name.startswith("__") else name
        changed.append((attribute, Any, msgspec.UNSET))
        renamed[attribute] = name
    made = _made(struct, tuple((name, type_) for name, type_, _ in changed), changed, renamed)
    return _Wide(made, Unknown(members + len(new), words))


def _made(
    struct: type[msgspec.Struct],
    names: tuple[Any, ...],
    fields: list[tuple[str, Any, Any]],
    renamed: dict[str, str],
) -> type[msgspec.Struct]:
    key = (struct, names)
    known = _MADE.get(key)
    if known is not None:
        _MADE.move_to_end(key)
        return known
    if len(_MADE) >= MOST_STRUCTS:
        _MADE.popitem(last=False)
    config = struct.__struct_config__
    made = msgspec.defstruct(
        struct.__name__,
        [
            (name, type_ if default is not msgspec.UNSET else Union[type_, msgspec.UnsetType], default)  # noqa: UP007
            for name, type_, default in fields
        ],
        bases=(struct,),
        module=struct.__module__,
        tag_field=config.tag_field,
        tag=config.tag,
        rename=renamed,
        kw_only=True,
        frozen=True,
        omit_defaults=True,
        forbid_unknown_fields=True,
    )
    _MADE[key] = made
    return made


def _of(shape: shapes.Type, value: Any) -> _Wide | None:
    """The type for one member's value; None where the one it has will do, or where nothing can be done."""
    match shape:
        case shapes.StructType() if isinstance(value, dict):
            inner = _of_struct(shape.cls, value)
            return None if inner.type is shape.cls else inner
        case shapes.LiteralType() if isinstance(value, str) and value not in shape.values:
            return _Wide(str, Unknown(0, (value,)))
        case shapes.VarTupleType() if isinstance(value, list):
            return _of_items(shape.item_type, value)
        case shapes.UnionType():
            if any(isinstance(one, shapes.LiteralType) and value in one.values for one in shape.types):
                return None
            found = next((wide for one in shape.types if (wide := _of(one, value)) is not None), None)
            if found is None or not shape.includes_none:
                return found
            return _Wide(found.type | None, found.unknown)
        case _:
            return None


def _of_items(shape: shapes.Type, values: list[Any]) -> _Wide | None:
    """One type for all items of a tuple."""
    item: Any = None
    unknown = Unknown(0, ())
    for value in values:
        wide = _of(_shape_of(item) if item is not None else shape, value)
        if wide is not None:
            item = wide.type
            unknown = Unknown(unknown.members + wide.unknown.members, unknown.words + wide.unknown.words)
    return None if item is None else _Wide(tuple[item, ...], unknown)
