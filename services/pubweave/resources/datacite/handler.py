"""From a DOI to DataCite's record, and from the record to what it says."""

from functools import partial
from typing import Final
from urllib.parse import quote

from pubweave.contract.exchange import Reply, Request, Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.core.identifiers import normalise_doi
from pubweave.core.toolkit.answering import NeedAnswer
from pubweave.core.toolkit.batching import ResourceAsking, broken, failed_query, named
from pubweave.core.toolkit.service import Context, Said
from pubweave.resources.datacite.reading import DataCiteRecord, MalformedDataCiteReply, read

ALONE: Final = "alone"


def step(work: Work, reply: Reply | None, context: Context) -> list[Said]:
    """Ask for each DOI; read the record that came."""
    asking = ResourceAsking("datacite", partial(_request, context=context), give_up=_give_up)
    if reply is None:
        return asking.begin(work, ALONE, ALONE, 1, "DOI")
    if reply.outcome != "found":
        return asking.unanswered(work, reply)
    try:
        found = read(reply.body)
    except MalformedDataCiteReply as problem:
        return asking.unanswered(work, broken(reply, str(problem)))
    need = work.needs[0]
    if normalise_doi(found.doi) != normalise_doi(need.value):
        return asking.unanswered(work, broken(reply, f"a record of {found.doi[:100]!r}"))
    return _say(need, named(reply), found, context)


def _give_up(work: Work, need: NeedsPart, reply: Reply) -> list[Said]:
    """The address is the record's own: 404 does mean that there is none."""
    if reply.outcome in ("absent", "gone"):
        return NeedAnswer(need, reply).done(reply.outcome, reply.evidence)
    return failed_query(need, reply)


def _address(need: NeedsPart, context: Context) -> str:
    doi = quote(need.value, safe="/:;()!$&'*+,=@~")
    return f"{context.addresses.datacite}/dois/{doi}"


def _request(step: str, needs: tuple[NeedsPart, ...], context: Context) -> Request:
    return Request(
        url=_address(needs[0], context),
        expect="json",
        family="datacite",
        timeout_ms=needs[0].settings.timeout_ms,
    )


def _say(need: NeedsPart, reply: Reply, found: DataCiteRecord, context: Context) -> list[Said]:
    answer = NeedAnswer(need, reply)
    url = _address(need, context)
    if "title" in need.missing:
        answer.text("title", "datacite", url, found.title)
    if "keywords" in need.missing:
        answer.keywords("datacite", url, found.keywords)
    if "theAbstract" in need.missing:
        answer.text("theAbstract", "datacite", url, found.abstract)
    if found.journal:
        answer.field("journalTitle", url, text=found.journal)
    if found.issued_ms != -1:
        answer.field("pubDate", url, number=found.issued_ms)
    if found.citations:
        answer.field("citationsCount", url, number=found.citations, marks=("until-better",))
    if found.kind == "Preprint":
        answer.field("preprint", url, flag=True)
    answer.lacks("title", "theAbstract")
    if found.is_bare:
        return answer.done("empty", "a DOI of DataCite's of which nothing was deposited", success=True)
    what = found.kind or "record"
    return answer.done("found", f"{what}, {'with' if found.abstract else 'without'} abstract", success=True)
