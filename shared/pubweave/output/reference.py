"""A publication as something to cite: what the bibliographic formats have in common."""

import re
from typing import Final, NamedTuple

from pubweave.core.identifiers import link_to
from pubweave.core.record import Record
from pubweave.output.labels import NOTICE_LABELS
from pubweave.output.text import one_line
from pubweave.output.times import date

_KEPT_IN_KEYS: Final = re.compile(r"[^A-Za-z0-9.:/-]")


class BibliographicReference(NamedTuple):
    """Texts are single lines but for the abstract; what is not known is empty."""

    key: str
    """Of its identifiers, so that it is the same in every export: `pmid:31092905`."""
    preprint: bool
    title: str
    authors: tuple[str, ...]
    """The corresponding ones: all authors are not known here (F-GEN-03)."""
    journal: str
    date: str
    """`2018-08-30`."""
    pmid: str
    pmcid: str
    doi: str
    url: str
    keywords: tuple[str, ...]
    """Author keywords, then MeSH terms that are not among them."""
    abstract: str
    notes: tuple[str, ...]


def reference_of(record: Record) -> BibliographicReference:
    """What can be said of a record in a bibliography."""
    known = record.identifiers
    words = [one_line(word) for word in record.keywords.words]
    there = {word.casefold() for word in words}
    words += [
        term for mesh in record.mesh.mesh if (term := one_line(mesh.term)) and term.casefold() not in there
    ]
    return BibliographicReference(
        key=next(
            (_key(kind, value) for kind, value in known.known()), _key("publication", record.publication)
        ),
        preprint=record.preprint,
        title=one_line(record.title.text),
        authors=tuple(name for author in record.corresp_author if (name := one_line(author.name))),
        journal=one_line(record.journal_title),
        date=date(record.pub_date) if record.pub_date != -1 else "",
        pmid=known.pmid,
        pmcid=known.pmcid,
        doi=known.doi,
        url=next((link_to(kind, value) for kind, value in reversed(known.known())), ""),
        keywords=tuple(words),
        abstract=record.theAbstract.text.strip(),
        notes=tuple(
            one_line(f"{NOTICE_LABELS.get(notice.kind, notice.kind)} {notice.reference}")
            for notice in record.notices
        ),
    )


def _key(kind: str, value: str) -> str:
    """Unique among identifiers, and without characters that end a key or comment it out."""
    return f"{kind}:" + _KEPT_IN_KEYS.sub(lambda odd: f"_{ord(odd[0]):x}_", value)


def family_and_given(name: str) -> tuple[str, str]:
    """`Ada Maria Weaver` is (`Weaver`, `Ada Maria`); a comma says where the family name ends."""
    family, comma, given = name.partition(",")
    if comma:
        return family.strip(), given.strip()
    given, _, family = name.rpartition(" ")
    return family, given
