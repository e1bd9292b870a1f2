"""The chain as one readable table: who is asked, in which order, with what, and when not (chapter 9).

`CHAIN` is the table; `consider` is the one pure function that reads it (P-07). A question is put as soon as
no pending answer could have cancelled or changed it (P-21): that is what `unsettled` is for.
"""

from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from pubweave.contract.values import RunSettings
from pubweave.contract.vocabulary import (
    IDENTIFIER_KINDS,
    PART_NAMES,
    GateName,
    IdentifierKind,
    PartName,
    ResourceName,
)
from pubweave.core.merging.fold import Draft

_ALL: Final[frozenset[str]] = frozenset(PART_NAMES)
_IDENTIFIERS: Final[frozenset[PartName]] = frozenset(IDENTIFIER_KINDS)
_ARTICLE: Final[frozenset[PartName]] = frozenset(
    {"pmid", "pmcid", "doi", "title", "keywords", "theAbstract", "fulltext"}
)
_PUBMED: Final[frozenset[PartName]] = frozenset({"pmid", "pmcid", "doi", "title", "mesh", "theAbstract"})


class Row(NamedTuple):
    """One row of the chain."""

    rank: int
    """Where its answers stand among all others. An id that stored places hold, never to be changed; in tens, so that
    another row can come between."""
    resource: ResourceName
    asks: tuple[IdentifierKind, ...]
    """Identifiers to ask with, best first; each value once, and no more after a success."""
    skipped_when_final: frozenset[PartName]
    """Not asked when all requested parts of this set are final (F-NEED-01…12)."""
    gives: frozenset[str]
    """What its answer may set: parts, `oa`, gates. What it does not give, it cannot change."""
    gate: GateName | None = None
    """Europe PMC must have said so."""
    also_for_oa: bool = False
    """Asked too while a full text is requested and the publication is not known to be open access."""
    also_for_identifiers: bool = False
    """Asked too when only identifiers were requested and one of them is not final."""
    needs_all_settled: bool = False
    """Its further hops depend on what is missing, so it waits for every pending answer."""


CHAIN: Final[tuple[Row, ...]] = (
    Row(  # F-NEED-01
        10,
        "europepmc",
        ("pmid", "pmcid", "doi"),
        skipped_when_final=frozenset(PART_NAMES),
        gives=frozenset(
            {"pmid", "pmcid", "doi", "title", "keywords", "mesh", "theAbstract", "oa"}
            | {"isOpenAccess", "hasTextMinedTerms", "inEPMC", "hasPDF"}
        ),
        also_for_oa=True,
    ),
    Row(  # F-NEED-02
        20,
        "europepmc_fulltext",
        ("pmcid",),
        skipped_when_final=_ARTICLE - {"pmcid"},
        gives=_ARTICLE,
        gate="isOpenAccess",
    ),
    Row(  # F-NEED-03
        30,
        "europepmc_mined",
        ("pmcid", "pmid"),
        skipped_when_final=frozenset({"efo"}),
        gives=frozenset({"efo"}),
        gate="hasTextMinedTerms",
    ),
    Row(  # F-NEED-04
        40,
        "europepmc_mined",
        ("pmcid", "pmid"),
        skipped_when_final=frozenset({"go"}),
        gives=frozenset({"go"}),
        gate="hasTextMinedTerms",
    ),
    Row(  # F-NEED-05: keywords alone are no reason
        50,
        "pubmed_xml",
        ("pmid",),
        skipped_when_final=_PUBMED,
        gives=_PUBMED | {"keywords"},
    ),
    Row(  # F-NEED-06 as the manual has it
        60,
        "pubmed_html",
        ("pmid",),
        skipped_when_final=frozenset({"title", "theAbstract"}),
        gives=_PUBMED | {"keywords"},
    ),
    Row(  # F-NEED-07
        70,
        "pmc",
        ("pmcid",),
        skipped_when_final=_ARTICLE,
        gives=_ARTICLE,
    ),
    Row(  # F-NEED-08
        80,
        "doi",
        ("doi",),
        skipped_when_final=_ARTICLE,
        gives=_ARTICLE,
        needs_all_settled=True,
    ),
    Row(  # F-NEED-09
        90,
        "unpaywall",
        ("doi",),
        skipped_when_final=frozenset({"title", "theAbstract", "fulltext"}),
        gives=frozenset({"pmid", "pmcid", "title", "oa"}),
        also_for_oa=True,
        also_for_identifiers=True,
    ),
)
"""Resources in the order of F-CHAIN-01. Links come after them, each a pass of its own (core.merging.links)."""

