"""What follows replies that cannot be read."""

from typing import get_args

import msgspec
import pytest

from pubweave.contract.exchange import Reply
from pubweave.contract.values import Link
from pubweave.contract.vocabulary import AttemptOutcome
from pubweave.core.toolkit.batching import (
    AFTER_A_BATCH_FAILED,
    LONGEST_WAIT_MS,
    RESET_DELAY_MS,
    UNTOLD_WAIT_MS,
    WAITS,
    halves,
)
from pubweave.core.toolkit.service import Context
from services.resources.builders import arbitrary_need, found, outcomes, run
from services.resources.situations import RESOURCES, service_of

CONTEXT = Context(unpaywall_email="ada@lake.example")


def needs_for(resource, count):
    ids = [
        {"pmid": str(31_000_000 + number), "pmcid": f"PMC{7_000_000 + number}", "doi": f"10.5555/{number}"}
        for number in range(count)
    ]
    by_pmcid = ("pmc", "europepmc_fulltext", "europepmc_mined", "europepmc_html", "pmc_html")
    ask = "pmcid" if resource in by_pmcid else "pmid"
    if resource in ("doi", "unpaywall"):
        ask = "doi"
    missing = ("go",) if resource == "europepmc_mined" else ("title", "fulltext")
    needs = [
        arbitrary_need(resource, ask, number=number, missing=missing, **known)
        for number, known in enumerate(ids)
    ]
    if resource in ("links", "pdf"):
        type_ = "pdf_oadoi" if resource == "pdf" else "link_oadoi"
        links = [Link(f"https://host.example/{number}", type_) for number in range(count)]
        needs = [
            msgspec.structs.replace(need, ask=None, link=link)
            for need, link in zip(needs, links, strict=True)
        ]
    return needs


def always(outcome, **more):
    return lambda wanted: Reply(outcome=outcome, url=wanted.request.url, fetched_at=1, **more)


def test_every_outcome_of_a_batch_has_a_next_move():
    """The table knows each word a door can say, but those that the services read themselves."""
    assert set(get_args(AttemptOutcome)) - {"found", "empty"} == set(AFTER_A_BATCH_FAILED)


def test_a_reset_is_asked_again_as_a_delayed_event():
    """Delays up to 30 s are waited for on the spot; a reset waits longer (fault 55)."""
    assert RESET_DELAY_MS > 30_000


@pytest.mark.parametrize("resource", RESOURCES)
def test_a_broken_connection_is_tried_once_more_later(resource):
    """Fault 55: one need, reset twice: asked at once, then delayed, then the outcome is `reset`."""
    events, asked = run(service_of(resource).step, needs_for(resource, 1), always("reset"), CONTEXT)
    first = [wanted for wanted in asked if wanted.work.step == asked[0].work.step]

    assert [wanted.delay_ms for wanted in first] == [0, RESET_DELAY_MS]
    assert len({wanted.ask for wanted in asked}) == len(asked)
    assert list(outcomes(events).values()) == ["reset"]


@pytest.mark.parametrize("resource", RESOURCES)
def test_too_many_requests_are_waited_for_as_long_as_the_source_says(resource):
    """`Retry-After` is honoured a bounded number of times; then the need is `rate-limited`, and an exception."""
    reply_to = always("rate-limited", status=429, retry_after_ms=40_000, fetch_exception=True)
    events, asked = run(service_of(resource).step, needs_for(resource, 1), reply_to, CONTEXT)

    assert [wanted.delay_ms for wanted in asked] == [0] + [40_000] * WAITS
    assert list(outcomes(events).values()) == ["rate-limited"]
    assert events[-1].fetch_exception


def test_a_source_that_does_not_say_how_long_is_given_a_minute():
    _, asked = run(service_of("pmc").step, needs_for("pmc", 2), always("rate-limited"))

    assert [wanted.delay_ms for wanted in asked] == [0] + [UNTOLD_WAIT_MS] * WAITS


def test_a_source_that_wants_to_be_left_alone_too_long_is_not_waited_for():
    reply_to = always("rate-limited", retry_after_ms=LONGEST_WAIT_MS + 1)
    events, asked = run(service_of("pmc").step, needs_for("pmc", 2), reply_to)

    assert len(asked) == 1
    assert {"rate-limited"} == set(outcomes(events).values())


@pytest.mark.parametrize(
    "outcome", ["refused", "unresolved", "tls-failure", "bad-url", "no-door", "refused-address"]
)
def test_what_says_nothing_about_the_question_is_not_asked_in_parts(outcome):
    """A source that is not there is not asked a hundred times whether it is there."""
    for resource in ("europepmc", "pubmed_xml", "pmc"):
        events, asked = run(service_of(resource).step, needs_for(resource, 20), always(outcome))

        assert len(asked) == 1
        assert {outcome} == set(outcomes(events).values())


@pytest.mark.parametrize("outcome", ["unavailable", "timeout", "too-large", "http-error", "blocked"])
def test_a_failing_batch_is_halved_until_its_needs_stand_alone(outcome):
    """n needs that fail together and alone cost the n - 1 questions of a binary tree, and n single ones."""
    for resource in ("europepmc", "pubmed_xml", "pmc"):
        events, asked = run(service_of(resource).step, needs_for(resource, 16), always(outcome))

        assert [len(wanted.work.needs) for wanted in asked][:7] == [16, 8, 8, 4, 4, 4, 4]
        assert len(asked) == 2 * 16 - 1
        assert sum(wanted.work.step == "alone" for wanted in asked) == 16
        assert {outcome} == set(outcomes(events).values())


