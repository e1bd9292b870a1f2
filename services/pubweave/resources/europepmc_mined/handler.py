"""From needs to annotation questions, and from annotations to terms."""

from collections.abc import Sequence
from functools import partial
from typing import Final
from urllib.parse import quote

from pubweave.contract.exchange import Reply, Request, Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.values import MinedTerm
from pubweave.contract.vocabulary import AttemptOutcome, PartName
from pubweave.core.answering import Answer
from pubweave.core.batching import Asking, broken, failed_query, named
from pubweave.core.reading.annotations import (
    AnnotatedArticle,
    Annotation,
    MalformedAnnotations,
    mined_terms,
    read_json,
    read_old_summary,
    read_xml,
)
from pubweave.core.service import Context, Said

MAX_ARTICLES: Final = 8
"""The API's own limit; more is answered with 400."""

ALONE: Final = "alone"
BATCH: Final = "batch"
SECOND: Final = "second"
"""One need, by the article's other identifier."""
SECOND_BATCH: Final = "second-batch"
OLD: Final = "old-endpoint"
OLD_SECOND: Final = "old-endpoint-second"

TYPES: Final[dict[PartName, str]] = {"efo": "Experimental Methods", "go": "Gene Ontology"}
OLD_TYPES: Final[dict[PartName, str]] = {"efo": "EFO", "go": "GO_TERM"}

TECHNICAL: Final[frozenset[AttemptOutcome]] = frozenset(
    {"absent", "gone", "unavailable", "timeout", "reset", "refused", "unresolved", "tls-failure"}
)
"""D-10: 404, 410, 5xx or unreachable; then the older endpoints are tried."""


def step(work: Work, reply: Reply | None, context: Context) -> list[Said]:
    """Ask; read what came; ask again for what is lacking (design law 5)."""
    asking = Asking(
        "europepmc_mined",
        partial(_request, context=context),
        batches={BATCH: ALONE, SECOND_BATCH: SECOND},
        give_up=partial(_give_up, context=context),
        halve=_halves_by_article,
    )
    if reply is None:
        return _begin(work, context, asking)
    if reply.outcome != "found":
        return asking.unanswered(work, reply)
    try:
        if work.step in (OLD, OLD_SECOND):
            return _old(work, reply, context)
        articles = read_json(reply.body) if work.step in (BATCH, SECOND_BATCH) else read_xml(reply.body)
    except MalformedAnnotations as problem:
        return asking.unanswered(work, broken(reply, str(problem)))
    return _new(work, reply, articles, context, asking)


# --- what is asked


def part_of(need: NeedsPart) -> PartName:
    """The one part that the need is about."""
    return "go" if "go" in need.missing and "efo" not in need.missing else "efo"


def article_id(need: NeedsPart, *, second: bool = False) -> str:
    """`PMC:PMC123` or `MED:123`; "" if the need knows no other identifier than the one it asks with.

    The other identifier is the PMID of what is asked by PMCID; a PMCID has been tried first (F-MIN-02).
    """
    if second:
        return f"MED:{need.identifiers.pmid}" if need.ask == "pmcid" and need.identifiers.pmid else ""
    return f"PMC:{need.value}" if need.ask == "pmcid" else f"MED:{need.value}"


def _by_article(needs: Sequence[NeedsPart]) -> dict[str, list[NeedsPart]]:
    """Needs of one article share its slot; the first identifier tells articles apart in every step."""
    groups: dict[str, list[NeedsPart]] = {}
    for need in needs:
        groups.setdefault(article_id(need), []).append(need)
    return groups


def _halves_by_article(needs: Sequence[NeedsPart]) -> list[tuple[NeedsPart, ...]]:
    groups = list(_by_article(needs).values())
    middle = (len(groups) + 1) // 2
    parts = (groups[:middle], groups[middle:])
    return [tuple(need for group in part for need in group) for part in parts if part]


def _in_slots(asking: Asking, alone: str, batch: str, needs: Sequence[NeedsPart]) -> list[Said]:
    """Questions of at most eight articles; a need that has no company is asked alone."""
    groups = list(_by_article(needs).values())
    said: list[Said] = []
    for start in range(0, len(groups), MAX_ARTICLES):
        together = tuple(need for group in groups[start : start + MAX_ARTICLES] for need in group)
        said.append(asking.ask(alone if len(together) == 1 else batch, together))
    return said


def _begin(work: Work, context: Context, asking: Asking) -> list[Said]:
    if context.no_batch:
        return asking.begin(work, ALONE, BATCH, 1, "PMCID or PMID")
    askable = [need for need in work.needs if need.value]
    said: list[Said] = []
    for need in work.needs:
        if not need.value:
            said += Answer(need).done("skipped", "no PMCID or PMID to ask with")
    return said + _in_slots(asking, ALONE, BATCH, askable)


def _address(need: NeedsPart, context: Context, *, second: bool = False) -> str:
    """F-MIN-01; also the address where terms are said to be found (F-MIN-05)."""
    return (
        f"{context.addresses.annotations}/annotationsByArticleIds?articleIds={article_id(need, second=second)}"
        f"&type={quote(TYPES[part_of(need)])}&format=XML"
    )


