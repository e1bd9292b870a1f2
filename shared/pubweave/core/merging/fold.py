"""The fold: how candidates, taken in order of place, become a record (F-FILL-01…10, design law 1).

Rules of precedence live here and nowhere else. `Draft.take` tests one candidate against what is there and
says which rule decided; a record is a `Draft` that took all candidates sorted by place.
"""

from collections.abc import Collection
from typing import Final, Literal, TypeAlias
from urllib.parse import urlsplit

import msgspec

from pubweave.contract.field_candidate import FieldCandidate
from pubweave.contract.part_candidate import PartCandidate
from pubweave.contract.values import (
    CorrespAuthor,
    Identifiers,
    Notice,
    Place,
    Relation,
    RunSettings,
    Thresholds,
    VisitedSite,
)
from pubweave.contract.vocabulary import (
    CONTENT_PARTS,
    IDENTIFIER_KINDS,
    PART_NAMES,
    IdentifierKind,
    PartName,
)
from pubweave.core.identifiers import is_variant
from pubweave.core.record import LEAST_TEXT, Part, Record, is_final
from pubweave.core.types import FINAL, is_better

Verdict: TypeAlias = Literal[
    "first",
    "better-type",
    "larger",
    "has-body",
    "variant",
    "final-already",
    "no-text",
    "empty",
    "not-better",
    "not-requested",
    "not-external",
    "contested",
    "field-set",
    "field-kept",
    "earlier-generation",
]

RULES: Final[dict[Verdict, str]] = {
    "first": "F-FILL-03: nothing was there",
    "better-type": "F-FILL-03: its type is better",
    "larger": "F-FILL-04: both types are final and it is larger",
    "has-body": "an article without body text gives way to one with it",
    "no-text": "a text of a few hundred characters takes the place of no longer one, whatever its type",
    "variant": "F-ID-41: a spelling of the same identifier; the old value stays with the better type",
    "final-already": "F-FILL-01: what is there is final",
    "empty": "F-FILL-02: it is empty",
    "not-better": "F-FILL-05: its type is no better and it is no larger final one",
    "not-requested": "F-FILL-09: the part was not requested",
    "not-external": "F-LNK-04: the identifier is known",
    "contested": "the identifier belongs to another publication that was submitted earlier",
    "field-set": "the field takes it",
    "field-kept": "the field keeps its first value",
    "earlier-generation": "F-CHG-04: an identifier changed after it was found",
}
"""What each verdict means, with the rule that decided."""

TAKEN: Final[frozenset[Verdict]] = frozenset(
    {"first", "better-type", "larger", "has-body", "variant", "field-set"}
)
"""The verdicts that changed something."""


def same_site(url: str) -> tuple[str, str, str]:
    """What makes two links the same: authority, path and query (F-PT-25)."""
    split = urlsplit(url)
    return (split.netloc, split.path, split.query)


