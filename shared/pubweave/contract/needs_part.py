from pubweave.contract.values import Identifiers, Link, Place, RunSettings, Value
from pubweave.contract.vocabulary import IdentifierKind, PartName, ResourceName


class NeedsPart(Value, tag_field="kind", tag="needs-part", frozen=True, omit_defaults=True):
    """A publication needs something from one resource."""

    publication: str
    need: str
    """Id of this need: publication and place; the same question has the same id."""
    place: Place
    """`position` is 0; findings of the answer count it up."""
    resource: ResourceName
    identifiers: Identifiers
    """All that is known."""
    ask: IdentifierKind | None = None
    """Which of them to ask with; none for links."""
    missing: tuple[PartName, ...] = ()
    """Requested parts that are not final yet and that the resource could fill."""
    settings: RunSettings = RunSettings()
    link: Link | None = None
    """The link to follow (resource `links` and `pdf`)."""
    visited_hosts: tuple[str, ...] = ()
    """F-DOI-08: hosts not to be visited again; empty unless that rule applies."""
    title: str = ""
    """What the publication is called, where a trusted source said so (resources `doi`, `links` and `pdf`): by it, too, its
    page or PDF is told from others."""
    external: tuple[IdentifierKind, ...] = ()
    """The identifiers that are known only because the user supplied them."""
    lane: str = "interactive"
    correlation_id: str = ""
    deadline_at: int = 0
    """UNIX ms after which the answer is of no use; 0 = none."""

    @property
    def value(self) -> str:
        """The identifier to ask with."""
        return self.identifiers.get(self.ask) if self.ask else ""
