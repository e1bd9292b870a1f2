from pubweave.contract.new_id import NewId
from pubweave.contract.values import Value


class IdentifierAsked(Value, tag_field="kind", tag="identifier-asked", frozen=True, omit_defaults=True):
    """Another publication claims an identifier that leads to this one, which judges who they are (law 4).

    Of the two the one submitted first judges, so that there is one judgement. A holder that was submitted
    later than the claimant asks back: the claim is then its own.
    """

    publication: str
    """Who is asked."""
    claim: NewId
    back: bool = False
    """The one asked waits for an answer itself, so it does not put its judgement off."""
