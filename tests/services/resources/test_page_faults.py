"""Every page resource against everything that a door can answer: one outcome, and nothing filled wrongly."""

import itertools
from typing import get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pubweave.contract.exchange import Reply
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.resource_done import ResourceDone
from pubweave.contract.values import Link
from pubweave.contract.vocabulary import AttemptOutcome
from pubweave.core.reading.rules import RuleFile, load_rules
from pubweave.core.toolkit.service import Context
from pubweave.doors.fetcher.outcomes import CASES, flags
from pubweave.doors.pdf_reader.messages import FETCH_EXCEPTIONS, OUTCOMES, PdfReading
from services.resources.builders import arbitrary_need, found, outcomes, run
from services.resources.situations import service_of

PAGE = "https://publisher.example/a/7"
CONTEXT = Context(unpaywall_email="ada@lake.example")
RESOLVED = Reply(
    outcome="found", url="https://doi.org/10.5555/X", status=302, headers=(("location", PAGE),), fetched_at=1
)
EVERYWHERE_JAVASCRIPT = load_rules([RuleFile("journals", "all.yaml", "{}\n---\n{}\n---\n- ^https?://\n")])
FAILURES = [name for name, case in CASES.items() if case.outcome != "found"]

QUESTIONS = {
    # Where the fault stands: the resource, and which of its questions it answers.
    "the DOI resolver": ("doi", lambda wanted: wanted.work.step == "resolve"),
    "the page of a DOI": ("doi", lambda wanted: wanted.work.step != "resolve"),
    "the page of a link": ("links", lambda wanted: True),
    "a PDF link": ("pdf", lambda wanted: True),
    "Unpaywall": ("unpaywall", lambda wanted: True),
}

OTHERWISE = {
    # Everywhere else a need ends with the word of its last reply.
    ("the DOI resolver", "empty"): "malformed",  # an answer that leads nowhere (F-DOI-01)
    ("the page of a DOI", "empty"): "malformed",  # nobody says that there is nothing
    ("the page of a link", "empty"): "malformed",
    ("Unpaywall", "empty"): "malformed",
    ("the page of a DOI", "pdf-instead"): "malformed",  # tried as PDF, which says the same here
    ("the page of a link", "pdf-instead"): "malformed",
    ("a PDF link", "pdf-instead"): "malformed",
}

NO_EXCEPTION = {
    # F-DOI-01, F-UPW-05: an error status sets no fetchException there, whatever chapter 6.2 says of pages.
    (where, name)
    for where in ("the DOI resolver", "Unpaywall")
    for name in ("wall", "challenge", "absent", "gone", "http-error")
}

DELAYED = {"reset", "cut", "rate-limited", "come-back", "not-now", "over-quota"}
"""Asked again later; at most three times."""


def need_of(resource):
    need = arbitrary_need(resource, "doi", doi="10.5555/X")
    if resource in ("links", "pdf"):
        type_ = "pdf_oadoi" if resource == "pdf" else "link_oadoi"
        need = msgspec.structs.replace(need, ask=None, link=Link(PAGE, type_, "https://api.example/x"))
    return need


def failing(name: str, wanted: ReplyWanted) -> Reply:
    """What a door says when a question ends in this row of its table."""
    case = CASES[name]
    url = wanted.request.url
    publication, web = flags(case, url)
    if name == "pdf-instead" and wanted.door == "pdf_reader":
        case, publication = CASES["wrong-kind"], False
    return Reply(
        outcome=case.outcome,
        url=url,
        final_url=url,
        content_type="application/pdf" if name == "pdf-instead" else "video/mp4",
        fetched_at=1,
        fetch_exception=publication,
        web_fetch_exception=web,
        evidence=case.seen,
    )


@pytest.mark.parametrize(("where", "name"), list(itertools.product(QUESTIONS, FAILURES)))
def test_a_failure_ends_in_the_word_of_the_table_and_fills_nothing(where, name):
    """Law 3: one outcome, the same word; no part, field or link; a bounded number of questions."""
    resource, is_struck = QUESTIONS[where]

    def reply_to(wanted):
        return failing(name, wanted) if is_struck(wanted) else RESOLVED

    events, asked = run(service_of(resource).step, [need_of(resource)], reply_to, CONTEXT, limit=20)
    (done,) = events
    struck = [wanted for wanted in asked if is_struck(wanted)]

    assert isinstance(done, ResourceDone)
    assert OTHERWISE.get((where, name), CASES[name].outcome) == done.outcome
    assert not done.success
    assert done.evidence
    assert len(struck) <= (4 if name in DELAYED else 2)
    last = failing(name, struck[-1])
    assert (last.fetch_exception and (where, name) not in NO_EXCEPTION) == done.fetch_exception


