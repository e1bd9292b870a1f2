"""Replay, budgets, second chances, deadlines: what holds over whole runs of the embedded system."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from flow.tables import lines_of, row, system_on, table
from pubweave.contract.codec import decode
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.publication_updated import PublicationUpdated
from pubweave.contract.values import Cooldowns, Identifiers
from pubweave.core.merging.decide import record_of, walk
from pubweave.core.merging.state import PublicationState, StateRow
from pubweave.core.record import decode_record, encode_record
from pubweave.runtimes.embedded.jobs import JobSettings, Line
from simnet.faults import Fault
from simnet.fixture import running
from simnet.universe import Universe

pytestmark = pytest.mark.network

SIZE = 120


@pytest.fixture(scope="module")
def universe() -> Universe:
    return Universe(seed=5, size=SIZE)


async def test_a_replayed_log_gives_the_same_bytes(
    universe: Universe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P-01, P-22: records folded anew from nothing but the log equal those that were published."""
    with running(universe) as net:
        async with system_on(net, monkeypatch=monkeypatch) as system:
            await table(system, lines_of(universe, SIZE))
            states: dict[str, PublicationState] = {}
            published: dict[str, PublicationUpdated] = {}
            needs = [f"needs-part.{name}" for name in system.services]
            for topic in (*needs, "part-candidates", "new-ids", "publications"):
                after = 0
                while logged := await system.storage.log.read(topic, after):
                    after = logged[-1].offset
                    for one in logged:
                        event = decode(one.entry.kind, one.entry.version, one.entry.body)
                        if isinstance(event, PublicationUpdated):
                            published[event.publication] = event
                        elif isinstance(event, StateRow):
                            states.setdefault(one.entry.key, PublicationState(one.entry.key)).add(event)

    assert len(published) > SIZE * 0.9
    for publication, event in published.items():
        stored = decode_record(bytes(event.record))
        state = states[publication]
        if state.survivor:
            continue
        replayed = record_of(state, walk(state, system.abilities))
        replayed = msgspec.structs.replace(
            replayed, primary=stored.primary, primary_value=stored.primary_value
        )
        assert encode_record(replayed) == bytes(event.record)


