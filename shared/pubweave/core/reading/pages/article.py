"""Reads one article page: rules, then meta tags; without rules the title and the cleaned text (9.8, 11, 15.3).

Nothing is decided here about overwriting: candidates come in the order of the specification with their types,
and the merger folds them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from pubweave.contract.findings import Mark
from pubweave.contract.values import CorrespAuthor, Link, Note
from pubweave.contract.vocabulary import IDENTIFIER_KINDS, PART_NAMES, PartName, TypeName
from pubweave.core.identifiers import taken
from pubweave.core.reading.cleaning import Algorithm, clean_page
from pubweave.core.reading.java_regex import JavaPattern
from pubweave.core.reading.meta_tags import read_meta_tags, split_keywords
from pubweave.core.reading.pages.authors import email_in, paired
from pubweave.core.reading.pages.document import Page
from pubweave.core.reading.pages.findings import (
    AuthorsRead,
    IdentifierRead,
    LinkRead,
    PageFindings,
    PartMissed,
    PartRead,
)
from pubweave.core.reading.pages.running import body_of
from pubweave.core.reading.rules.model import RuleBook, Site
from pubweave.core.reading.selectors import PatternTooSlow
from pubweave.core.types import pdf_counterpart

_KEYWORDS_LABEL = re.compile(r"\s*keywords?\s*:\s*", re.IGNORECASE)
_PARAGRAPH = 100
"""Characters from which an element is a paragraph and no heading or label."""
_MOST = 0.75
"""Share of the article's running text below which what a rule gives is not all of it. Rules that fit give 0.82 and more on
recorded pages; the rest is what looks like the article's text and is not."""
_SEPARATORS = " ;,|"
"""What sets a keyword off from the next and may stand inside its element."""
_HEADING_TAG = re.compile(r"(?:(?<!\s)\s++)?<(/?)h4>\s*+", re.IGNORECASE)
_IF_BETTER: tuple[Mark, ...] = ("if-better-type",)
_KEYS_OF_PARTS: dict[PartName, frozenset[str]] = {
    "title": frozenset({"title"}),
    "theAbstract": frozenset({"abstract"}),
    "keywords": frozenset({"keywords", "keywords_split"}),
}
_PARTS_OF_META: dict[str, PartName] = {"title": "title", "keywords": "keywords", "abstract": "theAbstract"}


def read_page(
    html: bytes | str | Page,
    url: str,
    rules: RuleBook,
    page_type: TypeName,
    parts: Iterable[PartName] = PART_NAMES,
    *,
    content_type: str = "",
    meta: bool = True,
    cleaner: Algorithm = "default",
    running: int = 0,
) -> PageFindings:
    """Everything an article page says.

    `url` is the final address, by which rules are found; `page_type` the type of what the page gives (`doi`, or that
    of the link); `parts` the ones still wanted and not final (identifiers are always read). `meta` false leaves
    meta tags unread (test operations, F-META-10). `content_type` is the HTTP header's value. `running` says how many
    characters of the article's body the page holds (`Running.article`), 0 if nobody has measured: where the rules select
    less than half of them, the page's main text is the full text, as type `webpage`; below three quarters the text is never
    final; `missed` says so of both. A `Page` that was
    judged before need not be parsed again; without rules, its tree is used up.
    """
    wanted = frozenset(parts)
    found = rules.site_for(url)
    page = html if isinstance(html, Page) else Page(html, url, content_type)
    reading = _Reading(page, page_type, wanted)
    if found.site is not None:
        reading.by_rules(found.site, running)
    if meta:
        reading.by_meta_tags()
    if found.site is None:
        reading.without_rules(cleaner)
    elif reading.is_cleaned:
        reading.main_text(cleaner)
    return PageFindings(
        site=found.site.name if found.site is not None else "",
        rules_version=rules.version,
        identifiers=tuple(reading.identifiers),
        parts=tuple(reading.parts),
        links=tuple(reading.links),
        authors=tuple(reading.authors),
        body_size=reading.body_size,
        body_paragraphs=reading.body_paragraphs,
        missed=tuple(reading.missed.values()),
        notes=tuple(reading.notes),
        page_title=page.title,
        tried=found.tried,
        keys=tuple(page.read),
    )


