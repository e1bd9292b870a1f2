"""What must come out of a job: identity and final parts, from the universe alone.

Only what is unambiguous is expected: a part is listed when the chain ends with it final and every reading of the
specification agrees on it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import unescape

from simnet import content
from simnet.chain import ALL, EVERYTHING, Part, Value, Walk, walk
from simnet.facts import FullText, Ids, Publication, Record
from simnet.replies import jats, pages
from simnet.replies.europepmc import title_text
from simnet.text import space_normalised
from simnet.universe import Universe

_TAGS = re.compile(r"</?(?:i|b|sub|sup|italic|h4)>")


@dataclass(frozen=True)
class ExpectedPart:
    """One final part.

    `exact`: keywords as a tuple of strings; MeSH as (term, major, unique id or ""); EFO and GO as (term, count, uri);
    titles and identifiers as a string (compare titles by `readable`, DOIs in upper case). None where only `contains`
    and `excludes` are known: phrases that stand, or must not stand, in `readable` text.
    """

    type: str
    exact: object = None
    contains: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()


@dataclass
class Expected:
    """What must come out of one submission."""

    submitted: Ids
    publication: Publication | None
    known: bool
    """some resource knows it"""
    final: dict[Part, ExpectedPart] = field(default_factory=dict)
    not_final: frozenset[Part] = frozenset()
    """requested parts that cannot become final"""
    oa: bool = False
    preprint: bool = False
    restarted: bool = False
    journal_title: str = ""
    pub_date: str = ""
    """ISO; empty when no resource that was read says one"""
    citations: int | None = None
    corresponding: tuple[str, str] | None = None
    """name and e-mail address of the corresponding author of the full text that was read, if it marks one"""
    types: dict[Part, str] = field(default_factory=dict)
    """of every part that is no identifier, final or not; `na` where nothing was found"""
    visited: tuple[tuple[str, str], ...] = ()
    """(address, type) of the pages that were read, of the last generation"""
    walk: Walk | None = None


def readable(text: str) -> str:
    """Text as a person reads it: inline tags gone, entities resolved (twice, for escaped markup), blanks folded."""
    once = unescape(_TAGS.sub(lambda found: ". " if found[0] == "</h4>" else "", text))
    return space_normalised(_TAGS.sub("", unescape(once)))


def expected(
    universe: Universe,
    ids: Iterable[Ids],
    parts: Iterable[Part] = ALL,
    resources: frozenset[str] = EVERYTHING,
    browser: bool = False,
) -> list[Expected]:
    """For each submission what it is and what must be final in the end. `browser`: pages are rendered that need it."""
    wanted = frozenset(parts)
    return [_one(walk(universe, one, wanted, resources, browser=browser), one, wanted) for one in ids]


def _one(walked: Walk | None, submitted: Ids, wanted: frozenset[Part]) -> Expected:
    if walked is None:
        return Expected(submitted, None, False, not_final=wanted)
    publication = walked.publication
    found = Expected(
        submitted,
        publication,
        walked.known,
        oa=walked.oa,
        preprint=walked.preprint,
        restarted=walked.generations > 1,
        walk=walked,
    )
    _fields(found, walked)
    unsure: set[Part] = set()
    for part in ALL:
        if part not in wanted and part not in ("pmid", "pmcid", "doi"):
            continue
        if part in ("pmid", "pmcid", "doi"):
            value, type_ = walked.ids.get(part, ("", "na"))
            if walked.final(part):
                found.final[part] = ExpectedPart(type_, value)
            continue
        value_ = walked.parts.get(part, Value())
        if part == "fulltext" and isinstance(value_.source, FullText) and value_.source.body == "short":
            unsure.add(part)  # a sentence or two under a long abstract: by length final, by sense not
        elif walked.final(part):
            found.final[part] = _part(publication, part, value_)
    found.not_final = frozenset(p for p in wanted if p not in found.final and p not in unsure)
    return found


def _fields(found: Expected, walked: Walk) -> None:
    """What is no part: journal, date, citations, corresponding author."""
    publication, record = walked.publication, walked.record
    last = {ask.resource for ask in walked.asked if ask.found and ask.generation == walked.generations}
    if record is not None:
        found.citations = publication.citations
        found.pub_date = publication.date
    in_pubmed = "pubmed_xml" in last and publication.pubmed is not None and not publication.pubmed.book
    if in_pubmed:
        found.pub_date = publication.date
    if walked.journal:
        found.journal_title = publication.journal.title
    found.corresponding = walked.corresponding
    if walked.addressed and not (found.corresponding and found.corresponding[0]):
        # F-CA-09: the address in an affiliation, until somebody is named as the corresponding author.
        author = next((one for one in content.authors_of(publication) if one.email), None)
        if author is not None:
            found.corresponding = (f"{author.given} {author.surname}", author.email)
    for part in ALL:
        value = walked.parts.get(part, Value())
        if isinstance(value.source, FullText) and value.source.body == "short":
            continue  # whether a sentence or two stand for a text is a matter of a few characters
        # Of two short abstracts of final types the longer one wins, by a few characters.
        if part not in _IDENTIFIERS and not (part == "theAbstract" and 0 < value.size < LEAST_ABSTRACT):
            found.types[part] = value.type
    found.visited = tuple(walked.visited)


LEAST_ABSTRACT = 200
_IDENTIFIERS = ("pmid", "pmcid", "doi")


def _part(publication: Publication, part: Part, value: Value) -> ExpectedPart:
    source = value.source
    if part == "title":
        if isinstance(source, Record):
            return ExpectedPart(value.type, readable(title_text(publication, source)))
        plain = content.title_of(publication).plain
        if source == "pubmed":
            translated = value.type == "pubmed_xml" and publication.translated
            plain = f"[{plain}]." if translated else f"{plain}."
        return ExpectedPart(value.type, plain)
    if part == "keywords":
        assert isinstance(source, int)
        return ExpectedPart(value.type, content.keywords_of(publication, source))
    if part == "mesh":
        if value.type == "pubmed_html":
            return ExpectedPart(value.type)
        with_ui = value.type == "pubmed_xml"
        terms = content.mesh_of(publication)
        return ExpectedPart(value.type, tuple((t.term, t.major, t.ui if with_ui else "") for t in terms))
    if part in ("efo", "go"):
        mined = content.efo_of(publication) if part == "efo" else content.go_of(publication)
        return ExpectedPart(value.type, tuple((t.term, t.total, t.uri) for t in mined))
    if part == "theAbstract":
        return ExpectedPart(value.type, contains=_sentences(publication, source))
    if isinstance(source, pages.PageText):
        ends = pages.first_and_last(publication)
        begin = (content.title_of(publication).plain, *_sentences(publication, source.page.abstract)[:1])
        return ExpectedPart(
            value.type, contains=(*map(space_normalised, (*begin, *ends)),), excludes=(pages.LEFT_OUT,)
        )
    assert isinstance(source, FullText)
    first, last = jats.first_and_last(publication, source)
    whole = (content.title_of(publication).plain, *_sentences(publication, source.abstract)[:1], first, last)
    return ExpectedPart(
        value.type,
        contains=(*map(space_normalised, whole), *jats.kept_marks(publication, source)),
        excludes=tuple(jats.left_out_marks(publication, source)),
    )


def _sentences(publication: Publication, size: object) -> tuple[str, ...]:
    parts = content.abstract_of(publication, size)  # type: ignore[arg-type]
    return tuple(space_normalised(sentence.plain) for part in parts for sentence in part.sentences)
