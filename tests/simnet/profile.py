"""What the universe is made of: every share in one place.

`KINDS` decides about identity and about who knows a publication; they exclude each other, their numbers are
per thousand, and every thousand consecutive publications have exactly that many. Everything else is drawn for each publication on its own, so it crosses
the kinds.
"""

from dataclasses import dataclass, field

from simnet.facts import Face, PdfKind, Way

KINDS: dict[str, tuple[int, str]] = {
    # who knows it
    "plain": (0, "Europe PMC, PubMed, PMC and the publisher agree (takes the rest of the thousand)"),
    "epmc-doi-only": (14, "Europe PMC has a record without PMID; it finds it by DOI only"),
    "unknown-pubmed": (22, "unknown to Europe PMC, known to PubMed"),
    "unknown-pmc": (13, "unknown to Europe PMC, known to PMC efetch (submitted by PMCID)"),
    "unknown-page": (12, "known only to doi.org: the page's meta tags are all there is"),
    "page-chain": (12, "Europe PMC does not find the DOI; the page's citation_pmid leads back to Europe PMC"),
    "nobody": (14, "known nowhere"),
    "pubmed-lacks": (12, "Europe PMC knows it, efetch and the PubMed page do not"),
    "html-helps": (12, "only the PubMed page has the abstract"),
    # identifiers discovered late
    "pmcid-late-pubmed": (26, "only PubMed XML tells the PMCID"),
    "pmcid-late-unpaywall": (12, "only an Unpaywall location tells the PMCID"),
    "pmid-late-jats": (13, "Europe PMC's record has no PMID, the full text has"),
    # wrong identifiers submitted: a better type corrects them (F-CHG-01)
    "wrong-doi": (12, "Europe PMC corrects the DOI"),
    "wrong-pmcid": (12, "Europe PMC corrects the PMCID"),
    "wrong-pmid": (12, "Europe PMC, asked by DOI, corrects the PMID"),
    "wrong-doi-jats": (12, "the full text corrects the DOI"),
    "wrong-doi-pubmed": (12, "PubMed corrects the DOI"),
    "wrong-doi-page": (12, "citation_doi of the page corrects the DOI"),
    # other values that are versions, not changes (F-ID-41)
    "version-dot": (24, "the submitted DOI differs from Europe PMC's by `.` and a digit"),
    "version-underscore": (24, "the same with `_`"),
    "version-hyphen": (24, "the same with `-`"),
    "version-f1000": (14, "the submitted F1000Research DOI is of another version"),
    "version-zenodo": (13, "the page on zenodo.org says another DOI"),
    "near-version": (12, "differs by `_v1`, which is a change, not a version"),
    # several results for one query (F-EPMC-06)
    "results-med": (12, "a PMC and a MED record: MED"),
    "results-pmc": (12, "a PPR and a PMC record: PMC"),
    "results-ppr": (12, "an ETH and a PPR record: PPR"),
    "results-other": (12, "a CBA and an ETH record: the first"),
    "results-two-med": (12, "two MED records claim one DOI: the first"),
    "results-not-pmid": (12, "one result contradicts the known PMID"),
    "results-not-pmcid": (12, "one result contradicts the known PMCID"),
    "results-not-doi": (12, "one result contradicts the known DOI"),
    "results-f1000": (12, "one result has another F1000Research version: tolerated"),
    "results-none-left": (12, "every result contradicts"),
    # traps
    "refs-trap": (20, "PubMed's record has neither DOI nor PMCID, its reference list has (fault 25)"),
    "book": (12, "PubMed has a PubmedBookArticle"),
    "preprint": (30, "a preprint (source PPR), half of them linked to their article"),
    "restricted": (12, "PMC gives only the front and a comment; Europe PMC has no full text"),
    "manuscript": (12, "an author manuscript: the full text is at PMC, not open access at Europe PMC"),
    "oa-404": (18, "isOpenAccess is Y, fullTextXML answers 404; half of them are at PMC"),
}  # fmt: skip

