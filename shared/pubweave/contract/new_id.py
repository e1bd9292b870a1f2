from typing import Literal

from pubweave.contract.values import Identifiers, Value
from pubweave.contract.vocabulary import IdentifierKind


class NewId(Value, tag_field="kind", tag="new-id", frozen=True, omit_defaults=True):
    """A publication and an identifier: claimed, granted, or another's (design law 4).

    On topic `new-ids` (keyed by identifier) the publication says `claimed` or `released`; the owner of
    that partition answers on the publication's own topic with one of the other words, which re-triggers
    the chain (P-06).
    """

    publication: str
    id_kind: IdentifierKind
    value: str
    said: Literal["claimed", "released", "granted", "held", "contested", "lost"]
    """`held`: by `holder`, which was submitted earlier; `lost`: taken over by `holder`, which was submitted
    earlier than this publication; `contested`: the two have different final identifiers and stay apart."""
    final: Identifiers = Identifiers()
    """The claimant's identifiers of a final type: two publications that differ in one never join."""
    holder: str = ""
    round: int = 0
    """Number of the claim at this publication; the answer repeats it."""