class Draft:
    """A record in the making. Only `take`, `begin_generation`, `supply` and `lose` change it."""

    __slots__ = (
        "_authors_give_way",
        "_citations_give_way",
        "_gone",
        "_lacking",
        "citations_count",
        "citations_timestamp",
        "corresp_author",
        "created_at",
        "journal_title",
        "notices",
        "oa",
        "parts",
        "preprint",
        "pub_date",
        "relations",
        "visited",
    )

    def __init__(self, created_at: int = 0) -> None:
        self.created_at = created_at
        self.parts: dict[PartName, Part] = {}
        self._lacking: tuple[Thresholds, frozenset[PartName]] | None = None
        self._gone: dict[PartName, Part] = {}
        """What is left of parts whose content is stored no more."""
        self._empty_content(keep_identifiers=False)

    def _empty_content(self, *, keep_identifiers: bool) -> None:
        self._lacking = None
        self._gone = {}
        blank = Part(timestamp=self.created_at)
        for name in CONTENT_PARTS if keep_identifiers else PART_NAMES:
            self.parts[name] = blank
        self.oa = False
        self.preprint = False
        self.journal_title = ""
        self.pub_date = -1
        self.citations_count = -1
        self.citations_timestamp = -1
        self._citations_give_way = False
        self.corresp_author: tuple[CorrespAuthor, ...] = ()
        self._authors_give_way = False
        self.visited: dict[tuple[str, str, str], VisitedSite] = {}
        self.relations: dict[Relation, None] = {}
        self.notices: dict[Notice, None] = {}

    def begin_with(self, record: Record) -> None:
        """A record was put: it is what there is (F-DB-11)."""
        self._lacking = None
        self._gone = {}
        self.parts = dict(record.parts())
        self.oa = record.oa
        self.preprint = record.preprint
        self.journal_title = record.journal_title
        self.pub_date = record.pub_date
        self.citations_count = record.citations_count
        self.citations_timestamp = record.citations_timestamp
        self._citations_give_way = False
        self.corresp_author = record.corresp_author
        self._authors_give_way = False
        self.visited = {same_site(site.url): site for site in record.visited_sites}
        self.relations = dict.fromkeys(record.relations)
        self.notices = dict.fromkeys(record.notices)

    def begin_generation(self) -> None:
        """An identifier changed: parts and fields are emptied, identifiers stay (F-CHG-01, A-15)."""
        self._empty_content(keep_identifiers=True)

    def identifiers(self) -> Identifiers:
        parts = self.parts
        return Identifiers(pmid=parts["pmid"].text, pmcid=parts["pmcid"].text, doi=parts["doi"].text)

    def final_identifiers(self) -> Identifiers:
        """Those of a final type (F-TY-11)."""
        return Identifiers(
            **{kind: part.text for kind in IDENTIFIER_KINDS if (part := self.parts[kind]).type in FINAL}
        )

    def external(self) -> tuple[IdentifierKind, ...]:
        """Identifiers known only because somebody supplied them."""
        return tuple(kind for kind in IDENTIFIER_KINDS if self.parts[kind].type == "external")

    def lacking(self, thresholds: Thresholds) -> frozenset[PartName]:
        """The parts that are not final (F-TY-10). Asked very often: kept until a part changes."""
        kept = self._lacking
        if kept is None or kept[0] is not thresholds:
            lacking = frozenset(
                name for name, part in self.parts.items() if not is_final(name, part, thresholds)
            )
            kept = self._lacking = (thresholds, lacking)
        return kept[1]

    def is_final(self, name: PartName, thresholds: Thresholds) -> bool:
        """F-TY-10."""
        return name not in self.lacking(thresholds)

    def _put(self, name: PartName, part: Part) -> None:
        self.parts[name] = part
        self._lacking = None

    def lose(self, digests: Collection[str]) -> None:
        """Contents are stored no more: to whatever comes now the parts that have them are empty."""
        lost = {name: part for name, part in self.parts.items() if not contents_of(part).isdisjoint(digests)}
        self._gone |= lost
        for name in lost:
            self._put(name, Part(timestamp=self.created_at))

    def left_of_gone(self) -> dict[PartName, Part]:
        """What is left of the parts whose content is stored no more, and for which nothing was found since. One that has its
        text, and has lost the document beside it, gives way to nothing worse."""
        return {
            name: part
            for name, part in self._gone.items()
            if (found := self.parts[name]).is_empty
            or (part.blob is None and is_better(part.type, found.type))
        }

    def supply(self, identifiers: Identifiers, provenance: Identifiers, place: Place, at: int) -> None:
        """Identifiers from outside enter as type `external` (F-ID-21)."""
        for kind, value in identifiers.known():
            if is_better("external", self.parts[kind].type):
                part = Part(
                    type="external",
                    url=provenance.get(kind),
                    timestamp=at,
                    size=len(value),
                    text=value,
                    place=place,
                )
                self._put(kind, part)

    def take(
        self,
        candidate: PartCandidate | FieldCandidate,
        settings: RunSettings,
        contested: frozenset[tuple[str, str]] = frozenset(),
    ) -> Verdict:
        """Test one candidate against what is there, by the thresholds and selection of its own run."""
        if isinstance(candidate, FieldCandidate):
            return self._take_field(candidate)
        if candidate.size == 0:
            return "empty"
        name = candidate.part
        if name in ("pmid", "pmcid", "doi"):
            return self._take_identifier(name, candidate, contested)
        if not settings.wants(name):
            return "not-requested"
        current = self.parts[name]
        verdict = self._content_verdict(name, current, candidate, settings.thresholds)
        if verdict in TAKEN:
            self._put(name, part_of(candidate))
        return verdict

    @staticmethod
    def _content_verdict(
        name: PartName, current: Part, candidate: PartCandidate, thresholds: Thresholds
    ) -> Verdict:
        if is_final(name, current, thresholds):
            return "final-already"
        bodyless = "never-final" in candidate.marks
        if bodyless and not (current.is_empty or current.never_final or current.type == "webpage"):
            return "not-better"
        only_better = "if-better-type" in candidate.marks
        if name == "fulltext" and candidate.size < LEAST_TEXT <= current.size:
            return "no-text"
        if (
            name == "fulltext"
            and 0 < current.size < LEAST_TEXT <= candidate.size
            and not (bodyless or only_better)
        ):
            return "has-body"
        has_body = not (bodyless or only_better or candidate.type == "webpage")
        if current.never_final and has_body and candidate.size > current.size:
            return "has-body"
        if is_better(candidate.type, current.type):
            return "first" if current.is_empty else "better-type"
        if only_better:
            return "not-better"
        if candidate.type in FINAL and current.type in FINAL:
            if candidate.size > current.size:
                return "larger"
            if current.never_final and not bodyless:
                return "has-body"
        return "not-better"

    def _take_identifier(
        self, kind: IdentifierKind, candidate: PartCandidate, contested: frozenset[tuple[str, str]]
    ) -> Verdict:
        """F-FILL-06: for identifiers only F-FILL-01 and F-FILL-03 apply."""
        current = self.parts[kind]
        if (kind, candidate.text) in contested:
            return "contested"
        if current.type in FINAL:
            return "final-already"
        if "unless-external" in candidate.marks and not current.is_empty:
            return "not-external"
        if not is_better(candidate.type, current.type):
            return "not-better"
        taken = part_of(candidate)
        if current.is_empty:
            self._put(kind, taken)
            return "first"
        if current.text != candidate.text and (
            "variant-of-known" in candidate.marks or is_variant(current.text, candidate.text, kind)
        ):
            spelt_as_before = Part(
                type=taken.type,
                url=taken.url,
                timestamp=taken.timestamp,
                size=current.size,
                text=current.text,
                place=taken.place,
            )
            self._put(kind, spelt_as_before)
            return "variant"
        self._put(kind, taken)
        return "better-type"

    def _take_field(self, candidate: FieldCandidate) -> Verdict:
        """Chapter 3.2: set once, only ever true, overwritten on every read, or a growing set."""
        match candidate.field:
            case "oa":
                changed = candidate.flag and not self.oa
                self.oa = self.oa or candidate.flag
            case "preprint":
                changed = candidate.flag and not self.preprint
                self.preprint = self.preprint or candidate.flag
            case "journalTitle":
                changed = bool(candidate.text) and not self.journal_title
                self.journal_title = self.journal_title or candidate.text
            case "pubDate":
                changed = self.pub_date == -1 and candidate.number != -1
                self.pub_date = candidate.number if changed else self.pub_date
            case "citationsCount":
                gives_way = "until-better" in candidate.marks
                changed = candidate.number >= 0 and (
                    not gives_way or self.citations_count < 0 or self._citations_give_way
                )
                if changed:
                    self.citations_count = candidate.number
                    self.citations_timestamp = candidate.fetched_at
                    self._citations_give_way = gives_way
            case "correspAuthor":
                changed = self._takes_authors(candidate)
                if changed:
                    self.corresp_author = _with_emails(candidate.authors, self.corresp_author)
                    self._authors_give_way = "until-better" in candidate.marks
            case "visitedSite":
                site = candidate.site
                changed = site is not None and same_site(site.url) not in self.visited
                if site is not None and changed:
                    self.visited[same_site(site.url)] = VisitedSite(
                        url=site.url, type=site.type, from_=site.from_, timestamp=candidate.fetched_at
                    )
            case "relation":
                changed = candidate.relation is not None and candidate.relation not in self.relations
                if candidate.relation is not None:
                    self.relations[candidate.relation] = None
            case "notice":
                changed = candidate.notice is not None and candidate.notice not in self.notices
                if candidate.notice is not None:
                    self.notices[candidate.notice] = None
        return "field-set" if changed else "field-kept"

    def _takes_authors(self, candidate: FieldCandidate) -> bool:
        """The first list stays; one that was only gathered from affiliations gives way to one that names somebody (F-CA-09)."""
        if not candidate.authors or not self.corresp_author:
            return bool(candidate.authors)
        return (
            self._authors_give_way
            and not {"until-better", "if-empty"}.intersection(candidate.marks)
            and any(author.name for author in candidate.authors)
        )

    def record(
        self, publication: str, *, fetch_time: int, retry_counter: int, fetch_exception: bool, known: bool
    ) -> Record:
        """The record as it stands, with what is left of parts whose content is gone; its primary identifier is the
        storage's to say."""
        record = Record(
            publication=publication,
            fetch_time=fetch_time,
            retry_counter=retry_counter,
            fetch_exception=fetch_exception,
            oa=self.oa,
            journal_title=self.journal_title,
            pub_date=self.pub_date,
            citations_count=self.citations_count,
            citations_timestamp=self.citations_timestamp,
            corresp_author=self.corresp_author,
            visited_sites=tuple(self.visited.values()),
            preprint=self.preprint,
            relations=tuple(self.relations),
            notices=tuple(self.notices),
            known=known,
        )
        return msgspec.structs.replace(record, **{**self.parts, **self.left_of_gone()})


