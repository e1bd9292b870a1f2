"""What parts, types and outcomes are called in front of people (F-JSON-12)."""

from typing import Final

from pubweave.contract.declaration import types_of
from pubweave.contract.resources import DECLARATIONS
from pubweave.contract.vocabulary import PartName, ResourceName, TypeName

PART_LABELS: Final[dict[PartName, str]] = {
    "pmid": "PMID",
    "pmcid": "PMCID",
    "doi": "DOI",
    "title": "Title",
    "keywords": "Keywords",
    "mesh": "MeSH terms",
    "efo": "EFO terms",
    "go": "GO terms",
    "theAbstract": "Abstract",
    "fulltext": "Full text",
}

TYPE_LABELS: Final[dict[TypeName, str]] = {one.name: one.label for one in types_of(DECLARATIONS)}

RESOURCE_LABELS: Final[dict[ResourceName, str]] = {one.name: one.label for one in DECLARATIONS}

NOTICE_LABELS: Final[dict[str, str]] = {
    "retracted": "Retracted",
    "withdrawn": "Withdrawn",
    "concern": "Expression of concern",
    "corrected": "Corrected",
    "retraction-notice": "Retraction notice",
    "correction-notice": "Correction notice",
}
"""Of notices about a publication; of another kind, the kind itself is said."""
