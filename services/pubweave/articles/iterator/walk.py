"""The walk, written to be read: which URLs are tried, who owns them, what an article gets (L-20 … L-47).

`compiled` does the same faster. The numbers in brackets are the points of the field notes on the Java program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

import msgspec

from pubweave.articles.iterator.definition import Aspect, Definition, Pattern
from pubweave.articles.iterator.files import ArticleFiles
from pubweave.articles.iterator.order import ArchivalUnit, is_below
from pubweave.core.reading.java_regex import JavaMatch, JavaPattern, JavaReplacementError

Step = Literal[
    "root",
    "no-root",
    "included",
    "not-included",
    "excluded",
    "pattern",
    "no-pattern",
    "media-type",
    "other-media-type",
    "not-tried",
    "owned",
    "no-owner",
    "asked",
    "repeats",
    "defers",
    "filled",
    "not-filled",
    "full-text",
    "role-from-others",
    "emitted",
    "error",
]


class WalkNote(msgspec.Struct, frozen=True):
    """One step of the walk for one URL: what happened, and the rule, role or URL it was about."""

    step: Step
    about: str


def media_type_of(content_type: str) -> str:
    """The media type of a Content-Type: without parameters and blanks, in small letters."""
    return content_type.partition(";")[0].strip().lower()


class SubTreeArticleIterator:
    """Iterates over the articles of a unit; without aspects one article a URL (L-20 … L-30).

    Subclasses override `is_article_url` (which URLs), `create_article_files` (one article or None) or
    `visit_article` (none, one or many). An exception there costs that URL only: it goes to `on_error`.

    :raises DefinitionError: on making it, for an expression that does not compile
    """

    def __init__(
        self,
        au: ArchivalUnit,
        definition: Definition,
        *,
        on_error: Callable[[str, Exception], None] | None = None,
    ) -> None:
        self.au = au
        self.definition = definition
        self.on_error = on_error
        self.notes: list[WalkNote] | None = None
        self._include = _compiled(definition.include, "include")
        # Both given: exclude is ignored altogether (8).
        self._exclude = _compiled(definition.exclude, "exclude") if self._include is None else None
        self._pattern = _compiled(definition.pattern, "pattern")
        self._media_types = frozenset(media_type_of(each) for each in definition.media_types)

    def __iter__(self) -> Iterator[ArticleFiles]:
        roots = self.definition.roots
        for number, root in enumerate(roots or (None,)):
            for url, content_type in self.au.below(root):
                if self.definition.unique and any(is_below(earlier, url) for earlier in roots[:number]):
                    continue
                yield from self.articles_of(url, content_type)

    def articles_of(self, url: str, content_type: str) -> Iterator[ArticleFiles]:
        """The articles that one walked URL emits."""
        try:
            if self.passes(url) and self.is_article_url(url, content_type):
                for article in self.visit_article(url):
                    self.note("emitted", article.full_text_url or "(without full text)")
                    yield article
        except Exception as error:  # noqa: BLE001 - one URL's error never ends the walk (29)
            self.note("error", str(error))
            if self.on_error is not None:
                self.on_error(url, error)

    def note(self, step: Step, about: str) -> None:
        if self.notes is not None:
            self.notes.append(WalkNote(step, about))

    def passes(self, url: str) -> bool:
        """Include and exclude, both from the start of the URL (7, 8)."""
        if self._include is not None:
            # An ancestor of what matches passes too, and may be an article.
            passed = self._include.looks_at_or_hits_end(url)
            self.note("included" if passed else "not-included", self._include.pattern)
            return passed
        if self._exclude is not None and self._exclude.looking_at(url) is not None:
            self.note("excluded", self._exclude.pattern)
            return False

        return True

    def is_article_url(self, url: str, content_type: str) -> bool:
        """General pattern, searched anywhere, then media type (9 – 11)."""
        if self._pattern is not None:
            if self._pattern.find(url) is None:
                self.note("no-pattern", self._pattern.pattern)
                return False
            self.note("pattern", self._pattern.pattern)
        if self._media_types:
            passed = media_type_of(content_type) in self._media_types
            self.note("media-type" if passed else "other-media-type", content_type)
            return passed

        return True

    def visit_article(self, url: str) -> Iterable[ArticleFiles]:
        """The articles of a URL that is one: what `create_article_files` gives, if anything."""
        article = self.create_article_files(url)

        return () if article is None else (article,)

    def create_article_files(self, url: str) -> ArticleFiles | None:
        """One article whose full text is the URL, without roles (12)."""
        return ArticleFiles(url)


class BuildableSubTreeArticleIterator(SubTreeArticleIterator):
    """The builder's iterator: articles by aspects (L-40 … L-47)."""

    def __init__(
        self,
        au: ArchivalUnit,
        definition: Definition,
        *,
        on_error: Callable[[str, Exception], None] | None = None,
    ) -> None:
        super().__init__(au, definition, on_error=on_error)
        self._aspects: list[tuple[Aspect, list[JavaPattern]]] = [
            (
                aspect,
                [
                    pattern.compiled(f"aspects[{index}].patterns[{number}]")
                    for number, pattern in enumerate(aspect.patterns)
                ],
            )
            for index, aspect in enumerate(definition.aspects or ())
        ]

    def create_article_files(self, url: str) -> ArticleFiles | None:
        owner = self._owner(url)
        if owner is None:
            self.note("no-owner", url)
            return None
        index, pattern, match = owner
        if self.definition.unique and self._repeats(url[: match.end()], url, pattern):
            self.note("repeats", url[: match.end()])
            return None
        for number, (aspect, _) in enumerate(self._aspects[:index]):
            higher = self._existing(aspect, number, pattern, match, url)
            if higher is not None:
                self.note("defers", f"aspects[{number}]: {higher}")
                return None
        article = ArticleFiles(url)
        self._fill(article, self._aspects[index][0], url)
        if not self.definition.counting_only:
            for number, (aspect, _) in enumerate(self._aspects[index + 1 :], index + 1):
                lower = self._existing(aspect, number, pattern, match, url)
                if lower is None:
                    self.note("not-filled", f"aspects[{number}]: {', '.join(aspect.roles)}")
                else:
                    self.note("filled", f"aspects[{number}]: {', '.join(aspect.roles)} = {lower}")
                    self._fill(article, aspect, lower)
        if self.definition.full_text_order:
            article.full_text_url = _first_set(article, self.definition.full_text_order)
            self.note("full-text", str(article.full_text_url))
        # After the full text, which therefore never comes from a role made here (34).
        if not self.definition.counting_only:
            for role, others in self.definition.role_from_others:
                value = _first_set(article, others)
                if value is not None:
                    article.roles[role] = value
                    self.note("role-from-others", f"{role} = {value}")

        return article

    def _owner(self, url: str) -> tuple[int, JavaPattern, JavaMatch] | None:
        """The first aspect one of whose patterns is found in the URL (19)."""
        for index, (aspect, patterns) in enumerate(self._aspects):
            for number, pattern in enumerate(patterns):
                match = pattern.find(url)
                if match is not None:
                    where = (
                        f"aspects[{index}].patterns[{number}] {pattern.pattern}: {', '.join(aspect.roles)}"
                    )
                    self.note("owned", where)
                    return index, pattern, match

        return None

    def _repeats(self, cut: str, url: str, pattern: JavaPattern) -> bool:
        if cut == url or not self.au.has(cut) or pattern.find(cut) is None:
            return False

        return self._pattern is None or self._pattern.find(cut) is not None

    def _existing(
        self, aspect: Aspect, number: int, pattern: JavaPattern, match: JavaMatch, url: str
    ) -> str | None:
        """The first URL that the aspect's replacements make of the match and that is stored (25 – 28)."""
        for replacement in aspect.replacements:
            made = url[: match.start()] + pattern.expand(match, replacement) + url[match.end() :]
            exists = self.au.has(made)
            self.note(
                "asked", f"aspects[{number}] {replacement}: {made} {'is' if exists else 'is not'} there"
            )
            if exists:
                return made

        return None

    def _fill(self, article: ArticleFiles, aspect: Aspect, url: str) -> None:
        for role in aspect.roles:
            article.roles.setdefault(role, url)


def iterator_for(
    au: ArchivalUnit,
    definition: Definition,
    *,
    on_error: Callable[[str, Exception], None] | None = None,
) -> SubTreeArticleIterator:
    """The readable iterator of a definition, with or without aspects."""
    kind = SubTreeArticleIterator if definition.aspects is None else BuildableSubTreeArticleIterator

    return kind(au, definition, on_error=on_error)


def _compiled(pattern: Pattern | None, place: str) -> JavaPattern | None:
    return None if pattern is None else pattern.compiled(place)


def _first_set(article: ArticleFiles, roles: tuple[str, ...]) -> str | None:
    return next((url for role in roles if (url := article.role_url(role)) is not None), None)


__all__ = [
    "BuildableSubTreeArticleIterator",
    "JavaReplacementError",
    "Step",
    "SubTreeArticleIterator",
    "WalkNote",
    "iterator_for",
    "media_type_of",
]
