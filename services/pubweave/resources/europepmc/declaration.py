"""What Europe PMC's search is."""

from pubweave.contract.declaration import Batching, Budget, ChainRow, Declaration, SourceAddress, Type
from pubweave.contract.vocabulary import PART_NAMES

DECLARATION = Declaration(
    name="europepmc",
    label="Europe PMC",
    story="Asks Europe PMC's search for the record of a PMID, PMCID or DOI, up to 100 at once.",
    rows=(
        ChainRow(  # F-NEED-01
            10,
            "europepmc",
            asks=("pmid", "pmcid", "doi"),
            skipped_when_final=frozenset(PART_NAMES),
            gives=frozenset(
                {"pmid", "pmcid", "doi", "title", "keywords", "mesh", "theAbstract", "oa"}
                | {"isOpenAccess", "hasTextMinedTerms", "inEPMC", "hasPDF"}
            ),
            also_for_oa=True,
        ),
    ),
    types=(Type("europepmc", 10, "Europe PubMed Central", final=True),),
    addresses=(
        SourceAddress(
            "europepmc",
            "https://www.ebi.ac.uk/europepmc/webservices/rest",
            "Europe PMC's articles API.",
            probe="/search?query=ext_id:1%20src:med&format=json&pageSize=1",
        ),
    ),
    budgets=(
        Budget(
            "europepmc",
            at=("www.ebi.ac.uk/europepmc/webservices/rest",),
            requests=5,
            source="no official figure; third parties quote 10/s, half of it is planned; pageSize 1000 by POST is documented",
            as_of="2026-08",
        ),
    ),
    # The number of identifiers in a query has no documented limit.
    batching=Batching(max_needs=100, linger_ms=250),
)
