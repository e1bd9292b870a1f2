from pubweave.contract.findings import Finding
from pubweave.contract.values import Note, RuleMissed
from pubweave.contract.vocabulary import NeedOutcome, ResourceName


class ResourceDone(Finding, tag="resource-done", frozen=True, omit_defaults=True):
    """A need has its one outcome. Only findings with the `answer` named here count (design law 3)."""

    resource: ResourceName
    outcome: NeedOutcome
    found: int = 0
    """How many findings the answer has; the need is complete when all have arrived."""
    success: bool = False
    """The resource was fetched successfully: not asked again in this run (F-CHAIN-05)."""
    fetch_exception: bool = False
    """Sets the publication's fetchException (chapter 6.2)."""
    evidence: str = ""
    """What was seen, in a few words: status, address, the sentence that decided."""
    tried: tuple[str, ...] = ()
    """Addresses after redirects that count as tried links (F-NET-04)."""
    unreached: bool = False
    """No request of it reached a host; a run of which that is all is no fetch that counts."""
    missed: tuple[RuleMissed, ...] = ()
    """Parts of which the site's rules gave less than the page has, whatever was taken instead."""
    notes: tuple[Note, ...] = ()
    """What else the answer said that belongs in the log; whoever runs the step writes it there."""
