"""What parts, types and outcomes are called in front of people (F-JSON-12)."""

from typing import Final

from pubweave.contract.vocabulary import PartName, ResourceName, TypeName

PART_LABELS: Final[dict[PartName, str]] = {
    "pmid": "PMID",
    "pmcid": "PMCID",
    "doi": "DOI",
    "title": "Title",
    "keywords": "Keywords",
    "mesh": "MeSH terms",
    "efo": "EFO terms",
    "go": "GO terms",
    "theAbstract": "Abstract",
    "fulltext": "Full text",
}

TYPE_LABELS: Final[dict[TypeName, str]] = {
    "europepmc": "Europe PubMed Central",
    "europepmc_xml": "Europe PubMed Central fulltext XML",
    "europepmc_html": "Europe PubMed Central fulltext HTML",
    "pubmed_xml": "PubMed XML",
    "pubmed_html": "PubMed HTML",
    "pmc_xml": "PubMed Central XML",
    "pmc_html": "PubMed Central HTML",
    "doi": "Page of the DOI",
    "link": "Supplied link",
    "link_oadoi": "Link from Unpaywall",
    "citation": "HighWire meta tag",
    "eprints": "EPrints meta tag",
    "bepress": "bepress meta tag",
    "link_citation": "Link from HighWire meta tag",
    "link_eprints": "Link from EPrints meta tag",
    "dc": "Dublin Core meta tag",
    "og": "Open Graph meta tag",
    "twitter": "Twitter meta tag",
    "meta": "Generic meta tag",
    "link_meta": "Link from generic meta tag",
    "external": "Supplied by the user",
    "oadoi": "Unpaywall",
    "pdf_europepmc": "Europe PubMed Central PDF",
    "pdf_pmc": "PubMed Central PDF",
    "pdf_doi": "PDF of the DOI",
    "pdf_link": "PDF from supplied link",
    "pdf_oadoi": "PDF from Unpaywall",
    "pdf_citation": "PDF from HighWire meta tag",
    "pdf_eprints": "PDF from EPrints meta tag",
    "pdf_bepress": "PDF from bepress meta tag",
    "pdf_meta": "PDF from generic meta tag",
    "webpage": "Web page without rules",
    "na": "Nothing",
}

RESOURCE_LABELS: Final[dict[ResourceName, str]] = {
    "europepmc": "Europe PMC",
    "europepmc_fulltext": "Europe PMC full text",
    "europepmc_mined": "Europe PMC mined terms",
    "pubmed_xml": "PubMed",
    "pubmed_html": "PubMed page",
    "pmc": "PubMed Central",
    "doi": "DOI page",
    "unpaywall": "Unpaywall",
    "links": "Links",
    "pdf": "PDF",
    "webpages": "Web pages",
    "docs": "Docs",
    "europepmc_html": "Europe PMC page",
    "pmc_html": "PubMed Central page",
}

NOTICE_LABELS: Final[dict[str, str]] = {
    "retracted": "Retracted",
    "withdrawn": "Withdrawn",
    "concern": "Expression of concern",
    "corrected": "Corrected",
    "retraction-notice": "Retraction notice",
    "correction-notice": "Correction notice",
}
"""Of notices about a publication; of another kind, the kind itself is said."""
