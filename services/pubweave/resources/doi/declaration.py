"""What the page of a DOI is."""

from pubweave.contract.declaration import ARTICLE, Budget, ChainRow, Declaration, SourceAddress, Type

DECLARATION = Declaration(
    name="doi",
    label="DOI page",
    story="Resolves a DOI and reads the publisher's page.",
    rows=(
        ChainRow(  # F-NEED-08
            80,
            "doi",
            asks=("doi",),
            skipped_when_final=ARTICLE,
            gives=ARTICLE,
            needs_all_settled=True,
        ),
    ),
    types=(
        Type("doi", 80, "Page of the DOI", final=True, pdf="pdf_doi"),
        Type("pdf_doi", 250, "PDF of the DOI"),
    ),
    addresses=(SourceAddress("doi", "https://doi.org", "The DOI resolver.", probe="/"),),
    budgets=(
        Budget(
            "doi",
            at=("doi.org", "dx.doi.org"),
            connections=8,
            source="exempt from the limit of one, since it only redirects (F-HOST-04); 8 is what PubFetcher's threads come to",
            as_of="2026-08",
        ),
    ),
    slow_to_read=True,
)
