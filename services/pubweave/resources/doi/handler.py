"""From a DOI to the publisher's page, and from the page to what it says."""

from typing import Final
from urllib.parse import quote, urljoin

import msgspec

from pubweave.contract.exchange import Reply, Request, Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.vocabulary import AttemptOutcome
from pubweave.core.addresses import is_web_address
from pubweave.core.politeness import host_of
from pubweave.core.toolkit.answering import NeedAnswer, wanted
from pubweave.core.toolkit.batching import Repeats, named, repetition
from pubweave.core.toolkit.page_answers import sought
from pubweave.core.toolkit.page_asking import begin_page, go_on
from pubweave.core.toolkit.service import Context, Said

RESOLVE: Final = "resolve"

MAX_REDIRECT_BYTES: Final = 1024 * 1024
"""doi.org answers with a few lines of HTML beside the `Location`."""

_STATUS_OF_ITS_OWN: Final = frozenset({"absent", "gone", "blocked", "http-error", "malformed"})
"""F-DOI-01: these end the resource without fetchException; what is temporary sets it (A-24)."""

_decoder: Final = msgspec.json.Decoder(Repeats | None)


def step(work: Work, reply: Reply | None, context: Context) -> list[Said]:
    """Resolve; ask for the page; read it."""
    if reply is None:
        return [said for need in work.needs for said in _begin(need, context)]
    if work.step == RESOLVE:
        return _resolved(work, reply, context)
    return go_on(work, reply, sought(work.needs[0], context))


def _begin(need: NeedsPart, context: Context) -> list[Said]:
    if not need.value:
        return NeedAnswer(need).done("skipped", "no DOI to ask with")
    return [_resolve(need, context)]


def _resolve(
    need: NeedsPart, context: Context, repeats: Repeats | None = None, tries: int = 0, delay_ms: int = 0
) -> Said:
    # Most of what may stand in a DOI may stand in a path as it is; `?`, `#`, `%` and blanks may not.
    doi = quote(need.value, safe="/:;()!$&'*+,=@~")
    request = Request(
        url=f"{context.addresses.doi}/{doi}",
        family="doi",
        follow_redirects=False,
        max_bytes=MAX_REDIRECT_BYTES,
        timeout_ms=need.settings.timeout_ms,
    )
    return wanted(
        request,
        "doi",
        (need,),
        step=RESOLVE,
        tries=tries,
        memory=msgspec.json.encode(repeats),
        delay_ms=delay_ms,
    )


def _resolved(work: Work, reply: Reply, context: Context) -> list[Said]:
    need = work.needs[0]
    again = repetition(reply, _decoder.decode(work.memory) or Repeats())
    # A redirect to nowhere is an answer (F-DOI-01).
    if again is not None and reply.outcome != "malformed":
        delay_ms, repeats = again
        return [_resolve(need, context, repeats, work.tries + 1, delay_ms)]
    location = reply.header("location").strip() if 300 <= reply.status < 400 else ""
    if reply.outcome in ("found", "empty") and location:
        return _lead_to(need, reply, location, context)
    if reply.outcome in ("found", "empty"):
        return _leads_nowhere(
            need,
            reply,
            "malformed",
            f"the DOI resolver leads nowhere: status {reply.status} without a location",
        )
    return _leads_nowhere(
        need,
        reply,
        reply.outcome,
        f"resolving the DOI: {reply.evidence or reply.outcome}",
        fetch_exception=reply.fetch_exception and reply.outcome not in _STATUS_OF_ITS_OWN,
    )


def _leads_nowhere(
    need: NeedsPart, reply: Reply, outcome: AttemptOutcome, why: str, *, fetch_exception: bool = False
) -> list[Said]:
    """F-DOI-01: any other answer than a way on is an error, and ends the resource."""
    answer = NeedAnswer(need, named(reply))
    answer.note("error", why)
    return answer.done(outcome, why, fetch_exception=fetch_exception)


def _lead_to(need: NeedsPart, reply: Reply, location: str, context: Context) -> list[Said]:
    try:
        url = urljoin(reply.url, location)
    except ValueError:
        url = location
    if not is_web_address(url):
        return _leads_nowhere(need, reply, "bad-url", f"the DOI leads to {location[:200]!r}")
    host = host_of(url)
    if host in need.visited_hosts:
        return NeedAnswer(need, named(reply)).done(
            "skipped", f"{host} was visited already, and no full text is wanted"
        )
    return begin_page(need, url, sought(need, context))
