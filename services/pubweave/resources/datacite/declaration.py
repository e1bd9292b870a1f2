"""What DataCite is."""

from pubweave.contract.declaration import Budget, ChainRow, Declaration, SourceAddress, Type

DECLARATION = Declaration(
    name="datacite",
    label="DataCite",
    story="Asks DataCite for what repositories deposited of a DOI.",
    on=False,  # beyond the specification: records without it are what they were before
    rows=(
        ChainRow(
            97,
            "datacite",
            asks=("doi",),
            skipped_when_final=frozenset({"title", "theAbstract"}),
            gives=frozenset({"title", "theAbstract", "keywords"}),
        ),
    ),
    types=(Type("datacite", 227, "DataCite"),),
    addresses=(
        SourceAddress("datacite", "https://api.datacite.org", "DataCite's REST API.", probe="/heartbeat"),
    ),
    budgets=(
        Budget(
            "datacite",
            at=("api.datacite.org",),
            requests=1000,
            seconds=300,
            source="secondary pages: for those who give an address in the User-Agent; 3,000 per 5 minutes for members",
            as_of="2026-08",
        ),
    ),
)
