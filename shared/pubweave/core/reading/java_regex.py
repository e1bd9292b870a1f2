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

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Protocol, cast

import regex  # type: ignore[import-untyped]

UNIX_LINES = 1
CASE_INSENSITIVE = 2
COMMENTS = 4
MULTILINE = 8
LITERAL = 16
DOTALL = 32
UNICODE_CASE = 64
CANON_EQ = 128
UNICODE_CHARACTER_CLASS = 256

_FLAG_LETTERS = {
    "d": UNIX_LINES,
    "i": CASE_INSENSITIVE,
    "x": COMMENTS,
    "m": MULTILINE,
    "s": DOTALL,
    "u": UNICODE_CASE,
    "U": UNICODE_CHARACTER_CLASS | UNICODE_CASE,
}
_MAX_CODE = 0x10FFFF
_MAX_REPEAT = 0x7FFFFFFF


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


# ---------------------------------------------------------------------------------------------------------
# Sets of code points: sorted, disjoint, non-adjacent inclusive ranges.

_Ranges = tuple[tuple[int, int], ...]


def _normal(ranges: Sequence[tuple[int, int]]) -> _Ranges:
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            if high > merged[-1][1]:
                merged[-1] = (merged[-1][0], high)
        else:
            merged.append((low, high))

    return tuple(merged)


def _union(left: _Ranges, right: _Ranges) -> _Ranges:
    return _normal(left + right)


def _negated(ranges: _Ranges) -> _Ranges:
    out: list[tuple[int, int]] = []
    next_free = 0
    for low, high in ranges:
        if low > next_free:
            out.append((next_free, low - 1))
        next_free = high + 1
    if next_free <= _MAX_CODE:
        out.append((next_free, _MAX_CODE))

    return tuple(out)


def _intersection(left: _Ranges, right: _Ranges) -> _Ranges:
    return _negated(_union(_negated(left), _negated(right)))


def _chars(text: str) -> _Ranges:
    return _normal([(ord(char), ord(char)) for char in text])


def _span(low: str, high: str) -> _Ranges:
    return ((ord(low), ord(high)),)


_DIGIT = _span("0", "9")
_LOWER = _span("a", "z")
_UPPER = _span("A", "Z")
_ALPHA = _union(_LOWER, _UPPER)
_ALNUM = _union(_ALPHA, _DIGIT)
_WORD = _union(_ALNUM, _chars("_"))
_SPACE = _chars(" \t\n\x0b\f\r")
_HORIZONTAL = _union(_chars(" \t\xa0\u1680\u180e\u202f\u205f\u3000"), ((0x2000, 0x200A),))
_VERTICAL = _chars("\n\x0b\f\r\x85\u2028\u2029")
_LINE_ENDS = _chars("\n\r\x85\u2028\u2029")
_PUNCT = _normal([(0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)])
_GRAPH = ((0x21, 0x7E),)

_POSIX: dict[str, _Ranges] = {
    "ASCII": ((0, 0x7F),),
    "Alnum": _ALNUM,
    "Alpha": _ALPHA,
    "Blank": _chars(" \t"),
    "Cntrl": ((0, 0x1F), (0x7F, 0x7F)),
    "Digit": _DIGIT,
    "Graph": _GRAPH,
    "Lower": _LOWER,
    "Print": ((0x20, 0x7E),),
    "Punct": _PUNCT,
    "Space": _SPACE,
    "Upper": _UPPER,
    "XDigit": _union(_DIGIT, _union(_span("a", "f"), _span("A", "F"))),
}

