"""What an article page says to a need: what it is first, and only then what stands on it (9.8, chapters 10 to 12).

A wall, an error or a page about something else is an outcome and never content. A page about the article without
its text counts, but what stands in the place of the full text there is of the lowest type and never final.
"""

from collections import Counter
from typing import Final, NamedTuple

from pubweave.contract.exchange import Reply
from pubweave.contract.findings import Mark
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.part_candidate import PartCandidate
from pubweave.contract.resource_done import ResourceDone
from pubweave.contract.values import RuleMissed, VisitedSite
from pubweave.contract.vocabulary import NeedOutcome, PartName, TypeName
from pubweave.core.addresses import address_of, identifier_in_link
from pubweave.core.politeness import host_of
from pubweave.core.reading.cleaning import Algorithm
from pubweave.core.reading.pages import (
    Page,
    PageFindings,
    PageVerdict,
    PartMissed,
    confirmed,
    judge_page,
    read_page,
)
from pubweave.core.reading.pages.verdict import Kind
from pubweave.core.reading.rules import RuleBook
from pubweave.core.record import minimum_size
from pubweave.core.toolkit.answering import NeedAnswer
from pubweave.core.toolkit.batching import named
from pubweave.core.toolkit.service import Context, Said

NEVER_FINAL: Final[tuple[Mark, ...]] = ("never-final",)

ON_PAGES: Final[frozenset[PartName]] = frozenset({"title", "keywords", "theAbstract", "fulltext"})

MOST_LINKS_OF_A_TYPE: Final = 50
"""Of one page; a run follows ten in all (F-LNK-10). Bounds what a page made to do harm puts on the list."""
LONGEST_LINK: Final = 8_000
"""Characters; servers refuse longer addresses."""
MOST_AUTHORS: Final = 200

_NO_RULES: Final = RuleBook()


class Meaning(NamedTuple):
    """What follows from the kind of a page."""

    outcome: NeedOutcome
    is_read: bool
    has_text: bool = False
    """Its full text may be final."""


MEANINGS: Final[dict[Kind, Meaning]] = {
    "article": Meaning("found", is_read=True, has_text=True),
    "abstract-only": Meaning("abstract-only", is_read=True),
    "landing": Meaning("abstract-only", is_read=True),
    "login": Meaning("blocked", is_read=False),
    "consent-wall": Meaning("blocked", is_read=False),
    "bot-wall": Meaning("blocked", is_read=False),
    "error": Meaning("malformed", is_read=False),
    "soft-404": Meaning("absent", is_read=False),
}
"""THE table: what a page is, and what becomes of its need."""

OTHER: Final = Meaning("empty", is_read=False)
"""A page that is not about the publication holds nothing of use."""


class Sought(NamedTuple):
    """What page is asked for."""

    type: TypeName
    """Of what the page gives: `doi`, or the link's own (F-DOI-10)."""
    found_on: str = ""
    """What led there; a page that nothing led to is no visited site."""
    rules: RuleBook = _NO_RULES
    meta: bool = True
    """Meta tags are read, too (F-META-01, F-META-10)."""
    is_led: bool = False
    """The address is the publication's own: its DOI's resolver led there, or it was made of an identifier."""
    browser_first: bool = True
    """See `Context.browser_first`."""
    cleaner: Algorithm = "default"


def sought(need: NeedsPart, context: Context) -> Sought:
    """The page that a DOI or a link leads to."""
    link = need.link
    return Sought(
        type="doi" if link is None else link.type,
        found_on=f"https://doi.org/{need.identifiers.doi}" if link is None else link.from_,
        rules=context.rules or _NO_RULES,
        meta=context.meta_tags,
        is_led=link is None,
        browser_first=context.browser_first,
        cleaner="classic" if context.classic_cleaning else "default",
    )


def say_page(need: NeedsPart, reply: Reply, page: Sought, reasons: tuple[str, ...] = ()) -> list[Said]:
    """Everything one page gives, in the order in which it is to be folded.

    :param reasons: what happened on the way here
    """
    url = address_of(reply)
    parsed = Page(reply.body, url, reply.content_type)
    verdict = judge_page(
        parsed,
        url,
        status=reply.status,
        expected_doi=need.identifiers.doi,
        expected_title=need.title,
        is_led=page.is_led,
    )
    answer = NeedAnswer(need, named(reply))
    tried = (url,) if reply.final_url else ()
    if verdict.is_other or not MEANINGS[verdict.kind].is_read:
        outcome = OTHER.outcome if verdict.is_other else MEANINGS[verdict.kind].outcome
        return answer.done(outcome, _evidence(reasons, verdict, url), tried=tried)
    found = read_page(
        parsed,
        url,
        # What nothing shows to be the publication's page gives no more than a page without rules (F-DOI-05).
        _NO_RULES if verdict.is_unproven else page.rules,
        page.type,
        need.missing,
        meta=page.meta and not verdict.is_unproven,
        cleaner=page.cleaner,
        running=verdict.running.article if verdict.kind == "article" else 0,
    )
    verdict = confirmed(verdict, found)
    if not (found.identifiers or found.parts or found.links):
        return answer.done("empty", _evidence(reasons, verdict, url, found), tried=(url,))
    if page.found_on:
        answer.field("visitedSite", url, site=VisitedSite(url=url, type=page.type, from_=page.found_on))
    _say_findings(answer, found, url, verdict)
    for note in found.notes:
        answer.note(note.level, note.text)
    answer.lacks("title", "theAbstract", "fulltext")
    missed = tuple(
        RuleMissed(found.site, found.rules_version, part.part, part.selected, part.there)
        for part in found.missed
    )
    outcome = "found" if verdict.is_unproven else MEANINGS[verdict.kind].outcome
    if outcome == "found" and any(part.part == "fulltext" for part in missed):
        outcome = "rule-missed"
    return answer.done(
        outcome,
        _evidence(reasons, verdict, url, found),
        success=True,
        tried=(url,),
        missed=missed,
    )


