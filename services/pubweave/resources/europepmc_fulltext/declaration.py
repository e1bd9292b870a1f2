"""What Europe PMC's full text is."""

from pubweave.contract.declaration import ARTICLE, ChainRow, Declaration, Type

DECLARATION = Declaration(
    name="europepmc_fulltext",
    label="Europe PMC full text",
    story="Asks Europe PMC for the full text of an open access article.",
    rows=(
        ChainRow(  # F-NEED-02
            20,
            "europepmc_fulltext",
            asks=("pmcid",),
            skipped_when_final=ARTICLE - {"pmcid"},
            gives=ARTICLE,
            gate="isOpenAccess",
        ),
    ),
    types=(Type("europepmc_xml", 20, "Europe PubMed Central fulltext XML", final=True),),
    slow_to_read=True,
)