FACES: dict[Face, float] = {
    "article": 0.355,
    "abstract": 0.18,
    "landing": 0.08,
    "login": 0.05,
    "consent": 0.05,
    "bot": 0.06,
    "soft-404": 0.05,
    "gone": 0.05,
    "other": 0.05,
    "pdf": 0.11,
}
"""What stands at the address that a DOI leads to; publishers whose pages need scripts have `script` instead."""

COPY_FACES: dict[Face, float] = {
    "article": 0.34,
    "abstract": 0.26,
    "landing": 0.1,
    "login": 0.1,
    "bot": 0.1,
    "gone": 0.1,
}
"""What stands at the page of a copy in a repository."""

PDFS: dict[PdfKind, float] = {
    "text": 0.42,
    "scanned": 0.11,
    "locked": 0.12,
    "broken": 0.11,
    "login": 0.13,
    "wrong": 0.11,
}

WAYS: dict[Way, float] = {"direct": 0.83, "alias": 0.06, "values": 0.055, "nowhere": 0.055}
"""How doi.org answers; where a publisher's DOIs lead to the linking hub, `hub` instead of `direct`."""

BY_THE_PAGE = ("unknown-page", "page-chain", "wrong-doi-page", "version-zenodo")
"""Kinds that are about what a page says: it is there, and no wall before it."""

NOTICES: dict[str, float] = {
    "retracted": 0.015,
    "retraction-notice": 0.012,
    "erratum": 0.012,
    "has-erratum": 0.015,
    "concern": 0.012,
    "has-preprint": 0.03,
}
"""Relations to other publications, drawn for each publication with a MED record."""


@dataclass(frozen=True)
class Profile:
    """Shares (0-1) and ranges of everything that is not a kind."""

    kinds: dict[str, tuple[int, str]] = field(default_factory=lambda: dict(KINDS))
    notices: dict[str, float] = field(default_factory=lambda: dict(NOTICES))
    pmcid: float = 0.72
    """of the publications with a MED record: those in PMC"""
    open_access: float = 0.84
    """of those in PMC: full text at Europe PMC"""
    pmc_efetch: float = 0.9
    """of those in PMC: whole article at PMC efetch too"""
    no_doi: float = 0.03
    """of the plain ones: without a DOI"""
    doi_submitted: float = 0.3
    """of the ordinary ones: submitted by DOI alone"""
    pmcid_submitted: float = 0.15
    """of the ordinary ones with PMCID: submitted by PMCID alone"""
    no_abstract: float = 0.12
    short_abstract: float = 0.05
    """abstract below 200 characters at Europe PMC; half of them are longer at PubMed"""
    huge_abstract: float = 0.05
    """abstract of more than 2,200 characters"""
    structured_abstract: float = 0.35
    keywords_none: float = 0.3
    keywords_one: float = 0.06
    mesh_none: float = 0.3
    mined: float = 0.92
    """of the open access ones: hasTextMinedTerms = Y"""
    mined_closed: float = 0.5
    """of the others with an abstract"""
    mined_empty: float = 0.06
    """of those with hasTextMinedTerms = Y: no annotation of either type"""
    mined_med_only: float = 0.2
    """of those with hasTextMinedTerms = Y: answers under MED only"""
    no_body: float = 0.04
    """of the full texts: a body without text (scanned)"""
    short_body: float = 0.04
    """of the full texts: one or two sentences of body"""
    title_escaped: float = 0.3
    faces: dict[Face, float] = field(default_factory=lambda: dict(FACES))
    copy_faces: dict[Face, float] = field(default_factory=lambda: dict(COPY_FACES))
    pdfs: dict[PdfKind, float] = field(default_factory=lambda: dict(PDFS))
    unregistered: float = 0.02
    """of the DOIs: unknown to doi.org although others know them"""
    copies: float = 0.64
    """of the publications with a DOI: a copy in a repository that Unpaywall knows"""
    second_copy: float = 0.25
    """of these: another one elsewhere"""
    many_files: float = 0.4
    """of the pages without the text: links to thirteen files, all scanned"""
    odd_links: float = 0.2
    """of the other pages: a link among the meta tags that is odd"""
    """of the titles with markup: escaped tags at Europe PMC"""


STANDARD = Profile()
