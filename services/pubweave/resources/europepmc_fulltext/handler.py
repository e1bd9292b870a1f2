"""From a need to `fullTextXML`, and from the article to what it says."""

from functools import partial
from typing import Final

from pubweave.contract.exchange import Reply, Request, Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.core.reading.jats.plain import MalformedJats, articles, parse_xml, read_plain
from pubweave.core.toolkit.answering import failed
from pubweave.core.toolkit.batching import ResourceAsking, broken, named
from pubweave.core.toolkit.jats_answers import say_article
from pubweave.core.toolkit.service import Context, Said

ALONE: Final = "alone"


def step(work: Work, reply: Reply | None, context: Context) -> list[Said]:
    """Ask for each need; read the article that came."""
    asking = ResourceAsking("europepmc_fulltext", partial(_request, context=context), give_up=_give_up)
    if reply is None:
        return asking.begin(work, ALONE, ALONE, 1, "PMCID")
    if reply.outcome != "found":
        return asking.unanswered(work, reply)
    if reply.truncated:
        return asking.unanswered(work, broken(reply, "the reply breaks off"))
    try:
        found = articles(parse_xml(reply.body))
    except MalformedJats as problem:
        return asking.unanswered(work, broken(reply, str(problem)))
    if not found:
        return asking.unanswered(work, broken(reply, "no article in the reply"))
    need = work.needs[0]
    read = [(read_plain(element), element) for element in found]
    article, element = next((one for one in read if one[0].pmcid == need.value), read[0])
    return say_article(
        need, named(reply), article, "europepmc_xml", _address(need, context), element, context
    )


def _give_up(work: Work, need: NeedsPart, reply: Reply) -> list[Said]:
    """The address is the record's own: 404 does mean that there is none."""
    # F-EFT-03: what is no article is an error.
    return failed(need, reply, level="error" if reply.outcome == "malformed" else "warning")


def _address(need: NeedsPart, context: Context) -> str:
    return f"{context.addresses.europepmc}/{need.value}/fullTextXML"


def _request(step: str, needs: tuple[NeedsPart, ...], context: Context) -> Request:
    need = needs[0]
    return Request(
        url=_address(need, context), expect="xml", family="europepmc", timeout_ms=need.settings.timeout_ms
    )