def lacking(need: NeedsPart, said: list[Said]) -> list[PartName]:
    """What a page could have given, and what was said of it does not give in a usable size; all of it, if it is not the
    article with its text."""
    if any(isinstance(one, ResourceDone) and one.outcome != "found" for one in said):
        return [part for part in need.missing if part in ON_PAGES]
    usable = need.settings.thresholds
    given = {
        one.part
        for one in said
        if isinstance(one, PartCandidate)
        and one.size >= minimum_size(one.part, usable)
        and "never-final" not in one.marks
    }
    return [part for part in need.missing if part in ON_PAGES and part not in given]


def _say_findings(answer: NeedAnswer, found: PageFindings, url: str, verdict: PageVerdict) -> None:
    has_text = MEANINGS[verdict.kind].has_text or verdict.is_unproven
    # F-ID-41: Zenodo gives every version a DOI of its own.
    variant: tuple[Mark, ...] = ("variant-of-known",) if host_of(url) == "zenodo.org" else ()
    for identifier in found.identifiers:
        answer.text(
            identifier.kind,
            identifier.type,
            url,
            identifier.value,
            (*identifier.marks, *variant),
            _rule(found, identifier.source, identifier.marks),
        )
    for part in found.parts:
        if part.part == "fulltext" and not has_text:
            continue  # a preview, or an abstract and thanks: no text of the article
        rule = _rule(found, part.source, part.marks)
        if isinstance(part.content, tuple):
            answer.keywords(part.type, url, part.content, part.marks, rule)
            continue
        answer.text(part.part, part.type, url, part.content, part.marks, rule)
    for authors in found.authors:
        answer.field("correspAuthor", url, authors=authors.authors[:MOST_AUTHORS], marks=authors.marks)
    counts: Counter[TypeName] = Counter()
    for link in dict.fromkeys(read.link for read in found.links):
        counts[link.type] += 1
        if counts[link.type] <= MOST_LINKS_OF_A_TYPE and len(link.url) <= LONGEST_LINK:
            say_link(answer, link.url, link.type, url)


def say_link(answer: NeedAnswer, link: str, type_: TypeName, found_on: str) -> None:
    """A link, and the identifier that an address of the PMC family names (F-LNK-04)."""
    answer.link(link, type_, found_on)
    named_there = identifier_in_link(link)
    if named_there is not None:
        kind, value = named_there
        answer.text(kind, type_, link, value, ("unless-external",))


def _rule(found: PageFindings, source: str, marks: tuple[Mark, ...]) -> str:
    """What selected a value, for `explain`."""
    if "if-better-type" in marks:
        return f"meta tag {source}"
    return (
        f"{found.site}: {source}, rules {found.rules_version[:12]}" if found.site else f"no rules: {source}"
    )


def _evidence(
    reasons: tuple[str, ...], verdict: PageVerdict, url: str, found: PageFindings | None = None
) -> str:
    said = [*reasons, f"{host_of(url)}: {verdict.kind}, {verdict.evidence}"]
    if found is not None:
        said.append(_rules_told(found))
    return "; ".join(said)


def _rules_told(found: PageFindings) -> str:
    """Which rules read the page, by which pattern, and which patterns lost."""
    if not found.site:
        return "no rules"
    missed = "".join(f", {_missed_told(one, found)}" for one in found.missed)
    won = next((tried.pattern for tried in found.tried if tried.verdict == "won"), "")
    lost = [f"{tried.pattern} ({tried.target})" for tried in found.tried if tried.verdict != "won"]
    return f"rules {found.site} by {won}" + (f", not {', '.join(lost)}" if lost else "") + missed


def _missed_told(one: PartMissed, found: PageFindings) -> str:
    """What a rule missed, in words."""
    if one.part == "fulltext":
        said = f"whose fulltext gives {one.selected} of {one.there} characters of running text"
    else:
        said = f"whose {one.part} gives nothing where meta tags have it"
    return f"{said} (rules {found.rules_version[:12]})"
