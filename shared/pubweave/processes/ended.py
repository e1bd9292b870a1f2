"""One process that can be ended, from its start to its end."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Mapping
from typing import Final, Literal

from pubweave.processes.child import LENGTH

EndReason = Literal["out-of-time", "crashed"]

_START_S: Final = 60.0
_KEPT: Final = ("PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "SYSTEMROOT", "TZ")


class Ended(Exception):
    """The process is gone before it answered."""

    def __init__(self, reason: EndReason, evidence: str) -> None:
        super().__init__(evidence)
        self.reason: EndReason = reason
        self.evidence = evidence
        """One sentence for people."""


class EndableProcess:
    """A started process. After `Ended`, or when `ask` was cancelled, it is dead."""

    def __init__(self, process: asyncio.subprocess.Process, cpu_s: int) -> None:
        self._process = process
        self._cpu_s = cpu_s
        self.asked = 0
        """How many questions it was given."""

    @classmethod
    async def start(
        cls, module: str, bounds: bytes, *, cpu_s: int, environment: Mapping[str, str] | None = None
    ) -> tuple["EndableProcess", bytes]:
        """A process of `python -m module PARENT`, told its bounds, and its greeting.

        :param cpu_s: how much processor time one question may take; the process itself sees to it
        :param environment: variables besides those without which no Python starts
        :raises OSError: it did not start
        """
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", module, str(os.getpid())),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the one who asks to handle
            env={name: os.environ[name] for name in _KEPT if name in os.environ}
            | {"PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1", "MALLOC_ARENA_MAX": "1"}
            | dict(environment or {}),
        )
        started = cls(process, cpu_s)
        try:
            async with asyncio.timeout(_START_S):
                await started._send(bounds)
                greeting = await started._receive(1024)
        except BaseException as problem:
            await started.kill()
            if isinstance(problem, asyncio.IncompleteReadError | OSError):
                raise OSError(f"the process {module} did not start") from problem
            raise
        return started, greeting

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        """As far as is known: the operating system may have ended it a moment ago."""
        return self._process.returncode is None

    async def ask(self, question: bytes, *, deadline_s: float, longest: int) -> bytes:
        """One question, one answer. Cancelled, the process is killed.

        :param longest: bytes; a longer answer is nonsense
        :raises Ended: there is none, and there is no such process any more
        """
        self.asked += 1
        try:
            async with asyncio.timeout(deadline_s):
                await self._send(question)
                return await self._receive(longest)
        except TimeoutError:
            await self.kill()
            raise Ended("out-of-time", f"no answer within {deadline_s:g} s") from None
        except (asyncio.IncompleteReadError, OSError, OverflowError):
            await self.kill()
            raise self._post_mortem() from None
        except BaseException:
            await self.kill()
            raise

    def _post_mortem(self) -> Ended:
        code = self._process.returncode or 0
        if code == -signal.SIGXCPU:
            return Ended("out-of-time", f"more than {self._cpu_s} s of processor time")
        if code < 0:
            with contextlib.suppress(ValueError):
                return Ended("crashed", f"the process that read it died of {signal.Signals(-code).name}")
        return Ended("crashed", f"the process that read it ended with status {code}")

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
        pipe.write(LENGTH.pack(len(body)) + body)
        await pipe.drain()

    async def _receive(self, longest: int) -> bytes:
        pipe = self._process.stdout
        assert pipe is not None
        (length,) = LENGTH.unpack(await pipe.readexactly(LENGTH.size))
        if length > longest:
            raise OverflowError(f"an answer of {length} bytes")
        return await pipe.readexactly(length)
