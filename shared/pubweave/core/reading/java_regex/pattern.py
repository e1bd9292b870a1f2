"""A compiled Java pattern."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, cast

import regex  # type: ignore[import-untyped]

from pubweave.core.reading.java_regex.cost import ways
from pubweave.core.reading.java_regex.parser import Parser, for_engine
from pubweave.core.reading.java_regex.replacement import parse_replacement
from pubweave.core.reading.java_regex.terms import (
    CANON_EQ,
    UNICODE_CASE,
    UNICODE_CHARACTER_CLASS,
    JavaMatch,
    JavaRegexError,
    JavaRegexTimeout,
)

_SHORT = 256
"""Nearly all URLs are shorter."""
_QUICK_STEPS = 4 * _SHORT**4
"""Three repeats without end, from each place; most attempts end long before, so that it is well below a second."""


class JavaPattern:
    """A compiled Java pattern. Made by `compile_java`; immutable, may be shared.

    `groups` is the number of capturing groups, `names` their numbers by name. `python` is the pattern as written
    for the engines, `uses_regex` tells which one has it. `required` is a text that everything found contains
    (empty: none known), to be looked for in the lower-cased text if `required_folded`.

    Every method that matches raises `JavaRegexTimeout` where the pattern has a time bound and it ran out.
    """

    def __init__(self, pattern: str, flags: int, timeout_s: float | None, plain_lines: bool) -> None:
        if flags & CANON_EQ:
            raise JavaRegexError("flag CANON_EQ is not supported", pattern, 0)
        parser = Parser(
            pattern, flags | (UNICODE_CASE if flags & UNICODE_CHARACTER_CLASS else 0), plain_lines
        )
        try:
            node = parser.parse()
        except RecursionError:
            raise JavaRegexError("groups are nested too deeply", pattern, 0) from None
        self.pattern = pattern
        self.flags = flags
        self.timeout_s = timeout_s
        self.groups = parser.group_count
        self.names = dict(parser.names)
        self.python = node.text
        self._needs_regex = parser.needs_regex
        self.uses_regex = parser.needs_regex or timeout_s is not None
        folded = node.literal.lower() if node.literal.isascii() else ""
        self.required = folded if parser.literal_folded else node.literal
        self.required_folded = parser.literal_folded
        self._blind = parser.whole_case_blind
        self._partial: Any = None
        self._engine = self._compiled(self.uses_regex)
        self._replacements: dict[str, tuple[str | int, ...]] = {}
        if self.uses_regex and timeout_s is not None:
            self._options: dict[str, float] = {"timeout": timeout_s}
        else:
            self._options = {}

    def _compiled(self, with_regex: bool) -> Any:
        # Only where letter case is the engine's business does it matter which letters it knows.
        ascii_only = self._blind or "(?i:" in self.python
        text = for_engine(self.python, with_regex, ascii_only)
        try:
            if with_regex:
                flags = (regex.ASCII if ascii_only else 0) | (regex.IGNORECASE if self._blind else 0)
                return regex.compile(text, regex.VERSION0 | flags)
            try:
                return re.compile(text, re.ASCII | (re.IGNORECASE if self._blind else 0))
            except (re.error, OverflowError):
                self.uses_regex = True
                return self._compiled(True)
        except (regex.error, OverflowError) as error:
            raise JavaRegexError(f"not supported here ({error})", self.pattern, 0) from None

    def __repr__(self) -> str:
        return f"JavaPattern({self.pattern!r}, {self.flags})"

    def fast_search(self) -> Callable[[str], JavaMatch | None]:
        """`find` for loops in which each call counts, such as over millions of URLs.

        The time bound costs ten times what most matches do. So it is only kept where it may be needed: on long texts, and
        with expressions whose form does not tell that they are quick on short ones.
        """
        if self.timeout_s is None:
            return cast("Callable[[str], JavaMatch | None]", self._engine.search)
        quick = self._quick()
        bounded = self.find
        if quick is None:
            return bounded

        def search(text: str) -> JavaMatch | None:
            return cast("JavaMatch | None", quick(text)) if len(text) <= _SHORT else bounded(text)

        return search

    def _quick(self) -> Any:
        """The search of `re`, without a time bound, if it is quick on short texts."""
        if self._needs_regex:
            return None
        compiled = self._compiled(False)
        known = isinstance(compiled, re.Pattern) and ways(compiled.pattern, _SHORT) * _SHORT <= _QUICK_STEPS
        return compiled.search if known else None

    def find(self, text: str, start: int = 0) -> JavaMatch | None:
        """The first place at or after `start` where the pattern is found, or None."""
        return self._run(self._engine.search, text, start)

    def looking_at(self, text: str) -> JavaMatch | None:
        """The match that begins where the text begins, or None."""
        return self._run(self._engine.match, text, 0)

    def matches(self, text: str) -> JavaMatch | None:
        """The match of the whole text, or None."""
        return self._run(self._engine.fullmatch, text, 0)

    def looks_at_or_hits_end(self, text: str) -> bool:
        """True if the text begins with a match, or only ends before one is complete."""
        if self.looking_at(text) is not None:
            return True
        if self._partial is None:
            self._partial = self._compiled(True)
        options = {"timeout": self.timeout_s} if self.timeout_s is not None else {}
        try:
            return self._partial.match(text, partial=True, **options) is not None
        except TimeoutError:
            raise self._timeout() from None

    def find_all(self, text: str) -> Iterator[JavaMatch]:
        """All matches from left to right; after an empty one the search goes on one character later."""
        start = 0
        while start <= len(text):
            match = self.find(text, start)
            if match is None:
                return
            yield match
            start = match.end() + (match.end() == match.start())

    def replace_first(self, text: str, replacement: str) -> str:
        """The text with the first match replaced; unchanged if there is none.

        :raises JavaReplacementError: only where something matched, as in Java
        """
        match = self.find(text)
        if match is None:
            return text
        filled = self.expand(match, replacement)

        return text[: match.start()] + filled + text[match.end() :]

    def replace_all(self, text: str, replacement: str) -> str:
        """The text with every match replaced; errors as in `replace_first`."""
        out: list[str] = []
        done = 0
        for match in self.find_all(text):
            out.append(text[done : match.start()])
            out.append(self.expand(match, replacement))
            done = match.end()
        out.append(text[done:])

        return "".join(out)

    def split(self, text: str) -> list[str]:
        """The pieces between matches, as `Pattern.split(text)`: no empty pieces at the end."""
        pieces: list[str] = []
        done = 0
        for match in self.find_all(text):
            if match.end() == 0:
                continue
            pieces.append(text[done : match.start()])
            done = match.end()
        if done == 0:
            return [text]
        pieces.append(text[done:])
        while pieces and not pieces[-1]:
            pieces.pop()

        return pieces

    def replacement(self, replacement: str) -> tuple[str | int, ...]:
        """The replacement string as texts and group numbers of this pattern (see `parse_replacement`)."""
        parts = self._replacements.get(replacement)
        if parts is None:
            parts = parse_replacement(replacement, self.groups, self.names)
            if len(self._replacements) < 256:
                self._replacements[replacement] = parts

        return parts

    def expand(self, match: JavaMatch, replacement: str) -> str:
        """The replacement string filled from the match; a group that took no part gives nothing."""
        return "".join(
            part if isinstance(part, str) else (match.group(part) or "")
            for part in self.replacement(replacement)
        )

    def _run(self, method: Any, text: str, start: int) -> JavaMatch | None:
        try:
            return cast("JavaMatch | None", method(text, start, **self._options))
        except TimeoutError:
            raise self._timeout() from None

    def _timeout(self) -> JavaRegexTimeout:
        return JavaRegexTimeout(
            f"the expression {self.pattern!r} took longer than {self.timeout_s:g} s on one text and was given up"
        )


@lru_cache(maxsize=1024)
def compile_java(
    pattern: str, flags: int = 0, *, timeout_s: float | None = None, plain_lines: bool = False
) -> JavaPattern:
    """Compile a Java regular expression.

    `flags` are Java's numbers (2 = CASE_INSENSITIVE, ASCII only unless UNICODE_CASE). `timeout_s` bounds each
    single match operation. `plain_lines` promises that texts hold no line terminator (URLs): `$` and `.` then
    cost less.

    :raises JavaRegexError: not a Java pattern, or one that is not supported; with the place
    """
    return JavaPattern(pattern, flags, timeout_s, plain_lines)
