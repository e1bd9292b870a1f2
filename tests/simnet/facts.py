"""The facts about publications: who they are, who knows what, who is wrong. Data only."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from simnet.publishers import Journal, Vocabulary

AbstractSize = Literal["none", "short", "long", "huge"]
"""none; below 150 characters; 350-2,000; above 2,200 (whitespace-normalised, without labels)."""
Body = Literal["full", "short", "none", "restricted"]
"""20-70 KB of text; one or two sentences; a body without text; no body and a comment that forbids it."""

Face = Literal[
    "article", "abstract", "landing", "login", "consent", "bot", "soft-404", "gone", "other", "pdf", "script"
]  # fmt: skip
"""What stands at a page's address: the article; its abstract only; a page about it without either; a wall (login, consent,
bot); "not found" at 200; 404; another article; a PDF; an empty page before its scripts have run."""
PdfKind = Literal["text", "scanned", "locked", "broken", "login", "wrong"]
"""What stands at a PDF's address: text; pages without text; a password; rubbish; a login page; another article."""
Way = Literal["direct", "alias", "hub", "values", "nowhere"]
"""What doi.org answers: the address of the page (or of its hop); a relative one, which leads to another DOI; the linking
hub; a page instead of a redirect; a redirect without an address."""


class Ids(NamedTuple):
    """PMID, PMCID (with prefix) and DOI as registered; empty where there is none."""

    pmid: str = ""
    pmcid: str = ""
    doi: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """What one Europe PMC record says."""

    source: str
    id: str
    ids: Ids
    open_access: bool = False
    mined: bool = False
    abstract: AbstractSize = "none"
    keywords: int = 0
    mesh: bool = False
    manuscript: bool = False
    twin: bool = False


@dataclass(frozen=True, slots=True)
class Pubmed:
    """What PubMed says (efetch, and the page unless `Publication.page_abstract` differs)."""

    ids: Ids
    abstract: AbstractSize
    keywords: int
    mesh: bool
    book: bool = False
    reference_ids: bool = False
    """the reference list has DOIs, PMIDs and PMCIDs of others"""


@dataclass(frozen=True, slots=True)
class FullText:
    """What a JATS article says."""

    ids: Ids
    pmcid_form: Literal["bare", "prefixed", "pmc"]
    body: Body
    abstract: AbstractSize
    keywords: int
    dialect: Literal["2015", "2019", "2025"]
    manuscript: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """What a landing page says in its meta tags, and where it is."""

    url: str
    ids: Ids
    keywords: int
    abstract: AbstractSize
    pdf_url: str
    via: str = ""
    """doi.org leads to this address, which redirects to `url`; empty: straight to `url`"""
    site: str = ""
    """key of the publisher or repository"""
    face: Face = "article"
    way: Way = "direct"
    full_url: str = ""
    """the page that has the text, where `url` has only the abstract"""
    pdf: PdfKind = "text"
    vocabularies: tuple[Vocabulary, ...] = ("citation",)
    also: str = ""
    """another DOI that the page names as one of its own"""
    more: tuple[tuple[str, str], ...] = ()
    """further links among the meta tags: (name of the tag, address)"""


@dataclass(frozen=True, slots=True)
class Unpaywall:
    is_oa: bool
    title: bool
    locations: tuple[tuple[str, str, str], ...] = ()
    """each (url, url_for_landing_page, url_for_pdf); empty strings are null"""
    status: Literal["gold", "hybrid", "bronze", "green", "closed"] = "closed"


@dataclass(frozen=True, slots=True)
class Publication:
    """One publication of the universe: facts, no texts."""

    seed: int
    index: int
    kind: str
    ids: Ids
    submitted: Ids
    journal: Journal
    year: int
    records: tuple[Record, ...]
    pubmed: Pubmed | None
    page_abstract: AbstractSize
    """abstract on the PubMed page"""
    europepmc_fulltext: FullText | None
    pmc_fulltext: FullText | None
    pages: dict[str, Page] = field(hash=False)
    """by DOI in lower case"""
    copies: tuple[Page, ...] = field(hash=False)
    """at repositories, as Unpaywall knows them"""
    unpaywall: Unpaywall | None
    mined_under: Literal["", "PMC", "MED", "both"]
    efo: int
    go: int
    structured: bool
    keywords: int
    mesh: int
    notice: str
    citations: int
    dialect: Literal["2015", "2019", "2025"]

    @property
    def translated(self) -> bool:
        """Not in English: PubMed puts the title into brackets."""
        return self.index % 40 == 0

    @property
    def month(self) -> int:
        return 1 + (self.index * 7) % 12

    @property
    def day(self) -> int:
        return 1 + (self.index * 11) % 28

    @property
    def date(self) -> str:
        """First publication date, ISO."""
        return f"{self.year}-{self.month:02d}-{self.day:02d}"


def ids_of(text: str) -> Ids:
    """One identifier as text into its place."""
    if text.isdigit():
        return Ids(pmid=text)
    return Ids(pmcid=text) if text.upper().startswith("PMC") else Ids(doi=text)


def same_doi(one: str, other: str) -> bool:
    """DOIs are compared without regard to the case of ASCII letters."""
    return one.lower() == other.lower()


def lines(submissions: Sequence[Ids]) -> str:
    """An ID file in three tab-separated columns."""
    return "".join("\t".join(ids) + "\n" for ids in submissions)
