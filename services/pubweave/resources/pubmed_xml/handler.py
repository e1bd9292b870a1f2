"""From needs to efetch questions, and from PubMed records to what they say."""

from functools import partial
from typing import Final

from pubweave.contract.exchange import Reply, Request, Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.values import MeshTerm, Notice
from pubweave.core.toolkit import efetch
from pubweave.core.toolkit.answering import NeedAnswer
from pubweave.core.toolkit.batching import ResourceAsking, broken, named
from pubweave.core.toolkit.service import Context, Said
from pubweave.resources.pubmed_xml.declaration import DECLARATION
from pubweave.resources.pubmed_xml.reading import MalformedPubmedReply, PubmedRecord, read

ALONE: Final = "alone"
BATCH: Final = "batch"

NOTICES: Final = {
    "RetractionIn": "retracted",
    "RetractionOf": "retraction-notice",
    "ErratumIn": "corrected",
    "ErratumFor": "correction-notice",
    "ExpressionOfConcernIn": "concern",
}
"""`RefType`s of `CommentsCorrections` that change the status of a publication."""

TYPES_OF_NOTICES: Final = {
    "Retracted Publication": "retracted",
    "Retraction of Publication": "retraction-notice",
    "Published Erratum": "correction-notice",
}
"""Publication types that say the same without naming the other record."""


def step(work: Work, reply: Reply | None, context: Context) -> list[Said]:
    """Ask; read what came; ask again for what is lacking (design law 5)."""
    asking = ResourceAsking("pubmed_xml", partial(_request, context=context), batches={BATCH: ALONE})
    if reply is None:
        return asking.begin(work, ALONE, BATCH, 1 if context.no_batch else DECLARATION.batching.most, "PMID")
    if reply.outcome != "found":
        return asking.unanswered(work, reply)
    try:
        records, cut = read(reply.body)
    except MalformedPubmedReply as problem:
        return asking.unanswered(work, broken(reply, str(problem)))
    by_pmid = {record.pmid: record for record in reversed(records)}
    seen = named(reply)
    said: list[Said] = []
    lost: list[NeedsPart] = []
    for need in work.needs:
        record = by_pmid.get(need.value)
        if record is None:
            lost.append(need)
        else:
            said += _say(need, seen, record, context)
    if not lost:
        return said
    if work.step == BATCH:
        return said + asking.left_out(work, lost, progress=bool(said), cut=cut)
    if cut:
        return asking.unanswered(work, broken(reply, "the reply breaks off"))
    return NeedAnswer(lost[0], seen).done("absent", f"{len(records)} records, none with this PMID")


def _request(step: str, needs: tuple[NeedsPart, ...], context: Context) -> Request:
    timeout_ms = max(need.settings.timeout_ms for need in needs)
    if step == ALONE:
        return efetch.single("pubmed", needs[0].value, context, timeout_ms)
    return efetch.many("pubmed", [need.value for need in needs], context, timeout_ms)


def _say(need: NeedsPart, reply: Reply, record: PubmedRecord, context: Context) -> list[Said]:
    """Everything one record says: identifiers, what is missing, fields."""
    answer = NeedAnswer(need, reply)
    url = efetch.address("pubmed", need.value, context)
    pubmed, pmc, doi = record.article_ids
    if pmc.isdigit():
        pmc = f"PMC{pmc}"
    answer.identifier("pmid", "pubmed_xml", url, pubmed or record.pmid)
    answer.identifier("pmcid", "pubmed_xml", url, pmc)
    answer.identifier("doi", "pubmed_xml", url, doi, whole=True)
    missing = need.missing
    if "title" in missing:
        answer.text("title", "pubmed_xml", url, record.title)
    if "keywords" in missing:
        answer.keywords("pubmed_xml", url, record.keywords)
    if "mesh" in missing:
        answer.mesh("pubmed_xml", url, tuple(MeshTerm(term, major, ui) for term, major, ui in record.mesh))
    if "theAbstract" in missing:
        answer.text("theAbstract", "pubmed_xml", url, record.abstract)
    if record.journal_title:
        answer.field("journalTitle", url, text=record.journal_title)
    if record.published_ms != -1:
        answer.field("pubDate", url, number=record.published_ms)
    if "Preprint" in record.publication_types:
        answer.field("preprint", url, flag=True)
    if record.authors and context.affiliation_emails:
        answer.field("correspAuthor", url, authors=record.authors, marks=("until-better",))
    _say_notices(answer, url, record)
    answer.lacks("title", "theAbstract")
    return answer.done("found", f"PMID {record.pmid}", success=True)


def _say_notices(answer: NeedAnswer, url: str, record: PubmedRecord) -> None:
    noticed: set[str] = set()
    for correction in record.corrections:
        kind = NOTICES.get(correction.type, "")
        if kind:
            noticed.add(kind)
            answer.field("notice", url, notice=Notice(kind, "MED", correction.pmid, correction.reference))
    for type_ in record.publication_types:
        kind = TYPES_OF_NOTICES.get(type_, "")
        if kind and kind not in noticed:
            noticed.add(kind)
            answer.field("notice", url, notice=Notice(kind, "MED"))
