"""How a publication comes about: first as everybody would agree, then bent by its kind (see `simnet.profile`)."""

import random
from dataclasses import dataclass, field, replace
from typing import Literal

from simnet.draw import draw, pick
from simnet.facts import AbstractSize, Body, FullText, Ids, Page, Publication, Pubmed, Record, Unpaywall
from simnet.numbers import OTHER, TWIN, WRONG, doi_of, number_of, pmcid_of, pmid_of, scramble
from simnet.profile import Profile
from simnet.publishers import BY_KEY, F1000, JOURNALS


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
            self._pages(),
            self._unpaywall(),
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

    def _pages(self) -> dict[str, Page]:
        if not self.page_exists or not self.page_doi:
            return {}
        n = number_of(self.index)
        base = f"https://{self.publisher.host}"
        registered = self.doi if self.doi else self.page_doi
        page = base + self.publisher.page.format(doi=registered, n=n, year=self.year)
        page_abstract: AbstractSize = self.abstract if self.index % 3 else "none"
        page = page.replace("<", "%3C").replace(">", "%3E")
        hop = (
            base + self.publisher.hop.format(doi=registered, n=n)
            if self.publisher.hop and self.index % 2
            else ""
        )
        facts = Page(
            page,
            self.page_ids,
            self.keywords if self.index % 4 else 0,
            page_abstract,
            base
            + self.publisher.pdf.format(doi=registered, n=n, year=self.year)
            .replace("<", "%3C")
            .replace(">", "%3E"),
            hop,
        )
        pages = {self.page_doi.lower(): facts}
        if self.kind in ("wrong-doi-page",):
            pages[self.doi.lower()] = facts
        if self.kind.startswith(("version", "near-version", "results-f1000")) and self.submitted.doi:
            pages[self.submitted.doi.lower()] = facts
            pages[self.doi.lower()] = facts
        return pages

    def _unpaywall(self) -> Unpaywall | None:
        if not self.unpaywall_knows or not self.doi:
            return None
        n = number_of(self.index)
        locations: list[tuple[str, str, str]] = []
        if self.open_access:
            pdf = f"https://{self.publisher.host}" + self.publisher.pdf.format(
                doi=self.doi, n=n, year=self.year
            )
            pdf = pdf.replace("<", "%3C").replace(">", "%3E")
            locations.append((pdf, f"https://doi.org/{self.doi}", pdf))
        if self.unpaywall_repository and self.in_pmc:
            form = self.index % 3
            place = (
                f"https://europepmc.org/articles/{self.pmcid}",
                f"https://www.ncbi.nlm.nih.gov/pmc/articles/{self.pmcid}",
                f"http://europepmc.org/articles/{self.pmcid.lower()}?pdf=render",
            )[form]
            locations.append((place, place if form < 2 else "", "" if form < 2 else place))
        status: Literal["gold", "hybrid", "bronze", "green", "closed"] = "closed"
        if locations:
            status = "green" if not self.open_access else ("gold", "hybrid", "bronze")[self.index % 3]
        return Unpaywall(bool(locations), self.index % 10 != 0, tuple(locations), status)
