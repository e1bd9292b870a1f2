"""From a need to PubMed's page, and from the page to what it says."""

from functools import partial
from typing import Final

from pubweave.contract.exchange import Reply, Request, Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.values import MeshTerm
from pubweave.core.toolkit.answering import NeedAnswer, failed
from pubweave.core.toolkit.batching import ResourceAsking, broken, named
from pubweave.core.toolkit.service import Context, Said
from pubweave.resources.pubmed_html.reading import NoRecordPage, NothingFound, PubmedPage, read_page

ALONE: Final = "alone"


def step(work: Work, reply: Reply | None, context: Context) -> list[Said]:
    """Ask for each need; read the page that came."""
    asking = ResourceAsking("pubmed_html", partial(_request, context=context), give_up=_give_up)
    if reply is None:
        return asking.begin(work, ALONE, ALONE, 1, "PMID")
    if reply.outcome != "found":
        return asking.unanswered(work, reply)
    if reply.truncated:
        return asking.unanswered(work, broken(reply, "the reply breaks off"))
    try:
        page = read_page(reply.body)
    except NothingFound as problem:
        return NeedAnswer(work.needs[0], named(reply)).done("absent", str(problem))
    except NoRecordPage as problem:
        return asking.unanswered(work, broken(reply, str(problem)))
    return _say(work.needs[0], named(reply), page, context)


def _give_up(work: Work, need: NeedsPart, reply: Reply) -> list[Said]:
    """The address is the record's own: 404 does mean that there is none."""
    return failed(need, reply)


def _address(need: NeedsPart, context: Context) -> str:
    return f"{context.addresses.pubmed}/?term={need.value}"


def _request(step: str, needs: tuple[NeedsPart, ...], context: Context) -> Request:
    need = needs[0]
    return Request(
        url=_address(need, context), expect="html", family="ncbi_pages", timeout_ms=need.settings.timeout_ms
    )


def _say(need: NeedsPart, reply: Reply, page: PubmedPage, context: Context) -> list[Said]:
    answer = NeedAnswer(need, reply)
    url = _address(need, context)
    answer.identifier("pmid", "pubmed_html", url, page.pmid, level="warning")
    answer.identifier("pmcid", "pubmed_html", url, page.pmcid, level="warning")
    answer.identifier("doi", "pubmed_html", url, page.doi, level="warning", whole=True)
    missing = need.missing
    if "title" in missing:
        answer.text("title", "pubmed_html", url, page.title)
    if "keywords" in missing:
        answer.keywords("pubmed_html", url, page.keywords)
    if "mesh" in missing:
        terms = tuple(MeshTerm(term, majorTopic=major) for term, major in page.mesh)
        answer.mesh("pubmed_html", url, terms)
    if "theAbstract" in missing:
        answer.text("theAbstract", "pubmed_html", url, page.abstract)
    answer.lacks("title", "theAbstract")
    return answer.done("found", f"the page of PMID {page.pmid or need.value}", success=True)
