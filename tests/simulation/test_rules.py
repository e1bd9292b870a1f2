"""Rules for pages that change while services run on the bus."""

from pubweave import registry
from pubweave.contract.exchange import Reply
from pubweave.contract.part_candidate import PartCandidate
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.values import Identifiers
from pubweave.core.toolkit.service import Context
from services.resources.small_internet import ABSTRACT, PAGE, RESOLVER, RULES, Internet, To, page, rules
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
