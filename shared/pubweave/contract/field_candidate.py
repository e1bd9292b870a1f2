from pubweave.contract.findings import Finding, Mark
from pubweave.contract.values import CorrespAuthor, Notice, Relation, VisitedSite
from pubweave.contract.vocabulary import FieldName


class FieldCandidate(Finding, tag="field-candidate", frozen=True, omit_defaults=True):
    """A resource found the value of a field that is not a part (chapter 3.2)."""

    field: FieldName
    url: str
    flag: bool = False
    """`oa`, `preprint`."""
    number: int = -1
    """`citationsCount`; `pubDate` as UNIX ms of 00:00 UTC (F-PT-22)."""
    text: str = ""
    """`journalTitle`."""
    authors: tuple[CorrespAuthor, ...] = ()
    site: VisitedSite | None = None
    relation: Relation | None = None
    notice: Notice | None = None
    marks: tuple[Mark, ...] = ()
