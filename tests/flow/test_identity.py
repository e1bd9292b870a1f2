"""Identity as a state machine (design law 4): submissions and answers in every order that Hypothesis finds."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from flow.worlds import Known, question, say
from pubweave.adapters.clock import ManualClock
from pubweave.adapters.sqlite.storage import SqliteStorage
from pubweave.contract.exchange import Reply
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.identifiers_conflicted import IdentifiersConflicted
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.values import Identifiers
from pubweave.core.merging.decide import Abilities
from pubweave.core.merging.identity import Party, differ, judge
from pubweave.core.record import Record, decode_record
from pubweave.runtimes.embedded.delivery import Delivery, Settled

ARTICLES = [
    {"pmid": "1", "pmcid": "PMC1", "doi": "10.1/A"},
    {"pmid": "2", "pmcid": "PMC2", "doi": "10.1/B"},
    {"pmid": "3", "pmcid": "", "doi": "10.1/C.1"},
    {"pmid": "4", "pmcid": "PMC4", "doi": "10.1/A"},
]
"""The last one claims the DOI of the first: two different PMIDs, so they never join."""

KNOWN: dict[tuple[str, str], dict[str, str]] = {
    (kind, value): article for article in reversed(ARTICLES) for kind, value in article.items() if value
}
ABILITIES = Abilities(frozenset({"europepmc", "pubmed_xml", "pmc"}))
SUBMITTED = [*sorted(KNOWN), ("doi", "10.1/C"), ("pmid", "99")]


def answer_of(need: NeedsPart) -> Known:
    """Europe PMC knows every article by each of its identifiers, and 10.1/C by its version; PubMed nothing."""
    resource, kind, value = question(need)
    article = KNOWN.get((kind, "10.1/C.1" if value == "10.1/C" else value))
    if resource == "pubmed_xml" and article:
        return Known(parts=[("mesh", "pubmed_xml", 2, ())])
    if resource != "europepmc" or article is None:
        return Known(outcome="absent", success=False)
    return Known(
        parts=[(name, "europepmc", found, ()) for name, found in article.items() if found]
        + [("title", "europepmc", 9, ()), ("theAbstract", "europepmc", 300, ())]
    )


class Identity(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.storage = SqliteStorage.in_memory()
        self.engine = Delivery(
            self.storage.store,
            self.storage.log,
            self.storage.blobs,
            ManualClock(1_000_000),
            ABILITIES,
        )
        self.pending: list[NeedsPart] = []
        self.settled: list[Settled] = []
        self.conflicts: list[IdentifiersConflicted] = []
        self.lines: dict[int, tuple[str, str]] = {}

    def do(self, *works: Coroutine[Any, Any, None]) -> None:
        """One round of the merger, as the runtime makes it."""

        async def one_round() -> None:
            async with self.storage.store.batch():
                for work in works:
                    await work
                out = await self.engine.flush()
            self.pending = [need for need in self.pending if need.need not in out.superseded]
            self.pending += [need for need in out.needs if need.need not in out.superseded]
            self.settled += out.settled
            self.conflicts += out.conflicts

        self.loop.run_until_complete(one_round())

    @rule(which=st.sampled_from(SUBMITTED))
    def submit(self, which: tuple[str, str]) -> None:
        if len(self.lines) >= 8:
            return
        line = len(self.lines) + 1
        self.lines[line] = which
        self.do(self.engine.submit(FetchRequested("job", line, Identifiers(**{which[0]: which[1]}))))

    @rule(pick=st.integers(0, 99), repeat=st.booleans())
    def answer(self, pick: int, repeat: bool) -> None:
        if self.pending:
            self.give(self.pending.pop(pick % len(self.pending)), repeat)

    @rule(pick=st.integers(0, 99))
    def answer_several_in_one_round(self, pick: int) -> None:
        """As a batch does: needs of several publications are answered together."""
        count = 1 + pick % max(1, len(self.pending))
        taken, self.pending = self.pending[:count], self.pending[count:]
        self.do(self.engine.hear([event for need in taken for event in self.events(need)]))

    @rule(pick=st.integers(0, 99), back=st.booleans())
    def hear_several_answers_in_one_round(self, pick: int, back: bool) -> None:
        """As on a busy machine: what came one by one is heard one by one and made durable together."""
        count = 1 + pick % max(1, len(self.pending))
        taken, self.pending = self.pending[:count], self.pending[count:]
        self.do(*(self.engine.hear(self.events(need)) for need in (reversed(taken) if back else taken)))

    @rule()
    def crash(self) -> None:
        """The process dies: another engine goes on over the same storage, with what was on its way asked anew."""
        self.engine = Delivery(
            self.storage.store,
            self.storage.log,
            self.storage.blobs,
            ManualClock(1_000_000),
            ABILITIES,
        )
        self.pending = []
        for line in self.lines:
            stored = self.loop.run_until_complete(self.storage.store.submission("job", line))
            if stored is not None and not stored.settled:
                kind, value = self.lines[line]
                self.do(
                    self.engine.resume(
                        FetchRequested("job", line, Identifiers(**{kind: value})), stored.publication
                    )
                )
        asked = [need.need for need in self.pending]
        assert len(asked) == len(set(asked)), "what several lines wait for is asked once"

    def events(self, need: NeedsPart) -> list[Any]:
        said = say(need, answer_of(need), Reply(outcome="found", url="u", fetched_at=5))
        return [event for event in said if not isinstance(event, ReplyWanted)]

    def give(self, need: NeedsPart, repeat: bool) -> None:
        events = self.events(need)
        self.do(self.engine.hear(events + events if repeat else events))

    @invariant()
    def no_line_is_settled_twice(self) -> None:
        lines = [one.event.line for one in self.settled]

        assert len(lines) == len(set(lines))

    def records(self) -> dict[str, Record]:
        async def collect() -> dict[str, Record]:
            return {one.publication: decode_record(one.body) async for one in self.storage.store.records()}

        return self.loop.run_until_complete(collect())

    def teardown(self) -> None:
        try:
            self.check_the_end()
        finally:
            self.loop.run_until_complete(self.storage.close())
            self.loop.close()

    def check_the_end(self) -> None:
        while self.pending:
            self.give(self.pending.pop(0), repeat=False)
        records = self.records()

        assert sorted(one.event.line for one in self.settled) == sorted(self.lines)
        assert self.engine.under_way == 0, "what nobody waits for leaves no room for the lines that wait"
        finals = [record.identifiers for record in records.values()]
        for index, one in enumerate(finals):
            for other in finals[index + 1 :]:
                shared = [kind for kind, value in one.known() if other.get(kind) == value]
                assert not shared, f"{one} and {other} share an identifier"
        # Every article that was submitted under any name has one record, found by each submitted name.
        for line, (kind, value) in self.lines.items():
            found = self.loop.run_until_complete(self.storage.store.holders([(kind, value)]))  # type: ignore[list-item]
            (settled,) = [one for one in self.settled if one.event.line == line]
            key = self.loop.run_until_complete(self.storage.store.resolve(settled.event.publication))
            assert key in records, f"line {line}: its publication {key} has no record"
            if settled.event.outcome == "finished" and value != "10.1/A":
                assert [
                    self.loop.run_until_complete(self.storage.store.resolve(one)) for one in found.values()
                ] == [key]
        # 10.1/A may lead to either of the two that claim it: to the one submitted first.
        certain = {
            KNOWN.get((kind, "10.1/C.1" if value == "10.1/C" else value), {}).get("pmid", value)
            for kind, value in self.lines.values()
            if value != "10.1/A"
        }
        ambiguous = ("doi", "10.1/A") in self.lines.values() and not {"1", "4"} & certain
        possible = len(certain) + (("doi", "10.1/A") in self.lines.values())
        assert len(certain) + ambiguous <= len(records) <= possible
        for conflict in self.conflicts:
            assert conflict.holder < conflict.claimant, "what is contested belongs to the one submitted first"
            assert differ(conflict.holder_final, conflict.claimant_final)
        if {"1", "4"} <= certain:
            assert {conflict.value for conflict in self.conflicts} == {"10.1/A"}


TestIdentity = Identity.TestCase
TestIdentity.settings = settings(max_examples=150, stateful_step_count=25, deadline=None, derandomize=True)


@pytest.mark.parametrize("wrong_first", [True, False])
def test_a_wrong_line_does_not_take_an_article_from_a_right_one(wrong_first: bool) -> None:
    """One line says that PMID 1 is PMC2; another asks for PMC2 alone. Whichever stands first, the latter gets the
    article that PMC2 is, and the former is told what was wrong (design law 4: it harms nobody else)."""
    wrong, right = Identifiers(pmid="1", pmcid="PMC2"), Identifiers(pmcid="PMC2")
    machine = Identity()
    for number, identifiers in enumerate([wrong, right] if wrong_first else [right, wrong], start=1):
        machine.do(machine.engine.submit(FetchRequested("job", number, identifiers)))
    while machine.pending:
        machine.give(machine.pending.pop(0), repeat=False)
    settled = {one.event.identifiers: one for one in machine.settled}
    records = machine.records()
    machine.loop.run_until_complete(machine.storage.close())
    machine.loop.close()

    assert {key: one.event.outcome for key, one in settled.items()} == {wrong: "corrected", right: "finished"}
    record = settled[right].record
    assert record is not None
    assert (record.identifiers.pmid, record.identifiers.pmcid) == ("2", "PMC2")
    assert record.publication in records


def test_a_line_that_is_what_the_others_say_is_corrected_once() -> None:
    """A line that finds nothing else when it is asked for alone is told the replacement, and nothing goes round."""
    machine = Identity()
    machine.do(machine.engine.submit(FetchRequested("job", 1, Identifiers(pmid="1", doi="10.9/NOWHERE"))))
    machine.do(machine.engine.submit(FetchRequested("job", 2, Identifiers(doi="10.9/NOWHERE"))))
    while machine.pending:
        machine.give(machine.pending.pop(0), repeat=False)
    outcomes = {one.event.line: one.event.outcome for one in machine.settled}
    machine.loop.run_until_complete(machine.storage.close())
    machine.loop.close()

    assert outcomes == {1: "corrected", 2: "known-nowhere"}


@pytest.mark.parametrize("first_answers_first", [True, False])
def test_people_are_told_who_has_a_contested_identifier_and_who_wanted_it(first_answers_first: bool) -> None:
    """Two articles claim one DOI: the one submitted first has it, the other wanted it, whoever answered first."""
    machine = Identity()
    machine.submit(("pmid", "4"))
    machine.submit(("pmid", "1"))
    needs, machine.pending = sorted(machine.pending, key=lambda need: need.publication), []
    for need in needs if first_answers_first else reversed(needs):
        machine.give(need, repeat=False)
    (conflict,) = machine.conflicts
    machine.teardown()

    assert (conflict.value, conflict.holder, conflict.claimant) == (
        "10.1/A",
        needs[0].publication,
        needs[1].publication,
    )
    assert (conflict.holder_final.pmid, conflict.claimant_final.pmid) == ("4", "1")


def test_what_nobody_waits_for_any_more_has_an_outcome() -> None:
    """A question that followed from an identifier which then proved to be another's is superseded at the end, so that
    the numbers add up, also if nobody is left to hear its answer."""
    machine = Identity()
    lines = [Identifiers(pmcid="PMC1"), Identifiers("4", "PMC4", "10.1/C.1"), Identifiers("4", "PMC4")]
    for number, identifiers in enumerate(lines, start=1):
        machine.do(machine.engine.submit(FetchRequested("job", number, identifiers)))
    for pick in (1, 1, 1, 2, 0, 1, 1):
        if len(machine.settled) < len(lines):
            machine.give(machine.pending.pop(min(pick, len(machine.pending) - 1)), repeat=False)
    assert len(machine.settled) == len(lines)
    needs = machine.loop.run_until_complete(machine.storage.store.needs())
    machine.loop.run_until_complete(machine.storage.close())
    machine.loop.close()

    sent = sum(count for (_, outcome), count in needs.items() if not outcome)
    assert sent == sum(count for (_, outcome), count in needs.items() if outcome)


def test_what_ended_in_this_round_stays_ended() -> None:
    """A busy round hears that two publications are one, and then an answer to the one that ended: nothing is asked
    for it any more, and it becomes no record of its own."""
    machine = Identity()
    machine.submit(("doi", "10.1/C"))
    machine.submit(("pmid", "3"))
    first, second = sorted(machine.pending, key=lambda need: need.publication)
    machine.pending = []
    machine.give(second, repeat=False)
    (later, *_) = [need for need in machine.pending if need.publication == second.publication]

    machine.do(
        machine.engine.hear(machine.events(first)),
        machine.engine.hear(machine.events(later)),
    )

    assert {need.publication for need in machine.pending} == {first.publication}
    assert set(machine.records()) <= {first.publication}
    machine.teardown()


def test_a_late_answer_makes_no_record_of_what_ended() -> None:
    """An answer that was on its way when its publication ended in another one says nothing any more."""
    machine = Identity()
    machine.submit(("doi", "10.1/C"))
    machine.submit(("pmid", "3"))
    first, second = sorted(machine.pending, key=lambda need: need.publication)
    machine.pending = []
    machine.give(second, repeat=False)
    late = list(machine.pending)
    machine.give(first, repeat=False)
    machine.do(*(machine.engine.hear(machine.events(need)) for need in late))

    assert {need.publication for need in machine.pending} == {first.publication}
    assert set(machine.records()) <= {first.publication}
    machine.teardown()


@pytest.mark.parametrize(
    ("claimant", "holder", "judgement"),
    [
        (Party("2", Identifiers(pmid="1")), Party("1", Identifiers(pmid="1")), "claimant-joins"),
        (Party("1", Identifiers()), Party("2", Identifiers(pmid="1")), "holder-joins"),
        (Party("2", Identifiers(pmid="1")), Party("1", Identifiers(pmid="2")), "claimant-contested"),
        (Party("1", Identifiers(pmid="1")), Party("2", Identifiers(pmid="2")), "holder-contested"),
        (Party("2", Identifiers(doi="10.1/A")), Party("1", Identifiers(doi="10.1/A.2")), "claimant-joins"),
    ],
)
def test_who_survives(claimant: Party, holder: Party, judgement: str) -> None:
    """The one submitted first, unless their final identifiers differ; versions are not different."""
    assert judge(claimant, holder) == judgement


def test_differing_is_mutual() -> None:
    one, other = Identifiers(pmid="1", doi="10.1/A"), Identifiers(doi="10.1/B")

    assert differ(one, other)
    assert differ(other, one)
    assert not differ(one, Identifiers(pmcid="PMC9"))
