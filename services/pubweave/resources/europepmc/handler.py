"""From needs to questions, and from search replies to what they say."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final, NamedTuple

from pubweave.contract.exchange import Reply, Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.values import Identifiers, MeshTerm, Note, Notice, Relation
from pubweave.contract.vocabulary import GateName
from pubweave.core.identifiers import identifier_in_text, is_f1000_doi, normalise_doi
from pubweave.core.reading.dates import iso_date_ms
from pubweave.core.toolkit.answering import NeedAnswer
from pubweave.core.toolkit.batching import ResourceAsking, broken, named
from pubweave.core.toolkit.service import Context, Said
from pubweave.resources.europepmc.declaration import DECLARATION
from pubweave.resources.europepmc.query import (
    ALONE,
    BATCH,
    LAST,
    OTHER_FORM,
    QUOTED,
    SINGLE,
    address,
    needs_quotes,
    request_for,
)
from pubweave.resources.europepmc.reading import (
    MalformedSearchReply,
    SearchAnswer,
    SearchRecord,
    read_json,
    read_xml,
)

PREFERRED_SOURCES: Final = ("MED", "PMC", "PPR")
"""F-EPMC-06: best first; any other source after them."""

GATES: Final[tuple[GateName, ...]] = ("isOpenAccess", "hasTextMinedTerms", "inEPMC", "hasPDF")

NOTICES: Final = {
    "retraction in": "retracted",
    "retraction of": "retraction-notice",
    "erratum in": "corrected",
    "erratum for": "correction-notice",
    "expression of concern in": "concern",
}
"""Types of `commentCorrection` that change the status of a publication."""

RELATIONS: Final = {"preprint of": "preprint-of", "preprint in": "has-preprint"}

TYPES_OF_NOTICES: Final = {
    "retracted publication": "retracted",
    "retraction of publication": "retraction-notice",
    "published erratum": "correction-notice",
}
"""Publication types that say the same without naming the other record."""


def step(work: Work, reply: Reply | None, context: Context) -> list[Said]:
    """Ask; read what came; ask again for what is lacking (design law 5)."""
    asking = ResourceAsking(
        "europepmc",
        partial(request_for, context=context),
        batches={BATCH: ALONE, OTHER_FORM: ALONE},
    )
    if reply is None:
        return asking.begin(
            work, ALONE, BATCH, 1 if context.no_batch else DECLARATION.batching.most, "PMID, PMCID or DOI"
        )
    if reply.outcome == "http-error" and work.step in (ALONE, LAST) and needs_quotes(work.needs[0]):
        # The specification's form, without quotes, was not understood.
        return [asking.ask(QUOTED, work.needs)]
    if reply.outcome != "found":
        return asking.unanswered(work, reply)
    alone = work.step in SINGLE
    try:
        answer = read_xml(reply.body) if alone else read_json(reply.body)
    except MalformedSearchReply as problem:
        return asking.unanswered(work, broken(reply, str(problem)))
    return (
        _alone(work, reply, answer, context, asking)
        if alone
        else _batch(work, reply, answer, context, asking)
    )


def _alone(
    work: Work, reply: Reply, answer: SearchAnswer, context: Context, asking: ResourceAsking
) -> list[Said]:
    need = work.needs[0]
    if not answer.records and answer.hit_count > 0:
        # What was found is not shown: that is no word about there being nothing.
        return asking.unanswered(work, broken(reply, f"{answer.hit_count} hits were counted, none came"))
    chosen = _choose(answer.records, need.identifiers)
    record = chosen.record
    if record is None:
        if work.step == ALONE and not answer.records and needs_quotes(need):
            return [asking.ask(QUOTED, work.needs)]
        nothing = NeedAnswer(need, named(reply))
        for note in chosen.notes:
            nothing.note(note.level, note.text)
        if not answer.records:  # F-EPMC-04: with a DOI everything has been tried
            nothing.note(
                "warning" if need.ask == "doi" else "error", f"no result for {need.ask} {need.value}"
            )
        return nothing.done("absent", chosen.evidence)
    if 0 <= answer.hit_count != len(answer.records):  # F-EPMC-05
        counted = f"{answer.hit_count} hits were counted, {len(answer.records)} came"
        chosen = chosen._replace(
            evidence=f"{chosen.evidence}; {counted}", notes=(*chosen.notes, Note("warning", counted))
        )
    return _say(need, named(reply), record, chosen, context)


def _batch(
    work: Work, reply: Reply, answer: SearchAnswer, context: Context, asking: ResourceAsking
) -> list[Said]:
    """Match the results back to the needs; what is not there, or not clear, is asked in smaller questions."""
    index = _index(answer.records)
    seen = named(reply)
    said: list[Said] = []
    lost: list[NeedsPart] = []
    unclear: list[NeedsPart] = []
    for need in work.needs:
        records = index.get((need.ask or "", need.value), ())
        if not records:
            lost.append(need)
            continue
        chosen = _choose(records, need.identifiers)
        record = chosen.record
        if record is None or (need.ask != "pmid" and _contradicts(record, need.identifiers)):
            # A single result is taken as it is (F-EPMC-07). There is one record of a PMID; of other identifiers
            # the long query may have lost the right one, so the single question decides.
            unclear.append(need)
            continue
        said += _say(need, seen, record, chosen, context)
    if work.step == BATCH:
        # No more than half of the batch: that is a part already.
        few = 1 < len(lost) <= len(work.needs) // 2
        said += [asking.ask(OTHER_FORM, tuple(lost))] if few else asking.in_parts(OTHER_FORM, lost)
    else:
        said += asking.each(LAST, lost)
    return said + asking.each(LAST, unclear)


def _index(records: Iterable[SearchRecord]) -> dict[tuple[str, str], list[SearchRecord]]:
    """Results by (kind, identifier), as the single question for that identifier would find them."""
    index: dict[tuple[str, str], list[SearchRecord]] = {}
    for record in records:
        if record.source == "MED":
            index.setdefault(("pmid", record.id or record.pmid), []).append(record)
        if record.pmcid:
            index.setdefault(("pmcid", record.pmcid), []).append(record)
        if record.doi:
            index.setdefault(("doi", normalise_doi(record.doi)), []).append(record)
    return index


def _contradicts(record: SearchRecord, known: Identifiers) -> bool:
    """F-EPMC-06: another PMID, PMCID or DOI than the known one; F1000Research DOIs are versions of each other."""
    if (record.pmid and known.pmid and record.pmid != known.pmid) or (
        record.pmcid and known.pmcid and record.pmcid != known.pmcid
    ):
        return True
    if not record.doi or not known.doi:
        return False
    doi = normalise_doi(record.doi)
    return doi != known.doi and not (is_f1000_doi(doi) and is_f1000_doi(known.doi))


class _Chosen(NamedTuple):
    """The result to take, and why."""

    record: SearchRecord | None
    evidence: str
    notes: tuple[Note, ...] = ()


def _choose(records: Sequence[SearchRecord], known: Identifiers) -> _Chosen:
    """The result to take, and why (F-EPMC-04, 06, 07)."""
    if not records:
        return _Chosen(None, "no result")
    if len(records) == 1:
        return _Chosen(records[0], f"{records[0].source}:{records[0].id}")
    fitting: list[SearchRecord] = []
    notes: list[Note] = []
    for record in records:
        if _contradicts(record, known):
            notes.append(Note("error", f"{_ids_of(record)} contradicts what is known, so it is not taken"))
            continue
        fitting.append(record)
        if record.doi and known.doi and normalise_doi(record.doi) != known.doi:
            notes.append(Note("warning", f"{_ids_of(record)} has another version's DOI than {known.doi}"))
    if not fitting:
        evidence = f"{len(records)} results, all of them contradict the known identifiers"
        return _Chosen(None, evidence, tuple(notes))
    ranks = {source: rank for rank, source in enumerate(PREFERRED_SOURCES)}
    best = min(fitting, key=lambda record: ranks.get(record.source, len(ranks)))
    evidence = f"{best.source}:{best.id}, the best of {len(fitting)} fitting among {len(records)} results"
    return _Chosen(best, evidence, tuple(notes))


def _ids_of(record: SearchRecord) -> str:
    ids = (f"{record.source}:{record.id}", record.pmid, record.pmcid, normalise_doi(record.doi))
    return " ".join(dict.fromkeys(filter(None, ids)))[:200]


def _say(
    need: NeedsPart, reply: Reply, record: SearchRecord, chosen: _Chosen, context: Context
) -> list[Said]:
    """Everything one record says: identifiers, what is missing, fields, gates."""
    answer = NeedAnswer(need, reply)
    evidence = chosen.evidence
    for note in chosen.notes:
        answer.note(note.level, note.text)
    url = address(need, context)
    count = record.cited_by_count
    citations = int(count) if count.isascii() and count.isdigit() else -1
    if need.settings.citations_only:
        if citations < 0:
            return answer.done("empty", f"{evidence}: no citation count")
        answer.field("citationsCount", url, number=citations)
        return answer.done("found", evidence, success=True)
    answer.identifier("pmid", "europepmc", url, record.pmid)
    answer.identifier("pmcid", "europepmc", url, record.pmcid)
    answer.identifier("doi", "europepmc", url, record.doi, whole=True)
    missing = need.missing
    if "title" in missing:
        answer.text("title", "europepmc", url, record.title)
    if "keywords" in missing:
        answer.keywords("europepmc", url, record.keywords)
    if "mesh" in missing:
        answer.mesh("europepmc", url, tuple(MeshTerm(term, majorTopic=major) for term, major in record.mesh))
    if "theAbstract" in missing:
        answer.text("theAbstract", "europepmc", url, record.abstract)
    _say_fields(answer, url, record, citations)
    if record.authors and context.affiliation_emails:
        answer.field("correspAuthor", url, authors=record.authors, marks=("until-better",))
    for gate, flag in zip(GATES, record.flags, strict=True):
        if flag in ("Y", "N"):
            answer.gate(gate, flag == "Y")
    answer.lacks("title", "theAbstract")
    return answer.done("found", evidence, success=True)


def _say_fields(answer: NeedAnswer, url: str, record: SearchRecord, citations: int) -> None:
    if record.flags[0] == "Y":
        answer.field("oa", url, flag=True)
    if record.journal_title:
        answer.field("journalTitle", url, text=record.journal_title)
    published = iso_date_ms(record.first_publication_date)
    if published != -1:
        answer.field("pubDate", url, number=published)
    if citations >= 0:
        answer.field("citationsCount", url, number=citations)
    if record.source == "PPR":
        answer.field("preprint", url, flag=True)
    noticed: set[str] = set()
    for comment in record.comments:
        said = comment.type.lower()
        if said in RELATIONS:
            doi = _doi_of(comment.reference)
            answer.field("relation", url, relation=Relation(RELATIONS[said], comment.source, comment.id, doi))
        elif said in NOTICES:
            noticed.add(NOTICES[said])
            notice = Notice(NOTICES[said], comment.source, comment.id, comment.reference)
            answer.field("notice", url, notice=notice)
    for type_ in record.publication_types:
        kind = TYPES_OF_NOTICES.get(type_.lower(), "")
        if kind and kind not in noticed:
            noticed.add(kind)
            answer.field("notice", url, notice=Notice(kind, record.source))
    if record.source == "PPR" and record.title.upper().startswith("WITHDRAWN"):
        # Withdrawn preprints have no other sign than their title.
        answer.field("notice", url, notice=Notice("withdrawn", record.source, record.id))


def _doi_of(reference: str) -> str:
    """The DOI at the end of a reference as PubMed writes it ("…:e0346306. doi: 10.1371/….")."""
    _, found, rest = reference.lower().rpartition("doi:")
    words = rest.split() if found else []
    return identifier_in_text("doi", words[0].rstrip(".;,")) if words else ""
