"""What is said between the door and its processes: frames of msgpack (`runtimes.processes`)."""

from typing import Final, Literal

import msgspec

from pubweave.contract.vocabulary import AttemptOutcome
from pubweave.core.reading.pdf_text import PdfMetadata

Reason = Literal[
    "read",
    "no-text-layer",  # pages without text: a scan
    "no-pages",  # nothing was left after the repair: a download that was cut
    "not-a-pdf",
    "broken",
    "needs-password",
    "too-large",
    "too-many-pages",
    "too-much-text",
    "out-of-memory",
    "out-of-time",
    "crashed",
    "quarantined",  # it killed a process before
    "not-installed",
]
"""What exactly became of a document."""

OUTCOMES: Final[dict[Reason, AttemptOutcome]] = {
    "read": "found",
    "no-text-layer": "empty",
    "no-pages": "malformed",
    "not-a-pdf": "malformed",
    "broken": "malformed",
    "needs-password": "blocked",
    "too-large": "too-large",
    "too-many-pages": "too-large",
    "too-much-text": "too-large",
    "out-of-memory": "too-large",
    "out-of-time": "timeout",
    "crashed": "failed",
    "quarantined": "failed",
    "not-installed": "no-door",
}
"""THE table: what became of a document, and what design law 3 calls it."""

FETCH_EXCEPTIONS: Final[frozenset[Reason]] = frozenset({"out-of-memory", "out-of-time", "crashed"})
"""Which of them set fetchException (F-PDF-07: a password and bytes that cannot be parsed do not, "anything else" does).
What is known for good, by its size or from the quarantine, does not: asking again would change nothing."""

DEADLY: Final[frozenset[Reason]] = frozenset({"out-of-memory", "out-of-time", "crashed"})
"""After these the process is not used again, and the document goes into quarantine."""


class PdfReading(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of one document. `outcome` is the one attempt outcome; `text` is not empty where it is `found`."""

    reason: Reason
    evidence: str = ""
    """One sentence for people."""
    text: str = ""
    """Paragraphs, an empty line between two (`core.reading.pdf_text`)."""
    pages: int = 0
    pages_failed: int = 0
    """Pages that could not be read; the text is that of the others."""
    repaired: bool = False
    """The PDF was damaged, and what could be read of it was read."""
    metadata: PdfMetadata = PdfMetadata()

    @property
    def outcome(self) -> AttemptOutcome:
        return OUTCOMES[self.reason]

    @property
    def fetch_exception(self) -> bool:
        return self.reason in FETCH_EXCEPTIONS


class PdfReaderBounds(msgspec.Struct, frozen=True):
    """What a process is told when it starts (`PdfReaderSettings`)."""

    max_text_characters: int
    max_pages: int
    memory_mb: int
    cpu_s: int


READY: Final = b"ready"
"""The first frame of a process: it has everything it needs."""
NOT_INSTALLED: Final = b"not-installed"
"""Or that: there is no PyMuPDF. The process ends."""
