from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.run_accepted import RunAccepted
from pubweave.contract.values import Value


class SubmissionsEntered(Value, tag_field="kind", tag="submissions-entered", frozen=True, omit_defaults=True):
    """Submitted lines lead to this publication, which is told so by whoever found that out (design law 4).

    The submission's own partition says it of a new line; a publication that joined another says it of its
    lines and its runs.
    """

    publication: str
    origin: str = ""
    """The publication that joined this one; empty for a new line."""
    lines: tuple[FetchRequested, ...] = ()
    runs: tuple[RunAccepted, ...] = ()
    """What `origin` was asked for."""
    park: str = ""
    """Settle these lines unfinished, for this reason: their deadline has passed."""
    entered_at: int = 0
    """The one clock reading of what follows (can-fetch, counters), UNIX ms."""
    gone: tuple[str, ...] = ()
    """Digests of contents that the record of this publication names and that are stored no more, as of `entered_at`:
    what lacks them counts as lacking, and is fetched anew."""
