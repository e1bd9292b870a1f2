"""A publication as the JSON object of chapter 18.2: the same members, in the same order, nothing else.

What 18.2 does not know stands in one last member `pubweave`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from pubweave.contract.values import Identifiers, MeshTerm, MinedTerm, Thresholds
from pubweave.contract.vocabulary import PART_NAMES, PartName
from pubweave.core.record import Part, Record, is_final, is_usable
from pubweave.output.times import date, instant

if TYPE_CHECKING:
    from pubweave.core.reading.jats.document import Document

Object: TypeAlias = dict[str, Any]
"""A JSON object; members in the order in which they are written."""

LISTS: Final[frozenset[PartName]] = frozenset({"keywords", "mesh", "efo", "go"})
"""The parts whose content is a list (F-JSON-06)."""


class Selection(msgspec.Struct, frozen=True):
    """What of a record is shown (17.13)."""

    plain: bool = False
    """Without metadata."""
    parts: tuple[PartName, ...] = ()
    """Only these parts and nothing else; empty = everything."""

    @property
    def shown_parts(self) -> tuple[PartName, ...]:
        """In the order of the specification, whatever the order in which they were asked for."""
        return tuple(name for name in PART_NAMES if name in self.parts) if self.parts else PART_NAMES

    @property
    def with_fields(self) -> bool:
        """Everything from `fetchTime` to `totallyFinal` is shown, and the member `pubweave` (F-JSON-07, 08)."""
        return not self.plain and not self.parts


EVERYTHING: Final = Selection()


class Envelope(msgspec.Struct, frozen=True):
    """What is said about a record beside its content: no part of it, outside byte comparison."""

    version: int = 0
    """0: not known."""
    reason: str = ""
    """Of the last change: which candidate, which part."""
    outcome: str = ""
    """What became of the submitted identifiers; empty where nothing was submitted."""
    line: int = 0
    """The line of the input; 0 where there is none."""
    submitted: Identifiers = Identifiers()
    """What was asked for."""
    note: str = ""
    """Why it is parked, what replaced it."""
    correlation_id: str = ""
    document: "Document | None" = None
    """The structured document of its full text, for a writer that wants it (`Writer.wants_document`)."""


def json_key(name: PartName) -> str:
    """The abstract is called `abstract` in JSON (F-PT-02)."""
    return "abstract" if name == "theAbstract" else name


def _mesh(term: MeshTerm) -> Object:
    return {"term": term.term, "majorTopic": term.majorTopic, "uniqueId": term.uniqueId}


def _mined(term: MinedTerm) -> Object:
    return {"term": term.term, "count": term.count, "uri": term.uri}


def content(name: PartName, part: Part) -> str | list[Any]:
    """The bare content of a part: a text, or a list of texts or objects. A long text must be there already."""
    match name:
        case "keywords":
            return list(part.words)
        case "mesh":
            return [_mesh(term) for term in part.mesh]
        case "efo" | "go":
            return [_mined(term) for term in part.terms]
        case _:
            return part.text


def part_object(name: PartName, part: Part, thresholds: Thresholds) -> Object:
    """A part with its metadata (F-JSON-05, F-JSON-06)."""
    return {
        "list" if name in LISTS else "content": content(name, part),
        "type": part.type,
        "url": part.url,
        "timestamp": part.timestamp,
        "timestampHuman": instant(part.timestamp),
        "size": part.size,
        "empty": part.is_empty,
        "usable": is_usable(name, part, thresholds),
        "final": is_final(name, part, thresholds),
    }


def fields_object(record: Record, thresholds: Thresholds) -> Object:
    """Everything from `fetchTime` to `totallyFinal`."""
    return {
        "fetchTime": record.fetch_time,
        "fetchTimeHuman": instant(record.fetch_time),
        "retryCounter": record.retry_counter,
        "fetchException": record.fetch_exception,
        "oa": record.oa,
        "journalTitle": record.journal_title,
        "pubDate": record.pub_date,
        "pubDateHuman": date(record.pub_date),
        "citationsCount": record.citations_count,
        "citationsTimestamp": record.citations_timestamp,
        "citationsTimestampHuman": instant(record.citations_timestamp),
        "correspAuthor": [
            {
                "name": author.name,
                "orcid": author.orcid,
                "email": author.email,
                "phone": author.phone,
                "uri": author.uri,
            }
            for author in record.corresp_author
        ],
        "visitedSites": [
            {
                "url": site.url,
                "type": site.type,
                "from": site.from_,
                "timestamp": site.timestamp,
                "timestampHuman": instant(site.timestamp),
            }
            for site in record.visited_sites
        ],
        "empty": record.is_empty(),
        "usable": record.is_usable(thresholds),
        "final": record.is_final(thresholds),
        "totallyFinal": record.is_totally_final(thresholds),
    }


def extras_object(record: Record, envelope: Envelope) -> Object:
    """The member `pubweave`: what 18.2 does not know."""
    return {
        "publication": record.publication,
        "version": envelope.version,
        "reason": envelope.reason,
        "known": record.known,
        "preprint": record.preprint,
        "relations": [
            {"kind": tie.kind, "source": tie.source, "id": tie.id, "doi": tie.doi} for tie in record.relations
        ],
        "notices": [
            {"kind": notice.kind, "source": notice.source, "id": notice.id, "reference": notice.reference}
            for notice in record.notices
        ],
        "submission": {
            "line": envelope.line,
            "pmid": envelope.submitted.pmid,
            "pmcid": envelope.submitted.pmcid,
            "doi": envelope.submitted.doi,
            "outcome": envelope.outcome,
            "note": envelope.note,
            "correlationId": envelope.correlation_id,
        },
    }


def publication_object(
    record: Record,
    thresholds: Thresholds,
    selection: Selection = EVERYTHING,
    envelope: Envelope | None = None,
) -> Object:
    """One element of `publications` (F-JSON-04, F-JSON-07, F-JSON-08).

    Texts must be in the record; one that was left out by reference comes out empty.
    """
    result: Object = fields_object(record, thresholds) if selection.with_fields else {}
    for name in selection.shown_parts:
        part = record.part(name)
        result[json_key(name)] = (
            content(name, part) if selection.plain else part_object(name, part, thresholds)
        )
    if selection.with_fields:
        result["pubweave"] = extras_object(record, envelope or Envelope())
    return result


def identifiers_object(record: Record, *, plain: bool) -> Object:
    """One element of `publicationIds` (F-JSON-02)."""
    known, where = record.identifiers, record.provenance
    result: Object = {"pmid": known.pmid, "pmcid": known.pmcid, "doi": known.doi}
    if not plain:
        result |= {"pmidUrl": where.pmid, "pmcidUrl": where.pmcid, "doiUrl": where.doi}
    return result


def parts_summary(record: Record, names: Sequence[PartName], thresholds: Thresholds) -> dict[PartName, str]:
    """For a list: each part is `final`, `usable`, `short` or `missing`."""

    def word(name: PartName) -> str:
        part = record.part(name)
        if is_final(name, part, thresholds):
            return "final"
        if is_usable(name, part, thresholds):
            return "usable"
        return "missing" if part.is_empty else "short"

    return {name: word(name) for name in names}
