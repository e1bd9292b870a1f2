"""What Kafka's clients say about a Kafka that does not answer: one line a minute, and one when it is there again.

aiokafka tells every attempt to connect, several thousand in a minute and service. Nothing of what its loggers and Faust's
warn of is lost while Kafka answers, but each message is said once a minute at most, with how often it came.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.ports import Clock
from pubweave.runtimes.bus.turns import end

_log = logging.getLogger(__name__)

TALKATIVE: Final = ("aiokafka", "kafka", "faust", "mode")
"""Loggers of the clients; those below them are heard as well."""

LOOK_S: Final = 1.0
"""How long a warning waits until it is known whether Kafka answers."""
AGAIN_S: Final = 60.0
"""The same is not said again before this time has passed."""
QUIET_S: Final = 5.0
"""It is there again when it answers and nobody has complained for so long."""
_CONNECT_S: Final = 2.0
_KEPT: Final = 1_000


class Complaints(logging.Handler):
    """Gathers warnings and errors, from any thread; everything else goes on at once."""

    def __init__(self) -> None:
        super().__init__()
        self._heard: dict[tuple[str, str], tuple[logging.LogRecord, int]] = {}

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno < logging.WARNING:
            _pass_on(record)
            return
        key = (record.name, str(record.msg))
        _, count = self._heard.get(key, (record, 0))
        self._heard[key] = (record, count + 1)

    def taken(self) -> dict[tuple[str, str], tuple[logging.LogRecord, int]]:
        """Since the last time: the last one of each message, and how often it came."""
        self.acquire()
        try:
            heard, self._heard = self._heard, {}
        finally:
            self.release()
        return heard


class Absence:
    """Whether Kafka is there, for those who read the log.

    :param told: where it is
    :param answers: whether anybody takes a connection there
    """

    def __init__(
        self, told: str, complaints: Complaints, clock: Clock, answers: Callable[[], Awaitable[bool]]
    ) -> None:
        self._told = told
        self._complaints = complaints
        self._clock = clock
        self._answers = answers
        self._since_s: float | None = None
        self._complained_s = 0.0
        self._next_s = 0.0
        self.left_out = 0
        """Messages that were not said since Kafka is away."""
        self._said: dict[tuple[str, str], tuple[float, int]] = {}
        """When each message was said last, and how often it came since."""

    async def watch(self) -> None:
        """For ever."""
        while True:
            await self._clock.sleep(LOOK_S)
            await self.look()

    async def look(self) -> None:
        """Say what is to be said now."""
        heard = self._complaints.taken()
        if not heard and self._since_s is None:
            return
        there, now_s = await self._answers(), self._clock.monotonic_s()
        if self._since_s is None and there:
            self._say_each(heard, now_s)
            return
        if self._since_s is None:
            self._since_s = self._next_s = now_s
        last = ""
        for record, count in heard.values():
            self._complained_s, last = now_s, record.getMessage()
            self.left_out += count
        away_s = now_s - self._since_s
        if there and now_s - self._complained_s >= QUIET_S:
            _log.warning("Kafka at %s answers again after %.0f s", self._told, away_s)
            self._since_s, self.left_out = None, 0
        elif now_s >= self._next_s:
            self._next_s = now_s + AGAIN_S
            state = "answers, but is not ready yet" if there else "does not answer"
            _log.error(
                "Kafka at %s %s, for %.0f s now; services wait for it%s (%d messages of its clients left out)",
                self._told,
                state,
                away_s,
                f": {last}" if last else "",
                self.left_out,
            )

    def say_the_rest(self) -> None:
        """Nobody looks any more."""
        if self._since_s is None:
            self._say_each(self._complaints.taken(), self._clock.monotonic_s())

    def _say_each(self, heard: dict[tuple[str, str], tuple[logging.LogRecord, int]], now_s: float) -> None:
        if len(self._said) > _KEPT:
            self._said.clear()
        for key, (record, count) in heard.items():
            before_s, unsaid = self._said.get(key, (now_s - AGAIN_S, 0))
            if now_s - before_s < AGAIN_S:
                self._said[key] = (before_s, unsaid + count)
                continue
            self._said[key] = (now_s, 0)
            if unsaid + count > 1:
                record.msg, record.args = f"{record.getMessage()} (came {unsaid + count} times)", ()
            _pass_on(record)


def _pass_on(record: logging.LogRecord) -> None:
    """To whoever listens to everybody."""
    logging.getLogger().handle(record)


@asynccontextmanager
async def absence_told(place: KafkaPlace, clock: Clock) -> AsyncIterator[None]:
    """While inside, a Kafka that does not answer is told of as `Absence` does. Once in a process."""
    loggers = [logging.getLogger(name) for name in TALKATIVE]
    if any(isinstance(handler, Complaints) for logger in loggers for handler in logger.handlers):
        yield
        return
    complaints = Complaints()
    absence = Absence(place.told(), complaints, clock, lambda: answers(place))
    before = [logger.propagate for logger in loggers]
    for logger in loggers:
        logger.addHandler(complaints)
        logger.propagate = False
    watching = asyncio.create_task(absence.watch())
    try:
        yield
    finally:
        await end(watching)
        for logger, propagates in zip(loggers, before, strict=True):
            logger.removeHandler(complaints)
            logger.propagate = propagates
        absence.say_the_rest()


async def answers(place: KafkaPlace) -> bool:
    """Somebody takes a connection at one of the addresses."""
    for one in place.hosts:
        host, _, port = one.rpartition(":")
        try:
            async with asyncio.timeout(_CONNECT_S):
                _, writer = await asyncio.open_connection(host.strip("[]"), int(port))
        except (OSError, TimeoutError, ValueError):
            continue
        writer.close()
        return True
    return False
