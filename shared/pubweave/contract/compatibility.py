"""What changed between two schemas of one kind, and whether those who know only one of them can live with it (law 9).

Added: a member that may be left out, a word in a list, an alternative. Whoever knows only the older schema keeps
what it does not know or waits; whoever knows the newer one reads the older. That is a new minor version.
Broken: everything else. That is a new major version, with an upcast.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeAlias

Schema: TypeAlias = dict[str, Any]

_SAID_ONLY: Final = frozenset({"description", "title", "$id", "$schema", "$defs", "version"})
_WALKED: Final = frozenset(
    {"properties", "required", "enum", "anyOf", "items", "prefixItems", "$ref", "const", "type"}
)


class SchemaChange(NamedTuple):
    """One difference."""

    where: str
    """The member, by dotted path; "" for the whole."""
    what: str
    breaks: bool

    def __str__(self) -> str:
        return f"{self.where or 'the event'}: {self.what}"


def changes(old: Schema, new: Schema) -> list[SchemaChange]:
    """All differences that are more than words for people, from an older schema to a newer one."""
    return list(dict.fromkeys(_compared(_Pair(old, old), _Pair(new, new), "", frozenset())))


def minor_version(schema: Schema) -> int:
    """The minor version that a schema says it is of."""
    return int(str(schema.get("version", "1.0")).rpartition(".")[2])


class _Pair(NamedTuple):
    """A schema within the file that its references lead into."""

    here: Schema
    root: Schema

    def resolved(self) -> "_Pair":
        found = self.here
        while "$ref" in found:
            found = self.root["$defs"][found["$ref"].rpartition("/")[2]]
        return _Pair(found, self.root)

    def at(self, schema: Schema) -> "_Pair":
        return _Pair(schema, self.root)


def _compared(old: _Pair, new: _Pair, where: str, seen: frozenset[tuple[int, int]]) -> Iterator[SchemaChange]:
    old, new = old.resolved(), new.resolved()
    pair = (id(old.here), id(new.here))
    if pair in seen:
        return
    seen |= {pair}
    if "anyOf" in old.here or "anyOf" in new.here:
        yield from _alternatives(old, new, where, seen)
        return
    yield from _words(old.here, new.here, where)
    for name in sorted((old.here.keys() | new.here.keys()) - _SAID_ONLY - _WALKED):
        if old.here.get(name) != new.here.get(name):
            told = f"`{name}` was {old.here.get(name)!r} and is {new.here.get(name)!r}"
            yield SchemaChange(where, told, breaks=True)
    yield from _members(old, new, where, seen)
    for name in ("items", "prefixItems"):
        one, other = old.here.get(name), new.here.get(name)
        if isinstance(one, dict) and isinstance(other, dict):
            yield from _compared(old.at(one), new.at(other), f"{where}[]", seen)
        elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            for number, (left, right) in enumerate(zip(one, other, strict=True)):
                yield from _compared(old.at(left), new.at(right), f"{where}[{number}]", seen)
        elif one != other:
            yield SchemaChange(where, "it holds other things", breaks=True)


def _words(old: Schema, new: Schema, where: str) -> Iterator[SchemaChange]:
    if old.get("const") != new.get("const"):
        yield SchemaChange(where, f"it was {old.get('const')!r} and is {new.get('const')!r}", breaks=True)
    one, other = old.get("enum"), new.get("enum")
    if one is not None and other is not None:
        for word in (word for word in one if word not in other):
            yield SchemaChange(where, f"the word {word!r} is gone", breaks=True)
        for word in (word for word in other if word not in one):
            yield SchemaChange(where, f"the word {word!r} is new", breaks=False)
    elif other is not None:
        yield SchemaChange(where, "only some words are left of any", breaks=True)
    elif one is not None:
        yield SchemaChange(where, "any word is taken", breaks=new.get("type") != "string")
    elif old.get("type") != new.get("type"):
        yield SchemaChange(where, f"it was {old.get('type')!r} and is {new.get('type')!r}", breaks=True)


def _members(old: _Pair, new: _Pair, where: str, seen: frozenset[tuple[int, int]]) -> Iterator[SchemaChange]:
    one, other = old.here.get("properties", {}), new.here.get("properties", {})
    needed, need = set(old.here.get("required", ())), set(new.here.get("required", ()))
    for name in one:
        path = f"{where}.{name}" if where else name
        if name not in other:
            yield SchemaChange(path, "it is gone", breaks=True)
            continue
        if (name in needed) != (name in need):
            yield SchemaChange(
                path, "it may be left out" if name in needed else "it must be there", breaks=True
            )
        yield from _compared(old.at(one[name]), new.at(other[name]), path, seen)
    for name in other:
        if name not in one:
            path = f"{where}.{name}" if where else name
            yield SchemaChange(path, "it is new", breaks=name in need)


def _alternatives(
    old: _Pair, new: _Pair, where: str, seen: frozenset[tuple[int, int]]
) -> Iterator[SchemaChange]:
    left = [new.at(one) for one in new.here.get("anyOf", [new.here])]
    for one in old.here.get("anyOf", [old.here]):
        compared = [(list(_compared(old.at(one), other, where, seen)), other) for other in left]
        fitting = [(found, other) for found, other in compared if not any(change.breaks for change in found)]
        if not fitting:
            # The one that comes nearest tells what is broken.
            yield from min(
                (found for found, _ in compared), key=len, default=[SchemaChange(where, "it is gone", True)]
            )
            continue
        found, taken = min(fitting, key=lambda fit: len(fit[0]))
        yield from found
        left.remove(taken)
    for _ in left:
        yield SchemaChange(where, "an alternative is new", breaks=False)
    if old.here.get("default") != new.here.get("default"):
        told = f"`default` was {old.here.get('default')!r} and is {new.here.get('default')!r}"
        yield SchemaChange(where, told, breaks=True)
