"""The regular expressions that rules hold: Java's, bounded in time.

Rules may come from strangers, so a search that takes longer than `MATCH_TIMEOUT_S` ends as `PatternTooSlow`
instead of hanging the process.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

from pubweave.core.reading.java_regex import JavaPattern, JavaRegexTimeout, compile_java

MATCH_TIMEOUT_S = 1.0

PatternTooSlow = JavaRegexTimeout
"""A regular expression did not finish within its time on this text; nothing is known about a match."""


class Finder(Protocol):
    """Says whether the pattern occurs in a text (Java's `Matcher.find`)."""

    def __call__(self, text: str) -> bool: ...


@lru_cache(maxsize=4096)
def compile_pattern(pattern: str) -> JavaPattern:
    """The pattern, compiled once.

    :raises ValueError: the pattern is wrong
    """
    return compile_java(pattern, timeout_s=MATCH_TIMEOUT_S)


def compile_finder(pattern: str) -> Finder:
    """The pattern's `find`.

    :raises ValueError: the pattern is wrong
    """
    compiled = compile_pattern(pattern)

    def find(text: str) -> bool:
        return compiled.find(text) is not None

    return find
