"""What PubMed's efetch is."""

from pubweave.contract.declaration import PUBMED, Batching, Budget, ChainRow, Declaration, SourceAddress, Type

DECLARATION = Declaration(
    name="pubmed_xml",
    label="PubMed",
    story="Asks NCBI's efetch for the PubMed records of PMIDs, up to 200 at once.",
    rows=(
        ChainRow(  # F-NEED-05: keywords alone are no reason
            50,
            "pubmed_xml",
            asks=("pmid",),
            skipped_when_final=PUBMED,
            gives=PUBMED | {"keywords"},
        ),
    ),
    types=(Type("pubmed_xml", 40, "PubMed XML", final=True),),
    addresses=(
        SourceAddress(
            "eutils",
            "https://eutils.ncbi.nlm.nih.gov/entrez/eutils",
            "NCBI's E-utilities.",
            probe="/einfo.fcgi",
        ),
    ),
    budgets=(
        Budget(
            "ncbi",
            at=("eutils.ncbi.nlm.nih.gov",),
            requests=3,
            with_key=10,
            key="ncbi_api_key",
            source="NCBI support articles KA-05317 and KA-05510; the batch size for pmc is a planning value",
            as_of="2026-08",
        ),
    ),
    # Beyond 250 records in one reply some are lost without a word (NCBI clients report).
    batching=Batching(max_needs=200, linger_ms=250),
)
