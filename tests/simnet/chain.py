"""The chain of chapter 9 walked over the universe's own description: what a job must ask, and what comes out.

No reply is made or read here; only facts are followed. `walk` is a plain sequential loop over resources 1-9
(F-CHAIN-01) with the skip conditions (F-NEED), the choice among results (F-EPMC-06), what is and is not a change of
an identifier (F-CHG-01, F-ID-41), further passes (F-CHAIN-04), and the list of links (chapter 12).
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from simnet import content
from simnet.facts import AbstractSize, FullText, Ids, Page, Publication, Record, same_doi
from simnet.hosts.doi_org import alias_of
from simnet.publishers import refuses
from simnet.query import run
from simnet.replies import pages, pdf
from simnet.universe import Universe

Part = Literal["pmid", "pmcid", "doi", "title", "keywords", "mesh", "efo", "go", "theAbstract", "fulltext"]
ALL: tuple[Part, ...] = (
    "pmid",
    "pmcid",
    "doi",
    "title",
    "keywords",
    "mesh",
    "efo",
    "go",
    "theAbstract",
    "fulltext",
)
API = frozenset({"europepmc", "europepmc_fulltext", "annotations", "pubmed_xml", "pubmed_html", "pmc"})
"""Resources with an API or a page of NCBI."""
EVERYTHING = API | {"doi", "unpaywall", "links", "pdf"}

_IDS: tuple[Part, ...] = ("pmid", "pmcid", "doi")
_LADDER = [
    "europepmc",
    "europepmc_xml",
    "europepmc_html",
    "pubmed_xml",
    "pubmed_html",
    "pmc_xml",
    "pmc_html",
    "doi",
    "link",
    "link_oadoi",
    "citation",
    "eprints",
    "bepress",
    "link_citation",
    "link_eprints",
    "dc",
    "og",
    "twitter",
    "meta",
    "link_meta",
    "external",
    "oadoi",
    "pdf_europepmc",
    "pdf_pmc",
    "pdf_doi",
    "pdf_link",
    "pdf_oadoi",
    "pdf_citation",
    "pdf_eprints",
    "pdf_bepress",
    "pdf_meta",
    "webpage",
    "na",
]
_FINAL = frozenset(_LADDER[:10])
_LEAST = {"title": 4, "keywords": 2, "mesh": 2, "efo": 1, "go": 1, "theAbstract": 200, "fulltext": 2000}
_ABSTRACT_SIZES = {"none": 0, "short": 100, "long": 1000, "huge": 2300}
_VERSION_SUFFIX = re.compile(r"[._-]\d+")
_KNOWING = {"europepmc", "europepmc_fulltext", "annotations", "pubmed_xml", "pubmed_html", "pmc"}
MOST_GENERATIONS = 10
MOST_LINKS = 10
_DOI_HOSTS = ("doi.org", "dx.doi.org")
_PMC_HOSTS = ("europepmc.org", "ncbi.nlm.nih.gov")
_PMCID_IN_LINK = re.compile(r"/articles/(PMC\d+)", re.IGNORECASE)
_PMID_IN_LINK = re.compile(r"/(?:abstract/MED|articles/pmid)/(\d+)", re.IGNORECASE)
_PDF_OF = {
    "doi": "pdf_doi",
    "link": "pdf_link",
    "link_oadoi": "pdf_oadoi",
    "link_citation": "pdf_citation",
    "link_eprints": "pdf_eprints",
    "link_meta": "pdf_meta",
}
_TEXT = 1000
"""Characters from which a full text is a text."""
_PDF_TEXT_SIZE = 5000


@dataclass
class Value:
    """What a part holds: how much, of which type, and which source it is from."""

    size: int = 0
    type: str = "na"
    source: object = None
    never_final: bool = False


@dataclass(frozen=True)
class Asked:
    """One ask that the chain cannot do without.

    `depth`: replies that must have come before it can be put. `found` is false where the resource has nothing;
    `generation` counts restarts.
    """

    resource: str
    kind: str
    id: str
    depth: int
    generation: int
    found: bool


@dataclass
class Walk:
    """The way of one submission through the chain, and the state it ends in."""

    publication: Publication
    submitted: Ids
    ids: dict[Part, tuple[str, str]] = field(default_factory=dict)
    """PMID, PMCID, DOI → (value, type)"""
    parts: dict[Part, Value] = field(default_factory=dict)
    oa: bool = False
    preprint: bool = False
    record: Record | None = None
    """the Europe PMC record that was taken, of the last generation"""
    corresponding: tuple[str, str] | None = None
    addressed: bool = False
    """Somebody's address in an affiliation came before any corresponding author (F-CA-09)."""
    """name and e-mail address"""
    journal: bool = False
    known: bool = False
    """some source knows it, or something stood before what might"""
    visited: list[tuple[str, str]] = field(default_factory=list)
    """(address, type) of the pages that were read"""
    asked: list[Asked] = field(default_factory=list)
    branches: Counter[str] = field(default_factory=Counter)
    generations: int = 1
    passes: int = 0
    known_at: dict[str, int] = field(default_factory=dict)
    """depth at which an identifier value was learnt"""

    def value(self, kind: Part) -> str:
        return self.ids.get(kind, ("", "na"))[0]

    def final(self, part: Part) -> bool:
        if part in _IDS:
            value, type_ = self.ids.get(part, ("", "na"))
            return bool(value) and type_ in _FINAL
        value_ = self.parts.get(part, Value())
        return value_.type in _FINAL and value_.size >= _LEAST[part] and not value_.never_final


