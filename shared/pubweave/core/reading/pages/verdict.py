"""What a page is: the article, only its abstract, a page about it, or a wall. A wall is never content.

The verdict is for pages that were reached in search of one article. It is made of what the page shows (how much
running text, in how many paragraphs, under which headings, with which forms) and of whether it is the page that was
searched for: because its tags say so, because the DOI's own resolver led there, or because it shows the DOI or the title.
One sentence tells why.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal
from urllib.parse import unquote

import msgspec

from pubweave.core.identifiers import identifier_in_text, is_variant, normalise_doi
from pubweave.core.reading.cleaning import Block
from pubweave.core.reading.layout import text_of
from pubweave.core.reading.pages.document import Page
from pubweave.core.reading.pages.findings import PageFindings
from pubweave.core.reading.pages.running import Running, running_text, worth
from pubweave.core.reading.pages.section_names import SECTION
from pubweave.core.reading.pages.speech import speech_of

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
    is_unproven: bool = False
    """It has an article's text; nothing shows that it is the one that was searched for, and nothing that it is not."""
    running: Running = Running()
    """How much of the article's text stands on it."""
    is_preview: bool = False
    """It says that the text is to be had elsewhere, or for money."""

    @property
    def is_wall(self) -> bool:
        """Whether something stands before the page that was wanted."""
        return self.kind in ("login", "consent-wall", "bot-wall")


_LITTLE = 1500
"""Characters of running text below which a page is judged by its title and forms."""

_ABSTRACT_SIZE = 500
"""A paragraph of this size on a page about an article is its abstract, also without the name."""

_LETTER = 1000
"""Characters of body in three paragraphs that a rule selected: a letter, whatever the rest of the page is."""
_CITING = 1500
"""Characters of body of which most paragraphs cite something: a letter, also without a rule."""
_SHORT = 3000
"""Characters below which an offer to buy the article is believed."""

_BOT_MARKS = (
    "cf-challenge", "challenge-platform", "cf_chl_", "cf-turnstile", "px-captcha", "_incapsula_resource",
    "g-recaptcha", "h-captcha", "hcaptcha.com", "distil_r_captcha", "perfdrive", "datadome", "aws-waf-token",
    "captcha-delivery.com", "awswaf.com", "awswafcookiedomainlist", "sec-cpt", "/_sec/cp_challenge",
)  # fmt: skip
_BROKEN = re.compile(
    r"\b(?:fatal|parse) error: .{0,400}\bon line \d|\bstack trace:|\btraceback \(most recent call last\)|\bSQLSTATE\[|"
    r"\bdomain(?: name)? (?:is|may be) for sale\b|\bbuy this domain\b|\bdomain (?:name )?(?:has )?expired\b|"
    r"\baccount (?:has been |is )?suspended\b|\bwelcome to nginx\b|\bapache2? \w* ?default page\b",
    re.IGNORECASE,
)
"""What stands on what is left of a site, and in what its programs say when they break."""
_ISSUE = re.compile(
    r"\W*(?:table of contents|current issue|(?:vol(?:ume|\.)?|bd\.?|jg\.?|tomo?|том) ?\d{1,4}\W{0,3}"
    r"(?:\(?(?:issue|number|num\.?|no\.?|nr\.?|heft|iss\.?|número|номер|выпуск|№) ?\d{1,3}\)?)?\W{0,3}(?:\w{3,12},? ?)?(?:\(?(?:19|20)\d\d\)?)?)\W*",
    re.IGNORECASE,
)
"""The title of a whole issue."""
_LOGIN_TITLE = re.compile(
    r"\b(?:sign[ -]?in|log[ -]?in|login|logon|single sign[ -]on|shibboleth|find your institution|"
    r"select your institution|authentication required|access through your institution)\b",
    re.IGNORECASE,
)
_PREVIEW = re.compile(
    r"section snippets|article preview|this is a preview of subscription content|preview of subscription",
    re.IGNORECASE,
)
"""What previews say of themselves."""
_SNIPPETS = re.compile(r"\W*section snippets\W*", re.IGNORECASE)
"""A heading that stands on previews only, above sections of their usual names."""
_OFFER = re.compile(
    r"authorization required|get (?:full )?access to this article|access (?:the|this) full (?:article|text)|"
    r"log in to check access|buy (?:this )?article|purchase (?:this )?(?:article|pdf|access)|rent this article|"
    r"get access to the full version|you do not (?:currently |yet )?have access to this|one of the access options below|"
    r"(?:subscribe|log in|sign in|register) to (?:read|access|view|see) (?:the|this) (?:full|article|content|whole)|"
    r"subscription required|full text (?:is )?(?:not )?available to subscribers|continue reading (?:the full|this) article",
    re.IGNORECASE,
)
"""What side boxes may say on pages with the whole article, too."""
_ABSTRACT = re.compile(
    r"\W*(?:abstract|summary|author summary|résumé|resumen|resumo|zusammenfassung|kurzfassung|description|riassunto|"
    r"streszczenie|аннотация|реферат|резюме|анотація|özet|öz|abstrak|(?:ال)?ملخص|چکیده|摘要|要旨|要約|抄録|초록|요약)\W*",
    re.IGNORECASE,
)
_NOTICE = re.compile(
    r"\W*(?:(?:publisher|author|editor)(?:['’]?s?['’]?)? )?(?:(?:correction|corrections|retraction|withdrawal|addendum)(?: notice| note)?(?: to\b| ?:)|"
    r"retract(?:ion|ed) (?:notice|note)\b|erratum\b|errata\b|corrigend(?:um|a)\b|(?:editorial )?expression of concern\b|"
    r"berichtigung\b|fe de erratas?\b|errata[- ]corrige\b|更正|撤稿|訂正)",
    re.IGNORECASE,
)
"""How the titles of corrections and retractions begin."""
_TITLE_TAGS = ("citation_title", "dc.title", "eprints.title", "bepress_citation_title")
_OWN_DOI_TAGS = ("citation_doi", "bepress_citation_doi", "dc.doi", "dc.identifier.doi", "prism.doi")
"""Tags that name the article's own DOI, and no other."""
_DOI_TAGS = (*_OWN_DOI_TAGS, "dc.identifier", "doi")
_ARXIV = "10.48550/arxiv."
_TELLING = 12
"""Letters and digits from which a title is no other page's by chance."""
_WORD = re.compile(r"[a-z]{4,}")


