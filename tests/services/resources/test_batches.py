"""The laws of asking for many at once."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pubweave.core.toolkit.batching import BROKEN, RESETS, WAITS
from pubweave.core.toolkit.service import Context
from pubweave.registry import API_RESOURCES
from services.resources.builders import arbitrary_need, outcomes, run, told
from services.resources.situations import service_of
from services.resources.small_world import Article, BadForMany, Hostile, World

ONE_BY_ONE = Context(no_batch=True)
ASKS = {
    "europepmc": ("pmid", "pmcid", "doi"),
    "europepmc_mined": ("pmcid", "pmid"),
    "pubmed_xml": ("pmid",),
    "pmc": ("pmcid",),
}

chances = st.sampled_from((0.0, 0.2, 0.6))
articles = st.lists(
    st.builds(
        Article,
        number=st.integers(1, 60),
        has_pmcid=st.booleans(),
        has_doi=st.booleans(),
        in_europepmc=st.sampled_from((True, True, False)),
        in_pubmed=st.sampled_from((True, True, False)),
        in_pmc=st.sampled_from((True, True, False)),
        preprint=st.booleans(),
        stranger=st.sampled_from((False, False, True)),
        mined=st.sampled_from(("PMC", "MED", "both", "")),
        efo=st.booleans(),
        go=st.booleans(),
        body=st.booleans(),
        nameless=st.booleans(),
    ),
    min_size=1,
    max_size=24,
    unique_by=lambda article: article.number,
)
faults = st.builds(
    BadForMany,
    seed=st.integers(0, 1000),
    lose=chances,
    refuse=chances,
    cut=chances,
    fail_once=chances,
)


def needs_of(resource, world, picks):
    """One need an article, with one of the identifiers it has; mined needs are for one part each."""
    needs = []
    for article in world:
        own = picks[article.number % len(picks)]
        for pick in own:
            ask = ASKS[resource][pick % len(ASKS[resource])]
            known = {"pmid": article.pmid, "pmcid": article.pmcid, "doi": article.doi.upper()}
            if not known[ask]:
                continue
            # Who asks for terms knows the article by then (they are asked for when Europe PMC has flagged them).
            if pick % 5 == 0 and resource != "europepmc_mined":
                known = {kind: value if kind == ask else "" for kind, value in known.items()}
            missing = (
                (("efo",), ("go",))[pick % 2] if resource == "europepmc_mined" else ("title", "fulltext")
            )
            needs.append(arbitrary_need(resource, ask, number=len(needs) + 1, missing=missing, **known))
    return needs


picks = st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=2), min_size=1, max_size=5)


@pytest.mark.parametrize("resource", ASKS)
@given(world=articles, picks=picks, bad=faults)
@settings(max_examples=150, deadline=None, derandomize=True)
def test_asking_for_many_says_what_asking_one_by_one_says(resource, world, picks, bad):
    """Lost, refused, cut and garbled batches change nothing of what is said; neither do duplicates."""
    step = service_of(resource).step
    needs = needs_of(resource, world, picks)
    if not needs:
        return
    one_by_one, _ = run(step, needs, World(world).reply_to, ONE_BY_ONE)
    together, _ = run(step, needs, World(world, bad).reply_to)

    assert told(one_by_one) == told(together)


@pytest.mark.parametrize("resource", ASKS)
@given(world=articles, picks=picks)
@settings(max_examples=50, deadline=None, derandomize=True)
def test_a_good_source_is_asked_once_for_many(resource, world, picks):
    """Without faults, what the source knows costs one question for all, however many needs there are."""
    known = [
        article
        for article in world
        if article.in_europepmc
        and article.in_pubmed
        and article.in_pmc
        and not article.stranger
        and not article.nameless
        and article.mined == "both"
        and article.efo
        and article.go
    ]
    needs = needs_of(resource, known, picks)[:8]
    if not needs:
        return
    _, asked = run(service_of(resource).step, needs, World(known).reply_to)

    assert len(asked) == 1


@pytest.mark.parametrize("resource", API_RESOURCES)
@given(world=articles, picks=picks, random=st.randoms(use_true_random=False), no_batch=st.booleans())
@settings(max_examples=100, deadline=None, derandomize=True)
def test_whatever_comes_every_need_ends_once_after_a_bounded_number_of_questions(
    resource, world, picks, random, no_batch
):
    """Against a source that says anything at all: one outcome a need, no endless asking."""
    asking = resource if resource in ASKS else "pmc" if resource == "europepmc_fulltext" else "pubmed_xml"
    needs = [
        arbitrary_need(resource, need.ask, number=number, missing=need.missing, pmid=need.identifiers.pmid,
                       pmcid=need.identifiers.pmcid, doi=need.identifiers.doi)
        for number, need in enumerate(needs_of(asking, world, picks))
    ]  # fmt: skip
    if not needs:
        return
    hostile = Hostile(lambda below: random.randrange(below))
    step = service_of(resource).step
    # Each question is repeated a few times; the questions are two trees of halves and a few single ones a need.
    limit = (1 + RESETS + BROKEN + WAITS) * 8 * len(needs)
    events, _ = run(
        step, needs, lambda wanted: World(world, hostile).reply_to(wanted), Context(no_batch=no_batch), limit
    )

    assert {need.need for need in needs} == set(outcomes(events))


@pytest.mark.parametrize("resource", ASKS)
def test_a_failure_of_the_source_is_never_said_as_nothing_there(resource):
    """404, 410 and empty bodies of a query address are failures: they say nothing about the publication."""
    world = [Article(1), Article(2), Article(3)]
    needs = needs_of(resource, world, [[0]])
    for outcome in ("absent", "gone", "empty"):

        def reply_to(wanted, outcome=outcome):
            from pubweave.contract.exchange import Reply

            return Reply(outcome=outcome, url=wanted.request.url, status=404, fetched_at=1)

        events, _ = run(service_of(resource).step, needs, reply_to)

        assert {"http-error", "malformed"} >= set(outcomes(events).values())
