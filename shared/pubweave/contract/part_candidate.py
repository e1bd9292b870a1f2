from pubweave.contract.findings import Finding, Mark
from pubweave.contract.values import BlobRef, MeshTerm, MinedTerm
from pubweave.contract.vocabulary import PartName, TypeName


class PartCandidate(Finding, tag="part-candidate", frozen=True, omit_defaults=True):
    """A resource found a content for one part. Exactly one of the content members is set."""

    part: PartName
    type: TypeName
    url: str
    """Where it was found; the provenance of the part (F-ID-20, F-PT-03)."""
    size: int
    """Characters of a text, elements of a list; after trimming, so 0 means empty (F-FILL-02)."""
    text: str = ""
    words: tuple[str, ...] = ()
    mesh: tuple[MeshTerm, ...] = ()
    terms: tuple[MinedTerm, ...] = ()
    blob: BlobRef | None = None
    """The text, where it is too long to travel."""
    document: bytes = b""
    """The article that the full text was read from (JATS), until the runtime has put it with the blobs."""
    structured: BlobRef | None = None
    """The structured document of a full text made from JATS (JSON), where it was made beforehand, as 0.1 did."""
    source: BlobRef | None = None
    """The article that the full text was read from (JATS); its structured document is made of it when it is wanted."""
    marks: tuple[Mark, ...] = ()
    rule: str = ""
    """Which scraping rule of which version selected it, for `explain`."""