def judge_page(
    html: bytes | str | Page,
    url: str,
    *,
    status: int = 200,
    content_type: str = "",
    expected_doi: str = "",
    expected_title: str = "",
    is_led: bool = False,
) -> PageVerdict:
    """What the page is. `status` is the HTTP status (0: not known).

    `expected_doi` (normalised) and `expected_title` are what is known of the article searched for; where both are
    empty every article will do. `is_led` says that the address is the article's own: the DOI's resolver led there. A page
    whose tags name the DOI, or to which its resolver led, is the article's, unless it plainly is a wall or an error.
    """
    page = html if isinstance(html, Page) else Page(html, url, content_type)
    blocks = page.blocks
    running = running_text(blocks)
    dois = _dois(page, _DOI_TAGS)
    is_named = expected_doi in dois if expected_doi else page.meta.has_any((*_TITLE_TAGS, *_OWN_DOI_TAGS))

    if running.size < _LITTLE and (verdict := _wall(page, running.size, status, is_named, expected_title)):
        return verdict
    if status >= 400:
        return PageVerdict("error", f"the status is {status}")
    if not blocks and not page.title:
        return PageVerdict("error", "there is no page")
    if "<" not in page.text:
        return PageVerdict("error", "what came is no HTML")
    verdict = _by_text(page, blocks, running)
    if verdict.kind in ("abstract-only", "landing") and not verdict.is_preview:
        verdict = _unfolded(page) or verdict
    if not is_named and verdict.kind == "article" and (issue := _issue(page)):
        verdict = PageVerdict(
            "landing", f"a whole issue by its title {issue!r}, {verdict.evidence}", running=running
        )
    if is_named and verdict.kind in ("abstract-only", "landing") and not verdict.is_preview:
        verdict = _notice(page, running) or verdict
    if is_named or not (expected_doi or expected_title):
        return verdict
    proof, evidence = _proof(page, expected_doi, expected_title, is_led, running.size)
    if proof == "" and is_led and running.size:
        return verdict
    if proof == "" and verdict.kind == "article" and len(_letters(expected_title)) < _TELLING:
        return PageVerdict("landing", f"{evidence}; {verdict.evidence}", is_unproven=True, running=running)
    return verdict if proof == "its" else PageVerdict("landing", evidence, is_other=True)


