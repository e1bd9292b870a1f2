"""Rules for pages that change while services run on the bus."""

import msgspec
import pytest

from pubweave import registry
from pubweave.contract.codec import event_id
from pubweave.contract.exchange import Reply
from pubweave.contract.part_candidate import PartCandidate
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.values import Identifiers
from pubweave.core.merging.state import PublicationState, StateRow
from pubweave.core.toolkit.page_answers import Sought, say_page
from pubweave.core.toolkit.service import Context
from services.resources.builders import arbitrary_need
from services.resources.small_internet import (
    ABSTRACT,
    DOI,
    PAGE,
    RESOLVER,
    RULES,
    SENTENCE,
    Internet,
    To,
    page,
    rules,
)
from simulation.running import WILD, line, records, settled
from simulation.system import NO_FAULTS, Faults, SimulatedSystem


class Fetching:
    """The small internet; there is no other door."""

    def __init__(self, internet: Internet) -> None:
        self._internet = internet

    async def fetch(self, wanted: ReplyWanted) -> Reply:
        return await self._internet.fetch(wanted)


async def test_what_is_read_after_a_change_is_read_by_the_new_rules() -> None:
    """Without a restart; each candidate says which rules found it, and those that are found already stay."""
    for seed in range(6):
        await changed(seed, WILD if seed else NO_FAULTS)


async def changed(seed: int, faults: Faults) -> None:
    internet = Internet({RESOLVER: To(PAGE), PAGE: page(), "https://doi.org/10.5555/Y": To(PAGE + "?y")})
    internet.there[PAGE + "?y"] = page(doi="10.5555/Y", more="<h3>Another heading</h3>")
    before, after = rules(), rules(RULES.replace("title: h1", "title: h3"))
    system = SimulatedSystem(
        seed, [registry.service("doi")], Fetching(internet), context=Context(rules=before), faults=faults
    )
    system.submit(line(1, identifiers=Identifiers(doi="10.5555/X")))
    await system.run()
    system.use_rules(after)
    system.submit(line(2, job="later", identifiers=Identifiers(doi="10.5555/Y")))
    await system.run()
    said = {
        one.text: one.rule
        for one in system.events("part-candidates")
        if isinstance(one, PartCandidate) and one.part == "title"
    }

    assert {one.title.text for one in (await records(system)).values()} == {
        "Nests above water",
        "Another heading",
    }
    assert before.version[:12] in said["Nests above water"]
    assert after.version[:12] in said["Another heading"]


async def test_a_change_in_the_middle_leaves_each_record_of_one_mind() -> None:
    """A reply that is read once more after a crash may be read by other rules: the answer that was accepted first counts,
    whole; every line ends once."""
    other = rules(RULES.replace("title: h1", "title: h3").replace("abstract: .abs", "abstract: h3"))
    found = set()
    for seed in range(40):
        internet = Internet({RESOLVER: To(PAGE), PAGE: page(more="<h3>Another heading</h3>")})
        system = SimulatedSystem(
            seed, [registry.service("doi")], Fetching(internet), context=Context(rules=rules()), faults=WILD
        )
        system.submit(line(1, identifiers=Identifiers(doi="10.5555/X")))
        for _ in range(seed):
            await system.step()
        system.use_rules(other)
        await system.run()
        (record,) = (await records(system)).values()
        found.add((record.title.text, record.part("theAbstract").text))

        assert sorted(settled(system)) == [1], f"seed {seed}"
    assert found == {("Nests above water", ABSTRACT.strip()), ("Another heading", "Another heading")}


@pytest.mark.parametrize("heard", range(12))
def test_of_two_readings_of_one_reply_all_or_nothing_counts(heard: int) -> None:
    """Whoever read it first crashed after so many findings, and says the others late: they are never mixed."""
    other = rules(RULES.replace("title: h1", "title: h3").replace("abstract: .abs", "abstract: h3"))
    need = arbitrary_need("doi", "doi", doi=DOI)
    body = page(more=f"<h3>Another heading</h3><p>{SENTENCE}</p>").encode()
    reply = Reply(outcome="found", url=PAGE, final_url=PAGE, status=200, body=body, fetched_at=1)
    first, second = (
        say_page(need, reply, Sought("doi", RESOLVER, book, is_led=True)) for book in (rules(), other)
    )
    again = say_page(
        need, msgspec.structs.replace(reply, fetched_at=2), Sought("doi", RESOLVER, other, is_led=True)
    )
    state = PublicationState(need.publication)
    for row in (*first[:heard], *second, *first[heard:], *again):
        assert isinstance(row, StateRow)
        state.add(row)

    counted = state.answers[need.need]
    assert counted.complete() is not None
    whole = [*counted.findings(), counted.complete()]
    assert whole in ([*first], [*second])
    assert [event_id(row) for row in again] == [event_id(row) for row in second], "a repeat is recognised"
    assert first[0].answer != second[0].answer  # type: ignore[union-attr]
