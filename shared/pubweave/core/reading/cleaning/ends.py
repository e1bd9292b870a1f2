"""What stands at the ends of a text and is none of it: a site's closing lines, headings of lists that were left out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pubweave.core.reading.cleaning.blocks import Block

_LONGEST_LINE = 320
_LONGEST_SECTION = 800
_MOST = 0.34
"""So much of what there is may be taken for the site's own words; where it would be more, they are the page's."""
_LEAST_LISTED = 2

_LINE = re.compile(
    r"(?:©|\(c\) ?(?:19|20)\d\d|copyright\b|all rights reserved\b|"
    r"(?:(?:this )?(?:web ?)?(?:site|page) (?:was |is )?)?(?:powered|generated|hosted|built|maintained|designed) (?:by|with)\b|"
    r"(?:this |the )?(?:page |document |site )?(?:was )?last (?:updated?|modified|edited|changed|reviewed)\b|"
    r"retrieved from \W?https?:|"
    r"(?:contacts?(?: us)?|e-?mail(?: us| address)?|phone|tel(?:ephone)?|fax|webmaster|imprint)\.? ?[:：]|"
    r"(?:for (?:more|further) information,? )?(?:please )?(?:contact|e-?mail|call|write to) us\b|"
    r"(?:follow|find|like|join) (?:us|me|him|her|@)|follow [\w.' ]{1,30} on (?:twitter|facebook|instagram)\b|"
    r"(?:to )?subscribe (?:to|now|today)\b|sign up (?:for|to|now|today)\b|"
    r"get (?:the latest|our (?:newsletter|updates))\b|have a (?:tip|story)\b|"
    r"share (?:this|on|via)\b|back to (?:the )?top\b|terms (?:of|and) (?:use|service|conditions)\b|privacy (?:policy|notice)\b)",
    re.IGNORECASE,
)
_IN_LINE = re.compile(
    r"\ball rights reserved\b|\b(?:can|may) be (?:reached|contacted) at\b|\b(?:our|the|daily|weekly|\w+['’]s) newsletters?\b|"
    r"\bfollow (?:him|her|them|us|me|@\w+) (?:on|@)|\bterms of (?:use|service)\b.{0,80}\bprivacy\b",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"(?:about (?:us|the authors?|this (?:site|website|blog)|me)|contacts?(?: (?:us|me|information|details))?|get in touch|"
    r"follow (?:us|me)|stay (?:connected|in touch|up to date)|connect(?: with us)?|share (?:this|on|with)\b.{0,30}|"
    r"newsletters?|subscribe\b.{0,40}|sign up\b.{0,40}|(?:related|more|recent|latest|popular|other|top) "
    r"(?:news|articles?|posts?|stories|entries)|you (?:may|might) also like|read (?:more|next|also)|"
    r"leave (?:a|your) (?:comment|reply)|site ?map|quick ?links|legal(?: notice)?|imprint|our (?:partners|sponsors))\W{0,4}",
    re.IGNORECASE,
)
_LEVELS = {f"h{level}": level for level in range(1, 7)}


def without_end(blocks: list[Block]) -> list[Block]:
    """The blocks up to where the site speaks of itself: contact lines, copyright, "About us" and what stands below."""
    most = _MOST * sum(block.size for block in blocks)
    end = len(blocks)
    taken = 0
    while end > 1:
        start = _closing_from(blocks, end)
        if start == 0 or start == end:
            break
        taken += sum(block.size for block in blocks[start:end])
        if taken > most and not _is_short_page(blocks[start:end]):
            break
        end = start
    return blocks[:end]


def _is_short_page(closing: Sequence[Block]) -> bool:
    """Whether what closes it is the line of a site's owner, which nobody's text is, however little there is beside it."""
    return all(block.text[:1] == "©" or "rights reserved" in block.text.lower() for block in closing)


def _closing_from(blocks: Sequence[Block], end: int) -> int:
    """Where the closing lines or the section that end at `end` begin; `end` if there are none."""
    last = blocks[end - 1]
    if last.tag not in _LEVELS and last.size <= _LONGEST_LINE and _closes(last.text):
        return end - 1
    size = 0
    for at in range(end - 1, 0, -1):
        block = blocks[at]
        if block.tag in _LEVELS:
            return at if _HEADING.fullmatch(block.text) else end
        size += block.size
        if size > _LONGEST_SECTION:
            break
    return end


def _closes(text: str) -> bool:
    return _LINE.match(text) is not None or _IN_LINE.search(text) is not None


def without_bare_headings(kept: list[Block], page: Sequence[Block]) -> list[Block]:
    """The blocks without the headings below which all that the page has, a list of links, was left out."""
    places = {id(block): at for at, block in enumerate(page)}
    found: list[Block] = []
    following: Block | None = None
    for block in reversed(kept):
        if not _is_bare(block, following, places, page):
            found.append(block)
            following = block
    found.reverse()
    return found


def _is_bare(block: Block, following: Block | None, places: dict[int, int], page: Sequence[Block]) -> bool:
    level = _LEVELS.get(block.tag)
    if level is None or (following is not None and _LEVELS.get(following.tag, 7) > level):
        return False
    listed = 0
    for below in page[places[id(block)] + 1 :]:
        if below is following or _LEVELS.get(below.tag, 7) <= level:
            break
        if below.tag in _LEVELS:
            continue
        if below.link_size < 0.5 * below.size:
            return False
        listed += 1
    return listed >= _LEAST_LISTED
