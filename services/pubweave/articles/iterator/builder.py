"""The builder by which a Python plugin declares what a YAML plugin writes down (L-22 … L-27, L-40 … L-50).

builder = SubTreeArticleIteratorBuilder(au)
builder.set_spec("Any", '"%s", base_url', '"^%s(full|pdf)/", base_url', CASE_BLIND)
builder.add_aspect(r"/full/(\\d+)$", "/full/$1", ROLE_FULL_TEXT_HTML)
builder.add_aspect(r"/pdf/(\\d+)\\.pdf$", "/pdf/$1.pdf", ROLE_FULL_TEXT_PDF)
return builder.get_sub_tree_article_iterator()
"""

from __future__ import annotations

from collections.abc import Sequence

from pubweave.articles.iterator.definition import Aspect, Definition, Pattern
from pubweave.articles.iterator.order import ArchivalUnit
from pubweave.articles.iterator.templates import (
    Parameters,
    ParamType,
    TemplateError,
    expand_regex,
    expand_urls,
    parse_template,
)
from pubweave.articles.iterator.walk import SubTreeArticleIterator, iterator_for

TARGET_ARTICLE = "Article"
"""The target of mere counting; `None` is treated like it (L-47)."""


class BuilderMisuseError(ValueError):
    """The builder or the spec was used in a way that the manual forbids (L-27, L-49)."""


class _PatternSpec:
    def __init__(self, what: str) -> None:
        self.what = what
        self.direct: Pattern | None = None
        self.template: str | None = None
        self.flags = 0

    def set_direct(self, regex: str, flags: int) -> None:
        if self.template is not None:
            raise BuilderMisuseError(f"{self.what}: give the pattern or its template, not both")
        self.direct = Pattern(regex, flags)

    def set_template(self, template: str, flags: int) -> None:
        if self.direct is not None:
            raise BuilderMisuseError(f"{self.what}: give the pattern or its template, not both")
        self.template, self.flags = template, flags

    def filled(self, parameters: Parameters) -> Pattern | None:
        if self.template is None:
            return self.direct
        regex = expand_regex(parse_template(self.template), parameters)
        if regex is None:
            raise TemplateError(f"{self.what}: a parameter of {self.template} has no value")

        return Pattern(regex, self.flags)


class Spec:
    """Which URLs of a unit are tried; setters return the spec itself, so that calls can be chained.

    :raises BuilderMisuseError: from any setter, when a value and its template are both given
    """

    def __init__(self) -> None:
        self.target: str | None = "Any"
        self.roots: list[str] | None = None
        self.root_templates: list[str] | None = None
        self.media_types: list[str] = []
        self._pattern = _PatternSpec("pattern")
        self._include = _PatternSpec("include pattern")
        self._exclude = _PatternSpec("exclude pattern")

    def set_target(self, target: str | None) -> Spec:
        self.target = target
        return self

    def set_root(self, root: str) -> Spec:
        return self.set_roots([root])

    def set_roots(self, roots: Sequence[str]) -> Spec:
        if self.root_templates is not None:
            raise BuilderMisuseError("give roots or root templates, not both")
        self.roots = list(roots)
        return self

    def set_root_template(self, template: str) -> Spec:
        return self.set_root_templates([template])

    def set_root_templates(self, templates: Sequence[str]) -> Spec:
        if self.roots is not None:
            raise BuilderMisuseError("give roots or root templates, not both")
        self.root_templates = list(templates)
        return self

    def set_pattern(self, regex: str, flags: int = 0) -> Spec:
        self._pattern.set_direct(regex, flags)
        return self

    def set_pattern_template(self, template: str, flags: int = 0) -> Spec:
        self._pattern.set_template(template, flags)
        return self

    def set_include_sub_tree_pattern(self, regex: str, flags: int = 0) -> Spec:
        self._include.set_direct(regex, flags)
        return self

    def set_include_sub_tree_pattern_template(self, template: str, flags: int = 0) -> Spec:
        self._include.set_template(template, flags)
        return self

    def set_exclude_sub_tree_pattern(self, regex: str, flags: int = 0) -> Spec:
        self._exclude.set_direct(regex, flags)
        return self

    def set_exclude_sub_tree_pattern_template(self, template: str, flags: int = 0) -> Spec:
        self._exclude.set_template(template, flags)
        return self

    def set_mime_type(self, *media_types: str) -> Spec:
        """One media type, or (beyond the manual) several of which one must fit (L-25)."""
        self.media_types = list(media_types)
        return self

    def expanded_roots(self, parameters: Parameters) -> list[str]:
        """The roots in order; a template whose parameter has no value gives none (18).

        Without any root left the whole unit is walked, as the Java program does it.

        :raises TemplateError: a template cannot be expanded
        """
        if self.roots is not None:
            return list(self.roots)

        return [
            root
            for template in self.root_templates or ()
            for root in expand_urls(parse_template(template), parameters) or ()
        ]

    def definition(self, parameters: Parameters) -> Definition:
        """The spec with its templates filled in, without aspects.

        :raises TemplateError: a template cannot be expanded
        """
        return Definition(
            roots=tuple(self.expanded_roots(parameters)),
            include=self._include.filled(parameters),
            exclude=self._exclude.filled(parameters),
            pattern=self._pattern.filled(parameters),
            media_types=tuple(self.media_types),
            counting_only=self.target is None or self.target == TARGET_ARTICLE,
        )