def test_one_bad_identifier_does_not_spoil_a_batch():
    """The need that makes the source fail ends with its failure, its neighbours are found."""

    def reply_to(wanted):
        if "31000005" in repr(wanted.request):
            return Reply(outcome="unavailable", url=wanted.request.url, status=500)
        ids = dict(wanted.request.form).get("id") or wanted.request.url.partition("&id=")[2].partition("&")[0]
        records = "".join(
            f"<PubmedArticle><MedlineCitation><PMID>{one}</PMID><Article/></MedlineCitation></PubmedArticle>"
            for one in ids.split(",")
        )
        body = f"<PubmedArticleSet>{records}</PubmedArticleSet>".encode()
        return Reply(outcome="found", url=wanted.request.url, status=200, body=body)

    events, asked = run(service_of("pubmed_xml").step, needs_for("pubmed_xml", 16), reply_to)

    assert {need: end for need, end in outcomes(events).items() if end != "found"} == {
        "need-5": "unavailable"
    }
    assert len(asked) == 1 + 2 * 4


@pytest.mark.parametrize("count", range(1, 9))
def test_halves_are_smaller_and_lose_nobody(count):
    needs = needs_for("pmc", count)
    parts = halves(needs)

    assert needs == [need for part in parts for need in part]
    assert all(len(part) < count for part in parts) or count == 1


@pytest.mark.parametrize("resource", RESOURCES)
def test_a_need_without_the_identifier_is_skipped(resource):
    """Nobody is asked, and the outcome says why."""
    needs = [arbitrary_need(resource, "pmid", missing=("go",))]
    events, asked = run(service_of(resource).step, needs, always("found"))

    assert asked == []
    assert list(outcomes(events).values()) == ["skipped"]


@pytest.mark.parametrize("resource", RESOURCES)
def test_more_needs_than_fit_are_asked_in_several_questions(resource):
    """However many needs come as one work, no question is larger than the source takes."""
    service = service_of(resource)
    _, asked = run(service.step, needs_for(resource, 450), always("refused"), CONTEXT)
    limit = service.batching.most
    batches = [
        wanted for wanted in asked if wanted.request.family != "europepmc" or resource != "europepmc_mined"
    ]

    assert sum(len(wanted.work.needs) for wanted in batches) == 450
    assert limit == max(len(wanted.work.needs) for wanted in batches)


OLD_SUMMARY = """<responseWrapper><semanticTypeList><semanticType><tmSummary><term>growth</term><count>2</count>
<dbName>GO</dbName><dbIdList><dbId>GO:0040007</dbId></dbIdList></tmSummary></semanticType></semanticTypeList></responseWrapper>"""


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize(
    ("failure", "said"), [("unavailable", "unavailable"), ("timeout", "timeout"), ("absent", "http-error")]
)
@pytest.mark.parametrize("second_failure", ["", "malformed"])
def test_the_silence_of_the_older_endpoint_is_no_word(count, failure, said, second_failure):
    """D-10 and design law 3: where the annotations API fails and the older endpoint knows no terms, the question has
    failed, is an exception, and is asked again; it did not find that there is nothing."""

    def reply_to(wanted):
        if "textMinedTerms" not in wanted.request.url:
            return Reply(outcome=failure, url=wanted.request.url, fetched_at=1, fetch_exception=True)
        if second_failure and not wanted.work.tries:
            return Reply(outcome=second_failure, url=wanted.request.url, fetched_at=1)
        return found(wanted, b"<responseWrapper><hitCount>0</hitCount></responseWrapper>")

    events, _ = run(service_of("europepmc_mined").step, needs_for("europepmc_mined", count), reply_to)

    assert set(outcomes(events).values()) == {"unavailable" if second_failure else said}
    assert all(event.fetch_exception and not event.success for event in events)


def test_what_the_older_endpoint_knows_is_taken():
    """D-10: it stands in for the annotations API."""

    def reply_to(wanted):
        if "textMinedTerms" not in wanted.request.url:
            return Reply(outcome="timeout", url=wanted.request.url, fetched_at=1, fetch_exception=True)
        return found(wanted, OLD_SUMMARY.encode())

    events, _ = run(service_of("europepmc_mined").step, needs_for("europepmc_mined", 1), reply_to)

    assert list(outcomes(events).values()) == ["found"]
    assert [term.term for event in events for term in getattr(event, "terms", ())] == ["growth"]


@pytest.mark.parametrize(
    ("resource", "body"),
    [
        ("pubmed_xml", b"<PubmedArticleSet><ERROR>backend failed</ERROR></PubmedArticleSet>"),
        ("pubmed_xml", b"<eFetchResult><ERROR>Unable to obtain query #1</ERROR></eFetchResult>"),
        ("pmc", b"<pmc-articleset><error>backend failed</error></pmc-articleset>"),
        ("europepmc_mined", b"<List><error>backend failed</error></List>"),
        ("europepmc", b"<responseWrapper><errorBean>backend failed</errorBean></responseWrapper>"),
    ],
)
def test_an_error_in_the_shape_of_an_answer_is_no_absence(resource, body):
    """Status 200, well-formed, and an error inside: the question is put once more, and then it has failed."""
    events, asked = run(service_of(resource).step, needs_for(resource, 1), lambda wanted: found(wanted, body))

    assert list(outcomes(events).values()) == ["malformed"]
    assert len(asked) == 2
