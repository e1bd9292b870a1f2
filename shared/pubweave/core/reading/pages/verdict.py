"""What a page is: the article, only its abstract, a page about it, or a wall. A wall is never content.

The verdict is for pages that were reached in search of one article. It is made of what the page shows (how much
running text, in how many paragraphs, under which headings, with which forms) and of whether it names the DOI or
title that was searched for; one sentence tells why.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import msgspec

from pubweave.core.identifiers import identifier_in_text, is_variant, normalise_doi
from pubweave.core.reading.cleaning import Block
from pubweave.core.reading.layout import text_of
from pubweave.core.reading.pages.document import Page

Kind = Literal[
    "article",  # the article's own text
    "abstract-only",  # its abstract, the text behind a wall or elsewhere
    "landing",  # a page about it, or another page
    "login",
    "consent-wall",
    "bot-wall",
    "error",
    "soft-404",  # says "not found" with a status that does not
]


class PageVerdict(msgspec.Struct, frozen=True):
    """What the page is, and the sentence that tells why."""

    kind: Kind
    evidence: str
    is_other: bool = False
    """It is not about the article that was searched for."""

    @property
    def is_wall(self) -> bool:
        """Whether something stands before the page that was wanted."""
        return self.kind in ("login", "consent-wall", "bot-wall")


_LITTLE = 1500
"""Characters of running text below which a page is judged by its title and forms."""

_ABSTRACT_SIZE = 500
"""A paragraph of this size on a page about an article is its abstract, also without the name."""

_BOT_TITLE = re.compile(
    r"just a moment|attention required|access denied|pardon our interruption|are you a (?:robot|human)|"
    r"checking your browser|security check|verify(?:ing)? (?:that )?you are (?:a )?human|human verification|"
    r"please wait|request unsuccessful|robot check|ddos|bot (?:detection|verification)|captcha|radware",
    re.IGNORECASE,
)
_BOT_MARKS = (
    "cf-challenge", "challenge-platform", "cf_chl_", "cf-turnstile", "px-captcha", "_incapsula_resource",
    "g-recaptcha", "h-captcha", "hcaptcha.com", "distil_r_captcha", "perfdrive", "datadome", "aws-waf-token",
)  # fmt: skip
_LOGIN_TITLE = re.compile(
    r"\b(?:sign[ -]?in|log[ -]?in|login|logon|single sign[ -]on|shibboleth|find your institution|"
    r"select your institution|authentication required|access through your institution)\b",
    re.IGNORECASE,
)
_CONSENT_TITLE = re.compile(
    r"before you continue|we value your privacy|your privacy|cookie (?:consent|settings|policy|preferences)|"
    r"consent|cookies? (?:are )?(?:required|disabled)|accept cookies",
    re.IGNORECASE,
)
_NOT_FOUND = re.compile(
    r"\b404\b|not[ -]found|(?:does|do) not exist|doesn.t exist|no longer (?:available|exists)|"
    r"can(?:not|.t| not) (?:be )?(?:find|found)|could(?:n.t| not) (?:be )?(?:find|found)|page (?:is )?missing|"
    r"nothing (?:was )?found|invalid (?:doi|article|url|identifier)|seite nicht gefunden|page introuvable",
    re.IGNORECASE,
)
_ERROR = re.compile(
    r"\b(?:internal server|server|application|database|gateway|unexpected|system|proxy|http) error\b|"
    r"^\W*(?:error|oops|sorry)\b|bad gateway|service (?:temporarily )?unavailable|gateway time-?out|"
    r"(?:down|closed) for maintenance|site maintenance|bad request|forbidden|temporarily unavailable|an error (?:has )?occurred",
    re.IGNORECASE,
)
_PREVIEW = re.compile(
    r"section snippets|article preview|this is a preview of subscription content|preview of subscription|"
    r"authorization required|get (?:full )?access to this article|access (?:the|this) full (?:article|text)|"
    r"log in to check access|buy (?:this )?article|purchase (?:this )?(?:article|pdf|access)|rent this article|"
    r"subscription required|full text (?:is )?(?:not )?available to subscribers|continue reading (?:the full|this) article",
    re.IGNORECASE,
)
_SECTION = re.compile(
    r"^\W*+(?:(?!introduction)[\dIVX]\.?)*+\s*+(introduction|background|(?:materials?|patients?|subjects?) and methods|methods?|methodology|"
    r"experimental(?: section| procedures)?|results?(?: and discussion)?|discussion|conclusions?|concluding remarks|"
    r"case (?:report|presentation)|findings|related work|evaluation|data and methods|theory|model)\W*+$",
    re.IGNORECASE,
)
_ABSTRACT = re.compile(
    r"^\W*(?:abstract|summary|author summary|résumé|resumen|resumo|zusammenfassung|kurzfassung|description)\W*",
    re.IGNORECASE,
)
_TITLE_TAGS = ("citation_title", "dc.title", "eprints.title", "bepress_citation_title")
_TELLING = 12
"""Letters and digits from which a title is no other page's by chance."""
_WORD = re.compile(r"[a-z]{4,}")
_INITIALS = re.compile(r"\b[A-Z]\.(?:\s?-?[A-Z]\.)*|\b[A-Z][a-zé-]+ [A-Z]{1,3}\b[,.]")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_PAGES = re.compile(r"\d\s*+[–-]\s*+\d|\bpp?\. ?\d|\d\(\d++\)|\d: ?\d|\bdoi\b|\bet al", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?。:;]")


