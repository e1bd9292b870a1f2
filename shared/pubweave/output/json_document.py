"""A JSON document of chapter 18.2, pretty-printed, in pieces: a million records never stand in memory."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import orjson

from pubweave.version import NAME, URL, VERSION


def dumped(value: Any, option: int = 0) -> str:
    """Compact JSON. Lone surrogates, which no UTF-8 can hold, are `?`; one may reach us in a long text."""
    try:
        return orjson.dumps(value, option=option).decode()
    except TypeError:
        return orjson.dumps(_printable(value), option=option).decode()


def _printable(value: Any) -> Any:
    match value:
        case str():
            return value.encode(errors="replace").decode()
        case dict():
            return {_printable(name): _printable(inner) for name, inner in value.items()}
        case list() | tuple():
            return [_printable(inner) for inner in value]
        case _:
            return value


def _indented(value: Any, depth: int) -> str:
    """Pretty JSON, its lines after the first moved right by `depth` steps."""
    return dumped(value, orjson.OPT_INDENT_2).replace("\n", "\n" + "  " * depth)


class JsonDocument:
    """Gives the pieces of one document in their order: `head`, then for each list `begin`, `element`…, `end`,
    and at last `tail`. Write each piece as it comes."""

    def __init__(self) -> None:
        self._elements = 0

    def head(self, argv: Sequence[str]) -> str:
        """The opening brace and the first two members (F-JSON-01). `argv` must be scrubbed already."""
        version = {"name": NAME, "url": URL, "version": VERSION}
        return f'{{\n  "version": {_indented(version, 1)},\n  "argv": {_indented(list(argv), 1)}'

    def begin(self, name: str) -> str:
        """A member whose value is a list."""
        self._elements = 0
        return f",\n  {_indented(name, 0)}: ["

    def element(self, value: Mapping[str, Any] | str) -> str:
        self._elements += 1
        return (",\n    " if self._elements > 1 else "\n    ") + _indented(value, 2)

    def end(self) -> str:
        """The list's end; a list without elements is `[]`."""
        return "\n  ]" if self._elements else "]"

    def tail(self) -> str:
        return "\n}\n"


def document(argv: Sequence[str], name: str, elements: Iterable[Mapping[str, Any] | str]) -> Iterator[str]:
    """A whole document with one list."""
    pieces = JsonDocument()
    yield pieces.head(argv) + pieces.begin(name)
    for element in elements:
        yield pieces.element(element)
    yield pieces.end() + pieces.tail()


def member(name: str, value: Any) -> str:
    """A member that stands there whole, after `head` or another member."""
    return f",\n  {_indented(name, 0)}: {_indented(value, 1)}"


def line(value: Mapping[str, Any]) -> str:
    """One object on one line, for JSON Lines."""
    return dumped(value) + "\n"
