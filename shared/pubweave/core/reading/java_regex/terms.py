"""The flags, errors and matches of Java's regular expressions."""

from __future__ import annotations

from typing import Protocol

UNIX_LINES = 1
CASE_INSENSITIVE = 2
COMMENTS = 4
MULTILINE = 8
LITERAL = 16
DOTALL = 32
UNICODE_CASE = 64
CANON_EQ = 128
UNICODE_CHARACTER_CLASS = 256


class JavaRegexError(ValueError):
    """The pattern is not a Java regular expression, or uses what is not supported here.

    `position` counts characters from 0; `pattern` is the whole pattern.
    """

    def __init__(self, reason: str, pattern: str, position: int) -> None:
        super().__init__(f"{reason} near position {position} of {pattern!r}")
        self.reason = reason
        self.pattern = pattern
        self.position = position


class JavaReplacementError(ValueError):
    """The replacement string is malformed or names a group that the pattern does not have."""


class JavaRegexTimeout(TimeoutError):
    """The time bound of the pattern ran out; nothing is known about a match."""


class JavaMatch(Protocol):
    """What `find` and its relatives give: the common part of `re.Match` and `regex.Match`."""

    def group(self, group: int | str = 0, /) -> str | None: ...

    def groups(self) -> tuple[str | None, ...]: ...

    def start(self, group: int | str = 0, /) -> int: ...

    def end(self, group: int | str = 0, /) -> int: ...

    def span(self, group: int | str = 0, /) -> tuple[int, int]: ...
