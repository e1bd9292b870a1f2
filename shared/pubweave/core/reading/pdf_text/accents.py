"""Accents that fonts draw as characters of their own, put back on their letters: `Fl¨uckiger`, `Pe´rez`.

TeX draws the accent before its letter, other programs after it. A document does it one way throughout, so that the
unmistakable places (only one of the two letters ever has that accent) decide the others.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from pubweave.core.reading.pdf_text.model import PdfPage

_COMBINING: Final = {
    "´": "\u0301", "`": "\u0300", "¨": "\u0308", "˜": "\u0303", "ˆ": "\u0302", "ˇ": "\u030c", "¸": "\u0327", "˚": "\u030a",
}  # fmt: skip
_ACCENTS: Final = "".join(_COMBINING)
_ANY: Final = re.compile(f"[{_ACCENTS}]")
_BETWEEN: Final = re.compile(rf"(?=([^\W\d_])([{_ACCENTS}])([^\W\d_]))")
_AFTER: Final = re.compile(rf"([^\W\d_])([{_ACCENTS}])")
_BEFORE: Final = re.compile(rf"([{_ACCENTS}])([^\W\d_])")
_ANGSTROM: Final = re.compile(r"(?<!\w)˚A")
_VOWELS: Final = "aeiouyAEIOUYı"
_NATURAL: Final = {
    "´": frozenset(_VOWELS + "cnsz"),
    "`": frozenset(_VOWELS),
    "¨": frozenset(_VOWELS),
    "ˆ": frozenset(_VOWELS),
    "˜": frozenset("anoANO"),
    "ˇ": frozenset("cdenrstzCDENRSTZ"),
    "¸": frozenset("cstCST"),
    "˚": frozenset("auAU"),
}
"""The letters that each accent stands on, in the languages of authors' names."""


def with_accents(pages: Sequence[PdfPage]) -> Sequence[PdfPage]:
    """The pages with accents on their letters, as far as the document says which way it draws them."""
    text = "\n".join(["\n".join(block.lines) for page in pages for block in page.blocks])
    if not _ANY.search(text):
        return pages
    before = after = 0
    for one in _BETWEEN.finditer(text):
        left, right = (one[side] in _NATURAL[one[2]] for side in (1, 3))
        if "ı" in (one[1], one[3]):  # it has lost its dot to the accent
            left, right = one[1] == "ı", one[3] == "ı"
        after += left and not right
        before += right and not left
    return [
        page._replace(
            blocks=tuple(
                block._replace(lines=tuple(_put(line, before, after) for line in block.lines))
                for block in page.blocks
            )
        )
        for page in pages
    ]


def _put(line: str, before: int, after: int) -> str:
    if not _ANY.search(line):
        return line
    line = _ANGSTROM.sub("Å", line)
    if before > after:
        return _BEFORE.sub(lambda one: _on_the_next(one, line), line)
    if after > before:
        return _AFTER.sub(lambda one: _on_the_last(one, line), line)
    return line


def _on_the_next(one: re.Match[str], line: str) -> str:
    inside = one.start() > 0 and line[one.start() - 1].isalpha()
    ends = one.end() == len(line) or not line[one.end()].isalpha()
    if inside and ends and one[2] in "sS":
        return one[0]  # the author´s
    if not inside and one[1] == "`" and not ends:
        return one[0]  # a `quotation'
    return _composed(one[2], one[1]) or one[0]


def _on_the_last(one: re.Match[str], line: str) -> str:
    ends = one.end() == len(line) or not line[one.end()].isalpha()
    if ends and one[1] in "sS":
        return one[0]  # the authors´
    return _composed(one[1], one[2]) or one[0]


def _composed(letter: str, accent: str) -> str:
    """The letter with the accent; "" where there is no such letter."""
    made = unicodedata.normalize("NFC", ("i" if letter == "ı" else letter) + _COMBINING[accent])
    return made if len(made) == 1 else ""
