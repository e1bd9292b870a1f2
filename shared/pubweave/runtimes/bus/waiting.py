"""Before services start: waiting until Kafka and Cassandra answer, and saying so in one line each."""

import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from pubweave.ports import Clock, StorageAway

FIRST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 10.0

_TALKATIVE: Final = ("aiokafka", "cassandra", "kafka")
"""Libraries that tell every attempt, which we tell in one line."""

Found = TypeVar("Found")


async def awaited(
    what: str,
    attempt: Callable[[], Awaitable[Found]],
    clock: Clock,
    say: Callable[[str], None],
    patience_s: float,
) -> Found:
    """What an attempt gives as soon as it succeeds; pauses between attempts grow up to ten seconds.

    :param what: for people, with its address: "Kafka at kafka:9092"
    :param attempt: safe to repeat; raises StorageAway while nobody answers
    :param say: told once that it waits, again whenever the reason is another, and when it need not wait any more
    :param patience_s: how long to go on; 0 for one attempt
    :raises StorageAway: that of the last attempt
    :raises StorageProblem: somebody answers, and waiting is no use
    """
    began_s = clock.monotonic_s()
    pause_s = FIRST_PAUSE_S
    told = ""
    while True:
        try:
            with _silenced():
                found = await attempt()
        except StorageAway as problem:
            left_s = patience_s - (clock.monotonic_s() - began_s)
            if left_s <= 0:
                raise
            if told != str(problem):
                told = str(problem)
                say(f"waiting for {what}, up to {left_s:.0f} s: {told}")
            await clock.sleep(min(pause_s, left_s))
            pause_s = min(pause_s * 2, LONGEST_PAUSE_S)
        else:
            if told:
                say(f"{what} answers after {clock.monotonic_s() - began_s:.0f} s")
            return found


@contextmanager
def _silenced() -> Iterator[None]:
    loggers = [logging.getLogger(name) for name in _TALKATIVE]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
