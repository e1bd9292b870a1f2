"""The names of the resources, and of the types that they give.

Made by `make generate` from services/pubweave/resources/*/declaration.py; do not edit.
"""

from typing import Literal

TypeName = Literal[
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
    "crossref",
    "datacite",
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

ResourceName = Literal[
    "europepmc",
    "europepmc_fulltext",
    "europepmc_mined",
    "pubmed_xml",
    "pubmed_html",
    "pmc",
    "doi",
    "unpaywall",
    "crossref",
    "datacite",
    "links",
    "pdf",
    "docs",
    "webpages",
    "europepmc_html",
    "pmc_html",
]
