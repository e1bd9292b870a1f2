from pubweave.contract.values import Identifiers, Place, Value


class Restarted(Value, tag_field="kind", tag="restarted", frozen=True, omit_defaults=True):
    """A pass changed an identifier: content and fields are emptied, a new generation begins (F-CHG-01)."""

    publication: str
    place: Place
    """The first place of the new generation."""
    before: Identifiers
    after: Identifiers
