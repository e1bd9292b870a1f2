"""From needs to efetch questions, and from a set of articles to what they say."""

from functools import partial
from typing import TYPE_CHECKING, Final

from pubweave.contract.exchange import Reply, Request, Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.core.identifiers import pmcid_digits
from pubweave.core.reading.jats.plain import (
    MalformedJats,
    PlainArticle,
    articles,
    complete_articles,
    parse_xml,
    read_plain,
)
from pubweave.core.toolkit import efetch
from pubweave.core.toolkit.answering import NeedAnswer
from pubweave.core.toolkit.batching import ResourceAsking, broken, failed_query, named
from pubweave.core.toolkit.jats_answers import say_article
from pubweave.core.toolkit.service import Context, Said
from pubweave.resources.pmc.declaration import DECLARATION

if TYPE_CHECKING:
    from lxml import etree

ALONE: Final = "alone"
BATCH: Final = "batch"


def step(work: Work, reply: Reply | None, context: Context) -> list[Said]:
    """Ask; read what came; ask again for what is lacking (design law 5)."""
    asking = ResourceAsking(
        "pmc", partial(_request, context=context), batches={BATCH: ALONE}, give_up=_give_up
    )
    if reply is None:
        return asking.begin(work, ALONE, BATCH, 1 if context.no_batch else DECLARATION.batching.most, "PMCID")
    if reply.outcome != "found":
        return asking.unanswered(work, reply)
    try:
        found, refused, cut = _read(reply.body)
    except MalformedJats as problem:
        return asking.unanswered(work, broken(reply, str(problem)))
    seen = named(reply)
    by_pmcid = {article.pmcid: (article, element) for article, element in reversed(found)}
    if work.step == ALONE and len(found) == 1 and not cut:
        # The only article of a whole answer is the answer, whatever it calls itself.
        by_pmcid.setdefault(work.needs[0].value, found[0])
    said: list[Said] = []
    lost: list[NeedsPart] = []
    for need in work.needs:
        here = by_pmcid.get(need.value)
        if here is not None:
            article, element = here
            said += say_article(need, seen, article, "pmc_xml", _address(need, context), element, context)
        elif need.value in refused:
            said += NeedAnswer(need, seen).done("absent", refused[need.value])
        else:
            lost.append(need)
    if not lost:
        return said
    if work.step == BATCH:
        return said + asking.left_out(work, lost, progress=bool(said), cut=cut)
    if cut:
        return asking.unanswered(work, broken(reply, "the reply breaks off"))
    return NeedAnswer(lost[0], seen).done("absent", f"{len(found)} articles, none with this PMCID")


def _give_up(work: Work, need: NeedsPart, reply: Reply) -> list[Said]:
    # F-EFT-03: what is no article is an error.
    return failed_query(need, reply, level="error" if reply.outcome == "malformed" else "warning")


def _read(body: bytes) -> tuple[list[tuple[PlainArticle, "etree._Element"]], dict[str, str], bool]:
    """(articles with their elements, what the reply says of PMCIDs that it does not have, whether it breaks off)."""
    try:
        root = parse_xml(body)
    except MalformedJats:
        whole, cut = complete_articles(body)
        return [(read_plain(article), article) for article in whole], {}, cut
    found = articles(root)
    if not found and root.tag != "pmc-articleset":
        raise MalformedJats(f"<{root.tag}> where a set of articles was expected")
    if not found and (error := root.find("error")) is not None:
        raise MalformedJats(f"an error instead of articles: {' '.join((error.text or '').split())[:200]}")
    return [(read_plain(article), article) for article in found], _refused(root), False


def _refused(root: "etree._Element") -> dict[str, str]:
    """`<Reply Id="…" error="…"/>`: PMCIDs that PMC says it does not have."""
    refused = {}
    for entry in root.iterfind("Reply"):
        id_, error = entry.get("Id") or entry.get("id") or "", entry.get("error") or ""
        if id_ and error:
            refused["PMC" + id_.upper().removeprefix("PMC")] = error
    return refused


def _address(need: NeedsPart, context: Context) -> str:
    return efetch.address("pmc", pmcid_digits(need.value), context)


def _request(step: str, needs: tuple[NeedsPart, ...], context: Context) -> Request:
    timeout_ms = max(need.settings.timeout_ms for need in needs)
    if step == ALONE:
        return efetch.single("pmc", pmcid_digits(needs[0].value), context, timeout_ms)
    return efetch.many("pmc", [pmcid_digits(need.value) for need in needs], context, timeout_ms)
