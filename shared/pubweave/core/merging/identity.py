"""Who is who: what happens when two publications claim one identifier (design law 4).

A publication's key is that of the submission that opened it, so keys sort by time of submission and the
survivor is simply the smaller key, whoever claimed first.
"""

from typing import Literal, NamedTuple

from pubweave.contract.values import Identifiers
from pubweave.core.identifiers import is_variant


class Party(NamedTuple):
    """A publication in a claim."""

    publication: str
    final: Identifiers
    """Its identifiers of a final type."""
    settled: bool = True
    """It will not learn who it is any more: its run is over."""


Judgement = Literal["claimant-joins", "holder-joins", "claimant-contested", "holder-contested", "wait"]


def differ(one: Identifiers, other: Identifiers) -> bool:
    """Two different final identifiers of one kind; variants by F-ID-41 are not different."""
    return any(
        (theirs := other.get(kind)) and not is_variant(value, theirs, kind) for kind, value in one.known()
    )


def judge(claimant: Party, holder: Party) -> Judgement:
    """What follows when `claimant` claims an identifier that `holder` holds.

    The one submitted first survives, and to it belongs what is contested. A claimant that knows who it is
    waits for an earlier submitted holder that does not know it yet: joining now could make two articles
    one, depending on who answered first. Only later ones wait for earlier ones, so nobody waits in a ring.
    """
    holder_first = holder.publication < claimant.publication
    if holder_first and claimant.final.known() and not holder.final.known() and not holder.settled:
        return "wait"
    if differ(claimant.final, holder.final):
        return "claimant-contested" if holder_first else "holder-contested"
    return "claimant-joins" if holder_first else "holder-joins"


def strays(held: list[tuple[str, str]], record: Identifiers) -> list[tuple[str, str]]:
    """Identifiers that led to a publication and are not (a spelling of) one of its own any more (F-DB-13)."""
    own = dict(record.known())
    return [
        (kind, value)
        for kind, value in held
        if not any(
            kind == own_kind and is_variant(own_value, value, own_kind) for own_kind, own_value in own.items()
        )
    ]