def walk(
    universe: Universe,
    submitted: Ids,
    parts: Iterable[Part] = ALL,
    resources: frozenset[str] = EVERYTHING,
    failing: frozenset[str] = frozenset(),
    browser: bool = False,
) -> Walk | None:
    """Follow one submission; None when nobody in this universe could mean these identifiers.

    :param failing: DOIs that doi.org, and `unpaywall:` DOIs that Unpaywall, cannot answer for, and addresses of pages and
        PDFs where something goes wrong
    :param browser: pages that need their scripts are rendered
    """
    publication = universe.owner(submitted)
    if publication is None:
        return None
    return _Walker(universe, publication, submitted, frozenset(parts), resources, failing, browser).run()


def namesakes(universe: Universe, count: int, resources: frozenset[str] = API) -> list[tuple[Ids, ...]]:
    """Groups of submissions, one identifier each, that are one publication whoever answers first: each alone leads to the
    same identifiers of final types."""
    groups = []
    for publication in universe:
        single = [Ids(**{kind: value}) for kind, value in zip(_IDS, publication.ids, strict=True) if value]
        walks = [walk(universe, ids, resources=resources) for ids in single]
        ends = {
            tuple(sorted((k, v.upper()) for k, (v, t) in w.ids.items() if t in _FINAL)) for w in walks if w
        }
        if len(single) > 1 and len(ends) == 1 and len(next(iter(ends))) == len(single):
            groups.append(tuple(single))
        if len(groups) == count:
            break
    return groups


def rivals(universe: Universe) -> list[tuple[Ids, Ids]]:
    """Pairs of submissions of two articles that claim one DOI: they must never become one record (law of identity)."""
    found = []
    for publication in universe:
        if publication.kind == "results-two-med":
            one, other = publication.records
            found.append((Ids(pmid=one.ids.pmid), Ids(pmid=other.ids.pmid)))
    return found


def web_examples(universe: Universe) -> list[str]:
    """Identifiers whose full text comes from a publisher's page, from an open copy's page, and from a PDF, where there are
    such: what other sources do not have."""
    found: dict[str, str] = {}
    for publication in universe:
        walked = walk(universe, publication.submitted) if publication.kind == "plain" else None
        if walked is None or not publication.pages:
            continue
        type_ = walked.parts.get("fulltext", Value()).type
        usual = "PDF" if type_.startswith("pdf_") else type_
        if usual in ("doi", "link_oadoi", "PDF") and usual not in found and walked.oa:
            found[usual] = next(filter(None, publication.submitted))
        if len(found) == 3:
            break
    return list(found.values())


def is_version(old: str, new: str) -> bool:
    """F-ID-41 without the Zenodo clause: a suffix of one of `.`, `_`, `-` and digits, or two F1000Research DOIs."""
    one, two = old.upper(), new.upper()
    shorter, longer = sorted((one, two), key=len)
    if longer.startswith(shorter) and _VERSION_SUFFIX.fullmatch(longer[len(shorter) :]):
        return True
    return all(doi.startswith("10.12688/F1000RESEARCH.") for doi in (one, two))


def _better(one: str, other: str) -> bool:
    if one in _FINAL and other in _FINAL:
        return False
    return _LADDER.index(one) < _LADDER.index(other)


def _worse(one: str, other: str) -> str:
    """F-META-06."""
    return max(one, other, key=_LADDER.index)


def _same(kind: str, one: str, other: str) -> bool:
    return same_doi(one, other) if kind == "doi" else one == other


class _Link(NamedTuple):
    url: str
    type: str


def _place(url: str) -> tuple[str, str, str]:
    """What makes two links the same."""
    parts = urlsplit(url)
    return parts.netloc, parts.path, parts.query


