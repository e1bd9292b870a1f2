"""`PdfReader`: a document, a process, an outcome."""

import asyncio
from types import TracebackType
from typing import Self

import msgspec

from pubweave.contract.exchange import Reply
from pubweave.doors.pdf_reader.messages import DEADLY, PdfReading
from pubweave.doors.pdf_reader.process import NoPdfLibrary, ReaderProcess
from pubweave.doors.pdf_reader.settings import PdfReaderSettings
from pubweave.processes.quarantine import Quarantine

_MIB = 1 << 20


class PdfReader:
    """Reads PDFs in processes of their own; as many side by side as `workers` says, others wait their turn.

    Processes are started when they are first needed and replaced when they have grown (`resident_mb`), or at once
    when one went wrong: whatever a document does, the next one is read.
    """

    def __init__(self, settings: PdfReaderSettings | None = None) -> None:
        self._settings = settings if settings is not None else PdfReaderSettings()
        self._free = asyncio.Semaphore(self._settings.workers)
        self._idle: list[ReaderProcess] = []
        self._busy: set[ReaderProcess] = set()
        self._quarantine = Quarantine(self._settings.quarantine, "pdf")
        self._not_installed = False
        self.started = 0
        """How many processes have been started."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End all processes. Documents that are being read must be awaited or cancelled before."""
        while self._idle:
            await self._idle.pop().kill()

    async def read(self, data: bytes) -> PdfReading:
        """The text and metadata of one PDF, or why there are none. Always an outcome, never an exception for it."""
        if len(data) > self._settings.max_pdf_bytes:
            return PdfReading(
                "too-large", f"{len(data)} bytes; {self._settings.max_pdf_bytes // _MIB} MiB are allowed"
            )
        known = self._quarantine.get(data)
        if known is not None:
            return PdfReading("quarantined", f"not read again: {known.reason} before, {known.evidence}")
        async with self._free:
            if self._not_installed:
                return _NOT_INSTALLED
            try:
                process = self._idle.pop() if self._idle else await self._start()
            except NoPdfLibrary:
                self._not_installed = True
                return _NOT_INSTALLED
            self._busy.add(process)
            try:
                reading = await process.read(data)
            finally:
                self._busy.discard(process)
            if reading.reason in DEADLY:
                await process.kill()
                self._quarantine.put(data, reading.reason, reading.evidence)
            elif process.is_worn:
                await process.kill()
            else:
                self._idle.append(process)
            return reading

    def pids(self) -> tuple[int, ...]:
        """The processes that are reading at this moment, as the operating system numbers them."""
        return tuple(process.pid for process in self._busy)

    async def answer(self, fetched: Reply) -> Reply:
        """The fetcher's reply with what its PDF says in place of the PDF: `body` is a `PdfReading` as JSON.

        A reply that is not `found` comes back as it is; there is nothing to read in it.
        """
        if fetched.outcome != "found":
            return fetched
        reading = await self.read(fetched.body)
        return msgspec.structs.replace(
            fetched,
            outcome=reading.outcome,
            content_type="application/json",
            body=msgspec.json.encode(reading),
            evidence="; ".join(part for part in (fetched.evidence, reading.evidence) if part),
            fetch_exception=reading.fetch_exception,
            web_fetch_exception=reading.fetch_exception,
        )

    async def _start(self) -> ReaderProcess:
        process = await ReaderProcess.start(self._settings)
        self.started += 1
        return process


_NOT_INSTALLED = PdfReading(
    "not-installed", "there is no PDF reader here: pip install 'pubweave[pdf]' brings it"
)
