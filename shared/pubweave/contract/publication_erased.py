from pubweave.contract.values import Value


class PublicationErased(Value, tag_field="kind", tag="publication-erased", frozen=True, omit_defaults=True):
    """Nothing is known of this publication any more but that its key was used; whatever the log still has of it counts no
    more."""

    publication: str
