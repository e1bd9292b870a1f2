"""Values that several events carry. All are immutable; times are UNIX milliseconds, UTC."""

from typing import NamedTuple

import msgspec

from pubweave.contract.vocabulary import (
    CONTENT_PARTS,
    PART_NAMES,
    IdentifierKind,
    NoteLevel,
    PartName,
    TypeName,
)


class Value(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Base of everything that is said."""


class Place(NamedTuple):
    """Where in the sequential chain something stands (design law 1); places sort as tuples.

    Given by the need that asked, never by the clock or by arrival.
    """

    epoch: int
    """Opened by an explicit put or remove."""
    run: int
    """The accepted fetch, from 1."""
    generation: int
    """Opened when a pass changed an identifier; counted through the epoch, from 1."""
    pass_: int
    """Pass of the run, from 1, counted on through its generations; a followed link is a pass of its own."""
    resource: int
    """Rank of the resource in the chain (core.merging.chain); 0 for what the user supplied."""
    link: int
    """Number of the followed link in the run; elsewhere the number of the ask to the resource in the pass."""
    position: int = 0
    """Position in the answer, from 0."""


class Identifiers(Value, frozen=True, omit_defaults=True):
    """A triplet (F-ID-01); an identifier that is not known is empty. DOIs are normalised."""

    pmid: str = ""
    pmcid: str = ""
    doi: str = ""

    def get(self, kind: IdentifierKind) -> str:
        return str(getattr(self, kind))

    def known(self) -> tuple[tuple[IdentifierKind, str], ...]:
        """The identifiers that are known, as (kind, value), in the order PMID, PMCID, DOI."""
        return tuple((kind, value) for kind in ("pmid", "pmcid", "doi") if (value := self.get(kind)))


class MeshTerm(Value, frozen=True, omit_defaults=True):
    term: str
    majorTopic: bool = False
    uniqueId: str = ""


class MinedTerm(Value, frozen=True, omit_defaults=True):
    term: str
    count: int
    uri: str


class CorrespAuthor(Value, frozen=True, omit_defaults=True):
    name: str = ""
    orcid: str = ""
    email: str = ""
    phone: str = ""
    uri: str = ""


class VisitedSite(Value, frozen=True, omit_defaults=True):
    url: str
    type: TypeName
    from_: str = msgspec.field(default="", name="from")
    timestamp: int = 0


class Relation(Value, frozen=True, omit_defaults=True):
    """A tie to another version of the work, as its source says it (preprint of, has preprint)."""

    kind: str
    """`preprint-of` or `has-preprint`."""
    source: str
    """The source's own name for the other record, for example `PPR`."""
    id: str
    """The other record's id there."""
    doi: str = ""


class Notice(Value, frozen=True, omit_defaults=True):
    """A change of status of the publication, as its source says it."""

    kind: str
    """`retracted`, `retraction-notice`, `corrected`, `correction-notice`, `concern` or `withdrawn`."""
    source: str = ""
    id: str = ""
    """The notice's own id at the source."""
    reference: str = ""


class Link(Value, frozen=True, omit_defaults=True):
    url: str
    type: TypeName
    from_: str = msgspec.field(default="", name="from")


class RuleMissed(Value, frozen=True, omit_defaults=True):
    """A scraping rule that selected less of a part than stands on the page (F-SEL-06)."""

    site: str
    """Name of the rules."""
    rules_version: str
    part: PartName
    selected: int
    """Characters, or keywords, that the rule gave."""
    there: int
    """How many the page has: of running text for a full text, of what its meta tags say for other parts."""


class Note(Value, frozen=True, omit_defaults=True):
    """What a source said that is worth a line in the log, and is no outcome by itself."""

    level: NoteLevel
    """As the specification names it: an error is what somebody can mend (F-LOG-06)."""
    text: str


class BlobRef(Value, frozen=True, omit_defaults=True):
    """A content that does not travel: its digest and its size in bytes (UTF-8 for text)."""

    digest: str
    bytes: int


class Thresholds(Value, frozen=True, omit_defaults=True):
    """The sizes from which a part is usable (F-CFG-01)."""

    titleMinLength: int = 4
    keywordsMinSize: int = 2
    minedTermsMinSize: int = 1
    abstractMinLength: int = 200
    fulltextMinLength: int = 2000
    webpageMinLength: int = 50
    webpageMinLengthJavascript: int = 200

    def larger(self, other: "Thresholds") -> "Thresholds":
        """For each threshold the larger of the two (joins, design law 4)."""
        return Thresholds(*map(max, msgspec.structs.astuple(self), msgspec.structs.astuple(other)))


class Cooldowns(Value, frozen=True, omit_defaults=True):
    """When a stored entry may be fetched again (F-CFG-01, chapter 14); minutes, negative = never."""

    emptyCooldown: int = 720
    nonFinalCooldown: int = 10_080
    fetchExceptionCooldown: int = 1_440
    retryLimit: int = 3


class RunSettings(Value, frozen=True, omit_defaults=True):
    """What one run is asked to do."""

    parts: tuple[PartName, ...] = PART_NAMES
    """The requested parts (F-FILL-09); identifiers are filled whenever they are found."""
    thresholds: Thresholds = Thresholds()
    timeout_ms: int = 15_000
    citations_only: bool = False
    """F-EPMC-12: ask Europe PMC for the citation count and nothing else; the counters skip such a run."""

    def wants(self, part: PartName) -> bool:
        return part in self.parts

    def identifiers_only(self) -> bool:
        """F-CHAIN-08: only identifiers were requested."""
        return not any(part in CONTENT_PARTS for part in self.parts)
