"""The record of a publication: ten parts, the fields, and what is computed from them (chapters 3 and 4)."""

from collections.abc import Iterable
from typing import Final

import msgspec

from pubweave.contract.values import (
    BlobRef,
    CorrespAuthor,
    Identifiers,
    MeshTerm,
    MinedTerm,
    Notice,
    Place,
    Relation,
    Thresholds,
    Value,
    VisitedSite,
)
from pubweave.contract.vocabulary import CONTENT_PARTS, PART_NAMES, IdentifierKind, PartName, TypeName
from pubweave.contract.widening import read_widely
from pubweave.core.types import FINAL, RANK

_WEBPAGE = RANK["webpage"]

LEAST_TEXT: Final = 1000
"""Characters below which a full text stands for none where there is a longer one: what came is a cover or a stub."""


class Part(Value, frozen=True, omit_defaults=True):
    """One part: content, type, url and timestamp, always set together (F-PT-03, F-FILL-07)."""

    type: TypeName = "na"
    url: str = ""
    timestamp: int = 0
    """When the content was fetched; for an empty part when the entry was made."""
    size: int = 0
    text: str = ""
    words: tuple[str, ...] = ()
    mesh: tuple[MeshTerm, ...] = ()
    terms: tuple[MinedTerm, ...] = ()
    blob: BlobRef | None = None
    """The text, where it is long."""
    structured: BlobRef | None = None
    """The structured document of its text (JSON), in records of 0.1."""
    source: BlobRef | None = None
    """The article that its text was read from (JATS)."""
    place: Place | None = None
    """The candidate that won."""
    never_final: bool = False
    """An article without body text: whatever its length, its full text is not final."""

    @property
    def is_empty(self) -> bool:
        return self.size == 0

    @property
    def document(self) -> BlobRef | None:
        """What the structured document of its text is read from (`core.reading.jats.stored`)."""
        return self.source or self.structured


def minimum_size(part: PartName, thresholds: Thresholds) -> int:
    """From which size a part is usable (the table of chapter 3.1)."""
    match part:
        case "pmid" | "pmcid" | "doi":
            return 1
        case "title":
            return thresholds.titleMinLength
        case "keywords" | "mesh":
            return thresholds.keywordsMinSize
        case "efo" | "go":
            return thresholds.minedTermsMinSize
        case "theAbstract":
            return thresholds.abstractMinLength
        case "fulltext":
            return thresholds.fulltextMinLength


def is_usable(name: PartName, part: Part, thresholds: Thresholds) -> bool:
    """Large enough; a full text also needs a type better than `webpage` (F-PT-10)."""
    if name == "fulltext" and RANK.get(part.type, _WEBPAGE) >= _WEBPAGE:
        return False
    return part.size >= minimum_size(name, thresholds)


def is_final(name: PartName, part: Part, thresholds: Thresholds) -> bool:
    """Of a final type and usable (F-TY-10, F-TY-11)."""
    return part.type in FINAL and not part.never_final and is_usable(name, part, thresholds)


class Record(Value, frozen=True, omit_defaults=True):
    """A publication as it is stored and published. What can be computed is not here (F-PT-34)."""

    publication: str
    fetch_time: int = 0
    retry_counter: int = 0
    fetch_exception: bool = False
    oa: bool = False
    journal_title: str = ""
    pub_date: int = -1
    """UNIX ms of 00:00 UTC; -1 = unknown."""
    citations_count: int = -1
    citations_timestamp: int = -1
    corresp_author: tuple[CorrespAuthor, ...] = ()
    visited_sites: tuple[VisitedSite, ...] = ()
    pmid: Part = Part()
    pmcid: Part = Part()
    doi: Part = Part()
    title: Part = Part()
    keywords: Part = Part()
    mesh: Part = Part()
    efo: Part = Part()
    go: Part = Part()
    theAbstract: Part = Part()
    fulltext: Part = Part()
    preprint: bool = False
    relations: tuple[Relation, ...] = ()
    notices: tuple[Notice, ...] = ()
    primary: IdentifierKind | None = None
    """Kind of the identifier that was the best one when the record was first saved (F-DB-02)."""
    primary_value: str = ""
    known: bool = True
    """False: every source that could be asked says there is no such publication."""

    def part(self, name: PartName) -> Part:
        part: Part = getattr(self, name)
        return part

    def parts(self) -> Iterable[tuple[PartName, Part]]:
        """All ten in order."""
        return ((name, self.part(name)) for name in PART_NAMES)

    @property
    def identifiers(self) -> Identifiers:
        return Identifiers(pmid=self.pmid.text, pmcid=self.pmcid.text, doi=self.doi.text)

    @property
    def provenance(self) -> Identifiers:
        return Identifiers(pmid=self.pmid.url, pmcid=self.pmcid.url, doi=self.doi.url)

    def is_empty(self) -> bool:
        """All seven parts that are not identifiers are empty (F-PT-30)."""
        return all(self.part(name).is_empty for name in CONTENT_PARTS)

    def is_usable(self, thresholds: Thresholds) -> bool:
        """At least one of them is usable (F-PT-31)."""
        return any(is_usable(name, self.part(name), thresholds) for name in CONTENT_PARTS)

    def is_final(self, thresholds: Thresholds) -> bool:
        """Title, abstract and full text are final (F-PT-32)."""
        return all(
            is_final(name, self.part(name), thresholds) for name in ("title", "theAbstract", "fulltext")
        )

    def is_totally_final(self, thresholds: Thresholds) -> bool:
        """All ten parts are final (F-PT-33)."""
        return all(is_final(name, part, thresholds) for name, part in self.parts())


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Record)


def encode_record(record: Record) -> bytes:
    """The record as JSON bytes, members in a fixed order."""
    return _ENCODER.encode(record)


def decode_record(body: bytes) -> Record:
    """What a newer release said of it is kept, its words too: a record is told, nothing is decided by it.

    :raises msgspec.ValidationError: not a record
    """
    try:
        return _DECODER.decode(body)
    except msgspec.ValidationError:
        return read_widely(Record, body)[0]
