"""CSL-JSON, as citation processors read it: an array of items."""

from collections.abc import Iterator
from typing import Any

from pubweave.core.record import Record
from pubweave.output.json_document import dumped
from pubweave.output.publication import Envelope
from pubweave.output.reference import BibliographicReference, family_and_given, reference_of
from pubweave.output.writer import Piece, Writer


class CslWriter(Writer):
    """One item a publication, by the schema csl-data."""

    name = "csl"
    sentence = "CSL-JSON for citation processors"
    suffixes = (".csl.json", ".csl")
    media_type = "application/vnd.citationstyles.csl+json"
    holds = frozenset({"publications"})
    selects = False

    _before = "[\n"

    def begin(self) -> Iterator[Piece]:
        yield from ()

    def publication(self, record: Record, envelope: Envelope | None = None) -> Iterator[Piece]:
        yield self._before + dumped(_item(reference_of(record)))
        self._before = ",\n"

    def end(self) -> Iterator[Piece]:
        yield "[]\n" if self._before == "[\n" else "\n]\n"


def _item(reference: BibliographicReference) -> dict[str, Any]:
    item: dict[str, Any] = {
        "id": reference.key,
        "type": "article" if reference.preprint else "article-journal",
        "title": reference.title,
        "author": [_name(name) for name in reference.authors],
        "container-title": reference.journal,
        "issued": {"date-parts": [[int(part) for part in reference.date.split("-")]]}
        if reference.date
        else None,
        "DOI": reference.doi,
        "PMID": reference.pmid,
        "PMCID": reference.pmcid,
        "URL": reference.url,
        "keyword": ", ".join(reference.keywords),
        "abstract": reference.abstract,
        "note": "; ".join(reference.notes),
        "genre": "preprint" if reference.preprint else "",
    }
    return {name: value for name, value in item.items() if value}


def _name(name: str) -> dict[str, str]:
    family, given = family_and_given(name)
    return {"family": family, "given": given} if given else {"literal": family}
