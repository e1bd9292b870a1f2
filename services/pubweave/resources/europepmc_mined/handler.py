"""From needs to annotation questions, and from annotations to terms."""

from collections.abc import Sequence
from functools import partial
from typing import Final
from urllib.parse import quote

import msgspec

from pubweave.contract.exchange import Reply, Request, Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.values import MinedTerm
from pubweave.contract.vocabulary import AttemptOutcome, PartName
from pubweave.core.toolkit.answering import NeedAnswer, wanted
from pubweave.core.toolkit.batching import ResourceAsking, broken, failed_query, named
from pubweave.core.toolkit.service import Context, Said
from pubweave.resources.europepmc_mined.declaration import DECLARATION
from pubweave.resources.europepmc_mined.reading import (
    AnnotatedArticle,
    Annotation,
    MalformedAnnotations,
    mined_terms,
    read_json,
    read_old_summary,
    read_xml,
)

ALONE: Final = "alone"
BATCH: Final = "batch"
OLD: Final = "old-endpoint"

TYPES: Final[dict[PartName, str]] = {"efo": "Experimental Methods", "go": "Gene Ontology"}
OLD_TYPES: Final[dict[PartName, str]] = {"efo": "EFO", "go": "GO_TERM"}

TECHNICAL: Final[frozenset[AttemptOutcome]] = frozenset(
    {"absent", "gone", "unavailable", "timeout", "reset", "refused", "unresolved", "tls-failure"}
)
"""D-10: 404, 410, 5xx or unreachable; then the older endpoints are tried."""


def step(work: Work, reply: Reply | None, context: Context) -> list[Said]:
    """Ask; read what came; ask again for what is lacking (design law 5)."""
    asking = ResourceAsking(
        "europepmc_mined",
        partial(_request, context=context),
        batches={BATCH: ALONE},
        give_up=partial(_give_up, context=context),
        halve=_halves_by_article,
    )
    if reply is None:
        return _begin(work, context, asking)
    if reply.outcome == "http-error" and len(_by_part(work.needs)) > 1:
        return _type_by_type(work, asking)
    if reply.outcome != "found":
        return asking.unanswered(work, reply)
    try:
        if work.step == OLD:
            return _old(work, reply, context)
        articles = read_json(reply.body) if work.step == BATCH else read_xml(reply.body)
    except MalformedAnnotations as problem:
        return asking.unanswered(work, broken(reply, str(problem)))
    return _new(work, reply, articles, context, asking)


# --- what is asked


def part_of(need: NeedsPart) -> PartName:
    """The one part that the need is about."""
    return "go" if "go" in need.missing and "efo" not in need.missing else "efo"


def article_id(need: NeedsPart) -> str:
    """`PMC:PMC123` or `MED:123`."""
    return f"PMC:{need.value}" if need.ask == "pmcid" else f"MED:{need.value}"


def _by_article(needs: Sequence[NeedsPart]) -> dict[str, list[NeedsPart]]:
    """Needs of one article share its slot."""
    groups: dict[str, list[NeedsPart]] = {}
    for need in needs:
        groups.setdefault(article_id(need), []).append(need)
    return groups


def _halves_by_article(needs: Sequence[NeedsPart]) -> list[tuple[NeedsPart, ...]]:
    groups = list(_by_article(needs).values())
    middle = (len(groups) + 1) // 2
    parts = (groups[:middle], groups[middle:])
    return [tuple(need for group in part for need in group) for part in parts if part]


def _by_part(needs: Sequence[NeedsPart]) -> dict[PartName, list[NeedsPart]]:
    groups: dict[PartName, list[NeedsPart]] = {}
    for need in needs:
        groups.setdefault(part_of(need), []).append(need)
    return groups


def _type_by_type(work: Work, asking: ResourceAsking) -> list[Said]:
    """A question for two types was refused: the same articles again, one type a question."""
    return [
        asking.ask(BATCH if len(needs) > 1 else ALONE, tuple(needs))
        for needs in _by_part(work.needs).values()
    ]


def _begin(work: Work, context: Context, asking: ResourceAsking) -> list[Said]:
    """Questions of at most eight articles; a need that has no company is asked alone."""
    if context.no_batch:
        return asking.begin(work, ALONE, BATCH, 1, "PMCID or PMID")
    said: list[Said] = []
    for need in work.needs:
        if not need.value:
            said += NeedAnswer(need).done("skipped", "no PMCID or PMID to ask with")
    for together in _in_questions([need for need in work.needs if need.value]):
        said.append(asking.ask(ALONE if len(together) == 1 else BATCH, together))
    return said


def _in_questions(needs: Sequence[NeedsPart]) -> list[tuple[NeedsPart, ...]]:
    """Needs of at most eight articles each, none of them asked for under two ids in one question.

    The answer does not say under which of its ids it knows an article, so what the one need gets would depend on
    whether the other is there, too.
    """
    questions: list[list[list[NeedsPart]]] = []
    for group in _by_article(needs).values():
        for question in questions:
            if len(question) < DECLARATION.batching.most and not any(
                _same_article(one, other) for one in group for there in question for other in there
            ):
                question.append(group)
                break
        else:
            questions.append([group])
    return [tuple(need for group in question for need in group) for question in questions]


def _same_article(one: NeedsPart, other: NeedsPart) -> bool:
    mine, theirs = one.identifiers, other.identifiers
    return (
        one.publication == other.publication
        or (bool(mine.pmid) and mine.pmid == theirs.pmid)
        or (bool(mine.pmcid) and mine.pmcid == theirs.pmcid)
    )


