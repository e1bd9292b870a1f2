"""A replayed run gathers its needs into the batches of the recorded run, whatever order they come in."""

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pubweave.contract.exchange import Request, Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.values import Identifiers, Place
from pubweave.doors.fetcher.regather import Regatherer, batches, noted
from services.doors.fetcher.loopback import OpenFetcher, Server, reply_bytes, says


def arbitrary_need(pmid: str, run: str = "first", **more: object) -> NeedsPart:
    return NeedsPart(
        publication=f"{run}-{pmid}",
        need=f"{run}-{pmid}-{more}",
        place=Place(0, 1, 1, 1, 0, 0),
        resource="europepmc",
        identifiers=Identifiers(pmid=pmid),
        ask="pmid",
        **more,  # type: ignore[arg-type]
    )


def work(*needs: NeedsPart) -> Work:
    return Work(resource="europepmc", needs=needs)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(sizes=st.lists(st.integers(1, 7), min_size=1, max_size=8), order=st.randoms(use_true_random=False))
def test_the_companies_of_the_recording_come_together_again(sizes: list[int], order: random.Random) -> None:
    """In any order of coming, each batch is handed over when it is whole, in its recorded order."""
    numbers = iter(range(1000))
    recorded = [[str(next(numbers)) for _ in range(size)] for size in sizes]
    gatherer = Regatherer(
        "europepmc", batches(noted(work(*map(arbitrary_need, pmids))) for pmids in recorded)
    )
    coming = [pmid for pmids in recorded for pmid in pmids]
    order.shuffle(coming)
    came: list[list[str]] = []
    for pmid in coming:
        gatherer.add(arbitrary_need(pmid, run="second"))
        while (needs := gatherer.full()) is not None:
            came.append([need.value for need in needs])

    assert sorted(came) == sorted(recorded)
    assert len(gatherer) == 0


def test_smaller_questions_after_the_first_are_no_batches_of_their_own() -> None:
    """Halves and repetitions of a batch follow from its reply; a need of a later generation is new."""
    one, two = arbitrary_need("1"), arbitrary_need("2")
    again = arbitrary_need("1", run="later")

    found = batches([noted(work(one, two)), noted(work(one)), noted(work(two)), noted(work(again))])

    assert [len(batch.needs) for batch in found] == [2, 1]


def test_the_same_question_for_other_parts_is_another_one() -> None:
    """EFO and GO of one article are two needs."""
    efo, go = arbitrary_need("1", missing=("efo",)), arbitrary_need("1", missing=("go",))
    gatherer = Regatherer("europepmc", batches([noted(work(efo, go))]))
    gatherer.add(go)
    gatherer.add(efo)

    assert gatherer.full() == (efo, go)


def test_what_does_not_come_together_is_handed_over_at_rest() -> None:
    """The fullest company first, then what the recording does not know, one by one; the dropped never."""
    recorded = batches([noted(work(*map(arbitrary_need, "123"))), noted(work(*map(arbitrary_need, "4567")))])
    gatherer = Regatherer("europepmc", recorded)
    for pmid in ("9", "7", "1", "5", "4", "8", "6"):
        gatherer.add(arbitrary_need(pmid))
    gatherer.drop({arbitrary_need("6").need, arbitrary_need("8").need})

    assert gatherer.full() is None
    handed_over = []
    while (needs := gatherer.rest()) is not None:
        handed_over.append([need.value for need in needs])
    assert handed_over == [["4", "5", "7"], ["1"], ["9"]]
    assert len(gatherer) == 0


@pytest.mark.network
async def test_a_recording_tells_its_batches(tmp_path: Path, open_fetcher: OpenFetcher) -> None:
    """Noted with every request, also of 200 needs, and read again by the replaying fetcher."""
    needs = [arbitrary_need(str(number)) for number in range(203)]
    async with (
        Server(says(reply_bytes(b"<a/>"))).running() as server,
        open_fetcher(record_to=tmp_path) as fetcher,
    ):
        for company in (needs[:200], needs[:100], needs[200:]):
            await fetcher.fetch(
                ReplyWanted(
                    ask="a",
                    unit="-",
                    request=Request(url=f"{server.url}/{len(company)}"),
                    work=work(*company),
                )
            )
        assert fetcher.recorded_batches == ()
    async with open_fetcher(replay_from=tmp_path) as fetcher:
        found = fetcher.recorded_batches

    assert list(found) == batches([noted(work(*needs[:200])), noted(work(*needs[200:]))])
