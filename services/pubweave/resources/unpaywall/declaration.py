"""What Unpaywall is."""

from pubweave.contract.declaration import Budget, ChainRow, Declaration, SourceAddress, Type

DECLARATION = Declaration(
    name="unpaywall",
    label="Unpaywall",
    story="Asks Unpaywall for the open copies of a DOI's article.",
    rows=(
        ChainRow(  # F-NEED-09
            90,
            "unpaywall",
            asks=("doi",),
            skipped_when_final=frozenset({"title", "theAbstract", "fulltext"}),
            gives=frozenset({"pmid", "pmcid", "title", "oa"}),
            also_for_oa=True,
            also_for_identifiers=True,
        ),
    ),
    types=(
        Type("link_oadoi", 100, "Link from Unpaywall", final=True, pdf="pdf_oadoi"),
        Type("oadoi", 220, "Unpaywall"),
        Type("pdf_oadoi", 270, "PDF from Unpaywall"),
    ),
    addresses=(SourceAddress("unpaywall", "https://api.unpaywall.org/v2", "Unpaywall's API.", probe="/"),),
    budgets=(
        Budget(
            "unpaywall",
            at=("api.unpaywall.org",),
            requests=10,
            daily_quota=100_000,
            source="unpaywall.org/products/api (daily quota); the rate per second is ours",
            as_of="2026-08",
        ),
    ),
)
