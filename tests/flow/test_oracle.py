"""What the walk asks and keeps is what the sequential chain asks and keeps, in whatever order answers come."""

import random
from collections import Counter

import pytest

from flow.oracle import Oracle
from flow.worlds import CHAIN_RESOURCES, World, arbitrary_world, question, say
from pubweave.contract.exchange import Reply
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.run_accepted import RunAccepted
from pubweave.contract.vocabulary import PART_NAMES
from pubweave.core.merging.decide import Abilities, Walked, record_of
from pubweave.core.merging.state import PublicationState
from pubweave.core.record import Record
from pubweave.merger.handler import advance, answer_claim, send

ABILITIES = Abilities(frozenset(CHAIN_RESOURCES))  # type: ignore[arg-type]
UNIVERSE = 1000


def run_events(
    world: World, rng: random.Random, later: World | None = None
) -> tuple[Record, list[tuple[str, str, str]], Walked]:
    """Drive the merger's functions over a world; pending needs are answered in a random order, findings of
    an answer are split and repeated. With `later` a second run follows, with its settings and answers."""
    state = PublicationState("p")
    asks: list[tuple[str, str, str]] = []
    record, walked = _one_run(state, world, 1, rng, asks)
    if later is not None:
        record, walked = _one_run(state, later, 2, rng, asks)
    return record, asks, walked


def _one_run(
    state: PublicationState, world: World, run: int, rng: random.Random, asks: list[tuple[str, str, str]]
) -> tuple[Record, Walked]:
    state.add(
        RunAccepted(
            publication="p",
            submission=f"j.{run}",
            epoch=1,
            run=run,
            first_pass=1,
            accepted_at=run,
            settings=world.settings,
            identifiers=world.supplied,
        )
    )
    pending: list[NeedsPart] = []
    for _ in range(500):
        advanced = advance(state, ABILITIES)
        for claim in advanced.claims:
            state.add(answer_claim(claim, "granted"))
        needs = send(state, advanced.walked)
        pending += needs
        asks += [question(need) for need in needs]
        if not pending:
            assert advanced.walked.finished
            return record_of(state, advanced.walked), advanced.walked
        need = pending.pop(rng.randrange(len(pending)))
        said = say(need, world.answer(*question(need)), Reply(outcome="found", url="u", fetched_at=5))
        events = [event for event in said if not isinstance(event, ReplyWanted)]
        rng.shuffle(events)
        for event in events + events[:2]:
            state.add(event)
    raise AssertionError("the walk did not end")


def two_worlds(seed: int) -> tuple[World, World]:
    """The same publication at two times: another selection, other failures, other answers for a part."""
    first, other = arbitrary_world(seed), arbitrary_world(seed + 5_000_000)
    known = {
        key: other.known.get(key, known) if seed % 3 == 0 else known for key, known in first.known.items()
    }
    return first, World(seed, first.supplied, other.settings, known)


def seen(record: Record) -> dict[str, object]:
    """What is compared: types, sizes, identifiers and who gave them."""
    return {
        "parts": {
            name: (
                part.type,
                part.text if name in ("pmid", "pmcid", "doi") else part.size,
                part.url.partition(":")[0],
            )
            for name, part in record.parts()
        },
        "oa": record.oa,
        "journal": record.journal_title,
        "author": record.corresp_author[0].name if record.corresp_author else "",
        "visited": [site.url for site in record.visited_sites],
        "exception": record.fetch_exception,
    }


def expected(oracle: Oracle, later: World | None = None) -> dict[str, object]:
    pub = oracle.run()
    if later is not None:
        oracle.begin(later)
        pub = oracle.run()
    return {
        "parts": {
            name: (part.type, part.value if name in ("pmid", "pmcid", "doi") else part.size, part.by)
            for name in PART_NAMES
            for part in [pub.parts[name]]
        },
        "oa": pub.oa,
        "journal": pub.journal,
        "author": pub.author,
        "visited": pub.visited,
        "exception": pub.exception,
    }


@pytest.mark.parametrize("block", range(4))
def test_events_in_any_order_equal_the_sequential_chain(block: int) -> None:
    """On 1,000 generated publications: the same record, and ask for ask the same requests (P-20, P-21)."""
    for seed in range(block * UNIVERSE // 4, (block + 1) * UNIVERSE // 4):
        world = arbitrary_world(seed)
        oracle = Oracle(world)
        wanted = expected(oracle)
        for order in range(3):
            record, asks, _ = run_events(world, random.Random(order))

            assert seen(record) == wanted, f"world {seed}, order {order}"
            assert Counter(asks) == Counter(oracle.asks), f"world {seed}, order {order}"


def test_a_second_run_goes_on_where_the_first_ended() -> None:
    """Runs fold over each other: with another selection and other answers the second equals the oracle's."""
    for seed in range(UNIVERSE // 2):
        world, later = two_worlds(seed)
        oracle = Oracle(world)
        wanted = expected(oracle, later)
        record, asks, _ = run_events(world, random.Random(seed), later)

        assert seen(record) == wanted, f"world {seed}"
        assert Counter(asks) == Counter(oracle.asks), f"world {seed}"


def test_every_branch_is_taken_often(capsys: pytest.CaptureFixture[str]) -> None:
    """The comparison means something: restarts, second passes, variants, links and their limits are common in the worlds."""
    taken: Counter[str] = Counter()
    for seed in range(UNIVERSE):
        world, later = two_worlds(seed)
        oracle = Oracle(world)
        oracle.run()
        oracle.begin(later)
        oracle.run()
        taken.update(oracle.branches)
    with capsys.disabled():
        print("\n" + "\n".join(f"{count:6d}  {branch}" for branch, count in sorted(taken.items())))

    assert {branch: taken[branch] for branch in {*BRANCHES, *taken} if taken[branch] < 20} == {}


BRANCHES = """
F-CHG-01
F-CHAIN-04
F-ID-41
F-FILL-04
F-META-05
F-DOI-01
F-DOI-01 leads nowhere
F-DOI-08
F-LNK-03 malformed
F-LNK-03 DOI
F-LNK-03 PMC family
F-LNK-03 tried
F-LNK-03 listed
F-LNK-04 known
F-LNK-04 taken
F-LNK-05
F-LNK-06
F-LNK-07
F-LNK-08
F-LNK-09
F-LNK-10
F-NEED-10
F-NEED-11
F-NEED-12
""".strip().splitlines()
