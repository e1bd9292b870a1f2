"""From the bytes of a PDF to its text and metadata. Runs in the worker's process only; nobody else imports this."""

import re
from collections.abc import Iterator
from typing import Any, Final

import pymupdf

from pubweave.core.reading.pdf_text import PdfBlock, PdfMetadata, PdfPage, read_metadata, text_of_pages
from pubweave.core.reading.pdf_text.characters import lines_of
from pubweave.doors.pdf_reader.messages import PdfReaderBounds, PdfReading, Reason

MAGIC_WITHIN_BYTES: Final = 1024
"""Junk before the header is allowed so far (PDF 1.7, annex H.3, note 13)."""

_FLAGS: Final = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
"""Ligatures become letters; the order stays that of the content stream."""
_mupdf: Any = pymupdf  # it has no types
_OUT_OF_MEMORY: Final = re.compile(r"malloc|calloc|realloc|out of memory", re.I)
_USELESS: Final = re.compile("[\ufffd\x00-\x1f]")


class _Stop(Exception):
    def __init__(self, reason: Reason, evidence: str) -> None:
        super().__init__(evidence)
        self.reading = PdfReading(reason, evidence)


def is_pdf(data: bytes) -> bool:
    """Whether the bytes say of themselves that they are a PDF."""
    return b"%PDF-" in data[:MAGIC_WITHIN_BYTES]


def read_pdf(data: bytes, bounds: PdfReaderBounds) -> PdfReading:
    """Read one document. Never raises for what is in it; only a fault that kills the process is not answered."""
    if not is_pdf(data):
        return PdfReading("not-a-pdf", f"no %PDF- within the first {MAGIC_WITHIN_BYTES} bytes")
    try:
        with _mupdf.open(stream=data, filetype="pdf") as document:
            return _read(document, bounds)
    except _Stop as stop:
        return stop.reading
    except MemoryError:
        return PdfReading("out-of-memory", f"more than {bounds.memory_mb} MiB were needed")
    except Exception as problem:  # noqa: BLE001 - MuPDF's errors share no base but this one
        return _failure(problem, bounds)


def _failure(problem: Exception, bounds: PdfReaderBounds) -> PdfReading:
    said = " ".join(str(problem).split())[:200]
    if _OUT_OF_MEMORY.search(said):
        return PdfReading("out-of-memory", f"more than {bounds.memory_mb} MiB were needed: {said}")
    return PdfReading("broken", f"it cannot be read, even after an attempt to repair it: {said}")


def _read(document: Any, bounds: PdfReaderBounds) -> PdfReading:
    if document.needs_pass:
        raise _Stop("needs-password", "it can be opened with a password only")
    count, repaired = document.page_count, bool(document.is_repaired)
    if count == 0:
        raise _Stop("no-pages", "it has no pages" + (", even after a repair: it was cut" if repaired else ""))
    if count > bounds.max_pages:
        raise _Stop("too-many-pages", f"it says it has {count} pages; {bounds.max_pages} are allowed")
    metadata = _metadata(document)
    pages, failed = _pages(document, count, bounds)
    if failed == count:
        raise _Stop("broken", f"none of its {count} pages can be read")
    text = text_of_pages(pages)
    reason, evidence = _judged(text, count, failed, repaired)
    return PdfReading(reason, evidence, text if reason == "read" else "", count, failed, repaired, metadata)


def _judged(text: str, count: int, failed: int, repaired: bool) -> tuple[Reason, str]:
    if not text or len(_USELESS.findall(text)) * 2 > len(text):
        return "no-text-layer", f"no text layer on {count} page{'s' * (count > 1)}" + (
            ": its fonts do not say which characters they draw" if text else ""
        )
    notes = []
    if repaired:
        notes.append("it was damaged and has been repaired")
    if failed:
        notes.append(f"{failed} of {count} pages could not be read")
    return "read", "; ".join(notes)


def _metadata(document: Any) -> PdfMetadata:
    """What can be had of it: broken metadata is no reason to lose the text."""
    try:
        information = document.metadata or {}
        xmp = document.get_xml_metadata()
    except Exception:  # noqa: BLE001 - see read_pdf
        return PdfMetadata()
    return read_metadata(information, xmp if isinstance(xmp, str) else "")


def _pages(document: Any, count: int, bounds: PdfReaderBounds) -> tuple[list[PdfPage], int]:
    pages: list[PdfPage] = []
    failed = size = 0
    for number in range(count):
        try:
            page = document.load_page(number)
            raw = page.get_textpage(flags=_FLAGS).extractBLOCKS()
            size += sum(len(block[4]) for block in raw)
            if size <= bounds.max_text_characters:
                pages.append(PdfPage(page.rect.width, page.rect.height, tuple(_blocks(raw))))
        except MemoryError:
            raise
        except Exception as problem:
            if _OUT_OF_MEMORY.search(str(problem)):
                raise
            failed += 1
        if size > bounds.max_text_characters:
            raise _Stop("too-much-text", f"more than {bounds.max_text_characters} characters of text")
    return pages, failed


def _blocks(raw: list[tuple[Any, ...]]) -> Iterator[PdfBlock]:
    for x0, y0, x1, y1, text, _, kind in raw:
        if kind == 0 and (lines := lines_of(text)):
            yield PdfBlock(x0, y0, x1, y1, lines)
