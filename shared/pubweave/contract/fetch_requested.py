from pubweave.contract.values import Cooldowns, Identifiers, Link, RunSettings, Value
from pubweave.contract.vocabulary import EntryKind, LaneName


class FetchRequested(Value, tag_field="kind", tag="fetch-requested", frozen=True, omit_defaults=True):
    """Somebody submitted one publication, web page or doc: one line of a job.

    `job` sorts by time, and within a job `line` does: together they say who was submitted first (law 4).
    """

    job: str
    line: int
    identifiers: Identifiers = Identifiers()
    provenance: Identifiers = Identifiers()
    """Where each identifier comes from (F-ID-21): the tool's own name for what a user typed."""
    url: str = ""
    """The address, when `entry` is a web page or doc."""
    entry: EntryKind = "publication"
    settings: RunSettings = RunSettings()
    cooldowns: Cooldowns = Cooldowns()
    links: tuple[Link, ...] = ()
    """Links that an application supplies, of type `link` or `pdf_link` (F-LIB-13)."""
    correlation_id: str = ""
    """Echoed in everything that follows from this submission."""
    idempotency_key: str = ""
    """A second submission with the same key is the first one again."""
    deadline_at: int = 0
    """UNIX ms after which what is unfinished is parked and said; 0 = none."""
    lane: LaneName = "interactive"
    submitted_at: int = 0
    second_chance: bool = False
    """F-CAN-09: the one further run of an entry with fetchException at the end of the job."""
    fresh: bool = False
    """Fetch anew whatever is stored (F-CLI-111, F-CLI-112): the answer opens a new epoch."""

    @property
    def submission(self) -> str:
        """Names this line; sorts by time of submission."""
        return f"{self.job}.{self.line:09d}"
