"""BioC JSON, as text miners exchange it: documents of passages with their offsets (Comeau et al. 2013)."""

import re
from collections.abc import Iterator
from typing import Any, Final

from pubweave.core.record import Record
from pubweave.output.json_document import dumped
from pubweave.output.publication import Envelope
from pubweave.output.times import date
from pubweave.output.writer import Piece, Writer
from pubweave.version import IDENTIFICATION

_PARAGRAPHS: Final = re.compile(r"\n[^\S\n]*\n\s*")
_HEAD: Final = {
    "source": IDENTIFICATION,
    "date": "",
    "key": "https://bioc.sourceforge.net/",
    "version": "1.0",
    "infons": {},
}


class BiocWriter(Writer):
    """One document a publication: title, abstract and full text by paragraphs.

    Offsets count characters (Unicode code points); between two passages lies one character, so the passages
    put down at their offsets never overlap. Title and abstract at the beginning of a full text (F-PT-09) are
    not repeated.
    """

    name = "bioc"
    sentence = "BioC JSON for text mining"
    suffixes = (".bioc.json", ".bioc")
    media_type = "application/json"
    holds = frozenset({"publications"})
    selects = False

    _before = ""

    def begin(self) -> Iterator[Piece]:
        yield dumped(_HEAD).removesuffix("}") + ',"documents":['

    def publication(self, record: Record, envelope: Envelope | None = None) -> Iterator[Piece]:
        yield self._before + "\n" + dumped(_document(record))
        self._before = ","

    def end(self) -> Iterator[Piece]:
        yield "\n]}\n"


def _document(record: Record) -> dict[str, Any]:
    known = record.identifiers
    return {
        "id": next((value for _, value in known.known()), record.publication),
        "infons": _infons(record),
        "passages": list(_passages(record)),
        "annotations": [],
        "relations": [],
    }


def _infons(record: Record) -> dict[str, str]:
    """Keys of NCBI's BioC service where it has them."""
    said = {
        "article-id_pmid": record.pmid.text,
        "article-id_pmc": record.pmcid.text.removeprefix("PMC"),
        "article-id_doi": record.doi.text,
        "journal": record.journal_title,
        "date": date(record.pub_date) if record.pub_date != -1 else "",
        "kwd": "; ".join(record.keywords.words),
        "mesh": "; ".join(term.term for term in record.mesh.mesh),
        "efo": "; ".join(term.uri or term.term for term in record.efo.terms),
        "go": "; ".join(term.uri or term.term for term in record.go.terms),
        "open-access": "yes" if record.oa else "",
        "preprint": "yes" if record.preprint else "",
        "notices": "; ".join(notice.kind for notice in record.notices),
    }
    return {name: value for name, value in said.items() if value}


def _passages(record: Record) -> Iterator[dict[str, Any]]:
    offset = 0
    for section, kind, text, source in _texts(record):
        yield {
            "offset": offset,
            "infons": {"section_type": section, "type": kind, "source": source},
            "text": text,
            "sentences": [],
            "annotations": [],
            "relations": [],
        }
        offset += len(text) + 1


def _texts(record: Record) -> Iterator[tuple[str, str, str, str]]:
    title, abstract = record.title.text.strip(), record.theAbstract.text.strip()
    if title:
        yield "TITLE", "front", title, record.title.type
    for paragraph in _PARAGRAPHS.split(abstract):
        if paragraph:
            yield "ABSTRACT", "abstract", paragraph, record.theAbstract.type
    body = record.fulltext.text.strip()
    for known in (title, abstract):
        if known and body.startswith(known) and body[len(known) :][:1] in ("", "\n"):
            body = body[len(known) :].lstrip()
    for paragraph in _PARAGRAPHS.split(body):
        if paragraph:
            yield "BODY", "paragraph", paragraph, record.fulltext.type
