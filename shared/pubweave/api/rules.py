"""Which rules are in force for an address (F-LIB-11)."""

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pubweave.problems import UserError

if TYPE_CHECKING:
    from pubweave.core.reading.rules import RuleBook


class Rules:
    """The rules for pages: our own, overridden key by key by files of one's own. Made by `open_rules`."""

    def __init__(self, book: "RuleBook") -> None:
        self._book = book

    @property
    def version(self) -> str:
        """A digest of all rules; it changes when any of them does."""
        return self._book.version

    def site(self, url: str) -> str | None:
        """The name of the site whose rules read an article page; None if there is none (F-CLI-32)."""
        found = self._book.site_for(url).site if _is_address(url) else None
        return found.name if found is not None else None

    def selector(self, url: str, key: str) -> str | None:
        """The value of a key of the rules for an article page; None if there is none (F-CLI-33).

        :param key: `title`, `abstract`, `fulltext`, `pdf_src` and so on (docs/writing-rules.md)
        :raises UserError: there is no such key
        """
        from pubweave.core.reading.rules import SITE_KEYS

        if key not in (*SITE_KEYS, "theAbstract"):
            raise UserError(f"there is no key {key!r}; there are: {', '.join(SITE_KEYS)}")
        return self._book.selector(url, key) if _is_address(url) else None

    def javascript(self, url: str) -> bool:
        """The rules send an article page to the browser (F-CLI-34)."""
        return _is_address(url) and self._book.wants_javascript(url) is not None

    def webpage(self, url: str) -> dict[str, str] | None:
        """The rules for a web page or doc by their keys; None if there are none (F-CLI-35)."""
        found = self._book.webpage_for(url).rule if _is_address(url) else None
        return dict(found.values) if found is not None else None


def open_rules(journals: str | Path | None = None, webpages: str | Path | None = None) -> Rules:
    """The rules of today.

    :param journals: a file of rules for article pages, which go before our own key by key
    :param webpages: the same for web pages and docs
    :raises UserError: something in a file is wrong, or it cannot be read; the text says where
    """
    from pubweave.adapters.rule_files import load_rule_book
    from pubweave.core.reading.rules import RuleError

    try:
        return Rules(
            load_rule_book(Path(journals) if journals else None, Path(webpages) if webpages else None)
        )
    except RuleError as problem:
        raise UserError(str(problem)) from None


def _is_address(text: str) -> bool:
    try:
        return bool(urlsplit(text).hostname)
    except ValueError:
        return False
