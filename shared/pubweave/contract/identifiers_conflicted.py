from pubweave.contract.values import Identifiers, Value
from pubweave.contract.vocabulary import IdentifierKind


class IdentifiersConflicted(
    Value, tag_field="kind", tag="identifiers-conflicted", frozen=True, omit_defaults=True
):
    """Two publications with different final identifiers claim one identifier; a person should look."""

    id_kind: IdentifierKind
    value: str
    holder: str
    """The publication submitted first, to which the identifier belongs."""
    claimant: str
    holder_final: Identifiers
    claimant_final: Identifiers
