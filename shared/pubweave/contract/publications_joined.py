from pubweave.contract.values import Value


class PublicationsJoined(Value, tag_field="kind", tag="publications-joined", frozen=True, omit_defaults=True):
    """A publication turned out to be another, earlier submitted one; its key redirects from now on."""

    publication: str
    """The one that ends; its answers stay for `explain` and count no more."""
    survivor: str
    submission: str
    """The submission through which it ended."""