LINK_RANK: Final = 100
SUPPLIED_RANK: Final = 0
"""Rank of what the user supplied: before every resource."""


GIVEN_PARTS: Final[dict[int, frozenset[PartName]]] = {
    row.rank: frozenset(part for part in PART_NAMES if part in row.gives) for row in CHAIN
}
"""The parts among what a row gives."""


class Progress:
    """What the rows have been asked in this run and generation, and what Europe PMC flagged."""

    __slots__ = ("gates", "succeeded", "tried")

    def __init__(self) -> None:
        self.gates: dict[GateName, bool] = {}
        self.succeeded: set[int] = set()
        self.tried: set[tuple[int, IdentifierKind, str]] = set()

    def ask_again(self) -> None:
        """Forget what was asked; what Europe PMC flagged stays."""
        self.succeeded.clear()
        self.tried.clear()


Verdict = Literal["ask", "skip", "wait"]


@lru_cache(maxsize=4096)
def requested_of(parts: frozenset[PartName], requested: tuple[PartName, ...]) -> frozenset[PartName]:
    """Those of the parts that were requested."""
    return parts.intersection(requested)


def reasons(row: Row, draft: Draft, settings: RunSettings) -> AbstractSet[str]:
    """What is still lacking that makes the row worth asking; empty means skipped."""
    not_final = draft.lacking(settings.thresholds)
    lacking: AbstractSet[str] = requested_of(row.skipped_when_final, settings.parts) & not_final
    if row.also_for_oa and not draft.oa and settings.wants("fulltext"):
        lacking = lacking | {"oa"}
    if row.also_for_identifiers and settings.identifiers_only():
        lacking = lacking | (requested_of(_IDENTIFIERS, settings.parts) & not_final)
    return lacking


def consider(
    row: Row, draft: Draft, settings: RunSettings, progress: Progress, unsettled: AbstractSet[str]
) -> tuple[Verdict, IdentifierKind | None]:
    """Ask the row now, skip it, or wait because a pending answer could still decide.

    `unsettled` names everything that a pending answer of an earlier row may still set. Finality only
    grows, so "skip because all is final" needs no waiting.
    """
    if row.rank in progress.succeeded:
        return "skip", None
    lacking = reasons(row, draft, settings)
    if not lacking:
        return "skip", None
    if row.gate is not None and not progress.gates.get(row.gate, False):
        return ("wait" if row.gate in unsettled else "skip"), None
    chosen: IdentifierKind | None = None
    for kind in row.asks:
        if kind in unsettled:
            return "wait", None
        value = draft.parts[kind].text
        if value and (row.rank, kind, value) not in progress.tried:
            chosen = kind
            break
    if chosen is None:
        return "skip", None
    if row.needs_all_settled and unsettled:
        return "wait", None
    return ("ask", chosen) if lacking - unsettled else ("wait", None)


def could_still_set(row: Row, draft: Draft, settings: RunSettings) -> frozenset[str]:
    """What a pending answer of this row may change: what it gives and is not final already."""
    final = _ALL - draft.lacking(settings.thresholds)
    return row.gives - final


def missing_parts(row: Row, draft: Draft, settings: RunSettings) -> frozenset[PartName]:
    """The requested parts that are not final and that the row can give."""
    return requested_of(GIVEN_PARTS[row.rank], settings.parts) & draft.lacking(settings.thresholds)
