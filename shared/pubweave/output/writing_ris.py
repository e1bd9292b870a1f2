"""RIS, as reference managers exchange it: a tag and a value a line, two letters, UTF-8."""

from collections.abc import Iterator

from pubweave.core.record import Record
from pubweave.output.publication import Envelope
from pubweave.output.reference import BibliographicReference, family_and_given, reference_of
from pubweave.output.text import one_line
from pubweave.output.writer import Piece, Writer


class RisWriter(Writer):
    """One reference a publication, from `TY` to `ER`."""

    name = "ris"
    sentence = "references for reference managers"
    suffixes = (".ris",)
    media_type = "application/x-research-info-systems"
    holds = frozenset({"publications"})
    selects = False

    def begin(self) -> Iterator[Piece]:
        yield from ()

    def publication(self, record: Record, envelope: Envelope | None = None) -> Iterator[Piece]:
        lines = [
            f"{tag}  - {one_line(value)}".rstrip() + "\r\n" for tag, value in _tags(reference_of(record))
        ]
        yield "".join(lines) + "ER  - \r\n\r\n"

    def end(self) -> Iterator[Piece]:
        yield from ()


def _tags(reference: BibliographicReference) -> Iterator[tuple[str, str]]:
    yield "TY", "UNPB" if reference.preprint else "JOUR"
    yield "ID", reference.key
    if reference.title:
        yield "TI", reference.title
    for name in reference.authors:
        family, given = family_and_given(name)
        yield "AU", f"{family}, {given}" if given else family
    if reference.journal:
        yield "JO", reference.journal
        yield "T2", reference.journal
    if reference.date:
        yield "PY", reference.date[:4]
        yield "DA", reference.date.replace("-", "/")
    if reference.doi:
        yield "DO", reference.doi
    if reference.pmid:
        yield "AN", reference.pmid
        yield "DB", "PubMed"
    if reference.pmcid:
        yield "C2", reference.pmcid
    if reference.url:
        yield "UR", reference.url
    for word in reference.keywords:
        yield "KW", word
    if reference.abstract:
        yield "AB", reference.abstract
    for note in reference.notes:
        yield "N1", note
