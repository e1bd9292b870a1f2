"""Processes that are killed (-9) or paused in the middle change no record."""

import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from flow.tables import lines_of, row, system_on, table
from pubweave.adapters.cassandra import CassandraPlace
from pubweave.adapters.clock import SystemClock
from pubweave.adapters.kafka.admin import apply
from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.publication_updated import PublicationUpdated
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.values import Identifiers
from pubweave.core.record import Record, decode_record
from pubweave.runtimes.bus.client import following, new_job, submit
from pubweave.runtimes.bus.sending import Sender
from pubweave.runtimes.embedded.engine import put_back
from simnet.fixture import running
from simnet.universe import Universe
from stack.fixtures import cassandra, kafka, needs_stack
from stack.keyspaces import Emptied
from stack.storages import place
from stack_flow.alone import alone

__all__ = ["alone", "cassandra", "kafka", "place"]

pytestmark = [needs_stack, pytest.mark.usefixtures("alone"), pytest.mark.network, pytest.mark.timeout(400)]

SIZE = 80
TROUBLE = ((10, "kill"), (25, "kill"), (40, "pause"), (70, "resume"))
"""After how many settled lines what happens to the older of the processes. A pause lasts beyond the session
timeout: the lines up to the next number cannot all be settled before others have taken over."""


class Members:
    """Processes that run all services."""

    def __init__(self, arguments: list[str], environment: dict[str, str]) -> None:
        self._arguments = arguments
        self._environment = {
            **os.environ,
            **environment,
            "PYTHONPATH": str(Path(__file__).parents[1]),
        }
        self._running: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        self._running.append(
            subprocess.Popen(
                [sys.executable, "-m", "stack_flow.member", *self._arguments],
                env=self._environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )

    def kill_the_oldest(self) -> None:
        victim = self._running.pop(0)
        victim.send_signal(signal.SIGKILL)
        assert victim.wait() == -signal.SIGKILL, "it had ended by itself"

    def pause(self) -> None:
        self._running[0].send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """It goes on with what it was at, though its partitions are others' now."""
        self._running[0].send_signal(signal.SIGCONT)

    def trouble(self, what: str) -> None:
        match what:
            case "kill":
                self.kill_the_oldest()
                self.start()
            case "pause":
                self.pause()
            case _:
                self.resume()

    def end(self) -> None:
        while self._running:
            self.kill_the_oldest()


@contextmanager
def members(arguments: list[str], environment: dict[str, str]) -> Iterator[Members]:
    made = Members(arguments, environment)
    try:
        yield made
    finally:
        made.end()


async def test_killed_processes_change_no_record(
    kafka: str, place: CassandraPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two processes with all services; one is killed and another started, twice, and one is paused until others
    have its partitions: each line has its one outcome, and the records are those of the embedded system."""
    universe, clock = Universe(seed=4, size=SIZE), SystemClock()
    lines = lines_of(universe, SIZE)
    with running(universe) as net:
        async with system_on(net, monkeypatch=monkeypatch) as system:
            wanted = await table(system, lines)
    brokers = KafkaPlace.at(kafka, prefix=f"k{secrets.token_hex(4)}.")
    await apply(brokers)
    emptied = Emptied(place)
    storage = await emptied.storage()
    job = new_job(clock)
    trouble = list(TROUBLE)
    settled: dict[int, SubmissionSettled] = {}
    published: dict[str, PublicationUpdated] = {}
    arguments = [kafka, brokers.prefix, ",".join(place.hosts), place.keyspace]
    with running(universe) as net, members(arguments, net.environment) as processes:
        processes.start()
        processes.start()
        async with (
            Sender(brokers, clock.now_ms) as sender,
            following(brokers, ["submissions-settled", "publications"], from_the_start=True) as follower,
        ):
            count = await submit(
                sender,
                job,
                (
                    FetchRequested(
                        job=job,
                        line=one.number,
                        identifiers=one.identifiers,
                        provenance=Identifiers(**{kind: "pubweave" for kind, _ in one.identifiers.known()}),
                        submitted_at=clock.now_ms(),
                    )
                    for one in lines
                ),
            )
            async for event, _, _ in follower.events():
                if isinstance(event, PublicationUpdated):
                    before = published.get(event.publication)
                    if before is None or before.version < event.version:
                        published[event.publication] = event
                elif isinstance(event, SubmissionSettled):
                    known = settled.setdefault(event.line, event)
                    assert (known.outcome, known.version) == (event.outcome, event.version)
                if trouble and len(settled) >= trouble[0][0]:
                    processes.trouble(trouble.pop(0)[1])
                if len(settled) == count and all(
                    one.publication in published and published[one.publication].version >= one.version
                    for one in settled.values()
                ):
                    break
    found: dict[int, tuple[str, object]] = {}
    for number, one in sorted(settled.items()):
        record: Record = decode_record(bytes(published[one.publication].record))
        found[number] = (one.outcome, row(await put_back(record, storage.blobs)))
    await emptied.close()

    assert trouble == []
    assert {number: (wanted[number], one) for number, one in found.items() if wanted[number] != one} == {}
