"""One process that reads PDFs, from its start to its end."""

from typing import Final

import msgspec

from pubweave.doors.pdf_reader.messages import NOT_INSTALLED, READY, PdfReaderBounds, PdfReading
from pubweave.doors.pdf_reader.settings import PdfReaderSettings
from pubweave.processes.child import resident_mb
from pubweave.processes.ended import EndableProcess, Ended

_SPARE_BYTES: Final = 16 << 20
"""What an answer may be longer than its text."""
_MALLOC: Final = {
    # glibc moves its thresholds by what it has seen; pages then take twice as long in one process as in another.
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(256 << 20),
    "MALLOC_TOP_PAD_": str(16 << 20),
}


class NoPdfLibrary(Exception):
    """There is no PyMuPDF here: pip install 'pubweave[pdf]'."""


class ReaderProcess:
    """A started process. After any reading of a deadly reason it is dead."""

    def __init__(self, process: EndableProcess, settings: PdfReaderSettings) -> None:
        self._process = process
        self._settings = settings

    @classmethod
    async def start(cls, settings: PdfReaderSettings) -> "ReaderProcess":
        """:raises NotInstalled: it can never read anything"""
        bounds = PdfReaderBounds(
            settings.max_text_characters, settings.max_pages, settings.memory_mb, settings.cpu_s
        )
        process, greeting = await EndableProcess.start(
            "pubweave.doors.pdf_reader.worker",
            msgspec.msgpack.encode(bounds),
            cpu_s=settings.cpu_s,
            environment=_MALLOC,
        )
        if greeting == NOT_INSTALLED:
            await process.kill()
            raise NoPdfLibrary
        assert greeting == READY
        return cls(process, settings)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def documents(self) -> int:
        """How many it was given."""
        return self._process.asked

    @property
    def is_worn(self) -> bool:
        """It should be replaced: it has read too many documents, or holds too much."""
        settings = self._settings
        if self.documents < settings.documents_at_least:
            return self.documents >= settings.documents_per_worker
        held_mb = resident_mb(self.pid)
        return (
            self.documents >= settings.documents_per_worker
            or held_mb is None
            or held_mb > settings.resident_mb
        )

    async def read(self, data: bytes) -> PdfReading:
        """One document; what kills the process is a reading, too. Cancelled, the process is killed."""
        longest = 4 * self._settings.max_text_characters + _SPARE_BYTES
        try:
            answer = await self._process.ask(data, deadline_s=self._settings.deadline_s, longest=longest)
            return msgspec.msgpack.decode(answer, type=PdfReading)
        except Ended as end:
            return PdfReading(end.reason, end.evidence)
        except msgspec.MsgspecError:
            await self.kill()
            return PdfReading("crashed", "the process that read it said nonsense")

    async def kill(self) -> None:
        """End it, whatever it is doing, and wait until it is gone. Safe to repeat."""
        await self._process.kill()