@pytest.mark.parametrize("outcome", [word for word in get_args(AttemptOutcome) if word != "found"])
@pytest.mark.parametrize("where", QUESTIONS)
def test_every_word_of_the_vocabulary_ends_the_need(where, outcome):
    """Also words that no door says today, each with the body of an article that must not be read."""
    resource, is_struck = QUESTIONS[where]

    def reply_to(wanted):
        if not is_struck(wanted):
            return RESOLVED
        return msgspec.structs.replace(found(wanted, ARTICLE, "text/html"), outcome=outcome)

    events, asked = run(service_of(resource).step, [need_of(resource)], reply_to, CONTEXT, limit=20)

    assert len(events) == 1
    assert outcomes(events)["need-1"] in (outcome, "malformed")
    assert len(asked) <= 5


@pytest.mark.parametrize("reason", [reason for reason, outcome in OUTCOMES.items() if outcome != "found"])
@pytest.mark.parametrize("where", ["the page of a DOI", "the page of a link", "a PDF link"])
def test_a_pdf_that_cannot_be_read_ends_in_the_readers_word(where, reason):
    """F-PDF-07: password, broken, scanned, too large, deadly: each its outcome; only some set fetchException."""
    resource, is_struck = QUESTIONS[where]
    reading = PdfReading(reason, "why", metadata=PdfReading("read").metadata)

    def reply_to(wanted):
        if not is_struck(wanted):
            return RESOLVED
        if wanted.door != "pdf_reader":
            return failing("pdf-instead", wanted)
        return msgspec.structs.replace(
            found(wanted, msgspec.json.encode(reading), "application/json"),
            outcome=reading.outcome,
            fetch_exception=reading.fetch_exception,
        )

    events, _ = run(service_of(resource).step, [need_of(resource)], reply_to, CONTEXT)
    (done,) = events

    assert isinstance(done, ResourceDone)
    assert OUTCOMES[reason] == done.outcome
    assert (reason in FETCH_EXCEPTIONS) == done.fetch_exception


WALLS = {
    "<title>Sign in</title><h1>Sign in</h1><input type=password>": "blocked",
    "<title>Just a moment...</title><noscript>Enable JavaScript</noscript>": "blocked",
    "<title>We value your privacy</title><h1>We value your privacy</h1><button>Accept</button>": "blocked",
    "<title>404 Not Found</title><h1>Not found</h1>": "absent",
    "<title>Service temporarily unavailable</title>": "malformed",
    "<title>A journal</title><h1>All our journals</h1>": "empty",
    "": "malformed",
    "{}": "malformed",
    "\x00\x01\x02 %!PS": "malformed",
}


@pytest.mark.parametrize("page", WALLS)
@pytest.mark.parametrize("where", ["the page of a DOI", "the page of a link"])
def test_what_is_not_the_article_is_never_content(where, page):
    """Walls, errors and other pages with status 200: an outcome with evidence, not one finding."""
    resource, is_struck = QUESTIONS[where]

    def reply_to(wanted):
        return found(wanted, page.encode(), "text/html") if is_struck(wanted) else RESOLVED

    events, _ = run(service_of(resource).step, [need_of(resource)], reply_to, CONTEXT)
    (done,) = events

    assert isinstance(done, ResourceDone)
    assert WALLS[page] == done.outcome
    assert done.evidence
    assert not done.success


PARAGRAPH = (
    "<p>"
    + "Nests above the water of the lake were counted every week, and every week there were more. " * 4
    + "</p>"
)
ARTICLE = (
    "<html><head><title>Nests</title><meta name=citation_title content=Nests><meta name=citation_doi content=10.5555/x>"
    f"</head><body><h1>Nests</h1><h2>Methods</h2>{PARAGRAPH * 8}<h2>Results</h2>{PARAGRAPH * 8}</body></html>"
).encode()


