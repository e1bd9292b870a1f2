"""Against the simulated sources, asked directly: large batches, real shapes, identifiers lost and answers cut."""

import zlib
from collections import Counter
from urllib.parse import parse_qs, urlencode, urlsplit

import msgspec
import pytest

from pubweave.contract.exchange import Reply
from pubweave.core.toolkit.service import Context
from services.resources.builders import arbitrary_need, outcomes, run, told
from services.resources.situations import service_of
from simnet.hosts import ebi, ncbi
from simnet.messages import FAIR, Request, Weather
from simnet.universe import Universe

UNIVERSE = Universe(seed=7, size=400)
ROUTES = {**ebi.HOSTS, **ncbi.HOSTS}


def bad_weather(ids):
    """A sixth of the identifiers is lost in the first form of a long query; a third of the batches is cut."""
    return Weather(
        loses=lambda form, value: "SRC" not in form and zlib.crc32(f"{form}{value}".encode()) % 6 == 0,
        cut_after=2 if zlib.crc32("".join(ids).encode()) % 3 == 0 and len(ids) > 1 else None,
    )


def source(weather_of=lambda ids: FAIR, asked=None):
    def reply_to(wanted):
        request = wanted.request
        split = urlsplit(request.url)
        target = split.path + (f"?{split.query}" if split.query else "")
        headers = {"content-type": "application/x-www-form-urlencoded"} if request.form else {}
        body = urlencode(request.form).encode()
        ask = ROUTES[split.hostname](
            UNIVERSE, Request(request.method, split.scheme, split.hostname, target, headers, body)
        )
        reply = ask.answer(weather_of(ask.ids))
        if asked is not None:
            asked[wanted.work.step] += 1
        outcome = {200: "found", 404: "absent"}.get(reply.status, "http-error")
        return Reply(
            outcome=outcome,
            url=request.url,
            status=reply.status,
            content_type=reply.content_type,
            body=reply.body if outcome == "found" else b"",
            fetched_at=1,
        )

    return reply_to


def needs_for(resource, asks, part=lambda number: ("title", "theAbstract", "keywords", "mesh", "fulltext")):
    needs = []
    for publication in UNIVERSE:
        known = {
            "pmid": publication.ids.pmid,
            "pmcid": publication.ids.pmcid,
            "doi": publication.ids.doi.upper(),
        }
        ask = asks[publication.index % len(asks)]
        if known[ask]:
            number = len(needs)
            needs.append(arbitrary_need(resource, ask, number=number, missing=part(number), **known))
    return needs


CASES = {
    "europepmc": (("pmid", "pmcid", "doi"), 200),
    "europepmc_mined": (("pmcid", "pmid"), 200),
    "pubmed_xml": (("pmid",), 200),
    "pmc": (("pmcid",), 60),
}


@pytest.mark.parametrize("resource", CASES)
def test_batches_say_what_single_questions_say_whatever_the_weather(resource):
    """Findings and outcomes of a hundred and more publications, need by need."""
    asks, count = CASES[resource]
    part = (lambda number: (("efo",), ("go",))[number % 2]) if resource == "europepmc_mined" else None
    needs = (needs_for(resource, asks, part) if part else needs_for(resource, asks))[:count]
    step = service_of(resource).step
    one_by_one, single = run(step, needs, source(), Context(no_batch=True))
    asked = Counter()
    together, many = run(step, needs, source(bad_weather, asked))

    assert told(together) == told(one_by_one)
    assert len(outcomes(together)) == len(needs)
    assert len(many) < len(single) / 2, asked
    assert {"found"} < set(outcomes(together).values())


def mined_needs(count=120):
    """Needs for both kinds of terms of the same articles, as the chain asks them side by side."""
    return [
        msgspec.structs.replace(need, missing=(part,), need=f"{need.need}-{part}")
        for need in needs_for("europepmc_mined", ("pmcid", "pmid"))[:count]
        for part in ("efo", "go")
    ]


def test_mined_terms_are_asked_for_by_their_types_and_only_by_them():
    """Eight articles and both types in a call; the answers hold a fraction of what one without types does."""
    needs = mined_needs()
    sizes = Counter()

    def reply_to(wanted):
        url = wanted.request.url
        untyped = url.replace(f"&type={parse_qs(urlsplit(url).query)['type'][0].replace(' ', '%20')}", "")
        assert untyped != url
        for name, address in (("typed", url), ("untyped", untyped)):
            request = msgspec.structs.replace(wanted.request, url=address)
            reply = source()(msgspec.structs.replace(wanted, request=request))
            assert reply.outcome == "found"
            sizes[name] += len(reply.body)
        return source()(wanted)

    events, asked = run(service_of("europepmc_mined").step, needs, reply_to)
    batches = [
        parse_qs(urlsplit(wanted.request.url).query) for wanted in asked if wanted.work.step == "batch"
    ]

    assert len(outcomes(events)) == len(needs)
    assert {tuple(batch["type"]) for batch in batches} == {("Experimental Methods,Gene Ontology",)}
    assert max(len(batch["articleIds"][0].split(",")) for batch in batches) == 8
    assert len(asked) < len(needs) / 2 / 8 + 3
    assert sizes["untyped"] > 5 * sizes["typed"], sizes


def test_where_a_list_of_types_is_refused_they_are_asked_for_one_by_one():
    """Two questions of the same eight articles instead of one, and the same terms."""
    needs = mined_needs()
    asked_with = []

    def refuses_lists(wanted):
        asked_with.append(parse_qs(urlsplit(wanted.request.url).query)["type"][0])
        if "," in asked_with[-1]:
            return Reply(outcome="http-error", url=wanted.request.url, status=400, fetched_at=1)
        return source()(wanted)

    step = service_of("europepmc_mined").step
    expected, asked = run(step, needs, source())
    events, all_asked = run(step, needs, refuses_lists)
    batches = [wanted for wanted in asked if wanted.work.step == "batch"]

    assert told(events) == told(expected)
    assert len(all_asked) == len(asked) + 2 * len(batches)
    assert set(asked_with) == {"Experimental Methods,Gene Ontology", "Experimental Methods", "Gene Ontology"}


def test_pages_and_full_texts_are_read():
    """Every full text and every page that the simulated sources have is found, the others are absent."""
    for resource, ask, known in (
        ("europepmc_fulltext", "pmcid", lambda publication: publication.europepmc_fulltext is not None),
        ("pubmed_html", "pmid", lambda publication: publication.pubmed is not None),
    ):
        needs = needs_for(resource, (ask,))[:60]
        by_value = {
            publication.ids.pmcid if ask == "pmcid" else publication.ids.pmid: publication
            for publication in UNIVERSE
        }
        events, _ = run(service_of(resource).step, needs, source())
        ends = outcomes(events)
        for need in needs:
            expected = {"found", "abstract-only"} if known(by_value[need.value]) else {"absent"}

            assert ends[need.need] in expected, need.value
