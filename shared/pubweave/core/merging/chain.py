"""The chain as one readable table: who is asked, in which order, with what, and when not (chapter 9).

`CHAIN` is the table, as the folders of the resources declare it (contract/resources.py); `consider` is the one pure
function that reads it (P-07). A question is put as soon as no pending answer could have cancelled or changed it
(P-21): that is what `unsettled` is for.
"""

from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final, Literal

from pubweave.contract.declaration import LINKS_RANK, ChainRow
from pubweave.contract.resources import DECLARATIONS
from pubweave.contract.values import RunSettings
from pubweave.contract.vocabulary import (
    IDENTIFIER_KINDS,
    PART_NAMES,
    GateName,
    IdentifierKind,
    PartName,
)
from pubweave.core.merging.fold import Draft

_ALL: Final[frozenset[str]] = frozenset(PART_NAMES)
_IDENTIFIERS: Final[frozenset[PartName]] = frozenset(IDENTIFIER_KINDS)

CHAIN: Final[tuple[ChainRow, ...]] = tuple(
    sorted((row for one in DECLARATIONS for row in one.rows), key=lambda row: row.rank)
)
"""Resources in the order of F-CHAIN-01, as their folders declare them. Links come after them, each a pass of its own
(core.merging.links)."""

LINK_RANK: Final = LINKS_RANK
SUPPLIED_RANK: Final = 0
"""Rank of what the user supplied: before every resource."""


GIVEN_PARTS: Final[dict[int, frozenset[PartName]]] = {
    row.rank: frozenset(part for part in PART_NAMES if part in row.gives) for row in CHAIN
}
"""The parts among what a row gives."""


class ChainProgress:
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


def reasons(row: ChainRow, draft: Draft, settings: RunSettings) -> AbstractSet[str]:
    """What is still lacking that makes the row worth asking; empty means skipped."""
    not_final = draft.lacking(settings.thresholds)
    lacking: AbstractSet[str] = requested_of(row.skipped_when_final, settings.parts) & not_final
    if row.also_for_oa and not draft.oa and settings.wants("fulltext"):
        lacking = lacking | {"oa"}
    if row.also_for_identifiers and settings.identifiers_only():
        lacking = lacking | (requested_of(_IDENTIFIERS, settings.parts) & not_final)
    return lacking


def consider(
    row: ChainRow, draft: Draft, settings: RunSettings, progress: ChainProgress, unsettled: AbstractSet[str]
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


def could_still_set(row: ChainRow, draft: Draft, settings: RunSettings) -> frozenset[str]:
    """What a pending answer of this row may change: what it gives and is not final already."""
    final = _ALL - draft.lacking(settings.thresholds)
    return row.gives - final


def missing_parts(row: ChainRow, draft: Draft, settings: RunSettings) -> frozenset[PartName]:
    """The requested parts that are not final and that the row can give."""
    return requested_of(GIVEN_PARTS[row.rank], settings.parts) & draft.lacking(settings.thresholds)
