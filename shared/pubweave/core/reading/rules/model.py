"""The rules in force: which site a page belongs to, which selectors read it, which pages need a browser.

A book of rules is made whole from all its files and never changes; reloading makes a new one, with another
`version` if anything in it is different.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from pubweave.core.reading.java_regex import JavaPattern
from pubweave.core.reading.selectors import PatternTooSlow, Selector

SITE_KEYS = (
    "pmid",
    "pmcid",
    "doi",
    "title",
    "subtitle",
    "keywords",
    "keywords_split",
    "abstract",
    "fulltext",
    "fulltext_src",
    "fulltext_dst",
    "fulltext_a",
    "pdf_src",
    "pdf_dst",
    "pdf_a",
    "corresp_author_names",
    "corresp_author_emails",
)
"""The seventeen keys of a site, in the order of F-YJ-22."""

UNUSED_KEYS = ("wait_until",)
"""Keys of PubFetcher's newest rules that mean nothing here: they steer its browser."""

WEBPAGE_KEYS = ("title", "content", "javascript", "license", "language")
"""The five keys of a webpage rule (F-YW-04)."""

SOURCE_KEYS = frozenset({"fulltext_src", "pdf_src"})
REPLACEMENT_KEYS = frozenset({"fulltext_dst", "pdf_dst"})


@dataclass(frozen=True, slots=True)
class UrlPattern:
    """A regular expression on addresses, as its file has it, and where it came from."""

    text: str
    compiled: JavaPattern = field(compare=False, repr=False)
    file: str = ""

    def finds(self, url: str) -> bool:
        """Whether it occurs in the address.

        :raises PatternTooSlow: nothing is known
        """
        required = self.compiled.required
        if required and required not in (url.lower() if self.compiled.required_folded else url):
            return False
        return self.compiled.find(url) is not None


@dataclass(frozen=True, slots=True)
class Verified:
    """The recorded page on which a key was seen to give what it is to give, and the day of it (YYYY-MM-DD)."""

    page: str
    day: str


@dataclass(frozen=True, slots=True)
class Site:
    """How the articles of one site or platform are read. `values` are the keys as written.

    `verified` has the keys that a recorded page has shown to be right; None in rules of users' own, True or False
    where a file only says that it was, or was not, tried.
    """

    name: str
    values: Mapping[str, str]
    selectors: Mapping[str, Selector] = field(compare=False, repr=False)
    fulltext_source: JavaPattern | None = field(default=None, compare=False, repr=False)
    pdf_source: JavaPattern | None = field(default=None, compare=False, repr=False)
    file: str = ""
    checked: str = ""
    verified: Mapping[str, Verified] | bool | None = field(default=None, hash=False)


@dataclass(frozen=True, slots=True)
class WebpageRule:
    """How pages under one pattern are read. A key that is missing and one that is empty are different (F-YW-05).

    `verified` as for a site.
    """

    values: Mapping[str, str]
    selectors: Mapping[str, Selector] = field(compare=False, repr=False)
    file: str = ""
    checked: str = ""
    verified: Mapping[str, Verified] | bool | None = field(default=None, hash=False)

    @property
    def javascript(self) -> bool | None:
        """True: render; False: never render; None: nothing is said (F-YW-06)."""
        said = self.values.get("javascript")
        return None if said is None else said.strip().lower() == "true"


_Target = TypeVar("_Target")

Verdict = Literal["won", "lost", "too-slow"]


@dataclass(frozen=True, slots=True)
class Tried:
    """One pattern that matched an address, and what became of it: the evidence `explain` shows."""

    pattern: str
    target: str
    file: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class SiteFound:
    """The site an address belongs to; None where no pattern matches."""

    site: Site | None
    tried: tuple[Tried, ...]


@dataclass(frozen=True, slots=True)
class WebpageFound:
    """The webpage rule of an address; None where no pattern matches."""

    rule: WebpageRule | None
    tried: tuple[Tried, ...]


@dataclass(frozen=True, slots=True)
class RuleBook:
    """All rules in force. `version` is a digest of what they say, the same for the same rules."""

    version: str = ""
    patterns: tuple[tuple[UrlPattern, str], ...] = ()
    sites: Mapping[str, Site] = field(default_factory=dict)
    javascript: tuple[UrlPattern, ...] = ()
    webpages: tuple[tuple[UrlPattern, WebpageRule], ...] = ()
    notices: tuple[str, ...] = field(default=(), compare=False)
    """What of the users' files is not done as they may expect, a sentence each."""
    made_by: tuple[Callable[..., RuleBook], tuple[Any, ...]] | None = field(
        default=None, compare=False, repr=False
    )
    """What makes the same book anew, and of what: compiled selectors cannot be handed to another process."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process makes it anew."""
        return self.made_by or (RuleBook, (self.version,))

    def site_for(self, final_url: str) -> SiteFound:
        """The site of an address after all redirects: the last pattern that matches wins (F-YJ-10…12)."""
        matching, tried = _matching(self.patterns, final_url)
        winner = self.sites.get(matching[-1][1]) if matching else None
        evidence = _evidence([(pattern, target) for pattern, target in matching], tried)
        return SiteFound(winner, evidence)

    def selector(self, final_url: str, key: str) -> str | None:
        """The value in effect for an address and one of the seventeen keys; None if there is none (A-42)."""
        site = self.site_for(final_url).site
        return None if site is None else site.values.get("abstract" if key == "theAbstract" else key)

    def webpage_for(self, final_url: str) -> WebpageFound:
        """The webpage rule of an address after all redirects: the last pattern that matches wins (F-YW-02)."""
        matching, tried = _matching(self.webpages, final_url)
        evidence = _evidence([(pattern, "") for pattern, _ in matching], tried)
        return WebpageFound(matching[-1][1] if matching else None, evidence)

    def wants_javascript(self, url: str) -> Tried | None:
        """The pattern that sends an article page to the browser, tested before fetching (F-YJ-30)."""
        for pattern in self.javascript:
            try:
                if pattern.finds(url):
                    return Tried(pattern.text, "javascript", pattern.file, "won")
            except PatternTooSlow:
                continue
        return None

    def webpage_javascript(self, start_url: str) -> bool | None:
        """What the rules of the *start* address say about rendering (F-YW-06)."""
        rule = self.webpage_for(start_url).rule
        return None if rule is None else rule.javascript


def _matching(
    entries: tuple[tuple[UrlPattern, _Target], ...], url: str
) -> tuple[list[tuple[UrlPattern, _Target]], list[Tried]]:
    matching, slow = [], []
    for pattern, target in entries:
        try:
            if pattern.finds(url):
                matching.append((pattern, target))
        except PatternTooSlow:
            slow.append(
                Tried(pattern.text, target if isinstance(target, str) else "", pattern.file, "too-slow")
            )
    return matching, slow


def _evidence(matching: list[tuple[UrlPattern, str]], slow: list[Tried]) -> tuple[Tried, ...]:
    last = len(matching) - 1
    found = [
        Tried(pattern.text, target, pattern.file, "won" if place == last else "lost")
        for place, (pattern, target) in enumerate(matching)
    ]
    return (*slow, *found)