# What the POSIX names and the shorthands mean under UNICODE_CHARACTER_CLASS (UTS 18, annex C), for `regex`.
_UNICODE_POSIX = {
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

_CATEGORIES = frozenset(
    [
        "Cn",
        "Lu",
        "Ll",
        "Lt",
        "Lm",
        "Lo",
        "Mn",
        "Me",
        "Mc",
        "Nd",
        "Nl",
        "No",
        "Zs",
        "Zl",
        "Zp",
        "Cc",
        "Cf",
        "Co",
        "Cs",
        "Pd",
        "Ps",
        "Pe",
        "Pc",
        "Po",
        "Sm",
        "Sc",
        "Sk",
        "So",
        "Pi",
        "Pf",
        "L",
        "M",
        "N",
        "Z",
        "C",
        "P",
        "S",
        "LC",
    ]
)

# The binary properties Java knows after "Is" (any letter case), in the words of `regex`.
_BINARY = {
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
_JAVA_METHODS = {
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
    return "".join(map(chr, range(_MAX_CODE + 1)))


@lru_cache(maxsize=256)
def _property(members: str) -> _Ranges:
    """The code points of a class written for `regex`; raises `regex.error` for a name it does not know."""
    found = regex.compile(f"[{members}]+").finditer(_all_chars())

    return _normal([(match.start(), match.end() - 1) for match in found])


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


def _cased_char(code: int, unicode_case: bool) -> _Ranges:
    """The code points that equal this one when letter case does not count."""
    if unicode_case:
        twins = _fold_groups().get(_simple_lower(_simple_upper(code)), ())
        return _normal([(code, code), *((twin, twin) for twin in twins)])
    if chr(code).isascii() and chr(code).isalpha():
        return _normal([(code, code), (code ^ 0x20, code ^ 0x20)])

    return ((code, code),)


def _cased_range(low: int, high: int, unicode_case: bool) -> _Ranges:
    """The code points that are in this range themselves, or whose upper or lower case is."""
    if unicode_case:
        twins = [
            code for code, upper, folded in _simple_folds() if low <= upper <= high or low <= folded <= high
        ]
        return _normal([(low, high), *((twin, twin) for twin in twins)])
    letters = _intersection(((low, high),), _ALPHA)

    return _normal([(low, high), *((first ^ 0x20, last ^ 0x20) for first, last in letters)])


# ---------------------------------------------------------------------------------------------------------
# Writing for the engines


def _escaped(code: int) -> str:
    char = chr(code)
    if char.isascii() and (char.isalnum() or char in "_/:,;%&=!\"'<>@`"):
        return char if char not in "&" else r"\&"
    if code < 0x80 and char.isprintable() and char != " ":
        return "\\" + char
    if code <= 0xFF:
        return f"\\x{code:02x}"
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    return f"\\U{code:08x}"


def _members(ranges: _Ranges) -> str:
    parts = []
    for low, high in ranges:
        parts.append(_escaped(low))
        if high > low:
            parts.append(_escaped(high) if high == low + 1 else "-" + _escaped(high))

    return "".join(parts)


def _class_text(ranges: _Ranges) -> str:
    if not ranges:
        return "(?!)"
    if ranges == ((0, _MAX_CODE),):
        return "(?s:.)"
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return _escaped(ranges[0][0])
    other = _negated(ranges)
    if len(other) < len(ranges):
        return f"[^{_members(other)}]"

    return f"[{_members(ranges)}]"


class _Node:
    """One parsed piece: its text for the engines, its width, and a literal every match of it contains."""

    __slots__ = ("char", "high", "literal", "low", "text")

    def __init__(
        self, text: str, low: int, high: int | None, literal: str = "", char: str | None = None
    ) -> None:
        self.text = text
        self.low = low
        self.high = high
        self.literal = literal
        self.char = char


class _Parser:
    """Recursive descent over one Java pattern; `text` after `parse()` is the pattern for Python."""

    def __init__(self, pattern: str, flags: int, plain_lines: bool) -> None:
        self.original = pattern
        self.source = self._unquoted(pattern)
        self.at = 0
        self.flags = flags
        self.plain_lines = plain_lines
        self.group_count = 0
        self.open_groups: set[int] = set()
        self.names: dict[str, int] = {}
        self.group_total = 0
        self.needs_regex = False
        self.literal_folded = False
        self.whole_case_blind = self._case_blind_throughout()

    # -- helpers

    def fail(self, reason: str) -> JavaRegexError:
        return JavaRegexError(reason, self.original, min(self.at, len(self.original)))

    def _unquoted(self, pattern: str) -> str:
        r"""`\Q…\E` taken away: each quoted character stands escaped."""
        if r"\Q" not in pattern:
            return pattern
        out: list[str] = []
        index = 0
        while index < len(pattern):
            char = pattern[index]
            if char != "\\" or index + 1 >= len(pattern):
                out.append(char)
                index += 1
            elif pattern[index + 1] != "Q":
                out.append(pattern[index : index + 2])
                index += 2
            else:
                end = pattern.find(r"\E", index + 2)
                quoted = pattern[index + 2 : end if end >= 0 else len(pattern)]
                out.extend(f"\\x{{{ord(each):x}}}" for each in quoted)
                index = end + 2 if end >= 0 else len(pattern)

        return "".join(out)

    def _case_blind_throughout(self) -> bool:
        """True where letter case never counts, so that the engine's own flag can do it (faster)."""
        if self.source.startswith("(?i)"):
            self.source = self.source[4:]
            self.flags |= CASE_INSENSITIVE
        if not self.flags & CASE_INSENSITIVE or self.flags & (UNICODE_CASE | UNICODE_CHARACTER_CLASS):
            return False
        return not re.search(r"\(\?[a-zA-Z]*-?[a-zA-Z]*[iuU][a-zA-Z]*-?[a-zA-Z]*[:)]", self.source)

    def has(self, flag: int) -> bool:
        return bool(self.flags & flag)

    def skip_comments(self) -> None:
        while self.at < len(self.source):
            char = self.source[self.at]
            if char in " \t\n\x0b\f\r":
                self.at += 1
            elif char == "#":
                ends = "\n" if self.has(UNIX_LINES) else "\n\r\x85\u2028\u2029"
                while self.at < len(self.source) and self.source[self.at] not in ends:
                    self.at += 1
            else:
                return

    def peek(self) -> str:
        if self.has(COMMENTS):
            self.skip_comments()
        return self.source[self.at] if self.at < len(self.source) else ""

    def take(self) -> str:
        char = self.peek()
        self.at += 1
        return char

    # -- the grammar

    def parse(self) -> _Node:
        if self.has(LITERAL):
            nodes = [self.single(ord(char)) for char in self.original]
            return _Node("".join(node.text for node in nodes), len(nodes), len(nodes))
        self.group_total = self._count_groups()
        node = self.alternation()
        if self.at < len(self.source):
            raise self.fail("unmatched closing ')'" if self.source[self.at] == ")" else "unexpected end")

        return node

    def _count_groups(self) -> int:
        plain = re.sub(r"\\.", "", self.source, flags=re.DOTALL)

        return len(re.findall(r"\((?!\?)|\(\?<(?![=!])", plain))

    def alternation(self) -> _Node:
        branches = [self.sequence()]
        while self.peek() == "|":
            self.at += 1
            branches.append(self.sequence())
        if len(branches) == 1:
            return branches[0]
        highs = [branch.high for branch in branches]
        high = None if None in highs else max(cast("list[int]", highs))

        return _Node(
            "|".join(branch.text for branch in branches), min(branch.low for branch in branches), high
        )

    def sequence(self) -> _Node:
        parts: list[str] = []
        low, high = 0, cast("int | None", 0)
        run, best = "", ""
        while True:
            char = self.peek()
            if char == "" or char in "|)":
                break
            atom = self.atom(char)
            if atom is None:
                continue
            node = self.quantified(atom)
            parts.append(node.text)
            low += node.low
            high = None if high is None or node.high is None else high + node.high
            if node.char is not None:
                run += node.char
            else:
                best = max(best, run, node.literal, key=len)
                run = ""
        best = max(best, run, key=len)

        return _Node("".join(parts), low, high, best)

    def atom(self, char: str) -> _Node | None:
        if char == "(":
            return self.group()
        if char == "[":
            self.at += 1
            return self.class_node(self.char_class())
        if char == "\\":
            return self.escape()
        if char in "*+?":
            raise self.fail(f"dangling meta character '{char}'")
        if char == "{":
            raise self.fail("illegal repetition")
        self.at += 1
        if char == "^":
            return self.caret()
        if char == "$":
            return self.dollar()
        if char == ".":
            return self.dot()

        return self.single(ord(char))

    def quantified(self, atom: _Node) -> _Node:
        char = self.peek()
        if char in ("*", "+", "?"):
            self.at += 1
            least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}[char]
            text = char
        elif char == "{":
            least, most = self.bounds()
            text = f"{{{least}}}" if most == least else f"{{{least},{'' if most is None else most}}}"
        else:
            return atom
        kind = self.peek()
        if kind in ("?", "+"):
            self.at += 1
            text += kind
        body = atom.text
        if not _is_unit(body):
            body = f"(?:{body})"
        high = None if most is None or atom.high is None else atom.high * most
        if atom.high == 0:
            high = 0
        elif most is None and kind not in ("?", "+") and atom.high == 1 and not atom.text.startswith("("):
            # Java takes a repeated single character in a look-behind, though not a repeated group.
            high = _MAX_REPEAT
        literal = (atom.char or atom.literal) if least >= 1 else ""

        return _Node(body + text, atom.low * least, high, literal)

    def bounds(self) -> tuple[int, int | None]:
        match = re.compile(r"\{([0-9]+)(?:(,)([0-9]*))?\}").match(self.source, self.at)
        if match is None:
            raise self.fail("illegal repetition")
        least = int(match[1])
        most = least if match[2] is None else (int(match[3]) if match[3] else None)
        if least > _MAX_REPEAT or (most is not None and (most > _MAX_REPEAT or most < least)):
            raise self.fail("illegal repetition range")
        self.at = match.end()

        return least, most

    # -- groups

    def group(self) -> _Node | None:
        self.at += 1
        saved = self.flags
        if not self.source.startswith("?", self.at):
            return self.capturing(None, saved)
        self.at += 1
        char = self.source[self.at : self.at + 1]
        if char in (":", "=", "!", ">"):
            self.at += 1
            return self.special(char, saved)
        if char == "<":
            following = self.source[self.at + 1 : self.at + 2]
            if following in ("=", "!"):
                self.at += 2
                return self.behind(following, saved)
            match = re.compile(r"<([a-zA-Z][a-zA-Z0-9]*)>").match(self.source, self.at)
            if match is None:
                raise self.fail("malformed group name")
            if match[1] in self.names:
                raise self.fail(f"group name '{match[1]}' is defined twice")
            self.at = match.end()
            return self.capturing(match[1], saved)

        return self.inline_flags(saved)

    def close(self, saved_flags: int) -> None:
        if self.peek() != ")":
            raise self.fail("unclosed group")
        self.at += 1
        self.flags = saved_flags

    def capturing(self, name: str | None, saved: int) -> _Node:
        self.group_count += 1
        number = self.group_count
        if name is not None:
            self.names[name] = number
        self.open_groups.add(number)
        inner = self.alternation()
        self.close(saved)
        self.open_groups.discard(number)
        opening = "(" if name is None else f"(?P<{name}>"

        return _Node(f"{opening}{inner.text})", inner.low, inner.high, inner.literal)

    def special(self, kind: str, saved: int) -> _Node:
        inner = self.alternation()
        self.close(saved)
        if kind in "=!":
            return _Node(f"(?{kind}{inner.text})", 0, 0)

        return _Node(f"(?{kind}{inner.text})", inner.low, inner.high, inner.literal)

    def behind(self, kind: str, saved: int) -> _Node:
        inner = self.alternation()
        self.close(saved)
        if inner.high is None:
            raise self.fail("look-behind group does not have an obvious maximum length")
        if inner.low != inner.high:
            self.needs_regex = True

        return _Node(f"(?<{kind}{inner.text})", 0, 0)

    def inline_flags(self, saved: int) -> _Node | None:
        turning_on = True
        flags = self.flags
        while True:
            char = self.source[self.at : self.at + 1]
            self.at += 1
            if char == "-" and turning_on:
                turning_on = False
            elif char in _FLAG_LETTERS:
                flags = flags | _FLAG_LETTERS[char] if turning_on else flags & ~_FLAG_LETTERS[char]
            elif char == ")":
                self.flags = flags
                return None
            elif char == ":":
                self.flags = flags
                return self.special(":", saved)
            else:
                self.at -= 1
                raise self.fail("unknown inline modifier" if char else "unknown group type")

    # -- single characters, anchors

    def single(self, code: int) -> _Node:
        char = chr(code)
        if not self.has(CASE_INSENSITIVE):
            return _Node(_escaped(code), 1, 1, char, char)
        ranges = _cased_char(code, self.has(UNICODE_CASE))
        if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
            return _Node(_escaped(code), 1, 1, char if code < 0x80 else "", char if code < 0x80 else None)
        known = char.lower() if code < 0x80 and not self.has(UNICODE_CASE) else None
        if known is not None:
            self.literal_folded = True
        text = _escaped(code) if self.whole_case_blind else _class_text(ranges)

        return _Node(text, 1, 1, known or "", known)

    def class_node(self, ranges: _Ranges) -> _Node:
        text = _class_text(ranges)
        letters = _intersection(ranges, _ALPHA)
        twins = _normal([(low ^ 0x20, high ^ 0x20) for low, high in letters])
        if self.whole_case_blind and twins != letters:
            text = f"(?-i:{text})"

        return _Node(text, 1, 1)

    def dot(self) -> _Node:
        if self.has(DOTALL) or self.plain_lines:
            return _Node("(?s:.)", 1, 1)

        return _Node("[^\\n]" if self.has(UNIX_LINES) else f"[^{_members(_LINE_ENDS)}]", 1, 1)

    def caret(self) -> _Node:
        if not self.has(MULTILINE) or self.plain_lines:
            # In Java `^` of MULTILINE does not match at the very end, not even of an empty text.
            return _Node(r"(?:\A(?!\Z))" if self.has(MULTILINE) else r"\A", 0, 0)
        if self.has(UNIX_LINES):
            return _Node(r"(?:(?:\A|(?<=\n))(?!\Z))", 0, 0)

        return _Node(r"(?:(?:\A|(?<=[\n\x85\u2028\u2029])|(?<=\r)(?!\n))(?!\Z))", 0, 0)

    def dollar(self) -> _Node:
        if self.plain_lines:
            return _Node(r"\Z", 0, 0)
        if self.has(UNIX_LINES):
            return _Node(r"(?:\Z|(?=\n))" if self.has(MULTILINE) else r"(?:\Z|(?=\n\Z))", 0, 0)
        if self.has(MULTILINE):
            return _Node(r"(?:\Z|(?=[\r\x85\u2028\u2029])|(?<!\r)(?=\n))", 0, 0)

        return _Node(r"(?:\Z|(?=(?:\r\n|[\r\x85\u2028\u2029])\Z)|(?<!\r)(?=\n\Z))", 0, 0)

    def word_edge(self, char: str) -> _Node:
        if self.has(UNICODE_CHARACTER_CLASS):
            word = _property(_BINARY["WORD"])
        else:
            word = _union(_property(r"\p{L}\p{Nd}"), _chars("_"))
        if self.plain_lines:
            word = _intersection(word, _WORD) if not self.has(UNICODE_CHARACTER_CLASS) else word
        inside = f"[{_members(word)}]"
        if self.whole_case_blind:
            inside = f"(?-i:{inside})"
        if char == "b":
            return _Node(f"(?:(?<={inside})(?!{inside})|(?<!{inside})(?={inside}))", 0, 0)

        return _Node(f"(?:(?<={inside})(?={inside})|(?<!{inside})(?!{inside}))", 0, 0)

    # -- escapes outside a class

    def escape(self) -> _Node:
        self.at += 1
        char = self.source[self.at : self.at + 1]
        if char == "":
            raise self.fail("unexpected end after '\\'")
        shorthand = self.shorthand(char)
        if shorthand is not None:
            return self.class_node(shorthand)
        if char in "123456789":
            return self.back_reference()
        self.at += 1
        if char == "k":
            return self.named_reference()
        if char == "A":
            return _Node(r"\A", 0, 0)
        if char == "z":
            return _Node(r"\Z", 0, 0)
        if char == "Z":
            saved = self.flags
            self.flags &= ~MULTILINE
            node = self.dollar()
            self.flags = saved
            return node
        if char == "G":
            self.needs_regex = True
            return _Node(r"\G", 0, 0)
        if char in "bB":
            if self.source.startswith("{g}", self.at):
                raise self.fail("\\b{g} is not supported")
            return self.word_edge(char)
        if char == "R":
            return _Node("(?:\\r\\n|[\\n\\x0b\\f\\r\\x85\\u2028\\u2029])", 1, 2)
        if char == "X":
            self.needs_regex = True
            return _Node(r"\X", 1, None)
        self.at -= 1

        return self.single(self.escaped_code(char))

    def back_reference(self) -> _Node:
        number = int(self.source[self.at])
        self.at += 1
        while self.source[self.at : self.at + 1] in tuple("0123456789"):
            longer = number * 10 + int(self.source[self.at])
            if longer > self.group_count:
                break
            number = longer
            self.at += 1

        return self.reference(number)

    def named_reference(self) -> _Node:
        match = re.compile(r"<([a-zA-Z][a-zA-Z0-9]*)>").match(self.source, self.at)
        if match is None:
            raise self.fail("\\k is not followed by '<name>'")
        if match[1] not in self.names:
            raise self.fail(f"named capturing group '{match[1]}' does not exist")
        self.at = match.end()

        return self.reference(self.names[match[1]])

    def reference(self, number: int) -> _Node:
        if number > self.group_total:
            return _Node("(?!)", 0, 0)
        if number in self.open_groups:
            raise self.fail(f"a reference to group {number} inside that group is not supported")
        if number > self.group_count:
            self.needs_regex = True
        text = f"(?:\\{number})"
        if self.has(CASE_INSENSITIVE) and not self.whole_case_blind:
            text = f"(?i:\\{number})"

        # The width of what the group took is not known here; Java gives look-behinds no bound either.
        return _Node(text, 0, None)

    # -- what means the same inside a class and outside

    def shorthand(self, char: str) -> _Ranges | None:
        """The set of `\\d`, `\\p{…}` and their like at the cursor, which then stands behind it; else None."""
        ranges: _Ranges
        if char in "dD":
            ranges = _property(r"\p{Nd}") if self.has(UNICODE_CHARACTER_CLASS) else _DIGIT
        elif char in "wW":
            ranges = _property(_BINARY["WORD"]) if self.has(UNICODE_CHARACTER_CLASS) else _WORD
        elif char in "sS":
            ranges = _property(r"\p{White_Space}") if self.has(UNICODE_CHARACTER_CLASS) else _SPACE
        elif char in "hH":
            ranges = _HORIZONTAL
        elif char in "vV":
            ranges = _VERTICAL
        elif char in "pP":
            self.at += 1
            ranges = self.property_set()
            return _negated(ranges) if char == "P" else ranges
        else:
            return None
        self.at += 1

        return _negated(ranges) if char.isupper() else ranges

    def property_set(self) -> _Ranges:
        if self.source.startswith("{", self.at):
            end = self.source.find("}", self.at)
            if end < 0:
                raise self.fail("unclosed character family")
            name = self.source[self.at + 1 : end]
            self.at = end + 1
            if not name:
                raise self.fail("empty character family")
        else:
            name = self.source[self.at : self.at + 1]
            self.at += 1
            if not name:
                raise self.fail("unexpected end after '\\p'")

        return self.named_set(name)

    def named_set(self, name: str) -> _Ranges:
        key, equals, value = name.partition("=")
        try:
            if equals:
                return self.keyed_set(key.lower(), value)
            if name.startswith("In"):
                return _property(rf"\p{{block={_loose(name[2:])}}}")
            if name.startswith("Is"):
                return self.is_set(name[2:])
            if name.startswith("java") and name[4:] in _JAVA_METHODS:
                return self.either_case(name[4:], _property(_JAVA_METHODS[name[4:]]))
            if name in _POSIX:
                return self.posix_set(name)
            if name == "L1":
                return ((0, 0xFF),)
            if name == "all":
                return ((0, _MAX_CODE),)
            if name == "LD":
                return _property(r"\p{L}\p{Nd}")
            if name in _CATEGORIES:
                return self.category(name)
        except regex.error:
            pass
        raise self.fail(f"unknown character property name {{{name}}}")

    def keyed_set(self, key: str, value: str) -> _Ranges:
        if key in ("sc", "script"):
            return _property(rf"\p{{script={_loose(value)}}}")
        if key in ("blk", "block"):
            return _property(rf"\p{{block={_loose(value)}}}")
        if key in ("gc", "general_category") and value in _CATEGORIES:
            return self.category(value)
        raise self.fail(f"unknown character property {{{key}={value}}}")

    def is_set(self, name: str) -> _Ranges:
        if name.upper() in _BINARY:
            return self.either_case(name.upper(), _property(_BINARY[name.upper()]))
        if name in _CATEGORIES:
            return self.category(name)

        return _property(rf"\p{{script={_loose(name)}}}")

    def category(self, name: str) -> _Ranges:
        members = r"\p{Lu}\p{Ll}\p{Lt}" if name == "LC" or self.cased_name(name) else rf"\p{{{name}}}"

        return _property(members)

    def cased_name(self, name: str) -> bool:
        return name in ("Lu", "Ll", "Lt") and self.has(CASE_INSENSITIVE)

    def either_case(self, name: str, ranges: _Ranges) -> _Ranges:
        """Under CASE_INSENSITIVE the lower, upper and title case properties all mean: has case."""
        if not self.has(CASE_INSENSITIVE):
            return ranges
        if name.upper() in ("LOWERCASE", "UPPERCASE", "TITLECASE"):
            return _property(r"\p{Lowercase}\p{Uppercase}\p{Lt}")

        return ranges

    def posix_set(self, name: str) -> _Ranges:
        if self.has(CASE_INSENSITIVE) and name in ("Lower", "Upper"):
            if self.has(UNICODE_CHARACTER_CLASS):
                return _property(r"\p{Lowercase}\p{Uppercase}\p{Lt}")
            return _ALPHA
        if not self.has(UNICODE_CHARACTER_CLASS):
            return _POSIX[name]
        if name == "Blank":
            return _property(r"\p{Zs}\t")
        if name == "Graph":
            return _negated(_property(r"\p{White_Space}\p{Cc}\p{Cs}\p{Cn}"))
        if name == "Print":
            graph = _negated(_property(r"\p{White_Space}\p{Cc}\p{Cs}\p{Cn}"))
            return _union(graph, _property(r"\p{Zs}"))

        return _property(_UNICODE_POSIX[name])

    def escaped_code(self, char: str) -> int:
        """The code point of the escape whose letter `char` stands at the cursor; moves behind it."""
        simple = {"t": 9, "n": 10, "r": 13, "f": 12, "a": 7, "e": 27}
        if char in simple:
            self.at += 1
            return simple[char]
        if char == "0":
            match = re.compile(r"0([0-3][0-7]{1,2}|[0-7]{1,2})").match(self.source, self.at)
            if match is None:
                raise self.fail("illegal octal escape sequence")
            self.at = match.end()
            return int(match[1], 8)
        if char == "x":
            match = re.compile(r"x(?:([0-9a-fA-F]{2})|\{([0-9a-fA-F]+)\})").match(self.source, self.at)
            if match is None:
                raise self.fail("illegal hexadecimal escape sequence")
            code = int(match[1] or match[2], 16)
            if code > _MAX_CODE:
                raise self.fail("hexadecimal codepoint is too big")
            self.at = match.end()
            return code
        if char == "u":
            return self.unicode_escape()
        if char == "c":
            control = self.source[self.at + 1 : self.at + 2]
            if not control:
                raise self.fail("illegal control escape sequence")
            self.at += 2
            return ord(control) ^ 64
        if char == "N":
            match = re.compile(r"N\{([^}]*)\}").match(self.source, self.at)
            if match is None:
                raise self.fail("illegal character name escape sequence")
            try:
                code = ord(unicodedata.lookup(match[1]))
            except KeyError:
                raise self.fail(f"unknown character name [{match[1]}]") from None
            self.at = match.end()
            return code
        if char.isascii() and char.isalpha():
            raise self.fail(f"illegal/unsupported escape sequence '\\{char}'")
        self.at += 1

        return ord(char)

    def unicode_escape(self) -> int:
        hexes = re.compile(r"u([0-9a-fA-F]{4})")
        match = hexes.match(self.source, self.at)
        if match is None:
            raise self.fail("illegal Unicode escape sequence")
        self.at = match.end()
        code = int(match[1], 16)
        if 0xD800 <= code < 0xDC00 and self.source.startswith("\\", self.at):
            second = hexes.match(self.source, self.at + 1)
            if second is not None and 0xDC00 <= int(second[1], 16) < 0xE000:
                self.at = second.end()
                return 0x10000 + ((code - 0xD800) << 10) + int(second[1], 16) - 0xDC00

        return code

    # -- classes

    def char_class(self, nested: bool = True) -> _Ranges:
        """The set of a class whose `[` is behind the cursor.

        Java's reading: items add up; `&&` intersects all before it with what follows; a leading `^` negates
        the whole. `nested=False` reads a right-hand side of `&&` that starts without a bracket: it goes up to
        the `]` of the class around it, later `&&` included.
        """
        negative = False
        if nested and self.peek() == "^":
            self.at += 1
            negative = True
        members: _Ranges | None = None
        while True:
            char = self.peek()
            if char == "":
                raise self.fail("unclosed character class")
            if char == "]" and members is not None:
                if nested:
                    self.at += 1
                break
            if char == "[":
                self.at += 1
                members = _union(members or (), self.char_class())
                continue
            if char == "&" and self.source.startswith("&&", self.at):
                members = self.intersected(members)
                continue
            members = _union(members or (), self.class_item(char))

        return _negated(members) if negative else members

    def intersected(self, left: _Ranges | None) -> _Ranges:
        self.at += 2
        right: _Ranges | None = None
        while True:
            char = self.peek()
            if char == "":
                raise self.fail("unclosed character class")
            if char in "]&":
                break
            if char == "[":
                self.at += 1
                right = _union(right or (), self.char_class())
            else:
                right = _union(right or (), self.char_class(nested=False))
        if right is None:
            if left is None:
                raise self.fail("bad class syntax")
            return left

        return right if left is None else _intersection(left, right)

    def class_item(self, char: str) -> _Ranges:
        if char == "\\":
            self.at += 1
            letter = self.source[self.at : self.at + 1]
            if letter == "":
                raise self.fail("unexpected end after '\\'")
            shorthand = self.shorthand(letter)
            if shorthand is not None:
                return shorthand
            low = self.class_escape(letter)
        else:
            self.at += 1
            low = ord(char)
        if self.peek() == "-":
            saved = self.at
            self.at += 1
            following = self.peek()
            if following in ("]", "[", ""):
                self.at = saved
            else:
                return self.class_range(low, following)

        return self.class_member(low, low)

    def class_range(self, low: int, following: str) -> _Ranges:
        self.at += 1
        if following == "\\":
            letter = self.source[self.at : self.at + 1]
            if letter == "" or letter in "dDwWsShHvVpP":
                raise self.fail("illegal character range")
            high = self.class_escape(letter)
        else:
            high = ord(following)
        if high < low:
            raise self.fail("illegal character range")

        return self.class_member(low, high)

    def class_escape(self, letter: str) -> int:
        if letter in "123456789" or letter in "AbBGkRXzZ":
            raise self.fail(f"illegal/unsupported escape sequence '\\{letter}'")

        return self.escaped_code(letter)

    def class_member(self, low: int, high: int) -> _Ranges:
        if not self.has(CASE_INSENSITIVE):
            return ((low, high),)

        if low == high:
            return _cased_char(low, self.has(UNICODE_CASE))

        return _cased_range(low, high, self.has(UNICODE_CASE))


def _loose(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_ \-]+", name):
        raise regex.error("bad name")

    return name


_UNIT = re.compile(r"\\(?:x..|u....|U........|.)|\[(?:[^\]\\]|\\.)*\]|[^\\\[\](){}*+?|^$.]", re.DOTALL)


def _is_unit(text: str) -> bool:
    if _UNIT.fullmatch(text):
        # An anchor is no unit: `re` refuses to repeat it bare.
        return text not in (r"\A", r"\Z", r"\G")

    return text.startswith("(") and _closes_at_end(text)


def _closes_at_end(text: str) -> bool:
    depth, index, in_class = 0, 0, False
    while index < len(text):
        char = text[index]
        if char == "\\":
            index += 2
            continue
        if in_class:
            in_class = char != "]"
        elif char == "[":
            in_class = True
        elif char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
            if depth == 0:
                return index == len(text) - 1
        index += 1

    return False


# ---------------------------------------------------------------------------------------------------------
# Replacement strings


def parse_replacement(replacement: str, groups: int, names: dict[str, int]) -> tuple[str | int, ...]:
    """A Java replacement string as literal texts and group numbers.

    `$12` takes digits only as long as such a group exists, `${name}` a named group, `\\` escapes the next
    character (java.util.regex.Matcher.appendReplacement).

    :raises JavaReplacementError: malformed, or a group that does not exist
    """
    parts: list[str | int] = []
    index = 0

    def text(piece: str) -> None:
        if parts and isinstance(parts[-1], str):
            parts[-1] += piece
        else:
            parts.append(piece)

    while index < len(replacement):
        char = replacement[index]
        index += 1
        if char == "\\":
            if index == len(replacement):
                raise JavaReplacementError(
                    f"character to be escaped is missing at the end of {replacement!r}"
                )
            text(replacement[index])
            index += 1
        elif char != "$":
            text(char)
        elif index == len(replacement):
            raise JavaReplacementError(f"group index is missing at the end of {replacement!r}")
        elif replacement[index] == "{":
            match = re.compile(r"\{([a-zA-Z0-9]*)(\}?)").match(replacement, index)
            assert match is not None
            name = match[1]
            if not name:
                raise JavaReplacementError(f"named group reference without a name in {replacement!r}")
            if not match[2]:
                raise JavaReplacementError(
                    f"named group reference '{name}' lacks its '}}' in {replacement!r}"
                )
            if name[0].isdigit():
                raise JavaReplacementError(f"group name '{name}' starts with a digit in {replacement!r}")
            if name not in names:
                raise JavaReplacementError(f"no group with name '{name}'")
            parts.append(names[name])
            index = match.end()
        elif replacement[index] not in "0123456789":
            raise JavaReplacementError(f"illegal group reference in {replacement!r}")
        else:
            number = int(replacement[index])
            index += 1
            if number > groups:
                raise JavaReplacementError(f"no group {number}")
            while index < len(replacement) and replacement[index] in "0123456789":
                longer = number * 10 + int(replacement[index])
                if longer > groups:
                    break
                number = longer
                index += 1
            parts.append(number)

    return tuple(parts)


def quote(text: str) -> str:
    r"""A Java pattern that matches exactly this text (`Pattern.quote`)."""
    if r"\E" not in text:
        return rf"\Q{text}\E"

    return r"\Q" + text.replace(r"\E", r"\E\\E\Q") + r"\E"


def quote_replacement(text: str) -> str:
    """A replacement string that puts in exactly this text (`Matcher.quoteReplacement`)."""
    return text.replace("\\", "\\\\").replace("$", "\\$")


# ---------------------------------------------------------------------------------------------------------


class JavaPattern:
    """A compiled Java pattern. Made by `compile_java`; immutable, may be shared.

    `groups` is the number of capturing groups, `names` their numbers by name. `python` and `uses_regex` tell
    what the engine was given. `required` is a text that everything found contains (empty: none known), to be
    looked for in the lower-cased text if `required_folded`.

    Every method that matches raises `JavaRegexTimeout` where the pattern has a time bound and it ran out.
    """

    def __init__(self, pattern: str, flags: int, timeout_s: float | None, plain_lines: bool) -> None:
        if flags & CANON_EQ:
            raise JavaRegexError("flag CANON_EQ is not supported", pattern, 0)
        parser = _Parser(
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
        self.uses_regex = parser.needs_regex or timeout_s is not None
        self.required = node.literal
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
        try:
            if with_regex:
                return regex.compile(
                    self.python, regex.ASCII | regex.VERSION0 | (regex.IGNORECASE if self._blind else 0)
                )
            try:
                return re.compile(self.python, re.ASCII | (re.IGNORECASE if self._blind else 0))
            except (re.error, OverflowError):
                self.uses_regex = True
                return self._compiled(True)
        except (regex.error, OverflowError) as error:
            raise JavaRegexError(f"not supported here ({error})", self.pattern, 0) from None

    def __repr__(self) -> str:
        return f"JavaPattern({self.pattern!r}, {self.flags})"

    @property
    def engine_search(self) -> Any:
        """The engine's own bound `search(text)`, for loops in which each call counts; no time bound."""
        return self._engine.search

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
        return JavaRegexTimeout(f"{self.pattern!r} took longer than {self.timeout_s} s")


@lru_cache(maxsize=1024)
def compile_java(
    pattern: str, flags: int = 0, *, timeout_s: float | None = None, plain_lines: bool = False
) -> JavaPattern:
    """Compile a Java regular expression.

    `flags` are Java's numbers (2 = CASE_INSENSITIVE, ASCII only unless UNICODE_CASE). `timeout_s` bounds each
    single match operation. `plain_lines` promises that texts hold no line terminator and that only ASCII
    letters, digits and `_` make words (URLs): `$`, `.` and `\\b` then cost less.

    :raises JavaRegexError: not a Java pattern, or one that is not supported; with the place
    """
    return JavaPattern(pattern, flags, timeout_s, plain_lines)
