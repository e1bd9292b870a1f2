"""How much running text of an article a page holds: sentences in paragraphs, and nothing that only looks like them.

References, lists of citing and related articles, captions, lists of links and what is below a sentence's length are no
running text. The abstract is counted apart: it is no part of the body.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from pubweave.core.reading.cleaning import Block

_LEAST = 120
_LONGEST_REFERENCE = 700
_MANY_REFERENCES = 5
"""So many items with a year and pages or a DOI are a list of publications, also where names are written in full."""
_INITIALS = re.compile(r"\b[A-Z]\.(?:\s?-?[A-Z]\.)*|\b[A-Z][a-zé-]+ [A-Z]{1,3}\b[,.]|\bet al\b")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_PAGES = re.compile(r"\d\s*+[–-]\s*+\d|\bpp?\. ?\d|\d\(\d++\)|\d: ?\d|\bdoi\b|\bet al", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?。:;]")
_CLOSING = re.compile(
    r"^(?:©|copyright\b|(?:the )?authors? (?:declare|state|thank|acknowledge|have no)|we (?:would like to )?(?:thank|acknowledge)\b|"
    r"this (?:work|study|research) (?:was|is) (?:financially )?(?:supported|funded)\b|this is an open[- ]access article|"
    r"edited by\b|correspondence\b)",
    re.IGNORECASE,
)
"""How thanks, licences and notes begin, which stand on pages without the article, too."""

_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_CLOSING_HEADING = re.compile(
    r"[\W\dIVX]{0,12}(?:references?(?: and notes)?|literature cited|bibliography|notes and references|acknowledge?ments?|"
    r"author(?:s['’]?|['’]s)? (?:contributions?|information|notes?)|(?:conflicts?|declarations?) of (?:competing )?interests?"
    r"(?: statement)?|competing (?:financial )?interests?|funding(?: (?:information|statement))?|data availability(?: statement)?|"
    r"supporting information|supplementary (?:material|data|information)s?|about this article|rights and permissions|"
    r"additional information|footnotes?|cited by|related articles|article information|author affiliations|"
    r"citing literature|publisher['’]s note|credit authorship contribution statement)\W{0,5}",
    re.IGNORECASE,
)


class Running(msgspec.Struct, frozen=True):
    """Characters and paragraphs of running text: of the whole page, and of the article's body."""

    size: int = 0
    body: int = 0
    """Characters outside the abstract, thanks and notes."""
    paragraphs: int = 0
    """Of the body."""
    longest: int = 0
    """Characters of the body's longest paragraph."""


def running_text(blocks: Sequence[Block]) -> Running:
    """How much of the blocks is running text."""
    prose = [block for block in blocks if is_prose(block)]
    listed = [block for block in prose if _is_listed(block)]
    if len(listed) >= _MANY_REFERENCES:
        dropped = set(map(id, listed))
        prose = [block for block in prose if id(block) not in dropped]
    body = [block.size for block in prose if block.role != "abstract" and not _CLOSING.match(block.text)]
    return Running(sum(block.size for block in prose), sum(body), len(body), max(body, default=0))


def body_of(blocks: Sequence[Block]) -> list[Block]:
    """The blocks without lists of publications, and without what stands under headings that close an article."""
    found: list[Block] = []
    closed = False
    for block in blocks:
        if block.tag in _HEADINGS and block.size < _LEAST:
            closed = _CLOSING_HEADING.fullmatch(block.text) is not None
        if not closed:
            found.append(block)
    listed = {
        id(block)
        for block in found
        if block.size <= _LONGEST_REFERENCE
        and _YEAR.search(block.text) is not None
        and (_is_listed(block) or _is_reference(block.text))
    }
    return found if len(listed) < _MANY_REFERENCES else [block for block in found if id(block) not in listed]


def is_prose(block: Block) -> bool:
    """Whether it is running text: long enough, of sentences, no list of links, caption or reference."""
    return (
        block.size >= _LEAST
        and block.role != "caption"
        and block.link_size <= 0.4 * block.size
        and _SENTENCE.search(block.text) is not None
        and not _is_reference(block.text)
    )


def _is_reference(text: str) -> bool:
    """Whether the text looks like an entry of a list of references."""
    if len(text) > _LONGEST_REFERENCE or not _YEAR.search(text):
        return False
    initials = len(_INITIALS.findall(text))
    return initials >= 2 and initials * 180 > len(text) and _PAGES.search(text) is not None


def _is_listed(block: Block) -> bool:
    """Whether it may be a publication in a list of such."""
    return (
        block.tag in ("li", "dd", "td")
        and block.size <= _LONGEST_REFERENCE
        and _YEAR.search(block.text) is not None
        and _PAGES.search(block.text) is not None
    )
