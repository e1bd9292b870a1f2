"""What a plugin declares, with its parameters filled in: plain data, checked by `problems`."""

from __future__ import annotations

import msgspec

from pubweave.core.reading.java_regex import JavaPattern, JavaRegexError, JavaReplacementError, compile_java
from pubweave.core.reading.selectors.patterns import MATCH_TIMEOUT_S

CASE_BLIND = 2
"""Java's CASE_INSENSITIVE, the flag that nearly every plugin uses."""


class DefinitionError(ValueError):
    """A definition cannot be walked; `place` is a path such as `aspects[2].patterns[0]`."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}")
        self.place = place
        self.reason = reason


class Pattern(msgspec.Struct, frozen=True):
    """A Java regular expression with Java's flags (2 = case-blind). A match that takes longer than a second ends the walk
    as `JavaRegexTimeout`: plugins may come from strangers, and so do URLs."""

    regex: str
    flags: int = 0

    def compiled(self, place: str) -> JavaPattern:
        """The pattern for URLs, which hold no line ends.

        :raises DefinitionError: not a Java regular expression
        """
        try:
            return compile_java(self.regex, self.flags, timeout_s=MATCH_TIMEOUT_S, plain_lines=True)
        except JavaRegexError as error:
            raise DefinitionError(place, str(error)) from None


class Aspect(msgspec.Struct, frozen=True):
    """A rendition or component of an article. Major with patterns, minor without (L-42, L-43).

    `replacements` are Java replacement strings, tried in order; `roles` are set together.
    """

    replacements: tuple[str, ...]
    roles: tuple[str, ...]
    patterns: tuple[Pattern, ...] = ()

    @property
    def major(self) -> bool:
        return bool(self.patterns)


class Definition(msgspec.Struct, frozen=True):
    """A plugin for one archival unit.

    `roots` empty: the whole unit. `media_types` empty: not checked. `aspects` None: no builder, every URL that
    passes is an article of its own without roles. `unique` leaves out what the Java program emits twice: what
    an earlier root has emitted, and a URL that is another article's URL of the same aspect with something
    behind the match (`/full/1?v=2` beside `/full/1`). `counting_only` is the target "Article" or none: only the
    owner's roles and the full-text order are done (L-47).
    """

    roots: tuple[str, ...] = ()
    include: Pattern | None = None
    exclude: Pattern | None = None
    pattern: Pattern | None = None
    media_types: tuple[str, ...] = ()
    aspects: tuple[Aspect, ...] | None = None
    full_text_order: tuple[str, ...] = ()
    role_from_others: tuple[tuple[str, tuple[str, ...]], ...] = ()
    counting_only: bool = False
    unique: bool = False


def problems(definition: Definition) -> list[DefinitionError]:
    """All that is wrong with a definition: bad expressions, empty lists, replacements that some URL breaks.

    The walk itself bears a replacement that names a missing group (that URL is skipped, as in the Java
    program); a plugin that does it is wrong all the same.
    """
    found: list[DefinitionError] = []
    for name in ("include", "exclude", "pattern"):
        single: Pattern | None = getattr(definition, name)
        if single is not None:
            _try_compile(single, name, found)
    if definition.aspects is not None and not definition.aspects:
        found.append(DefinitionError("aspects", "must hold at least one aspect"))
    compiled: list[list[tuple[str, JavaPattern]]] = []
    for index, aspect in enumerate(definition.aspects or ()):
        place = f"aspects[{index}]"
        if not aspect.replacements:
            found.append(DefinitionError(f"{place}.replacements", "must hold at least one replacement"))
        if not aspect.roles:
            found.append(DefinitionError(f"{place}.roles", "must hold at least one role"))
        ours = [
            (f"{place}.patterns[{number}]", pattern)
            for number, each in enumerate(aspect.patterns)
            if (pattern := _try_compile(each, f"{place}.patterns[{number}]", found)) is not None
        ]
        compiled.append(ours)
    for index, aspect in enumerate(definition.aspects or ()):
        for number, replacement in enumerate(aspect.replacements):
            place = f"aspects[{index}].replacements[{number}]"
            for other, patterns in enumerate(compiled):
                if other != index:
                    _try_replace(replacement, place, patterns, found)
    if definition.aspects and not any(aspect.major for aspect in definition.aspects):
        found.append(DefinitionError("aspects", "no aspect has patterns, so no URL would ever be an article"))
    first_major = next((at for at, aspect in enumerate(definition.aspects or ()) if aspect.major), 0)
    if first_major:
        reason = "a minor aspect before the first major one makes articles defer to a URL that never is one"
        found.append(DefinitionError("aspects[0]", reason))

    return found


def _try_compile(pattern: Pattern, place: str, found: list[DefinitionError]) -> JavaPattern | None:
    try:
        return pattern.compiled(place)
    except DefinitionError as error:
        found.append(error)
        return None


def _try_replace(
    replacement: str, place: str, patterns: list[tuple[str, JavaPattern]], found: list[DefinitionError]
) -> None:
    for pattern_place, pattern in patterns:
        try:
            pattern.replacement(replacement)
        except JavaReplacementError as error:
            found.append(DefinitionError(place, f"{error}, wanted from {pattern_place}"))
            return
