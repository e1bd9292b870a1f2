"""What names tell: words in ids, classes and roles of boxes that hold something else than the main text.

The lists are ours, from looking at pages; half of the pages they are measured on were never looked at
(bench/cleaning.py). They name what a box is, in the English that page templates are written in whatever the
language of the page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from pubweave.core.reading.cleaning.blocks import Role
from pubweave.core.reading.cleaning.classic import has_reference_word, tokens

_BOILERPLATE = frozenset(
    (
        "commentlist", "disqus", "respond", "sharedaddy", "addthis", "signup", "signin", "login", "outbrain", "taboola",
        "promo", "promos", "recirc", "teaser", "teasers", "carousel", "sidebar", "nav", "navbar", "navigation", "menu",
        "footer", "pagination", "pager", "toolbar", "masthead", "complementary", "contentinfo", "cookie", "cookies",
        "consent", "gdpr", "popup", "modal", "overlay", "byline", "dateline", "metadata", "postmeta", "authorbox",
    )
)  # fmt: skip
_FRAME = frozenset(
    ("footer", "nav", "navbar", "navigation", "menu", "contentinfo", "breadcrumb", "breadcrumbs")
)
_PERHAPS_BOILERPLATE = frozenset(
    (
        # Words that headings and contents are named by as well.
        "reply", "replies", "share", "sharing", "social", "follow", "subscribe", "subscription", "register", "rating",
        "ratings", "poll", "promotion", "ad", "ads", "banner", "popular", "trending", "slider", "widget", "widgets",
        "skip", "jump", "search", "hidden", "copyright", "bio", "tags", "taglist", "toc", "tableofcontents",
    )
)  # fmt: skip
_BOILERPLATE_STARTS = ("related", "comment", "newsletter", "breadcrumb", "advert", "sponsor", "recommend")
_CAPTION = frozenset(("caption", "captions", "figcaption", "credit", "credits", "gallery"))
_ABOUT = frozenset(
    (
        "author", "authors", "authordate", "date", "datetime", "time", "timestamp", "published", "updated", "pubdate",
        "posted", "meta", "category", "categories", "tag", "kicker", "readtime",
    )
)  # fmt: skip
_PICTURE = re.compile(
    r"(?:Picture|Image|Photo(?:graph)?s?|Foto|Bild|Beitragsbild|Titelbild|Imagen|Immagine|Фото|写真|图)"
    r"(?: (?:credit|by|courtesy|source|illustrative)\b[^:]{0,30}| ?[:：©/])",
    re.IGNORECASE,
)

# Bootstrap's classes say at which widths an element shows, not what it is.
_RESPONSIVE = re.compile(r"\b(?:hidden|visible)-(?:xs|sm|md|lg|xl|print)[\w-]*")
_DIGITS = re.compile(r"\d+")


@lru_cache(maxsize=16384)
def names_boilerplate(said: str) -> bool:
    """Whether a box says of itself that it is not the main text; an embedded post of a social site is."""
    words = tokens(_RESPONSIVE.sub(" ", said))
    if "embed" in words:
        return False
    return any(word in _BOILERPLATE or word.startswith(_BOILERPLATE_STARTS) for word in words)


@lru_cache(maxsize=16384)
def names_frame(said: str) -> bool:
    """Whether a box says that it is the navigation or the footer of a site."""
    return not _FRAME.isdisjoint(tokens(said))


@lru_cache(maxsize=16384)
def may_name_boilerplate(said: str) -> bool:
    """Whether it says so with a word that may mean something else."""
    words = tokens(_RESPONSIVE.sub(" ", said))
    return "embed" not in words and not _PERHAPS_BOILERPLATE.isdisjoint(words)


@lru_cache(maxsize=16384)
def names_caption(said: str) -> bool:
    """Whether a box says that it holds the caption or credit of a picture."""
    return not _CAPTION.isdisjoint(tokens(said))


@lru_cache(maxsize=16384)
def names_line_about_text(said: str) -> bool:
    """Whether a short box says that it holds date, author or category."""
    return not _ABOUT.isdisjoint(tokens(said))


def is_picture_credit(text: str) -> bool:
    """Whether a line begins as the captions and credits of pictures do ("Photo: …")."""
    return _PICTURE.match(text) is not None


@lru_cache(maxsize=16384)
def names_abstract(said: str) -> bool:
    """Whether a box says that it holds an abstract."""
    return not {"abstract", "abstracts"}.isdisjoint(tokens(said))


@lru_cache(maxsize=16384)
def named_role(said: str) -> Role:
    """What a box says that it holds: an abstract, a caption, or nothing of the kind."""
    if names_caption(said):
        return "caption"
    return "abstract" if names_abstract(said) else ""


def may_name_roles(said: Sequence[str]) -> list[int]:
    """Which of these boxes may name such a thing: those few that have its letters at all."""
    folded = "\0".join(said).lower().split("\0")
    return [
        at
        for at, name in enumerate(folded)
        if name and ("capt" in name or "abst" in name or "cred" in name or "gall" in name)
    ]


@lru_cache(maxsize=16384)
def names_references(said: str) -> bool:
    """Whether a box says that it holds references (F-CLN-09)."""
    return any(has_reference_word(word) for word in said.split())


@lru_cache(maxsize=16384)
def kind(said: str) -> str:
    """What boxes of one kind have in common: the first word of their names, numbers aside."""
    words = _DIGITS.sub("", said).split()
    return words[0] if words else ""
