"""A Python plugin for the tests: what YAML cannot say."""

from collections.abc import Iterator

from pubweave.articles.iterator.files import ArticleFiles
from pubweave.articles.iterator.order import ArchivalUnit

NOT_A_CLASS = 3


class Factory:
    """Pairs `…/<n>` with `…/<n+1>`."""

    def create_article_iterator(self, au: ArchivalUnit, target: str | None) -> Iterator[ArticleFiles]:
        for url, _ in au.below(au.params.get("base_url")):
            head, _, number = url.rpartition("/")
            following = f"{head}/{int(number) + 1}" if number.isdigit() else ""
            if au.has(following):
                yield ArticleFiles(url, {"Next": following, "ArticleHandle": len(url)})


class NotAFactory:
    pass


class NeedsMore:
    def __init__(self, more: object) -> None:
        self.more = more

    def create_article_iterator(self, au: ArchivalUnit, target: str | None) -> Iterator[ArticleFiles]:
        return iter(())
