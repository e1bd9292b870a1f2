"""Which abstract is the article's own, where several stand (F-EFT-07, B-10)."""

import re
from typing import TYPE_CHECKING, Final

from pubweave.core.reading.jats.text import XML, plain_text

if TYPE_CHECKING:
    from lxml import etree

    Element = etree._Element

_ASIDE_TYPE: Final = re.compile(
    r"graphic|visual|video|audio|podcast|image|teaser|\btoc\b|contents|highlight|key-?(?:point|message|finding)|take-?home"
    r"|web-?summary|\blay\b|plain|patient|public|digest|author-?summary|editor|translat|pr[ée]cis|significance|impact|tweet"
)
"""Words in types of what stands beside an abstract and never for it."""

_ASIDE_TITLE: Final = re.compile(
    r"(?:(?:graphical|visual|video) (?:abstract|summary)|(?:research |article |key )?highlights?|key (?:point|message|finding)s?"
    r"|(?:plain|lay)[- ](?:english |language )?(?:abstract|summary)|(?:author|editor)(?:['’]?s['’]?)? summary|(?:elife )?digest"
    r"|significance(?: statement)?|impact statement|in brief|at a glance|teaser|pr[ée]cis|take[- ]home messages?"
    r"|table of contents(?: summary)?|study contributions?|what (?:this|is already|are the) .*)[ :.]*"
)
"""Their titles, where the type says nothing."""

_INSTEAD: Final = frozenset({"summary", "executive-summary", "short", "synopsis", "abridged"})
"""Types that stand beside an abstract, and are it where there is no other."""

_LONGEST_TITLE: Final = 60
_PICTURES: Final = frozenset(
    {"fig", "fig-group", "graphic", "media", "title", "label", "object-id", "alternatives"}
)


def own_abstracts(article: "Element", meta: "Element") -> "list[Element]":
    """The abstract of the article itself, in document order where it is given in pieces; [] if there is none.

    Highlights, teasers, précis, graphical and plain-language abstracts and translations are others, wherever they
    stand: known by type, title, or because there is nothing but a picture in them.
    """
    found = list(meta.iterchildren("abstract"))
    if not found:
        return []
    kinds = [(one.get("abstract-type") or "").strip().lower().replace("_", "-") for one in found]
    main = [
        one
        for one, kind in zip(found, kinds, strict=True)
        if kind not in _INSTEAD and not _ASIDE_TYPE.search(kind) and not _is_aside(one)
    ]
    if not main:
        return [
            one for one, kind in zip(found, kinds, strict=True) if kind in _INSTEAD and not _is_aside(one)
        ][:1]
    return main if len(main) == 1 else _of_one_language(main, _language(article))


def _is_aside(abstract: "Element") -> bool:
    title = plain_text(next(abstract.iterchildren("title"), None)).lower()
    if 0 < len(title) <= _LONGEST_TITLE and _ASIDE_TITLE.fullmatch(title):
        return True
    pictured = any(True for _ in abstract.iter("fig", "graphic", "media"))
    return pictured and not plain_text(abstract, _PICTURES)


def _language(element: "Element") -> str:
    return (element.get(XML + "lang") or "").lower()[:2]


def _of_one_language(abstracts: "list[Element]", language: str) -> "list[Element]":
    """Those in the article's language; an abstract that does not say is in it."""
    known = {_language(one) for one in abstracts} - {""}
    if len(known) > 1 or (known and language and known != {language}):
        own = [one for one in abstracts if _language(one) in ("", language)]
        return own or [one for one in abstracts if _language(one) == _language(abstracts[0])]
    return abstracts