class _Walker:
    def __init__(
        self,
        universe: Universe,
        publication: Publication,
        submitted: Ids,
        parts: frozenset[Part],
        resources: frozenset[str],
        failing: frozenset[str] = frozenset(),
        browser: bool = False,
    ) -> None:
        self.universe = universe
        self.publication = publication
        self.wanted = parts
        self.resources = resources
        self.browser = browser
        self.failing = {one.lower() for one in failing}
        self.state = Walk(publication, submitted)
        for kind, value in zip(_IDS, submitted, strict=True):
            if value:
                self.state.ids[kind] = (value, "external")
                self.state.known_at[value] = 0
        self.gate_oa = self.gate_mined = False
        self.gate_depth = 0
        self.europepmc_done = False
        self.efo_done = self.go_done = False
        self.pubmed_succeeded = self.html_succeeded = self.pmc_succeeded = self.fulltext_succeeded = False
        self.doi_succeeded = self.unpaywall_succeeded = False
        self.tried: set[tuple[str, str]] = set()
        self.pass_depth = 0
        self.links: list[_Link] = []
        self.tried_links: set[tuple[str, str, str]] = set()
        self.followed = 0

    # -- the loop -------------------------------------------------------------------------------------------------

    def run(self) -> Walk:
        state = self.state
        while True:
            changed = self._generation()
            if not changed or state.generations >= MOST_GENERATIONS:
                return state
            state.branches["F-CHG-01 restart"] += 1
            for kind in changed:
                state.branches[f"F-CHG-01 {kind} changed"] += 1
            state.generations += 1
            state.parts.clear()
            state.oa = state.journal = False
            state.record = state.corresponding = None
            state.addressed = False
            state.visited.clear()
            self.links.clear()
            self.tried_links.clear()
            self.followed = 0
            self.gate_oa = self.gate_mined = self.europepmc_done = self.efo_done = self.go_done = False
            self.pubmed_succeeded = self.html_succeeded = self.pmc_succeeded = self.fulltext_succeeded = False
            self.doi_succeeded = self.unpaywall_succeeded = False
            self.tried.clear()
            self.pass_depth = max((ask.depth for ask in state.asked), default=0)

    def _generation(self) -> list[str]:
        """Passes until no new identifier appears; the kinds of identifiers that changed, if any."""
        state = self.state
        whole_pass = True
        while True:
            before = {kind: state.value(kind) for kind in _IDS}
            if whole_pass:
                state.passes += 1
                self._pass()
            elif not self._next_link():
                state.branches["F-CHG none"] += 1
                return []
            changed = [k for k in _IDS if before[k] and not _same(k, before[k], state.value(k))]
            if changed:
                return list(changed)
            known = sum(1 for kind in _IDS if state.value(kind))
            grown = known > sum(1 for value in before.values() if value)
            if grown:
                name = (
                    "F-CHG-03 new identifier, another pass"
                    if whole_pass
                    else "F-CHAIN-06 a link reveals an identifier"
                )
                state.branches[name] += 1
            whole_pass = grown

    def _pass(self) -> None:
        self._europepmc()
        self._fulltext()
        self._mined()
        self._pubmed_xml()
        self._pubmed_html()
        self._pmc()
        self._doi_page()
        self._unpaywall()

    # -- helpers --------------------------------------------------------------------------------------------------

    def _all_final(self, *parts: Part) -> bool:
        return all(self.state.final(part) for part in parts if part in self.wanted)

    def _ask(self, resource: str, kind: str, value: str, found: bool, after: int = 0) -> int:
        """Note an ask; the depth at which its reply is there."""
        state = self.state
        depth = max(after, state.known_at.get(value, 0), self.pass_depth if resource == "europepmc" else 0)
        state.asked.append(Asked(resource, kind, value, depth, state.generations, found))
        state.known |= found and resource in _KNOWING
        return depth + 1

    def _first_untried(self, name: str, kinds: tuple[Part, ...]) -> tuple[Part, str] | None:
        for kind in kinds:
            value = self.state.value(kind)
            if value and (name, value.lower()) not in self.tried:
                return kind, value
        return None

    def _branch(self, need: str, *, available: bool, skip: str, kinds: tuple[Part, ...], name: str) -> bool:
        """Count the branch that a need takes and say whether it is asked."""
        branches = self.state.branches
        if not available:
            return False
        if skip:
            branches[f"{need} skipped: {skip}"] += 1
            return False
        if not any(self.state.value(kind) for kind in kinds):
            branches[f"{need} skipped: no identifier"] += 1
            return False
        if self._first_untried(name, kinds) is None:
            branches[f"{need} skipped: tried"] += 1
            return False
        branches[f"{need} asked"] += 1
        return True

    def _set_id(self, kind: Part, value: str, type_: str, depth: int, zenodo: bool = False) -> None:
        """F-FILL-06, F-ID-41 and the marks of a change."""
        state = self.state
        if not value:
            return
        old, old_type = state.ids.get(kind, ("", "na"))
        if old_type in _FINAL and old:
            return
        if not _better(type_, old_type):
            return
        if not old:
            state.ids[kind] = (value, type_)
            state.known_at.setdefault(value, depth)
            return
        if _same(kind, old, value):
            state.ids[kind] = (old, type_)
            return
        if kind == "doi" and (is_version(old, value) or zenodo):
            form = "zenodo" if zenodo and not is_version(old, value) else _version_form(old, value)
            state.branches[f"F-ID-41 kept: {form}"] += 1
            state.ids[kind] = (old, type_)
            return
        state.branches[f"F-ID-40 {kind} replaced by {type_}"] += 1
        state.ids[kind] = (value, type_)
        state.known_at.setdefault(value, depth)

    def _fill(
        self,
        part: Part,
        size: int,
        type_: str,
        source: object,
        never_final: bool = False,
        if_better: bool = False,
    ) -> None:
        """F-FILL-01 … 05; what comes from a meta tag only if its type is better (F-META-05)."""
        state = self.state
        if part not in self.wanted or not size or state.final(part):
            return
        now = state.parts.get(part, Value())
        both_final = type_ in _FINAL and now.type in _FINAL and not if_better
        if never_final and now.size and not now.never_final and now.type != "webpage":
            return  # an article without its body never takes the place of one with it
        if part == "fulltext" and size < _TEXT <= now.size:
            return  # a sentence or two never take the place of a text
        has_body = (
            now.never_final and not (never_final or if_better or type_ == "webpage") and size > now.size
        ) or (part == "fulltext" and 0 < now.size < _TEXT <= size and not (if_better or never_final))
        if has_body or _better(type_, now.type) or (both_final and size > now.size):
            state.parts[part] = Value(size, type_, source, never_final)

    def _fill_abstract(self, size: AbstractSize, type_: str) -> None:
        self._fill("theAbstract", _ABSTRACT_SIZES[size], type_, size)

    # -- the resources --------------------------------------------------------------------------------------------

    def _europepmc(self) -> None:
        state, need = self.state, "F-NEED-01"
        if self.europepmc_done:
            state.branches[f"{need} skipped: succeeded before"] += 1
            return
        kinds: tuple[Part, ...] = ("pmid", "pmcid", "doi")
        after = 0
        while (choice := self._first_untried("europepmc", kinds)) is not None:
            if self._all_final(*ALL) and (state.oa or "fulltext" not in self.wanted):
                state.branches[f"{need} skipped: final"] += 1
                return
            kind, value = choice
            self.tried.add(("europepmc", value.lower()))
            state.branches[f"{need} asked by {kind}"] += 1
            query = {"pmid": f"ext_id:{value} src:med", "pmcid": f"pmcid:{value}", "doi": f'doi:"{value}"'}[
                kind
            ]
            results = [record for _, record in run(self.universe, query)[1]]
            record = self._choose(results)
            after = self._ask("europepmc", kind, value, bool(results), after)
            if record is not None:
                self._take(record, after)
                return

    def _choose(self, results: list[Record]) -> Record | None:
        """F-EPMC-04, 06 and 07."""
        branches = self.state.branches
        if not results:
            branches["F-EPMC-04 no result"] += 1
            return None
        if len(results) == 1:
            branches["F-EPMC-07 one result"] += 1
            return results[0]
        branches["F-EPMC-06 several results"] += 1
        left = [record for record in results if not self._contradicts(record)]
        if not left:
            branches["F-EPMC-06 none left"] += 1
            return None
        for source in ("MED", "PMC", "PPR"):
            of_source = [record for record in left if record.source == source]
            if of_source:
                branches[f"F-EPMC-06 {source}"] += 1
                return of_source[0]
        branches["F-EPMC-06 first of the others"] += 1
        return left[0]

    def _contradicts(self, record: Record) -> bool:
        state = self.state
        for kind, value in zip(_IDS, record.ids, strict=True):
            known = state.value(kind)
            if not known or not value or _same(kind, known, value):
                continue
            if kind == "doi" and all(
                doi.upper().startswith("10.12688/F1000RESEARCH.") for doi in (known, value)
            ):
                state.branches["F-EPMC-06 another F1000Research DOI tolerated"] += 1
                continue
            state.branches[f"F-EPMC-06 dropped: {kind} contradicts"] += 1
            return True
        return False

    def _take(self, record: Record, depth: int) -> None:
        state, publication = self.state, self.publication
        self.europepmc_done = True
        state.record = record
        state.addressed = state.addressed or state.corresponding is None
        for kind, value in zip(_IDS, record.ids, strict=True):
            self._set_id(kind, value, "europepmc", depth)
        self._fill("title", 40, "europepmc", record)
        self._fill("keywords", record.keywords, "europepmc", record.keywords)
        self._fill("mesh", publication.mesh if record.mesh else 0, "europepmc", "europepmc")
        self._fill_abstract(record.abstract, "europepmc")
        state.oa = state.oa or record.open_access
        state.preprint = record.source == "PPR"
        state.journal = state.journal or record.source != "PPR"
        self.gate_oa, self.gate_mined, self.gate_depth = record.open_access, record.mined, depth

    def _fulltext(self) -> None:
        state = self.state
        skip = ""
        if self.fulltext_succeeded:
            skip = "succeeded before"
        elif not self.gate_oa:
            skip = "gate"
        elif self._all_final("pmid", "doi", "title", "keywords", "theAbstract", "fulltext"):
            skip = "final"
        if not self._branch(
            "F-NEED-02", available=True, skip=skip, kinds=("pmcid",), name="europepmc_fulltext"
        ):
            return
        pmcid = state.value("pmcid")
        self.tried.add(("europepmc_fulltext", pmcid.lower()))
        publication = self.universe.by_pmcid(pmcid)
        facts = publication.europepmc_fulltext if publication else None
        if facts and facts.ids.pmcid != pmcid:
            facts = None
        depth = self._ask("europepmc_fulltext", "pmcid", pmcid, facts is not None, self.gate_depth)
        if facts:
            self.fulltext_succeeded = True
            self._take_jats(facts, "europepmc_xml", depth)

    def _take_jats(self, facts: FullText, type_: str, depth: int) -> None:
        for kind, value in zip(_IDS, facts.ids, strict=True):
            self._set_id(kind, value, type_, depth)
        self._fill("title", 40, type_, "jats")
        self._fill("keywords", facts.keywords, type_, facts.keywords)
        self._fill_abstract(facts.abstract, type_)
        self._fill("fulltext", _full_text_size(facts), type_, facts, facts.body in ("none", "restricted"))
        self.state.journal = True
        if self.state.corresponding is None and content.correspondence_of(self.publication) != "none":
            author = next(one for one in content.authors_of(self.publication) if one.email)
            self.state.corresponding = (f"{author.given} {author.surname}", author.email)

    def _mined(self) -> None:
        state = self.state
        kinds: tuple[Part, ...] = ("pmcid", "pmid")
        both: tuple[tuple[str, Part], ...] = (("F-NEED-03", "efo"), ("F-NEED-04", "go"))
        for need, part in both:
            skip = "" if self.gate_mined else "gate"
            if self._all_final(part):
                skip = "final"
            self._branch(need, available=True, skip=skip, kinds=kinds, name=f"mined {part}")
        if not self.gate_mined:
            return
        after = self.gate_depth
        while True:
            missing: list[Part] = [part for _, part in both if part in self.wanted and not state.final(part)]
            choices = {part: self._first_untried(f"mined {part}", kinds) for part in missing}
            open_ = {choice for choice in choices.values() if choice}
            if not open_:
                return
            kind, value = min(open_, key=lambda choice: kinds.index(choice[0]))
            publication = self.universe.by_pmcid(value) if kind == "pmcid" else self.universe.by_pmid(value)
            source = "PMC" if kind == "pmcid" else "MED"
            known = publication is not None and value in (publication.ids.pmcid, publication.ids.pmid)
            answers = known and publication is not None and publication.mined_under in (source, "both")
            after = self._ask("annotations", kind, value, bool(answers), after)
            for part in missing:
                if choices[part] != (kind, value):
                    continue
                self.tried.add((f"mined {part}", value.lower()))
                if answers and publication is not None:
                    count = publication.efo if part == "efo" else publication.go
                    self._fill(part, count, "europepmc", publication)

    def _pubmed_xml(self) -> None:
        state = self.state
        skip = ""
        if self.pubmed_succeeded:
            skip = "succeeded before"
        elif self._all_final("pmid", "pmcid", "doi", "title", "mesh", "theAbstract"):
            skip = "final"
        if not self._branch("F-NEED-05", available=True, skip=skip, kinds=("pmid",), name="pubmed_xml"):
            return
        pmid = state.value("pmid")
        self.tried.add(("pubmed_xml", pmid))
        publication = self.universe.by_pmid(pmid)
        facts = publication.pubmed if publication else None
        found = facts is not None and facts.ids.pmid == pmid
        depth = self._ask("pubmed_xml", "pmid", pmid, found, self._after_europepmc())
        if not found or facts is None or publication is None:
            return
        self.pubmed_succeeded = True
        if facts.book:  # has neither journal nor MeSH
            self._set_id("pmid", facts.ids.pmid, "pubmed_xml", depth)
            self._fill("title", 40, "pubmed_xml", "book")
            self._fill_abstract(facts.abstract, "pubmed_xml")
            return
        state.addressed = state.addressed or state.corresponding is None
        state.journal = True
        for kind, value in zip(_IDS, facts.ids, strict=True):
            self._set_id(kind, value, "pubmed_xml", depth)
        self._fill("title", 40, "pubmed_xml", "pubmed")
        self._fill("keywords", facts.keywords, "pubmed_xml", facts.keywords)
        self._fill("mesh", publication.mesh if facts.mesh else 0, "pubmed_xml", "pubmed_xml")
        self._fill_abstract(facts.abstract, "pubmed_xml")

    def _pubmed_html(self) -> None:
        state = self.state
        skip = ""
        if self.html_succeeded:
            skip = "succeeded before"
        elif self._all_final("title", "theAbstract"):
            skip = "final"
        if not self._branch("F-NEED-06", available=True, skip=skip, kinds=("pmid",), name="pubmed_html"):
            return
        pmid = state.value("pmid")
        self.tried.add(("pubmed_html", pmid))
        publication = self.universe.by_pmid(pmid)
        facts = publication.pubmed if publication else None
        found = facts is not None and facts.ids.pmid == pmid
        depth = self._ask("pubmed_html", "pmid", pmid, found, self._after_europepmc())
        if not found or facts is None or publication is None:
            return
        self.html_succeeded = True
        for kind, value in zip(_IDS, facts.ids, strict=True):
            self._set_id(kind, value, "pubmed_html", depth)
        self._fill("title", 40, "pubmed_html", "pubmed")
        self._fill(
            "keywords",
            facts.keywords if publication.page_abstract != "none" else 0,
            "pubmed_html",
            facts.keywords,
        )
        self._fill("mesh", publication.mesh if facts.mesh else 0, "pubmed_html", "pubmed_html")
        self._fill_abstract(publication.page_abstract, "pubmed_html")

    def _pmc(self) -> None:
        state = self.state
        skip = ""
        if self.pmc_succeeded:
            skip = "succeeded before"
        elif self._all_final("pmid", "pmcid", "doi", "title", "keywords", "theAbstract", "fulltext"):
            skip = "final"
        if not self._branch("F-NEED-07", available=True, skip=skip, kinds=("pmcid",), name="pmc"):
            return
        pmcid = state.value("pmcid")
        self.tried.add(("pmc", pmcid.lower()))
        publication = self.universe.by_pmcid(pmcid)
        facts = publication.pmc_fulltext if publication else None
        if facts and facts.ids.pmcid != pmcid:
            facts = None
        depth = self._ask("pmc", "pmcid", pmcid, facts is not None, self._after_europepmc())
        if facts:
            self.pmc_succeeded = True
            self._take_jats(facts, "pmc_xml", depth)

    # -- pages, Unpaywall, links ----------------------------------------------------------------------------------

    def _doi_page(self) -> None:
        state, branches = self.state, self.state.branches
        skip = ""
        if self.doi_succeeded:
            skip = "succeeded before"
        elif self._all_final("pmid", "pmcid", "doi", "title", "keywords", "theAbstract", "fulltext"):
            skip = "final"
        here = "doi" in self.resources
        if not self._branch("F-NEED-08", available=here, skip=skip, kinds=("doi",), name="doi"):
            return
        doi = state.value("doi")
        self.tried.add(("doi", doi.lower()))
        publication = self.universe.by_doi(doi)
        page = publication.pages.get(doi.lower()) if publication else None
        depth = self._ask("doi", "doi", doi, page is not None, self._after_all())
        if doi.lower() in self.failing:
            return
        if page is None or publication is None:
            branches["F-DOI-01 unknown DOI"] += 1
            return
        if page.way in ("values", "nowhere"):
            branches["F-DOI-01 no redirect" if page.way == "values" else "F-DOI-01 no Location"] += 1
            state.known = True
            return
        branches["F-DOI-09 linking hub" if page.way == "hub" else "F-DOI-01 redirect"] += 1
        if page.way == "alias":
            branches["F-DOI-01 relative Location"] += 1
            depth = self._ask("doi_alias", "doi", alias_of(page).lstrip("/"), True, depth)
        self.doi_succeeded = self._read(publication, page, page.url, "doi", depth, "DOI")

    def _read(
        self, publication: Publication, page: Page, url: str, type_: str, depth: int, kind: str = "link"
    ) -> bool:
        """Ask for a page and take what stands there; whether that is something."""
        branches, full = self.state.branches, url == page.full_url
        # F-DOI-02: the address that doi.org tells decides, and an alias tells another one.
        if self.browser and not (kind == "DOI" and page.way == "alias"):
            page = pages.rendered(page)
        if refuses(url) and url != page.pdf_url:
            branches[f"robots.txt refuses the {kind} page"] += 1
            self.state.known = True
            return False
        if kind == "DOI" and page.via:
            branches["F-DOI-02 further redirect"] += 1
            depth = self._ask("publisher", "url", page.via, True, depth)
        if url == page.pdf_url:
            return self._page_is_pdf(publication, page, url, type_, depth)
        readable = page.face in ("article", "abstract", "landing") and (not full or page.face == "article")
        depth = self._ask("publisher", "url", url, page.face != "gone" and (not full or readable), depth)
        name = page.face if not full or readable else "gone"
        branches[f"{kind} page: {name}"] += 1
        if url.lower() in self.failing:
            return False
        answered = name != "gone" and not (name == "bot" and publication.index % 2)
        if answered:
            self.tried_links.add(_place(url))
        self.state.known |= answered or name == "bot"  # a DOI that leads somewhere is registered
        if not readable:
            return False
        told = pages.said(publication, page, full)
        parts = [one.part for one in told.parts if one.part != "keywords" or type_ != "link_oadoi"]
        wanted = [part for part in parts if part in self.wanted and not self.state.final(part)]
        if not (told.ids or told.links or wanted):
            branches[f"{kind} page says nothing of use"] += 1
            return False
        branches["F-DOI-07 visited" if kind == "DOI" else "F-LNK-08 page read"] += 1
        self.state.visited.append((url, type_))
        self._take_page(publication, page, url, type_, depth)
        return True

    def _page_is_pdf(self, publication: Publication, page: Page, url: str, type_: str, depth: int) -> bool:
        """F-DOI-03, F-EXC-05: found out when it comes; then read as PDF if a full text is wanted."""
        branches = self.state.branches
        if refuses(url):
            branches["robots.txt refuses the PDF"] += 1
            self.state.known = True
            return False
        depth = self._ask("publisher_pdf", "url", url, True, depth)
        if url.lower() in self.failing:
            return False
        if page.pdf == "login":
            branches["link page: login" if type_ != "doi" else "DOI page: login"] += 1
            self.tried_links.add(_place(url))
            self.state.known = True
            return False
        branches["F-DOI-03 DOI is a PDF" if type_ == "doi" else "F-EXC-05 link is a PDF"] += 1
        if "fulltext" not in self.wanted or self.state.final("fulltext"):
            branches["F-PDF-02 no full text wanted"] += 1
            return False
        return self._read_pdf(publication, page, url, _PDF_OF[type_], depth)

    def _read_pdf(self, publication: Publication, page: Page, url: str, type_: str, depth: int) -> bool:
        """F-PDF-04: text, then document information; the first of each part stays."""
        branches, own = self.state.branches, url == page.pdf_url
        if refuses(url):
            branches["robots.txt refuses the PDF"] += 1
            self.state.known = True
            return False
        depth = self._ask("publisher_pdf", "url", url, True, depth)
        if url.lower() in self.failing:
            return False
        kind = page.pdf if own else "scanned"
        branches[f"PDF: {kind}"] += 1
        self.state.known |= kind != "scanned"
        if kind not in ("text", "wrong"):
            return False
        self.tried_links.add(_place(url))
        if kind == "wrong":
            return False
        told = pdf.information(publication)
        self._fill("fulltext", _PDF_TEXT_SIZE, type_, "pdf")
        if "Title" in told:
            self._fill("title", 40, type_, "pdf")
        if "Keywords" in told:
            self._fill("keywords", publication.keywords, type_, "pdf")
        if "Subject" in told:
            self._fill("theAbstract", 100, type_, "pdf")
        return True

    def _take_page(self, publication: Publication, page: Page, url: str, page_type: str, depth: int) -> None:
        """What a page says, in the order in which it is read."""
        branches = self.state.branches
        told = pages.said(publication, page, url == page.full_url)
        zenodo = "zenodo.org" in url
        is_text = pages.has_text(page, url == page.full_url)
        is_landing = page.face == "landing" or not is_text
        branches["F-DOI-04 rules" if told.by_rules else "F-DOI-05 no rules"] += 1
        for kind, value, type_ in told.ids:
            self._set_id(
                kind, value, page_type if type_ == "page" else _worse(type_, page_type), depth, zenodo
            )
        for part, type_, size, source in told.parts:
            if type_ == "webpage":
                if part == "fulltext" and is_landing:
                    continue
                self._fill(part, size, "webpage", source, True)
            elif type_ == "page":
                self._fill(part, size, page_type, source)
            elif part != "keywords" or page_type != "link_oadoi":
                branches[f"F-DOI-06 meta tags: {type_}"] += 1
                self._fill(part, size, _worse(type_, page_type), source, if_better=True)
        if told.email and self.state.corresponding is None:
            self.state.corresponding = ("", told.email)
        for address, type_ in told.links:
            if type_ in ("page", "pdf"):
                given = page_type if type_ == "page" else _PDF_OF.get(page_type, page_type)
            else:
                given = _worse(type_, page_type)
            self._collect(address, given, "page", depth)

    def _unpaywall(self) -> None:
        state, branches = self.state, self.state.branches
        only_ids = not (self.wanted - set(_IDS))
        enough = self._all_final("title", "theAbstract", "fulltext") and (
            state.oa or "fulltext" not in self.wanted
        )
        skip = ""
        if self.unpaywall_succeeded:
            skip = "succeeded before"
        elif enough and not (only_ids and not self._all_final(*_IDS)):
            skip = "final"
        here = "unpaywall" in self.resources
        if not self._branch("F-NEED-09", available=here, skip=skip, kinds=("doi",), name="unpaywall"):
            return
        doi = state.value("doi")
        self.tried.add(("unpaywall", doi.lower()))
        publication = self.universe.by_doi(doi)
        facts = publication.unpaywall if publication else None
        if publication is not None and doi.lower() not in (publication.ids.doi.lower(), *publication.pages):
            facts = None
        depth = self._ask("unpaywall", "doi", doi, facts is not None, self._after_europepmc())
        if f"unpaywall:{doi}".lower() in self.failing:
            return
        if facts is None or publication is None:
            branches["F-UPW-05 unknown DOI"] += 1
            return
        self.unpaywall_succeeded = state.known = True
        if facts.title:
            branches["F-UPW-03 title"] += 1
            self._fill("title", 40, "oadoi", "unpaywall")
        branches["F-UPW-03 open access" if facts.is_oa else "F-UPW-03 not open access"] += 1
        state.oa = state.oa or facts.is_oa
        if publication.kind != "preprint":
            branches["F-UPW-03 journal kept" if state.journal else "F-UPW-03 journal"] += 1
            state.journal = True
        for url, landing, file in facts.locations:
            for page in dict.fromkeys((url, landing)):
                if page and page == file:
                    branches["F-UPW-04 the address is the PDF's"] += 1
                elif page:
                    branches["F-UPW-04 page"] += 1
                    self._collect(page, "link_oadoi", "Unpaywall", depth)
            if file:
                branches["F-UPW-04 PDF"] += 1
                self._collect(file, "pdf_oadoi", "Unpaywall", depth)
            if not landing or not file:
                branches["F-UPW-04 null"] += 1

    def _collect(self, url: str, type_: str, source: str, depth: int) -> None:
        """F-LNK-01 to 06."""
        branches = self.state.branches
        branches[f"F-LNK-01 from a {source}" if source == "page" else f"F-LNK-01 from {source}"] += 1
        try:
            parts = urlsplit(url)
            host = (parts.hostname or "").removeprefix("www.")
        except ValueError:
            host = ""
        if not host or parts.scheme not in ("http", "https", "ftp"):
            branches["F-LNK-03 malformed"] += 1
        elif host in _DOI_HOSTS:
            branches["F-LNK-03 DOI link"] += 1
        elif host in _PMC_HOSTS:
            branches["F-LNK-03 PMC family"] += 1
            for kind, pattern in (("pmcid", _PMCID_IN_LINK), ("pmid", _PMID_IN_LINK)):
                if found := pattern.search(parts.path):
                    self._from_link(kind, found[1].upper(), type_, depth)  # type: ignore[arg-type]
                    break
        elif "links" not in self.resources:
            return
        elif _place(url) in self.tried_links:
            branches["F-LNK-03 tried"] += 1
        else:
            self._enlist(_Link(url, type_))

    def _from_link(self, kind: Part, value: str, type_: str, depth: int) -> None:
        if self.state.value(kind):
            self.state.branches["F-LNK-04 identifier known"] += 1
        else:
            self.state.branches[f"F-LNK-04 {kind} taken"] += 1
            self._set_id(kind, value, type_, depth)

    def _enlist(self, link: _Link) -> None:
        branches = self.state.branches
        known = next((one for one in self.links if _place(one.url) == _place(link.url)), None)
        if known is not None:
            if not _better(link.type, known.type):
                branches["F-LNK-03 listed"] += 1
                return
            branches["F-LNK-05 moves up"] += 1
            self.links.remove(known)

        def order(one: _Link) -> int:
            return -1 if one.type in _FINAL else _LADDER.index(one.type)

        if self.links and order(self.links[-1]) > order(link):
            branches["F-LNK-06 before a lesser one"] += 1
        self.links.append(link)
        self.links.sort(key=order)

    def _next_link(self) -> bool:
        """Follow the next link that is worth it; False when there is none (F-LNK-07, F-LNK-10, F-NEED-10…12)."""
        branches = self.state.branches
        four: tuple[Part, ...] = ("title", "keywords", "theAbstract", "fulltext")
        only_ids = not (self.wanted - set(_IDS))
        if "links" not in self.resources:
            return False
        if not self.links:
            branches["F-LNK no link left"] += 1
        while self.links:
            link = self.links[0]
            if self.followed >= MOST_LINKS:
                branches["F-LNK-10 limit"] += 1
                break
            if self._all_final(*_IDS) if only_ids else self._all_final(*four):
                branches["F-NEED-12 skipped: final"] += 1
                break
            worst = max(
                (_LADDER.index(self._worth(part)) for part in four if part in self.wanted), default=None
            )
            if worst is not None and not _better(link.type, _LADDER[worst]):
                branches["F-LNK-07 discarded"] += 1
                break
            branches["F-NEED-12 links looked at"] += 1
            self.links.pop(0)
            self.tried_links.add(_place(link.url))
            if link.type.startswith("pdf_"):
                if self._all_final("fulltext"):
                    branches["F-NEED-11 skipped: final"] += 1
                    continue
                branches["F-NEED-11 PDF wanted"] += 1
            else:
                needed: list[Part] = ["pmid", "pmcid", "doi", "title", "theAbstract", "fulltext"]
                if link.type != "link_oadoi":
                    needed.append("keywords")
                if self._all_final(*needed):
                    branches["F-NEED-10 skipped: final"] += 1
                    continue
                branches["F-NEED-10 page wanted"] += 1
            self.followed += 1
            self._follow(link)
            return True
        self.links.clear()
        return False

    def _follow(self, link: _Link) -> None:
        branches = self.state.branches
        publication = self.universe.by_doi(link.url)
        depth = self._after_all()
        for page in (*publication.pages.values(), *publication.copies) if publication else ():
            files = (page.pdf_url, *(address for _, address in page.more if address.endswith(".pdf")))
            if link.url in files and link.type.startswith("pdf_"):
                branches["F-LNK-09 PDF followed"] += 1
                self._read_pdf(publication, page, link.url, link.type, depth)  # type: ignore[arg-type]
                return
            if link.url in (page.url, page.full_url, page.pdf_url):
                branches["F-LNK-08 page followed"] += 1
                self._read(publication, page, link.url, link.type, depth)  # type: ignore[arg-type]
                return
        if refuses(link.url):
            self.state.known = True
            return
        branches["F-LNK-08 nothing there"] += 1
        self._ask("publisher", "url", link.url, False, depth)

    def _worth(self, part: Part) -> str:
        """Its type as links are measured by it: an article without its body is as good as none."""
        return "na" if self.state.parts.get(part, Value()).never_final else self._type(part)

    def _type(self, part: Part) -> str:
        return self.state.parts.get(part, Value()).type

    def _after_all(self) -> int:
        """The depth at which every answer so far was there."""
        return max((ask.depth + 1 for ask in self.state.asked), default=0)

    def _after_europepmc(self) -> int:
        """The depth at which Europe PMC's last answer so far was there."""
        depths = [ask.depth + 1 for ask in self.state.asked if ask.resource == "europepmc"]
        return max(depths, default=0)


def _full_text_size(facts: FullText) -> int:
    size = {"full": 30_000, "short": 300, "none": 0, "restricted": 0}[facts.body]
    return size + _ABSTRACT_SIZES[facts.abstract] + 40


def _version_form(old: str, new: str) -> str:
    one, two = old.upper(), new.upper()
    if all(doi.startswith("10.12688/F1000RESEARCH.") for doi in (one, two)):
        return "F1000Research"
    shorter, longer = sorted((one, two), key=len)
    return f"`{longer[len(shorter)]}` suffix on the {'new' if len(two) > len(one) else 'old'} one"
