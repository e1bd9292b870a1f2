"""Small definitions and units for the tests of articles."""

from collections.abc import Iterable, Sequence
from typing import Any

from pubweave.articles.iterator.compiled import compiled_iterator
from pubweave.articles.iterator.definition import Aspect, Definition, Pattern
from pubweave.articles.iterator.files import ArticleFiles
from pubweave.articles.iterator.order import UnitInMemory
from pubweave.articles.iterator.walk import iterator_for

BASE = "http://h.org/"


def major(
    pattern: str | Sequence[str], replacement: str | Sequence[str], *roles: str, flags: int = 0
) -> Aspect:
    patterns = [pattern] if isinstance(pattern, str) else pattern
    replacements = [replacement] if isinstance(replacement, str) else replacement

    return Aspect(tuple(replacements), roles, tuple(Pattern(each, flags) for each in patterns))


def minor(replacement: str | Sequence[str], *roles: str) -> Aspect:
    return Aspect((replacement,) if isinstance(replacement, str) else tuple(replacement), roles)


FULL = major(r"/full/(\d+)$", "/full/$1", "FullTextHtml")
PDF = major(r"/pdf/(\d+)\.pdf$", "/pdf/$1.pdf", "FullTextPdfFile")
ABSTRACT = minor("/abs/$1", "Abstract")


def at(*paths: str) -> list[str]:
    return [path if "://" in path else BASE + path for path in paths]


def both_walks(urls: Iterable[str | tuple[str, str]], definition: Definition) -> list[ArticleFiles]:
    """The articles by the readable walk, after making sure that generated code gives the same."""
    unit = UnitInMemory(urls)
    readable = list(iterator_for(unit, definition))

    assert readable == list(compiled_iterator(unit, definition))

    return readable


def walked(urls: Iterable[str], *aspects: Aspect, **more: Any) -> list[tuple[str | None, dict[str, object]]]:
    """(full text, roles) of each article, without the base of the URLs."""
    definition = Definition(aspects=tuple(aspects) or None, **more)

    return [
        (_short(article.full_text_url), {role: _short(str(url)) for role, url in article.roles.items()})
        for article in both_walks(at(*urls), definition)
    ]


def _short(url: str | None) -> Any:
    return url.removeprefix(BASE) if url is not None else None


def visited(urls: Iterable[str], **more: Any) -> list[str]:
    """The URLs that become articles where there are no aspects, without the base."""
    return [str(full_text) for full_text, _ in walked(urls, **more)]
