"""What strangers send is judged before it is acted on, and nothing that they send breaks the judge."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract.arbitrary import arbitrary_event
from pubweave import registry
from pubweave.contract.codec import encode, version_of
from pubweave.contract.exchange import Work
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.kinds import KINDS, Event, kind_of
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.resource_done import ResourceDone
from pubweave.contract.values import Identifiers, Link, Place
from pubweave.contract.vocabulary import IDENTIFIER_KINDS, IdentifierKind
from pubweave.core.identifiers import askable
from pubweave.core.judging import Judgement, Refusal, Rewritten, judged
from pubweave.core.merging.chain import CHAIN
from pubweave.core.toolkit.guarding import guarded_step
from pubweave.core.toolkit.service import Context

LANE = "fetch-requested.interactive"
CONTEXT = Context(unpaywall_email="a@b.example")

ODD = st.sampled_from(
    ["", "hello", "20000162 OR ext_id:1", "0", "PMC", "10.1", "10.1/a", "doi:doi:10.1/a", "１２", "9" * 5_000, "1\n", "\x1b[2J"]
)  # fmt: skip
TEXTS = ODD | st.text(max_size=20) | st.from_regex(r"[1-9][0-9]{0,7}|PMC[1-9][0-9]{0,6}|10\.[0-9]{4}/\S{1,8}")
NUMBERS = st.integers() | st.sampled_from([2**31, 2**53, 2**63, 10**30])
ANYTHING = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


def near(line: st.SearchStrategy[Any]) -> st.SearchStrategy[bytes]:
    """JSON that looks like a request."""
    members = st.fixed_dictionaries(
        {"kind": st.just("fetch-requested"), "job": st.sampled_from(["job", "", "a b"]) | ANYTHING, "line": line},
        optional={
            "identifiers": st.fixed_dictionaries({}, optional=dict.fromkeys(IDENTIFIER_KINDS, TEXTS)) | ANYTHING,
            "url": TEXTS,
            "entry": st.sampled_from(["publication", "webpage", "doc", "x"]),
            "deadline_at": NUMBERS,
            "correlation_id": TEXTS,
        },
    )  # fmt: skip
    return members.map(lambda made: json.dumps(made).encode())


BODIES = st.binary(max_size=60) | ANYTHING.map(lambda made: json.dumps(made).encode()) | near(NUMBERS)


def request(identifiers: Identifiers | None = None, **others: Any) -> FetchRequested:
    return FetchRequested(**{"job": "job", "line": 1, "identifiers": identifiers or Identifiers(), **others})


def judge(event: Event, topic: str = LANE, key: str = "") -> Judgement:
    return judged(topic, key, kind_of(event), version_of(event), encode(event))


@settings(deadline=None)
@given(
    BODIES, st.sampled_from([*KINDS, "", "x"]), st.integers(-1, 3), st.text(max_size=12), st.text(max_size=12)
)
def test_anything_is_an_event_or_refused(
    body: bytes, kind: str, version: int, key: str, problem: str
) -> None:
    """Never an exception; what is accepted holds identifiers only, and what is refused says why in readable words."""
    for topic in (LANE, "part-candidates", "webpages", "jobs", "new-ids"):
        found = judged(topic, key, kind, version, body, problem)

        if isinstance(found, Refusal):
            assert found.reason
            assert found.reason.isprintable()
            assert len(found.reason) <= 1_000
            msgspec.json.encode(found.line)
        elif isinstance(found, FetchRequested | Rewritten):
            request = found.event if isinstance(found, Rewritten) else found
            assert all(askable(one, value) for one, value in request.identifiers.known())
            assert judge(request) == request, "what was accepted is accepted again, unchanged"


@settings(deadline=None)
@given(near(st.integers(0, 9)))
def test_what_looks_like_a_request_is_one_or_its_line_is_told(body: bytes) -> None:
    """A line that can be named has its outcome, whatever else is wrong."""
    found = judged(LANE, "", "fetch-requested", 1, body)

    if isinstance(found, Refusal):
        told = json.loads(body)
        assert (found.line is not None) == (told["job"] == "job" or is_name(told["job"]))


def is_name(job: Any) -> bool:
    return isinstance(job, str) and not isinstance(judge(request(Identifiers(pmid="1"), job=job)), Refusal)


@settings(deadline=None)
@given(arbitrary_event())
def test_every_kind_of_event_can_be_judged(event: Event) -> None:
    """Well-formed events of any content, in every topic where strangers may write."""
    for topic in (LANE, "part-candidates", "webpages", "jobs", "new-ids", "submissions-settled"):
        judge(event, topic)


@pytest.mark.parametrize(
    ("given_", "wanted"),
    [
        (Identifiers(doi="https://doi.org/10.1093/nar/gkz369"), Identifiers(doi="10.1093/NAR/GKZ369")),
        (Identifiers(pmid=" 31092905 "), Identifiers(pmid="31092905")),
        (Identifiers(pmcid="pmc6519000"), Identifiers(pmcid="PMC6519000")),
    ],
)
def test_identifiers_are_written_as_the_command_line_writes_them(
    given_: Identifiers, wanted: Identifiers
) -> None:
    """What is meant beyond doubt is no reason to refuse it."""
    found = judge(request(given_))

    assert isinstance(found, Rewritten)
    assert found.event.identifiers == wanted


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (request(Identifiers(pmid="20000162 OR ext_id:20000163")), "is not a PMID"),
        (request(Identifiers(pmid="1", doi="hello")), "'hello' is not a DOI"),
        (request(), "it names no identifier"),
        (request(entry="webpage"), "it names no address"),
        (request(entry="doc", url="file:///etc/passwd"), "is no web address"),
        (request(Identifiers(pmid="1"), lane="bulk"), "fetch-requested.bulk"),
        (request(Identifiers(pmid="1"), submitted_at=-1), "submitted_at -1 is no time"),
        (request(Identifiers(pmid="1"), links=(Link(url="", type="link"),)), "it names no address"),
    ],
)
def test_why_a_request_is_refused(event: FetchRequested, reason: str) -> None:
    """In a sentence, with the line; identifiers that are none are not repeated where a program would read them."""
    found = judge(event)

    assert isinstance(found, Refusal)
    assert reason in found.reason
    assert found.line is not None
    assert (found.line.job, found.line.line) == ("job", 1)
    assert found.line.identifiers.pmid in ("", "1")
    assert not found.line.identifiers.doi


def test_a_key_of_something_else_is_refused() -> None:
    """Whoever owns the partition of that key would decide about what another owns."""
    good = request(Identifiers(pmid="1"))

    assert judge(good, key="job.000000001/x") == good
    assert isinstance(judge(good, key="job.000000002/x"), Refusal)


IDENTIFIERS = st.tuples(st.sampled_from(IDENTIFIER_KINDS), TEXTS)


@settings(deadline=None)
@given(IDENTIFIERS)
def test_no_resource_asks_with_what_is_no_identifier(asked: tuple[IdentifierKind, str]) -> None:
    """Defence in depth: a need that got past the judge all the same ends without a question, and has its outcome."""
    kind, value = asked
    for row in CHAIN:
        if kind not in row.asks:
            continue
        need = NeedsPart(
            publication="p",
            need="p/1",
            place=Place(1, 1, 1, 1, row.rank, 0),
            resource=row.resource,
            identifiers=Identifiers(**{kind: value}),
            ask=kind,
        )
        said = guarded_step(
            registry.service(row.resource), Work(resource=row.resource, needs=(need,)), None, CONTEXT
        )
        questions = [one for one in said if isinstance(one, ReplyWanted)]
        outcomes = [one for one in said if isinstance(one, ResourceDone)]

        assert len(questions) + len(outcomes) == 1
        assert not questions or askable(kind, value)
