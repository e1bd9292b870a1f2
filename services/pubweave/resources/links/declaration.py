"""What the reading of pages that links lead to is."""

from pubweave.contract.declaration import Declaration, Type

DECLARATION = Declaration(
    name="links",
    label="Links",
    story="Reads the pages that links of other pages and of Unpaywall lead to.",
    asked="by-links",
    types=(
        Type("link", 90, "Supplied link", final=True, pdf="pdf_link"),
        # What is read from meta tags, of a DOI's page too.
        Type("citation", 110, "HighWire meta tag"),
        Type("eprints", 120, "EPrints meta tag"),
        Type("bepress", 130, "bepress meta tag"),
        Type("link_citation", 140, "Link from HighWire meta tag", pdf="pdf_citation"),
        Type("link_eprints", 150, "Link from EPrints meta tag", pdf="pdf_eprints"),
        Type("dc", 160, "Dublin Core meta tag"),
        Type("og", 170, "Open Graph meta tag"),
        Type("twitter", 180, "Twitter meta tag"),
        Type("meta", 190, "Generic meta tag"),
        Type("link_meta", 200, "Link from generic meta tag", pdf="pdf_meta"),
        Type("webpage", 320, "Web page without rules"),
    ),
    slow_to_read=True,
)
