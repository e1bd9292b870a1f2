"""The PDF reader: the one door through which the bytes of a PDF are looked at.

Is given bytes that the fetcher brought; says text and metadata, or with one word why there are none, and the evidence.
Never opens a socket or a file of the user's, never lets a PDF harm the process it was asked from: a document is read in
another process, with bounded memory and time, that is killed when it goes wrong and replaced after so many documents.

    settings.py    how many processes, and their bounds
    messages.py    what is said between the two processes
    worker.py      the process that reads: PyMuPDF is imported there and nowhere else
    opening.py     from bytes to pages, and what can be wrong with them
    process.py     one such process, and what its end says about a document
    door.py        `PdfReader`: a document, a process, an outcome

PyMuPDF is licensed under the AGPL: it is the `pdf` extra. Without it every answer is `no-door`.
"""

from typing import TYPE_CHECKING, Any

from pubweave.doors.pdf_reader.messages import PdfReading, Reason
from pubweave.doors.pdf_reader.settings import PdfReaderSettings

if TYPE_CHECKING:
    from pubweave.doors.pdf_reader.door import PdfReader

__all__ = ["PdfReader", "PdfReaderSettings", "PdfReading", "Reason"]


def __getattr__(name: str) -> Any:
    """`PdfReader` brings asyncio's subprocesses with it: loaded when first wanted; the worker has no use for it."""
    if name == "PdfReader":
        from pubweave.doors.pdf_reader.door import PdfReader

        return PdfReader
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
