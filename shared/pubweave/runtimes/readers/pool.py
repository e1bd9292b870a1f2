"""`Readers`: a reply, a process, what the resource says."""

import asyncio
import logging
import time
from types import TracebackType
from typing import Final, Self

import msgspec

from pubweave.contract.exchange import Reply, Work
from pubweave.contract.vocabulary import AttemptOutcome, ResourceName
from pubweave.core.toolkit.service import Context, Said, Service
from pubweave.core.toolkit.webpage_asking import WebpageSaid, WebpageService
from pubweave.processes.ended import EndableProcess, Ended
from pubweave.processes.quarantine import Quarantine
from pubweave.runtimes.readers.messages import (
    AnySaid,
    Nonsense,
    Question,
    ReaderBounds,
    StepAnswer,
    answer_of,
    pickled,
)
from pubweave.runtimes.readers.settings import DEAR, ReadersSettings
from pubweave.runtimes.steps import page_said_by, said_by, unread

_log = logging.getLogger(__name__)

_LONGEST_ANSWER: Final = 512 << 20
"""Bytes; no resource says so much."""

_OUTCOMES: Final[dict[str, AttemptOutcome]] = {
    "out-of-time": "timeout",
    "out-of-memory": "too-large",
    "crashed": "failed",
}
"""What became of a reading, and what design law 3 calls it."""


class _RunningReader:
    """One process, and which context it has."""

    def __init__(self, process: EndableProcess) -> None:
        self.process = process
        self.context: Context | None = None


