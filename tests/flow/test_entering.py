"""What several lines ask for enters one run, whenever it was heard and whatever the run found meanwhile."""

import pytest

from flow.worlds import CHAIN_RESOURCES, THRESHOLDS, Known, World, question, say
from pubweave.contract.exchange import Reply
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.values import Identifiers, Link, RunSettings
from pubweave.core.merging.decide import Abilities, record_of
from pubweave.core.merging.state import PublicationState
from pubweave.core.record import Record
from pubweave.merger.handler import advance, answer_claim, hear_request, send

ABILITIES = Abilities(frozenset(CHAIN_RESOURCES))
ALL = RunSettings(thresholds=THRESHOLDS)
ONLY_TITLES = RunSettings(parts=("title",), thresholds=THRESHOLDS)


def fetched(
    known: dict[tuple[str, str, str], Known], first: FetchRequested, second: FetchRequested, heard_at: int
) -> tuple[Record, list[tuple[str, str, str]]]:
    """The record and the asks, if the second line is heard when so many answers have come."""
    world = World(1, first.identifiers, first.settings, known)
    state = PublicationState("p")
    accepted = hear_request(state, first, 1, ABILITIES).accepted
    assert accepted is not None
    state.add(accepted)
    pending: list[NeedsPart] = []
    asks: list[tuple[str, str, str]] = []
    for answers in range(100):
        if answers == heard_at and (entered := hear_request(state, second, 2, ABILITIES).accepted):
            state.add(entered)
        advanced = advance(state, ABILITIES)
        for claim in advanced.claims:
            state.add(answer_claim(claim, "granted"))
        needs = send(state, advanced.walked)
        pending += needs
        asks += [question(need) for need in needs]
        if not pending:
            assert advanced.walked.finished
            return record_of(state, advanced.walked), asks
        need = pending.pop(0)
        reply = Reply(outcome="found", url="u", fetched_at=5)
        for event in say(need, world.answer(*question(need)), reply):
            if not isinstance(event, ReplyWanted):
                state.add(event)
    raise AssertionError("the walk did not end")


def line(
    number: int, settings: RunSettings = ALL, links: tuple[Link, ...] = (), **ids: str
) -> FetchRequested:
    return FetchRequested("job", number, Identifiers(**ids), settings=settings, links=links)


@pytest.mark.parametrize("heard_at", range(4))
def test_an_identifier_enters_although_the_pass_found_another(heard_at: int) -> None:
    """Design law 4: submitted identifiers enter the survivor and start a pass there; that the pass under way
    ends with a new identifier of its own is no reason to forget them."""
    known = {("europepmc", "pmid", "1"): Known(parts=[("pmcid", "europepmc", "PMC1", ())])}

    record, asks = fetched(known, line(1, pmid="1"), line(2, pmid="1", doi="10.1/A"), heard_at)

    assert record.identifiers == Identifiers("1", "PMC1", "10.1/A")
    assert ("doi", "doi", "10.1/A") in asks


@pytest.mark.parametrize("heard_at", range(4))
def test_an_identifier_enters_although_the_run_begins_anew(heard_at: int) -> None:
    """The pass under way finds that an identifier was wrong (F-CHG-01); what was heard meanwhile still enters."""
    known = {("europepmc", "pmid", "1"): Known(parts=[("pmid", "europepmc", "2", ())])}

    record, asks = fetched(known, line(1, pmid="1"), line(2, pmid="1", doi="10.1/A"), heard_at)

    assert record.identifiers == Identifiers("2", "", "10.1/A")
    assert ("doi", "doi", "10.1/A") in asks


@pytest.mark.parametrize("heard_at", range(4))
def test_links_of_a_line_are_followed_after_a_new_beginning(heard_at: int) -> None:
    """Links that an application supplies belong to the publication, not to the generation in which they came."""
    known = {
        ("europepmc", "pmid", "1"): Known(parts=[("pmid", "europepmc", "2", ())]),
    }
    link = Link(url="https://press.example/1", type="link", from_="")

    _, asks = fetched(known, line(1, pmid="1"), line(2, pmid="1", links=(link,)), heard_at)

    assert ("links", "link:link", "https://press.example/1") in asks


@pytest.mark.parametrize("heard_at", range(3))
def test_a_wider_wish_gets_what_the_same_source_says(heard_at: int) -> None:
    """One line wants the title only, another everything: heard while the first is under way, it gets what it would
    have got alone, although the source was asked already (law 4: the union of the part selections)."""
    known = {("europepmc", "pmid", "1"): Known(parts=[("theAbstract", "europepmc", 300, ())])}

    record, asks = fetched(known, line(1, ONLY_TITLES, pmid="1"), line(2, ALL, pmid="1"), heard_at)

    assert record.part("theAbstract").type == "europepmc"
    assert asks.count(("europepmc", "pmid", "1")) <= 2


def test_a_fetch_is_not_swallowed_by_an_update_of_citations() -> None:
    """Heard while only the citations of a known publication are being counted, a fetch is a run of its own."""
    known = {("europepmc", "pmid", "1"): Known(parts=[("title", "europepmc", 9, ())])}
    counting = RunSettings(citations_only=True)

    record, asks = fetched(known, line(1, counting, pmid="1"), line(2, pmid="1"), 0)

    assert record.title.type == "europepmc"
    assert ("pubmed_xml", "pmid", "1") in asks
