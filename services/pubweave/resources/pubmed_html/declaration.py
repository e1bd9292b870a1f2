"""What PubMed's page is."""

from pubweave.contract.declaration import PUBMED, Budget, ChainRow, Declaration, SourceAddress, Type

DECLARATION = Declaration(
    name="pubmed_html",
    label="PubMed page",
    story="Reads PubMed's web page of a PMID.",
    rows=(
        ChainRow(  # F-NEED-06 as the manual has it
            60,
            "pubmed_html",
            asks=("pmid",),
            skipped_when_final=frozenset({"title", "theAbstract"}),
            gives=PUBMED | {"keywords"},
        ),
    ),
    types=(Type("pubmed_html", 50, "PubMed HTML", final=True),),
    addresses=(SourceAddress("pubmed", "https://www.ncbi.nlm.nih.gov/pubmed", "PubMed's pages.", probe="/"),),
    budgets=(
        Budget(
            "ncbi_pages",
            at=("www.ncbi.nlm.nih.gov", "pubmed.ncbi.nlm.nih.gov", "pmc.ncbi.nlm.nih.gov"),
            requests=3,
            source="as ncbi; no figure of their own is published for the pages",
            as_of="2026-08",
        ),
    ),
    slow_to_read=True,
)