class Readers:
    """Reads replies in processes of their own; as many side by side as there are processes, others wait their turn.

    Processes are started when they are first needed, and replaced after so many steps, when they have grown, or at once
    when a reply went wrong: whatever a reply does, the next one is read.
    """

    def __init__(self, settings: ReadersSettings | None = None) -> None:
        self._settings = settings if settings is not None else ReadersSettings()
        self._free = asyncio.Semaphore(self._settings.processes)
        self._idle: list[_RunningReader] = []
        self._busy: set[_RunningReader] = set()
        self._quarantine = Quarantine(self._settings.quarantine, "reply")
        self._context: tuple[Context, bytes] | None = None
        self._cannot_start = False
        self.started = 0
        """How many processes have been started."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End all processes. Steps under way must be awaited or cancelled before."""
        while self._idle:
            await self._idle.pop().process.kill()

    def pids(self) -> tuple[int, ...]:
        """The processes there are, as the operating system numbers them."""
        return tuple(reader.process.pid for reader in (*self._busy, *self._idle))

    def reading(self) -> tuple[int, ...]:
        """Those of them that are at a reply."""
        return tuple(reader.process.pid for reader in self._busy)

    async def said(self, service: Service, work: Work, reply: Reply | None, context: Context) -> list[Said]:
        """What a resource of publications says (`steps.said_by`)."""
        if reply is None or not self._goes_beside(service.name, reply):
            return said_by(service, work, reply, context)
        said = await self._read(service, work, reply, context)
        if isinstance(said, Reply):
            return said_by(service, work, said, context)
        return said  # type: ignore[return-value]  # a resource of publications says no other things

    async def page_said(
        self, service: WebpageService, work: Work, reply: Reply | None, context: Context, now_ms: int
    ) -> list[WebpageSaid]:
        """What a resource of web pages says (`steps.page_said_by`)."""
        if reply is None or not self._goes_beside(service.name, reply):
            return page_said_by(service, work, reply, context, now_ms)
        said = await self._read(service, work, reply, context)
        if isinstance(said, Reply):
            return page_said_by(service, work, said, context, now_ms)
        return said  # type: ignore[return-value]  # a resource of pages says no other things

    async def _read(
        self, service: Service | WebpageService, work: Work, reply: Reply, context: Context
    ) -> AnySaid | Reply:
        """What is said, or the reply as one that could not be read."""
        known = self._quarantine.get(reply.body)
        if known is not None:
            return unread(reply, _OUTCOMES[known.reason], f"not read again: {known.evidence}", again=False)
        async with self._free:
            began_s = time.monotonic()
            try:
                answer = await self._answer(service, work, reply, context)
            except Ended as end:
                reason: str = end.reason
                evidence = end.evidence
            except OSError as problem:
                self._tell_once(problem)
                return self._here(service, work, reply, context)
            else:
                for note in answer.notes:
                    logging.getLogger(note.logger).log(note.level, "%s", note.text)
                if answer.said is not None:
                    return answer.said
                reason, evidence = "out-of-memory", f"more than {self._settings.bound_mb} MiB were needed"
        told = (
            f"{evidence} to read {len(reply.body)} bytes of {reply.final_url or reply.url} for "
            f"{service.name} ({time.monotonic() - began_s:.1f} s)"
        )
        if len(work.needs) == 1:
            self._quarantine.put(reply.body, reason, told)
        return unread(reply, _OUTCOMES[reason], told, again=True)

    async def _answer(
        self, service: Service | WebpageService, work: Work, reply: Reply, context: Context
    ) -> StepAnswer:
        """:raises Ended: the reply has ended a process
        :raises OSError: no process can be started
        """
        try:
            return await self._ask(service, work, reply, context)
        except Ended as end:
            if end.reason != "crashed":
                raise
        # A step is pure, and others end processes, too: the system, when it is short of memory. Who dies twice did it.
        return await self._ask(service, work, reply, context)

    async def _ask(
        self, service: Service | WebpageService, work: Work, reply: Reply, context: Context
    ) -> StepAnswer:
        reader = await self._reader()
        self._busy.add(reader)
        try:
            news = None if reader.context is context else self._as_sent(context)
            frame = await reader.process.ask(
                pickled(Question(service, work, reply, news)),
                deadline_s=self._settings.deadline_s,
                longest=_LONGEST_ANSWER,
            )
            answer = answer_of(frame)
            reader.context = context
        except Nonsense as nonsense:
            await reader.process.kill()
            raise Ended("crashed", f"the process that read it said nonsense ({nonsense})") from None
        finally:
            self._busy.discard(reader)
        if answer.said is None or self._is_worn(reader.process, answer.resident_mb):
            await reader.process.kill()
        else:
            self._idle.append(reader)
        return answer

    async def _reader(self) -> _RunningReader:
        while self._idle:
            reader = self._idle.pop()
            if reader.process.alive:
                return reader
            await reader.process.kill()
        bounds = ReaderBounds(self._settings.bound_mb, self._settings.cpu_s)
        process, _ = await EndableProcess.start(
            "pubweave.runtimes.readers.worker", msgspec.msgpack.encode(bounds), cpu_s=self._settings.cpu_s
        )
        self.started += 1
        return _RunningReader(process)

    def _as_sent(self, context: Context) -> bytes:
        if self._context is None or self._context[0] is not context:
            self._context = context, pickled(context)
        return self._context[1]

    def _is_worn(self, process: EndableProcess, resident_mb: int) -> bool:
        settings = self._settings
        has_grown = resident_mb > settings.resident_mb and process.asked >= settings.steps_at_least
        return has_grown or process.asked >= settings.steps_per_worker

    def _here(self, service: Service | WebpageService, work: Work, reply: Reply, context: Context) -> AnySaid:
        if isinstance(service, Service):
            return [*said_by(service, work, reply, context)]
        return [*page_said_by(service, work, reply, context, reply.fetched_at)]

    def _tell_once(self, problem: OSError) -> None:
        if not self._cannot_start:
            self._cannot_start = True
            _log.error(
                "No process can be started to read in (%s); replies are read where they arrive, "
                "where one that takes too long cannot be ended",
                problem,
            )

    def _goes_beside(self, resource: ResourceName, reply: Reply) -> bool:
        from_bytes = self._settings.dear_bytes if resource in DEAR else self._settings.long_bytes
        return bool(reply.body) and len(reply.body) >= from_bytes
