"""Ligatures to which a font has given codes of its own: `\\ue104uorescent`, `shi\\ue09ded`.

The codes lie in the private use area and mean something else in each font. Which ligature one is, the words say in
which it stands: those that the document has elsewhere in another font, and a few that every article has.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from pubweave.core.reading.pdf_text.model import PdfPage

_PRIVATE: Final = "\ue000-\uf8ff"
_CODE: Final = re.compile(f"[{_PRIVATE}]")
_WORD: Final = re.compile(rf"[^\W\d_{_PRIVATE}]{{3,}}")
_TORN: Final = re.compile(rf"(?:[^\W\d_]|[{_PRIVATE}])+")
_LIGATURES: Final = ("fi", "fl", "ff", "ffi", "ffl", "ft")
_EVERYWHERE: Final = (
    "first field figure final find five defined identified modified significant significantly specific scientific "
    "confirmed profile benefit flow flexible fluid fluorescent fluorescence influence influenced reflect conflict "
    "different difference effect effects effective affect affected buffer off efficient efficiency sufficient coefficient "
    "difficult office offline effluent after left shift often software soft draft"
)
_ENOUGH: Final = 2
"""Different words that must speak for a ligature."""


def with_ligatures(pages: Sequence[PdfPage]) -> Sequence[PdfPage]:
    """The pages with letters where fonts have codes for them, as far as the words of the document tell which."""
    texts = [line for page in pages for block in page.blocks for line in block.lines]
    torn = [text for text in texts if _CODE.search(text)]
    if not torn:
        return pages
    meanings = _meanings(torn, texts)
    if not meanings:
        return pages
    return [
        page._replace(
            blocks=tuple(
                block._replace(lines=tuple(line.translate(meanings) for line in block.lines))
                for block in page.blocks
            )
        )
        for page in pages
    ]


def _meanings(torn: Iterable[str], texts: Iterable[str]) -> dict[int, str]:
    words = {word for word in {token for text in torn for token in _TORN.findall(text)} if len(word) > 1}
    by_code: dict[str, set[str]] = {}
    for word in words:
        codes = set(_CODE.findall(word))
        if len(codes) == 1 and len(word) > len(codes):
            by_code.setdefault(codes.pop(), set()).add(word.lower())
    if not by_code:
        return {}
    known = {word.lower() for text in texts for word in _WORD.findall(text)}.union(_EVERYWHERE.split())
    found: dict[int, str] = {}
    for code, of_code in by_code.items():
        votes = sorted(
            (
                (sum(word.replace(code, letters) in known for word in of_code), letters)
                for letters in _LIGATURES
            ),
            reverse=True,
        )
        if votes[0][0] >= _ENOUGH and votes[0][0] > votes[1][0]:
            found[ord(code)] = votes[0][1]
    return found