def judge_page(
    html: bytes | str | Page,
    url: str,
    *,
    status: int = 200,
    content_type: str = "",
    expected_doi: str = "",
    expected_title: str = "",
) -> PageVerdict:
    """What the page is. `status` is the HTTP status (0: not known).

    `expected_doi` (normalised) and `expected_title` are what is known of the article searched for; where both are
    empty every article will do. Where neither stands on the page, the page is not the article.
    """
    page = html if isinstance(html, Page) else Page(html, url, content_type)
    blocks = page.blocks
    prose = [block for block in blocks if _is_prose(block)]
    size = sum(block.size for block in prose)
    said = _said(page)

    if verdict := _wall(page, said, size, status):
        return verdict
    if status >= 400:
        return PageVerdict("error", f"the status is {status}")
    if not blocks and not page.title:
        return PageVerdict("error", "there is no page")
    if size < _LITTLE:
        if found := _NOT_FOUND.search(said):
            return PageVerdict("soft-404", f"the page says {found[0]!r} and holds {size} characters of text")
        if found := _ERROR.search(said):
            return PageVerdict("error", f"the page says {found[0]!r} and holds {size} characters of text")
    missing = _is_other(page, expected_doi, expected_title)
    if missing:
        return PageVerdict("landing", missing, is_other=True)
    return _by_text(page, blocks, prose, size)


def _said(page: Page) -> str:
    """Title and main headings: what the page says it is."""
    heads = [text_of(node) for node in page.tree.css("h1, h2")[:6]]
    return " | ".join([page.title, *heads])


def _wall(page: Page, said: str, size: int, status: int) -> PageVerdict | None:
    if size >= _LITTLE:
        return None
    title = page.title
    if found := _BOT_TITLE.search(title):
        return PageVerdict("bot-wall", f"the title says {found[0]!r}")
    is_article_page = page.meta.has_any(("citation_title", "citation_doi", "dc.title"))
    if not is_article_page:
        for mark in _BOT_MARKS:
            if mark in page.folded and (size < 400 or status in (403, 429, 503)):
                return PageVerdict("bot-wall", f"the page holds {mark!r} and {size} characters of text")
        if found := _LOGIN_TITLE.search(said):
            if page.tree.css_first("input[type=password]") is not None or _LOGIN_TITLE.search(title):
                return PageVerdict("login", f"the page says {found[0]!r}")
        elif status in (401, 407):
            return PageVerdict("login", f"the status is {status}")
        if found := _CONSENT_TITLE.search(said):
            return PageVerdict(
                "consent-wall", f"the page says {found[0]!r} and holds {size} characters of text"
            )
    return None