async def test_no_second_is_over_a_budget(
    universe: Universe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read off the server's log: never more arrivals in any one second than the budgets allow, and never more
    than one connection to a host."""
    budgets = tmp_path / "budgets.yaml"
    budgets.write_text("europepmc: {requests: 12}\nannotations: {requests: 6}\nncbi: {requests: 5}\n")
    with running(universe, latency_s=0.002, jitter=0.9) as net:
        async with system_on(
            net, monkeypatch=monkeypatch, no_budgets=False, budgets_file=budgets, first_window="skip"
        ) as system:
            await table(system, lines_of(universe, 50))
        log = net.log

    assert log.busiest_window("europepmc", 1.0) <= 12
    assert log.busiest_window("annotations", 1.0) <= 6
    assert log.busiest_window("eutils", 1.0) <= 5
    assert max(log.connections_most.values()) == 1


async def test_an_exception_gets_one_second_chance_at_the_end(
    universe: Universe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T-075, F-CAN-09, A-25: entries with fetchException are fetched once more when all others are done, and
    that counts as a retry."""
    lines = [line for line in lines_of(universe, 60) if line.identifiers.pmid]
    faults = [Fault("500", "europepmc_fulltext", 0.5, heals_after=1)]
    with running(universe, faults=faults) as net:
        async with system_on(net, monkeypatch=monkeypatch) as system:
            order = [one.line async for one in system.run_job(lines, job="job")]
            records = {number: await system.storage.store.record(f"job.{number:09d}") for number in order}
    retried = [
        number
        for number, stored in records.items()
        if stored is not None and stored.body and decode_record(stored.body).retry_counter == 1
    ]

    assert retried
    assert set(order[-len(retried) :]) == set(retried), "second chances come last"
    for number in retried:
        stored = records[number]
        assert stored is not None
        healed = decode_record(stored.body)
        assert stored.version == 2 or not healed.fulltext.is_empty or healed.fetch_exception


async def test_at_its_deadline_a_line_is_parked_and_said(
    universe: Universe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line that a source keeps waiting ends as parked with its reason; every need has an outcome."""
    with running(universe, faults=[Fault("tarpit", "pubmed_xml")]) as net:
        async with system_on(net, monkeypatch=monkeypatch) as system:
            lines = lines_of(universe, 20)
            now = system._clock.now_ms()
            done = [
                one async for one in system.run_job(lines, JobSettings(deadline_at=now + 1500), job="job")
            ]
            needs = await system.storage.store.needs()

    parked = [one for one in done if one.settled.outcome == "parked"]
    assert len(done) == 20
    assert parked
    assert {one.settled.reason for one in parked} == {"not finished at its deadline"}
    sent = sum(count for (_, outcome), count in needs.items() if not outcome)
    ended = sum(count for (_, outcome), count in needs.items() if outcome)
    assert sent == ended


async def test_an_empty_entry_is_tried_four_times(
    universe: Universe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T-073: 1 + 3 fetches of an entry that stays empty, then none; retryCounter is 3."""
    unknown = Line(1, Identifiers(pmid="99999999"))
    asked: list[int] = []
    with running(universe) as net:
        async with system_on(net, monkeypatch=monkeypatch) as system:
            for attempt in range(6):
                net.reset()
                done: dict[int, Any] = {
                    one.line: one async for one in system.run_job([unknown], job=f"job{attempt}")
                }
                asked.append(len(net.log.requests()))
                assert done[1].settled.outcome == "known-nowhere"
            counter = done[1].record.retry_counter

    assert [count > 0 for count in asked] == [True, True, True, True, False, False]
    assert counter == 3


async def test_final_entries_are_left_alone_and_updates_can_be_switched_off(
    universe: Universe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T-074, F-CAN-06: with all cooldowns negative and no retries nothing stored is fetched again."""
    off = Cooldowns(emptyCooldown=-1, nonFinalCooldown=-1, fetchExceptionCooldown=-1, retryLimit=0)
    lines = lines_of(universe, 30)
    with running(universe) as net:
        async with system_on(net, monkeypatch=monkeypatch) as system:
            first = await table(system, lines)
            net.reset()
            again = {
                one.line: row(one.record)
                async for one in system.run_job(lines, JobSettings(cooldowns=off), job="again")
            }
            assert net.log.requests() == []

    assert again == {number: value for number, (_, value) in first.items()}


async def test_a_recorded_run_is_repeated_without_the_network(
    universe: Universe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What `--record` kept, `--replay` answers: the same table, and nothing is asked."""
    with running(universe, latency_s=0.002, jitter=0.9) as net:
        async with system_on(net, monkeypatch=monkeypatch, record_to=tmp_path / "warc") as system:
            recorded = await table(system, lines_of(universe, 60))
        net.reset()
        async with system_on(net, monkeypatch=monkeypatch, replay_from=tmp_path / "warc") as system:
            replayed = await table(system, lines_of(universe, 60))
        assert net.log.requests() == []

    assert replayed == recorded


async def test_a_correlation_id_is_echoed_in_everything_that_follows(
    universe: Universe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a producer submitted can be followed through needs, records and outcomes (issue 4 point 10)."""
    with running(universe) as net:
        async with system_on(net, monkeypatch=monkeypatch) as system:
            wanted = JobSettings(correlation_id="basket-7", idempotency_key="one")
            done = [one async for one in system.run_job(lines_of(universe, 10), wanted)]
            published = [
                decode(one.entry.kind, one.entry.version, one.entry.body)
                for one in await system.storage.log.read("publications")
            ]
            needs = [
                decode(one.entry.kind, one.entry.version, one.entry.body)
                for one in await system.storage.log.read("needs-part.europepmc")
            ]

    assert {one.settled.correlation_id for one in done} == {"basket-7"}
    assert {one.settled.idempotency_key for one in done} == {"one"}
    assert {event.correlation_ids for event in published if isinstance(event, PublicationUpdated)} == {
        ("basket-7",)
    }
    assert {event.correlation_id for event in needs if isinstance(event, NeedsPart)} == {"basket-7"}
