"""What the reading of PDFs that links lead to is."""

from pubweave.contract.declaration import Declaration, Type

DECLARATION = Declaration(
    name="pdf",
    label="PDF",
    story="Reads the PDFs that links lead to.",
    asked="by-links",
    types=(
        Type("pdf_link", 260, "PDF from supplied link"),
        Type("pdf_citation", 280, "PDF from HighWire meta tag"),
        Type("pdf_eprints", 290, "PDF from EPrints meta tag"),
        Type("pdf_bepress", 300, "PDF from bepress meta tag"),
        Type("pdf_meta", 310, "PDF from generic meta tag"),
    ),
)
