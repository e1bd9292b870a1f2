"""Character classes as sets of code points: sorted, disjoint, non-adjacent inclusive ranges."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import regex  # type: ignore[import-untyped]

MAX_CODE = 0x10FFFF


Ranges = tuple[tuple[int, int], ...]


def normal(ranges: Sequence[tuple[int, int]]) -> Ranges:
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            if high > merged[-1][1]:
                merged[-1] = (merged[-1][0], high)
        else:
            merged.append((low, high))

    return tuple(merged)


def union(left: Ranges, right: Ranges) -> Ranges:
    return normal(left + right)


def negated(ranges: Ranges) -> Ranges:
    out: list[tuple[int, int]] = []
    next_free = 0
    for low, high in ranges:
        if low > next_free:
            out.append((next_free, low - 1))
        next_free = high + 1
    if next_free <= MAX_CODE:
        out.append((next_free, MAX_CODE))

    return tuple(out)


def intersection(left: Ranges, right: Ranges) -> Ranges:
    return negated(union(negated(left), negated(right)))


def of_chars(text: str) -> Ranges:
    return normal([(ord(char), ord(char)) for char in text])


def of_span(low: str, high: str) -> Ranges:
    return ((ord(low), ord(high)),)


DIGIT = of_span("0", "9")
_LOWER = of_span("a", "z")
_UPPER = of_span("A", "Z")
ALPHA = union(_LOWER, _UPPER)
_ALNUM = union(ALPHA, DIGIT)
WORD = union(_ALNUM, of_chars("_"))
SPACE = of_chars(" \t\n\x0b\f\r")
HORIZONTAL = union(of_chars(" \t\xa0\u1680\u180e\u202f\u205f\u3000"), ((0x2000, 0x200A),))
VERTICAL = of_chars("\n\x0b\f\r\x85\u2028\u2029")
LINE_ENDS = of_chars("\n\r\x85\u2028\u2029")
_PUNCT = normal([(0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)])
_GRAPH = ((0x21, 0x7E),)

LETTERS_AND_DIGITS = r"\p{L}\p{Nd}"
NUMBERS_WITHOUT_DIGITS = r"\p{Nl}\p{No}"

POSIX: dict[str, Ranges] = {
    "ASCII": ((0, 0x7F),),
    "Alnum": _ALNUM,
    "Alpha": ALPHA,
    "Blank": of_chars(" \t"),
    "Cntrl": ((0, 0x1F), (0x7F, 0x7F)),
    "Digit": DIGIT,
    "Graph": _GRAPH,
    "Lower": _LOWER,
    "Print": ((0x20, 0x7E),),
    "Punct": _PUNCT,
    "Space": SPACE,
    "Upper": _UPPER,
    "XDigit": union(DIGIT, union(of_span("a", "f"), of_span("A", "F"))),
}

# What the POSIX names and the shorthands mean under UNICODE_CHARACTER_CLASS (UTS 18, annex C), for `regex`.
UNICODE_POSIX = {
    "ASCII": r"\x00-\x7F",
    "Alnum": r"\p{Alphabetic}\p{Nd}",
    "Alpha": r"\p{Alphabetic}",
    "Cntrl": r"\p{Cc}",
    "Digit": r"\p{Nd}",
    "Lower": r"\p{Lowercase}",
    "Punct": r"\p{P}",
    "Space": r"\p{White_Space}",
    "Upper": r"\p{Uppercase}",
    "XDigit": r"\p{Nd}\p{Hex_Digit}",
}

CATEGORIES = frozenset(
    re.findall(
        r"\w+",
        "Cn Lu Ll Lt Lm Lo Mn Me Mc Nd Nl No Zs Zl Zp Cc Cf Co Cs Pd Ps Pe Pc Po Sm Sc Sk So Pi Pf "
        "L M N Z C P S LC",
    )
)

# The binary properties Java knows after "Is" (any letter case), in the words of `regex`.
BINARY = {
    "ALPHABETIC": r"\p{Alphabetic}",
    "LETTER": r"\p{L}",
    "IDEOGRAPHIC": r"\p{Ideographic}",
    "LOWERCASE": r"\p{Lowercase}",
    "UPPERCASE": r"\p{Uppercase}",
    "TITLECASE": r"\p{Lt}",
    "WHITE_SPACE": r"\p{White_Space}",
    "WHITESPACE": r"\p{White_Space}",
    "CONTROL": r"\p{Cc}",
    "PUNCTUATION": r"\p{P}",
    "HEX_DIGIT": r"\p{Nd}\p{Hex_Digit}",
    "HEXDIGIT": r"\p{Nd}\p{Hex_Digit}",
    "ASSIGNED": r"\P{Cn}",
    "NONCHARACTER_CODE_POINT": r"\p{Noncharacter_Code_Point}",
    "NONCHARACTERCODEPOINT": r"\p{Noncharacter_Code_Point}",
    "DIGIT": r"\p{Nd}",
    "ALNUM": r"\p{Alphabetic}\p{Nd}",
    "JOIN_CONTROL": r"\p{Join_Control}",
    "JOINCONTROL": r"\p{Join_Control}",
    "WORD": r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}",
}

# java.lang.Character.isXxx as `\p{javaXxx}`.
JAVA_METHODS = {
    "LowerCase": r"\p{Lowercase}",
    "UpperCase": r"\p{Uppercase}",
    "Alphabetic": r"\p{Alphabetic}",
    "Ideographic": r"\p{Ideographic}",
    "TitleCase": r"\p{Lt}",
    "Digit": r"\p{Nd}",
    "Defined": r"\P{Cn}",
    "Letter": r"\p{L}",
    "LetterOrDigit": r"\p{L}\p{Nd}",
    "SpaceChar": r"\p{Z}",
    "Whitespace": r"\x09-\x0D\x1C-\x20\u1680\u2000-\u2006\u2008-\u200A\u2028\u2029\u205F\u3000",
    "ISOControl": r"\x00-\x1F\x7F-\x9F",
    "Mirrored": r"\p{Bidi_Mirrored}",
    "IdentifierIgnorable": r"\x00-\x08\x0E-\x1B\x7F-\x9F\p{Cf}",
    "JavaIdentifierStart": r"\p{L}\p{Nl}\p{Sc}\p{Pc}",
    "JavaIdentifierPart": (r"\p{L}\p{Nl}\p{Sc}\p{Pc}\p{Nd}\p{Mc}\p{Mn}\p{Cf}\x00-\x08\x0E-\x1B\x7F-\x9F"),
    "UnicodeIdentifierStart": r"\p{L}\p{Nl}\u1885\u1886\u2118\u212E\u309B\u309C",
    "UnicodeIdentifierPart": (
        r"\p{L}\p{Nl}\p{Pc}\p{Nd}\p{Mc}\p{Mn}\p{Cf}\x00-\x08\x0E-\x1B\x7F-\x9F"
        r"\u00B7\u0387\u1369-\u1371\u19DA\u2118\u212E\u309B\u309C"
    ),
}


@lru_cache(maxsize=1)
def _all_chars() -> str:
    return "".join(map(chr, range(MAX_CODE + 1)))


@lru_cache(maxsize=256)
def property_ranges(members: str) -> Ranges:
    """The code points of a class written for `regex`; raises `regex.error` for a name it does not know."""
    found = regex.compile(f"[{members}]+").finditer(_all_chars())

    return normal([(match.start(), match.end() - 1) for match in found])


def _simple_upper(code: int) -> int:
    upper = chr(code).upper()

    return ord(upper) if len(upper) == 1 else code


def _simple_lower(code: int) -> int:
    # U+0130 is the one letter whose simple lower case (UnicodeData) is one character and Python's is two.
    lower = "i" if code == 0x130 else chr(code).lower()

    return ord(lower) if len(lower) == 1 else code


@lru_cache(maxsize=1)
def _simple_folds() -> tuple[tuple[int, int, int], ...]:
    """(code, its upper case, the lower case of that) of every code point for which these differ."""
    rows = []
    for code in range(0x1E944):
        upper = _simple_upper(code)
        lower = _simple_lower(upper)
        if upper != code or lower != code:
            rows.append((code, upper, lower))

    return tuple(rows)


@lru_cache(maxsize=1)
def _fold_groups() -> dict[int, tuple[int, ...]]:
    shared: dict[int, set[int]] = {}
    for code, _, folded in _simple_folds():
        shared.setdefault(folded, {folded}).add(code)

    return {folded: tuple(codes) for folded, codes in shared.items()}


def cased_char(code: int, unicode_case: bool) -> Ranges:
    """The code points that equal this one when letter case does not count."""
    if unicode_case:
        twins = _fold_groups().get(_simple_lower(_simple_upper(code)), ())
        return normal([(code, code), *((twin, twin) for twin in twins)])
    if chr(code).isascii() and chr(code).isalpha():
        return normal([(code, code), (code ^ 0x20, code ^ 0x20)])

    return ((code, code),)


def cased_range(low: int, high: int, unicode_case: bool) -> Ranges:
    """The code points that are in this range themselves, or whose upper or lower case is."""
    if unicode_case:
        twins = [
            code for code, upper, folded in _simple_folds() if low <= upper <= high or low <= folded <= high
        ]
        return normal([(low, high), *((twin, twin) for twin in twins)])
    letters = intersection(((low, high),), ALPHA)

    return normal([(low, high), *((first ^ 0x20, last ^ 0x20) for first, last in letters)])
