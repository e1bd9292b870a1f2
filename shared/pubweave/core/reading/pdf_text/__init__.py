"""The text of a PDF from the blocks on its pages: pure, no PDF library, no file, no clock.

    model.py       what a page is: blocks of lines in the order of the content stream
    characters.py  what fonts and producers do to characters, undone
    accents.py     accents that are drawn beside their letters, put on them
    ligatures.py   ligatures with codes of their font's own, told by the words they stand in
    furniture.py   running heads, page numbers and stamps, found by their repeating
    hyphens.py     words broken at the end of a line, mended by the document's own vocabulary
    paragraphs.py  from the lines that are left to paragraphs
    metadata.py    document information and XMP (F-PDF-04)

Blocks are never sorted: publishers write their pages in reading order, and sorting by position cuts columns in two.
"""

from collections.abc import Iterable

from pubweave.core.reading.pdf_text.accents import with_accents
from pubweave.core.reading.pdf_text.furniture import without_furniture
from pubweave.core.reading.pdf_text.hyphens import WholeWords
from pubweave.core.reading.pdf_text.ligatures import with_ligatures
from pubweave.core.reading.pdf_text.metadata import PdfMetadata, read_metadata
from pubweave.core.reading.pdf_text.model import PdfBlock, PdfPage
from pubweave.core.reading.pdf_text.paragraphs import paragraphs

__all__ = ["PdfBlock", "PdfMetadata", "PdfPage", "read_metadata", "text_of_pages"]


def text_of_pages(pages: Iterable[PdfPage]) -> str:
    """The running text: a paragraph a line, an empty line between two; "" where the pages have no text."""
    bodies = without_furniture(with_accents(with_ligatures(list(pages))))
    vocabulary = WholeWords(block.lines for page in bodies for block in page.blocks)
    return "\n\n".join(paragraphs(bodies, vocabulary))
