"""What the reading of web pages is."""

from pubweave.contract.declaration import Declaration

DECLARATION = Declaration(
    name="webpages",
    label="Web pages",
    story="Reads web pages of tools and databases.",
    asked="for-pages",
    entry="webpage",
    slow_to_read=True,
)
