"""Case files: a definition as bare facts, the stored URLs and the articles that must come of them.

The keys are those of cases made with the Java program: `params`, `param_types`, `root_templates` or
`roots_given`, `pattern_template`, `pattern_flags`, `include_template`, `exclude_template`, `mime_type`,
`aspects` (or null), `full_text_roles_order`, `role_from_others`, `target`, `urls`, `excluded_urls`, `expected`.
Only `urls` and `expected` must be there.
"""

from __future__ import annotations

from typing import Any

import msgspec

from pubweave.articles.iterator.builder import TARGET_ARTICLE, Spec
from pubweave.articles.iterator.definition import Aspect, Definition, DefinitionError, Pattern
from pubweave.articles.iterator.files import ArticleFiles
from pubweave.articles.iterator.order import BadUrlError, UnitInMemory
from pubweave.articles.iterator.templates import Parameters, ParamType, TemplateError

WHOLE_UNIT = "lockssau:"
"""What stands in `roots` where no root is given."""


# LOCKSS has more types than a template treats differently; all others are texts there.
_TYPES = {kind.value: kind for kind in ParamType} | dict.fromkeys(("PosInt", "Long"), ParamType.INT)


class CaseError(ValueError):
    """A case file is not of the right form; the text names the key."""


class CaseAspect(msgspec.Struct):
    """An aspect of a case; `major` repeats whether there are patterns and is not needed."""

    replacements: list[str]
    roles: list[str]
    patterns: list[Pattern] = []
    major: bool | None = None


class CaseArticle(msgspec.Struct):
    """An expected article."""

    full_text_url: str | None = None
    roles: dict[str, str] = {}


class ArticleCase(msgspec.Struct):
    """A case as it stands in its file; unknown keys are let pass."""

    urls: list[tuple[str, str | None]]
    expected: list[CaseArticle]
    id: str = ""
    params: dict[str, str] = {}
    param_types: dict[str, str] = {}
    target: str | None = "Any"
    root_templates: list[str] | None = None
    roots_given: list[str] | None = None
    roots: list[str] | None = None
    pattern_template: str | None = None
    pattern: str | None = None
    pattern_flags: int = 0
    include_template: str | None = None
    exclude_template: str | None = None
    mime_type: str | None = None
    aspects: list[CaseAspect] | None = None
    full_text_roles_order: list[str] = []
    role_from_others: dict[str, list[str]] = {}
    excluded_urls: list[str | tuple[str, str | None]] = []
    error: str | None = None


def read_case(data: bytes) -> ArticleCase:
    """A case from its JSON.

    :raises CaseError: not JSON, or a key is missing or of the wrong kind
    """
    try:
        return msgspec.json.decode(data, type=ArticleCase)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CaseError(f"not a case: {error}") from None


def definition_of(case: ArticleCase) -> Definition:
    """The definition that the case's keys say, templates filled in.

    :raises TemplateError: a template does not fit the parameters
    """
    spec = Spec()
    spec.set_target(None if case.target in (None, "none") else case.target)
    if case.root_templates is not None:
        spec.set_root_templates(case.root_templates)
    elif case.roots_given is not None:
        spec.set_roots(case.roots_given)
    elif case.roots is not None and case.roots != [WHOLE_UNIT]:
        spec.set_roots(case.roots)
    if case.pattern_template is not None:
        spec.set_pattern_template(case.pattern_template, case.pattern_flags)
    elif case.pattern is not None:
        spec.set_pattern(case.pattern, case.pattern_flags)
    if case.include_template is not None:
        spec.set_include_sub_tree_pattern_template(case.include_template)
    if case.exclude_template is not None:
        spec.set_exclude_sub_tree_pattern_template(case.exclude_template)
    if case.mime_type is not None:
        spec.set_mime_type(case.mime_type)
    types = {name: _TYPES.get(kind, ParamType.STRING) for name, kind in case.param_types.items()}
    filled = spec.definition(Parameters(case.params, types))

    return msgspec.structs.replace(
        filled,
        aspects=None
        if case.aspects is None
        else tuple(
            Aspect(tuple(aspect.replacements), tuple(aspect.roles), tuple(aspect.patterns))
            for aspect in case.aspects
        ),
        full_text_order=tuple(case.full_text_roles_order),
        role_from_others=tuple((role, tuple(others)) for role, others in case.role_from_others.items()),
    )


def unit_of(case: ArticleCase) -> UnitInMemory:
    """The stored URLs without those that the crawl rules leave out: these do not exist at all (1)."""
    left_out = {each if isinstance(each, str) else each[0] for each in case.excluded_urls}

    return UnitInMemory([(url, kind or "") for url, kind in case.urls if url not in left_out], case.params)


def outcome(case: ArticleCase, walked: Any) -> str | None:
    """None if the articles that `walked(unit, definition)` gives are the expected ones in their order.

    Otherwise the first difference, in one line.
    """
    try:
        found: list[ArticleFiles] = list(walked(unit_of(case), definition_of(case)))
    except (TemplateError, DefinitionError, BadUrlError) as error:
        return None if case.error is not None else f"cannot be walked: {error}"
    if case.error is not None:
        return f"should have ended with the error {case.error!r}, but gave {len(found)} articles"
    for number, expected in enumerate(case.expected):
        if number >= len(found):
            missing = len(case.expected) - len(found)
            return f"article {number + 1} is missing ({missing} fewer than expected): {_shown(expected)}"
        ours = found[number]
        if ours.full_text_url != expected.full_text_url:
            return (
                f"article {number + 1}: full text is {ours.full_text_url}, expected {expected.full_text_url}"
            )
        for role in sorted({*ours.roles, *expected.roles}):
            if ours.roles.get(role) != expected.roles.get(role):
                return (
                    f"article {number + 1} ({expected.full_text_url}): {role} is {ours.roles.get(role)},"
                    f" expected {expected.roles.get(role)}"
                )
    if len(found) > len(case.expected):
        extra = found[len(case.expected)]
        return f"article {len(case.expected) + 1} is one too many: {_shown(extra)}"

    return None


def _shown(article: ArticleFiles | CaseArticle) -> str:
    roles = ", ".join(f"{role}={url}" for role, url in sorted(article.roles.items()))

    return f"{article.full_text_url} {{{roles}}}"


__all__ = [
    "TARGET_ARTICLE",
    "WHOLE_UNIT",
    "ArticleCase",
    "CaseArticle",
    "CaseAspect",
    "CaseError",
    "definition_of",
    "outcome",
    "read_case",
    "unit_of",
]