def _is_other(page: Page, expected_doi: str, expected_title: str) -> str:
    """Why the page is not the one searched for; empty if it may be."""
    if not expected_doi and not expected_title:
        return ""
    if expected_doi and _shows(page, expected_doi.lower()):
        return ""
    # Old pages do not show their DOI: only another DOI, or no sign of an article at all, speaks against them.
    others = [
        doi
        for tag, value in page.meta.values(
            ("citation_doi", "bepress_citation_doi", "dc.doi", "dc.identifier.doi")
        )
        if (doi := identifier_in_text("doi", value))
    ]
    if any(is_variant(normalise_doi(expected_doi), other) for other in others):
        return ""  # another version of it
    if others and expected_doi:
        return f"the page is about {others[0]}"
    wanted = _letters(expected_title)[:60]
    if len(wanted) >= _TELLING:
        shown = text_of(page.tree.root) if page.tree.root is not None else ""
        if wanted in _letters(f"{page.title} {shown}"):
            return ""
    titles = [text for _, text in page.meta.values(_TITLE_TAGS)]
    if titles and (len(wanted) < _TELLING or any(_are_alike(expected_title, title) for title in titles)):
        return ""
    if titles:
        return f"the page is about {titles[0]!r}"
    if len(wanted) >= _TELLING:
        return "neither the DOI nor the title searched for stands on the page"
    return "the DOI searched for does not stand on the page, nor any sign of an article"


def _are_alike(expected: str, title: str) -> bool:
    """Whether two titles may be one: a third of the words is the same. Spellings and subtitles differ; titles whose
    words are in different scripts, or that have few, cannot be compared."""
    words, others = (frozenset(_WORD.findall(text.lower())) for text in (expected, title))
    if len(words) < 3 or len(others) < 3:
        return True
    return len(words & others) * 3 >= min(len(words), len(others))


def _shows(page: Page, doi: str) -> bool:
    """Whether a DOI in small letters stands on the page: as it is, or with the characters that are escaped in addresses
    and text (DOIs may have `<`)."""
    if doi in page.text.lower():
        return True
    folded = page.folded
    for escaped, letter in (("%2f", "/"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        folded = folded.replace(escaped, letter)
    return doi in folded


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def _by_text(page: Page, blocks: Sequence[Block], prose: Sequence[Block], size: int) -> PageVerdict:
    sections = {
        found[1].lower() for block in blocks if block.size < 60 and (found := _SECTION.match(block.text))
    }
    measured = f"{size} characters of running text in {len(prose)} paragraphs, {len(sections)} usual sections"
    if size < 12_000 and len(sections) < 3 and page.tree.body is not None:
        preview = _PREVIEW.search(text_of(page.tree.body))
        if preview is not None:
            kind: Kind = "abstract-only" if _names_abstract(page) else "landing"
            return PageVerdict(kind, f"the page says {preview[0]!r} and holds {measured}")
    if (size >= 4000 and len(prose) >= 7) or (size >= 3000 and len(prose) >= 6 and len(sections) >= 2):
        return PageVerdict("article", measured)
    if _names_abstract(page) or any(block.size >= _ABSTRACT_SIZE for block in prose):
        return PageVerdict("abstract-only", f"an abstract, and {measured}")
    return PageVerdict("landing", measured)


def _names_abstract(page: Page) -> bool:
    """Whether something on the page calls itself an abstract, by its name or its heading, and has text."""
    for node in page.tree.css("[class*=abstract i], [id*=abstract i], [class*=abstr i]"):
        if (
            node.tag not in ("a", "body", "nav", "li", "input", "form")
            and 150 <= len(text_of(node)) <= 12_000
        ):
            return True
    for node in page.tree.css("h1, h2, h3, h4, h5, h6, b, strong, dt, th, td, span"):
        first = node.first_child
        if first is None or first.next is not None or not first.is_text_node:
            continue
        heading = (first.text_content or "").strip()
        if len(heading) <= 25 and _ABSTRACT.fullmatch(heading):
            parent = node.parent
            if parent is not None and len(text_of(parent)) >= 200:
                return True
    return False


def _is_prose(block: Block) -> bool:
    """Whether it is running text: long enough, of sentences, no list of links and no reference."""
    if block.size < 120 or block.link_size > 0.4 * block.size or not _SENTENCE.search(block.text):
        return False
    return not _is_reference(block.text)


def _is_reference(text: str) -> bool:
    """Whether the text looks like an entry of a list of references."""
    if len(text) > 700:
        return False
    initials = len(_INITIALS.findall(text))
    return (
        bool(_YEAR.search(text))
        and initials >= 2
        and _PAGES.search(text) is not None
        and initials * 60 > len(text) / 3
    )
