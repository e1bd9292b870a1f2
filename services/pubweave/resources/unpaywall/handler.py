"""From a DOI to Unpaywall's record, and from the record to links."""

from functools import partial
from typing import Final
from urllib.parse import quote

import msgspec

from pubweave.contract.exchange import Reply, Request, Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.core.identifiers import is_variant, normalise_doi
from pubweave.core.reading.layout import without_markup
from pubweave.core.toolkit.answering import NeedAnswer
from pubweave.core.toolkit.batching import ResourceAsking, broken, named
from pubweave.core.toolkit.page_answers import say_link
from pubweave.core.toolkit.service import Context, Said

ALONE: Final = "alone"

_STATUS_OF_ITS_OWN: Final = frozenset({"absent", "gone", "blocked", "http-error"})
"""F-UPW-05: an error status such as 404 for an unknown DOI sets no fetchException."""


class Location(msgspec.Struct, frozen=True):
    """A place where the article can be read (data format of api.unpaywall.org/v2)."""

    url: str | None = None
    url_for_pdf: str | None = None
    url_for_landing_page: str | None = None

    def has_address(self) -> bool:
        """Not all of them are empty."""
        return any(address and address.strip() for address in msgspec.structs.astuple(self))


class UnpaywallRecord(msgspec.Struct, frozen=True):
    """What is read of Unpaywall's record of a DOI; what names no DOI is no record."""

    doi: str
    is_oa: bool | None = None
    title: str | None = None
    journal_name: str | None = None
    best_oa_location: Location | None = None
    oa_locations: tuple[Location, ...] | None = None


_DECODER: Final = msgspec.json.Decoder(UnpaywallRecord)


def step(work: Work, reply: Reply | None, context: Context) -> list[Said]:
    """Ask for each DOI; read the record that came."""
    asking = ResourceAsking("unpaywall", partial(_request, context=context), give_up=_give_up)
    if reply is None:
        if not context.unpaywall_email:
            return [
                said
                for need in work.needs
                for said in NeedAnswer(need).done(
                    "skipped", "Unpaywall wants an e-mail address, and none is set"
                )
            ]
        return asking.begin(work, ALONE, ALONE, 1, "DOI")
    if reply.outcome != "found":
        return asking.unanswered(work, reply)
    try:
        found = _DECODER.decode(reply.body)
    except msgspec.MsgspecError as problem:
        return asking.unanswered(work, broken(reply, str(problem)))
    if not is_variant(normalise_doi(work.needs[0].value), normalise_doi(found.doi.strip())):
        return asking.unanswered(work, broken(reply, f"a record of {found.doi[:100]!r}"))
    return _say(work.needs[0], named(reply), found, context)


def _give_up(work: Work, need: NeedsPart, reply: Reply) -> list[Said]:
    """The address is the record's own: 404 does mean that there is none."""
    return NeedAnswer(need, reply).done(
        reply.outcome,
        reply.evidence,
        fetch_exception=reply.fetch_exception and reply.outcome not in _STATUS_OF_ITS_OWN,
    )


def _address(need: NeedsPart, context: Context) -> str:
    """Without the e-mail address: provenance is public."""
    doi = quote(need.value, safe="/:;()!$&'*+,=@~")
    return f"{context.addresses.unpaywall}/{doi}"


def _request(step: str, needs: tuple[NeedsPart, ...], context: Context) -> Request:
    need = needs[0]
    return Request(
        url=f"{_address(need, context)}?email={quote(context.unpaywall_email)}",
        expect="json",
        family="unpaywall",
        timeout_ms=need.settings.timeout_ms,
    )


def _say(need: NeedsPart, reply: Reply, found: UnpaywallRecord, context: Context) -> list[Said]:
    answer = NeedAnswer(need, reply)
    url = _address(need, context)
    if "title" in need.missing and found.title:
        answer.text("title", "oadoi", url, without_markup(found.title))
    if found.is_oa:
        answer.field("oa", url, flag=True)
    if found.journal_name:
        answer.field("journalTitle", url, text=found.journal_name)
    locations = _locations(found)
    for place in locations:
        pdf = (place.url_for_pdf or "").strip()
        for page in dict.fromkeys(((place.url or "").strip(), (place.url_for_landing_page or "").strip())):
            if page and page != pdf:
                say_link(answer, page, "link_oadoi", url)
        if pdf:
            say_link(answer, pdf, "pdf_oadoi", url)
    what = f"{len(locations)} open locations" if locations else "no open location"
    return answer.done("found", what, success=True)


def _locations(found: UnpaywallRecord) -> tuple[Location, ...]:
    """All of them, the best first: Unpaywall sorts them so; the best is repeated beside the list."""
    best = () if found.best_oa_location is None else (found.best_oa_location,)
    return tuple(
        dict.fromkeys(place for place in (*best, *(found.oa_locations or ())) if place.has_address())
    )
