"""The chain of chapter 9 walked over the universe's own description: what a job must ask, and what comes out.

No reply is made or read here; only facts are followed. `walk` is a plain sequential loop over resources 1-8
(F-CHAIN-01) with the skip conditions (F-NEED), the choice among results (F-EPMC-06), what is and is not a change of
an identifier (F-CHG-01, F-ID-41) and further passes (F-CHAIN-04). Links (9) are not followed.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from simnet.facts import AbstractSize, FullText, Ids, Page, Publication, Record, same_doi
from simnet.query import run
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
EVERYTHING = API | {"doi", "unpaywall"}

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
MOST_GENERATIONS = 10


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
) -> Walk | None:
    """Follow one submission; None when nobody in this universe could mean these identifiers."""
    publication = universe.owner(submitted)
    if publication is None:
        return None
    return _Walker(universe, publication, submitted, frozenset(parts), resources).run()


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


def _same(kind: str, one: str, other: str) -> bool:
    return same_doi(one, other) if kind == "doi" else one == other


class _Walker:
    def __init__(
        self,
        universe: Universe,
        publication: Publication,
        submitted: Ids,
        parts: frozenset[Part],
        resources: frozenset[str],
    ) -> None:
        self.universe = universe
        self.publication = publication
        self.wanted = parts
        self.resources = resources
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
            state.oa = False
            state.record = None
            self.gate_oa = self.gate_mined = self.europepmc_done = self.efo_done = self.go_done = False
            self.pubmed_succeeded = self.html_succeeded = self.pmc_succeeded = self.fulltext_succeeded = False
            self.doi_succeeded = self.unpaywall_succeeded = False
            self.tried.clear()
            self.pass_depth = max((ask.depth for ask in state.asked), default=0)

    def _generation(self) -> list[str]:
        """Passes until no new identifier appears; the kinds of identifiers that changed, if any."""
        state = self.state
        while True:
            before = {kind: state.value(kind) for kind in _IDS}
            state.passes += 1
            self._pass()
            changed = [k for k in _IDS if before[k] and not _same(k, before[k], state.value(k))]
            if changed:
                return list(changed)
            known = sum(1 for kind in _IDS if state.value(kind))
            if known <= sum(1 for value in before.values() if value):
                state.branches["F-CHG none"] += 1
                return []
            state.branches["F-CHG-03 new identifier, another pass"] += 1

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

    def _fill(self, part: Part, size: int, type_: str, source: object, never_final: bool = False) -> None:
        """F-FILL-01 … 05."""
        state = self.state
        if part not in self.wanted or not size or state.final(part):
            return
        now = state.parts.get(part, Value())
        both_final = type_ in _FINAL and now.type in _FINAL
        if _better(type_, now.type) or (both_final and size > now.size):
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
        for kind, value in zip(_IDS, record.ids, strict=True):
            self._set_id(kind, value, "europepmc", depth)
        self._fill("title", 40, "europepmc", record)
        self._fill("keywords", record.keywords, "europepmc", record.keywords)
        self._fill("mesh", publication.mesh if record.mesh else 0, "europepmc", "europepmc")
        self._fill_abstract(record.abstract, "europepmc")
        state.oa = state.oa or record.open_access
        state.preprint = record.source == "PPR"
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
        if not found or facts is None or publication is None or facts.book:
            return
        self.pubmed_succeeded = True
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

    def _doi_page(self) -> None:
        state = self.state
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
        depth = self._ask("doi", "doi", doi, page is not None, self._after_europepmc())
        if page is None:
            return
        self.doi_succeeded = True
        if page.via:
            depth = self._ask("publisher", "url", page.via, True, depth)
        depth = self._ask("publisher", "url", page.url, True, depth)
        self._take_page(page, depth)

    def _take_page(self, page: Page, depth: int) -> None:
        zenodo = "zenodo.org" in page.url
        for kind, value in zip(_IDS, page.ids, strict=True):
            self._set_id(kind, value, "citation", depth, zenodo)
        self._fill("title", 40, "citation", "page")
        self._fill("keywords", page.keywords, "citation", page.keywords)
        self._fill_abstract(page.abstract, "citation")

    def _unpaywall(self) -> None:
        state = self.state
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
        depth = self._ask("unpaywall", "doi", doi, facts is not None, self._after_europepmc())
        if facts is None or publication is None:
            self._link_branches(False, False)
            return
        self.unpaywall_succeeded = True
        if facts.title:
            self._fill("title", 40, "oadoi", "unpaywall")
        state.oa = state.oa or facts.is_oa
        pmcid_known = state.ids.get("pmcid", ("", "na"))
        for url, _, _ in facts.locations:
            if "/PMC" in url.upper() and pmcid_known[1] != "external":
                self._set_id("pmcid", publication.ids.pmcid, "link_oadoi", depth)
        pages = [url for url, _, pdf in facts.locations if url != pdf and "pmc" not in url.lower()]
        self._link_branches(
            bool(pages), any(pdf and "pmc" not in pdf.lower() for _, _, pdf in facts.locations)
        )

    def _link_branches(self, pages: bool, pdfs: bool) -> None:
        branches = self.state.branches
        if self._all_final("title", "keywords", "theAbstract", "fulltext"):
            branches["F-NEED-12 skipped: final"] += 1
            return
        branches["F-NEED-12 links looked at"] += 1
        branches["F-NEED-10 link page" if pages else "F-NEED-10 no link page"] += 1
        if pdfs:
            final = self._all_final("fulltext")
            branches["F-NEED-11 skipped: final" if final else "F-NEED-11 PDF wanted"] += 1

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
