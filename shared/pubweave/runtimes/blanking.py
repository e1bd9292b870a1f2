"""What stays of a line of a job when the publication that it asked for is erased."""

from typing import Final

from pubweave.contract.codec import encode
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.values import Identifiers
from pubweave.contract.vocabulary import SettledOutcome
from pubweave.ports import StoredSubmission

ERASED: Final = "erased"
"""What stands in the lines of jobs in place of what they asked for."""


def blank_event(job: str, line: int, outcome: SettledOutcome, settled_at: int) -> SubmissionSettled:
    """The outcome of a line without what it asked for.

    :param settled_at: milliseconds since 1970
    """
    return SubmissionSettled(
        job=job,
        line=line,
        identifiers=Identifiers(),
        outcome=outcome,
        reason=ERASED,
        settled_at=settled_at,
    )


def blank_stored(job: str, line: int, outcome: SettledOutcome, settled_at: int) -> StoredSubmission:
    """The line as it stays: that it was there, and its outcome."""
    return StoredSubmission(
        job,
        line,
        encode(FetchRequested(job=job, line=line)),
        "",
        encode(blank_event(job, line, outcome, settled_at)),
        outcome,
    )
