"""What was found stays found, whoever may be asked today."""

import random

import pytest

from flow import test_oracle
from flow.test_oracle import ABILITIES, _one_run, seen
from flow.worlds import World, arbitrary_world
from pubweave.contract.vocabulary import CONTENT_PARTS
from pubweave.core.merging.decide import Abilities, record_of, walk
from pubweave.core.merging.state import PublicationState

FEW = [
    Abilities(frozenset({"europepmc"})),
    Abilities(frozenset({"pubmed_xml", "doi"})),
    Abilities(frozenset(), max_links=0),
]
SEEDS = range(120)


def fetched(seed: int) -> tuple[World, PublicationState]:
    world, state = arbitrary_world(seed), PublicationState("p")
    _one_run(state, world, 1, random.Random(seed), [])
    return world, state


@pytest.mark.parametrize("few", FEW)
def test_a_record_is_the_same_for_those_who_ask_fewer_sources(few: Abilities) -> None:
    """A database that was filled with all sources is read with `--resources` of a few: nothing is missing from its
    records, and nothing is left to ask."""
    for seed in SEEDS:
        _, state = fetched(seed)

        before, now = walk(state, ABILITIES), walk(state, few)

        assert (now.finished, now.asks) == (True, ())
        assert seen(record_of(state, now)) == seen(record_of(state, before))


@pytest.mark.parametrize("few", FEW)
def test_fetching_again_from_fewer_sources_loses_nothing(
    few: Abilities, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every part that was final stays as it was (F-FILL-01), unless an identifier was corrected (F-CHG-01)."""
    kept = 0
    for seed in SEEDS:
        world, state = fetched(seed)
        first = walk(state, ABILITIES)
        before = record_of(state, first)
        with monkeypatch.context() as patch:
            patch.setattr(test_oracle, "ABILITIES", few)
            after, second = _one_run(state, world, 2, random.Random(seed), [])
        if second.generation != first.generation:
            continue
        for name in CONTENT_PARTS:
            if not before.part(name).is_empty:
                kept += 1
                assert not after.part(name).is_empty, (seed, name)
            if first.draft.is_final(name, first.settings.thresholds):
                assert after.part(name) == before.part(name)

    assert kept > 200


def test_a_pdf_is_not_asked_of_those_who_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """`--resources …,links` without `pdf`: links to PDFs are passed over, and counted again by those who read them."""
    no_pdfs = Abilities(ABILITIES.resources - {"pdf"})
    monkeypatch.setattr(test_oracle, "ABILITIES", no_pdfs)
    left = 0
    for seed in SEEDS:
        state, asks = PublicationState("p"), list[tuple[str, str, str]]()
        _one_run(state, arbitrary_world(seed), 1, random.Random(seed), asks)
        left += any(need.resource == "pdf" for need in walk(state, ABILITIES).asks)

        assert "pdf" not in {resource for resource, _, _ in asks}

    assert left > 5


def test_what_was_not_asked_is_asked_when_it_may_be() -> None:
    """After a fetch from Europe PMC alone, all sources go on with what it left open."""
    state = PublicationState("p")
    world = arbitrary_world(3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(test_oracle, "ABILITIES", FEW[0])
        _, alone = _one_run(state, world, 1, random.Random(3), [])

    assert alone.finished
    assert walk(state, ABILITIES).asks