def confirmed(verdict: PageVerdict, found: PageFindings) -> PageVerdict:
    """The verdict after the page was read: paragraphs that a rule selects as full text are one, however short.

    A letter has four paragraphs and no sections; what tells it from an abstract page is the rule.
    """
    if (
        verdict.kind not in ("abstract-only", "landing")
        or verdict.is_other
        or verdict.is_unproven
        or verdict.is_preview
    ):
        return verdict
    if not found.site or found.body_size < _LETTER or found.body_paragraphs < 3:
        return verdict
    said = f"the rule selects {found.body_size} characters in {found.body_paragraphs} paragraphs as full text"
    return msgspec.structs.replace(verdict, kind="article", evidence=f"{said}; {verdict.evidence}")


def _wall(page: Page, size: int, status: int, is_named: bool, expected_title: str) -> PageVerdict | None:
    """The wall, login or error that the page says it is. Of an article's own page only `<title>` could say so."""
    titles = [text for _, text in page.meta.values(_TITLE_TAGS)]
    if expected_title:
        titles.append(expected_title)
    said = speech_of([page.title], titles)
    where = "title" if said is not None else "page"
    if said is None and not is_named:
        said = speech_of([text_of(node) for node in page.tree.css("h1, h2")[:6]], titles)
    measured = f"holds {size} characters of text"
    if said is not None and said[0] == "bot-wall":
        return PageVerdict("bot-wall", f"the {where} says {said[1]!r}")
    if is_named:
        return (
            PageVerdict(said[0], f"the page says {said[1]!r} and {measured}") if said and not size else None
        )
    if not page.meta.has_any(_TITLE_TAGS):
        for mark in _BOT_MARKS:
            if (size < 400 or status in (403, 429, 503)) and mark in page.folded:
                return PageVerdict("bot-wall", f"the page holds {mark!r} and {size} characters of text")
    if said is not None and (status < 400 or said[0] in ("login", "consent-wall")):
        return PageVerdict(said[0], f"the page says {said[1]!r} and {measured}")
    found = _LOGIN_TITLE.search(page.title) if not page.meta.has_any(_TITLE_TAGS) else None
    if found is not None and page.tree.css_first("input[type=password]") is not None:
        return PageVerdict("login", f"the title says {found[0]!r} above a password")
    if status in (401, 407):
        return PageVerdict("login", f"the status is {status}")
    if not page.meta.has_any(_TITLE_TAGS) and page.tree.body is not None:
        broken = _BROKEN.search(text_of(page.tree.body))
        if broken is not None:
            return PageVerdict("error", f"the page says {broken[0][:80]!r} and {measured}")
    return None


def _dois(page: Page, tags: Sequence[str]) -> list[str]:
    """The DOIs in tags, normalised."""
    return [doi for _, value in page.meta.values(tags) if (doi := identifier_in_text("doi", value))]


def _proof(
    page: Page, expected_doi: str, expected_title: str, is_led: bool, size: int
) -> tuple[Literal["its", "other", ""], str]:
    """Whether the page shows that it is the one searched for, or another; empty where it shows nothing."""
    # Old pages do not show their DOI: only another DOI, or no sign of an article at all, speaks against them.
    others = _dois(page, _OWN_DOI_TAGS)
    if expected_doi and any(is_variant(normalise_doi(expected_doi), other) for other in others):
        return "its", ""  # another version of it
    titles = [text for _, text in page.meta.values(_TITLE_TAGS)]
    wanted = _letters(expected_title)[:60]
    is_told = len(wanted) >= _TELLING
    is_unlike = is_told and bool(titles) and not any(_are_alike(expected_title, title) for title in titles)
    if others and is_unlike:  # an article may cite the one that is searched for
        return "other", f"the page is about {others[0]}"
    if expected_doi and _shows(page, expected_doi.lower()):
        return "its", ""
    if others and expected_doi:
        return "other", f"the page is about {others[0]}"
    if expected_doi and size and _is_addressed(page, expected_doi.lower()):
        return "its", ""
    if is_told:
        shown = text_of(page.tree.root) if page.tree.root is not None else ""
        if wanted in _letters(f"{page.title} {shown}"):
            return "its", ""
    if titles and (is_led or not is_unlike):
        return "its", ""
    if titles:
        return "other", f"the page is about {titles[0]!r}"
    if is_told:
        return "", "neither the DOI nor the title searched for stands on the page"
    return "", "the DOI searched for does not stand on the page, nor any sign of an article"


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