def test_the_article_of_these_tests_is_one():
    """The tests above mean something: the same page, found, is read."""
    events, _ = run(
        service_of("doi").step,
        [need_of("doi")],
        lambda wanted: RESOLVED if wanted.work.step == "resolve" else found(wanted, ARTICLE, "text/html"),
        CONTEXT,
    )

    assert outcomes(events) == {"need-1": "found"}
    assert {event.part for event in events if hasattr(event, "part")} == {"doi", "title", "fulltext"}


NO_RECORDS = (
    b"{}",
    b'{"version": "6.9"}',
    b'{"error": true, "message": "Email address required in API call", "HTTP_status_code": 422}',
    b'{"doi": null, "is_oa": true, "title": "T"}',
    b'{"doi": "", "is_oa": true, "title": "T"}',
    b'{"doi": "10.5555/Y", "is_oa": true, "title": "T"}',
    b'{"results": [{"response": {"doi": "10.5555/x", "is_oa": true, "title": "T"}}]}',
    b'[{"doi": "10.5555/x", "is_oa": true}]',
    b"null",
)


@pytest.mark.parametrize("body", NO_RECORDS)
def test_what_is_no_record_of_the_doi_is_malformed_and_asked_for_once_more(body):
    """Unpaywall answers with a record that names the DOI; nothing else may end the need as found."""
    events, asked = run(
        service_of("unpaywall").step,
        [need_of("unpaywall")],
        lambda wanted: found(wanted, body, "application/json"),
        CONTEXT,
    )
    (done,) = events

    assert done.outcome == "malformed"
    assert not done.success
    assert len(asked) == 2


@pytest.mark.parametrize(
    "doi", ["10.5555/x", "10.5555/X", " 10.5555/x", "https://doi.org/10.5555/x", "10.5555/x.2"]
)
def test_a_record_may_spell_its_doi_as_it_likes(doi):
    """Unpaywall lower-cases DOIs."""
    events, _ = run(
        service_of("unpaywall").step,
        [need_of("unpaywall")],
        lambda wanted: found(wanted, msgspec.json.encode({"doi": doi}), "application/json"),
        CONTEXT,
    )

    assert outcomes(events) == {"need-1": "found"}


FORGED = (
    ARTICLE,
    ARTICLE[:700],
    b"",
    b"{}",
    b"%PDF-1.7",
    b'{"text": "A text.", "pages": 1}',
    b'{"doi": "10.5555/x", "is_oa": true, "title": "T", "oa_locations": [{"url": "https://a.example/"}, {"url": "javascript:x"}]}',
    b"<title>Just a moment...</title>",
    b"\xff\xfe<\x00",
)
ADDRESSES = (
    "",
    PAGE,
    "https://linkinghub.elsevier.com/retrieve/pii/S1",
    "ftp://x.example/a.pdf",
    "http://[",
    "//",
    "#",
)


@pytest.mark.parametrize("resource", ["doi", "links", "pdf", "unpaywall"])
@given(
    draws=st.lists(st.integers(0, 10**6), min_size=8, max_size=40),
    javascript=st.booleans(),
    browser_first=st.booleans(),
)
@settings(max_examples=150, deadline=None, derandomize=True)
def test_whatever_comes_the_need_ends_once_and_the_same(resource, draws, javascript, browser_first):
    """Any replies in any order, from any address: one outcome, few questions, and twice the same events."""
    context = msgspec.structs.replace(
        CONTEXT, rules=EVERYWHERE_JAVASCRIPT if javascript else None, browser_first=browser_first
    )

    def told():
        left = itertools.cycle(draws)

        def one_of(choices):
            return choices[next(left) % len(choices)]

        def reply_to(wanted):
            return Reply(
                outcome=one_of(("found", "found", "found", *get_args(AttemptOutcome))),
                url=wanted.request.url,
                final_url=one_of(ADDRESSES),
                status=one_of((0, 200, 200, 302, 404)),
                content_type=one_of(("text/html", "application/pdf", "")),
                headers=(("location", one_of(ADDRESSES)),),
                body=one_of(FORGED),
                truncated=next(left) % 5 == 0,
                retry_after_ms=one_of((0, 90_000)),
                fetched_at=1,
            )

        return run(service_of(resource).step, [need_of(resource)], reply_to, context, limit=40)

    events, asked = told()

    assert set(outcomes(events)) == {"need-1"}
    assert len({wanted.ask for wanted in asked}) == len(asked)
    assert (events, asked) == told()
