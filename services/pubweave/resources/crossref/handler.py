"""From DOIs to Crossref's works, and from works to what they say."""

from functools import partial
from typing import Final
from urllib.parse import quote

from pubweave.contract.exchange import Reply, Request, Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.values import Notice, Relation
from pubweave.core.identifiers import normalise_doi
from pubweave.core.toolkit.answering import NeedAnswer
from pubweave.core.toolkit.batching import ResourceAsking, broken, failed_query, named
from pubweave.core.toolkit.service import Context, Said
from pubweave.resources.crossref.declaration import DECLARATION
from pubweave.resources.crossref.reading import Deposited, MalformedReply, read_list, read_one

ALONE: Final = "alone"
BATCH: Final = "batch"

RELATIONS: Final = {"is-preprint-of": "preprint-of", "has-preprint": "has-preprint"}

NOTICES_OF: Final = {
    "retraction": "retracted",
    "partial_retraction": "retracted",
    "removal": "withdrawn",
    "withdrawal": "withdrawn",
    "correction": "corrected",
    "corrigendum": "corrected",
    "erratum": "corrected",
    "expression_of_concern": "concern",
}
"""What `updated-by` of a work makes of it."""

NOTICES_THAT_ARE: Final = {
    "retraction": "retraction-notice",
    "partial_retraction": "retraction-notice",
    "withdrawal": "retraction-notice",
    "correction": "correction-notice",
    "corrigendum": "correction-notice",
    "erratum": "correction-notice",
}
"""What `update-to` of a work makes of it."""


def step(work: Work, reply: Reply | None, context: Context) -> list[Said]:
    """Ask; read what came; ask again for what is lacking (design law 5)."""
    asking = ResourceAsking(
        "crossref", partial(_request, context=context), batches={BATCH: ALONE}, give_up=_give_up
    )
    if reply is None:
        return _begin(work, context, asking)
    if reply.outcome != "found":
        return asking.unanswered(work, reply)
    try:
        found = [read_one(reply.body)] if work.step == ALONE else read_list(reply.body)
    except MalformedReply as problem:
        return asking.unanswered(work, broken(reply, str(problem)))
    by_doi = {normalise_doi(one.doi): one for one in reversed(found)}
    seen = named(reply)
    said: list[Said] = []
    lost: list[NeedsPart] = []
    for need in work.needs:
        one = by_doi.get(normalise_doi(need.value))
        if one is None:
            lost.append(need)
        else:
            said += _say(need, seen, one, context)
    if not lost:
        return said
    if work.step == BATCH:
        return said + asking.left_out(work, lost, progress=bool(said))
    return asking.unanswered(work, broken(reply, f"a work of {found[0].doi[:100]!r}"))


def _begin(work: Work, context: Context, asking: ResourceAsking) -> list[Said]:
    """In lists, but those whose DOI a list would take apart."""
    together = [need for need in work.needs if "," not in need.value]
    at_most = 1 if context.no_batch else DECLARATION.batching.most
    said = asking.begin(Work(work.resource, tuple(together)), ALONE, BATCH, at_most, "DOI")
    return said + asking.each(ALONE, [need for need in work.needs if "," in need.value])


def _give_up(work: Work, need: NeedsPart, reply: Reply) -> list[Said]:
    """The address of one work is its own: 404 does mean that Crossref has none."""
    if work.step == ALONE and reply.outcome in ("absent", "gone"):
        return NeedAnswer(need, reply).done(reply.outcome, reply.evidence)
    return failed_query(need, reply)


def _address(need: NeedsPart, context: Context) -> str:
    doi = quote(need.value, safe="/:;()!$&'*+,=@~")
    return f"{context.addresses.crossref}/works/{doi}"


def _request(step: str, needs: tuple[NeedsPart, ...], context: Context) -> Request:
    url = _address(needs[0], context)
    if step == BATCH:
        dois = ",".join(f"doi:{quote(need.value, safe='/:;()')}" for need in needs)
        url = f"{context.addresses.crossref}/works?rows={len(needs)}&filter={dois}"
    return Request(
        url=url,
        expect="json",
        family="crossref",
        timeout_ms=max(need.settings.timeout_ms for need in needs),
    )


def _say(need: NeedsPart, reply: Reply, found: Deposited, context: Context) -> list[Said]:
    answer = NeedAnswer(need, reply)
    url = _address(need, context)
    if "title" in need.missing:
        answer.text("title", "crossref", url, found.plain_title)
    if "theAbstract" in need.missing:
        answer.text("theAbstract", "crossref", url, found.plain_abstract)
    if found.journal:
        answer.field("journalTitle", url, text=found.journal)
    if found.published_ms != -1:
        answer.field("pubDate", url, number=found.published_ms)
    if found.is_referenced_by_count >= 0:
        # Counted otherwise than Europe PMC does, whose count stays where there is one.
        answer.field("citationsCount", url, number=found.is_referenced_by_count, marks=("until-better",))
    _say_ties(answer, url, found)
    answer.lacks("title", "theAbstract")
    if found.is_bare:
        return answer.done("empty", "a DOI of Crossref's of which nothing was deposited", success=True)
    what = found.type or "work"
    return answer.done("found", f"{what}, {'with' if found.abstract else 'without'} abstract", success=True)


def _say_ties(answer: NeedAnswer, url: str, found: Deposited) -> None:
    if found.type == "posted-content" and found.subtype == "preprint":
        answer.field("preprint", url, flag=True)
    for name, ties in (found.relation or {}).items():
        for tie in ties if name in RELATIONS else ():
            if tie.id_type == "doi" and tie.id:
                doi = normalise_doi(tie.id)
                answer.field("relation", url, relation=Relation(RELATIONS[name], "Crossref", doi, doi))
    for updates, kinds in ((found.updated_by, NOTICES_OF), (found.update_to, NOTICES_THAT_ARE)):
        for update in updates or ():
            if update.type in kinds:
                answer.field("notice", url, notice=Notice(kinds[update.type], "Crossref", update.doi))
