"""Java's regular expressions (java.util.regex of Java 17) for Python, syntax and replacement strings.

A Java pattern is parsed once and written anew for the standard `re` module; what `re` lacks (look-behind of
variable width, references to groups further on, a time bound) goes to the `regex` package. Classes are
computed here as sets of code points, so that unions, intersections, negations and properties mean in both
engines what they mean in Java.

Known differences, each harmless in practice: properties follow the Unicode version of the `regex` package,
not Java's; a combining mark is never part of a word for `\\b`; `CANON_EQ`, `\\b{g}` and a reference to a group
inside that group are refused; what a group holds that took part only in an attempt that failed, or in an empty
round of a loop, may be nothing here and something in Java. `JavaPattern.looks_at_or_hits_end` counts as "hit
the end" only what more text could turn into a match, where Java also counts a look-ahead that merely read to
the end.
"""

from pubweave.core.reading.java_regex.pattern import JavaPattern, compile_java
from pubweave.core.reading.java_regex.replacement import parse_replacement, quote, quote_replacement
from pubweave.core.reading.java_regex.terms import (
    CANON_EQ,
    CASE_INSENSITIVE,
    COMMENTS,
    DOTALL,
    LITERAL,
    MULTILINE,
    UNICODE_CASE,
    UNICODE_CHARACTER_CLASS,
    UNIX_LINES,
    JavaMatch,
    JavaRegexError,
    JavaRegexTimeout,
    JavaReplacementError,
)

__all__ = [
    "CANON_EQ",
    "CASE_INSENSITIVE",
    "COMMENTS",
    "DOTALL",
    "LITERAL",
    "MULTILINE",
    "UNICODE_CASE",
    "UNICODE_CHARACTER_CLASS",
    "UNIX_LINES",
    "JavaMatch",
    "JavaPattern",
    "JavaRegexError",
    "JavaRegexTimeout",
    "JavaReplacementError",
    "compile_java",
    "parse_replacement",
    "quote",
    "quote_replacement",
]
