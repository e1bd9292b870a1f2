"""Processes that are killed (-9) or paused in the middle change no record: the shorter form of `chaos.py`."""

import asyncio
from pathlib import Path

import pytest

from flow.tables import lines_of
from pubweave.adapters.cassandra import CassandraPlace
from simnet.fixture import running
from simnet.universe import Universe
from stack.fixtures import cassandra, kafka, needs_stack
from stack.keyspaces import Emptied
from stack.storages import place
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
from stack_flow.troubles import SESSION_TIMEOUT_S, drawn, members

__all__ = ["alone", "cassandra", "kafka", "place"]

pytestmark = [needs_stack, pytest.mark.usefixtures("alone"), pytest.mark.network, pytest.mark.timeout(600)]

SIZE = 100
EVENTS = 60 * SIZE
"""About so many are said, of the kinds that are counted."""


async def test_killed_and_paused_processes_change_no_record(
    kafka: str, place: CassandraPlace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The whole chain, with publishers' pages and PDFs, in four processes; three are killed and one is paused until
    others have its partitions: each line has its one outcome, the records are those of one process, every need has one
    outcome, and nothing is asked twice but what was under way at these moments."""
    universe = Universe(seed=4, size=SIZE)
    lines = lines_of(universe, SIZE)
    with running(universe) as net:
        wanted = await embedded_table(net, lines, monkeypatch)
        undisturbed = asked(net.log)
    brokers = await new_topics(kafka)
    emptied = Emptied(place)
    storage = await emptied.storage()
    troubles = drawn(4, EVENTS, kills=3, pauses=1)
    under_way = 0
    resume: list[tuple[float, int]] = []
    arguments = [
        kafka,
        brokers.prefix,
        ",".join(place.hosts),
        place.keyspace,
        str(budgets(tmp_path)),
        "whole",
    ]
    loop = asyncio.get_running_loop()
    with running(universe) as net, members(arguments, net.environment, tmp_path) as processes:

        async def seen(job: Job) -> None:
            nonlocal under_way
            processes.look_after()
            if resume and loop.time() > resume[0][0]:
                processes.resume(resume.pop()[1])
            while troubles and job.events >= troubles[0].at:
                trouble = troubles.pop(0)
                under_way += job.under_way()
                if trouble.what == "kill":
                    processes.kill(trouble.whom)
                else:
                    processes.pause(trouble.whom)
                    resume.append((loop.time() + 1.1 * SESSION_TIMEOUT_S, trouble.whom))

        job = await watched(brokers, lines, seen)
        found = await job.table(storage)
        unanswered = await job.needs_without_one_outcome(storage)
        too_often = surplus(asked(net.log), undisturbed)
        print(f"{job.events} events, {too_often} asked twice, {under_way} under way at the troubles")
        print(f"{len(job.redirected)} redirected to another owner, {len(job.handed_on)} PDFs")
        print(f"{processes.ended_by_themselves} processes ended by themselves")
        assert over_limits(net.log, 1, pauses=1) == []
    await emptied.close()

    assert troubles == []
    assert differences(wanted, found) == {}
    assert unanswered == []
    assert too_often <= under_way
    assert job.redirected
    assert job.handed_on
