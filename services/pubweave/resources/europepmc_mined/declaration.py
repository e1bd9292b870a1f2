"""What Europe PMC's annotations API is."""

from pubweave.contract.declaration import Batching, Budget, ChainRow, Declaration, SourceAddress

DECLARATION = Declaration(
    name="europepmc_mined",
    label="Europe PMC mined terms",
    story="Asks Europe PMC's annotations for the mined EFO and GO terms of up to 8 articles at once.",
    rows=(
        ChainRow(  # F-NEED-03
            30,
            "europepmc_mined",
            asks=("pmcid", "pmid"),
            skipped_when_final=frozenset({"efo"}),
            gives=frozenset({"efo"}),
            gate="hasTextMinedTerms",
        ),
        ChainRow(  # F-NEED-04
            40,
            "europepmc_mined",
            asks=("pmcid", "pmid"),
            skipped_when_final=frozenset({"go"}),
            gives=frozenset({"go"}),
            gate="hasTextMinedTerms",
        ),
    ),
    addresses=(
        SourceAddress(
            "annotations",
            "https://www.ebi.ac.uk/europepmc/annotations_api",
            "Europe PMC's annotations API.",
            probe="/annotationsByArticleIds?articleIds=MED:1&format=JSON",
        ),
    ),
    budgets=(
        Budget(
            "annotations",
            at=("www.ebi.ac.uk/europepmc/annotations_api",),
            requests=5,
            source="rate as europepmc; 1 to 8 article ids a call, Annotations API documentation",
            as_of="2026-08",
        ),
    ),
    # More than 8 in a request is answered with 400; two needs of one article share a slot.
    batching=Batching(max_needs=64, linger_ms=250, per_request=8),
)
