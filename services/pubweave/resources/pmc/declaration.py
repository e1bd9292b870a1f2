"""What PMC's efetch is."""

from pubweave.contract.declaration import ARTICLE, Batching, ChainRow, Declaration, Type

DECLARATION = Declaration(
    name="pmc",
    label="PubMed Central",
    story="Asks NCBI's efetch for the PMC articles of PMCIDs, up to 20 at once.",
    rows=(
        ChainRow(  # F-NEED-07
            70,
            "pmc",
            asks=("pmcid",),
            skipped_when_final=ARTICLE,
            gives=ARTICLE,
        ),
    ),
    types=(Type("pmc_xml", 60, "PubMed Central XML", final=True),),
    batching=Batching(max_needs=20, linger_ms=250),  # each of 100 KB and more
    slow_to_read=True,
)