def _old_address(need: NeedsPart, context: Context, *, second: bool = False) -> str:
    source, _, id_ = article_id(need, second=second).partition(":")
    return f"{context.addresses.europepmc}/{source}/{id_}/textMinedTerms/{OLD_TYPES[part_of(need)]}"


def _request(step: str, needs: tuple[NeedsPart, ...], context: Context) -> Request:
    timeout_ms = max(need.settings.timeout_ms for need in needs)
    second = step in (SECOND, SECOND_BATCH, OLD_SECOND)
    if step in (OLD, OLD_SECOND):
        url = _old_address(needs[0], context, second=second)
        return Request(url=url, expect="xml", family="europepmc", timeout_ms=timeout_ms)
    if step in (ALONE, SECOND):
        url = _address(needs[0], context, second=second)
        return Request(url=url, expect="xml", family="annotations", timeout_ms=timeout_ms)
    ids = ",".join(dict.fromkeys(article_id(need, second=second) for need in needs))
    # One call takes one type or all; needs of both types share it by taking all.
    parts = {part_of(need) for need in needs}
    type_ = f"&type={quote(TYPES[parts.pop()])}" if len(parts) == 1 else ""
    return Request(
        url=f"{context.addresses.annotations}/annotationsByArticleIds?articleIds={ids}{type_}&format=JSON",
        expect="json",
        family="annotations",
        timeout_ms=timeout_ms,
    )


# --- what is read


def _new(
    work: Work, reply: Reply, articles: list[AnnotatedArticle], context: Context, asking: Asking
) -> list[Said]:
    seen = named(reply)
    second = work.step in (SECOND, SECOND_BATCH)
    batch = work.step in (BATCH, SECOND_BATCH)
    index: dict[str, AnnotatedArticle] = {}
    for article in articles:
        for name in article.names:
            index.setdefault(name, article)
    only = articles[0] if len(articles) == 1 and not batch else None
    found = [
        only or index.get(article_id(need, second=second)) or _by_pmid(need, index) for need in work.needs
    ]
    nameless = batch and any(all(one is not article for one in found) for article in articles)
    said: list[Said] = []
    left_out: list[NeedsPart] = []
    for need, article_of_need in zip(work.needs, found, strict=True):
        if article_of_need is None and nameless:
            # It may be the one that nobody recognised: the single question tells.
            said += asking.each(SECOND if second else ALONE, (need,))
            continue
        terms = mined_terms(_of_part(need, article_of_need)) if article_of_need is not None else ()
        if terms:
            said += _say(need, seen, terms, _address(need, context, second=second), second=second)
        elif not second and article_id(need, second=True):
            left_out.append(need)
        else:
            said += _nothing(need, seen, both=second)
    if left_out and context.no_batch:
        return said + asking.each(SECOND, left_out)
    return said + _in_slots(asking, SECOND, SECOND_BATCH, left_out)


def _by_pmid(need: NeedsPart, index: dict[str, AnnotatedArticle]) -> AnnotatedArticle | None:
    """An article asked by PMCID is often answered under its PMID alone."""
    return (
        index.get(f"MED:{need.identifiers.pmid}") if need.ask == "pmcid" and need.identifiers.pmid else None
    )


def _of_part(need: NeedsPart, article: AnnotatedArticle) -> list[Annotation]:
    type_ = TYPES[part_of(need)]
    return [one for one in article.annotations if one.type in (type_, "")]


def _say(
    need: NeedsPart, reply: Reply, terms: tuple[MinedTerm, ...], url: str, *, second: bool
) -> list[Said]:
    answer = Answer(need, reply)
    part = part_of(need)
    answer.terms(part, "europepmc", url, terms)
    return answer.done("found", f"{len(terms)} terms under {article_id(need, second=second)}", success=True)


def _nothing(need: NeedsPart, reply: Reply, *, both: bool) -> list[Said]:
    """A whole answer without terms. After both identifiers there is no more to ask in this run."""
    asked = " and ".join(filter(None, (article_id(need), article_id(need, second=True) if both else "")))
    return Answer(need, reply).done("empty", f"no terms under {asked}", success=both)


def _give_up(work: Work, need: NeedsPart, reply: Reply, context: Context) -> list[Said]:
    """A question failed for good: the older endpoint, or the outcome."""
    if work.step in (OLD, OLD_SECOND) or not context.old_mined_terms or reply.outcome not in TECHNICAL:
        return failed_query(need, reply)
    step_ = OLD_SECOND if work.step in (SECOND, SECOND_BATCH) else OLD
    asking = Asking("europepmc_mined", partial(_request, context=context))
    return [asking.ask(step_, (need,))]


def _old(work: Work, reply: Reply, context: Context) -> list[Said]:
    need, second = work.needs[0], work.step == OLD_SECOND
    terms = read_old_summary(reply.body)
    if not terms:
        return _nothing(need, named(reply), both=second)
    return _say(need, named(reply), terms, _old_address(need, context, second=second), second=second)
