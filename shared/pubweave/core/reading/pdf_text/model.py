"""What a page of a PDF is to its reader."""

from typing import NamedTuple


class PdfBlock(NamedTuple):
    """Lines that the PDF library found to stand together; edges in points, y grows downwards."""

    x0: float
    y0: float
    x1: float
    y1: float
    lines: tuple[str, ...]
    """Not empty; characters mended, white space collapsed, none empty."""

    def y_of(self, line: int) -> float:
        """Where the middle of a line is, taking all lines of a block to be equally high."""
        return self.y0 + (line + 0.5) / len(self.lines) * (self.y1 - self.y0)


class PdfPage(NamedTuple):
    """One page: its size in points, and its blocks in the order of the content stream."""

    width: float
    height: float
    blocks: tuple[PdfBlock, ...]
