"""2,000 identifiers through a Kafka and a Cassandra of their own, undisturbed and then with everything that happens to
machines. Minutes long, so not part of the ordinary tests: `make test-chaos`.

`PUBWEAVE_CHAOS_LINES` says how many identifiers, `PUBWEAVE_CHAOS_SEED` which moments.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from flow.tables import lines_of
from pubweave.adapters.cassandra import CassandraPlace, CassandraStorage, migrate
from simnet.fixture import running
from simnet.universe import Universe
from stack.fixtures import needs_stack
from stack.leases import obstacle
from stack.processes import Process
from stack.servers import start_server
from stack_flow.alone import alone
from stack_flow.jobs import (
    Job,
    asked,
    budgets,
    differences,
    embedded_table,
    new_topics,
    over_limits,
    surplus,
    watched,
)
from stack_flow.troubles import SCALED, SESSION_TIMEOUT_S, Members, drawn, members

__all__ = ["alone"]

SIZE = int(os.environ.get("PUBWEAVE_CHAOS_LINES", "2000"))
SEED = int(os.environ.get("PUBWEAVE_CHAOS_SEED", "5"))
KILLS, PAUSES = 10, 3
OTHERS = ("more", "kafka", "cassandra", "fewer")

_MISSING = obstacle("kafka") or obstacle("cassandra")

pytestmark = [
    needs_stack,
    pytest.mark.usefixtures("alone"),
    pytest.mark.network,
    pytest.mark.timeout(7200),
    pytest.mark.skipif(bool(_MISSING), reason=_MISSING or "both can be started"),
]


class Server:
    """A server of our own, which may be stopped and started."""

    def __init__(self, name: str, folder: Path, process: Process, port: int) -> None:
        self._name = name
        self._folder = folder
        self._process = process
        self.port = port

    def restart(self) -> None:
        """The same data at the same address."""
        self._process.stop()
        self._process, _ = start_server(self._name, self._folder, self.port)

    def stop(self) -> None:
        self._process.stop()


@asynccontextmanager
async def own_server(name: str, folder: Path) -> AsyncIterator[Server]:
    process, port = await asyncio.to_thread(start_server, name, folder)
    server = Server(name, folder, process, port)
    try:
        yield server
    finally:
        await asyncio.to_thread(server.stop)


class Disturbing:
    """What happens in run B."""

    def __init__(self, events: int, kafka: Server, cassandra: Server) -> None:
        self.troubles = drawn(SEED, events, kills=KILLS, pauses=PAUSES, others=OTHERS)
        self.happened: list[str] = []
        self.under_way = 0
        self.pauses = PAUSES
        self._kafka = kafka
        self._cassandra = cassandra
        self._resume: list[tuple[float, int]] = []
        self._going_on: list[asyncio.Task[None]] = []

    async def seen(self, job: Job, processes: Members) -> None:
        now_s = asyncio.get_running_loop().time()
        while self._resume and now_s > self._resume[0][0]:
            processes.resume(self._resume.pop(0)[1])
        self._going_on = [task for task in self._going_on if not task.done()]
        while self.troubles and job.events >= self.troubles[0].at and not self._going_on:
            trouble = self.troubles.pop(0)
            under_way = job.under_way()
            self.under_way += under_way
            self.happened.append(f"{trouble.what} at {job.events} ({under_way})")
            match trouble.what:
                case "kill":
                    processes.kill(trouble.whom)
                case "pause":
                    processes.pause(trouble.whom)
                    self._resume.append((now_s + 1.2 * SESSION_TIMEOUT_S, trouble.whom))
                case "more":
                    processes.start(SCALED)
                    processes.start(SCALED)
                case "fewer":
                    processes.end_last()
                    processes.end_last()
                case server:
                    restart = self._kafka.restart if server == "kafka" else self._cassandra.restart
                    self._going_on.append(asyncio.create_task(asyncio.to_thread(partial(restart))))


async def test_nothing_that_happens_to_machines_changes_a_record(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The whole chain: APIs, publishers' pages, open copies, PDFs. Run A, undisturbed: the table is that of one process.
    Run B, with kills over all phases, pauses beyond the session timeout, Kafka and Cassandra restarted, and one service
    run by three processes for a while: the same; every need has one outcome; nothing is asked twice but what was under
    way at these moments; no host is asked more than it allows, but once for a pause."""
    universe = Universe(seed=SEED, size=SIZE)
    lines = lines_of(universe, SIZE)
    with running(universe) as net:
        wanted = await embedded_table(net, lines, monkeypatch)
    async with (
        own_server("kafka", tmp_path / "kafka") as kafka,
        own_server("cassandra", tmp_path / "cassandra") as cassandra,
    ):

        async def run(name: str, disturbing: Disturbing | None) -> tuple[Job, list[str]]:
            """One job on topics and tables of its own."""
            place = CassandraPlace.at(
                f"127.0.0.1:{cassandra.port}", keyspace=f"chaos_{name}", timeout_s=5.0, patience_s=120.0
            )
            await migrate(place)
            brokers = await new_topics(f"127.0.0.1:{kafka.port}")
            folder = tmp_path / name
            folder.mkdir()
            told = [
                brokers.hosts[0],
                brokers.prefix,
                ",".join(place.hosts),
                place.keyspace,
                str(budgets(folder)),
                "whole",
            ]
            with running(universe) as net, members(told, net.environment, folder) as processes:

                async def seen(job: Job) -> None:
                    processes.look_after()
                    if disturbing is not None:
                        await disturbing.seen(job, processes)

                try:
                    job = await watched(brokers, lines, seen)
                except BaseException:
                    print(processes.said())
                    raise
                storage = await CassandraStorage.open(place)
                found = await job.table(storage)
                unanswered = await job.needs_without_one_outcome(storage)
                await storage.close()
                print(
                    f"run {name}: {job.events} events, {len(net.log.entries)} requests, {len(job.redirected)} "
                    f"redirected to another owner, {len(job.handed_on)} PDFs, "
                    f"{processes.ended_by_themselves} processes ended by themselves"
                )
                job.asked = asked(net.log)
                pauses = disturbing.pauses if disturbing is not None else 0
                complaints = over_limits(net.log, 1, pauses)
            assert differences(wanted, found) == {}, name
            assert unanswered == [], name
            assert job.redirected
            assert job.handed_on
            return job, complaints

        undisturbed, complaints = await run("a", None)
        assert complaints == []
        disturbing = Disturbing(undisturbed.events, kafka, cassandra)
        disturbed, complaints = await run("b", disturbing)

    too_often = surplus(disturbed.asked, undisturbed.asked)
    print(f"{too_often} asked twice, {disturbing.under_way} under way at {len(disturbing.happened)} troubles")
    print(", ".join(disturbing.happened))
    assert disturbing.troubles == []
    assert too_often <= disturbing.under_way
    assert complaints == []