class _Reading:
    """What has been read so far."""

    def __init__(self, page: Page, page_type: TypeName, wanted: frozenset[PartName]) -> None:
        self.page = page
        self.type = page_type
        self.wanted = wanted
        self.identifiers: list[IdentifierRead] = []
        self.parts: list[PartRead] = []
        self.links: list[LinkRead] = []
        self.authors: list[AuthorsRead] = []
        self.body_size = 0
        self.body_paragraphs = 0
        self.notes: list[Note] = []
        self.missed: dict[PartName, PartMissed] = {}
        self.is_cleaned = False
        """The page's main text stands for what the rules gave."""
        self.keyed: frozenset[PartName] = frozenset()
        """Parts that the site's rules have a key for."""

    def by_rules(self, site: Site, running: int) -> None:
        """In the order of F-YJ-23."""
        page, selectors = self.page, site.selectors
        self.keyed = frozenset(part for part, keys in _KEYS_OF_PARTS.items() if selectors.keys() & keys)
        for kind in IDENTIFIER_KINDS:
            if kind not in selectors:
                continue
            value, note = taken(kind, page.first_text(selectors, kind), "warning")
            if note is not None:
                self.notes.append(note)
            if value:
                self.identifiers.append(IdentifierRead(kind, value, self.type, kind))
        title = self._title(site) if self.wanted & {"title", "fulltext"} else ""
        self._add("title", title, "title")
        if "keywords" in self.wanted:
            keywords = [text.rstrip(_SEPARATORS) for text in page.all_texts(selectors, "keywords")]
            self._add("keywords", tuple(dict.fromkeys(filter(None, keywords))), "keywords")
            words = [
                word for text in page.all_texts(selectors, "keywords_split") for word in _split_keywords(text)
            ]
            self._add("keywords", tuple(dict.fromkeys(words)), "keywords_split")
        abstract = ""
        if self.wanted & {"theAbstract", "fulltext"}:
            abstract = "\n\n".join(map(_with_headings, page.all_texts(selectors, "abstract")))
            self._add("theAbstract", abstract, "abstract")
        if "fulltext" in self.wanted:
            texts = page.all_texts(selectors, "fulltext")
            body = "\n\n".join(map(_with_headings, texts))
            self.body_size = len(body)
            self.body_paragraphs = sum(len(text) >= _PARAGRAPH for text in texts)
            if len(body) < _MOST * running:
                self.missed["fulltext"] = PartMissed("fulltext", len(body), running)
            self.is_cleaned = 2 * len(body) < running
            if body and not self.is_cleaned:
                whole = "\n\n".join(text for text in (title, abstract, body) if text)
                marks: tuple[Mark, ...] = ("never-final",) if "fulltext" in self.missed else ()
                self._add("fulltext", whole, "fulltext", marks)
        pdf_type = pdf_counterpart(self.type)
        self._link_by_address(
            site.fulltext_source, site.values.get("fulltext_dst", ""), self.type, "fulltext_src"
        )
        self._links_on_page(site, "fulltext_a", self.type)
        self._link_by_address(site.pdf_source, site.values.get("pdf_dst", ""), pdf_type, "pdf_src")
        self._links_on_page(site, "pdf_a", pdf_type)
        self._corresponding(site)

    def by_meta_tags(self) -> None:
        """In the order of F-META-04."""
        emails: list[str] = []
        for found in read_meta_tags(self.page.meta, self.page.url, self.type):
            source = ", ".join(found.tags)
            match found.value:
                case "pmid" | "pmcid" | "doi":
                    self.identifiers.append(
                        IdentifierRead(found.value, found.content[0], found.type, source, _IF_BETTER)
                    )
                case "page_link" | "pdf_link":
                    self._link(found.content[0], found.type, source)
                case "email":
                    emails.append(email_in(found.content[0]))
                case "title" | "keywords" | "abstract":
                    part = _PARTS_OF_META[found.value]
                    content = found.content if part == "keywords" else found.content[0]
                    if part in self.wanted:
                        self._miss(part, len(content))
                        self.parts.append(PartRead(part, content, found.type, source, _IF_BETTER))
        authors = tuple(CorrespAuthor(email=email) for email in dict.fromkeys(emails) if email)
        if authors:
            self.authors.append(AuthorsRead(authors, self.type, "citation_author_email", ("if-empty",)))

    def without_rules(self, cleaner: Algorithm) -> None:
        """F-DOI-05: the page's title and its cleaned text, both of type `webpage`. Uses the tree up."""
        if "title" in self.wanted and self.page.title:
            self.parts.append(PartRead("title", self.page.title, "webpage", "<title>"))
        if "fulltext" in self.wanted:
            self.body_size = len(self.main_text(cleaner))

    def main_text(self, cleaner: Algorithm) -> str:
        """The cleaned page as full text of type `webpage`. Uses the tree up."""
        blocks = body_of(self.page.blocks) if cleaner == "default" else None
        text = clean_page(self.page.tree, "publication", cleaner, self.page.meta, blocks)
        if text:
            self.parts.append(PartRead("fulltext", text, "webpage", "cleaned page"))
        return text

    def _title(self, site: Site) -> str:
        title = self.page.first_text(site.selectors, "title")
        subtitle = self.page.first_text(site.selectors, "subtitle")
        return f"{title} : {subtitle}" if title and subtitle else title

    def _miss(self, part: PartName, there: int) -> None:
        """Note a part that meta tags tell and the rules' own key did not give."""
        if part in self.keyed and not any(read.part == part for read in self.parts):
            self.missed.setdefault(part, PartMissed(part, 0, there))

    def _add(
        self, part: PartName, content: str | tuple[str, ...], source: str, marks: tuple[Mark, ...] = ()
    ) -> None:
        if content and part in self.wanted:
            self.parts.append(PartRead(part, content, self.type, source, marks))

    def _link(self, href: str, type_: TypeName, source: str) -> bool:
        url = self.page.absolute_url(href)
        if not url:
            return False
        self.links.append(LinkRead(Link(url, type_, self.page.url), source))
        return True

    def _links_on_page(self, site: Site, key: str, type_: TypeName) -> None:
        nodes = self.page.all(site.selectors, key)
        if nodes:
            added = [self._link(node.attributes.get("href") or "", type_, key) for node in nodes]
            self.page.note(key, site.selectors[key].text, len(nodes), sum(added))

    def _link_by_address(
        self, pattern: JavaPattern | None, replacement: str, type_: TypeName, key: str
    ) -> None:
        if pattern is None:
            return
        try:
            url = pattern.replace_first(self.page.url, replacement)
        except PatternTooSlow:
            url = self.page.url
        if url != self.page.url:
            added = self._link(url, type_, key)
            self.page.note(key, pattern.pattern, 1, int(added))

    def _corresponding(self, site: Site) -> None:
        # A link to an address may show the address instead of whose it is.
        names = [
            "" if email_in(name) else name
            for name in self.page.all_texts(site.selectors, "corresp_author_names")
        ]
        nodes = self.page.all(site.selectors, "corresp_author_emails")
        emails = [email_in(node.attributes.get("href") or "") for node in nodes]
        if nodes:
            self.page.note(
                "corresp_author_emails", site.selectors["corresp_author_emails"].text, len(nodes), len(emails)
            )
        authors = paired(names, emails, "corresp_author_emails" in site.selectors)
        if authors:
            self.authors.append(
                AuthorsRead(authors, self.type, "corresp_author_names, corresp_author_emails")
            )


def _split_keywords(text: str) -> list[str]:
    """The words of "Keywords: one; two", the label in any case and singular too."""
    label = _KEYWORDS_LABEL.match(text)
    return split_keywords(text[label.end() :] if label else text)


def _with_headings(text: str) -> str:
    """Heading tags that stand in the text as letters become a blank and ". " (F-SEL-07)."""
    if "<" not in text:
        return text
    return _HEADING_TAG.sub(lambda found: ". " if found[1] else " ", text).strip()
