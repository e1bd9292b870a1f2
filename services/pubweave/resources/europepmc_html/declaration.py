"""What Europe PMC's page of an article is."""

from pubweave.contract.declaration import Declaration, SourceAddress, Type

DECLARATION = Declaration(
    name="europepmc_html",
    label="Europe PMC page",
    story="Reads Europe PMC's page of a PMCID, for test operations.",
    asked="by-tests",
    types=(
        Type("europepmc_html", 30, "Europe PubMed Central fulltext HTML", final=True, pdf="pdf_europepmc"),
        Type("pdf_europepmc", 230, "Europe PubMed Central PDF"),
    ),
    addresses=(SourceAddress("europepmc_pages", "http://europepmc.org", "Europe PMC's pages."),),
    slow_to_read=True,
)
