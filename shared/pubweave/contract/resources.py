"""Everything that the resources are, but the functions that ask and read.

Made by `make generate` from services/pubweave/resources/*/declaration.py; do not edit.
"""

from typing import Final, NamedTuple

from pubweave.contract.declaration import Batching, Budget, ChainRow, Declaration, SourceAddress, Type

DECLARATIONS: Final[tuple[Declaration, ...]] = (
    Declaration(
        name="europepmc",
        label="Europe PMC",
        story="Asks Europe PMC's search for the record of a PMID, PMCID or DOI, up to 100 at once.",
        rows=(
            ChainRow(
                rank=10,
                resource="europepmc",
                asks=("pmid", "pmcid", "doi"),
                skipped_when_final=frozenset(
                    {
                        "doi",
                        "efo",
                        "fulltext",
                        "go",
                        "keywords",
                        "mesh",
                        "pmcid",
                        "pmid",
                        "theAbstract",
                        "title",
                    },
                ),
                gives=frozenset(
                    {
                        "doi",
                        "hasPDF",
                        "hasTextMinedTerms",
                        "inEPMC",
                        "isOpenAccess",
                        "keywords",
                        "mesh",
                        "oa",
                        "pmcid",
                        "pmid",
                        "theAbstract",
                        "title",
                    },
                ),
                also_for_oa=True,
            ),
        ),
        types=(
            Type(
                name="europepmc",
                rank=10,
                label="Europe PubMed Central",
                final=True,
            ),
        ),
        addresses=(
            SourceAddress(
                name="europepmc",
                url="https://www.ebi.ac.uk/europepmc/webservices/rest",
                sentence="Europe PMC's articles API.",
                probe="/search?query=ext_id:1%20src:med&format=json&pageSize=1",
            ),
        ),
        budgets=(
            Budget(
                family="europepmc",
                at=("www.ebi.ac.uk/europepmc/webservices/rest",),
                source="no official figure; third parties quote 10/s, half of it is planned; pageSize 1000 by POST is documented",
                as_of="2026-08",
                requests=5,
            ),
        ),
        batching=Batching(max_needs=100, linger_ms=250),
    ),
    Declaration(
        name="europepmc_fulltext",
        label="Europe PMC full text",
        story="Asks Europe PMC for the full text of an open access article.",
        rows=(
            ChainRow(
                rank=20,
                resource="europepmc_fulltext",
                asks=("pmcid",),
                skipped_when_final=frozenset(
                    {
                        "doi",
                        "fulltext",
                        "keywords",
                        "pmid",
                        "theAbstract",
                        "title",
                    },
                ),
                gives=frozenset(
                    {
                        "doi",
                        "fulltext",
                        "keywords",
                        "pmcid",
                        "pmid",
                        "theAbstract",
                        "title",
                    },
                ),
                gate="isOpenAccess",
            ),
        ),
        types=(
            Type(
                name="europepmc_xml",
                rank=20,
                label="Europe PubMed Central fulltext XML",
                final=True,
            ),
        ),
        slow_to_read=True,
    ),
    Declaration(
        name="europepmc_mined",
        label="Europe PMC mined terms",
        story="Asks Europe PMC's annotations for the mined EFO and GO terms of up to 8 articles at once.",
        rows=(
            ChainRow(
                rank=30,
                resource="europepmc_mined",
                asks=("pmcid", "pmid"),
                skipped_when_final=frozenset({"efo"}),
                gives=frozenset({"efo"}),
                gate="hasTextMinedTerms",
            ),
            ChainRow(
                rank=40,
                resource="europepmc_mined",
                asks=("pmcid", "pmid"),
                skipped_when_final=frozenset({"go"}),
                gives=frozenset({"go"}),
                gate="hasTextMinedTerms",
            ),
        ),
        addresses=(
            SourceAddress(
                name="annotations",
                url="https://www.ebi.ac.uk/europepmc/annotations_api",
                sentence="Europe PMC's annotations API.",
                probe="/annotationsByArticleIds?articleIds=MED:1&format=JSON",
            ),
        ),
        budgets=(
            Budget(
                family="annotations",
                at=("www.ebi.ac.uk/europepmc/annotations_api",),
                source="rate as europepmc; 1 to 8 article ids a call, Annotations API documentation",
                as_of="2026-08",
                requests=5,
            ),
        ),
        batching=Batching(max_needs=64, linger_ms=250, per_request=8),
    ),
    Declaration(
        name="pubmed_xml",
        label="PubMed",
        story="Asks NCBI's efetch for the PubMed records of PMIDs, up to 200 at once.",
        rows=(
            ChainRow(
                rank=50,
                resource="pubmed_xml",
                asks=("pmid",),
                skipped_when_final=frozenset(
                    {
                        "doi",
                        "mesh",
                        "pmcid",
                        "pmid",
                        "theAbstract",
                        "title",
                    },
                ),
                gives=frozenset(
                    {
                        "doi",
                        "keywords",
                        "mesh",
                        "pmcid",
                        "pmid",
                        "theAbstract",
                        "title",
                    },
                ),
            ),
        ),
        types=(
            Type(
                name="pubmed_xml",
                rank=40,
                label="PubMed XML",
                final=True,
            ),
        ),
        addresses=(
            SourceAddress(
                name="eutils",
                url="https://eutils.ncbi.nlm.nih.gov/entrez/eutils",
                sentence="NCBI's E-utilities.",
                probe="/einfo.fcgi",
            ),
        ),
        budgets=(
            Budget(
                family="ncbi",
                at=("eutils.ncbi.nlm.nih.gov",),
                source="NCBI support articles KA-05317 and KA-05510; the batch size for pmc is a planning value",
                as_of="2026-08",
                requests=3,
                with_key=10,
                key="ncbi_api_key",
            ),
        ),
        batching=Batching(max_needs=200, linger_ms=250),
    ),
    Declaration(
        name="pubmed_html",
        label="PubMed page",
        story="Reads PubMed's web page of a PMID.",
        rows=(
            ChainRow(
                rank=60,
                resource="pubmed_html",
                asks=("pmid",),
                skipped_when_final=frozenset({"theAbstract", "title"}),
                gives=frozenset(
                    {
                        "doi",
                        "keywords",
                        "mesh",
                        "pmcid",
                        "pmid",
                        "theAbstract",
                        "title",
                    },
                ),
            ),
        ),
        types=(
            Type(
                name="pubmed_html",
                rank=50,
                label="PubMed HTML",
                final=True,
            ),
        ),
        addresses=(
            SourceAddress(
                name="pubmed",
                url="https://www.ncbi.nlm.nih.gov/pubmed",
                sentence="PubMed's pages.",
                probe="/",
            ),
        ),
        budgets=(
            Budget(
                family="ncbi_pages",
                at=(
                    "www.ncbi.nlm.nih.gov",
                    "pubmed.ncbi.nlm.nih.gov",
                    "pmc.ncbi.nlm.nih.gov",
                ),
                source="as ncbi; no figure of their own is published for the pages",
                as_of="2026-08",
                requests=3,
            ),
        ),
        slow_to_read=True,
    ),
    Declaration(
        name="pmc",
        label="PubMed Central",
        story="Asks NCBI's efetch for the PMC articles of PMCIDs, up to 20 at once.",
        rows=(
            ChainRow(
                rank=70,
                resource="pmc",
                asks=("pmcid",),
                skipped_when_final=frozenset(
                    {
                        "doi",
                        "fulltext",
                        "keywords",
                        "pmcid",
                        "pmid",
                        "theAbstract",
                        "title",
                    },
                ),
                gives=frozenset(
                    {
                        "doi",
                        "fulltext",
                        "keywords",
                        "pmcid",
                        "pmid",
                        "theAbstract",
                        "title",
                    },
                ),
            ),
        ),
        types=(
            Type(
                name="pmc_xml",
                rank=60,
                label="PubMed Central XML",
                final=True,
            ),
        ),
        batching=Batching(max_needs=20, linger_ms=250),
        slow_to_read=True,
    ),
    Declaration(
        name="doi",
        label="DOI page",
        story="Resolves a DOI and reads the publisher's page.",
        rows=(
            ChainRow(
                rank=80,
                resource="doi",
                asks=("doi",),
                skipped_when_final=frozenset(
                    {
                        "doi",
                        "fulltext",
                        "keywords",
                        "pmcid",
                        "pmid",
                        "theAbstract",
                        "title",
                    },
                ),
                gives=frozenset(
                    {
                        "doi",
                        "fulltext",
                        "keywords",
                        "pmcid",
                        "pmid",
                        "theAbstract",
                        "title",
                    },
                ),
                needs_all_settled=True,
            ),
        ),
        types=(
            Type(
                name="doi",
                rank=80,
                label="Page of the DOI",
                final=True,
                pdf="pdf_doi",
            ),
            Type(name="pdf_doi", rank=250, label="PDF of the DOI"),
        ),
        addresses=(
            SourceAddress(
                name="doi",
                url="https://doi.org",
                sentence="The DOI resolver.",
                probe="/",
            ),
        ),
        budgets=(
            Budget(
                family="doi",
                at=("doi.org", "dx.doi.org"),
                source="exempt from the limit of one, since it only redirects (F-HOST-04); 8 is what PubFetcher's threads come to",
                as_of="2026-08",
                connections=8,
            ),
        ),
        slow_to_read=True,
    ),
    Declaration(
        name="unpaywall",
        label="Unpaywall",
        story="Asks Unpaywall for the open copies of a DOI's article.",
        rows=(
            ChainRow(
                rank=90,
                resource="unpaywall",
                asks=("doi",),
                skipped_when_final=frozenset({"fulltext", "theAbstract", "title"}),
                gives=frozenset({"oa", "pmcid", "pmid", "title"}),
                also_for_oa=True,
                also_for_identifiers=True,
            ),
        ),
        types=(
            Type(
                name="link_oadoi",
                rank=100,
                label="Link from Unpaywall",
                final=True,
                pdf="pdf_oadoi",
            ),
            Type(name="oadoi", rank=220, label="Unpaywall"),
            Type(
                name="pdf_oadoi",
                rank=270,
                label="PDF from Unpaywall",
            ),
        ),
        addresses=(
            SourceAddress(
                name="unpaywall",
                url="https://api.unpaywall.org/v2",
                sentence="Unpaywall's API.",
                probe="/",
            ),
        ),
        budgets=(
            Budget(
                family="unpaywall",
                at=("api.unpaywall.org",),
                source="unpaywall.org/products/api (daily quota); the rate per second is ours",
                as_of="2026-08",
                requests=10,
                daily_quota=100000,
            ),
        ),
    ),
    Declaration(
        name="crossref",
        label="Crossref",
        story="Asks Crossref for what publishers deposited of DOIs, up to 50 at once.",
        on=False,
        rows=(
            ChainRow(
                rank=95,
                resource="crossref",
                asks=("doi",),
                skipped_when_final=frozenset({"theAbstract", "title"}),
                gives=frozenset({"theAbstract", "title"}),
            ),
        ),
        types=(Type(name="crossref", rank=225, label="Crossref"),),
        addresses=(
            SourceAddress(
                name="crossref",
                url="https://api.crossref.org",
                sentence="Crossref's REST API.",
                probe="/works?rows=0&filter=doi:10.5555/1",
            ),
        ),
        budgets=(
            Budget(
                family="crossref",
                at=("api.crossref.org",),
                source="Crossref blog of 2025-11-05, doi 10.64000/wadve-3tj60: lists in the public and in the polite pool",
                as_of="2025-12",
                requests=1,
                with_key=3,
                key="email",
            ),
        ),
        batching=Batching(max_needs=50, linger_ms=250),
    ),
    Declaration(
        name="datacite",
        label="DataCite",
        story="Asks DataCite for what repositories deposited of a DOI.",
        on=False,
        rows=(
            ChainRow(
                rank=97,
                resource="datacite",
                asks=("doi",),
                skipped_when_final=frozenset({"theAbstract", "title"}),
                gives=frozenset({"keywords", "theAbstract", "title"}),
            ),
        ),
        types=(Type(name="datacite", rank=227, label="DataCite"),),
        addresses=(
            SourceAddress(
                name="datacite",
                url="https://api.datacite.org",
                sentence="DataCite's REST API.",
                probe="/heartbeat",
            ),
        ),
        budgets=(
            Budget(
                family="datacite",
                at=("api.datacite.org",),
                source="secondary pages: for those who give an address in the User-Agent; 3,000 per 5 minutes for members",
                as_of="2026-08",
                requests=1000,
                seconds=300,
            ),
        ),
    ),
    Declaration(
        name="links",
        label="Links",
        story="Reads the pages that links of other pages and of Unpaywall lead to.",
        asked="by-links",
        types=(
            Type(
                name="link",
                rank=90,
                label="Supplied link",
                final=True,
                pdf="pdf_link",
            ),
            Type(
                name="citation",
                rank=110,
                label="HighWire meta tag",
            ),
            Type(
                name="eprints",
                rank=120,
                label="EPrints meta tag",
            ),
            Type(
                name="bepress",
                rank=130,
                label="bepress meta tag",
            ),
            Type(
                name="link_citation",
                rank=140,
                label="Link from HighWire meta tag",
                pdf="pdf_citation",
            ),
            Type(
                name="link_eprints",
                rank=150,
                label="Link from EPrints meta tag",
                pdf="pdf_eprints",
            ),
            Type(name="dc", rank=160, label="Dublin Core meta tag"),
            Type(name="og", rank=170, label="Open Graph meta tag"),
            Type(
                name="twitter",
                rank=180,
                label="Twitter meta tag",
            ),
            Type(name="meta", rank=190, label="Generic meta tag"),
            Type(
                name="link_meta",
                rank=200,
                label="Link from generic meta tag",
                pdf="pdf_meta",
            ),
            Type(
                name="webpage",
                rank=320,
                label="Web page without rules",
            ),
        ),
        slow_to_read=True,
    ),
    Declaration(
        name="pdf",
        label="PDF",
        story="Reads the PDFs that links lead to.",
        asked="by-links",
        types=(
            Type(
                name="pdf_link",
                rank=260,
                label="PDF from supplied link",
            ),
            Type(
                name="pdf_citation",
                rank=280,
                label="PDF from HighWire meta tag",
            ),
            Type(
                name="pdf_eprints",
                rank=290,
                label="PDF from EPrints meta tag",
            ),
            Type(
                name="pdf_bepress",
                rank=300,
                label="PDF from bepress meta tag",
            ),
            Type(
                name="pdf_meta",
                rank=310,
                label="PDF from generic meta tag",
            ),
        ),
    ),
    Declaration(
        name="docs",
        label="Docs",
        story="Reads documentation of tools and databases.",
        asked="for-pages",
        entry="doc",
        slow_to_read=True,
    ),
    Declaration(
        name="webpages",
        label="Web pages",
        story="Reads web pages of tools and databases.",
        asked="for-pages",
        entry="webpage",
        slow_to_read=True,
    ),
    Declaration(
        name="europepmc_html",
        label="Europe PMC page",
        story="Reads Europe PMC's page of a PMCID, for test operations.",
        asked="by-tests",
        types=(
            Type(
                name="europepmc_html",
                rank=30,
                label="Europe PubMed Central fulltext HTML",
                final=True,
                pdf="pdf_europepmc",
            ),
            Type(
                name="pdf_europepmc",
                rank=230,
                label="Europe PubMed Central PDF",
            ),
        ),
        addresses=(
            SourceAddress(
                name="europepmc_pages",
                url="http://europepmc.org",
                sentence="Europe PMC's pages.",
            ),
        ),
        slow_to_read=True,
    ),
    Declaration(
        name="pmc_html",
        label="PubMed Central page",
        story="Reads PubMed Central's page of a PMCID, for test operations.",
        asked="by-tests",
        types=(
            Type(
                name="pmc_html",
                rank=70,
                label="PubMed Central HTML",
                final=True,
                pdf="pdf_pmc",
            ),
            Type(
                name="pdf_pmc",
                rank=240,
                label="PubMed Central PDF",
            ),
        ),
        addresses=(
            SourceAddress(
                name="pmc",
                url="https://www.ncbi.nlm.nih.gov/pmc",
                sentence="PMC's pages.",
            ),
        ),
        slow_to_read=True,
    ),
)
"""Every resource, in the order of the chain; after it who follows links, reads pages, and serves tests."""


class Addresses(NamedTuple):
    """Base addresses of the outside, each a setting (P-28); no slash at the end."""

    europepmc: str = "https://www.ebi.ac.uk/europepmc/webservices/rest"
    annotations: str = "https://www.ebi.ac.uk/europepmc/annotations_api"
    eutils: str = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
    pubmed: str = "https://www.ncbi.nlm.nih.gov/pubmed"
    doi: str = "https://doi.org"
    unpaywall: str = "https://api.unpaywall.org/v2"
    crossref: str = "https://api.crossref.org"
    datacite: str = "https://api.datacite.org"
    europepmc_pages: str = "http://europepmc.org"
    pmc: str = "https://www.ncbi.nlm.nih.gov/pmc"
