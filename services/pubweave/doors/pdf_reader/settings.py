"""How many processes read PDFs, and what bounds them."""

from pathlib import Path

import msgspec


class PdfReaderSettings(msgspec.Struct, frozen=True):
    """Bounds hold for one document, unless a sentence says otherwise."""

    workers: int = 1
    """Processes that read side by side."""
    documents_per_worker: int = 2_000
    """After so many a process is replaced, whatever it holds."""
    resident_mb: int = 128
    """A process that holds more when it has read a document is replaced, so that what it leaked is given back, unless it
    has read fewer than `documents_at_least`; also after those where the system does not tell."""
    documents_at_least: int = 200
    max_pdf_bytes: int = 100 << 20
    """A longer PDF is not looked at."""
    max_text_characters: int = 20_000_000
    """A book of 10,000 pages has about as many. More is a bomb: none of it is given, none is cut silently."""
    max_pages: int = 10_000
    memory_mb: int = 1_024
    """Address space of a process, in units of 2^20 bytes; the interpreter itself takes about 100."""
    cpu_s: int = 60
    """Processor time."""
    deadline_s: float = 120.0
    """Time by the clock, waiting for a free process not counted."""
    quarantine: Path | None = None
    """Folder for documents that killed their process, with the reason; None: they are remembered until the end of
    this process, without their bytes."""
