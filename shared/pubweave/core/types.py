"""The type ladder: which type is better, which is final (chapter 4.1)."""

from typing import Final

from pubweave.contract.declaration import types_of
from pubweave.contract.resources import DECLARATIONS
from pubweave.contract.vocabulary import TypeName

_TYPES: Final = types_of(DECLARATIONS)

RANK: Final[dict[TypeName, int]] = {one.name: one.rank for one in _TYPES}

FINAL: Final[frozenset[TypeName]] = frozenset(one.name for one in _TYPES if one.final)
"""Exactly the ten final types; they are equivalent to each other (F-TY-02, F-TY-03)."""

PDF: Final[frozenset[TypeName]] = frozenset(one.name for one in _TYPES if one.name.startswith("pdf_"))

OPTIONAL: Final[frozenset[TypeName]] = frozenset(
    one.name for declaration in DECLARATIONS if not declaration.on for one in declaration.types
)
"""Types of resources that are off by default: beyond the specification's."""

_PDF_COUNTERPART: Final[dict[TypeName, TypeName]] = {
    one.name: one.pdf for one in _TYPES if one.pdf is not None
}


def is_final(type_: TypeName) -> bool:
    return type_ in FINAL


def is_equivalent(one: TypeName, other: TypeName) -> bool:
    """The same type, or both final (F-TY-03)."""
    return one == other or (one in FINAL and other in FINAL)


def is_better(one: TypeName, other: TypeName) -> bool:
    """`one` comes earlier in the ladder and is not equivalent (F-TY-04)."""
    return RANK[one] < RANK[other] and not (one in FINAL and other in FINAL)


def is_lesser(one: TypeName, other: TypeName) -> bool:
    """Neither equivalent to nor better than `other` (F-TY-05)."""
    return not is_equivalent(one, other) and not is_better(one, other)


def worse(one: TypeName, other: TypeName) -> TypeName:
    """The one further down the ladder (F-META-06)."""
    return max(one, other, key=RANK.__getitem__)


def pdf_counterpart(type_: TypeName) -> TypeName:
    """The type of what a PDF reached from a page of this type gives (F-TY-06); others are their own."""
    return _PDF_COUNTERPART.get(type_, type_)
