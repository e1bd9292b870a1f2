"""JSON Schemas (draft 2020-12) of the Structs that events are made of, with their docstrings.

msgspec has a generator too; it refuses defaults of type Raw and leaves out what the members mean.
"""

from typing import Any, Final, TypeAlias

import msgspec
from msgspec import inspect as shapes

from pubweave.contract.docstrings import members, text_of

Schema: TypeAlias = dict[str, Any]

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def schema_of(struct: type[msgspec.Struct], *, title: str, address: str) -> Schema:
    """The schema of one kind of event.

    :param title: the kind's name
    :param address: `$id`
    :raises TypeError: a member has a type that events are not made of
    """
    definitions: dict[str, Schema] = {}
    shape = shapes.type_info(struct)
    assert isinstance(shape, shapes.StructType)
    own = _of_struct(shape, definitions)
    return {
        "$schema": DIALECT,
        "$id": address,
        "title": title,
        **own,
        **({"$defs": dict(sorted(definitions.items()))} if definitions else {}),
    }


def _of_struct(shape: shapes.StructType, definitions: dict[str, Schema]) -> Schema:
    told = members(shape.cls)
    properties: dict[str, Schema] = {}
    required: list[str] = []
    if shape.tag_field is not None:
        properties[shape.tag_field] = {"const": shape.tag}
        required.append(shape.tag_field)
    for field in shape.fields:
        member = _of(field.type, definitions)
        if told[field.name].text:
            member = {**member, "description": told[field.name].text}
        if field.required:
            required.append(field.encode_name)
        else:
            member = {**member, "default": _default(field)}
        properties[field.encode_name] = member
    text = text_of(shape.cls)
    return {
        **({"description": text} if text else {}),
        "type": "object",
        "properties": properties,
        "required": required,
    }


def _default(field: shapes.Field) -> Any:
    if isinstance(field.default, msgspec.Raw):
        return msgspec.json.decode(field.default)
    if field.default is not msgspec.NODEFAULT:
        return msgspec.to_builtins(field.default)
    return msgspec.to_builtins(field.default_factory())


def _of(shape: shapes.Type, definitions: dict[str, Schema]) -> Schema:
    match shape:
        case shapes.StrType():
            return {"type": "string"}
        case shapes.BoolType():
            return {"type": "boolean"}
        case shapes.IntType():
            return {"type": "integer"}
        case shapes.BytesType():
            return {"type": "string", "contentEncoding": "base64"}
        case shapes.RawType() | shapes.AnyType():
            return {}
        case shapes.NoneType():
            return {"type": "null"}
        case shapes.LiteralType():
            return {"enum": list(shape.values)}
        case shapes.VarTupleType():
            return {"type": "array", "items": _of(shape.item_type, definitions)}
        case shapes.TupleType():
            return _of_items([_of(one, definitions) for one in shape.item_types], len(shape.item_types))
        case shapes.UnionType():
            return {"anyOf": [_of(one, definitions) for one in shape.types]}
        case shapes.NamedTupleType() | shapes.StructType():
            name = shape.cls.__name__
            if name not in definitions:
                definitions[name] = {}  # so that a Struct may hold itself
                definitions[name] = (
                    _of_struct(shape, definitions)
                    if isinstance(shape, shapes.StructType)
                    else _of_named_tuple(shape, definitions)
                )
            return {"$ref": f"#/$defs/{name}"}
        case _:
            raise TypeError(f"events are not made of {shape}")


def _of_named_tuple(shape: shapes.NamedTupleType, definitions: dict[str, Schema]) -> Schema:
    told = members(shape.cls)
    items = []
    for field in shape.fields:
        item = {"title": field.name.rstrip("_"), **_of(field.type, definitions)}
        items.append({**item, "description": told[field.name].text} if told[field.name].text else item)
    needed = sum(field.required for field in shape.fields)
    return {"description": text_of(shape.cls), **_of_items(items, needed)}


def _of_items(items: list[Schema], needed: int) -> Schema:
    return {"type": "array", "prefixItems": items, "minItems": needed, "maxItems": len(items)}
