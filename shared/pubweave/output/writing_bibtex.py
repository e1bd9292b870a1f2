"""BibTeX, as BibLaTeX reads it: UTF-8, whatever TeX would act on made harmless."""

from collections.abc import Iterator
from typing import Final

from pubweave.core.record import Record
from pubweave.output.publication import Envelope
from pubweave.output.reference import BibliographicReference, reference_of
from pubweave.output.writer import Piece, Writer

_HARMLESS: Final = str.maketrans(
    {
        "\\": r"{\textbackslash}",
        "{": r"{\textbraceleft}",
        "}": r"{\textbraceright}",
        "~": r"{\textasciitilde}",
        "^": r"{\textasciicircum}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        # A quotation mark is harmless inside braces; control characters are in no text.
        **{chr(code): " " for code in (*range(32), 127)},
    }
)
_VERBATIM: Final = str.maketrans(
    {"{": "%7B", "}": "%7D", "\\": "%5C", **{chr(code): "" for code in (*range(33), 127)}}
)
"""Addresses and DOIs are read as they are; only braces and backslashes could break out."""
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


class BibtexWriter(Writer):
    """One entry a publication: `@article`, or `@misc` for preprints and what has no journal."""

    name = "bibtex"
    sentence = "bibliography entries for LaTeX"
    suffixes = (".bib", ".bibtex")
    media_type = "application/x-bibtex"
    holds = frozenset({"publications"})
    selects = False

    def begin(self) -> Iterator[Piece]:
        yield from ()

    def publication(self, record: Record, envelope: Envelope | None = None) -> Iterator[Piece]:
        reference = reference_of(record)
        kind = "article" if reference.journal and not reference.preprint else "misc"
        lines = [f"  {name} = {value},\n" for name, value in _fields(reference)]
        yield f"@{kind}{{{reference.key},\n{''.join(lines)}}}\n\n"

    def end(self) -> Iterator[Piece]:
        yield from ()


def _fields(reference: BibliographicReference) -> Iterator[tuple[str, str]]:
    if reference.title:
        # Doubled braces keep the capitals as they are.
        yield "title", f"{{{{{reference.title.translate(_HARMLESS)}}}}}"
    if reference.authors:
        names = " and ".join(f"{{{name.translate(_HARMLESS)}}}" for name in reference.authors)
        yield "author", f"{{{names} and others}}"
    if reference.journal:
        yield "journal", f"{{{reference.journal.translate(_HARMLESS)}}}"
    if reference.date:
        year, month, _ = reference.date.split("-")
        yield "year", f"{{{year}}}"
        yield "month", _MONTHS[int(month) - 1]
        yield "date", f"{{{reference.date}}}"
    if reference.doi:
        yield "doi", f"{{{reference.doi.translate(_VERBATIM)}}}"
    if reference.pmid:
        yield "pmid", f"{{{reference.pmid}}}"
    if reference.pmcid:
        yield "pmcid", f"{{{reference.pmcid}}}"
    if reference.url:
        yield "url", f"{{{reference.url.translate(_VERBATIM)}}}"
    if reference.keywords:
        # A comma divides keywords.
        words = ", ".join(word.replace(",", ";").translate(_HARMLESS) for word in reference.keywords)
        yield "keywords", f"{{{words}}}"
    if reference.abstract:
        yield "abstract", f"{{{reference.abstract.translate(_HARMLESS)}}}"
    if reference.notes or reference.preprint:
        notes = [*(["Preprint"] if reference.preprint else []), *reference.notes]
        yield "note", f"{{{'; '.join(notes).translate(_HARMLESS)}}}"
