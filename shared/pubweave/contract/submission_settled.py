from pubweave.contract.values import Identifiers, Value
from pubweave.contract.vocabulary import SettledOutcome


class SubmissionSettled(Value, tag_field="kind", tag="submission-settled", frozen=True, omit_defaults=True):
    """What became of one submitted line: the end of every submission (design law 3)."""

    job: str
    line: int
    identifiers: Identifiers
    """As submitted."""
    outcome: SettledOutcome
    publication: str = ""
    version: int = 0
    replacement: Identifiers = Identifiers()
    """For `corrected`: what stands in place of the submitted identifiers."""
    reason: str = ""
    fetched: bool = True
    """False where what is stored was good enough (chapter 14)."""
    correlation_id: str = ""
    idempotency_key: str = ""
    settled_at: int = 0
