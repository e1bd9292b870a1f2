"""One Java pattern read and written anew for the engines of Python."""

from __future__ import annotations

import re
from typing import cast

from pubweave.core.reading.java_regex.classes import ClassReader
from pubweave.core.reading.java_regex.sets import (
    ALPHA,
    BINARY,
    LETTERS_AND_DIGITS,
    LINE_ENDS,
    MAX_CODE,
    NUMBERS_WITHOUT_DIGITS,
    Ranges,
    cased_char,
    intersection,
    negated,
    normal,
    property_ranges,
)
from pubweave.core.reading.java_regex.terms import (
    CASE_INSENSITIVE,
    COMMENTS,
    DOTALL,
    LITERAL,
    MULTILINE,
    UNICODE_CASE,
    UNICODE_CHARACTER_CLASS,
    UNIX_LINES,
)

_FLAG_LETTERS = {
    "d": UNIX_LINES,
    "i": CASE_INSENSITIVE,
    "x": COMMENTS,
    "m": MULTILINE,
    "s": DOTALL,
    "u": UNICODE_CASE,
    "U": UNICODE_CHARACTER_CLASS | UNICODE_CASE,
}
_MAX_REPEAT = 0x7FFFFFFF

WORD_CHARACTER = "\ue000"
"""Stands for a letter, digit or `_` beside `\\b`, until `for_engine` writes it as the engine likes it best."""


def for_engine(text: str, with_regex: bool, ascii_only: bool) -> str:
    """The parsed text for `re`, or for `regex` with or without its ASCII flag.

    Written out, the letters of all scripts are 750 ranges, which takes long to compile.
    """
    if WORD_CHARACTER not in text:
        return text
    if not with_regex:
        # All that `re` takes for letters and numbers, without the numbers that are no digits to Java.
        word = f"(?u:[^\\W{_members(property_ranges(NUMBERS_WITHOUT_DIGITS))}])"
    elif ascii_only:
        word = f"(?-i:[{_members(property_ranges(LETTERS_AND_DIGITS))}_])"
    else:
        word = f"[{LETTERS_AND_DIGITS}_]"

    return text.replace(WORD_CHARACTER, word)


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


def _members(ranges: Ranges) -> str:
    parts = []
    for low, high in ranges:
        parts.append(_escaped(low))
        if high > low:
            parts.append(_escaped(high) if high == low + 1 else "-" + _escaped(high))

    return "".join(parts)


def _class_text(ranges: Ranges) -> str:
    if not ranges:
        return "(?!)"
    if ranges == ((0, MAX_CODE),):
        return "(?s:.)"
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return _escaped(ranges[0][0])
    other = negated(ranges)
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


class Parser(ClassReader):
    """Recursive descent over one Java pattern; `text` after `parse()` is the pattern for Python."""

    def __init__(self, pattern: str, flags: int, plain_lines: bool) -> None:
        super().__init__(pattern, flags)
        self.plain_lines = plain_lines
        self.group_count = 0
        self.open_groups: set[int] = set()
        self.names: dict[str, int] = {}
        self.group_total = 0
        self.needs_regex = False
        self.literal_folded = False
        self.whole_case_blind = self._case_blind_throughout()

    def _case_blind_throughout(self) -> bool:
        """True where letter case never counts, so that the engine's own flag can do it (faster)."""
        if self.source.startswith("(?i)") and not self.flags & LITERAL:
            self.at = 4
            self.flags |= CASE_INSENSITIVE
        if not self.flags & CASE_INSENSITIVE or self.flags & (UNICODE_CASE | UNICODE_CHARACTER_CLASS):
            return False
        groups = re.findall(r"\(\?([a-zA-Z-]*+)[:)]", self.source[self.at :])
        return not any(letter in flags for flags in groups for letter in "iuU")

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
        ranges = cased_char(code, self.has(UNICODE_CASE))
        if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
            return _Node(_escaped(code), 1, 1, char if code < 0x80 else "", char if code < 0x80 else None)
        known = char.lower() if code < 0x80 and not self.has(UNICODE_CASE) else None
        if known is not None:
            self.literal_folded = True
        text = _escaped(code) if self.whole_case_blind else _class_text(ranges)

        return _Node(text, 1, 1, known or "", known)

    def class_node(self, ranges: Ranges) -> _Node:
        text = _class_text(ranges)
        letters = intersection(ranges, ALPHA)
        twins = normal([(low ^ 0x20, high ^ 0x20) for low, high in letters])
        if self.whole_case_blind and twins != letters:
            text = f"(?-i:{text})"

        return _Node(text, 1, 1)

    def dot(self) -> _Node:
        if self.has(DOTALL) or self.plain_lines:
            return _Node("(?s:.)", 1, 1)

        return _Node("[^\\n]" if self.has(UNIX_LINES) else f"[^{_members(LINE_ENDS)}]", 1, 1)

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
        inside = WORD_CHARACTER
        if self.has(UNICODE_CHARACTER_CLASS):
            inside = f"[{_members(property_ranges(BINARY['WORD']))}]"
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
