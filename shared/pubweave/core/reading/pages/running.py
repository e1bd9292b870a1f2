"""How much running text of an article a page holds: sentences in paragraphs, and nothing that only looks like them.

References, lists of citing and related articles, captions, lists of links and what is below a sentence's length are no
running text. The abstract is counted apart: it is no part of the body.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from pubweave.core.reading.cleaning import Block
from pubweave.core.reading.pages.section_names import SECTION

_LEAST = 120
_LONGEST_REFERENCE = 700
_LETTERS = 8000
"""Size from which a body is no letter, and nobody asks how often it cites."""
_MANY_REFERENCES = 5
"""So many items with a year and pages or a DOI are a list of publications, also where names are written in full."""
_INITIALS = re.compile(r"\b[A-Z]\.(?:\s?-?[A-Z]\.)*|\b[A-Z][a-zé-]+ [A-Z]{1,3}\b[,.]|\bet al\b")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_CODED = re.compile(r"\[(?:[JMDCRSPNGZ]|EB|DB)(?:/OL)?\]")
"""How Chinese references say what kind of publication it is, as in "[J]"."""
_WIDE = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]")
_WORTH_OF_WIDE = 2.5
"""Letters and blanks of an alphabet that say what one character of a script without blanks between words says."""
_PAGES = re.compile(r"\d\s*+[–-]\s*+\d|\bpp?\. ?\d|\d\(\d++\)|\d: ?\d|\bdoi\b|\bet al", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?:;。！？：；؟؛।]")
_CITES = re.compile(
    r"\[\d{1,3}(?: ?[,–-] ?\d{1,3})*\]|\((?:[^()]{0,80}[ ,])?(?:19|20)\d\d[a-z]?\)|"
    r"[a-z]{3}[.,]\d{1,2}(?:[,–-]\d{1,2})*(?= |$)"
)
"""A citation within the text: by number, by year, or by a number that was raised."""
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
_HEADING_OF_OTHERS = re.compile(
    r"\W{0,5}(?:(?:similar|related|recommended|suggested|more|other|latest|popular|trending|featured|further|most (?:read|cited|viewed)) "
    r"(?:\w+ )?(?:articles?|papers?|publications?|content|contents|research|reading|posts|stories|preprints|documents|items)(?: (?:in|from|by|for) .{1,60})?|"
    r"you (?:may|might) (?:also )?(?:like|be interested|enjoy)\b.{0,40}|(?:readers|people|others|users) (?:also|who (?:read|viewed))\b.{0,40}|cit(?:ed|ing) (?:by|articles|literature|publications)(?: .{1,20})?|"
    r"recommend(?:ed|ations)(?: for you| reading)?|(?:article |reader )?comments(?: \(?\d+\)?)?|\d+ (?:comments?|responses|replies|thoughts)\b.{0,120}|"
    r"leave a (?:reply|comment)|open peer[ -]reviews?|peer[ -]review(?:s| (?:reports?|file|history|comments))|"
    r"(?:reviewers?|referees?)(?:['’]s?)? ?#?\d?\W{0,3}(?:reports?|comments?|\(public review\)|public review)?|decision letter|"
    r"(?:the )?authors?['’]?s? (?:response|reply)(?: to .{1,40})?)(?: ?\(\d+\))?\W{0,5}",
    re.IGNORECASE,
)
"""What stands above the texts of others: other articles, comments, the reports of referees."""


class Running(msgspec.Struct, frozen=True):
    """Running text of the whole page, and of the article's body: how much, by `worth`, and in how many paragraphs."""

    size: int = 0
    body: int = 0
    """Outside the abstract, thanks, notes, and what is under headings that close an article."""
    paragraphs: int = 0
    """Of the body."""
    longest: int = 0
    """Of the body's paragraphs."""
    citing: int = 0
    """Paragraphs of the body that cite something, as those of abstracts hardly ever do; not counted in long texts."""
    article: int = 0
    """Of the body in plain characters: what a rule for the full text should select."""


def running_text(blocks: Sequence[Block]) -> Running:
    """How much of the blocks is running text."""
    prose = [block for block in blocks if is_prose(block)]
    listed = [block for block in prose if _is_listed(block)]
    if len(listed) >= _MANY_REFERENCES:
        dropped = set(map(id, listed))
        prose = [block for block in prose if id(block) not in dropped]
    closing = _under_closing_headings(blocks)
    body = [
        block
        for block in prose
        if block.role != "abstract" and id(block) not in closing and not _CLOSING.match(block.text)
    ]
    sizes = [worth(block.text) for block in body]
    size = sum(sizes)
    return Running(
        sum(worth(block.text) for block in prose),
        size,
        len(body),
        max(sizes, default=0),
        sum(_CITES.search(block.text) is not None for block in body) if size < _LETTERS else 0,
        sum(block.size for block in body),
    )


def worth(text: str) -> int:
    """How long a text is, in characters of an alphabet: Chinese, Japanese, Korean and Thai say more in each of theirs."""
    if text.isascii():
        return len(text)
    return len(text) + int((_WORTH_OF_WIDE - 1) * len(_WIDE.findall(text)))


def body_of(blocks: Sequence[Block]) -> list[Block]:
    """The blocks without lists of publications, and without what stands under headings that close an article."""
    closing = _under_closing_headings(blocks)
    found = [block for block in blocks if id(block) not in closing]
    listed = {
        id(block)
        for block in found
        if block.size <= _LONGEST_REFERENCE
        and _YEAR.search(block.text) is not None
        and (_is_listed(block) or _is_reference(block.text))
    }
    return found if len(listed) < _MANY_REFERENCES else [block for block in found if id(block) not in listed]


def _under_closing_headings(blocks: Sequence[Block]) -> set[int]:
    """The blocks, by `id`, below headings that close an article: to the next heading, and what others have written to the
    next heading of the same level or of a section."""
    found: set[int] = set()
    closed = ""
    for block in blocks:
        if block.tag in _HEADINGS and block.size < _LEAST:
            if _HEADING_OF_OTHERS.fullmatch(block.text) is not None:
                closed = min(closed, block.tag) if closed > "h" else block.tag
            elif _CLOSING_HEADING.fullmatch(block.text) is not None:
                closed = closed if "h" < closed < block.tag else "-"
            elif closed < "h" or block.tag <= closed or SECTION.fullmatch(block.text) is not None:
                closed = ""
        if closed:
            found.add(id(block))
    return found


def is_prose(block: Block) -> bool:
    """Whether it is running text: long enough, of sentences, no list of links, caption or reference."""
    return (
        worth(block.text) >= _LEAST
        and block.role != "caption"
        and block.link_size <= 0.4 * block.size
        and _SENTENCE.search(block.text) is not None
        and not _is_reference(block.text)
    )


def _is_reference(text: str) -> bool:
    """Whether the text looks like an entry of a list of references."""
    if len(text) > _LONGEST_REFERENCE or not _YEAR.search(text):
        return False
    if _CODED.search(text) is not None:
        return True
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