def _address(need: NeedsPart, context: Context) -> str:
    """F-MIN-01; also the address where terms are said to be found (F-MIN-05)."""
    return (
        f"{context.addresses.annotations}/annotationsByArticleIds?articleIds={article_id(need)}"
        f"&type={quote(TYPES[part_of(need)])}&format=XML"
    )


def _old_address(need: NeedsPart, context: Context) -> str:
    source, _, id_ = article_id(need).partition(":")
    return f"{context.addresses.europepmc}/{source}/{id_}/textMinedTerms/{OLD_TYPES[part_of(need)]}"


def _request(step: str, needs: tuple[NeedsPart, ...], context: Context) -> Request:
    timeout_ms = max(need.settings.timeout_ms for need in needs)
    if step == OLD:
        url = _old_address(needs[0], context)
        return Request(url=url, expect="xml", family="europepmc", timeout_ms=timeout_ms)
    if step == ALONE:
        url = _address(needs[0], context)
        return Request(url=url, expect="xml", family="annotations", timeout_ms=timeout_ms)
    ids = ",".join(dict.fromkeys(article_id(need) for need in needs))
    # Without types the service answers with all eleven, 25 times the bytes (recorded of an open article).
    types = ",".join(quote(TYPES[part]) for part in sorted(_by_part(needs)))
    return Request(
        url=f"{context.addresses.annotations}/annotationsByArticleIds?articleIds={ids}&type={types}&format=JSON",
        expect="json",
        family="annotations",
        timeout_ms=timeout_ms,
    )


# --- what is read


def _new(
    work: Work, reply: Reply, articles: list[AnnotatedArticle], context: Context, asking: ResourceAsking
) -> list[Said]:
    """Terms of the articles that the answer names; silence about one is `empty`.

    The answer is whole, so silence is a word. An article is often silent under its PMCID and has terms under its
    PMID: that is the next need of the chain (F-MIN-02), which is gathered with others of its kind.
    """
    seen = named(reply)
    index: dict[str, AnnotatedArticle] = {}
    for article in articles:
        for name in article.names:
            index.setdefault(name, article)
    only = articles[0] if len(articles) == 1 and work.step == ALONE else None
    found = [only or index.get(article_id(need)) or _by_pmid(need, index) for need in work.needs]
    nameless = work.step == BATCH and any(all(one is not article for one in found) for article in articles)
    said: list[Said] = []
    for need, article_of_need in zip(work.needs, found, strict=True):
        if article_of_need is None and nameless:
            # It may be the one that nobody recognised: the single question tells.
            said += asking.each(ALONE, (need,))
            continue
        terms = mined_terms(_of_part(need, article_of_need)) if article_of_need is not None else ()
        said += _say(need, seen, terms, _address(need, context))
    return said


def _by_pmid(need: NeedsPart, index: dict[str, AnnotatedArticle]) -> AnnotatedArticle | None:
    """An article asked by PMCID may be answered under its PMID alone."""
    pmid = need.identifiers.pmid
    return index.get(f"MED:{pmid}") if need.ask == "pmcid" and pmid else None


def _of_part(need: NeedsPart, article: AnnotatedArticle) -> list[Annotation]:
    type_ = TYPES[part_of(need)]
    return [one for one in article.annotations if one.type in (type_, "")]


def _say(need: NeedsPart, reply: Reply, terms: tuple[MinedTerm, ...], url: str) -> list[Said]:
    answer = NeedAnswer(need, reply)
    if not terms:
        return answer.done("empty", f"no terms under {article_id(need)}")
    answer.terms(part_of(need), "europepmc", url, terms)
    return answer.done("found", f"{len(terms)} terms under {article_id(need)}", success=True)


def _give_up(work: Work, need: NeedsPart, reply: Reply, context: Context) -> list[Said]:
    """A question failed for good: the older endpoint, or the outcome."""
    if work.step == OLD:
        flagged = reply.fetch_exception or _first_failure(work).fetch_exception
        return failed_query(need, msgspec.structs.replace(reply, fetch_exception=flagged))
    if not context.old_mined_terms or reply.outcome not in TECHNICAL:
        return failed_query(need, reply)
    # The failure travels along: where the older endpoint does not help either, it is the outcome.
    memory = msgspec.json.encode(msgspec.structs.replace(reply, body=b"", blob=None, headers=()))
    return [wanted(_request(OLD, (need,), context), "europepmc_mined", (need,), step=OLD, memory=memory)]


def _old(work: Work, reply: Reply, context: Context) -> list[Said]:
    """What the older endpoint has. Its silence is no word: it knows less, and it was asked because of a failure."""
    need = work.needs[0]
    terms = read_old_summary(reply.body)
    if not terms:
        first = _first_failure(work)
        evidence = f"{first.evidence or first.outcome}; the older endpoint has no terms"
        return failed_query(need, msgspec.structs.replace(first, evidence=evidence))
    return _say(need, named(reply), terms, _old_address(need, context))


def _first_failure(work: Work) -> Reply:
    """How the annotations API failed, for which the older endpoint was asked (design law 3)."""
    try:
        return msgspec.json.decode(work.memory, type=Reply)
    except msgspec.DecodeError:  # the question was repeated, which is what its memory tells then
        return Reply(outcome="unavailable", url="", fetch_exception=True)