def _with_emails(
    authors: tuple[CorrespAuthor, ...], before: tuple[CorrespAuthor, ...]
) -> tuple[CorrespAuthor, ...]:
    """A list that takes the place of another keeps the e-mail addresses of those who are in both and have none here."""
    emails = {author.name.casefold(): author.email for author in before if author.name and author.email}
    if not emails:
        return authors
    return tuple(
        author
        if author.email
        else msgspec.structs.replace(author, email=emails.get(author.name.casefold(), ""))
        for author in authors
    )


def contents_of(part: Part) -> frozenset[str]:
    """Digests of what is stored beside the part: its text where that is long, what its structured document is made of."""
    return frozenset(blob.digest for blob in (part.blob, part.structured, part.source) if blob is not None)


def part_of(candidate: PartCandidate) -> Part:
    """The part that a candidate becomes when it wins (F-FILL-07)."""
    return Part(
        type=candidate.type,
        url=candidate.url,
        timestamp=candidate.fetched_at,
        size=candidate.size,
        text=candidate.text,
        words=candidate.words,
        mesh=candidate.mesh,
        terms=candidate.terms,
        blob=candidate.blob,
        structured=candidate.structured,
        source=candidate.source,
        place=candidate.place,
        never_final="never-final" in candidate.marks,
    )
