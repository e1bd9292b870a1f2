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
from pubweave.doors.fetcher.regather import Companies, Regatherer, batches, noted
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


def test_a_company_that_is_not_complete_is_answered_by_the_complete_one() -> None:
    """The reply to more holds the answers for less; the smallest that holds them all, of the same step if
    there is one, at the same place and of the same resource."""
    needs = {number: arbitrary_need(number) for number in "12345"}

    def asked(numbers: str, step: str = "batch") -> Work:
        return Work(resource="europepmc", needs=tuple(needs[number] for number in numbers), step=step)

    companies = Companies()
    for key, place, recorded in (
        ("all", "/search", asked("1234")),
        ("half", "/search", asked("12", "other-form")),
        ("elsewhere", "/old", asked("1")),
    ):
        companies.add(key, place, noted(recorded))

    assert companies.key("/search", asked("123")) == "all"
    assert companies.key("/search", asked("12")) == "all"
    assert companies.key("/search", asked("2", "alone")) == "half"
    assert companies.key("/search", asked("15")) == ""
    assert companies.key("/new", asked("1")) == ""
    assert companies.key("/search", Work(resource="pmc", needs=(needs["1"],), step="batch")) == ""


@pytest.mark.network
async def test_a_replayed_work_of_fewer_needs_has_its_answer(
    tmp_path: Path, open_fetcher: OpenFetcher
) -> None:
    """Its own words were never asked; those of its company were. A stranger's are not replayed."""
    one, two, three = map(arbitrary_need, "123")

    def asking(*needs: NeedsPart) -> ReplyWanted:
        form = tuple((need.value, "") for need in needs)
        request = Request(url=f"{server.url}/", method="POST", form=form)
        return ReplyWanted(ask="a", unit="-", request=request, work=work(*needs))

    async with Server(says(reply_bytes(b"<1/><2/>"))).running() as server:
        async with open_fetcher(record_to=tmp_path) as fetcher:
            await fetcher.fetch(asking(one, two))
        async with open_fetcher(replay_from=tmp_path) as fetcher:
            fewer, stranger = await fetcher.fetch(asking(two)), await fetcher.fetch(asking(two, three))

    assert (fewer.body, stranger.outcome) == (b"<1/><2/>", "not-replayed")


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