Patterns = str | Pattern | Sequence[str | Pattern]


class SubTreeArticleIteratorBuilder:
    """Builds an iterator over articles from aspects.

    :raises BuilderMisuseError: an aspect before unit and spec, an empty list, unit or spec set twice
    """

    def __init__(self, au: ArchivalUnit | None = None, types: dict[str, ParamType] | None = None) -> None:
        self._au: ArchivalUnit | None = None
        self._types = dict(types or {})
        self._spec: Spec | None = None
        self._aspects: list[tuple[list[Pattern], list[str], list[str]]] = []
        self._full_text: list[str] = []
        self._role_from_others: dict[str, list[str]] = {}
        if au is not None:
            self.set_archival_unit(au)

    def set_archival_unit(self, au: ArchivalUnit) -> None:
        if self._au is not None:
            raise BuilderMisuseError("the archival unit is already set")
        self._au = au

    def new_spec(self) -> Spec:
        """An empty spec, to be filled and given to `set_spec`."""
        return Spec()

    def set_spec(
        self,
        target_or_spec: Spec | str | None,
        root_templates: str | Sequence[str] | None = None,
        pattern_template: str | None = None,
        flags: int = 0,
    ) -> None:
        """A whole spec; or target, root template(s), pattern template and its flags."""
        if self._spec is not None:
            raise BuilderMisuseError("the spec is already set")
        if isinstance(target_or_spec, Spec):
            self._spec = target_or_spec
            return
        spec = Spec().set_target(target_or_spec)
        if root_templates is not None:
            spec.set_root_templates([root_templates] if isinstance(root_templates, str) else root_templates)
        if pattern_template is not None:
            spec.set_pattern_template(pattern_template, flags)
        self._spec = spec

    def _ready(self, what: str) -> None:
        if self._au is None or self._spec is None:
            raise BuilderMisuseError(f"{what} before the archival unit and the spec are set")

    def add_aspect(self, patterns: Patterns | None, replacements: str | Sequence[str], *roles: str) -> None:
        """A new aspect, major with patterns and minor with None; later calls may add to it."""
        self.new_aspect()
        if patterns is not None:
            self.add_patterns(patterns)
        self.add_matcher_replacements(replacements)
        self.add_roles(*roles)

    def new_aspect(self) -> None:
        """An empty aspect, to be filled by the three methods that follow."""
        self._ready("an aspect")
        self._aspects.append(([], [], []))

    def _current(self) -> tuple[list[Pattern], list[str], list[str]]:
        if not self._aspects:
            raise BuilderMisuseError("no aspect has been created")

        return self._aspects[-1]

    def add_patterns(self, patterns: Patterns) -> None:
        listed = [patterns] if isinstance(patterns, str | Pattern) else list(patterns)
        if not listed:
            raise BuilderMisuseError("at least one pattern is needed")
        self._current()[0].extend(Pattern(each) if isinstance(each, str) else each for each in listed)

    def add_matcher_replacements(self, replacements: str | Sequence[str]) -> None:
        listed = [replacements] if isinstance(replacements, str) else list(replacements)
        if not listed:
            raise BuilderMisuseError("at least one replacement is needed")
        self._current()[1].extend(listed)

    def add_roles(self, *roles: str) -> None:
        if not roles:
            raise BuilderMisuseError("at least one role is needed")
        self._current()[2].extend(roles)

    def set_full_text_from_roles(self, *roles: str) -> None:
        self._ready("a full-text order")
        if not roles:
            raise BuilderMisuseError("the full-text order needs at least one role")
        self._full_text.extend(roles)

    def set_role_from_other_roles(self, role: str, *others: str) -> None:
        """Said twice for a role, the later list counts, in the place of the earlier."""
        self._ready("a role from others")
        if not others:
            raise BuilderMisuseError("a role from others needs at least one other role")
        self._role_from_others[role] = list(others)

    def definition(self) -> Definition:
        """All that was declared, as data.

        :raises TemplateError: a template does not fit the unit's parameters
        """
        self._ready("the definition")
        assert self._au is not None
        assert self._spec is not None
        base = self._spec.definition(Parameters(self._au.params, self._types))

        return Definition(
            roots=base.roots,
            include=base.include,
            exclude=base.exclude,
            pattern=base.pattern,
            media_types=base.media_types,
            counting_only=base.counting_only,
            aspects=tuple(
                Aspect(tuple(replacements), tuple(roles), tuple(patterns))
                for patterns, replacements, roles in self._aspects
            ),
            full_text_order=tuple(self._full_text),
            role_from_others=tuple((role, tuple(others)) for role, others in self._role_from_others.items()),
        )

    def get_sub_tree_article_iterator(self) -> SubTreeArticleIterator:
        """The finished iterator."""
        self._ready("the iterator")
        assert self._au is not None

        return iterator_for(self._au, self.definition())
