"""What PMC's page of an article is."""

from pubweave.contract.declaration import Declaration, SourceAddress, Type

DECLARATION = Declaration(
    name="pmc_html",
    label="PubMed Central page",
    story="Reads PubMed Central's page of a PMCID, for test operations.",
    asked="by-tests",
    types=(
        Type("pmc_html", 70, "PubMed Central HTML", final=True, pdf="pdf_pmc"),
        Type("pdf_pmc", 240, "PubMed Central PDF"),
    ),
    addresses=(SourceAddress("pmc", "https://www.ncbi.nlm.nih.gov/pmc", "PMC's pages."),),
    slow_to_read=True,
)
