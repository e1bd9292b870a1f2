"""Arbitrary events: Hypothesis strategies for every kind, made from the shapes of the Structs."""

from functools import cache
from typing import Any

import msgspec
from hypothesis import strategies as st
from msgspec import inspect as shapes

from pubweave.contract.kinds import KINDS, Event

_TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=5,
)


@cache
def arbitrary_event() -> st.SearchStrategy[Event]:
    """An event of any kind, of any content that its types allow, likely or not."""
    return st.one_of([arbitrary(kind.struct) for kind in KINDS.values()])


@cache
def arbitrary(struct: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    """A Struct of any content that its types allow."""
    return _of_struct(struct)


@cache
def _of_struct(struct: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    shape = shapes.type_info(struct)
    assert isinstance(shape, shapes.StructType)
    # Half of the time a member that has a default has it, as in life; the rest is anything.
    return st.builds(
        struct,
        **{
            field.name: _of(field.type) if field.required else st.just(field.default) | _of(field.type)
            for field in shape.fields
        },
    )


def _of(shape: shapes.Type) -> st.SearchStrategy[Any]:
    match shape:
        case shapes.StrType():
            return _TEXT
        case shapes.BoolType():
            return st.booleans()
        case shapes.IntType():
            return st.integers(-(2**63), 2**63 - 1)
        case shapes.BytesType():
            return st.binary(max_size=12)
        case shapes.RawType():
            return _JSON.map(lambda value: msgspec.Raw(msgspec.json.encode(value)))
        case shapes.NoneType():
            return st.none()
        case shapes.LiteralType():
            return st.sampled_from(shape.values)
        case shapes.VarTupleType():
            return st.lists(_of(shape.item_type), max_size=2).map(tuple)
        case shapes.TupleType():
            return st.tuples(*map(_of, shape.item_types))
        case shapes.UnionType():
            return st.one_of([_of(one) for one in shape.types])
        case shapes.NamedTupleType():
            return st.tuples(*(_of(field.type) for field in shape.fields)).map(
                lambda values: shape.cls(*values)
            )
        case shapes.StructType():
            return _of_struct(shape.cls)
        case _:
            raise TypeError(f"events are not made of {shape}")
