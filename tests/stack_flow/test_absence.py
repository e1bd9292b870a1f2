"""A Kafka that goes away and comes back: what stands in the log of services meanwhile."""

import asyncio
import logging
import secrets
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from pubweave.adapters.clock import SystemClock
from pubweave.adapters.kafka.admin import apply
from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.adapters.memory import MemoryStorage
from pubweave.runtimes.bus import absence
from pubweave.runtimes.bus.absence import TALKATIVE, Absence, Complaints, absence_told
from pubweave.runtimes.bus.system import BusConfig, open_bus
from simulation.clock import SimulatedClock
from stack.fixtures import kafka, needs_stack
from stack.servers import start_server
from stack_flow.alone import alone

__all__ = ["alone", "kafka"]

STORM = 300
"""Messages of clients that are certainly a storm; there are a hundred a second."""


class Screen(logging.Handler):
    """What a process says."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.WARNING:
            self.lines.append(record.getMessage())


@pytest.fixture
def screen() -> Iterator[Screen]:
    found = Screen()
    logging.getLogger().addHandler(found)
    yield found
    logging.getLogger().removeHandler(found)


class Looked:
    """An absence that is looked at by hand, on a clock that stands still."""

    def __init__(self) -> None:
        self.clock = SimulatedClock()
        self.complaints = Complaints()
        self.there = True
        self.absence = Absence("kafka:9092", self.complaints, self.clock, self._answers)

    async def _answers(self) -> bool:
        return self.there

    def complain(self, times: int, sentence: str = "Unable connect to node %s") -> None:
        for number in range(times):
            record = logging.LogRecord("aiokafka", logging.ERROR, "", 0, sentence, (number,), None)
            self.complaints.handle(record)

    async def after(self, seconds: float) -> None:
        self.clock.advance(int(1000 * seconds))
        await self.absence.look()


async def test_an_absence_is_one_line_a_minute_and_its_end_one(screen: Screen) -> None:
    """Nine minutes and a half with a hundred complaints a second."""
    looked = Looked()
    looked.there = False
    for _ in range(570):
        looked.complain(100)
        await looked.after(1)
    away = list(screen.lines)
    looked.there = True
    for _ in range(20):
        await looked.after(1)
    looked.complain(1)
    await looked.after(1)

    assert len(away) == 10
    assert all(line.startswith("Kafka at kafka:9092 does not answer") for line in away)
    assert screen.lines[10:] == ["Kafka at kafka:9092 answers again after 574 s", "Unable connect to node 0"]


async def test_one_that_comes_back_and_is_not_ready_is_not_said_to_be_there(screen: Screen) -> None:
    """It takes connections long before it serves groups."""
    looked = Looked()
    looked.there = False
    looked.complain(1)
    await looked.after(1)
    looked.there = True
    for _ in range(70):
        looked.complain(5, "Group Coordinator Request failed: %s")
        await looked.after(1)

    assert len(screen.lines) == 2
    assert "answers, but is not ready yet" in screen.lines[1]
    assert "Group Coordinator Request failed" in screen.lines[1]


async def test_what_is_warned_of_while_kafka_answers_is_said(screen: Screen) -> None:
    """Each message once a minute, with how often it came."""
    looked = Looked()
    looked.complain(1, "one %s")
    looked.complain(3, "other %s")
    await looked.after(1)
    for _ in range(59):
        looked.complain(2, "one %s")
        await looked.after(1)
    looked.complain(1, "one %s")
    await looked.after(1)

    assert screen.lines == ["one 0", "other 2 (came 3 times)", "one 0 (came 119 times)"]


async def test_loggers_are_left_as_they_were(screen: Screen) -> None:
    """And what was not said yet is said at the end."""
    with_handlers = {name: list(logging.getLogger(name).handlers) for name in TALKATIVE}
    async with absence_told(KafkaPlace(), SystemClock()):
        logging.getLogger("aiokafka.consumer").error("odd")
        logging.getLogger("faust").debug("never said")
    logging.getLogger("aiokafka").error("afterwards")

    assert screen.lines == ["odd", "afterwards"]
    assert {name: list(logging.getLogger(name).handlers) for name in TALKATIVE} == with_handlers


@needs_stack
@pytest.mark.usefixtures("alone", "kafka")
@pytest.mark.network
@pytest.mark.timeout(300)
async def test_a_killed_kafka_is_told_of_once(
    tmp_path: Path, screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A merger on a Kafka of its own, which is killed until its clients have complained hundreds of times."""
    counted = 0
    emit = Complaints.emit

    def counting(self: Complaints, record: logging.LogRecord) -> None:
        nonlocal counted
        counted += record.levelno >= logging.WARNING
        emit(self, record)

    monkeypatch.setattr(Complaints, "emit", counting)
    clock = SystemClock()
    process, port = await asyncio.to_thread(start_server, "kafka", tmp_path / "kafka")
    try:
        place = KafkaPlace.at(f"127.0.0.1:{port}", prefix=f"k{secrets.token_hex(4)}.")
        await apply(place)
        config = BusConfig(kafka=place, services=("merger",), session_timeout_s=10.0)
        async with open_bus(config, MemoryStorage()) as bus:
            while not bus.workers[0].has_partitions():
                await clock.sleep(0.1)
            screen.lines.clear()
            counted = 0
            process.send(signal.SIGKILL)
            while counted < STORM:
                assert not bus.failure()
                await clock.sleep(0.1)
            away = list(screen.lines)
            process, _ = await asyncio.to_thread(start_server, "kafka", tmp_path / "kafka", port)
            while not any("answers again" in line for line in screen.lines):
                assert not bus.failure()
                await clock.sleep(0.1)
    finally:
        process.stop()

    told = [line for line in screen.lines if line.startswith("Kafka at ")]
    assert [line for line in away if not line.startswith("Kafka at ")] == []
    assert 1 <= len(away) <= 2
    assert sum("answers again" in line for line in told) == 1
    assert absence.AGAIN_S >= 60
