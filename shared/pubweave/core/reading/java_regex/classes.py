"""What means the same inside a character class and outside, and the classes themselves."""

from __future__ import annotations

import re
import unicodedata

import regex  # type: ignore[import-untyped]

from pubweave.core.reading.java_regex.sets import (
    ALPHA,
    BINARY,
    CATEGORIES,
    DIGIT,
    HORIZONTAL,
    JAVA_METHODS,
    MAX_CODE,
    POSIX,
    SPACE,
    UNICODE_POSIX,
    VERTICAL,
    WORD,
    Ranges,
    cased_char,
    cased_range,
    intersection,
    negated,
    property_ranges,
    union,
)
from pubweave.core.reading.java_regex.terms import (
    CASE_INSENSITIVE,
    COMMENTS,
    UNICODE_CASE,
    UNICODE_CHARACTER_CLASS,
    UNIX_LINES,
    JavaRegexError,
)


class ClassReader:
    """A cursor (`at`) over a pattern, with the flags that hold there; reads escapes and classes."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.original = pattern
        self.source = self._unquoted(pattern)
        self.at = 0
        self.flags = flags

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

    # -- what means the same inside a class and outside

    def shorthand(self, char: str) -> Ranges | None:
        """The set of `\\d`, `\\p{…}` and their like at the cursor, which then stands behind it; else None."""
        ranges: Ranges
        if char in "dD":
            ranges = property_ranges(r"\p{Nd}") if self.has(UNICODE_CHARACTER_CLASS) else DIGIT
        elif char in "wW":
            ranges = property_ranges(BINARY["WORD"]) if self.has(UNICODE_CHARACTER_CLASS) else WORD
        elif char in "sS":
            ranges = property_ranges(r"\p{White_Space}") if self.has(UNICODE_CHARACTER_CLASS) else SPACE
        elif char in "hH":
            ranges = HORIZONTAL
        elif char in "vV":
            ranges = VERTICAL
        elif char in "pP":
            self.at += 1
            ranges = self.property_set()
            return negated(ranges) if char == "P" else ranges
        else:
            return None
        self.at += 1

        return negated(ranges) if char.isupper() else ranges

    def property_set(self) -> Ranges:
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

    def named_set(self, name: str) -> Ranges:
        key, equals, value = name.partition("=")
        try:
            if equals:
                return self.keyed_set(key.lower(), value)
            if name.startswith("In"):
                return property_ranges(rf"\p{{block={_loose(name[2:])}}}")
            if name.startswith("Is"):
                return self.is_set(name[2:])
            if name.startswith("java") and name[4:] in JAVA_METHODS:
                return self.either_case(name[4:], property_ranges(JAVA_METHODS[name[4:]]))
            if name in POSIX:
                return self.posix_set(name)
            if name == "L1":
                return ((0, 0xFF),)
            if name == "all":
                return ((0, MAX_CODE),)
            if name == "LD":
                return property_ranges(r"\p{L}\p{Nd}")
            if name in CATEGORIES:
                return self.category(name)
        except regex.error:
            pass
        raise self.fail(f"unknown character property name {{{name}}}")

    def keyed_set(self, key: str, value: str) -> Ranges:
        if key in ("sc", "script"):
            return property_ranges(rf"\p{{script={_loose(value)}}}")
        if key in ("blk", "block"):
            return property_ranges(rf"\p{{block={_loose(value)}}}")
        if key in ("gc", "general_category") and value in CATEGORIES:
            return self.category(value)
        raise self.fail(f"unknown character property {{{key}={value}}}")

    def is_set(self, name: str) -> Ranges:
        if name.upper() in BINARY:
            return self.either_case(name.upper(), property_ranges(BINARY[name.upper()]))
        if name in CATEGORIES:
            return self.category(name)

        return property_ranges(rf"\p{{script={_loose(name)}}}")

    def category(self, name: str) -> Ranges:
        members = r"\p{Lu}\p{Ll}\p{Lt}" if name == "LC" or self.cased_name(name) else rf"\p{{{name}}}"

        return property_ranges(members)

    def cased_name(self, name: str) -> bool:
        return name in ("Lu", "Ll", "Lt") and self.has(CASE_INSENSITIVE)

    def either_case(self, name: str, ranges: Ranges) -> Ranges:
        """Under CASE_INSENSITIVE the lower, upper and title case properties all mean: has case."""
        if not self.has(CASE_INSENSITIVE):
            return ranges
        if name.upper() in ("LOWERCASE", "UPPERCASE", "TITLECASE"):
            return property_ranges(r"\p{Lowercase}\p{Uppercase}\p{Lt}")

        return ranges

    def posix_set(self, name: str) -> Ranges:
        if self.has(CASE_INSENSITIVE) and name in ("Lower", "Upper"):
            if self.has(UNICODE_CHARACTER_CLASS):
                return property_ranges(r"\p{Lowercase}\p{Uppercase}\p{Lt}")
            return ALPHA
        if not self.has(UNICODE_CHARACTER_CLASS):
            return POSIX[name]
        if name == "Blank":
            return property_ranges(r"\p{Zs}\t")
        if name == "Graph":
            return negated(property_ranges(r"\p{White_Space}\p{Cc}\p{Cs}\p{Cn}"))
        if name == "Print":
            graph = negated(property_ranges(r"\p{White_Space}\p{Cc}\p{Cs}\p{Cn}"))
            return union(graph, property_ranges(r"\p{Zs}"))

        return property_ranges(UNICODE_POSIX[name])

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
            if code > MAX_CODE:
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

    def char_class(self, nested: bool = True) -> Ranges:
        """The set of a class whose `[` is behind the cursor.

        Java's reading: items add up; `&&` intersects all before it with what follows; a leading `^` negates
        the whole. `nested=False` reads a right-hand side of `&&` that starts without a bracket: it goes up to
        the `]` of the class around it, later `&&` included.
        """
        negative = False
        if nested and self.peek() == "^":
            self.at += 1
            negative = True
        members: Ranges | None = None
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
                members = union(members or (), self.char_class())
                continue
            if char == "&" and self.source.startswith("&&", self.at):
                members = self.intersected(members)
                continue
            members = union(members or (), self.class_item(char))

        return negated(members) if negative else members

    def intersected(self, left: Ranges | None) -> Ranges:
        self.at += 2
        right: Ranges | None = None
        while True:
            char = self.peek()
            if char == "":
                raise self.fail("unclosed character class")
            if char in "]&":
                break
            if char == "[":
                self.at += 1
                right = union(right or (), self.char_class())
            else:
                right = union(right or (), self.char_class(nested=False))
        if right is None:
            if left is None:
                raise self.fail("bad class syntax")
            return left

        return right if left is None else intersection(left, right)

    def class_item(self, char: str) -> Ranges:
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

    def class_range(self, low: int, following: str) -> Ranges:
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

    def class_member(self, low: int, high: int) -> Ranges:
        if not self.has(CASE_INSENSITIVE):
            return ((low, high),)

        if low == high:
            return cased_char(low, self.has(UNICODE_CASE))

        return cased_range(low, high, self.has(UNICODE_CASE))


def _loose(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_ \-]+", name):
        raise regex.error("bad name")

    return name
