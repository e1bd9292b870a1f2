"""What the reading of docs is."""

from pubweave.contract.declaration import Declaration

DECLARATION = Declaration(
    name="docs",
    label="Docs",
    story="Reads documentation of tools and databases.",
    asked="for-pages",
    entry="doc",
    slow_to_read=True,
)