def _is_addressed(page: Page, doi: str) -> bool:
    """Whether the page's address names a DOI in small letters; arXiv's are made of its own identifiers."""
    address = unquote(page.url).lower()
    if doi.startswith(_ARXIV):
        own = doi.removeprefix(_ARXIV)
        return f"arxiv:{own}" in page.text.lower() or ("arxiv.org/" in address and own in address)
    return doi in address


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def _sections(blocks: Sequence[Block]) -> set[str]:
    """The usual sections that the page has headings for."""
    return {
        found[1].lower()
        for block in blocks
        if block.size < 60 and block.role != "abstract" and (found := SECTION.fullmatch(block.text))
    }


def _by_text(page: Page, blocks: Sequence[Block], running: Running) -> PageVerdict:
    sections = _sections(blocks)
    body, paragraphs = running.body, running.paragraphs
    measured = f"{body} characters of running text in {paragraphs} paragraphs, {len(sections)} usual sections"
    if body < 12_000 and len(sections) < 3 and page.tree.body is not None:
        text = text_of(page.tree.body)
        preview = _PREVIEW.search(text) or (_OFFER.search(text) if body < _SHORT else None)
        if preview is not None:
            kind: Kind = "abstract-only" if _names_abstract(page) else "landing"
            said = f"the page says {preview[0]!r} and holds {measured}"
            return PageVerdict(kind, said, running=running, is_preview=True)
    if any(block.size < 40 and _SNIPPETS.fullmatch(block.text) for block in blocks):
        said = f"the page has a heading 'Section snippets' and holds {measured}"
        return PageVerdict("abstract-only", said, running=running, is_preview=True)
    is_article = (
        (body >= 4000 and paragraphs >= 7)
        or (body >= 3000 and paragraphs >= 6 and len(sections) >= 2)
        or (body >= 2500 and paragraphs >= 4 and len(sections) >= 3)
        or (body - running.longest >= 3000 and paragraphs >= 4)
        or (body >= 1500 and paragraphs >= 3 and len(sections) >= 3)
    )
    if not is_article and body >= _CITING and running.citing >= max(3, paragraphs / 2):
        is_article = True
        measured = f"{measured}, {running.citing} paragraphs that cite"
    if is_article:
        return PageVerdict("article", measured, running=running)
    if _names_abstract(page) or running.longest >= _ABSTRACT_SIZE:
        return PageVerdict("abstract-only", f"an abstract, and {measured}", running=running)
    return PageVerdict("landing", measured, running=running)


def _unfolded(page: Page) -> PageVerdict | None:
    """The verdict with what is hidden at first, if that is an article by its sections: tabs, panels, a page below a dialog. Terms
    and menus are hidden, too. The text is the page's from then on."""
    blocks = page.blocks_with_hidden
    if not blocks or len(_sections(blocks)) < 3:
        return None
    verdict = _by_text(page, blocks, running_text(blocks))
    if verdict.kind != "article":
        return None
    page.blocks = blocks
    return msgspec.structs.replace(verdict, evidence=f"{verdict.evidence}, hidden at first")


def _issue(page: Page) -> str:
    """The title by which the page shows an issue's articles; empty if it has none."""
    titles = [*re.split(r"\s[|•·–—-]\s", page.title), *(text_of(node) for node in page.tree.css("h1")[:3])]
    return (
        next((text for text in titles if _ISSUE.fullmatch(text)), "")
        if not page.meta.has_any(_TITLE_TAGS)
        else ""
    )


def _notice(page: Page, running: Running) -> PageVerdict | None:
    """A correction or retraction: a paragraph is all there is of it, and has no abstract."""
    titles = [text for _, text in page.meta.values(_TITLE_TAGS)]
    said = next((text for text in titles if _NOTICE.match(text)), None)
    if said is None or not running.size:
        return None
    return PageVerdict(
        "article", f"a notice by its title, and {running.body} characters of running text", running=running
    )


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
            if parent is not None and worth(text_of(parent)) >= 200:
                return True
    return False
