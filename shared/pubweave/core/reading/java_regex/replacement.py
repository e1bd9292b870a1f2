"""Java's replacement strings."""

from __future__ import annotations

import re

from pubweave.core.reading.java_regex.terms import JavaReplacementError


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
