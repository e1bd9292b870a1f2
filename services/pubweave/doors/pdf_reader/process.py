"""One process that reads PDFs, from its start to its end."""

import asyncio
import contextlib
import os
import signal
import sys
from typing import Final

import msgspec

from pubweave.doors.pdf_reader.messages import LENGTH, NOT_INSTALLED, READY, Bounds, PdfReading
from pubweave.doors.pdf_reader.settings import PdfReaderSettings

_START_S: Final = 60.0
_SPARE_BYTES: Final = 16 << 20
"""What an answer may be longer than its text."""
_KEPT: Final = ("PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "SYSTEMROOT", "TZ")
_MALLOC: Final = {
    # glibc moves its thresholds by what it has seen; pages then take twice as long in one process as in another.
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(256 << 20),
    "MALLOC_TOP_PAD_": str(16 << 20),
    "MALLOC_ARENA_MAX": "1",
}


class NotInstalled(Exception):
    """There is no PyMuPDF here: pip install 'pubweave[pdf]'."""


class ReaderProcess:
    """A started process. After any reading of a deadly reason it is dead."""

    def __init__(self, process: asyncio.subprocess.Process, settings: PdfReaderSettings) -> None:
        self._process = process
        self._settings = settings
        self.documents = 0
        """How many it was given."""

    @classmethod
    async def start(cls, settings: PdfReaderSettings) -> "ReaderProcess":
        """:raises NotInstalled: it can never read anything"""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "pubweave.doors.pdf_reader.worker"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is the door's to handle
            env={name: os.environ[name] for name in _KEPT if name in os.environ}
            | {"PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"}
            | _MALLOC,
        )
        started = cls(process, settings)
        bounds = Bounds(settings.max_text_characters, settings.max_pages, settings.memory_mb, settings.cpu_s)
        try:
            async with asyncio.timeout(_START_S):
                await started._send(msgspec.msgpack.encode(bounds))
                greeting = await started._receive(1024)
        except BaseException as problem:
            await started.kill()
            if isinstance(problem, asyncio.IncompleteReadError | OSError):
                raise RuntimeError("the process that reads PDFs did not start") from problem
            raise
        if greeting == NOT_INSTALLED:
            await started.kill()
            raise NotInstalled
        assert greeting == READY
        return started

    @property
    def pid(self) -> int:
        return self._process.pid

    async def read(self, data: bytes) -> PdfReading:
        """One document; what kills the process is a reading, too. Cancelled, the process is killed."""
        self.documents += 1
        try:
            async with asyncio.timeout(self._settings.deadline_s):
                await self._send(data)
                answer = await self._receive(4 * self._settings.max_text_characters + _SPARE_BYTES)
                return msgspec.msgpack.decode(answer, type=PdfReading)
        except TimeoutError:
            await self.kill()
            return PdfReading("out-of-time", f"no answer within {self._settings.deadline_s:g} s")
        except (asyncio.IncompleteReadError, OSError, msgspec.MsgspecError, OverflowError):
            await self.kill()
            return self._post_mortem()
        except BaseException:
            await self.kill()
            raise

    def _post_mortem(self) -> PdfReading:
        code = self._process.returncode or 0
        if code == -signal.SIGXCPU:
            return PdfReading("out-of-time", f"more than {self._settings.cpu_s} s of processor time")
        if code < 0:
            with contextlib.suppress(ValueError):
                return PdfReading("crashed", f"the process that read it died of {signal.Signals(-code).name}")
        return PdfReading("crashed", f"the process that read it ended with status {code}")

    async def kill(self) -> None:
        """End it, whatever it is doing, and wait until it is gone. Safe to repeat."""
        if self._process.returncode is None and not await self._ended_by_itself():
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        if self._process.stdin is not None:
            self._process.stdin.close()
        await self._process.wait()

    async def _ended_by_itself(self) -> bool:
        """A process that has closed its pipe is about to end, and says in its status why."""
        out = self._process.stdout
        if out is None or not out.at_eof():
            return False
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), 5)
        return self._process.returncode is not None

    async def _send(self, body: bytes) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        pipe.write(LENGTH.pack(len(body)))
        pipe.write(body)
        await pipe.drain()

    async def _receive(self, limit: int) -> bytes:
        pipe = self._process.stdout
        assert pipe is not None
        (length,) = LENGTH.unpack(await pipe.readexactly(LENGTH.size))
        if length > limit:
            raise OverflowError(f"an answer of {length} bytes")
        return await pipe.readexactly(length)
