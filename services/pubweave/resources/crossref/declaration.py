"""What Crossref is."""

from pubweave.contract.declaration import Batching, Budget, ChainRow, Declaration, SourceAddress, Type

DECLARATION = Declaration(
    name="crossref",
    label="Crossref",
    story="Asks Crossref for what publishers deposited of DOIs, up to 50 at once.",
    on=False,  # beyond the specification: records without it are what they were before
    rows=(
        ChainRow(
            95,
            "crossref",
            asks=("doi",),
            skipped_when_final=frozenset({"title", "theAbstract"}),
            gives=frozenset({"title", "theAbstract"}),
        ),
    ),
    types=(
        Type("crossref", 225, "Crossref"),
    ),  # what pages and Unpaywall say is better, what PDFs say is not
    addresses=(
        SourceAddress(
            "crossref",
            "https://api.crossref.org",
            "Crossref's REST API.",
            probe="/works?rows=0&filter=doi:10.5555/1",
        ),
    ),
    budgets=(
        Budget(
            "crossref",
            at=("api.crossref.org",),
            requests=1,
            with_key=3,
            key="email",
            source="Crossref blog of 2025-11-05, doi 10.64000/wadve-3tj60: lists in the public and in the polite pool",
            as_of="2025-12",
        ),
    ),
    # A filter may name more, but the address grows by each; other clients ask for 50, too.
    batching=Batching(max_needs=50, linger_ms=250),
)
