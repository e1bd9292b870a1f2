"""From blocks of lines to paragraphs."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pubweave.core.reading.pdf_text.hyphens import WholeWords
from pubweave.core.reading.pdf_text.model import PdfPage

_OPEN_END: Final = re.compile(r"[\w,;)\]%–-]$")
_PROSE: Final = 60
"""From how many characters on a block is taken for text and not for a label or a cell."""
_RANGE: Final = re.compile(r"\d[–—]$")


def paragraphs(pages: Sequence[PdfPage], vocabulary: WholeWords) -> Iterator[str]:
    """The paragraphs in the order of the blocks; one that a column or a page cut in two is put together."""
    current = ""
    for page in pages:
        for block in page.blocks:
            text = joined(block.lines, vocabulary)
            if current and _goes_on(current, text, vocabulary):
                current = joined((current, text), vocabulary)
                continue
            if current:
                yield current
            current = text
    if current:
        yield current


def joined(lines: Sequence[str], vocabulary: WholeWords) -> str:
    """Lines as one, broken words mended."""
    if len(lines) == 1:
        return lines[0]
    parts: list[str] = []
    last = len(lines) - 1
    for at, line in enumerate(lines):
        if at == last:
            parts.append(line)
        elif line[-1] == "-":
            joint = vocabulary.joint(line, lines[at + 1])
            parts.append(line + " " if joint is None else line[:-1] + joint)
        elif _RANGE.search(line) and lines[at + 1][0].isdigit():
            parts.append(line)
        else:
            parts.append(line + " ")
    return "".join(parts)


def _goes_on(before: str, after: str, vocabulary: WholeWords) -> bool:
    """Whether the second block goes on with the sentence of the first."""
    if not after[0].islower() or len(before) < _PROSE or not _OPEN_END.search(before):
        return False
    if before[-1] == "-":
        return vocabulary.joint(before, after) is not None
    return len(after) >= _PROSE
