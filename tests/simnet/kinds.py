"""How a publication comes about: first as everybody would agree, then bent by its kind (see `simnet.profile`)."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar

from simnet.draw import draw, pick
from simnet.facts import (
    AbstractSize,
    Body,
    Face,
    FullText,
    Ids,
    Page,
    Publication,
    Pubmed,
    Record,
    Unpaywall,
)
from simnet.numbers import OTHER, TWIN, WRONG, doi_of, number_of, pmcid_of, pmid_of, scramble
from simnet.profile import BY_THE_PAGE, WAYS, Profile
from simnet.publishers import (
    BY_JAVASCRIPT,
    BY_KEY,
    F1000,
    HUBBED,
    JOURNALS,
    REPOSITORIES,
    Vocabulary,
)

T = TypeVar("T")


@dataclass
class Draft:
    """A publication in the making: first as everybody would agree, then bent by its kind."""

    seed: int
    index: int
    kind: str
    profile: Profile
    rng: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.rng = draw(self.seed, "publication", self.index)
        self._facts()
        self._agree()
        self._partner()
        bend = getattr(self, "_bend_" + self.kind.replace("-", "_"))
        bend()

    # -- what is true whatever the kind ---------------------------------------------------------------------------

    def _facts(self) -> None:
        rng, profile = self.rng, self.profile
        self.journal = pick(JOURNALS, rng)
        if self.kind.endswith("f1000"):
            self.journal = F1000
        self.year = 1996 + int(rng.random() * 30)
        self.publisher = self.journal.publisher
        if self.kind in ("preprint", "version-zenodo"):
            self.publisher = BY_KEY["biorxiv" if self.kind == "preprint" else "zenodo"]
        self.pmid = pmid_of(self.index)
        self.pmcid = pmcid_of(self.index)
        self.doi = doi_of(self.publisher, self.index, self.year)
        self.abstract = self._abstract_size()
        self.structured = rng.random() < profile.structured_abstract
        self.keywords = 0
        if (roll := rng.random()) >= profile.keywords_none:
            self.keywords = (
                1 if roll < profile.keywords_none + profile.keywords_one else 2 + int(rng.random() * 6)
            )
        self.mesh = 0 if rng.random() < profile.mesh_none else 1 + int(rng.random() * 11)
        self.in_pmc = rng.random() < profile.pmcid
        self.open_access = self.in_pmc and rng.random() < profile.open_access
        self.at_pmc = self.in_pmc and rng.random() < profile.pmc_efetch
        self.mined = rng.random() < (profile.mined if self.open_access else profile.mined_closed)
        self.body: Body = "full"
        if (roll := rng.random()) < profile.no_body:
            self.body = "none"
        elif roll < profile.no_body + profile.short_body:
            self.body = "short"
        self.dialect = pick(("2015", "2019", "2025", "2025"), rng)
        self.manuscript = False
        self.notice = ""

    def _abstract_size(self) -> AbstractSize:
        profile, roll = self.profile, self.rng.random()
        if roll < profile.no_abstract:
            return "none"
        if roll < profile.no_abstract + profile.short_abstract:
            return "short"
        if roll < profile.no_abstract + profile.short_abstract + profile.huge_abstract:
            return "huge"
        return "long"

    # -- everybody agrees -----------------------------------------------------------------------------------------

    def _agree(self) -> None:
        """The state before the kind: one MED record, PubMed, PMC, publisher and Unpaywall say the same."""
        rng = self.rng
        if self.kind == "plain" and rng.random() < self.profile.no_doi:
            self.doi = ""
        self.true = Ids(self.pmid, self.pmcid if self.in_pmc else "", self.doi)
        self.submitted = Ids(pmid=self.pmid)
        roll = rng.random()
        if self.doi and roll < self.profile.doi_submitted:
            self.submitted = Ids(doi=self.doi)
        elif self.in_pmc and roll < self.profile.doi_submitted + self.profile.pmcid_submitted:
            self.submitted = Ids(pmcid=self.pmcid)
        elif roll > 0.9:
            self.submitted = self.true
        self.keywords_at_europepmc = self.keywords if rng.random() < 0.85 else 0
        self.keywords_at_pubmed = self.keywords if rng.random() < 0.5 else 0
        self.mesh_at_europepmc = rng.random() < 0.93
        self.abstract_at_pubmed: AbstractSize = self.abstract
        if self.abstract == "short" and rng.random() < 0.6:
            self.abstract_at_pubmed = "long"
        self.pubmed_knows, self.book, self.reference_ids = True, False, rng.random() < 0.3
        self.pubmed_ids = self.true
        self.page_abstract: AbstractSize = self.abstract_at_pubmed
        self.jats_ids = Ids(
            self.pmid if rng.random() < 0.5 else "", self.pmcid, self.doi if rng.random() < 0.95 else ""
        )
        self.jats_abstract: AbstractSize = self.abstract
        self.jats_body_pmc: Body = self.body
        self.records: list[Record] = [self._record("MED", self.true)]
        self.page_ids = Ids("", "", self.doi) if rng.random() < 0.9 else Ids()
        if self.page_ids.doi and rng.random() < 0.06:
            self.page_ids = Ids(self.pmid, "", self.doi)
        self.page_exists = bool(self.doi) and rng.random() < 0.97
        self.page_doi = self.doi
        self.page_url = ""
        self.unpaywall_knows = bool(self.doi) and rng.random() < 0.92
        self.unpaywall_repository = rng.random() < 0.25
        roll = rng.random()
        self.mined_under: Literal["", "PMC", "MED", "both"] = "both" if self.in_pmc else "MED"
        if roll < self.profile.mined_empty:
            self.mined_under = ""
        elif roll < self.profile.mined_empty + self.profile.mined_med_only:
            self.mined_under = "MED"
        elif roll > 0.85 and self.in_pmc:
            self.mined_under = "PMC"
        notice_roll, base = rng.random(), 0.0
        for name, part in self.profile.notices.items():
            if base <= notice_roll < base + part and self.kind == "plain":
                self.notice = name
            base += part

    def _record(self, source: str, ids: Ids, **changes: object) -> Record:
        record_id = {"MED": ids.pmid, "PMC": ids.pmcid}.get(source, "")
        if not record_id:
            record_id = {"PPR": "PPR", "AGR": "IND", "ETH": "", "CBA": ""}[source] + str(
                (scramble(self.index) << 2) + (OTHER if source == "CBA" else 0)
            )
        values: dict[str, object] = {
            "open_access": self.open_access and bool(ids.pmcid),
            "mined": self.mined,
            "abstract": self.abstract,
            "keywords": self.keywords_at_europepmc,
            "mesh": self.mesh_at_europepmc and source == "MED",
            "manuscript": self.manuscript,
        }
        return Record(source, record_id, ids, **{**values, **changes})  # type: ignore[arg-type]

    def _partner(self) -> None:
        """The notice, article or preprint at the other end of a relation has a record of its own."""
        if not self.notice:
            return
        bare = {"twin": True, "open_access": False, "mined": False, "keywords": 0, "mesh": False}
        if self.notice == "has-preprint":
            doi = doi_of(BY_KEY["biorxiv"], self.index, self.year, OTHER)
            self.records.append(self._record("PPR", Ids(doi=doi), **bare))
        else:
            ids = Ids(pmid=pmid_of(self.index, OTHER))
            self.records.append(self._record("MED", ids, **{**bare, "abstract": "none"}))

    def _need_full_text(self) -> None:
        self.in_pmc = self.open_access = self.at_pmc = True
        self.true = Ids(self.pmid, self.pmcid, self.doi)
        self.pubmed_ids = self.true
        self.records = [self._record("MED", self.true)]

    def _only(self, *records: Record) -> None:
        self.records = list(records)

    def _not_in_pmc(self) -> None:
        self.in_pmc = self.open_access = self.at_pmc = False
        self.mined_under = "MED" if self.mined_under else ""

    # -- the kinds ------------------------------------------------------------------------------------------------

    def _bend_plain(self) -> None: ...

    def _bend_epmc_doi_only(self) -> None:
        self._not_in_pmc()
        self.true = Ids(doi=self.doi)
        self.pubmed_knows, self.mined_under, self.mined = False, "", False
        self.page_ids = Ids(doi=self.page_ids.doi)
        self.submitted = self.true
        self._only(self._record("AGR", self.true))

    def _bend_unknown_pubmed(self) -> None:
        self.open_access = False
        self.submitted = Ids(pmid=self.pmid)
        self._only()

    def _bend_unknown_pmc(self) -> None:
        self.in_pmc, self.at_pmc, self.open_access = True, True, False
        self.true = self.pubmed_ids = Ids(self.pmid, self.pmcid, self.doi)
        self.jats_ids = self.true
        self.body = self.jats_body_pmc = "full"
        self.submitted = Ids(pmcid=self.pmcid)
        self._only()

    def _bend_unknown_page(self) -> None:
        self._not_in_pmc()
        self.true = self.submitted = self.page_ids = Ids(doi=self.doi)
        self.pubmed_knows, self.page_exists = False, True
        self.unpaywall_repository = False
        self._only()

    def _bend_page_chain(self) -> None:
        self.submitted = Ids(doi=self.doi)
        self.page_exists = True
        self.page_ids = Ids(self.pmid, "", self.doi)
        self._only(self._record("MED", Ids(self.pmid, self.true.pmcid, "")))

    def _bend_nobody(self) -> None:
        self._not_in_pmc()
        self.true = Ids()
        self.submitted = pick((Ids(pmid=self.pmid), Ids(pmcid=self.pmcid), Ids(doi=self.doi)), self.rng)
        self.pubmed_knows = self.page_exists = self.unpaywall_knows = False
        self.mined_under = ""
        self._only()

    def _bend_pubmed_lacks(self) -> None:
        self._not_in_pmc()
        self.true = self.submitted = Ids(pmid=self.pmid)
        self.doi, self.page_exists, self.unpaywall_knows = "", False, False
        self.pubmed_knows = False
        self._only(self._record("MED", self.true))

    def _bend_html_helps(self) -> None:
        self._not_in_pmc()
        self.true = Ids(self.pmid, "", self.doi)
        self.pubmed_ids = self.true
        self.abstract = self.abstract_at_pubmed = "none"
        self.page_abstract = "long"
        self.submitted = Ids(pmid=self.pmid)
        self._only(self._record("MED", self.true))

    def _bend_pmcid_late_pubmed(self) -> None:
        self._need_full_text()
        self.submitted = Ids(pmid=self.pmid)
        flag = self.rng.random() < 0.7
        self.open_access = flag
        self._only(self._record("MED", Ids(self.pmid, "", self.doi), open_access=flag))

    def _bend_pmcid_late_unpaywall(self) -> None:
        self._need_full_text()
        self.submitted = Ids(doi=self.doi)
        self.page_exists, self.page_ids = True, Ids(doi=self.doi)
        self.unpaywall_knows = self.unpaywall_repository = True
        self._only(self._record("MED", Ids(self.pmid, self.pmcid, "")))

    def _bend_pmid_late_jats(self) -> None:
        self._need_full_text()
        self.jats_ids = self.true
        self.submitted = Ids(pmcid=self.pmcid)
        self._only(self._record("PMC", Ids("", self.pmcid, self.doi)))

    def _bend_wrong_doi(self) -> None:
        self.submitted = Ids(self.pmid, "", doi_of(self.publisher, self.index, self.year, WRONG))

    def _bend_wrong_pmcid(self) -> None:
        self._need_full_text()
        self.submitted = Ids(self.pmid, pmcid_of(self.index, WRONG), "")

    def _bend_wrong_pmid(self) -> None:
        self.submitted = Ids(pmid_of(self.index, WRONG), "", self.doi)

    def _bend_wrong_doi_jats(self) -> None:
        self._need_full_text()
        self.jats_ids = self.true
        self.submitted = Ids("", self.pmcid, doi_of(self.publisher, self.index, self.year, WRONG))
        self._only(self._record("MED", Ids(self.pmid, self.pmcid, "")))

    def _bend_wrong_doi_pubmed(self) -> None:
        self.open_access = False
        self.submitted = Ids(self.pmid, "", doi_of(self.publisher, self.index, self.year, WRONG))
        self._only()

    def _bend_wrong_doi_page(self) -> None:
        wrong = doi_of(self.publisher, self.index, self.year, WRONG)
        self.submitted = Ids(doi=wrong)
        self.page_exists, self.page_ids = True, Ids(doi=self.doi)
        self.page_doi = wrong

    def _version(self, suffix: str) -> None:
        versioned = self.doi + suffix
        if self.rng.random() < 0.5:
            self.submitted = Ids(self.pmid, "", versioned)
        else:
            self.submitted = Ids(self.pmid, "", self.doi)
            self.doi = versioned
            self.true = self.pubmed_ids = Ids(self.pmid, self.true.pmcid, versioned)
            self.jats_ids = Ids(self.jats_ids.pmid, self.jats_ids.pmcid, versioned)
            self.page_ids = Ids(self.page_ids.pmid, "", versioned)
            self._only(self._record("MED", self.true))

    def _bend_version_dot(self) -> None:
        self._version(f".{2 + self.index % 3}")

    def _bend_version_underscore(self) -> None:
        self._version(f"_{2 + self.index % 3}")

    def _bend_version_hyphen(self) -> None:
        self._version(f"-{2 + self.index % 3}")

    def _bend_version_f1000(self) -> None:
        first = self.doi
        self.doi = first[:-1] + "2"
        self.true = self.pubmed_ids = Ids(self.pmid, self.true.pmcid, self.doi)
        self.jats_ids = Ids(self.jats_ids.pmid, self.jats_ids.pmcid, self.doi)
        self.submitted = Ids(self.pmid, "", first)
        self.page_ids = Ids(doi=self.doi)
        self._only(self._record("MED", self.true))

    def _bend_version_zenodo(self) -> None:
        self._not_in_pmc()
        self.true = self.submitted = Ids(doi=self.doi)
        self.pubmed_knows, self.page_exists = False, True
        self.mined_under = ""
        self.page_ids = Ids(doi=doi_of(self.publisher, self.index, self.year, WRONG))
        self._only()

    def _bend_near_version(self) -> None:
        self.submitted = Ids(self.pmid, "", self.doi + "_v1")

    def _bend_results_med(self) -> None:
        self._need_full_text()
        self.submitted = Ids(pmcid=self.pmcid)
        self._only(
            self._record("PMC", Ids("", self.pmcid, self.doi), abstract="none"),
            self._record("MED", self.true),
        )

    def _bend_results_pmc(self) -> None:
        self._need_full_text()
        self.submitted = Ids(doi=self.doi)
        self._only(
            self._record("PPR", Ids(doi=self.doi)),
            self._record("PMC", Ids("", self.pmcid, self.doi), mesh=False),
        )

    def _bend_results_ppr(self) -> None:
        self._not_in_pmc()
        self.true = self.submitted = Ids(doi=self.doi)
        self.page_ids = Ids(doi=self.page_ids.doi)
        self.pubmed_knows, self.mined_under, self.mined = False, "", False
        self._only(self._record("ETH", self.true, abstract="none"), self._record("PPR", self.true))

    def _bend_results_other(self) -> None:
        self._not_in_pmc()
        self.true = self.submitted = Ids(doi=self.doi)
        self.page_ids = Ids(doi=self.page_ids.doi)
        self.pubmed_knows, self.mined_under, self.mined = False, "", False
        self._only(self._record("CBA", self.true), self._record("ETH", self.true, abstract="none"))

    def _bend_results_two_med(self) -> None:
        self.submitted = Ids(doi=self.doi)
        twin = Ids(pmid_of(self.index, TWIN), "", self.doi)
        self._only(
            self._record("MED", self.true),
            self._record("MED", twin, twin=True, open_access=False, mined=False, keywords=0, abstract="none"),
        )

    def _bend_results_not_pmid(self) -> None:
        self._need_full_text()
        self.jats_ids = self.true
        self.submitted = Ids(self.pmid, "", self.doi)
        twin = Ids(pmid_of(self.index, TWIN), "", self.doi)
        self._only(
            self._record("MED", twin, twin=True, open_access=False, mined=False),
            self._record("PMC", Ids("", self.pmcid, self.doi)),
        )

    def _bend_results_not_pmcid(self) -> None:
        self._need_full_text()
        self.submitted = Ids("", self.pmcid, self.doi)
        other = Ids("", pmcid_of(self.index, OTHER), self.doi)
        self._only(self._record("PMC", other, twin=True), self._record("MED", Ids(self.pmid, "", self.doi)))

    def _bend_results_not_doi(self) -> None:
        self._need_full_text()
        self.submitted = Ids("", self.pmcid, self.doi)
        other = Ids("", self.pmcid, doi_of(self.publisher, self.index, self.year, TWIN))
        self._only(self._record("PMC", other, twin=True), self._record("MED", self.true))

    def _bend_results_f1000(self) -> None:
        self._need_full_text()
        second = self.doi[:-1] + "2"
        self.submitted = Ids("", self.pmcid, self.doi)
        self.true = self.pubmed_ids = Ids(self.pmid, self.pmcid, second)
        self.jats_ids = Ids("", self.pmcid, second)
        self.page_ids = Ids(doi=second)
        self._only(self._record("PMC", Ids("", self.pmcid, second)), self._record("MED", self.true))

    def _bend_results_none_left(self) -> None:
        self._need_full_text()
        self.submitted = Ids("", self.pmcid, self.doi)
        one = Ids("", self.pmcid, doi_of(self.publisher, self.index, self.year, TWIN))
        two = Ids(
            pmid_of(self.index, OTHER), self.pmcid, doi_of(self.publisher, self.index, self.year, OTHER)
        )
        self._only(
            self._record("PMC", one, twin=True),
            self._record("MED", two, twin=True),
            self._record("MED", Ids(self.pmid, "", self.doi)),
        )

    def _bend_refs_trap(self) -> None:
        self._not_in_pmc()
        self.true = self.pubmed_ids = self.submitted = Ids(pmid=self.pmid)
        self.doi, self.page_exists, self.unpaywall_knows = "", False, False
        self.reference_ids = True
        self._only(self._record("MED", self.true))

    def _bend_book(self) -> None:
        self._not_in_pmc()
        self.true = self.pubmed_ids = self.submitted = Ids(pmid=self.pmid)
        self.doi, self.page_exists, self.unpaywall_knows = "", False, False
        self.book = True
        self._only(self._record("MED", self.true, mined=False))

    def _bend_preprint(self) -> None:
        self._not_in_pmc()
        self.true = self.submitted = Ids(doi=self.doi)
        self.page_ids = Ids(doi=self.page_ids.doi)
        self.pubmed_knows, self.mined_under, self.mined = False, "", False
        self.notice = "preprint-of" if self.rng.random() < 0.5 else ""
        self._only(self._record("PPR", self.true, mesh=False, mined=self.rng.random() < 0.6))
        self._partner()

    def _bend_restricted(self) -> None:
        self._need_full_text()
        self.open_access = False
        self.jats_body_pmc = "restricted"
        self._only(self._record("MED", self.true))

    def _bend_manuscript(self) -> None:
        self._need_full_text()
        self.open_access, self.manuscript = False, True
        self.body = self.jats_body_pmc = "full"
        self._only(self._record("MED", self.true))

    def _bend_oa_404(self) -> None:
        self._need_full_text()
        self.at_pmc = self.rng.random() < 0.5
        self._only(self._record("MED", self.true))

    # -- the finished publication ---------------------------------------------------------------------------------

    def finish(self) -> Publication:
        europepmc_fulltext = pmc_fulltext = None
        if self.in_pmc:
            form = pick(("bare", "prefixed"), self.rng) if self.dialect == "2025" else "bare"
            jats = FullText(
                self.jats_ids,
                form,  # type: ignore[arg-type]
                self.body,
                self.jats_abstract,
                self.keywords,
                self.dialect,  # type: ignore[arg-type]
                self.manuscript,
            )
            if self.open_access and self.kind != "oa-404":
                europepmc_fulltext = jats
            if self.at_pmc:
                pmc_fulltext = FullText(
                    Ids(self.pmid if self.true.pmid else "", jats.ids.pmcid, jats.ids.doi),
                    "prefixed" if self.dialect == "2025" else "pmc",
                    self.jats_body_pmc,
                    self.jats_abstract,
                    self.keywords,
                    self.dialect,  # type: ignore[arg-type]
                    self.manuscript,
                )
        copies = self._copies()
        pubmed = None
        if self.pubmed_knows:
            pubmed = Pubmed(
                self.pubmed_ids,
                self.abstract_at_pubmed,
                self.keywords_at_pubmed,
                self.mesh > 0,
                self.book,
                self.reference_ids,
            )
        records = tuple(
            record if record.mesh == (record.mesh and self.mesh > 0) else replace(record, mesh=False)
            for record in self.records
        )
        return Publication(
            self.seed,
            self.index,
            self.kind,
            self.true,
            self.submitted,
            self.journal,
            self.year,
            records,
            pubmed,
            self.page_abstract if self.pubmed_knows else "none",
            europepmc_fulltext,
            pmc_fulltext,
            self._pages(copies),
            copies,
            self._unpaywall(copies),
            self.mined_under if self.mined else "",
            *self._term_counts(),
            self.structured,
            self.keywords,
            self.mesh,
            self.notice,
            int(self.rng.expovariate(1 / 25)),
            self.dialect,  # type: ignore[arg-type]
        )

    def _term_counts(self) -> tuple[int, int]:
        roll = self.rng.random()
        efo, go = 1 + int(self.rng.random() * 5), 1 + int(self.rng.random() * 6)
        if roll < 0.08:
            return 0, go
        return (efo, 0) if roll < 0.16 else (efo, go)

    # -- what stands on the web -----------------------------------------------------------------------------------

    def _address(self, template: str, doi: str) -> str:
        """A path on the publisher's host as a whole address."""
        path = template.format(doi=doi, n=number_of(self.index), year=self.year)
        return f"https://{self.publisher.host}" + path.replace("<", "%3C").replace(">", "%3E")

    def _pages(self, copies: tuple[Page, ...]) -> dict[str, Page]:
        if not self.page_exists or not self.page_doi:
            return {}
        registered = self.doi if self.doi else self.page_doi
        publisher, rng = self.publisher, draw(self.seed, "page", self.index)
        if self.kind not in BY_THE_PAGE and rng.random() < self.profile.unregistered:
            return {}
        page_abstract: AbstractSize = self.abstract if self.index % 3 else "none"
        if page_abstract == "short" and publisher.key in RULELESS:
            page_abstract = "none"
        certain = self.kind in BY_THE_PAGE
        face = _one_of(self.profile.faces, rng.random())
        if certain and face not in ("article", "abstract"):
            face = "article" if self.index % 2 else "abstract"
        way = _one_of(WAYS, rng.random())
        if certain and way in ("values", "nowhere"):
            way = "direct"
        if publisher.key in HUBBED and way == "direct":
            way = "hub"
        shown = BY_KEY["elsevier"] if way == "hub" else publisher
        if shown.key in BY_JAVASCRIPT:
            face = "script"
        url = self._address(publisher.page, registered)
        if way == "hub":
            url = f"https://{shown.host}" + shown.page.format(n=number_of(self.index))
        pdf_url = self._address(publisher.pdf, registered)
        vocabularies = _vocabularies(publisher.key, rng)
        facts = Page(
            pdf_url if face == "pdf" else url,
            self._told_by_page(face, registered),
            self.keywords if self.index % 4 else 0,
            page_abstract,
            pdf_url,
            self._address(publisher.hop, registered)
            if publisher.hop and self.index % 2 and way != "hub" and face != "pdf"
            else "",
            shown.key,
            face,
            way,
            self._address(publisher.full, registered) if publisher.full and way != "hub" else "",
            _one_of(self.profile.pdfs, rng.random()),
            vocabularies if self.page_ids.doi else ("citation",),
            self._also(() if face == "script" else vocabularies, certain),
            self._more(face, url, pdf_url, copies, rng) if face in ("article", "abstract", "landing") else (),
        )
        pages = {self.page_doi.lower(): facts}
        if self.kind in ("wrong-doi-page",):
            pages[self.doi.lower()] = facts
        if self.kind.startswith(("version", "near-version", "results-f1000")) and self.submitted.doi:
            pages[self.submitted.doi.lower()] = facts
            pages[self.doi.lower()] = facts
        return pages

    def _told_by_page(self, face: Face, registered: str) -> Ids:
        if self.kind == "page-chain" and self.index % 3:
            return Ids(doi=self.doi)
        return Ids(doi=registered) if face == "script" and not self.page_ids.doi else self.page_ids

    def _also(self, vocabularies: tuple[Vocabulary, ...], certain: bool) -> str:
        """The DOI that leads here, where the page tells another one and must not be taken for another article's."""
        if certain and self.page_ids.doi != self.page_doi:
            return self.page_doi
        told_as_own = "citation" in vocabularies or "bepress" in vocabularies
        return "" if told_as_own or self.submitted.doi in ("", self.doi) else self.submitted.doi

    def _more(
        self, face: Face, url: str, pdf_url: str, copies: tuple[Page, ...], rng: random.Random
    ) -> tuple[tuple[str, str], ...]:
        """Links among the meta tags beyond those that every page of a vocabulary has."""
        if self.kind == "page-chain" and self.index % 3:
            place = f"https://www.ncbi.nlm.nih.gov/pmc/articles/{self.true.pmcid}/"
            if self.index % 3 == 1 or not self.true.pmcid:
                place = f"https://europepmc.org/abstract/MED/{self.pmid}"
            return (("citation_fulltext_html_url", place),)
        if face != "article" and rng.random() < self.profile.many_files:
            return tuple(
                ("citation_pdf_url", f"{_root(url)}/files/{number_of(self.index)}/{k}.pdf") for k in range(13)
            )
        if rng.random() < self.profile.odd_links:
            odd: tuple[str, ...] = (
                "http://[broken/link",
                "javascript:void(0)",
                f"https://doi.org/{self.doi or self.page_doi}",
                "https://europepmc.org/",
                url,
                pdf_url,
                *(copy.url for copy in copies),
                *(copy.url for copy in copies),
            )
            return (("citation_fulltext_html_url", pick(odd, rng)),)
        return ()

    def _copies(self) -> tuple[Page, ...]:
        """Copies in repositories, each with a page and a file."""
        if not self.unpaywall_knows or not self.doi:
            return ()
        rng = draw(self.seed, "copies", self.index)
        if rng.random() >= self.profile.copies:
            return ()
        count = 2 if rng.random() < self.profile.second_copy else 1
        copies = []
        for repository in rng.sample(REPOSITORIES, count):
            n = number_of(self.index)
            # A repository may know the PMID that nobody told before (F-CHAIN-06).
            ids = Ids(self.pmid if self.kind == "page-chain" else "", "", self.doi)
            copies.append(
                Page(
                    f"https://{repository.host}{repository.page.format(n=n)}",
                    ids,
                    self.keywords,
                    self.abstract if rng.random() < 0.7 and self.abstract != "short" else "none",
                    f"https://{repository.host}{repository.pdf.format(n=n)}",
                    site=repository.key,
                    face=_one_of(self.profile.copy_faces, rng.random()),
                    pdf=_one_of(self.profile.pdfs, rng.random()),
                    vocabularies=("og", "twitter")
                    if repository.vocabulary == "og"
                    else (repository.vocabulary,),
                    also=self._also((repository.vocabulary,), certain=False),
                )
            )
        return tuple(copies)

    def _unpaywall(self, copies: tuple[Page, ...]) -> Unpaywall | None:
        if not self.unpaywall_knows or not self.doi:
            return None
        locations: list[tuple[str, str, str]] = []
        if self.open_access:
            pdf = self._address(self.publisher.pdf, self.doi)
            locations.append((pdf, f"https://doi.org/{self.doi}", pdf))
        if self.unpaywall_repository and self.in_pmc:
            form = self.index % 3
            place = (
                f"https://europepmc.org/articles/{self.pmcid}",
                f"https://www.ncbi.nlm.nih.gov/pmc/articles/{self.pmcid}",
                f"http://europepmc.org/articles/{self.pmcid.lower()}?pdf=render",
            )[form]
            if self.kind == "pmcid-late-unpaywall" and self.index % 4 == 0:
                place, form = f"https://europepmc.org/abstract/MED/{self.pmid}", 0
            locations.append((place, place if form < 2 else "", "" if form < 2 else place))
        for number, copy in enumerate(copies):
            # The file alone; page and file; the page alone.
            told = ("file", "both", "page", "both")[(self.index + number) % 4]
            locations.append(
                (
                    copy.url if told == "page" else copy.pdf_url,
                    "" if told == "file" else copy.url,
                    "" if told == "page" else copy.pdf_url,
                )
            )
        if locations and self.index % 23 == 0:
            locations.append(("http://[broken/location", "", ""))
        if locations and self.index % 29 == 0:
            place = f"https://europepmc.org/abstract/MED/{self.pmid}"
            locations.append((place, place, ""))
        status: Literal["gold", "hybrid", "bronze", "green", "closed"] = "closed"
        if locations:
            status = "green" if not self.open_access else ("gold", "hybrid", "bronze")[self.index % 3]
        return Unpaywall(bool(locations), self.index % 10 != 0, tuple(locations), status)


_MIXES: tuple[tuple[Vocabulary, ...], ...] = (
    ("citation",),
    ("citation",),
    ("citation", "dc"),
    ("citation", "og", "twitter"),
)
_OTHERS: tuple[tuple[Vocabulary, ...], ...] = (
    ("citation",),
    ("dc", "og"),
    ("og", "twitter"),
    ("meta",),
    ("citation", "meta"),
)
RULELESS = ("nejm", "lancet", "thieme", "lww")
"""Publishers whose pages differ in their meta tags, not in a layout of their own."""


def _vocabularies(key: str, rng: random.Random) -> tuple[Vocabulary, ...]:
    return pick(_OTHERS if key in RULELESS else _MIXES, rng)


def _one_of(shares: Mapping[T, float], roll: float) -> T:
    """One of the keys by its share; the last one takes the rest."""
    base = 0.0
    for one, part in shares.items():
        base += part
        if roll < base:
            return one
    return one


def _root(url: str) -> str:
    return url[: url.index("/", len("https://"))]
