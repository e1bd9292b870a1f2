"""The closed word lists that events are made of (specification chapters 2 to 4, design law 3)."""

from typing import Final, Literal, get_args

from pubweave.contract.resource_names import ResourceName as ResourceName
from pubweave.contract.resource_names import TypeName as TypeName

IdentifierKind = Literal["pmid", "pmcid", "doi"]
IDENTIFIER_KINDS: Final[tuple[IdentifierKind, ...]] = get_args(IdentifierKind)

PartName = Literal[
    "pmid", "pmcid", "doi", "title", "keywords", "mesh", "efo", "go", "theAbstract", "fulltext"
]
PART_NAMES: Final[tuple[PartName, ...]] = get_args(PartName)
"""The ten parts in the order of F-PT-01, which is also the order of display."""

CONTENT_PARTS: Final[tuple[PartName, ...]] = PART_NAMES[3:]
"""The seven parts that are not identifiers."""

TYPE_NAMES: Final[tuple[TypeName, ...]] = get_args(TypeName)
"""The types of values, best first: the 33 of F-TY-01, and those of resources beyond the specification."""

RESOURCE_NAMES: Final[tuple[ResourceName, ...]] = get_args(ResourceName)

NoteLevel = Literal["info", "warning", "error"]
"""How a line in the log is marked (F-LOG-02, F-LOG-06)."""

DoorName = Literal["fetcher", "renderer", "pdf_reader"]

FieldName = Literal[
    "oa",
    "journalTitle",
    "pubDate",
    "citationsCount",
    "correspAuthor",
    "visitedSite",
    "preprint",
    "relation",
    "notice",
]
"""Chapter 3.2, and beyond it: is it a preprint, its links to other versions, retractions and the like."""

GateName = Literal["isOpenAccess", "hasTextMinedTerms", "inEPMC", "hasPDF"]

AttemptOutcome = Literal[
    "found",  # 2xx with a body to read
    "absent",  # the source says it has no such thing (404, no hit in a whole answer)
    "gone",  # 410
    "empty",  # a whole answer that holds nothing of use
    "blocked",  # a wall: 401, 403, 451, challenge page, consent or login wall
    "rate-limited",  # 429 (or 503 with Retry-After) after the retries allowed
    "unavailable",  # 5xx
    "http-error",  # any other status of 400 and above
    "malformed",  # a body that is not what it should be (cut XML, HTML for JSON, bad gzip)
    "timeout",  # the deadline passed, twice where the table allows a second attempt
    "reset",  # the connection broke while in use
    "refused",  # connection refused or no route to the host
    "unresolved",  # the name could not be resolved
    "tls-failure",
    "too-large",
    "wrong-type",  # a media type the asker cannot read
    "redirect-loop",
    "refused-by-robots",
    "refused-address",  # a private or local address, or one on the deny list
    "bad-url",  # malformed, or a scheme no door speaks
    "over-quota",  # the daily quota is used up; asked again when it opens
    "not-replayed",  # replaying, and the recording does not hold this exchange
    "no-door",  # the door is not installed here (no browser, no PDF reader)
    "failed",  # anything else; a person should look
]
"""How one request to the outside ended. Only `absent`, `gone` and `empty` may mean "not there"."""

NeedOutcome = (
    AttemptOutcome
    | Literal[
        "abstract-only",  # an article without body text; its parts count, its full text is never final
        "rule-missed",  # read, but a site's rule selected nothing, or too little, of a text that stands there: it was cleaned
        "skipped",  # nothing left to ask for, or not configured (no e-mail for Unpaywall)
        "superseded",  # the publication became another one's
        "cancelled",  # parked or removed before it was asked
    ]
)
"""How one need ended: exactly one of these words, with its evidence."""

THERE_IS_NOTHING: Final[frozenset[str]] = frozenset({"absent", "gone", "empty"})
"""The only outcomes that say something about the publication instead of about the attempt."""

SettledOutcome = Literal[
    "finished",  # one finished record
    "known-nowhere",  # a finished record that says no source knows the identifier
    "corrected",  # the identifier was replaced by another (F-CHG-01)
    "parked",  # unfinished at its deadline, or stopped; with the reason
    "removed",
    "invalid",  # not an identifier; nothing was asked
    "refused",  # what was sent to the topics, or its address, is nothing that may be acted on; with the reason
]

LaneName = Literal["interactive", "bulk"]

EntryKind = Literal["publication", "webpage", "doc"]
PageKind = Literal["webpage", "doc"]
"""The entries that are one page each, identified by its start address."""
