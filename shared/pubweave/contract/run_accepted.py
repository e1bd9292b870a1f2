from pubweave.contract.values import Identifiers, Link, RunSettings, Value
from pubweave.contract.vocabulary import LaneName


class RunAccepted(Value, tag_field="kind", tag="run-accepted", frozen=True, omit_defaults=True):
    """The merger accepted a `fetch-requested` for a publication: a run begins (design law 1, P-25).

    Also says when a run is *not* needed: `run` is then the last one and `fetches` is false.
    """

    publication: str
    submission: str
    epoch: int
    run: int
    first_pass: int
    """The pass that starts with this: 1, or the next of a run that it joins."""
    accepted_at: int
    """The one clock reading of the decision and of the counters (F-CAN-04), UNIX ms."""
    settings: RunSettings
    identifiers: Identifiers
    provenance: Identifiers = Identifiers()
    fetches: bool = True
    """Can-fetch said yes (F-CAN-01)."""
    resets: bool = True
    """Conditions 1 to 4 held: fetchTime becomes `accepted_at`, retryCounter 0 (F-CAN-02); else F-CAN-03."""
    joins: bool = False
    """Not a run of its own: the identifiers of another publication enter a run (design law 4)."""
    links: tuple[Link, ...] = ()
    lane: LaneName = "interactive"
    correlation_id: str = ""
    deadline_at: int = 0
    gone: tuple[str, ...] = ()
    """Digests of contents that are stored no more: from this run on the parts that have them count as lacking, until
    something is found for them."""
