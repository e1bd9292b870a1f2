"""Elements of the lists of a JSON document one by one: a document larger than the memory can be read.

Reads what this program and PubFetcher write (chapter 18.2): one object whose members are lists and small values. And
JSON Lines: objects one after another.
"""

import codecs
import json
from collections.abc import Callable, Collection, Iterator
from typing import Any, Final

_CHUNK_BYTES: Final = 1 << 18
_IN_NUMBERS: Final = "0123456789.eE+-"
_WHITE: Final = " \t\r\n"


class NotJson(ValueError):
    """The bytes are no JSON of this kind; the text says what is wrong and where."""


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


class _CharReader:
    """Characters of a stream, as far as they are needed."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._json = json.JSONDecoder(parse_constant=_no_constant)
        self._text = ""
        self._at = 0
        self._passed = 0
        self._ended = False

    @property
    def where(self) -> int:
        """How many characters have been read, from 0."""
        return self._passed + self._at

    def _more(self, size: int = _CHUNK_BYTES) -> bool:
        """Read on; False at the end of the stream."""
        if self._ended:
            return False
        chunk = self._read(size)
        try:
            decoded = self._decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as problem:
            raise NotJson(f"after character {self.where}: it is no UTF-8") from problem
        self._ended = not chunk
        self._text = self._text[self._at :] + decoded
        self._passed += self._at
        self._at = 0
        return True

    def peek(self) -> str:
        """The next character that is no white space; "" at the end."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in _WHITE:
                    return self._text[self._at]
                self._at += 1
            if not self._more():
                return ""

    def take(self, expected: str) -> str:
        """Go past one of these characters.

        :raises NotJson: another one stands there
        """
        found = self.peek()
        if not found or found not in expected:
            shown = repr(found) if found else "the end"
            raise NotJson(f"character {self.where}: {shown} stands where {' or '.join(expected)} should")
        self._at += 1
        return found

    def value(self) -> Any:
        """Go past one whole value.

        :raises NotJson: there is none
        """
        if not self.peek():
            raise NotJson(f"character {self.where}: it ends where a value should stand")
        size = _CHUNK_BYTES
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._at)
            except (ValueError, RecursionError) as problem:
                if isinstance(problem, RecursionError) or not self._more(size):
                    reason = problem.msg if isinstance(problem, json.JSONDecodeError) else str(problem)
                    raise NotJson(f"character {self.where}: {reason}") from problem
            else:
                # "0." at the end of what is at hand may become 0.5; it is no 0 followed by a point.
                cut = type(value) in (int, float) and not self._text[end:].strip(_IN_NUMBERS)
                if not cut or not self._more(size):
                    self._at = end
                    return value
            size *= 2


def elements(
    read: Callable[[int], bytes], wanted: Collection[str], seen: set[str] | None = None
) -> Iterator[tuple[str, Any]]:
    """(name of its list, element) for each element of the wanted lists, as they come.

    Of JSON Lines every object is given, under the name "".

    :param read: gives up to so many bytes, none at the end
    :param seen: takes the names of the wanted lists that are there, be they empty
    :raises NotJson: at the place where it stops being JSON; what was given before is right
    """
    reader = _CharReader(read)
    if reader.peek() != "{":
        raise NotJson("it does not begin with {")
    reader.take("{")
    if reader.peek() == "}":
        reader.take("}")
        return
    first = _name(reader)
    if first == "version" or first in wanted:
        yield from _document(reader, first, wanted, set() if seen is None else seen)
    else:
        yield from _lines(reader, first)


def _name(reader: _CharReader) -> str:
    name = reader.value()
    if not isinstance(name, str):
        raise NotJson(f"character {reader.where}: a member has no name")
    reader.take(":")
    return name


def _document(
    reader: _CharReader, name: str, wanted: Collection[str], seen: set[str]
) -> Iterator[tuple[str, Any]]:
    while True:
        if name in wanted and reader.peek() == "[":
            seen.add(name)
            yield from ((name, element) for element in _list(reader))
        elif reader.peek() == "[":
            for _ in _list(reader):
                pass
        else:
            reader.value()
        if reader.take(",}") == "}":
            break
        name = _name(reader)
    if reader.peek():
        raise NotJson(f"character {reader.where}: something stands after the document")


def _list(reader: _CharReader) -> Iterator[Any]:
    reader.take("[")
    if reader.peek() == "]":
        reader.take("]")
        return
    while True:
        yield reader.value()
        if reader.take(",]") == "]":
            return


def _lines(reader: _CharReader, name: str) -> Iterator[tuple[str, Any]]:
    """The first object is already open, and the name of its first member read."""
    first = {name: reader.value()}
    while reader.take(",}") == ",":
        member = _name(reader)
        first[member] = reader.value()
    yield "", first
    while reader.peek():
        value = reader.value()
        if not isinstance(value, dict):
            raise NotJson(f"character {reader.where}: a line is no object")
        yield "", value
