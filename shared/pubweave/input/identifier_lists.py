"""Lists of identifiers from files and pipes: decoded, numbered, parsed, never wholly in memory."""

import codecs
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, NamedTuple

from pubweave.input.identifier_lines import Problem, Understood, parse
from pubweave.problems import UserError

_CHUNK_BYTES: Final = 1 << 16
MAX_LINE: Final = 10_000
"""Characters. Longer than any identifier that exists; what is longer is not a list of identifiers."""
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_KINDS_OF_FILE: Final = (
    (b"%PDF", "a PDF"),
    (b"PK\x03\x04", "a ZIP archive or an Office document (save it as text, divided by tabs)"),
    (b"\x1f\x8b", "compressed (unpack it first, for example with zcat)"),
    (b"SQLite format 3", "a database; did you mean --db?"),
    (b"(\xb5/\xfd", "compressed (unpack it first)"),
)


class IdentifierSource(NamedTuple):
    """Where identifiers come from."""

    name: str
    """For messages: the file's name, `standard input`, `command line`."""
    path: Path | None = None
    """None: standard input."""


class Item(NamedTuple):
    """One thing read: a line that can be fetched, or one that cannot."""

    source: str
    number: int
    """Line of that source, from 1."""
    text: str
    """As it was written, without its line end."""
    result: Understood | Problem


def source_of(given: str) -> IdentifierSource:
    """`-` is standard input."""
    return IdentifierSource("standard input") if given == "-" else IdentifierSource(given, Path(given))


@contextmanager
def opened(source: IdentifierSource) -> Iterator[IO[bytes]]:
    """The bytes of a source.

    :raises UserError: a folder, missing, unreadable; with one sentence
    """
    if source.path is None:
        yield sys.stdin.buffer
        return
    if source.path.is_dir():
        raise UserError(f"{source.name} is a folder; a file with one identifier a line is wanted")
    try:
        stream = source.path.open("rb")
    except FileNotFoundError:
        raise UserError(f"{source.name} does not exist") from None
    except OSError as problem:
        raise UserError(
            f"{source.name} cannot be read: {(problem.strerror or str(problem)).lower()}"
        ) from None
    with stream:
        yield stream


def _decoded(source: IdentifierSource, stream: IO[bytes]) -> Iterator[str]:
    """The text in pieces. A byte that is not UTF-8 becomes a lone surrogate, so its line can be named."""
    read = getattr(stream, "read1", stream.read)
    try:
        first = read(_CHUNK_BYTES)
        encoding, mark = "utf-8", b""
        for candidate, name in _MARKS:
            if first.startswith(candidate):
                encoding, mark = name, candidate
                break
        _refuse_binary(source, first, encoding)
        errors = "surrogateescape" if encoding == "utf-8" else "replace"
        decoder = codecs.getincrementaldecoder(encoding)(errors)
        chunk = first[len(mark) :]
        more = bool(first)
        while more:
            yield decoder.decode(chunk)
            chunk = read(_CHUNK_BYTES)
            more = bool(chunk)
        yield decoder.decode(b"", final=True)
    except OSError as problem:
        raise UserError(
            f"{source.name} cannot be read: {(problem.strerror or str(problem)).lower()}"
        ) from None


def _refuse_binary(source: IdentifierSource, first: bytes, encoding: str) -> None:
    for start, what in _KINDS_OF_FILE:
        if first.startswith(start):
            raise UserError(f"{source.name} is not a list of identifiers: it is {what}")
    if encoding == "utf-8" and b"\0" in first:
        raise UserError(f"{source.name} is not a list of identifiers: it is a binary file")


def raw_lines(source: IdentifierSource, stream: IO[bytes]) -> Iterator[tuple[int, str, bool]]:
    """(number, text, whole) of each line; of one longer than `MAX_LINE` only the beginning, and not whole.

    LF, CRLF and CR all end a line.
    """
    number, rest, overflowing = 1, "", False
    for piece in _decoded(source, stream):
        text = rest + piece
        held = ""
        if text.endswith("\r"):  # perhaps half of a CRLF
            text, held = text[:-1], "\r"
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        *whole, rest = text.split("\n")
        for line in whole:
            if overflowing:
                overflowing = False
            else:
                yield number, line[:MAX_LINE], len(line) <= MAX_LINE
            number += 1
        if len(rest) > MAX_LINE:
            if not overflowing:
                yield number, rest[:MAX_LINE], False
            overflowing, rest = True, ""
        rest += held
    if rest and not overflowing:
        rest = rest.removesuffix("\r")
        yield number, rest, len(rest) <= MAX_LINE


def items(source: IdentifierSource) -> Iterator[Item]:
    """Everything on the list but empty lines and comments, in order.

    :raises UserError: the source as a whole cannot be read
    """
    with opened(source) as stream:
        for number, text, whole in raw_lines(source, stream):
            if not whole:
                yield Item(source.name, number, text, Problem(f"is longer than {MAX_LINE:,} characters"))
                continue
            if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
                yield Item(source.name, number, text, Problem("is not UTF-8 text"))
                continue
            parsed = parse(text)
            if parsed is not None:
                yield Item(source.name, number, text, parsed)


def of_arguments(arguments: tuple[str, ...]) -> Iterator[Item]:
    """Identifiers given on the command line; each argument counts as a line."""
    for number, argument in enumerate(arguments, start=1):
        parsed = parse(argument)
        if parsed is None:
            parsed = Problem("is empty")
        if isinstance(parsed, Problem) and len(argument) < 1000 and Path(argument).is_file():
            parsed = Problem(f"'{argument}' is a file, not an identifier; give it with --ids {argument}")
        yield Item("command line", number, argument, parsed)
