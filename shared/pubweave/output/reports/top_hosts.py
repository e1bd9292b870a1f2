"""Top hosts (chapter 19.1): where publications, web pages and docs come from, most frequent first."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from pubweave.core.politeness import host_of
from pubweave.core.reading.rules import RuleBook
from pubweave.core.record import Record
from pubweave.core.webpage_record import WebpageRecord

Rules = Literal["any", "with", "without"]
"""Hosts of all addresses, only of those with rules, or only of those without (F-TOP-03)."""


class TopHosts:
    """Counts of one kind of entries. Hosts are folded: lower case, without `www.` (F-TOP-02)."""

    def __init__(self, has_rules: Callable[[str], bool] | None = None, rules: Rules = "any") -> None:
        """:param has_rules: whether an address has rules; needed unless `rules` is `any`"""
        if rules != "any" and has_rules is None:
            raise ValueError("nobody says which addresses have rules")
        self._has_rules = has_rules
        self._rules = rules
        self._counts: Counter[str] = Counter()

    def add_publication(self, record: Record) -> None:
        """Every visited site counts (F-TOP-01)."""
        for site in record.visited_sites:
            self._add(site.url)

    def add_webpage(self, page: WebpageRecord) -> None:
        """The address after redirects; the first one if nothing answered (A-22)."""
        self._add(page.final_url or page.start_url)

    def _add(self, url: str) -> None:
        wanted = self._rules == "with"
        if self._rules != "any" and self._has_rules is not None and self._has_rules(url) != wanted:
            return
        if host := host_of(url):
            self._counts[host] += 1

    def rows(self, head: int | None = None, tail: int | None = None) -> list[tuple[str, int]]:
        """(host, count), most frequent first, equal ones by name; limited at both ends (F-TOP-04)."""
        ordered = sorted(self._counts.items(), key=lambda row: (-row[1], row[0]))
        return limited(ordered, head, tail)

    def __len__(self) -> int:
        """How many different hosts."""
        return len(self._counts)


def limited(
    rows: list[tuple[str, int]], head: int | None = None, tail: int | None = None
) -> list[tuple[str, int]]:
    """First the first `head`, then of these the last `tail` (F-CLI-244, 245)."""
    if head is not None:
        rows = rows[:head]
    return rows if tail is None else rows[max(len(rows) - tail, 0) :]


def journals_rules(book: RuleBook) -> Callable[[str], bool]:
    """Whether an address of an article has rules: those of publications."""
    return lambda url: book.site_for(url).site is not None


def webpage_rules(book: RuleBook) -> Callable[[str], bool]:
    """Whether an address of a web page or doc has rules."""
    return lambda url: book.webpage_for(url).rule is not None


def top_hosts_text(rows: Iterable[tuple[str, int]]) -> Iterator[str]:
    """`host<TAB>count` (F-TOP-01)."""
    for host, count in rows:
        yield f"{host}\t{count}\n"
