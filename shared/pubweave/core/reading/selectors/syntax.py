"""Reads a selector of jsoup's dialect into groups, chains and compounds of conditions.

Sources: jsoup's documentation of `Selector`, CSS Syntax 3 for identifiers and escapes, and for what both leave
open the answers of jsoup 1.21 (the conformance table in the tests).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from pubweave.core.reading.selectors import conditions
from pubweave.core.reading.selectors.chains import Chain, ChainGroup, Compound, has, is_any, is_not
from pubweave.core.reading.selectors.conditions import Condition
from pubweave.core.reading.selectors.errors import SelectorError
from pubweave.core.reading.selectors.patterns import Finder, compile_finder

_BLANK = " \t\n\r\f"
_COMBINATORS = ">+~"
_OPERATORS = re.compile(r"!=|\^=|\$=|\*=|~=|=")
_NTH = re.compile(r"([+-]?\d*)n(?:\s*+([+-]?+)\s*+(\d+))?")
_OFFSET = re.compile(r"[+-]?\d+")
_ESCAPE = re.compile(r"\\(?:([0-9A-Fa-f]{1,6})[ \t\n\f\r]?|([^\n\r\f]))", re.DOTALL)

_WITHOUT_ARGUMENT: dict[str, Callable[[], Condition]] = {
    "first-child": lambda: conditions.nth(0, 1, from_end=False, of_type=False),
    "last-child": lambda: conditions.nth(0, 1, from_end=True, of_type=False),
    "first-of-type": lambda: conditions.nth(0, 1, from_end=False, of_type=True),
    "last-of-type": lambda: conditions.nth(0, 1, from_end=True, of_type=True),
    "only-child": conditions.only_child,
    "only-of-type": conditions.only_of_type,
    "empty": conditions.empty,
    "blank": conditions.blank,
    "root": conditions.root,
    "matchText": conditions.match_text,
}
_WITH_INDEX = {"eq": conditions.index_is, "lt": conditions.index_below, "gt": conditions.index_above}
_WITH_TEXT = {
    "contains": conditions.contains,
    "containsOwn": conditions.contains_own,
    "containsWholeText": conditions.contains_whole,
    "containsWholeOwnText": conditions.contains_whole_own,
    "containsData": conditions.contains_data,
}
_FOLDED = ("contains", "containsOwn", "containsData")
_NORMALISED = ("contains", "containsOwn")
_WITH_PATTERN: dict[str, Callable[[Finder], Condition]] = {
    "matches": conditions.matches,
    "matchesOwn": conditions.matches_own,
    "matchesWholeText": conditions.matches_whole,
    "matchesWholeOwnText": conditions.matches_whole_own,
}
_WITH_SELECTOR = {"has": has, "is": is_any, "not": is_not}
_WITH_PLACE = {
    "nth-child": (False, False),
    "nth-last-child": (True, False),
    "nth-of-type": (False, True),
    "nth-last-of-type": (True, True),
}


def parse(text: str) -> ChainGroup:
    """The selector's groups, ready to match.

    :raises SelectorError: nothing was compiled
    """
    if not text.strip():
        raise SelectorError(text, 0, "the selector is empty")
    reader = _SelectorText(text)
    group = reader.group()
    reader.blanks()
    if reader.more:
        raise reader.error(f"{reader.here!r} was not expected")
    return group


class _SelectorText:
    """A place in a selector's text, moving to the right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    @property
    def more(self) -> bool:
        return self._at < len(self._text)

    @property
    def here(self) -> str:
        return self._text[self._at] if self.more else "the end"

    def error(self, reason: str, at: int | None = None) -> SelectorError:
        return SelectorError(self._text, self._at if at is None else at, reason)

    def blanks(self) -> bool:
        start = self._at
        while self.more and self._text[self._at] in _BLANK:
            self._at += 1
        return self._at > start

    def take(self, wanted: str) -> bool:
        if self._text.startswith(wanted, self._at):
            self._at += len(wanted)
            return True
        return False

    def group(self) -> ChainGroup:
        chains = [self.chain()]
        while self.take(","):
            chains.append(self.chain())
        return ChainGroup(tuple(chains))

    def chain(self) -> Chain:
        self.blanks()
        compounds: list[Compound] = []
        combinators: list[str] = []
        if self.more and self.here in _COMBINATORS:
            compounds.append(Compound((conditions.is_scope(),)))
        else:
            compounds.append(self.compound())
        while self.more:
            combinator = " " if self.blanks() else ""
            if self.more and self.here in _COMBINATORS:
                combinator = self.here
                self._at += 1
            if not combinator or not self.more or self.here in ",)":
                if combinator not in ("", " "):
                    raise self.error(f"nothing follows the combinator {combinator!r}")
                break
            combinators.append(combinator)
            compounds.append(self.compound())
        return Chain(tuple(compounds), tuple(combinators))

    def compound(self) -> Compound:
        self.blanks()
        found: list[Condition] = []
        if self.more and (self.here.isalnum() or self._text.startswith("*|", self._at)):
            found.append(self.tag())
        elif self.take("*"):
            found.append(conditions.any_element())
        while self.more:
            if self.take("#"):
                found.append(conditions.id_is(self.identifier("an id")))
            elif self.take("."):
                found.append(conditions.class_is(self.identifier("a class")))
            elif self.here == "[":
                found.append(self.attribute())
            elif self._text.startswith("::", self._at):
                raise self.error("selecting nodes that are no elements ('::') is not supported")
            elif self.take(":"):
                found.append(self.pseudo())
            else:
                break
        if not found:
            raise self.error(f"a selector was expected, not {self.here!r}")
        return Compound(tuple(found))

    def tag(self) -> Condition:
        start = self._at
        name = self.identifier("a tag", also="*|").strip().lower()
        if name.startswith("*|"):
            return conditions.tag_in_any_namespace(name[2:])
        if name.endswith("|*"):
            return conditions.tag_starts(name[:-2] + ":")
        if "*" in name:
            raise self.error("'*' stands alone or beside a namespace's '|'", start)
        return conditions.tag_is(name.replace("|", ":"))

    def identifier(self, kind: str, also: str = "") -> str:
        start = self._at
        found = []
        while self.more:
            c = self.here
            if c.isalnum() or c in "-_" or c in also or ord(c) >= 0x80:
                found.append(c)
                self._at += 1
            elif c == "\\" and (escape := _ESCAPE.match(self._text, self._at)):
                code = int(escape[1], 16) if escape[1] else ord(escape[2])
                found.append(chr(code) if 0 < code <= 0x10FFFF and not 0xD800 <= code < 0xE000 else "\ufffd")
                self._at = escape.end()
            else:
                break
        if not found:
            raise self.error(f"{kind} was expected, not {self.here!r}", start)
        return "".join(found)

    def balanced(self, opening: str, closing: str) -> tuple[str, int]:
        """The text up to the closing mark that belongs to the opening one here, and where it starts."""
        start = self._at
        if not self.more or self.here != opening:
            raise self.error(f"{opening!r} was expected, not {self.here!r}")
        depth = 0
        quote = ""
        literal = False
        while self.more:
            c = self._text[self._at]
            if c == "\\" and self._at + 1 < len(self._text):
                literal = {"Q": True, "E": False}.get(self._text[self._at + 1], literal)
                self._at += 2
                continue
            if not literal:
                if quote:
                    quote = "" if c == quote else quote
                elif c in "'\"":
                    quote = c
                elif c == opening:
                    depth += 1
                elif c == closing:
                    depth -= 1
            self._at += 1
            if depth == 0:
                return self._text[start + 1 : self._at - 1], start + 1
        raise self.error(f"{opening!r} is never closed", start)

    def attribute(self) -> Condition:
        inside, start = self.balanced("[", "]")
        operator = _OPERATORS.search(inside)
        if operator is None:
            name = inside.strip().lower()
            if not name:
                raise self.error("an attribute's name was expected", start)
            if name == "*":
                return conditions.has_attribute_prefix("")
            if name.startswith("^"):
                return conditions.has_attribute_prefix(name[1:])
            return conditions.has_attribute(name)
        name = inside[: operator.start()].strip().lower()
        raw = inside[operator.end() :]
        if not name:
            raise self.error("an attribute's name was expected", start)
        if not raw:
            raise self.error("an attribute's value was expected", start + operator.end())
        if operator[0] == "~=":
            return conditions.attribute_matches(name, self.finder(raw, start + operator.end()))
        in_quotes = len(raw) > 1 and raw[0] == raw[-1] and raw[0] in "'\""
        value = raw[1:-1] if in_quotes else raw
        if not in_quotes or operator[0] not in ("^=", "$="):
            value = value.strip()
        value = value.lower()
        match operator[0]:
            case "=":
                return conditions.attribute_is(name, value)
            case "!=":
                return conditions.attribute_is_not(name, value)
            case "^=":
                return conditions.attribute_starts(name, value)
            case "$=":
                return conditions.attribute_ends(name, value)
        return conditions.attribute_contains(name, value)

    def pseudo(self) -> Condition:
        start = self._at
        name = self.identifier("a pseudo-class")
        if name in _WITHOUT_ARGUMENT:
            return _WITHOUT_ARGUMENT[name]()
        if name in _WITH_SELECTOR:
            return self.with_selector(name)
        if name in _WITH_PLACE:
            inside, at = self.balanced("(", ")")
            step, offset = self.place(inside, at)
            from_end, of_type = _WITH_PLACE[name]
            return conditions.nth(step, offset, from_end=from_end, of_type=of_type)
        if name in _WITH_INDEX:
            inside, at = self.balanced("(", ")")
            if not inside.strip().isdecimal():
                raise self.error(f":{name} needs a whole number from 0", at)
            return _WITH_INDEX[name](int(inside))
        if name in _WITH_TEXT:
            inside, at = self.balanced("(", ")")
            text = re.sub(r"\\(.)", r"\1", inside, flags=re.DOTALL)
            if not text:
                raise self.error(f":{name} needs a text", at)
            if name in _NORMALISED:
                text = re.sub("[ \t\n\f\r\xa0]+", " ", text)
            return _WITH_TEXT[name](text.lower() if name in _FOLDED else text)
        if name in _WITH_PATTERN:
            inside, at = self.balanced("(", ")")
            if not inside:
                raise self.error(f":{name} needs a regular expression", at)
            return _WITH_PATTERN[name](self.finder(inside, at))
        raise self.error(f"there is no pseudo-class ':{name}'", start - 1)

    def with_selector(self, name: str) -> Condition:
        if not self.take("("):
            raise self.error(f":{name} needs a selector in brackets")
        group = self.group()
        self.blanks()
        if not self.take(")"):
            raise self.error(f"')' was expected to close :{name}, not {self.here!r}")
        return _WITH_SELECTOR[name](group)

    def place(self, inside: str, at: int) -> tuple[int, int]:
        argument = inside.strip().lower()
        if argument == "odd":
            return 2, 1
        if argument == "even":
            return 2, 0
        if found := _NTH.fullmatch(argument):
            step = found[1]
            return (
                int(step + "1") if step in ("", "+", "-") else int(step),
                int((found[2] or "") + found[3]) if found[3] else 0,
            )
        if _OFFSET.fullmatch(argument):
            return 0, int(argument)
        raise self.error(f"{argument!r} is no place like 3, odd, even or 2n+1", at)

    def finder(self, pattern: str, at: int) -> Finder:
        try:
            return compile_finder(pattern)
        except ValueError as wrong:
            raise self.error(f"the regular expression {pattern!r} is wrong: {wrong}", at) from wrong
